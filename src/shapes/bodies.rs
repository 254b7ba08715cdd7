//! Boxes, capsules and spheres in one scene.

pub(crate) mod core;
pub(crate) mod counts;
pub(crate) mod lanes;
pub(crate) mod set;
pub(crate) mod slot;
