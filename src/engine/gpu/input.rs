//! What the pipeline takes in, whatever a check is about.

use crate::base::error::Result;
use crate::engine::query::Subject;
use crate::geometry::bounds::Bounds;
use crate::shapes::aabb::aabb_bounds_cpu;
use crate::shapes::obb::obb_bounds_cpu;

/// The records that are uploaded, as the device gets them.
pub(super) fn bytes_of<'a>(subject: Subject<'a>) -> &'a [u8] {
    match subject {
        Subject::Boxes(boxes) | Subject::Movers { movers: boxes, .. } => bytemuck::cast_slice(boxes),
        Subject::Bounds(bounds) => bytemuck::cast_slice(bounds),
    }
}

/// An error that names the first of them that is not valid, if any is.
pub(super) fn validate(subject: Subject<'_>) -> Result<()> {
    match subject {
        Subject::Boxes(boxes) | Subject::Movers { movers: boxes, .. } => obb_bounds_cpu::validate(boxes),
        Subject::Bounds(bounds) => aabb_bounds_cpu::validate(bounds),
    }
}

/// Their bounds, if they are valid, wider by `margin` of each on every side.
pub(super) fn bounds_of(subject: Subject<'_>, margin: impl Fn(u32) -> f32 + Sync + Send) -> Result<Vec<Bounds>> {
    let mut bounds = Vec::new();
    match subject {
        Subject::Boxes(boxes) | Subject::Movers { movers: boxes, .. } => {
            obb_bounds_cpu::obb_bounds::<()>(boxes, margin, &mut bounds)?
        }
        Subject::Bounds(boxes) => aabb_bounds_cpu::aabb_bounds::<()>(boxes, margin, &mut bounds)?,
    }
    Ok(bounds)
}
