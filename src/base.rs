//! Foundations: errors, options, parallel loops, memory, times.

pub(crate) mod arrays;
pub(crate) mod clock;
pub(crate) mod config;
pub(crate) mod engine;
pub(crate) mod error;
pub(crate) mod lanes;
pub(crate) mod problem;
#[cfg(test)]
pub(crate) mod rewriting;
pub(crate) mod shader;
pub(crate) mod stage;
pub(crate) mod stop;
pub(crate) mod timings;
pub(crate) mod waiting;

pub(crate) use obbligato_support::prefetch::prefetch;
pub(crate) use obbligato_support::{excerpt, memory, parallel, plural, split_mix};
