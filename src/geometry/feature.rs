//! Numbers of the corners, edges and faces of a box, and of the parts of a round surface.

use std::fmt;

use glam::DVec3;

/// A corner, an edge or a face of a box, or a part of a round surface, by number.
///
/// Numbers depend only on the box's own axes, so they name the same part however the box moves:
///
/// - corner `c`, 0 to 7: bit i of c is set if the corner is on the + side of axis i;
/// - edge `4 i + s`, 0 to 11: along axis i; bit 0 of s is set on the + side of the next axis, bit 1
///   on the + side of the one after that (x, y, z, x, ...);
/// - face `2 i + s`, 0 to 5: across axis i, on its + side if s is 1. They match the walls of
///   [`Room`](crate::region::Room), in order;
/// - round part 0 is the surface of a sphere, or that of a capsule between its ends; 1 is the
///   capsule's end on the - side of its own z axis, 2 the one on the + side.
///
#[cfg_attr(doc, doc = include_str!("../../docs/src/images/features.svg"))]
///
/// They display as `c7`, `e11`, `f5` and `r2`; on a GPU they are numbers, see
/// [`Feature::from_bits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Feature {
    /// One of the eight corners.
    Corner(u8),
    /// One of the twelve edges.
    Edge(u8),
    /// One of the six faces.
    Face(u8),
    /// A sphere's surface, or one of the three parts of a capsule's.
    Round(u8),
}

impl Feature {
    /// Returns the feature in the lowest 8 bits of a number, as GPU records store it: bits 0 to 3
    /// are its number, bits 4 and 5 its kind: a corner (0), an edge (1), a face (2) or round (3).
    ///
    /// ```
    /// use obbligato::contact::Feature;
    /// let features = [0x07, 0x1b, 0x25, 0x30].map(Feature::from_bits);
    /// assert_eq!(features, [Feature::Corner(7), Feature::Edge(11), Feature::Face(5), Feature::Round(0)]);
    /// ```
    pub const fn from_bits(bits: u32) -> Self {
        let number = bits as u8 & 15;
        match bits >> 4 & 3 {
            0 => Self::Corner(number),
            1 => Self::Edge(number),
            2 => Self::Face(number),
            _ => Self::Round(number),
        }
    }

    /// Returns the face across an axis.
    pub(crate) const fn face(axis: usize, positive: bool) -> Self {
        Self::Face((2 * axis) as u8 + positive as u8)
    }

    /// Returns the edge along an axis that ends at a corner.
    pub(crate) fn edge(axis: usize, corner: u8) -> Self {
        let side = |axis: usize| corner >> (axis % 3) & 1;
        Self::Edge(4 * axis as u8 + side(axis + 1) + 2 * side(axis + 2))
    }
}

/// The corners of a face as a ring, and the edges from each to the next, by number.
///
/// The first corner is on the + side of both other axes; the first edge is along the axis after
/// that of the face.
pub(crate) struct Ring {
    pub corners: [u8; 4],
    pub edges: [u8; 4],
}

impl Ring {
    /// The rings of the six faces.
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
            Self::Round(number) => write!(out, "r{number}"),
        }
    }
}

/// Returns the vector with the signs that a corner's number encodes.
pub(crate) fn on_sides(half: DVec3, corner: u8) -> DVec3 {
    let sign = |axis: u8| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
    half * DVec3::new(sign(0), sign(1), sign(2))
}
