//! The hierarchical uniform grid. Its steps are: probe the crowding of the scene, plan the grid,
//! sort the bounds into it, walk it for pairs.

pub(crate) mod block;
pub(crate) mod bodies_by_bucket;
pub(crate) mod bodies_by_slot;
pub(crate) mod bounds_walker;
pub(crate) mod columns;
pub(crate) mod grid_bodies;
pub(crate) mod grid_bounds;
#[cfg(feature = "gpu")]
pub(crate) mod grid_build;
pub(crate) mod grid_build_cpu;
#[cfg(feature = "gpu")]
pub(crate) mod grid_pairs;
pub(crate) mod grid_pairs_cpu;
#[cfg(feature = "gpu")]
pub(crate) mod grid_plan;
pub(crate) mod grid_plan_cpu;
#[cfg(feature = "gpu")]
pub(crate) mod grid_probe;
pub(crate) mod grid_probe_cpu;
#[cfg(feature = "gpu")]
pub(crate) mod grid_query;
pub(crate) mod grid_query_cpu;
pub(crate) mod hash;
pub(crate) mod kept_plan;
pub(crate) mod layout;
pub(crate) mod level_walk;
pub(crate) mod phase;
#[cfg(feature = "gpu")]
pub(crate) mod statistics;
pub(crate) mod table;
#[cfg(test)]
mod tests;
pub(crate) mod vector;
pub(crate) mod view;
