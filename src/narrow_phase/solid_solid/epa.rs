//! The penetration depth of two convex solids: the shortest translation that separates them (van
//! den Bergen, "Proximity queries and penetration depth computation on 3D game objects", 2001).
//!
//! B must move by n until the origin is on the surface of the differences of points of A and of B,
//! so the depth is the distance of the origin from that surface. A [polytope] within them grows at
//! its lowest face, the one whose plane is least far from the origin: no point of the surface is
//! closer than that plane. Along the face's normal the differences reach up to some plane, and
//! moving B by its distance separates B from A. When the two planes coincide, both are at the
//! depth; otherwise the polytope grows to the difference that is furthest.
//!
//! Heights are signed, so the polytope need not contain the origin. If it does not, which may
//! happen if the solids touch, the lowest face is one that the origin is beyond, and the polytope
//! grows towards it.
//!
//! # Error
//!
//! Differences and their products with directions are off by less than half of `e = ERROR u Z`
//! ([`gjk`](super::gjk)); a plane is final if the differences reach beyond it by no more than e.
//! The depth is the reach of the differences along its normal, whatever the plane. So it is never
//! too small, and after a move by it the solids overlap by no more than e.
//!
//! It may be too large if a plane deviates from its corners. Normals of triangles with a sharp
//! corner are computed in twice the digits, but the corners are rounded. Triangles narrower than
//! 2^-40 Z have no plane: what they hide is next to an edge of another face, and for a depth d at
//! most `2^-80 Z² / 2 d` lower than that face's plane, and never more than 2^-40 Z. So the depth
//! exceeds the minimum by at most 1e-12 Z; for solids that are not much thinner than long it is
//! found within about 1e-16 Z.
//!
//! # Solids without volume
//!
//! A plate in a box has a depth like any other solid. The differences of two plates in one plane,
//! of rods that cross, or of points, are flat themselves: their depth is 0, perpendicular to their
//! plane.
//!
//! # Termination
//!
//! Each step adds a difference of two points that is not a corner yet, or removes the lowest face
//! from the list.

use glam::DVec3;

use crate::base::error::Result;
use crate::base::lanes::{self, Simd, dispatch};
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::solid_solid::gjk::{Descent, ERROR, Said, WarmStart, search_exactly};
use crate::narrow_phase::solid_solid::pair::Pair;
use crate::narrow_phase::solid_solid::polytope::{NARROW, Polytope};
use crate::narrow_phase::solid_solid::simplex::Corner;
use crate::shapes::solid::record::Solid;

/// The shortest translation that separates two colliding solids, and their deepest points in each
/// other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SolidPenetration {
    /// The direction in which to move B: of unit length, from A to B, in world space.
    pub normal: DVec3,
    /// The distance to move B, in the caller's unit: 0 if the solids only touch.
    pub depth: f64,
    /// A point of A that is furthest along the normal, in world space.
    pub on_a: DVec3,
    /// A point of B that is least far along the normal, in world space: `depth` away from `on_a`
    /// against the normal.
    pub on_b: DVec3,
}

impl SolidPenetration {
    /// Returns the penetration of the solids in the other order.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self {
            normal: -self.normal,
            on_a: self.on_b,
            on_b: self.on_a,
            ..self
        }
    }
}

impl Solid {
    /// Returns the shortest translation that separates the two solids, and their deepest points in
    /// each other; `None` if they do not collide ([`Solid::contact`]).
    ///
    /// The solids are clear of each other when `other` is moved by the depth along the normal, up
    /// to 1e-14 of the sum of their sizes and distance. No translation that separates them is
    /// shorter by more than 1e-12 of that sum, and typically by more than 1e-16. If several are
    /// equally short, as for cubes with a common center, any of them is returned. Solids that touch
    /// have the depth 0, and so have plates in one plane and rods that cross.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// ```
    /// use obbligato::{glam::{DVec3, Vec3}, shape::Solid};
    /// # fn main() -> obbligato::Result<()> {
    /// let corners = |by: Vec3| (0..8).map(move |k| by + Vec3::new((k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2) as f32));
    /// let cube = |by: Vec3| Solid::from_points(&corners(by).collect::<Vec<_>>());
    /// let penetration = cube(Vec3::ZERO)?.penetration(&cube(Vec3::new(0.5, 0.25, 0.75))?)?.expect("cubes that collide");
    /// assert_eq!((penetration.normal, penetration.depth), (DVec3::Z, 0.25));
    /// assert_eq!((penetration.on_a.z, penetration.on_b.z), (1.0, 0.75));
    /// # Ok(())
    /// # }
    /// ```
    pub fn penetration(&self, other: &Self) -> Result<Option<SolidPenetration>> {
        self.penetration_from(other, &mut WarmStart::default())
    }

    /// Returns the penetration of solids that were searched before; see
    /// [`Solid::closest_points_from`].
    ///
    /// # Errors
    /// As [`Solid::penetration`].
    pub fn penetration_from(&self, other: &Self, warm: &mut WarmStart) -> Result<Option<SolidPenetration>> {
        let pair = Pair::new(self, other);
        dispatch!(lanes::level(), simd => penetration(simd, &pair, warm))
    }
}

#[inline(always)]
fn penetration<S: Simd>(simd: S, pair: &Pair, warm: &mut WarmStart) -> Result<Option<SolidPenetration>> {
    let descent = Descent::search(simd, pair, warm, false);
    *warm = WarmStart::of(&descent.simplex);
    let contact = match descent.said(pair, descent.points(pair)) {
        Said::Apart => Contact::Separated,
        Said::Collide => Contact::Overlapping,
        Said::Unsure => pair.a.exact_contact(pair.b),
    };
    if contact == Contact::Separated {
        return Ok(None);
    }
    let error = ERROR * f64::EPSILON * pair.size;
    let deepest = match start(simd, pair, &descent, error)? {
        Start::Polytope(polytope) => deepest(simd, pair, polytope, error)?,
        Start::Flat(normal) => across(simd, pair, normal),
    };
    let Deepest { normal, reach, corners } = deepest;
    let depth = match contact {
        Contact::Overlapping => reach.max(0.0),
        _ => 0.0,
    };
    // The contact of B with A after the move.
    let moved = pair.moved(normal * reach);
    let touching = Descent::search(simd, &moved, &corners, false);
    *warm = WarmStart::of(&touching.simplex);
    let [mut on_a, mut on_b] = touching.points(pair);
    if (on_a - on_b + moved.apart).length() > error {
        [on_a, on_b] = search_exactly(&moved, &touching.simplex, warm).1;
    }
    // Behind the face is much of the overlap, so the next search may end where it begins.
    warm.push(pair.lowest(simd, normal).pair);
    Ok(Some(SolidPenetration {
        normal,
        depth,
        on_a: pair.a.support().middle() + on_a,
        on_b: pair.b.support().middle() + on_b,
    }))
}

/// The direction along which the differences reach least far.
struct Deepest {
    normal: DVec3,
    /// The reach of the differences along the normal.
    reach: f64,
    /// Some of the differences that reach furthest.
    corners: WarmStart,
}

enum Start {
    Polytope(Polytope),
    /// All differences are in a plane with this normal.
    Flat(DVec3),
}

/// Returns a tetrahedron of differences: the one that the search for the distance has found around
/// the origin, or any.
#[inline(always)]
fn start<S: Simd>(simd: S, pair: &Pair, descent: &Descent<f64>, error: f64) -> Result<Start> {
    if descent.nearest.is_origin() {
        let mut corners = descent.simplex.corners().copied();
        if let [Some(a), Some(b), Some(c), Some(d)] = [0; 4].map(|_| corners.next()) {
            let polytope = Polytope::new([a, b, c, d], pair.size, error)?;
            if polytope.is_full() {
                return Ok(Start::Polytope(polytope));
            }
        }
    }
    let narrow = NARROW * pair.size;
    let first = pair.lowest(simd, pair.towards());
    let from = DVec3::from_array(first.place);
    let (second, length) = furthest(simd, pair, &DVec3::AXES, |place| place.distance(from));
    if length <= narrow {
        return Ok(Start::Flat(pair.towards().normalize()));
    }
    let line = (DVec3::from_array(second.place) - from) / length;
    let beside = line.any_orthonormal_vector();
    let (third, width) = furthest(simd, pair, &[beside, line.cross(beside)], |place| {
        (place - from).cross(line).length()
    });
    if width <= narrow {
        return Ok(Start::Flat(beside));
    }
    let normal = line.cross(DVec3::from_array(third.place) - from).normalize();
    let (fourth, height) = furthest(simd, pair, &[normal], |place| (place - from).dot(normal).abs());
    if height <= narrow {
        return Ok(Start::Flat(normal));
    }
    let corners = [first, second, third, fourth];
    Ok(Start::Polytope(Polytope::new(corners, pair.size, error)?))
}

/// Returns the difference with the largest measure, among those that are furthest along these
/// directions and against them.
#[inline(always)]
fn furthest<S: Simd>(simd: S, pair: &Pair, directions: &[DVec3], measure: impl Fn(DVec3) -> f64) -> (Corner<f64>, f64) {
    let mut best = (pair.corner([0; 2]), 0.0);
    for direction in directions {
        for direction in [*direction, -direction] {
            let corner = pair.lowest(simd, direction);
            let far = measure(DVec3::from_array(corner.place));
            if far > best.1 {
                best = (corner, far);
            }
        }
    }
    best
}

/// Grows the polytope until its lowest face is a face of the differences.
#[inline(always)]
fn deepest<S: Simd>(simd: S, pair: &Pair, mut polytope: Polytope, error: f64) -> Result<Deepest> {
    let mut best = Deepest {
        normal: DVec3::X,
        reach: f64::INFINITY,
        corners: WarmStart::default(),
    };
    while let Some(face) = polytope.lowest(simd) {
        let (normal, height) = polytope.plane(face);
        if height >= best.reach - error {
            break;
        }
        let corner = pair.lowest(simd, -normal);
        let reach = normal.dot(DVec3::from_array(corner.place));
        if reach < best.reach {
            best.normal = normal;
            best.reach = reach;
            best.corners = WarmStart::of_corners(&polytope.corners(face));
        }
        if reach <= height + error {
            break;
        }
        match polytope.has(&corner) {
            true => polytope.dismiss(face),
            false => polytope.grow(face, corner)?,
        }
    }
    Ok(best)
}

/// Returns the depth along the normal of flat differences, on the side where they reach less far.
#[inline(always)]
fn across<S: Simd>(simd: S, pair: &Pair, normal: DVec3) -> Deepest {
    let side = |normal: DVec3, furthest: Corner<f64>| Deepest {
        normal,
        reach: normal.dot(DVec3::from_array(furthest.place)),
        corners: WarmStart::of_corners(&[furthest]),
    };
    let ahead = side(normal, pair.lowest(simd, -normal));
    let behind = side(-normal, pair.lowest(simd, normal));
    if behind.reach < ahead.reach { behind } else { ahead }
}
