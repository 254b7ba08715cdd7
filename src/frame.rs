//! The common parts of the stages of a frame on the GPU: parameters, counters, and the buffers that
//! several stages use.

pub(crate) mod counters;
pub(crate) mod hook;
pub(crate) mod outcome;
pub(crate) mod params;
pub(crate) mod radix_sort;
pub(crate) mod room;
pub(crate) mod slots;
pub(crate) mod visitor;
