//! Twin of `shaders/shapes/obb/obb_bounds.wgsl`: conservative bounds of oriented boxes, and the scene's statistics.

use bytemuck::{Zeroable, cast};
use wide::{f32x4, u32x4};

use crate::base::error::Result;
use crate::base::problem::COORDINATE_LIMIT;
use crate::geometry::aabb::Aabb;
use crate::geometry::bounds::{
    ABSOLUTE_ERROR, Bounds, CENTER_ERROR, COARSENESS, EXTENT_ERROR, Gather, SIZE_ERROR, size_bin,
};
use crate::geometry::rotation::matrix;
use crate::shapes::bounds;
use crate::shapes::obb::lanes::{FourBoxes, LANES, axes};
use crate::shapes::obb::record::{Obb, rotation_length_squared_range};

/// Checks `boxes`, fills `bounds` with their bounds, each widened by `margin` on every side, and returns the scene's
/// statistics.
pub(crate) fn obb_bounds<G: Gather>(
    boxes: &[Obb],
    margin: impl Fn(u32) -> f32 + Sync + Send,
    bounds: &mut [Bounds],
) -> Result<G> {
    bounds::fill(boxes, bounds, Obb::problem, |boxes, first, bounds, gathered: &mut G| {
        let mut valid = true;
        for ((first, boxes), bounds) in (first..)
            .step_by(LANES)
            .zip(boxes.chunks(LANES))
            .zip(bounds.chunks_mut(LANES))
        {
            // Missing boxes are copies of the last.
            let lanes = std::array::from_fn(|lane| &boxes[lane.min(boxes.len() - 1)]);
            let ids = std::array::from_fn(|lane| first + lane.min(boxes.len() - 1) as u32);
            let four = BoundsLanes::of(&FourBoxes::load(lanes), f32x4::new(ids.map(&margin)));
            // Few boxes come so close to what is allowed.
            valid &= four.valid || boxes.iter().all(|record| record.problem().is_none());
            let records = four.records(ids);
            let sizes = four.size.to_array();
            for (lane, place) in bounds.iter_mut().enumerate() {
                *place = records[lane];
                gathered.add(place, sizes[lane]);
            }
        }
        valid
    })
}

/// Checks every box and names the first bad one.
pub(crate) fn validate(boxes: &[Obb]) -> Result<()> {
    bounds::validate(boxes, Obb::problem)
}

/// The bounds of one box, widened as derived in the module above, and by `margin`.
pub(crate) fn bounds_of(obb: &Obb, margin: f32, id: u32) -> Bounds {
    let four = BoundsLanes::of(&FourBoxes::load([obb; LANES]), f32x4::splat(margin));
    four.records([id; LANES])[0]
}

/// The bounds of as many boxes as there are lanes.
pub(crate) fn bounds_of_lanes(boxes: [&Obb; LANES], ids: [u32; LANES]) -> [Bounds; LANES] {
    BoundsLanes::of(&FourBoxes::load(boxes), f32x4::ZERO).records(ids)
}

/// The bounds of four boxes, one per lane.
struct BoundsLanes {
    low: [f32x4; 3],
    high: [f32x4; 3],
    /// [`Bounds::size`].
    size: f32x4,
    /// Whether all boxes are certainly valid. If not, their bounds may be any numbers.
    valid: bool,
}

impl BoundsLanes {
    #[inline(always)]
    fn of(boxes: &FourBoxes, margin: f32x4) -> Self {
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
        let low = axes!(|axis| boxes.center[axis] - widened[axis]);
        let high = axes!(|axis| boxes.center[axis] + widened[axis]);
        let largest = |v: [f32x4; 3]| v[0].fast_max(v[1]).fast_max(v[2]);
        let coordinate = largest(axes!(|axis| high[axis].abs().fast_max(low[axis].abs())));
        let extent = largest(axes!(|axis| high[axis] - low[axis])).abs();
        Self {
            low,
            high,
            size: extent.fast_max(coordinate * splat(COARSENESS)) * splat(1.0 + SIZE_ERROR),
            valid: are_valid(boxes, length_squared),
        }
    }

    /// The records of boxes with these positions.
    #[inline(always)]
    fn records(&self, ids: [u32; LANES]) -> [Bounds; LANES] {
        let tags: u32x4 = u32x4::new(self.size.to_array().map(size_bin));
        let rows = |[x, y, z]: [f32x4; 3], word: u32x4| f32x4::transpose([x, y, z, cast(word)]);
        let (low, high) = (rows(self.low, tags), rows(self.high, u32x4::new(ids)));
        let mut records = [Bounds::zeroed(); LANES];
        for (lane, record) in records.iter_mut().enumerate() {
            *record = cast([low[lane], high[lane]]);
        }
        records
    }
}

/// Whether [`Obb::problem`] finds nothing in any of the boxes. It may have found nothing where this is false: the length
/// of a quaternion is rounded in more than one way.
#[inline(always)]
fn are_valid(boxes: &FourBoxes, length_squared: f32x4) -> bool {
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
    /// Axis-aligned bounds that contain the box despite rounding: wider than the box by at most some 1e-5 of its size
    /// and 1e-6 of its coordinates.
    pub fn bounds(&self) -> Aabb {
        let Bounds { low, high, .. } = bounds_of(self, 0.0, 0);
        Aabb { min: low, max: high }
    }
}
