//! From bounds to candidate pairs: every pair of boxes whose bounds overlap, each once.
//!
//! The broad phase knows only [`Bounds`](crate::bounds::Bounds) and rules; what the boxes are is not its business. The steps: probe
//! how crowded the scene is, plan the grid, sort the bounds into it, walk it for pairs.

pub(crate) mod grid;
pub(crate) mod grid_build;
pub(crate) mod grid_build_cpu;
pub(crate) mod grid_pairs;
pub(crate) mod grid_pairs_cpu;
pub(crate) mod grid_plan;
pub(crate) mod grid_plan_cpu;
pub(crate) mod grid_probe;
pub(crate) mod grid_probe_cpu;
pub(crate) mod grid_query;
pub(crate) mod grid_query_cpu;
pub(crate) mod rules_cpu;
