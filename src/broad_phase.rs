//! From bounds to candidate pairs: every pair of boxes whose bounds overlap, each once. There is
//! one folder for each broad phase. Few boxes need none.
//!
//! A broad phase accesses only [`Bounds`](crate::geometry::bounds::Bounds) and rules, never a
//! shape.

pub(crate) mod all_pairs_cpu;
pub(crate) mod bounded;
pub(crate) mod bounds_lanes;
pub(crate) mod choice;
pub(crate) mod grid;
pub(crate) mod hits;
pub(crate) mod layered;
pub(crate) mod lbvh;
pub(crate) mod operations;
#[cfg(feature = "gpu")]
pub(crate) mod passes;
pub(crate) mod phase;
pub(crate) mod points;
pub(crate) mod small_worlds_cpu;
pub(crate) mod sweep;
pub(crate) mod tree;
pub(crate) mod volumes;
