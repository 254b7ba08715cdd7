//! Twin of `shaders/narrow_phase/obb_obb/obb_distance.wgsl`: tests whether two boxes are within a
//! distance of each other, in f32, with a proved error bound. See [`distance`](super::distance) for
//! the method and [`distance_error`](super::distance_error) for the bound.

use glam::{Mat3, Vec3, Vec3Swizzles};

use crate::base::config::Precision;
use crate::geometry::rotation::{mat3, others, relative_quat};
use crate::narrow_phase::obb_obb::distance_error::{ERROR_FACTOR, FLUSH_ERROR_F32, PARALLEL_FACTOR};
use crate::narrow_phase::obb_obb::obb_sat_cpu::LARGEST_SINE;
use crate::narrow_phase::obb_obb::separating_axes::KAPPA;
use crate::shapes::obb::record::Obb;

/// `K u` (see [`ERROR_FACTOR`]) with the u of rounding to nearest: half of the shader's.
pub(crate) const ERROR: f32 = ERROR_FACTOR as f32 / (1u32 << 24) as f32;
/// Edges at an angle of this sine or less count as parallel. The u is that of [`ERROR`].
pub(crate) const PARALLEL: f32 = PARALLEL_FACTOR as f32 / (1u32 << 24) as f32;

/// The answers of f32 about two boxes and a distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nearness {
    /// They are further apart.
    Beyond,
    /// They are apart, but no further than the distance.
    Near,
    /// They share a point.
    Colliding,
    /// Rounding may have changed the answer. Only with [`Precision::Exact`].
    Undecided,
}

/// Returns the relation of two boxes to each other and to the distance `reach`.
///
/// With [`Precision::Fast`], pairs that may collide are reported as colliding, and the computed
/// distance decides the others. With [`Precision::Conservative`], a pair is beyond only if that is
/// certain.
pub(crate) fn nearness(a: &Obb, b: &Obb, reach: f32, precision: Precision) -> Nearness {
    let frame = Frame::new(a, b, reach);
    let faces = frame.faces();
    if faces - frame.error > reach {
        return Nearness::Beyond;
    }
    let edges = frame.edges();
    let lower = frame.lower(faces, &edges);
    if lower > reach {
        return Nearness::Beyond;
    }
    if lower <= 0.0 {
        let colliding = precision != Precision::Exact || frame.overlapping(faces, &edges);
        return if colliding {
            Nearness::Colliding
        } else {
            Nearness::Undecided
        };
    }
    let mut squared = frame.corners();
    // A negative value would be no distance; at 0, nothing is certainly within reach.
    let surely = (reach - frame.error).max(0.0);
    if squared > surely * surely {
        squared = squared.min(frame.edge_pairs(lower, &edges));
    }
    let distance = squared.sqrt();
    match precision {
        _ if distance + frame.error <= reach => Nearness::Near,
        _ if distance - frame.error > reach => Nearness::Beyond,
        Precision::Exact => Nearness::Undecided,
        Precision::Fast if distance > reach => Nearness::Beyond,
        Precision::Fast | Precision::Conservative => Nearness::Near,
    }
}

/// Both boxes in the frame of A, whose center is the origin.
struct Frame {
    t: Vec3,
    /// The axes of B, as columns.
    c: Mat3,
    h_a: Vec3,
    h_b: Vec3,
    size: f32,
    error: f32,
}

/// The nine axes of two edges: column j holds those of edge j of B with the three of A.
struct Edges {
    /// Gaps along the axes, times the sines.
    gaps: [Vec3; 3],
    /// Sines of the angles between the edges.
    sines: [Vec3; 3],
}

impl Frame {
    fn new(a: &Obb, b: &Obb, reach: f32) -> Self {
        let (m_a, n) = mat3(a.rotation);
        let t = (m_a.transpose() * (b.center - a.center)) * (1.0 / n);
        let (c, s) = mat3(relative_quat(a.rotation, b.rotation));
        let size = (t.abs() + a.half_extents + b.half_extents).element_sum();
        Self {
            t,
            c: c * (1.0 / s),
            h_a: a.half_extents,
            h_b: b.half_extents,
            size,
            // The reach itself is rounded.
            error: ERROR * (size + reach) + FLUSH_ERROR_F32,
        }
    }

    /// Returns the largest gap along the six face axes.
    fn faces(&self) -> f32 {
        let c_abs = self.c.abs();
        let face_a = self.t.abs() - self.h_a - c_abs * self.h_b;
        let face_b = (self.c.transpose() * self.t).abs() - self.h_b - c_abs.transpose() * self.h_a;
        face_a.max(face_b).max_element()
    }

    fn edges(&self) -> Edges {
        let [x, y, z] = [0, 1, 2].map(|j| self.c.col(j).abs());
        let h_b = self.h_b;
        let radii_b = [h_b.y * z + h_b.z * y, h_b.z * x + h_b.x * z, h_b.x * y + h_b.y * x];
        let gaps = |j: usize| {
            let column = self.c.col(j);
            let offset = self.t.zxy() * column.yzx() - self.t.yzx() * column.zxy();
            let column = column.abs();
            offset.abs() - (self.h_a.yzx() * column.zxy() + self.h_a.zxy() * column.yzx() + radii_b[j])
        };
        let sines = |j: usize| {
            let squares = self.c.col(j) * self.c.col(j);
            (squares.yzx() + squares.zxy()).map(f32::sqrt)
        };
        Edges {
            gaps: [0, 1, 2].map(gaps),
            sines: [0, 1, 2].map(sines),
        }
    }

    /// Returns a lower bound on the distance: the largest gap, less its error.
    fn lower(&self, faces: f32, edges: &Edges) -> f32 {
        let bound = |j: usize| (edges.gaps[j] - self.error) / (edges.sines[j] + ERROR);
        let edges = bound(0).max(bound(1)).max(bound(2)).max_element();
        edges.max(faces - self.error)
    }

    /// Returns `true` if they certainly share a point; see the separating-axis test.
    fn overlapping(&self, faces: f32, edges: &Edges) -> bool {
        let clear = |j: usize| {
            let (gaps, sines) = (edges.gaps[j], edges.sines[j]);
            let margin = KAPPA as f32 * self.size * sines + 2.0 * self.error;
            let parallel = sines.cmplt(Vec3::splat(LARGEST_SINE)) & Vec3::splat(faces).cmplt(-margin);
            (gaps.cmplt(Vec3::splat(-self.error)) | parallel).all()
        };
        faces < -self.error && (0..3).all(clear)
    }

    /// Returns the smallest squared distance of a corner from the other box.
    fn corners(&self) -> f32 {
        let mut least = f32::INFINITY;
        for corner in 0..8 {
            let of_b = self.t + self.c * signed(self.h_b, corner);
            let of_a = self.c.transpose() * (signed(self.h_a, corner) - self.t);
            let from_a = (of_b.abs() - self.h_a).max(Vec3::ZERO).length_squared();
            let from_b = (of_a.abs() - self.h_b).max(Vec3::ZERO).length_squared();
            least = least.min(from_a).min(from_b);
        }
        least
    }

    /// Returns the smallest squared distance of two edges whose normal may be the direction of the
    /// distance, which is at least `lower`.
    fn edge_pairs(&self, lower: f32, edges: &Edges) -> f32 {
        let mut least = f32::INFINITY;
        for i in 0..3 {
            for j in 0..3 {
                let sine = edges.sines[j][i];
                if sine > PARALLEL && edges.gaps[j][i] + 2.0 * self.error >= lower * sine {
                    least = least.min(self.edge_pair(i, j, sine * sine));
                }
            }
        }
        least
    }

    /// Returns the smallest squared distance of edges along axis i of A and axis j of B that may
    /// face each other.
    fn edge_pair(&self, i: usize, j: usize, squared_sine: f32) -> f32 {
        let ([k, l], [m, n]) = (others(i), others(j));
        let direction = self.c.col(j);
        // Products of a_i × b_j with the offset of the centers, and with the other axes of A and B.
        let offset = direction[k] * self.t[l] - direction[l] * self.t[k];
        let tie = ERROR * self.t.abs().element_sum();
        let towards_b = if offset.abs() > tie { offset.signum() } else { 0.0 };
        let products = [-direction[l], direction[k], -self.c.col(n)[i], self.c.col(m)[i]].map(|x| x * towards_b);
        let mut least = f32::INFINITY;
        for sides in 0..16 {
            // Sides that are certainly wrong are not tried.
            let sign = |axis: usize| if sides >> axis & 1 == 0 { 1.0 } else { -1.0 };
            if (0..4).any(|axis| products[axis] * sign(axis) < -ERROR) {
                continue;
            }
            let (mut on_a, mut of_b) = (Vec3::ZERO, Vec3::ZERO);
            (on_a[k], on_a[l]) = (sign(0) * self.h_a[k], sign(1) * self.h_a[l]);
            (of_b[m], of_b[n]) = (sign(2) * self.h_b[m], sign(3) * self.h_b[n]);
            let from = self.t + self.c * of_b;
            let apart = on_a - from;
            let within = |place: f32, half: f32| place.max(-half).min(half);
            let first = (apart[k] * direction[k] + apart[l] * direction[l]) / squared_sine;
            let first = within(first, self.h_b[j]);
            on_a[i] = within(from[i] + first * direction[i], self.h_a[i]);
            let last = within(direction.dot(on_a - from), self.h_b[j]);
            least = least.min((from + last * direction - on_a).length_squared());
        }
        least
    }
}

/// Returns the vector with the signs given by bits: 1 is negative.
fn signed(v: Vec3, signs: usize) -> Vec3 {
    let sign = |axis: usize| if signs >> axis & 1 == 0 { 1.0 } else { -1.0 };
    v * Vec3::new(sign(0), sign(1), sign(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up;
    use crate::narrow_phase::obb_obb::distance::distance_apart;

    /// Returns a pair moved apart by up to ten times the size of its boxes.
    fn apart(index: u64, seed: u64) -> (Obb, Obb) {
        let (a, mut b) = made_up::pair(index, seed);
        let size = a.half_extents.max_element().max(b.half_extents.max_element());
        let scale = [0.0, 1e-5, 1e-3, 0.1, 1.0, 10.0][(index / 13 % 6) as usize];
        let away = (b.center - a.center).try_normalize().unwrap_or(Vec3::X);
        let lean = Vec3::new(0.3, -0.2, 0.1) * ((index % 5) as f32 - 2.0);
        b.center += (away + lean) * (scale * size);
        if b.problem().is_some() {
            made_up::pair(index, seed)
        } else {
            (a, b)
        }
    }

    #[test]
    fn the_f32_distance_is_within_the_proved_error() {
        let mut worst = 0f64;
        for index in 0..300_000 {
            let (a, b) = apart(index, 11);
            if a.contact(&b).collides() {
                continue;
            }
            let expected = distance_apart(&a, &b);
            let frame = Frame::new(&a, &b, 0.0);
            let edges = frame.edges();
            let lower = frame.lower(frame.faces(), &edges);
            let distance = frame.corners().min(frame.edge_pairs(lower.max(0.0), &edges)).sqrt();
            let error = f64::from(distance) - expected;
            assert!(
                error.abs() <= f64::from(frame.error),
                "{index}: {distance} for {expected}: {a:?} {b:?}"
            );
            assert!(
                f64::from(lower) <= expected,
                "{index}: {lower} for {expected}: {a:?} {b:?}"
            );
            worst = worst.max((error.abs() - f64::from(FLUSH_ERROR_F32)) / f64::from(frame.size));
        }
        let in_units = worst * f64::from(1u32 << 24);
        println!("the largest error is {in_units:.1} u Z");
        assert!((0.5..ERROR_FACTOR / 2.0).contains(&in_units), "{in_units}");
    }

    #[test]
    fn f32_decisions_are_correct() {
        let mut decided = [0; 4];
        for index in 0..300_000 {
            let (a, b) = apart(index, 12);
            let distance = a.distance(&b);
            let size = a.half_extents.max_element().min(b.half_extents.max_element());
            for reach in [distance as f32, size, 10.0 * size, distance as f32 * 1.0001] {
                let (within, collides) = (distance <= f64::from(reach), a.contact(&b).collides());
                let expected = match (collides, within) {
                    (true, _) => Nearness::Colliding,
                    (_, true) => Nearness::Near,
                    (_, false) => Nearness::Beyond,
                };
                let exact = nearness(&a, &b, reach, Precision::Exact);
                decided[exact as usize] += 1;
                assert!(
                    [expected, Nearness::Undecided].contains(&exact),
                    "{index}, {reach}: {exact:?}, not {expected:?}"
                );
                let careful = nearness(&a, &b, reach, Precision::Conservative);
                assert!(
                    careful != Nearness::Beyond || expected == Nearness::Beyond,
                    "{index}, {reach}: lost"
                );
                let fast = nearness(&a, &b, reach, Precision::Fast);
                assert_ne!(fast, Nearness::Undecided);
                if exact != Nearness::Undecided {
                    assert_eq!([careful, fast], [expected; 2], "{index}, {reach}");
                }
            }
        }
        assert!(decided.iter().all(|&number| number > 10_000), "{decided:?}");
    }
}
