//! wgpu, and nothing of collisions: adapters, a device and its limits, kernels, buffers, times.

pub(crate) mod adapters;
pub(crate) mod bandwidth;
pub(crate) mod buffers;
pub(crate) mod context;
pub(crate) mod kernel;
pub(crate) mod limits;
pub(crate) mod pipeline_cache;
pub(crate) mod segments;
#[cfg(test)]
pub(crate) mod statistics;
pub(crate) mod timestamps;
#[cfg(test)]
pub(crate) mod twins;
