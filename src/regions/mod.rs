//! Boxes against rooms, regions and frusta, and the elementary tests.

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
