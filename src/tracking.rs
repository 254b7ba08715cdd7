//! Tracking of boxes from frame to frame: pairs that begin and end, and the parts of a frame that
//! need no new check.

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
