//! Oriented boxes.

pub(crate) mod displacement;
pub(crate) mod lanes;
#[cfg(feature = "gpu")]
pub(crate) mod obb_bounds;
pub(crate) mod obb_bounds_cpu;
pub(crate) mod parts;
pub(crate) mod record;
pub(crate) mod volume_part;
