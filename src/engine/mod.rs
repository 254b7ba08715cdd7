//! What runs a check, on either backend.

pub(crate) mod cpu;
pub(crate) mod findings;
pub(crate) mod gpu;
pub(crate) mod prepared;
pub(crate) mod two_sets;
