//! Two convex solids.

pub(crate) mod crossings;
pub(crate) mod exact;
