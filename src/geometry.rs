//! The corners, edges and faces of a box, their numbers, and planes.

use std::fmt;

use glam::DVec3;

use crate::Obb;
use crate::narrow_phase::distance::rotation;

/// A corner, an edge or a face of a box, by number.
///
/// Numbers depend on the box's own axes alone, so they name the same part however the box moves:
///
/// - corner `c`, 0 to 7: bit i of c is set if the corner is on the + side of axis i;
/// - edge `4 i + s`, 0 to 11: along axis i; bit 0 of s is set on the + side of the axis after i, bit 1 on the + side of the one
///   after that (x, y, z, x, ...);
/// - face `2 i + s`, 0 to 5: across axis i, on its + side if s is 1. These are the walls of [`Room`](crate::Room), in their order.
///
/// Written, they are `c7`, `e11` and `f5`; on a GPU they are a number, see [`Feature::from_bits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// One of the eight corners.
    Corner(u8),
    /// One of the twelve edges.
    Edge(u8),
    /// One of the six faces.
    Face(u8),
}

impl Feature {
    /// The feature in the lowest 8 bits of a number, as the records of a GPU have it: bits 0 to 3 are its number, bits 4 and 5 say
    /// whether it is a corner (0), an edge (1) or a face (2).
    ///
    /// ```
    /// use obbligato::Feature;
    /// assert_eq!([0x07, 0x1b, 0x25].map(Feature::from_bits), [Feature::Corner(7), Feature::Edge(11), Feature::Face(5)]);
    /// ```
    pub const fn from_bits(bits: u32) -> Self {
        let number = bits as u8 & 15;
        match bits >> 4 & 3 {
            0 => Self::Corner(number),
            1 => Self::Edge(number),
            _ => Self::Face(number),
        }
    }

    /// The face across an axis.
    pub(crate) const fn face(axis: usize, positive: bool) -> Self {
        Self::Face((2 * axis) as u8 + positive as u8)
    }

    /// The edge along an axis that ends at a corner.
    pub(crate) fn edge(axis: usize, corner: u8) -> Self {
        let side = |axis: usize| corner >> (axis % 3) & 1;
        Self::Edge(4 * axis as u8 + side(axis + 1) + 2 * side(axis + 2))
    }
}

/// The corners of a face as a ring, and the edges from each to the next, by number.
///
/// The first corner is on the + side of both other axes; the first edge is along the axis after that of the face.
pub(crate) struct Ring {
    pub corners: [u8; 4],
    pub edges: [u8; 4],
}

impl Ring {
    /// Those of the six faces.
    pub const OF_FACES: [Self; 6] = [
        Self::of_face(0, 0),
        Self::of_face(0, 1),
        Self::of_face(1, 0),
        Self::of_face(1, 1),
        Self::of_face(2, 0),
        Self::of_face(2, 1),
    ];

    const fn of_face(axis: u8, side: u8) -> Self {
        let (m, n) = ((axis + 1) % 3, (axis + 2) % 3);
        let face = side << axis;
        Self {
            corners: [face | 1 << m | 1 << n, face | 1 << n, face, face | 1 << m],
            edges: [4 * m + 1 + 2 * side, 4 * n + side, 4 * m + 2 * side, 4 * n + side + 2],
        }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Corner(number) => write!(out, "c{number}"),
            Self::Edge(number) => write!(out, "e{number}"),
            Self::Face(number) => write!(out, "f{number}"),
        }
    }
}

/// A plane in the world, by a point on it and the direction in which distances grow.
///
/// A point and not a number, so that planes far from the origin keep their digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// A point on the plane, in the world.
    pub point: DVec3,
    /// The unit normal, in the world.
    pub normal: DVec3,
}

impl Plane {
    /// The plane through a point, across a unit normal.
    pub const fn new(point: DVec3, normal: DVec3) -> Self {
        Self { point, normal }
    }

    /// How far a point is above the plane, in the direction of the normal, in the caller's unit; negative if it is below.
    pub fn signed_distance(&self, point: DVec3) -> f64 {
        self.normal.dot(point - self.point)
    }

    /// Where the segment between two points meets the plane; the first such point if it lies in the plane, `None` if both
    /// ends are on one side of it. An end on the plane counts as meeting it.
    ///
    /// ```
    /// use obbligato::{Plane, glam::DVec3};
    /// let floor = Plane::new(DVec3::ZERO, DVec3::Z);
    /// assert_eq!(floor.crossing(DVec3::new(2.0, 0.0, 3.0), DVec3::new(6.0, 0.0, -1.0)), Some(DVec3::new(5.0, 0.0, 0.0)));
    /// assert_eq!(floor.crossing(DVec3::Z, 2.0 * DVec3::Z), None);
    /// ```
    pub fn crossing(&self, from: DVec3, to: DVec3) -> Option<DVec3> {
        let (first, last) = (self.signed_distance(from), self.signed_distance(to));
        if first == 0.0 {
            return Some(from);
        }
        // The two differ, so this divides by no zero.
        let apart = (first > 0.0) != (last > 0.0) || last == 0.0;
        apart.then(|| from.lerp(to, first / (first - last)))
    }
}

impl Obb {
    /// The eight corners in the world, in the order of [`Feature::Corner`].
    ///
    /// ```
    /// use obbligato::{Obb, glam::{DVec3, Vec3}};
    /// let corners = Obb::axis_aligned(Vec3::ZERO, Vec3::new(3.0, 2.0, 1.0)).corners();
    /// assert_eq!(corners[0], DVec3::new(-3.0, -2.0, -1.0));
    /// assert_eq!(corners[5], DVec3::new(3.0, -2.0, 1.0));
    /// ```
    pub fn corners(&self) -> [DVec3; 8] {
        let (axes, half) = (rotation(self), self.half_extents.as_dvec3());
        let center = self.center.as_dvec3();
        std::array::from_fn(|corner| center + axes * on_sides(half, corner as u8))
    }

    /// The outward unit normals of the six faces, in the world, in the order of [`Feature::Face`].
    pub fn face_normals(&self) -> [DVec3; 6] {
        let axes = rotation(self);
        std::array::from_fn(|face| match face % 2 {
            0 => -axes.col(face / 2),
            _ => axes.col(face / 2),
        })
    }

    /// The planes of the six faces, with outward normals, in the order of [`Feature::Face`]: the box is what is below all of
    /// them.
    ///
    /// ```
    /// use obbligato::{Obb, glam::{DVec3, Vec3}};
    /// let slab = Obb::axis_aligned(Vec3::ZERO, Vec3::new(3.0, 2.0, 1.0));
    /// let heights = slab.face_planes().map(|plane| plane.signed_distance(DVec3::new(4.0, 0.0, 0.0)));
    /// assert_eq!(heights, [-7.0, 1.0, -2.0, -2.0, -1.0, -1.0]);
    /// ```
    pub fn face_planes(&self) -> [Plane; 6] {
        let (center, half) = (self.center.as_dvec3(), self.half_extents.as_dvec3());
        let normals = self.face_normals();
        std::array::from_fn(|face| Plane::new(center + half[face / 2] * normals[face], normals[face]))
    }
}

/// The vector with the signs that a corner's number says.
pub(crate) fn on_sides(half: DVec3, corner: u8) -> DVec3 {
    let sign = |axis: u8| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
    half * DVec3::new(sign(0), sign(1), sign(2))
}
