//! Impacts of two bodies in motion during a step.

pub(crate) mod advancement;
pub(crate) mod bisection;
pub(crate) mod closest_approach;
mod cores;
pub(crate) mod impact;
#[cfg(feature = "gpu")]
pub(crate) mod moving_sat;
pub(crate) mod moving_sat_cpu;
#[cfg(test)]
mod rewritten;
mod round;
#[cfg(feature = "gpu")]
mod rounded;
pub(crate) mod safe_time;
pub(crate) mod sphere_lanes;
mod start;
pub(crate) mod straight;
mod straight_approach;
#[cfg(feature = "gpu")]
pub(crate) mod sweep_times;
mod three_lanes;
pub(crate) mod time_of_impact;
