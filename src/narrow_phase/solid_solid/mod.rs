//! Two convex solids.

pub(crate) mod crossings;
mod double;
pub(crate) mod epa;
pub(crate) mod exact;
pub(crate) mod gjk;
mod pair;
mod polytope;
mod simplex;
