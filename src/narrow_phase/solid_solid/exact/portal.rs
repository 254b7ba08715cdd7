//! Tests whether the origin is in the difference M of two solids, by the facet through which a ray
//! leaves M: Minkowski portal refinement (Snethen, "XenoCollide: Complex Collision Made Simple",
//! Game Programming Gems 7, 2008), with every decision exact.
//!
//! The ray comes from a point o inside M and goes through the origin. A *portal* is a triangle of
//! corners of M through which the ray passes. As long as a corner of M is beyond the portal's
//! plane, it replaces one of the three, so that the ray passes through the new portal. The search
//! ends in one of three cases:
//!
//! - The origin is before the portal's plane: it lies between o and a point of M, so it is inside
//!   M, and the solids overlap.
//! - No point of M is on the origin's side of some plane: the solids are apart.
//! - No corner is beyond the portal's plane: it is a facet of M, and the origin is on it, or
//!   beyond.
//!
//! The choice of the corner does not affect the answer, so f64 may make it.
//!
//! # Termination
//!
//! A ray through the side or a corner of a portal passes through several portals. So the ray's
//! direction is perturbed by (e, e², e³) with an e smaller than any that matters (Edelsbrunner and
//! Mücke, "Simulation of Simplicity", 1990). The sign of a determinant with that direction is that
//! of the first nonzero one of four determinants: with the ray's own direction, x, y and z. No two
//! corners of a portal are on one line with o, so one is not zero, and the perturbed ray passes
//! through the inside of the portal. The new portal is farther out along that ray, so no portal
//! occurs twice. The answer is that of the ray itself, which passes through the same triangles,
//! sides included.

use std::cmp::Ordering;

use glam::{DVec3, Vec3};

use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::solid_solid::exact::difference::{Combination, Difference, sign, sign_of_minor};

/// Returns the relation of two solids, given four points of their difference that span space.
pub(super) fn contact(a: &[Vec3], b: &[Vec3], four: [Difference; 4]) -> Contact {
    let ray = Ray::through(four);
    let mut portal = ray.first_portal(four);
    let size = |points: &[Vec3]| points.iter().fold(0.0, |most: f32, p| most.max(p.abs().max_element()));
    // A product of three terms is off by 3 units of their sizes; the sums below add as many.
    let rounding = 12.0 * f64::EPSILON * f64::from(size(a) + size(b));
    loop {
        let [first, second, third] = portal.map(Combination::from);
        let height = sign(&first, &second, &third);
        if height.is_gt() {
            return Contact::Overlapping;
        }
        let [p, q, r] = portal.map(Difference::value);
        let normal = (q - p).cross(r - p);
        let (corner_a, highest) = support(a, normal);
        let (corner_b, lowest) = support(b, -normal);
        if highest + lowest + rounding * normal.abs().max_element() < 0.0 {
            return Contact::Separated;
        }
        let farthest = Difference::new(corner_a, corner_b);
        let beyond = match is_beyond(portal, farthest) {
            true => Some(farthest),
            false => first_beyond(portal, a, b),
        };
        match beyond {
            Some(corner) => ray.enter(&mut portal, corner),
            None => return Contact::from_largest(height.reverse()),
        }
    }
}

/// Returns the point that is farthest in a direction, and its distance along it, in f64.
pub(super) fn support(points: &[Vec3], direction: DVec3) -> (Vec3, f64) {
    let mut farthest = (points[0], f64::NEG_INFINITY);
    for &point in points {
        let height = direction.dot(point.as_dvec3());
        if height > farthest.1 {
            farthest = (point, height);
        }
    }
    farthest
}

/// Returns `true` if a point is beyond the plane of a portal.
fn is_beyond([p, q, r]: [Difference; 3], point: Difference) -> bool {
    sign(&q.minus(p), &r.minus(p), &point.minus(p)).is_gt()
}

/// Returns a corner beyond the plane of a portal, if there is one. Because the corners of the
/// portal are equally far along its normal, there is one if and only if a corner of A is farther
/// than that in the portal, or one of B less far.
fn first_beyond(portal: [Difference; 3], a: &[Vec3], b: &[Vec3]) -> Option<Difference> {
    let Difference { a: own_a, b: own_b } = portal[0];
    let of_a = a.iter().map(|&a| Difference::new(a, own_b));
    let of_b = b.iter().map(|&b| Difference::new(own_a, b));
    of_a.chain(of_b).find(|&point| is_beyond(portal, point))
}

/// A ray that begins at the average of four points that span space, and passes through the origin.
struct Ray {
    four: [Difference; 4],
    /// The sum of the four points, which is the ray's direction, reversed.
    sum: Combination<4>,
}

impl Ray {
    fn through(four: [Difference; 4]) -> Self {
        let sum = Combination::of(four.map(|point| point.a), four.map(|point| point.b));
        Self { four, sum }
    }

    /// Returns the face of the four points' tetrahedron through which the ray leaves it, its
    /// corners counter-clockwise as seen from outside.
    fn first_portal(&self, [p, q, r, s]: [Difference; 4]) -> [Difference; 3] {
        let [r, s] = match sign(&q.minus(p), &r.minus(p), &s.minus(p)).is_gt() {
            true => [r, s],
            false => [s, r],
        };
        let faces = [[q, r, s], [p, s, r], [p, q, s]];
        let leaves = |&[a, b, c]: &[Difference; 3]| self.turns(a, b) && self.turns(b, c) && self.turns(c, a);
        faces.into_iter().find(leaves).unwrap_or([p, r, q])
    }

    /// Returns `true` if the ray, the first and the second point, seen from the ray's beginning,
    /// form a right-handed system.
    fn turns(&self, first: Difference, second: Difference) -> bool {
        // The ray's direction is -sum, and its beginning adds nothing to the determinant.
        let with_ray = sign(&self.sum, &first.into(), &second.into()).reverse();
        if with_ray.is_ne() {
            return with_ray.is_gt();
        }
        let [u, v] = [first, second].map(|point| self.seen(point));
        let mut with_axes = (0..3).map(|axis| sign_of_minor(axis, &u, &v));
        with_axes.find(|sign| sign.is_ne()).is_some_and(Ordering::is_gt)
    }

    /// Returns four times the vector from the ray's beginning to a point.
    fn seen(&self, point: Difference) -> Combination<8> {
        let [a, b, c, d] = self.four;
        let Difference { a: p, b: q } = point;
        Combination::of([p, p, p, p, a.b, b.b, c.b, d.b], [q, q, q, q, a.a, b.a, c.a, d.a])
    }

    /// Replaces one corner of the portal by one beyond its plane, so that the ray still passes
    /// through the portal.
    fn enter(&self, portal: &mut [Difference; 3], corner: Difference) {
        let turns = |k: usize| self.turns(portal[k], corner);
        let replaced = match turns(0) {
            true if turns(2) => 0,
            true => 1,
            false if turns(1) => 2,
            false => 0,
        };
        portal[replaced] = corner;
    }
}
