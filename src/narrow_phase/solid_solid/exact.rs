//! The exact relation of two convex solids.
//!
//! Two solids A and B share a point if and only if the origin is in their difference M, the set of
//! all points a - b, which is convex, too. They still do after every sufficiently small move if and
//! only if the origin is in its interior. The corners of M are differences of corners. So only
//! corners are needed, neither faces nor edges: [`portal`] finds where a ray from inside M leaves
//! it.
//!
//! # Flat solids, segments, points
//!
//! M is flat if A and B lie in parallel planes; then they never overlap. If the plane of M does not
//! contain the origin, A and B are apart. If it does, it is projected along a coordinate axis that
//! is not in it. No two distinct points of the plane coincide in the projection, and the projection
//! of A is thickened along that axis, by the same amount to both sides. The difference then has a
//! volume, and its section by the plane of projection is the projection of M. If M is a segment,
//! one coordinate suffices.

mod difference;
mod portal;

use glam::Vec3;

use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::solid_solid::exact::difference::{Combination, Difference, sign, sign_of_minor};
use crate::shapes::solid::record::Solid;

impl Solid {
    /// [`Solid::contact`] by whole numbers and signs alone.
    pub(super) fn exact_contact(&self, other: &Self) -> Contact {
        match self.bounds().overlaps(&other.bounds()) {
            true => contact(Corners::of(self), Corners::of(other)),
            false => Contact::Separated,
        }
    }

    /// Returns the relation of a point and the solid, free of rounding: [`Contact::Overlapping`]
    /// inside a solid with volume, [`Contact::Touching`] on its surface, or anywhere on a solid
    /// without volume. A point that is not finite is apart from everything.
    pub fn contact_with_point(&self, point: Vec3) -> Contact {
        let bounds = self.bounds();
        let is_near = point.cmpge(bounds.min).all() && point.cmple(bounds.max).all();
        match is_near {
            true => contact(Corners::of(self), Corners::new(&[point], &[point])),
            false => Contact::Separated,
        }
    }
}

impl Solid {
    /// Returns the relation of a segment and the solid.
    pub(super) fn contact_with_segment(&self, ends: [Vec3; 2]) -> Contact {
        contact(Corners::of(self), Corners::new(&ends, &ends))
    }
}

/// The corners of a solid. Points that are not corners are allowed.
#[derive(Clone, Copy)]
struct Corners<'a> {
    all: &'a [Vec3],
    /// A subset that spans the same space as all of them.
    spanning: &'a [Vec3],
}

impl<'a> Corners<'a> {
    fn new(all: &'a [Vec3], spanning: &'a [Vec3]) -> Self {
        Self { all, spanning }
    }

    fn of(solid: &'a Solid) -> Self {
        Self::new(solid.vertices(), solid.core())
    }

    /// Returns the smallest and the largest coordinate along an axis.
    fn interval(self, axis: usize) -> [f32; 2] {
        let all = self.all.iter().map(|corner| corner[axis]);
        [
            all.clone().fold(f32::INFINITY, f32::min),
            all.fold(f32::NEG_INFINITY, f32::max),
        ]
    }

    /// Returns the corners with this coordinate in place of their own.
    fn flattened(points: &[Vec3], axis: usize, coordinate: f32) -> impl Iterator<Item = Vec3> {
        points.iter().map(move |&point| {
            let mut point = point;
            point[axis] = coordinate;
            point
        })
    }
}

/// Returns the relation of two solids.
fn contact(a: Corners, b: Corners) -> Contact {
    let touching_if = |is_so| if is_so { Contact::Touching } else { Contact::Separated };
    match Span::of(a, b) {
        Span::Space(four) => portal::contact(a.all, b.all, four),
        Span::Point(point) => touching_if(point.a == point.b),
        Span::Line(ends) => {
            let [first, last] = ends.map(Combination::from);
            if are_independent(&first, &last) {
                return Contact::Separated;
            }
            let differ = |axis: &usize| ends[0].a[*axis] != ends[1].a[*axis] || ends[0].b[*axis] != ends[1].b[*axis];
            let axis = (0..3).find(differ).unwrap_or(0);
            let ([low_a, high_a], [low_b, high_b]) = (a.interval(axis), b.interval(axis));
            touching_if(low_a <= high_b && low_b <= high_a)
        }
        Span::Plane(three) => {
            let [first, second, third] = three.map(Combination::from);
            if sign(&first, &second, &third).is_ne() {
                return Contact::Separated;
            }
            touching_if(seen_along(three, a, b).collides())
        }
    }
}

/// Returns the relation of two solids in one plane, given three differences that span it: that of
/// their projections along a coordinate axis, the first one thickened.
fn seen_along([p, q, r]: [Difference; 3], a: Corners, b: Corners) -> Contact {
    let sides = [q.minus(p), r.minus(p)];
    let axis = (0..3).find(|&axis| sign_of_minor(axis, &sides[0], &sides[1]).is_ne());
    let axis = axis.unwrap_or(0);
    let largest = [a, b].map(|corners| {
        corners
            .all
            .iter()
            .fold(0.0, |most: f32, p| most.max(p.abs().max_element()))
    });
    let thickness = largest[0].max(largest[1]).max(f32::MIN_POSITIVE);
    let thick = |points: &[Vec3]| -> Vec<Vec3> {
        let sides = [-thickness, thickness].into_iter();
        sides.flat_map(|side| Corners::flattened(points, axis, side)).collect()
    };
    let flat = |points: &[Vec3]| -> Vec<Vec3> { Corners::flattened(points, axis, 0.0).collect() };
    contact(
        Corners::new(&thick(a.all), &thick(a.spanning)),
        Corners::new(&flat(b.all), &flat(b.spanning)),
    )
}

/// Returns `true` if two vectors span a plane.
fn are_independent<const I: usize, const J: usize>(first: &Combination<I>, second: &Combination<J>) -> bool {
    (0..3).any(|axis| sign_of_minor(axis, first, second).is_ne())
}

/// The span of the difference of two solids, given by as few of its points as possible.
enum Span {
    Point(Difference),
    Line([Difference; 2]),
    Plane([Difference; 3]),
    Space([Difference; 4]),
}

impl Span {
    fn of(a: Corners, b: Corners) -> Self {
        let (first_a, first_b) = (a.spanning[0], nearest(b, a.spanning));
        let first = Difference::new(first_a, first_b);
        let of_a = a.spanning.iter().map(|&a| Difference::new(a, first_b));
        let of_b = b.spanning.iter().map(|&b| Difference::new(first_a, b));
        let mut all = of_a.chain(of_b);
        let Some(second) = all.find(|point| (point.a, point.b) != (first.a, first.b)) else {
            return Self::Point(first);
        };
        let along = second.minus(first);
        let Some(third) = all.find(|point| are_independent(&along, &point.minus(first))) else {
            return Self::Line([first, second]);
        };
        let across = third.minus(first);
        match all.find(|point| sign(&along, &across, &point.minus(first)).is_ne()) {
            Some(fourth) => Self::Space([first, second, third, fourth]),
            None => Self::Plane([first, second, third]),
        }
    }
}

/// Returns the corner of a solid that is approximately farthest in the direction of some points.
fn nearest(solid: Corners, points: &[Vec3]) -> Vec3 {
    let middle =
        |points: &[Vec3]| points.iter().map(|point| point.as_dvec3()).sum::<glam::DVec3>() / points.len() as f64;
    let way = middle(points) - middle(solid.spanning);
    portal::support(solid.all, way).0
}
