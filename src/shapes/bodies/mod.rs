//! Boxes, capsules and balls in one scene.

pub(crate) mod core;
pub(crate) mod set;
