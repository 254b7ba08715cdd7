//! Geometry that does not depend on the shapes.

pub(crate) mod aabb;
pub(crate) mod bounds;
pub(crate) mod double;
pub(crate) mod eigenvectors;
pub(crate) mod feature;
pub(crate) mod kinds;
pub(crate) mod orientation;
pub(crate) mod pair;
pub(crate) mod period;
pub(crate) mod plane;
pub(crate) mod pose;
pub(crate) mod rotation;
pub(crate) mod rounding;
pub(crate) mod scene_stats;
pub(crate) mod sine_cosine;
