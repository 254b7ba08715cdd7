//! The three possible relations of two boxes or of two convex solids.

use std::cmp::Ordering;

/// The relation of two boxes, or of two convex [`Solid`](crate::shape::Solid)s, both closed. See
/// [`exactness`](crate::exactness).
///
#[cfg_attr(doc, doc = include_str!("../../docs/src/images/contact.svg"))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Contact {
    /// They share no point.
    #[default]
    Separated,
    /// They share points, but an arbitrarily small move can separate them: boxes with volume share
    /// only points of their surfaces. Two plates that cross within one plane touch, and so do two
    /// points at the same place.
    Touching,
    /// They share points, and still do after every sufficiently small move: for boxes with volume,
    /// their interiors meet. A point inside a box overlaps it.
    Overlapping,
}

impl Contact {
    /// Returns `true` if the boxes share a point.
    pub const fn collides(self) -> bool {
        !matches!(self, Self::Separated)
    }

    /// Returns the relation for this sign of the largest f.
    pub(in crate::narrow_phase) const fn from_largest(f: Ordering) -> Self {
        match f {
            Ordering::Greater => Self::Separated,
            Ordering::Equal => Self::Touching,
            Ordering::Less => Self::Overlapping,
        }
    }
}
