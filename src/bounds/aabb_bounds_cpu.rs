//! The caller's own bounds for the broad phase alone, as they are: nothing is widened, for their numbers are the question.

use super::{Bounds, SceneStats, size_bin};
use crate::{Aabb, Result};

/// Checks `boxes`, fills `bounds` with them and returns the scene's statistics.
pub(crate) fn aabb_bounds(boxes: &[Aabb], bounds: &mut Vec<Bounds>) -> Result<SceneStats> {
    super::fill(boxes, bounds, Aabb::problem, bounds_of)
}

/// Checks every box, and names the first bad one.
pub(crate) fn validate(boxes: &[Aabb]) -> Result<()> {
    super::validate(boxes, Aabb::problem)
}

fn bounds_of(aabb: &Aabb, id: u32) -> Bounds {
    let mut bounds = Bounds {
        low: aabb.min,
        tag: 0,
        high: aabb.max,
        id,
    };
    bounds.tag = size_bin(bounds.size());
    bounds
}
