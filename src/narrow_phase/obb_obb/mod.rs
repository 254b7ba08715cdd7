//! Two oriented boxes.

pub(crate) mod contacts;
pub mod distance;
pub mod exact;
pub(crate) mod found_pairs;
pub(crate) mod manifold;
pub(crate) mod narrow_plan;
pub(crate) mod obb_closest;
pub(crate) mod obb_distance;
pub(crate) mod obb_distance_cpu;
mod obb_lanes;
pub(crate) mod obb_manifold;
pub(crate) mod obb_sat;
pub(crate) mod obb_sat_cpu;
pub(crate) mod obb_sat_f64;
pub mod obb_sat_f64_cpu;
pub(crate) mod penetration;
pub mod separating_axes;
mod six_axes;
pub(crate) mod upright_sat;
pub(crate) mod upright_sat_cpu;
