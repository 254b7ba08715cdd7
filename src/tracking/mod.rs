//! Boxes from frame to frame: which pairs begin and end, and what of a frame need not be checked again.

pub(crate) mod tracker;
