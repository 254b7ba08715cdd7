//! Boxes against rooms, regions and frusta, the elementary tests, and points in meshes.

pub(crate) mod bsp;
pub(crate) mod closed_mesh;
pub(crate) mod elementary;
#[cfg(feature = "gpu")]
pub(crate) mod enclosure;
pub(crate) mod enclosure_cpu;
mod findings;
pub(crate) mod frame;
pub(crate) mod region;
pub(crate) mod room;
mod round_room;
mod wide_room;
