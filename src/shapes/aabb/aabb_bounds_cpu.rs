//! The caller's own bounds, unchanged, for the broad phase alone: without a margin nothing is
//! widened, because the check concerns these exact numbers. Twin of
//! `shaders/shapes/aabb/aabb_bounds.wgsl`.

use glam::Vec3;

use crate::base::error::Result;
use crate::geometry::aabb::Aabb;
use crate::geometry::bounds::{Bounds, CENTER_ERROR, Gather, size_bin};
use crate::shapes::bounds;

/// Checks `boxes`, fills `bounds` with them, each widened by `margin` on every side, and returns
/// the scene's statistics.
pub(crate) fn aabb_bounds<G: Gather>(
    boxes: &[Aabb],
    margin: impl Fn(u32) -> f32 + Sync + Send,
    bounds: &mut [Bounds],
) -> Result<G> {
    bounds::fill(
        boxes,
        bounds,
        Aabb::problem,
        |boxes, first, bounds, gathered: &mut G| {
            let mut valid = true;
            for ((id, aabb), bounds) in (first..).zip(boxes).zip(bounds) {
                if aabb.problem().is_some() {
                    valid = false;
                    continue;
                }
                let size;
                (*bounds, size) = bounds_of(aabb, margin(id), id);
                gathered.add(bounds, size);
            }
            valid
        },
    )
}

/// Checks every box and names the first bad one.
pub(crate) fn validate(boxes: &[Aabb]) -> Result<()> {
    bounds::validate(boxes, Aabb::problem)
}

/// Returns the bounds, widened by `margin` on every side and rounded outwards, and their size. They
/// are unchanged if the margin is 0.
fn bounds_of(aabb: &Aabb, margin: f32, id: u32) -> (Bounds, f32) {
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
    let size = bounds.size();
    bounds.tag = size_bin(size);
    (bounds, size)
}
