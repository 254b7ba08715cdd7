//! Two triangles.

pub(crate) mod exact;
pub(crate) mod filter;
#[cfg(feature = "gpu")]
pub(crate) mod triangle_triangle;
