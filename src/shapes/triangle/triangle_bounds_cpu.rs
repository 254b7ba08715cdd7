//! Bounds of triangles for the broad phase: the bounds of their corners, unchanged because nothing
//! is rounded. Twin of `shaders/shapes/triangle/triangle_bounds.wgsl`.

use crate::base::error::{Error, Result};
use crate::geometry::bounds::{Bounds, Gather, size_bin};
use crate::shapes::bounds;
use crate::shapes::triangle::record::Triangle;

/// Checks triangles, fills `bounds` with their bounds and returns the scene's statistics.
pub(crate) fn triangle_bounds<G: Gather>(triangles: &[Triangle], bounds: &mut [Bounds]) -> Result<G> {
    bounds::fill(
        triangles,
        bounds,
        Triangle::problem,
        |triangles, first, bounds, gathered: &mut G| {
            let mut valid = true;
            for ((id, triangle), bounds) in (first..).zip(triangles).zip(bounds) {
                valid &= triangle.problem().is_none();
                let aabb = triangle.bounds();
                *bounds = Bounds {
                    low: aabb.min,
                    tag: 0,
                    high: aabb.max,
                    id,
                };
                let size = bounds.size();
                bounds.tag = size_bin(size);
                gathered.add(bounds, size);
            }
            valid
        },
    )
    .map_err(of_triangles)
}

/// Checks every triangle and names the first bad one.
pub(crate) fn validate(triangles: &[Triangle]) -> Result<()> {
    bounds::validate(triangles, Triangle::problem).map_err(of_triangles)
}

/// Turns an error about boxes into one about triangles.
fn of_triangles(error: Error) -> Error {
    match error {
        Error::InvalidBox { index, problem, count } => Error::InvalidTriangle { index, problem, count },
        error => error,
    }
}
