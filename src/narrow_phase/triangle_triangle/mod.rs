//! Two triangles.

pub(crate) mod exact;
