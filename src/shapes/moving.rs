//! Boxes in motion during a step: their motions, and bounds of the regions that they sweep.

pub(crate) mod arc;
pub(crate) mod body;
pub(crate) mod motion;
#[cfg(feature = "gpu")]
pub(crate) mod moving_bounds;
pub(crate) mod moving_bounds_cpu;
#[cfg(feature = "gpu")]
pub(crate) mod moving_records;
pub(crate) mod record;
pub(crate) mod step;
pub(crate) mod swept_bounds;
