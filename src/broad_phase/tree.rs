//! Trees of bounding boxes on the CPU. Each node has the bounds of eight children, which are
//! compared at once.
//!
//! [`node`] contains their common nodes. Three builders sort records and divide them: [`sah`] by
//! the surface area heuristic, [`packing`] along a Morton curve, [`octree`] by octants. [`walk`]
//! finds pairs and boxes, [`hit`] finds boxes on rays and near points. [`phase`] is the broad phase
//! of a check. [`bvh`] is the tree for direct use by applications; [`near`] contains its queries by
//! points, and [`lists`] the answers to many queries at once.

pub(crate) mod assembly;
pub(crate) mod bvh;
#[cfg(test)]
mod bvh_tests;
pub(crate) mod hit;
pub(crate) mod lists;
pub(crate) mod near;
pub(crate) mod node;
pub(crate) mod octree;
pub(crate) mod order;
pub(crate) mod packing;
pub(crate) mod phase;
pub(crate) mod radix;
pub(crate) mod ray;
pub(crate) mod sah;
#[cfg(test)]
mod tests;
pub(crate) mod walk;
