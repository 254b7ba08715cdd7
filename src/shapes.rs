//! The shapes: their records, validation and bounds, with one folder for each shape.

pub(crate) mod aabb;
pub(crate) mod any;
pub(crate) mod bodies;
pub(crate) mod bounds;
pub(crate) mod kind;
pub(crate) mod moving;
pub(crate) mod obb;
pub(crate) mod obb64;
pub(crate) mod plane;
pub(crate) mod rescaled;
pub(crate) mod round;
pub(crate) mod solid;
pub(crate) mod triangle;
pub(crate) mod upright;
