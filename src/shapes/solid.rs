//! Convex solids: the convex hulls of points.

pub(crate) mod faces;
pub(crate) mod hull;
pub(crate) mod record;
pub(crate) mod support;
