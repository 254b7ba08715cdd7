//! The clearance of two boxes: the distance they may move before they can begin, or cease, to
//! collide. A separating-axis test that returns a distance, for as many pairs at a time as the
//! machine has lanes.
//!
//! # Proof
//!
//! Let no point of A move further than α, and no point of B further than β. Along a unit vector L,
//! a support point of a box then reaches at least as far as before less this displacement, and at
//! most as far as before plus it.
//!
//! - If a gap s lies between the boxes along L, it is at least `s - α - β` afterwards: while
//!   `α + β < s` they are apart.
//! - If they overlap by at least δ along *every* unit vector, they do so by at least `δ - α - β`
//!   afterwards: while `α + β < δ` they overlap. The least overlap over all directions is along a
//!   normal of a face of the Minkowski sum of A and -B, because it is the distance of a point in a
//!   polyhedron from its boundary. If the sum is solid, these normals are among the fifteen axes;
//!   if it is flat, some axis has no overlap at all.
//!
//! So the clearance is the largest gap, or the least overlap, along the axes, divided by their
//! lengths.
//!
//! # In f32
//!
//! With the names of [`separating_axes`](super::separating_axes), a gap is at least
//! `(F - E) / (n D)` and an overlap at least `(-F - E) / (n D)`. D is s for a face. For edges it is
//! the product of s and the sine: at most s, and at most `S_ij` with its error.
//!
//! If edges are nearly parallel, that overlap drowns in its error. [`KAPPA`] helps: let the overlap
//! along such an axis be p. If B moves along the axis by p, the axis has f = 0, so some face then
//! has `f >= -tan θ (|d| + p + |hA|_1 + |hB|_1)`. Before the move its f was at least this less p.
//! Hence `p (1 + tan θ)` is at least the least overlap of the faces less
//! `tan θ (|d| + |hA|_1 + |hB|_1)`. In the units of an F,
//!
//! `p >= (-F_max - (KAPPA S Z + 2 E)) / (1 + 1.2 S)`.
//!
//! The larger of the two bounds counts. Rounding in the division, and in everything after it, takes
//! less than [`ROUNDING`].

use fearless_simd::prelude::*;

use crate::base::lanes::{self, Simd, axes, dispatch};
use crate::geometry::pair::Pair;
use crate::geometry::rotation::{matrix, relative};
use crate::narrow_phase::obb_obb::obb_sat_cpu::LARGEST_SINE;
use crate::narrow_phase::obb_obb::separating_axes::KAPPA;
use crate::narrow_phase::obb_obb::upright_sat_cpu::error_of;
use crate::shapes::obb::lanes::BoxLanes;
use crate::shapes::obb::record::Obb;

/// The relative reduction of a clearance to allow for rounding: 2^-18, about 64 roundings.
const ROUNDING: f32 = 1.0 / (1u32 << 18) as f32;
/// More than the error of `S_ij` in f32, which is `sqrt(2) * 20 u`.
const SINE_ERROR: f32 = 1.0 / (1u32 << 18) as f32;

/// Tests pairs of `boxes` and calls `found(pairs, clearances)` with batches of them.
///
/// A clearance above 0 means that the boxes are apart, one below 0 that they overlap. Either holds
/// until the displacements of both boxes (see [`displacement`](crate::shapes::obb::displacement))
/// add up to its magnitude. A clearance of 0 says nothing. It is infinite for boxes whose groups do
/// not meet: wherever these go, they are no pair.
#[inline]
pub(crate) fn clearances(boxes: &[Obb], pairs: &[Pair], found: impl FnMut(&[Pair], &[f32])) {
    dispatch!(lanes::level(), simd => in_lanes(simd, boxes, pairs, found));
}

#[inline(always)]
fn in_lanes<S: Simd>(simd: S, boxes: &[Obb], pairs: &[Pair], mut found: impl FnMut(&[Pair], &[f32])) {
    for chunk in pairs.chunks(S::f32s::LEN) {
        // A short chunk is padded with copies of its last pair.
        let pair = |lane: usize| chunk[lane.min(chunk.len() - 1)];
        let (a, groups_a) = BoxLanes::gather(simd, |lane| &boxes[pair(lane).a as usize]);
        let (b, groups_b) = BoxLanes::gather(simd, |lane| &boxes[pair(lane).b as usize]);
        let groups_miss = (groups_a[0] & groups_b[1]).simd_eq(0) | (groups_b[0] & groups_a[1]).simd_eq(0);
        let clearance = groups_miss.select(S::f32s::splat(simd, f32::INFINITY), clearance(&a, &b));
        found(chunk, &clearance.as_slice()[..chunk.len()]);
    }
}

#[inline(always)]
fn sum<V: SimdFloat<S, Element = f32>, S: Simd>(v: [V; 3]) -> V {
    v[0] + v[1] + v[2]
}

#[inline(always)]
fn clearance<S: Simd>(a: &BoxLanes<S>, b: &BoxLanes<S>) -> S::f32s {
    let (rows_a, n) = matrix(a.rotation);
    let d = axes!(|i| b.center[i] - a.center[i]);
    let t = axes!(|i| rows_a[0][i] * d[0] + rows_a[1][i] * d[1] + rows_a[2][i] * d[2]);
    let g_a = axes!(|i| n * a.half[i]);
    let g_b = axes!(|i| n * b.half[i]);
    let (c, s) = matrix(relative(a.rotation, b.rotation));
    let c_abs = axes!(|i| axes!(|j| c[i][j].abs()));
    let (distance, sum_a, sum_b) = (sum(axes!(|i| t[i].abs())), sum(g_a), sum(g_b));
    let size = distance + sum_a + sum_b;
    let error = error_of(distance, sum_a + sum_b);

    let face_a = axes!(|i| s * (t[i].abs() - g_a[i]) - sum(axes!(|j| c_abs[i][j] * g_b[j])));
    let face_b = axes!(|j| sum(axes!(|i| t[i] * c[i][j])).abs() - s * g_b[j] - sum(axes!(|i| c_abs[i][j] * g_a[i])));
    let face = axes!(|i| face_a[i].max(face_b[i]));
    let face = face[0].max(face[1]).max(face[2]);
    let mut gap = face - error;
    let mut overlap = -face - error;
    for j in 0..3 {
        let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
        for i in 0..3 {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            let radius_a = g_a[i1] * c_abs[i2][j] + g_a[i2] * c_abs[i1][j];
            let radius_b = g_b[j1] * c_abs[i][j2] + g_b[j2] * c_abs[i][j1];
            let edge = (t[i2] * c[i1][j] - t[i1] * c[i2][j]).abs() - (radius_a + radius_b);
            let sine = c_abs[i1][j] + c_abs[i2][j];
            // Converts a gap or an overlap along the axis to the units of those along faces: s over
            // the axis's length.
            let stretch = s / (sine + SINE_ERROR).min(s);
            gap = gap.max((edge - error) * stretch);
            let parallel = (-face - (size * KAPPA as f32 * sine + (error + error))) / (sine * 1.2 + 1.0);
            let parallel = sine.simd_lt(LARGEST_SINE).select(parallel, -size);
            overlap = overlap.min(((-edge - error) * stretch).max(parallel));
        }
    }
    let scale = (n * 0.0 + (1.0 - ROUNDING)) / (n * s);
    let none = scale * 0.0;
    let apart = gap.simd_gt(0.0);
    let overlapping = overlap.simd_gt(0.0);
    apart.select(gap * scale, overlapping.select(-(overlap * scale), none))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::split_mix::SplitMix;
    use crate::made_up::{self, Scene};
    use crate::narrow_phase::contact::Contact;
    use crate::narrow_phase::obb_obb::exact::classify;
    use glam::{Quat, Vec3};

    /// Returns the clearance of each box at an even index and the next one.
    fn of_neighbours(boxes: &[Obb]) -> Vec<f32> {
        let pairs: Vec<Pair> = (0..boxes.len() as u32 / 2)
            .map(|k| Pair::new(2 * k, 2 * k + 1))
            .collect();
        let mut all = Vec::new();
        clearances(boxes, &pairs, |_, some| all.extend_from_slice(some));
        all
    }

    fn pairs() -> Vec<Obb> {
        let adversarial = (0..60_000).flat_map(|index| <[Obb; 2]>::from(made_up::pair(index, 11)));
        let mut random = SplitMix(4);
        let mut near = |obb: &Obb| {
            let mut number = || random.unit() as f32 - 0.5;
            let shift = Vec3::new(number(), number(), number()) * 4.0;
            let turn = Quat::from_scaled_axis(Vec3::new(number(), number(), number()) * 6.0);
            let mut other = *obb;
            other.center += shift;
            other.rotation = turn.normalize();
            other
        };
        let uniform = made_up::boxes(Scene::Uniform, 60_000, 1);
        adversarial
            .chain(uniform.iter().flat_map(|obb| [*obb, near(obb)]))
            .collect()
    }

    #[test]
    fn clearances_never_exceed_distance_or_depth() {
        let boxes = pairs();
        let mut seen = [0; 3];
        let mut whole = [0.0; 2];
        for (two, clearance) in boxes.chunks(2).zip(of_neighbours(&boxes)) {
            let (a, b) = (&two[0], &two[1]);
            let kind = match clearance.total_cmp(&0.0) {
                std::cmp::Ordering::Greater => {
                    assert_eq!(classify(a, b), Contact::Separated, "{a:?} {b:?}");
                    let distance = a.distance(b);
                    assert!(f64::from(clearance) < distance, "{clearance} {distance}: {a:?} {b:?}");
                    whole = [whole[0] + f64::from(clearance) / distance, whole[1] + 1.0];
                    0
                }
                std::cmp::Ordering::Less => {
                    assert_eq!(classify(a, b), Contact::Overlapping, "{a:?} {b:?}");
                    let depth = a.manifold(b).map_or(0.0, |found| found.penetration().depth);
                    assert!(f64::from(-clearance) < depth, "{clearance} {depth}: {a:?} {b:?}");
                    1
                }
                std::cmp::Ordering::Equal => 2,
            };
            seen[kind] += 1;
        }
        assert!(seen.iter().all(|&count| count > 2_000), "{seen:?}");
        // On average, a clearance is most of the distance.
        assert!(whole[0] > 0.6 * whole[1], "{whole:?}");
    }
}
