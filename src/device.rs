//! The wgpu layer, without any collision detection: adapters, a device and its limits, kernels,
//! buffers, times.

pub(crate) mod adapters;
#[cfg(feature = "unstable")]
pub(crate) mod bandwidth;
pub(crate) mod buffers;
pub(crate) mod compile;
pub(crate) mod context;
pub(crate) mod dispatch;
#[cfg(test)]
pub(crate) mod emitted;
#[cfg(feature = "unstable")]
pub(crate) mod faults;
pub(crate) mod guest;
pub(crate) mod kernel;
pub(crate) mod limits;
pub(crate) mod namespace;
pub(crate) mod pipeline_cache;
#[cfg(feature = "unstable")]
pub(crate) mod rates;
pub(crate) mod requests;
pub(crate) mod segments;
pub(crate) mod shared_pipelines;
#[cfg(test)]
pub(crate) mod statistics;
pub(crate) mod timestamps;
pub(crate) mod tuning;
#[cfg(test)]
pub(crate) mod twins;
