//! What runs a check, on either backend.

pub(crate) mod cpu;
mod exact_stage;
pub(crate) mod findings;
pub(crate) mod gpu;
mod memory_estimate;
pub(crate) mod prepared;
pub(crate) mod query;
