//! Boxes in motion over a step: what is known of a motion, and bounds of all places that a box comes to.

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
