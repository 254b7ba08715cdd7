//! Two sets of bounds of which no more is known: the broad phase has the answer, unless there is a margin.

#[cfg(feature = "gpu")]
pub(crate) mod aabb_within;
pub(crate) mod aabb_within_cpu;
#[cfg(feature = "gpu")]
pub(crate) mod accept_all;
