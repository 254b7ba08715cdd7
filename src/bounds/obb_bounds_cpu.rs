//! Twin of `shaders/obb_bounds.wgsl`: conservative bounds of oriented boxes, and the scene's statistics.

use glam::{Mat3, Vec3};

use super::{ABSOLUTE_ERROR, Bounds, CENTER_ERROR, EXTENT_ERROR, SceneStats, size_bin};
use crate::{Obb, Result};

/// Checks `boxes`, fills `bounds` with their bounds, wider by `margin` of it on every side, and returns the scene's
/// statistics.
pub(crate) fn obb_bounds(
    boxes: &[Obb],
    margin: impl Fn(u32) -> f32 + Sync + Send,
    bounds: &mut Vec<Bounds>,
) -> Result<SceneStats> {
    super::fill(boxes, bounds, Obb::problem, |obb, id| bounds_of(obb, margin(id), id))
}

/// Checks every box, and names the first bad one.
pub(crate) fn validate(boxes: &[Obb]) -> Result<()> {
    super::validate(boxes, Obb::problem)
}

/// The bounds of one box, widened as the module above derives, and by `margin`.
pub(crate) fn bounds_of(obb: &Obb, margin: f32, id: u32) -> Bounds {
    let h = obb.half_extents;
    let rotation = matrix(obb.rotation);
    let extent = (rotation.x_axis.abs() * h.x + rotation.y_axis.abs() * h.y + rotation.z_axis.abs() * h.z)
        / obb.rotation.length_squared();
    let widened =
        extent + (EXTENT_ERROR * h.element_sum() + CENTER_ERROR * obb.center.abs()) + Vec3::splat(ABSOLUTE_ERROR);
    let widened = widened + margin;
    let mut bounds = Bounds {
        low: obb.center - widened,
        tag: 0,
        high: obb.center + widened,
        id,
    };
    bounds.tag = size_bin(bounds.size());
    bounds
}

/// `M(q)`: the rotation's matrix times `|q|^2`.
fn matrix(q: glam::Quat) -> Mat3 {
    let (xx, yy, zz, ww) = (q.x * q.x, q.y * q.y, q.z * q.z, q.w * q.w);
    Mat3::from_cols(
        Vec3::new(
            ww + xx - yy - zz,
            2.0 * (q.x * q.y + q.w * q.z),
            2.0 * (q.x * q.z - q.w * q.y),
        ),
        Vec3::new(
            2.0 * (q.x * q.y - q.w * q.z),
            ww - xx + yy - zz,
            2.0 * (q.y * q.z + q.w * q.x),
        ),
        Vec3::new(
            2.0 * (q.x * q.z + q.w * q.y),
            2.0 * (q.y * q.z - q.w * q.x),
            ww - xx - yy + zz,
        ),
    )
}
