//! The caller's own bounds for the broad phase alone, as they are: without a margin nothing is widened, for their numbers are
//! the question. Twin of `shaders/aabb_bounds.wgsl`.

use glam::Vec3;

use super::{Bounds, CENTER_ERROR, SceneStats, size_bin};
use crate::{Aabb, Result};

/// Checks `boxes`, fills `bounds` with them, wider by `margin` of it on every side, and returns the scene's
/// statistics.
pub(crate) fn aabb_bounds(
    boxes: &[Aabb],
    margin: impl Fn(u32) -> f32 + Sync + Send,
    bounds: &mut Vec<Bounds>,
) -> Result<SceneStats> {
    super::fill(boxes, bounds, Aabb::problem, |aabb, id| bounds_of(aabb, margin(id), id))
}

/// Checks every box, and names the first bad one.
pub(crate) fn validate(boxes: &[Aabb]) -> Result<()> {
    super::validate(boxes, Aabb::problem)
}

/// The same bounds, wider by `margin` on every side, rounded outwards; as they are if that is 0.
pub(crate) fn bounds_of(aabb: &Aabb, margin: f32, id: u32) -> Bounds {
    // Rounded outwards.
    let widened = |corner: Vec3| match margin > 0.0 {
        true => CENTER_ERROR * corner.abs() + margin,
        false => Vec3::ZERO,
    };
    let mut bounds = Bounds {
        low: aabb.min - widened(aabb.min),
        tag: 0,
        high: aabb.max + widened(aabb.max),
        id,
    };
    bounds.tag = size_bin(bounds.size());
    bounds
}
