//! Tests between two convex solids.

mod contact;
pub(crate) mod crossings;
pub(crate) mod epa;
pub(crate) mod exact;
pub(crate) mod gjk;
pub(crate) mod lists;
mod pair;
mod polytope;
mod simplex;
mod tetrahedron;
pub(crate) mod within;
