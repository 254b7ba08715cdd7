//! Balls.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// All points within `radius` of `center`: a closed ball. A radius of 0 is a point.
///
/// Its numbers are finite, of 2^60 at most in magnitude, and the radius is not negative; else answers about it are arbitrary. The record
/// is 16 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Sphere {
    /// Its center, in the world.
    pub center: Vec3,
    /// Its radius, in the caller's unit.
    pub radius: f32,
}

impl Sphere {
    /// A ball about a center.
    pub const fn new(center: Vec3, radius: f32) -> Self {
        Self { center, radius }
    }
}
