//! Boxes, capsules and spheres against rooms, regions and frusta, the elementary tests, and points
//! in meshes.

pub(crate) mod bsp;
pub(crate) mod closed_mesh;
pub(crate) mod elementary;
#[cfg(feature = "gpu")]
pub(crate) mod enclosure;
pub(crate) mod enclosure_cpu;
#[cfg(feature = "gpu")]
pub(crate) mod enclosures;
mod findings;
pub(crate) mod frame;
pub(crate) mod region;
#[cfg(all(test, feature = "gpu"))]
mod rewritten;
pub(crate) mod room;
#[cfg(feature = "gpu")]
pub(crate) mod room_frame;
#[cfg(feature = "gpu")]
pub(crate) mod round_enclosure;
mod round_room;
mod wide_room;
