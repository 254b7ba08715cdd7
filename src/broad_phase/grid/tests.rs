//! Tests of the grid that involve several of its steps.

mod blocks;
mod bodies;
mod changes;
mod kept_plan_cpu;
#[cfg(feature = "gpu")]
mod kept_plans;
#[cfg(feature = "gpu")]
mod operations;
#[cfg(feature = "gpu")]
mod rounds;
