//! The GPU backend.

pub(crate) mod contact_results;
mod count_bodies;
mod deactivate;
pub(crate) mod engine;
pub(crate) mod event_results;
mod finish;
pub(crate) mod frame_rules;
pub(crate) mod image_results;
pub(crate) mod images;
mod input;
mod kernels;
#[cfg(feature = "unstable")]
pub(crate) mod left;
mod limits;
pub(crate) mod memory_estimate;
pub(crate) mod nearest_results;
pub(crate) mod pair_results;
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
pub(crate) mod submission_budget;
pub(crate) mod sweeps;
pub(crate) mod timer;
mod trace;
#[cfg(test)]
mod twins;
#[cfg(feature = "unstable")]
pub(crate) mod work;
