//! Twin of `shaders/narrow_phase/moving_moving/moving_sat.wgsl`: tests whether two boxes in motion
//! may meet during a step, as many pairs at a time as the machine has lanes.
//!
//! # The test
//!
//! A record states that at the fraction s of the step a box is within another one that is moved by
//! `p s + g s²`. Seen from A, B moves by `(p_B - p_A) s + (g_B - g_A) s²`. A parabola lies between
//! its chord and the chord moved by `-g / 4`, because `p s + g s² = (p + g) s - g s (1 - s)`. So
//! the two meet only if the boxes do after B is moved by
//!
//! ```text
//! m + α v + β b,  α and β from -1 to 1:   m = p / 2 + 3 g / 8,  v = (p + g) / 2,  b = g / 8
//! ```
//!
//! The question is whether a point is in the Minkowski sum of two boxes and two segments, and any
//! axis `L` with `|(d + m)·L| > r_A + r_B + |v·L| + |b·L|` proves that it is not. The tested axes
//! are those of the faces and edges of two boxes, as in
//! [`separating_axes`](crate::narrow_phase::obb_obb::separating_axes), and `a_i × v`, `b_j × v`: 21
//! in all. Without `b` these are the normals of all faces of the sum (S. Gottschalk, M. C. Lin, D.
//! Manocha, "OBBTree", 1996, with the segment as one more edge). So for straight motion, only
//! rounding lets pairs through that never meet. The only division is for the scale of `v`, whose
//! error does not matter: any axis that separates the boxes will do.
//!
//! With the notation of `separating_axes`, `t = MAᵀ (d + m)`, `t_v = MAᵀ v`, `t_b = MAᵀ b`;
//! `|x|* = |x·L| - |..|` is short for the distance less the part that the motion takes of it, and
//! `V` is along `t_v`, its largest component 1:
//!
//! ```text
//! faces and edges: as there, with the distance less |t_v·L| + |t_b·L|
//! a_i × v:   F = s (|V × t|_i - |V × t_v|_i - |V × t_b|_i - (gA_(i+1) |V_(i+2)| + gA_(i+2) |V_(i+1)|)) - Σ_j gB_j |V × C_j|_i
//! b_j × v:   F = |(V × t)·C_j| - |(V × t_v)·C_j| - |(V × t_b)·C_j| - Σ_i gA_i |V × C_j|_i - (gB_(j+1) |V·C_(j+2)| + gB_(j+2) |V·C_(j+1)|)
//! E       =  512 u (|t| + |t_v| + |t_b| + gA + gB) + 64 u (|p_A| + |p_B| + |g_A| + |g_B|) + 2^-110,  u = 2^-23, sums of all components
//! ```
//!
//! # The error
//!
//! As at `SHADER_DISTANCE_ERROR` there, in units of u and with fences around d, p, g, m, v, t, t_v,
//! t_b, n, r and V; a last sum with its E has fewer than 40 addends.
//!
//! - The displacements: a record's `p` and `g` are off by at most 3, their differences by 1 more;
//!   `d` is off by 1 of itself, which is at most `|d + m|` and the displacement together. So
//!   `d + m` is off by 4 of itself and 8 of the displacements, `v` and `b` by 5 of the
//!   displacements: rotated into A's frame and projected onto `L`, of length up to √3, by less than
//!   3 (8 + 5) < 64 of the displacements.
//! - `t`, `t_v`, `t_b`: 40 of their length, as there, and 4.
//! - `b_j × v`, which needs the most: within the absolute value are 24 monomials of degree 4, whose
//!   magnitudes add up to at most `2 s |t|`: 52; with 32 for r, 44 √3 for t and 80 for the sum,
//!   less than 250. On extents `|V·C|` has 12 monomials of degree 3, with magnitudes of at most 3
//!   s: 39; with 48 for r, 4 for g and 120 for the sum, less than 220.
//!
//! All others stay below that, and 512 is twice as much. The price is that pairs which pass within
//! 1/16,000 of their size are let through.

use fearless_simd::prelude::*;

use crate::base::lanes::{self, Simd, axes, dispatch};
use crate::geometry::pair::Pair;
use crate::geometry::rotation::{Number, cross, matrix};
use crate::narrow_phase::obb_obb::obb_sat_cpu::relative_rotation;
use crate::shapes::moving::record::Moving;
use crate::shapes::obb::lanes::{BoxLanes, transposed};

/// E per unit of distances and extents.
pub(crate) const SIZE_ERROR: f32 = 1.0 / (1u32 << 14) as f32;
/// E per unit of the displacements of both boxes.
pub(crate) const WAY_ERROR: f32 = 1.0 / (1u32 << 17) as f32;
/// The addition to E for numbers flushed to zero, in the caller's unit: 2^-110. The terms have
/// fewer than 2^12 lengths.
pub(crate) const FLUSH_ERROR: f32 = f32::from_bits((127 - 110) << 23);
/// The length, in the caller's unit, below which displacements have no axes of their own: 2^-100.
pub(crate) const LEAST_WAY: f32 = f32::from_bits((127 - 100) << 23);

/// Tests pairs of `boxes`, and appends to `found` those that may meet and whose groups may collide.
/// The verdict on a pair does not depend on the others.
#[inline]
pub(crate) fn moving_sat(boxes: &[Moving], pairs: &[Pair], found: &mut Vec<Pair>) {
    dispatch!(lanes::level(), simd => test_all(simd, |pair| [&boxes[pair.a as usize], &boxes[pair.b as usize]], pairs, found));
}

/// Tests one pair as [`moving_sat`] does.
pub(crate) fn may_meet(a: &Moving, b: &Moving) -> bool {
    let mut found = Vec::new();
    dispatch!(lanes::level(), simd => test_all(simd, |_| [a, b], &[Pair { a: 0, b: 1 }], &mut found));
    !found.is_empty()
}

#[inline(always)]
fn test_all<'a, S: Simd>(simd: S, records: impl Fn(Pair) -> [&'a Moving; 2], pairs: &[Pair], found: &mut Vec<Pair>) {
    for chunk in pairs.chunks(S::f32s::LEN) {
        // A short chunk is padded with copies of its last pair, whose answers are ignored.
        let record = |lane: usize, k: usize| records(chunk[lane.min(chunk.len() - 1)])[k];
        let (a, groups_a) = BoxLanes::gather(simd, |lane| &record(lane, 0).around);
        let (b, groups_b) = BoxLanes::gather(simd, |lane| &record(lane, 1).around);
        let ways_a = ways(simd, |lane| record(lane, 0));
        let ways_b = ways(simd, |lane| record(lane, 1));
        let groups_miss = (groups_a[0] & groups_b[1]).simd_eq(0) | (groups_b[0] & groups_a[1]).simd_eq(0);
        let apart = groups_miss | are_apart(simd, [&a, &b], [&ways_a, &ways_b]);
        let near = !apart.to_bitmask() as u32;
        let those = |(lane, _): &(usize, &Pair)| near >> lane & 1 == 1;
        found.extend(chunk.iter().enumerate().filter(those).map(|(_, pair)| *pair));
    }
}

/// Returns `path` and `bend` of each lane's record.
#[inline(always)]
fn ways<'a, S: Simd>(simd: S, record: impl Fn(usize) -> &'a Moving) -> [[S::f32s; 3]; 2] {
    let mut ways = [[S::f32s::splat(simd, 0.0); 3]; 2];
    for first in (0..S::f32s::LEN).step_by(4) {
        let records: [&[[f32; 4]; 6]; 4] =
            [0, 1, 2, 3].map(|lane| bytemuck::cast_ref::<Moving, _>(record(first + lane)));
        for (row, way) in ways.iter_mut().enumerate() {
            let rows = [0, 1, 2, 3].map(|lane| records[lane][3 + row]);
            for (values, place) in transposed(simd, rows).iter().zip(way) {
                place.as_mut_slice()[first..first + 4].copy_from_slice(values.as_slice());
            }
        }
    }
    ways
}

#[inline(always)]
fn largest<V: SimdFloat<S, Element = f32>, S: Simd>(v: [V; 3]) -> V {
    v[0].max(v[1]).max(v[2])
}

#[inline(always)]
fn sum<V: Number>(v: [V; 3]) -> V {
    v[0] + v[1] + v[2]
}

#[inline(always)]
fn abs<V: SimdFloat<S, Element = f32>, S: Simd>(v: [V; 3]) -> [V; 3] {
    [v[0].abs(), v[1].abs(), v[2].abs()]
}

#[inline(always)]
fn dot<V: Number>(u: [V; 3], v: [V; 3]) -> V {
    u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
}

/// Returns `u_(i+1) v_(i+2) + u_(i+2) v_(i+1)`: a radius across an axis.
#[inline(always)]
fn across<V: Number>(u: [V; 3], v: [V; 3]) -> [V; 3] {
    [
        u[1] * v[2] + u[2] * v[1],
        u[2] * v[0] + u[0] * v[2],
        u[0] * v[1] + u[1] * v[0],
    ]
}

/// Returns the mask of the pairs that an axis separates during the whole step.
#[inline(always)]
fn are_apart<S: Simd>(
    simd: S,
    [a, b]: [&BoxLanes<S>; 2],
    [[path_a, bend_a], [path_b, bend_b]]: [&[[S::f32s; 3]; 2]; 2],
) -> S::mask32s {
    let p = axes!(|i| path_b[i] - path_a[i]);
    let g = axes!(|i| bend_b[i] - bend_a[i]);
    let middle = axes!(|i| (b.center[i] - a.center[i]) + p[i] * 0.5 + g[i] * 0.375);
    let chord = axes!(|i| (p[i] + g[i]) * 0.5);
    let (rows_a, n) = matrix(a.rotation);
    let column_a = axes!(|i| [rows_a[0][i], rows_a[1][i], rows_a[2][i]]);
    let t = axes!(|i| dot(column_a[i], middle));
    let t_v = axes!(|i| dot(column_a[i], chord));
    let t_b = axes!(|i| dot(column_a[i], g) * 0.125);
    let g_a = axes!(|i| n * a.half[i]);
    let g_b = axes!(|i| n * b.half[i]);
    let (rows, s) = matrix(relative_rotation(a.rotation, b.rotation));
    let c = axes!(|j| [rows[0][j], rows[1][j], rows[2][j]]);
    let c_abs = axes!(|j| abs(c[j]));

    let size = sum(abs(t)) + sum(abs(t_v)) + sum(abs(t_b)) + sum(g_a) + sum(g_b);
    let ways = sum(abs(*path_a)) + sum(abs(*path_b)) + sum(abs(*bend_a)) + sum(abs(*bend_b));
    let error = size * SIZE_ERROR + ways * WAY_ERROR + FLUSH_ERROR;

    let face_a = axes!(|i| {
        let radius_b = c_abs[0][i] * g_b[0] + c_abs[1][i] * g_b[1] + c_abs[2][i] * g_b[2];
        s * (t[i].abs() - t_v[i].abs() - t_b[i].abs() - g_a[i]) - radius_b
    });
    let face_b = axes!(|j| {
        let gap = dot(t, c[j]).abs() - dot(t_v, c[j]).abs() - dot(t_b, c[j]).abs();
        gap - s * g_b[j] - dot(c_abs[j], g_a)
    });
    let mut apart = largest(face_a).max(largest(face_b)).simd_gt(error);
    if apart.all_true() {
        return apart;
    }

    let longest = largest(abs(t_v));
    let scale = longest.simd_gt(LEAST_WAY).select(
        S::f32s::splat(simd, 1.0) / longest.max(LEAST_WAY),
        S::f32s::splat(simd, 0.0),
    );
    let v = axes!(|i| t_v[i] * scale);
    let v_abs = abs(v);
    let (v_t, v_v, v_b) = (cross(v, t), cross(v, t_v), cross(v, t_b));
    let v_c = axes!(|j| abs(cross(v, c[j])));
    let w = axes!(|j| dot(v, c[j]).abs());
    let radius_a = across(g_a, v_abs);
    let radius_b = across(g_b, w);
    let across_a = axes!(|i| {
        let radius_b = v_c[0][i] * g_b[0] + v_c[1][i] * g_b[1] + v_c[2][i] * g_b[2];
        s * (v_t[i].abs() - v_v[i].abs() - v_b[i].abs() - radius_a[i]) - radius_b
    });
    let across_b = axes!(|j| {
        let gap = dot(v_t, c[j]).abs() - dot(v_v, c[j]).abs() - dot(v_b, c[j]).abs();
        gap - dot(v_c[j], g_a) - radius_b[j]
    });
    apart |= largest(across_a).max(largest(across_b)).simd_gt(error);
    if apart.all_true() {
        return apart;
    }

    apart | apart_by_edges::<S>(c, [t, t_v, t_b], [g_a, g_b], error)
}

/// Returns the mask of the pairs that a cross product of edges separates. `c` are B's axes, and
/// the offset is in parts: at the middle, along the chord, and of the bend.
#[inline(always)]
fn apart_by_edges<S: Simd>(
    c: [[S::f32s; 3]; 3],
    [t, t_v, t_b]: [[S::f32s; 3]; 3],
    [g_a, g_b]: [[S::f32s; 3]; 2],
    error: S::f32s,
) -> S::mask32s {
    let c_abs = axes!(|j| abs(c[j]));
    let by_edge = axes!(|j| {
        let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
        let (e_t, e_v, e_b) = (cross(c[j], t), cross(c[j], t_v), cross(c[j], t_b));
        let radius_a = across(g_a, c_abs[j]);
        let edges = axes!(|i| {
            let radius_b = g_b[j1] * c_abs[j2][i] + g_b[j2] * c_abs[j1][i];
            e_t[i].abs() - e_v[i].abs() - e_b[i].abs() - (radius_a[i] + radius_b)
        });
        largest(edges).simd_gt(error)
    });
    by_edge[0] | by_edge[1] | by_edge[2]
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3, Vec3};

    use super::*;
    use crate::base::split_mix::SplitMix;
    use crate::narrow_phase::moving_moving::impact::impact_of;
    use crate::shapes::moving::body::Body;
    use crate::shapes::moving::motion::Motion;
    use crate::shapes::moving::step::Step;
    use crate::shapes::moving::swept_bounds::stored;
    use crate::shapes::obb::parts::rotation;
    use crate::shapes::obb::record::Obb;

    fn vector(random: &mut SplitMix, size: f64) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| (2.0 * random.unit() - 1.0) * size))
    }

    fn shape(random: &mut SplitMix) -> Obb {
        let half = vector(random, 1.0).as_vec3().abs() + Vec3::splat(0.01);
        Obb::new(Vec3::ZERO, half, stored(DQuat::from_scaled_axis(vector(random, 3.0))))
    }

    /// Returns the factor for the distance of the centers at which the boxes just touch, once,
    /// while B moves by `way`.
    fn to_grazing(a: &Obb, b: &Obb, d: DVec3, way: DVec3) -> f64 {
        let (axes_a, axes_b) = (rotation(a), rotation(b));
        let cols = |m: &glam::DMat3| [m.x_axis, m.y_axis, m.z_axis];
        let mut all = [cols(&axes_a), cols(&axes_b)].concat();
        let edges: Vec<DVec3> = all.clone();
        for i in 0..6 {
            all.push(edges[i].cross(way));
            all.extend((i + 1..6).map(|k| edges[i].cross(edges[k])));
        }
        let radius = |axis: DVec3| {
            let of = |m: &glam::DMat3, half: Vec3| (m.transpose() * axis).abs().dot(half.as_dvec3());
            of(&axes_a, a.half_extents) + of(&axes_b, b.half_extents) + 0.5 * way.dot(axis).abs()
        };
        let factors = all.into_iter().map(|axis| radius(axis) / d.dot(axis).abs());
        factors
            .filter(|factor| factor.is_finite())
            .fold(f64::INFINITY, f64::min)
    }

    /// Pairs within a few roundings of passing each other without contact: none that has an impact
    /// is ruled out, and few of those that pass at a relative distance of 1/1000 are let through.
    #[test]
    fn colliding_pairs_are_never_reported_apart() {
        let mut random = SplitMix(11);
        let (mut met, mut kept, mut far) = (0, 0, 0);
        for trial in 0..60_000 {
            let (mut a, mut b) = (shape(&mut random), shape(&mut random));
            let way = vector(&mut random, [0.1, 3.0, 100.0][trial % 3]);
            // Both also share a motion, as far as rounding preserves the difference.
            let along = vector(&mut random, [0.0, 10.0][trial / 3 % 2]).as_vec3();
            let path_b = (way + along.as_dvec3()).as_vec3();
            let way = path_b.as_dvec3() - along.as_dvec3();
            let d = vector(&mut random, 1.0);
            let off = [1.0, 1.0 - 1e-7, 1.0 + 1e-7, 1.001][trial / 6 % 4];
            let d = d * to_grazing(&a, &b, d, way) * off;
            a.center = vector(&mut random, [0.0, 30.0][trial / 24 % 2]).as_vec3();
            b.center = (a.center.as_dvec3() + d - 0.5 * way).as_vec3();
            let motions = [Motion::linear(along), Motion::linear(path_b)];
            let [a, b] = [(&a, &motions[0]), (&b, &motions[1])].map(|(obb, motion)| Body::new(obb, motion));
            let meets = impact_of(&a, &b, &Step::new(1.0)).is_some();
            let may = may_meet(&Moving::new(&a, 1.0, 1.0), &Moving::new(&b, 1.0, 1.0));
            assert!(may || !meets, "{trial}: {a:?} and {b:?} are told apart");
            (met, kept) = (met + usize::from(meets), kept + usize::from(may));
            far += usize::from(may && off == 1.001 && trial % 3 < 2);
        }
        assert!(met > 20_000 && kept > met, "{met} met, {kept} kept");
        // Out of about 10,000. The error bound is a fraction of the sum of all components.
        assert!(far < 1_000, "{far} pairs a thousandth away are kept");
    }
}
