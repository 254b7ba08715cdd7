//! Where a point is.

/// Where a point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PointState {
    /// In the interior.
    Inside,
    /// In no part of it.
    Outside,
    /// On a triangle: in its interior, on an edge or at a corner.
    Surface,
}
