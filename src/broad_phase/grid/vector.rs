//! Vectors in the first three of four lanes.

use bytemuck::cast;
use glam::Vec3;
use wide::f32x4;

/// Returns a vector in the first three lanes.
pub(crate) fn vector(v: Vec3) -> f32x4 {
    let [x, y, z] = v.to_array();
    f32x4::new([x, y, z, 0.0])
}

/// Keeps the first three lanes and clears the fourth, which might otherwise be a subnormal number,
/// and those are slow.
#[inline(always)]
pub(crate) fn coordinates(lanes: f32x4) -> f32x4 {
    lanes & cast::<[u32; 4], f32x4>([u32::MAX, u32::MAX, u32::MAX, 0])
}

/// Returns the vector in the first three lanes.
#[inline(always)]
pub(crate) fn corner(lanes: f32x4) -> Vec3 {
    let [x, y, z, _] = lanes.to_array();
    Vec3::new(x, y, z)
}
