//! The engines that run checks, one for each backend.

pub(crate) mod approach_images;
pub(crate) mod backends;
pub(crate) mod cpu;
mod device_images;
mod exact_stage;
pub(crate) mod findings;
pub(crate) mod found;
#[cfg(feature = "gpu")]
pub(crate) mod gpu;
pub(crate) mod memory_estimate;
#[cfg(not(feature = "gpu"))]
pub(crate) mod no_gpu;
pub(crate) mod prepared;
pub(crate) mod query;
pub(crate) mod sweep;
pub(crate) mod sweep_images;
