//! Boxes in motion over a step: what is known of a motion, and bounds of all places that a box comes to.

pub(crate) mod body;
pub(crate) mod motion;
pub(crate) mod step;
pub(crate) mod swept_bounds;
