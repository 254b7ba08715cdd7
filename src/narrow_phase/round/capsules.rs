//! Exact tests of capsules against capsules and against spheres, which are capsules of no length.
//!
//! The closest points of two segments are an end of one and a point of the other, or inner points
//! of both. The line through inner points is perpendicular to both segments. The smallest distance
//! is the minimum over these cases, and so is its comparison with the sum of the radii. Nothing is
//! divided: `(w n)² <= r² n²`, with `n` the cross product, is of degree 6 in the lengths. The
//! theorem `segments_order_decides` of `proofs` is about these comparisons.

use crate::base::arrays::{Mapped, by_index};
use std::cmp::Ordering;

use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::obb_obb::exact::scale::Grain;
use crate::narrow_phase::round::real::{Near, Real, Vector, cross, dot, minus, whole, with_words};
use crate::shapes::round::sphere::Sphere;
use crate::shapes::round::swept_sphere::SweptSphere;

impl SweptSphere {
    /// Returns the relation of two capsules: the true answer for the stored numbers. They touch if
    /// the distance of their segments equals the sum of their radii, so also if the segments meet
    /// and both radii are 0.
    ///
    /// ```
    /// use obbligato::{contact::Contact, glam::Vec3, shape::SweptSphere};
    /// let along = SweptSphere::new([Vec3::ZERO, Vec3::X], 2.0);
    /// let across = SweptSphere::new([Vec3::new(0.5, -3.0, 5.0), Vec3::new(0.5, 3.0, 5.0)], 3.0);
    /// assert_eq!(along.contact(&across), Contact::Touching);
    /// ```
    pub fn contact(&self, other: &Self) -> Contact {
        let numbers = lengths([self, other]);
        let points = [self, other].mapped(|capsule| capsule.ends[0] == capsule.ends[1]);
        let near = decide(split(numbers.mapped(Near::exact)), points);
        near.unwrap_or_else(|| {
            let grain = Grain::of(numbers);
            // A sum of a few products of two numbers takes twice the bits of a number, and 4 more.
            with_words!(6 * (grain.bits() + 4) + 4, exact(grain, numbers, points))
        })
    }

    /// Returns the relation of a capsule and a sphere; see [`SweptSphere::contact`].
    pub fn contact_sphere(&self, sphere: &Sphere) -> Contact {
        self.contact(&(*sphere).into())
    }
}

impl Sphere {
    /// Returns the relation of two spheres: the true answer for the stored numbers. They touch if
    /// the distance of their centers equals the sum of their radii, so also if both are the same
    /// point.
    pub fn contact(&self, other: &Self) -> Contact {
        SweptSphere::from(*self).contact(&(*other).into())
    }
}

/// Returns the ends of both segments, then both radii.
fn lengths([a, b]: [&SweptSphere; 2]) -> [f32; 14] {
    let mut numbers = [0.0; 14];
    for (place, end) in numbers.chunks_exact_mut(3).zip(a.ends.iter().chain(&b.ends)) {
        place.copy_from_slice(&end.to_array());
    }
    (numbers[12], numbers[13]) = (a.radius, b.radius);
    numbers
}

/// Two capsules in numbers of some kind.
struct Segments<T> {
    ends: [[Vector<T>; 2]; 2],
    radii: [T; 2],
}

fn split<T: Real>(numbers: [T; 14]) -> Segments<T> {
    let end = |k: usize| by_index(|axis| numbers[3 * k + axis]);
    Segments {
        ends: [[end(0), end(1)], [end(2), end(3)]],
        radii: [numbers[12], numbers[13]],
    }
}

fn exact<const N: usize>(grain: Grain, numbers: [f32; 14], points: [bool; 2]) -> Contact {
    decide(split(whole::<14, N>(grain, numbers)), points).unwrap_or(Contact::Separated)
}

fn decide<T: Real>(Segments { ends, radii }: Segments<T>, points: [bool; 2]) -> Option<Contact> {
    let reach = radii[0] + radii[1];
    Some(Contact::from_largest(cores(ends, points, reach * reach)?))
}

/// [`segments`], some of which are known to be points. Points have no length whose sign `f64` would
/// have to decide.
pub(crate) fn cores<T: Real>([p, q]: [[Vector<T>; 2]; 2], points: [bool; 2], reach: T) -> Option<Ordering> {
    let apart = minus(p[0], q[0]);
    match points {
        [true, true] => dot(apart, apart).compare(reach),
        [true, false] => point_to_segment(apart, minus(q[1], q[0]), reach),
        [false, true] => point_to_segment(minus(q[0], p[0]), minus(p[1], p[0]), reach),
        [false, false] => segments([p, q], reach),
    }
}

/// Compares the squared distance of two segments with a number.
pub(crate) fn segments<T: Real>([p, q]: [[Vector<T>; 2]; 2], reach: T) -> Option<Ordering> {
    let (u, v, w) = (minus(p[1], p[0]), minus(q[1], q[0]), minus(p[0], q[0]));
    let mut least = point_to_segment(w, v, reach)?;
    least = least.min(point_to_segment(minus(p[1], q[0]), v, reach)?);
    least = least.min(point_to_segment(minus(q[0], p[0]), u, reach)?);
    least = least.min(point_to_segment(minus(q[1], p[0]), u, reach)?);
    let normal = cross(u, v);
    let square = dot(normal, normal);
    if least.is_lt() || square.sign()?.is_le() {
        return Some(least);
    }
    // The places of the closest points of the lines along the segments, times the square.
    for place in [dot(cross(v, w), normal), dot(cross(u, w), normal)] {
        if place.sign()?.is_lt() || place.compare(square)?.is_gt() {
            return Some(least);
        }
    }
    let along = dot(w, normal);
    Some(least.min((along * along).compare(reach * square)?))
}

/// Compares the squared distance of a point to a segment with a number. The point is relative to
/// the segment's start.
fn point_to_segment<T: Real>(point: Vector<T>, along: Vector<T>, reach: T) -> Option<Ordering> {
    let (place, square) = (dot(point, along), dot(along, along));
    if place.sign()?.is_le() {
        return dot(point, point).compare(reach);
    }
    if place.compare(square)?.is_ge() {
        let rest = minus(point, along);
        return dot(rest, rest).compare(reach);
    }
    let across = cross(point, along);
    dot(across, across).compare(reach * square)
}
