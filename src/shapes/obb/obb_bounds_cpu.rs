//! Twin of `shaders/shapes/obb/obb_bounds.wgsl`: conservative bounds of oriented boxes, and the scene's statistics.

use crate::geometry::aabb::Aabb;
use glam::Vec3;

use crate::base::error::Result;
use crate::geometry::bounds::{ABSOLUTE_ERROR, Bounds, CENTER_ERROR, EXTENT_ERROR, Gather, size_bin};
use crate::geometry::rotation::mat3;
use crate::shapes::bounds;
use crate::shapes::obb::record::Obb;

/// Checks `boxes`, fills `bounds` with their bounds, each widened by `margin` on every side, and returns the scene's
/// statistics.
pub(crate) fn obb_bounds<G: Gather>(
    boxes: &[Obb],
    margin: impl Fn(u32) -> f32 + Sync + Send,
    bounds: &mut Vec<Bounds>,
) -> Result<G> {
    bounds::fill(boxes, bounds, Obb::problem, |obb, id| bounds_of(obb, margin(id), id))
}

/// Checks every box and names the first bad one.
pub(crate) fn validate(boxes: &[Obb]) -> Result<()> {
    bounds::validate(boxes, Obb::problem)
}

/// The bounds of one box, widened as derived in the module above, and by `margin`.
pub(crate) fn bounds_of(obb: &Obb, margin: f32, id: u32) -> Bounds {
    let h = obb.half_extents;
    let (rotation, _) = mat3(obb.rotation);
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

impl Obb {
    /// Axis-aligned bounds that contain the box despite rounding: wider than the box by at most some 1e-5 of its size
    /// and 1e-6 of its coordinates.
    pub fn bounds(&self) -> Aabb {
        let Bounds { low, high, .. } = bounds_of(self, 0.0, 0);
        Aabb { min: low, max: high }
    }
}
