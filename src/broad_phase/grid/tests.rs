//! Tests of the grid that need more than one of its steps.

#[cfg(feature = "gpu")]
mod kept_plans;
#[cfg(feature = "gpu")]
mod rounds;
