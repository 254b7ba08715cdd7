//! Exact tests of spheres and capsules against boxes.
//!
//! In the frame of the box, rescaled by `n = |q|²`, a point `p` is at `M(q)ᵀ (p - c)`, and the box
//! reaches from `-n h` to `n h`: integers if `p`, `c`, `h` and `q` are. The distance of a sphere's
//! center from the box follows from the amounts by which its coordinates exceed that range. A
//! segment that does not meet the box is closest to it at one of its own ends, or at an edge of the
//! box.

use crate::base::arrays::{Mapped, by_index};
use std::cmp::Ordering;

use crate::geometry::rotation::{matrix, others};
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::obb_obb::exact::scale::Grain;
use crate::narrow_phase::round::capsules::segments;
use crate::narrow_phase::round::real::{Near, Real, Vector, dot, minus, plus, whole, with_words};
use crate::shapes::obb::record::Obb;
use crate::shapes::round::sphere::Sphere;
use crate::shapes::round::swept_sphere::SweptSphere;

impl Sphere {
    /// Returns the relation of a sphere and a box: the true answer for the stored numbers. They
    /// touch if the distance of the center from the box equals the radius, so also if the center is
    /// in the box and the radius is 0.
    ///
    /// ```
    /// use obbligato::{contact::Contact, glam::Vec3, Obb, Sphere};
    /// let unit = Obb::axis_aligned(Vec3::ZERO, Vec3::ONE);
    /// assert_eq!(Sphere::new(Vec3::new(4.0, 5.0, 0.0), 5.0).contact_box(&unit), Contact::Touching);
    /// ```
    pub fn contact_box(&self, obb: &Obb) -> Contact {
        SweptSphere::from(*self).contact_box(obb)
    }
}

impl SweptSphere {
    /// Returns the relation of a capsule and a box; see [`Sphere::contact_box`].
    pub fn contact_box(&self, obb: &Obb) -> Contact {
        let (lengths, turn) = (lengths(self, obb), obb.rotation.to_array());
        let point = self.ends[0] == self.ends[1];
        let near = decide(lengths.mapped(Near::exact), turn.mapped(Near::exact), point);
        near.unwrap_or_else(|| {
            let grains = [Grain::of(lengths), Grain::of(turn)];
            // A coordinate takes the bits of a length and two numbers of the rotation, and 5 for
            // the sums; edges take six of them.
            let bits = grains[0].bits() + 2 * grains[1].bits() + 5;
            with_words!(6 * (bits + 4) + 4, exact(grains, lengths, turn, point))
        })
    }
}

/// Returns the center and half extents of the box, the ends of the segment, and the radius.
fn lengths(capsule: &SweptSphere, obb: &Obb) -> [f32; 13] {
    let mut numbers = [capsule.radius; 13];
    let vectors = [obb.center, obb.half_extents, capsule.ends[0], capsule.ends[1]];
    for (place, vector) in numbers.chunks_exact_mut(3).zip(vectors) {
        place.copy_from_slice(&vector.to_array());
    }
    numbers
}

fn exact<const N: usize>([lengths, turn]: [Grain; 2], numbers: [f32; 13], rotation: [f32; 4], point: bool) -> Contact {
    let decided = decide(whole::<13, N>(lengths, numbers), whole::<4, N>(turn, rotation), point);
    decided.unwrap_or(Contact::Separated)
}

fn decide<T: Real>(lengths: [T; 13], rotation: [T; 4], point: bool) -> Option<Contact> {
    let vector = |k: usize| -> Vector<T> { by_index(|axis| lengths[3 * k + axis]) };
    let (rows, scale) = matrix(rotation);
    let half = vector(1).mapped(|half| half * scale);
    let end = |k: usize| -> Vector<T> {
        let from_center = minus(vector(k), vector(0));
        by_index(|axis| dot(rows.mapped(|row| row[axis]), from_center))
    };
    let radius = lengths[12] * scale;
    let order = match point {
        true => point_to_box(end(2), half, radius * radius)?,
        false => segment_to_box([end(2), end(3)], half, radius * radius)?,
    };
    Some(Contact::from_largest(order))
}

/// Compares the squared distance of a segment to a box around the origin with a number.
pub(crate) fn segment_to_box<T: Real>(ends: [Vector<T>; 2], half: Vector<T>, reach: T) -> Option<Ordering> {
    let mut least = point_to_box(ends[0], half, reach)?.min(point_to_box(ends[1], half, reach)?);
    if !least.is_lt() {
        if meets_box(ends, half)? {
            return T::zero().compare(reach);
        }
        for edge in edges(half) {
            least = least.min(segments([ends, edge], reach)?);
        }
    }
    Some(least)
}

/// Compares the squared distance of a point to the box with a number. A point has no length whose
/// sign `f64` would have to decide.
pub(crate) fn point_to_box<T: Real>(point: Vector<T>, half: Vector<T>, reach: T) -> Option<Ordering> {
    let mut square = T::zero();
    for axis in 0..3 {
        let excess = point[axis].size()? - half[axis];
        if excess.sign()?.is_gt() {
            square = square + excess * excess;
        }
    }
    square.compare(reach)
}

/// Returns `true` if a segment and the box share a point: if no axis of the box and no cross
/// product with the segment separates them.
fn meets_box<T: Real>(ends: [Vector<T>; 2], half: Vector<T>) -> Option<bool> {
    // Twice the middle and twice half the segment.
    let (middle, along) = (plus(ends[0], ends[1]), minus(ends[1], ends[0]));
    let mut size = along;
    for axis in 0..3 {
        size[axis] = along[axis].size()?;
    }
    let twice = half.mapped(|half| half + half);
    for axis in 0..3 {
        let [j, k] = others(axis);
        let apart = middle[axis].size()?.compare(twice[axis] + size[axis])?.is_gt();
        let across = (middle[j] * along[k] - middle[k] * along[j]).size()?;
        if apart || across.compare(twice[j] * size[k] + twice[k] * size[j])?.is_gt() {
            return Some(false);
        }
    }
    Some(true)
}

/// Returns the twelve edges of the box.
fn edges<T: Real>(half: Vector<T>) -> impl Iterator<Item = [Vector<T>; 2]> {
    (0..12).map(move |edge| {
        let (axis, signs) = (edge / 4, edge % 4);
        let [j, k] = others(axis);
        [false, true].mapped(|end| {
            let mut corner = half;
            for (axis, is_positive) in [(axis, end), (j, signs & 1 == 1), (k, signs & 2 == 2)] {
                if !is_positive {
                    corner[axis] = -half[axis];
                }
            }
            corner
        })
    })
}
