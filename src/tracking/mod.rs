//! Boxes from frame to frame: which pairs begin and end, and what of a frame need not be checked again.

pub(crate) mod anchors;
pub(crate) mod coherent;
pub(crate) mod measured;
pub(crate) mod names;
pub(crate) mod pace;
pub(crate) mod shapes;
pub(crate) mod survey;
pub(crate) mod sweep_and_prune;
pub(crate) mod sweep_lists;
pub(crate) mod tracker;
pub(crate) mod watched;
