//! Boxes and spheres around points.
//!
//! The search for a good box may be approximate: its result is rounded to `f32` first, and the
//! extents of the stored box are then as large as necessary for the stored numbers to contain every
//! point ([`stored`]), without rounding. A [`Cloud`] makes passes over its points, on all threads;
//! the search itself ([`least_box`]) uses the convex hull of a few hundred of them.

pub(crate) mod ball;
pub(crate) mod bounds;
pub(crate) mod cloud;
mod extremes;
pub(crate) mod in_plane;
mod least_box;
pub(crate) mod obb;
mod principal_axes;
mod stored;
