//! The GPU backend.

pub(crate) mod engine;
mod event_forms;
mod finish;
mod forms;
pub(crate) mod frame_rules;
mod input;
mod kernels;
mod limits;
pub(crate) mod memory_estimate;
pub(crate) mod pace;
mod pair_forms;
mod parts;
mod pipeline;
mod ranges;
pub(crate) mod recorded;
mod recording;
pub(crate) mod records;
#[cfg(feature = "unstable")]
pub(crate) mod resident;
pub(crate) mod scene;
mod subject;
pub(crate) mod sweeps;
pub(crate) mod timer;
mod trace;
#[cfg(test)]
mod twins;
#[cfg(feature = "unstable")]
pub(crate) mod work;
