//! Twin of `shaders/shapes/obb/obb_bounds.wgsl`: conservative bounds of oriented boxes, and the
//! scene's statistics.

use wide::f32x4;

use crate::base::error::Result;
use crate::base::lanes::axes;
use crate::base::problem::{BoxProblem, COORDINATE_LIMIT};
use crate::geometry::aabb::Aabb;
use crate::geometry::bounds::{ABSOLUTE_ERROR, Bounds, CENTER_ERROR, EXTENT_ERROR, Gather};
use crate::geometry::rotation::matrix;
use crate::shapes::bounds::{self, BoundsLanes};
use crate::shapes::obb::lanes::{FourBoxes, LANES};
use crate::shapes::obb::record::{Obb, rotation_length_squared_range};

/// Checks `boxes`, fills `bounds` with their bounds, each widened by `margin` on every side, and
/// returns the scene's statistics.
pub(crate) fn obb_bounds<G: Gather>(
    boxes: &[Obb],
    margin: impl Fn(u32) -> f32 + Sync + Send,
    bounds: &mut [Bounds],
) -> Result<G> {
    obb_bounds_unless(boxes, margin, bounds, Obb::problem)
}

/// Does the same, with `problem` as the test of validity.
pub(crate) fn obb_bounds_unless<G: Gather>(
    boxes: &[Obb],
    margin: impl Fn(u32) -> f32 + Sync + Send,
    bounds: &mut [Bounds],
    problem: fn(&Obb) -> Option<BoxProblem>,
) -> Result<G> {
    bounds::fill_lanes(boxes, 0, margin, bounds, problem, |boxes, margin| {
        bounds_of_four(&FourBoxes::load(boxes), margin)
    })
}

/// Checks every box and names the first bad one.
pub(crate) fn validate(boxes: &[Obb]) -> Result<()> {
    bounds::validate(boxes, Obb::problem)
}

/// Returns the bounds of one box, widened as derived in `src/geometry/bounds.rs`, and by `margin`.
pub(crate) fn bounds_of(obb: &Obb, margin: f32, id: u32) -> Bounds {
    let (four, _) = bounds_of_four(&FourBoxes::load([obb; LANES]), f32x4::splat(margin));
    four.records([id; LANES])[0]
}

/// Returns the bounds of [`LANES`] boxes.
pub(crate) fn bounds_of_lanes(boxes: [&Obb; LANES], ids: [u32; LANES]) -> [Bounds; LANES] {
    bounds_of_four(&FourBoxes::load(boxes), f32x4::ZERO).0.records(ids)
}

/// Returns the bounds of four boxes, and whether all are certainly valid. If not, the bounds are
/// arbitrary.
#[inline(always)]
fn bounds_of_four(boxes: &FourBoxes, margin: f32x4) -> (BoundsLanes, bool) {
    let [hx, hy, hz] = boxes.half;
    let (rows, length_squared) = matrix(boxes.rotation);
    let splat = f32x4::splat;
    let sum = hx + hy + hz;
    let widened = axes!(|axis| {
        let [x, y, z] = rows[axis].map(f32x4::abs);
        let extent = (x * hx + y * hy + z * hz) / length_squared;
        let error = splat(EXTENT_ERROR) * sum + splat(CENTER_ERROR) * boxes.center[axis].abs();
        extent + error + splat(ABSOLUTE_ERROR) + margin
    });
    (
        BoundsLanes::around(boxes.center, widened),
        are_valid(boxes, length_squared),
    )
}

/// Returns `true` only if [`Obb::problem`] finds nothing in any of the boxes. It may be `false`
/// even then, because the length of a quaternion is rounded in more than one way.
#[inline(always)]
pub(crate) fn are_valid(boxes: &FourBoxes, length_squared: f32x4) -> bool {
    const ROUNDING: f32 = 1e-6;
    let (lowest, highest) = rotation_length_squared_range();
    // A comparison with NaN is false.
    let mut valid = length_squared.simd_ge(f32x4::splat(lowest + ROUNDING));
    valid &= length_squared.simd_le(f32x4::splat(highest - ROUNDING));
    let most = f32x4::splat(COORDINATE_LIMIT);
    for axis in 0..3 {
        valid &= boxes.center[axis].abs().simd_le(most);
        valid &= boxes.half[axis].simd_le(most) & boxes.half[axis].simd_ge(f32x4::ZERO);
    }
    valid.all()
}

impl Obb {
    /// Returns axis-aligned bounds that contain the box despite rounding: wider than the box by at
    /// most about 1e-5 of its size and 1e-6 of its coordinates.
    pub fn bounds(&self) -> Aabb {
        let Bounds { low, high, .. } = bounds_of(self, 0.0, 0);
        Aabb { min: low, max: high }
    }
}
