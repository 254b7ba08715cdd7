//! A linear tree of bounding boxes: records sorted along a Morton curve, and a binary tree over
//! them. `layout.rs` explains and proves it.

pub(crate) mod layout;
#[cfg(feature = "gpu")]
pub(crate) mod lbvh_bounds;
pub(crate) mod lbvh_bounds_cpu;
#[cfg(feature = "gpu")]
pub(crate) mod lbvh_keys;
pub(crate) mod lbvh_keys_cpu;
#[cfg(feature = "gpu")]
pub(crate) mod lbvh_pairs;
pub(crate) mod lbvh_pairs_cpu;
#[cfg(feature = "gpu")]
pub(crate) mod lbvh_query;
pub(crate) mod lbvh_query_cpu;
#[cfg(feature = "gpu")]
pub(crate) mod lbvh_refit;
#[cfg(feature = "gpu")]
pub(crate) mod lbvh_sort;
#[cfg(feature = "gpu")]
pub(crate) mod lbvh_tree;
pub(crate) mod lbvh_tree_cpu;
#[cfg(test)]
mod tests;
