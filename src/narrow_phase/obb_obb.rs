//! Two oriented boxes.

pub(crate) mod clearance_cpu;
pub mod distance;
pub(crate) mod distance_error;
pub mod exact;
#[cfg(feature = "gpu")]
pub(crate) mod found_pairs;
pub(crate) mod frame;
pub(crate) mod manifold;
#[cfg(feature = "gpu")]
pub(crate) mod narrow_plan;
pub(crate) mod obb64_pairs;
#[cfg(feature = "gpu")]
pub(crate) mod obb_closest;
#[cfg(feature = "gpu")]
pub(crate) mod obb_distance;
pub(crate) mod obb_distance_cpu;
#[cfg(feature = "gpu")]
pub(crate) mod obb_manifold;
#[cfg(feature = "gpu")]
pub(crate) mod obb_overlap;
#[cfg(feature = "gpu")]
pub(crate) mod obb_sat;
pub(crate) mod obb_sat_cpu;
#[cfg(feature = "gpu")]
pub(crate) mod obb_sat_f64;
pub mod obb_sat_f64_cpu;
pub(crate) mod overlap;
pub(crate) mod penetration;
#[cfg(test)]
pub(crate) mod rewritten;
pub mod separating_axes;
mod shared_point;
mod six_axes;
#[cfg(feature = "gpu")]
pub(crate) mod upright_sat;
pub(crate) mod upright_sat_cpu;
pub(crate) mod within;
