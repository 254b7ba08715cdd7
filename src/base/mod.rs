//! What everything rests on: errors, options, parallel loops, memory, times.

pub(crate) mod config;
#[cfg(feature = "unstable")]
pub(crate) mod count;
pub(crate) mod engine;
pub(crate) mod error;
pub(crate) mod excerpt;
pub(crate) mod lanes;
pub(crate) mod memory;
pub(crate) mod parallel;
pub(crate) mod plural;
pub(crate) mod problem;
#[cfg(test)]
pub(crate) mod rewriting;
pub(crate) mod shader;
pub(crate) mod split_mix;
pub(crate) mod stage;
pub(crate) mod stop;
pub(crate) mod timings;
pub(crate) mod waiting;
