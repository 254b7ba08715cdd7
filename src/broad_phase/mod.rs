//! From bounds to candidate pairs: every pair of boxes whose bounds overlap, each once. A folder a broad phase.
//!
//! A broad phase knows only [`Bounds`](crate::geometry::bounds::Bounds) and rules; it never sees a shape.

pub(crate) mod grid;
pub(crate) mod operations;
#[cfg(feature = "gpu")]
pub(crate) mod passes;
