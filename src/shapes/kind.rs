//! The shapes that a check knows, by name.

use crate::geometry::aabb::Aabb;
use crate::shapes::obb::record::Obb;

/// A shape. Whoever has something to say about each of them matches it without a default, so that a new one is not forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shape {
    /// [`Obb`]s.
    #[default]
    Obb,
    /// [`Aabb`]s, of which nothing more is known.
    Aabb,
}

impl Shape {
    /// Bytes of a record.
    pub const fn record_bytes(self) -> u64 {
        match self {
            Self::Obb => size_of::<Obb>() as u64,
            Self::Aabb => size_of::<Aabb>() as u64,
        }
    }
}
