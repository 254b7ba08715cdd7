//! Boxes and balls around points.
//!
//! What looks for a good box may be approximate: whatever it finds is rounded to `f32` first, and the extents of the stored box are
//! then as large as they have to be for the stored numbers to contain every point ([`stored`]), without rounding. A [`Cloud`] passes over
//! its points, on all threads; the search itself ([`least_box`]) sees the convex hull of a few hundred of them.

pub(crate) mod ball;
pub(crate) mod bounds;
pub(crate) mod cloud;
mod extremes;
mod least_box;
pub(crate) mod obb;
mod principal_axes;
mod stored;
