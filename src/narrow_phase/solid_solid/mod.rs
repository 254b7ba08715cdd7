//! Two convex solids.

pub(crate) mod exact;
