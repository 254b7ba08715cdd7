//! Boxes, capsules and balls in one scene.

pub(crate) mod set;
