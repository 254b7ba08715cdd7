//! The narrow phase: tests candidate pairs for collisions, and computes depths and distances. There
//! is one folder for each pair of shapes.

pub(crate) mod aabb_aabb;
pub mod contact;
pub(crate) mod contacts;
pub(crate) mod images;
pub(crate) mod in_plane;
pub(crate) mod moving_moving;
pub mod obb_obb;
pub(crate) mod overlaps;
pub(crate) mod partners;
pub(crate) mod point_point;
pub(crate) mod round;
pub(crate) mod solid_solid;
pub(crate) mod table;
pub(crate) mod triangle_body;
pub(crate) mod triangle_triangle;
pub(crate) mod upright_upright;
pub(crate) mod width;
