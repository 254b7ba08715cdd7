//! Code shared by the crates of obbligato that is not about collisions: memory that may be refused,
//! parallel loops, random numbers, and the wording of messages.
//!
//! It is published only because they need it. Nothing in it is covered by semantic versioning.

pub mod count;
pub mod excerpt;
pub mod memory;
pub mod parallel;
pub mod plural;
pub mod prefetch;
pub mod split_mix;
