//! The three answers about two boxes.

use std::cmp::Ordering;

/// How two boxes, as closed solids, lie to each other. See [`exactness`](crate::exactness).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Contact {
    /// They share no point.
    #[default]
    Separated,
    /// They share points, but an arbitrarily small move can part them: for boxes with a volume, only points of their
    /// surfaces. Two plates that cross within one plane touch, and so do two points at the same place.
    Touching,
    /// They share points and still do after every move that is small enough: for boxes with a volume, their interiors
    /// meet. A point inside a box overlaps it.
    Overlapping,
}

impl Contact {
    /// Whether the boxes share a point.
    pub const fn collides(self) -> bool {
        !matches!(self, Self::Separated)
    }

    /// The answer, when this is the sign of the largest f.
    pub(super) const fn from_largest(f: Ordering) -> Self {
        match f {
            Ordering::Greater => Self::Separated,
            Ordering::Equal => Self::Touching,
            Ordering::Less => Self::Overlapping,
        }
    }
}
