//! Twin of `shaders/shapes/obb/obb_bounds.wgsl`: conservative bounds of oriented boxes, and the
//! scene's statistics.

use fearless_simd::prelude::*;
use wide::f32x4;

use crate::base::error::Result;
use crate::base::lanes::{Simd, axes};
use crate::base::problem::{BoxProblem, COORDINATE_LIMIT};
use crate::broad_phase::bounded::{Bounded, Compared, LaneBounds, MOST_LANES, statistics};
use crate::broad_phase::grid::columns::OF_BOUNDS;
use crate::geometry::aabb::Aabb;
use crate::geometry::bounds::{ABSOLUTE_ERROR, Bounds, CENTER_ERROR, EXTENT_ERROR, Gather};
use crate::geometry::rotation::matrix;
use crate::geometry::scene_stats::Gathered;
use crate::shapes::bounds::{self, BoundsLanes};
use crate::shapes::obb::lanes::{BoxLanes, FourBoxes, LANES};
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

/// Evaluates to how far the bounds of boxes extend from their centers along each axis, widened as
/// derived in `src/geometry/bounds.rs` and by `margin`, and to the squared lengths of their
/// quaternions. The boxes are in lanes of any kind; the last term repeats a number in all of them.
macro_rules! reach {
    ($boxes:expr, $margin:expr, |$number:ident| $repeated:expr) => {{
        let extent_error = {
            let $number = EXTENT_ERROR;
            $repeated
        };
        let center_error = {
            let $number = CENTER_ERROR;
            $repeated
        };
        let absolute_error = {
            let $number = ABSOLUTE_ERROR;
            $repeated
        };
        let [hx, hy, hz] = $boxes.half;
        let (rows, length_squared) = matrix($boxes.rotation);
        let sum = hx + hy + hz;
        let reach = axes!(|axis| {
            let [x, y, z] = [rows[axis][0].abs(), rows[axis][1].abs(), rows[axis][2].abs()];
            let extent = (x * hx + y * hy + z * hz) / length_squared;
            let error = extent_error * sum + center_error * $boxes.center[axis].abs();
            extent + error + absolute_error + $margin
        });
        (reach, length_squared)
    }};
}

/// Returns the bounds of four boxes, and whether all are certainly valid. If not, the bounds are
/// arbitrary.
#[inline(always)]
fn bounds_of_four(boxes: &FourBoxes, margin: f32x4) -> (BoundsLanes, bool) {
    let (reach, length_squared) = reach!(boxes, margin, |number| f32x4::splat(number));
    (
        BoundsLanes::around(boxes.center, reach),
        are_valid(boxes, length_squared),
    )
}

impl Bounded for Obb {
    #[inline(always)]
    fn bounds<S: Simd>(simd: S, boxes: &[Self], margin: impl Fn(usize) -> f32) -> LaneBounds<S> {
        bounds_in_lanes(simd, &BoxLanes::load(simd, boxes), boxes.len(), margin)
    }

    #[inline(always)]
    fn checked_bounds<S: Simd>(simd: S, boxes: &[Self], margin: impl Fn(usize) -> f32) -> (LaneBounds<S>, bool) {
        let lanes = BoxLanes::load(simd, boxes);
        // Boxes this close to the limits are rare.
        let are_valid = lanes.are_valid().all_true() || boxes.iter().all(|obb| obb.problem().is_none());
        (bounds_in_lanes(simd, &lanes, boxes.len(), margin), are_valid)
    }
}

/// The corners of the bounds.
impl Compared<OF_BOUNDS> for Obb {
    #[inline(always)]
    fn list<S: Simd>(
        simd: S,
        boxes: &[Self],
        margin: impl Fn(usize) -> f32,
        first: usize,
        lists: &mut [&mut [f32]; OF_BOUNDS],
    ) {
        let LaneBounds { low, high } = <Self as Bounded>::bounds(simd, boxes, margin);
        for (list, numbers) in lists.iter_mut().zip([low, high].as_flattened()) {
            list[first..][..boxes.len()].copy_from_slice(&numbers.as_slice()[..boxes.len()]);
        }
    }
}

/// Returns the bounds of boxes, the same numbers as by all other functions of this module. Those in
/// the first `count` lanes are widened by the margins of their lanes, the others by the last of
/// these.
#[inline(always)]
fn bounds_in_lanes<S: Simd>(
    simd: S,
    boxes: &BoxLanes<S>,
    count: usize,
    margin: impl Fn(usize) -> f32,
) -> LaneBounds<S> {
    let mut margins = [0.0; MOST_LANES];
    for (lane, place) in margins[..S::f32s::LEN].iter_mut().enumerate() {
        *place = margin(lane.min(count - 1));
    }
    let margins = S::f32s::from_slice(simd, &margins[..S::f32s::LEN]);
    let (reach, _) = reach!(boxes, margins, |number| S::f32s::splat(simd, number));
    LaneBounds {
        low: axes!(|axis| boxes.center[axis] - reach[axis]),
        high: axes!(|axis| boxes.center[axis] + reach[axis]),
    }
}

/// Checks boxes and returns the statistics of their bounds, each widened by `margin` on every side.
pub(crate) fn obb_statistics(boxes: &[Obb], margin: impl Fn(u32) -> f32 + Sync + Send) -> Result<Gathered> {
    let (gathered, are_valid) = statistics(boxes, margin);
    if !are_valid {
        validate(boxes)?;
    }
    Ok(gathered)
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
