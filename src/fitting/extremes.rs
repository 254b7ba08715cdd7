//! The points that are farthest along many axes: a few of them represent millions.
//!
//! Larsson and Källberg take seven axes ("Fast Computation of Tight-Fitting Oriented Bounding
//! Boxes", 2011). With more axes, spread evenly after the points have been stretched to be as wide
//! as they are long, no box around the extremes is much smaller than the one around all points
//! (Agarwal, Har-Peled and Varadarajan, "Approximating Extent Measures of Points", 2004).

use std::ops::Range;

use fearless_simd::prelude::*;
use glam::{DMat3, DVec3, Vec3};

use crate::base::lanes::{self, Simd, dispatch};
use crate::base::parallel;
use crate::fitting::cloud::Cloud;

/// The number of axes. Neighbouring axes are about 0.25 radians apart: for a sphere, at most 1 % of
/// a width is missed.
const AXES: usize = 96;
/// The number of points per task: enough that most blocks have no point farther than those before.
const TASK: usize = 1 << 16;
/// The number of points that are tested together.
const BLOCK: usize = 128;
/// The lower limit of the widths by which points are stretched, relative to the largest.
const LEAST_WIDTH: f64 = 1e-6;

/// The reach of points to both sides along an axis, and the points that attain it.
type Reach = [(f32, u32); 2];

/// Returns the positions of the points that are farthest along axes, ascending. `axes` and `widths`
/// are those of some box around them.
pub(super) fn extremes(cloud: &Cloud, axes: &DMat3, widths: DVec3) -> Vec<u32> {
    let directions = directions(axes, widths);
    let parts = parallel::map_ranges_of(
        TASK,
        cloud.points.len(),
        |range| dispatch!(lanes::level(), simd => farthest(simd, cloud, &directions, range)),
    );
    let mut positions: Vec<u32> = Vec::with_capacity(2 * AXES);
    for axis in 0..AXES {
        for side in 0..2 {
            let reaches = parts.iter().map(|part| part[axis][side]);
            // The first of several that reach equally far.
            let farthest = reaches.reduce(|a, b| if b.0 > a.0 { b } else { a });
            positions.extend(farthest.map(|(_, position)| position));
        }
    }
    positions.sort_unstable();
    positions.dedup();
    positions
}

/// Returns axes that are spread over the half sphere like the points of a spiral, in space
/// stretched by the widths.
fn directions(axes: &DMat3, widths: DVec3) -> [Vec3; AXES] {
    // The golden angle, in radians.
    const TURN: f64 = 2.399_963_229_728_653;
    let widths = widths.max(DVec3::splat(LEAST_WIDTH * widths.max_element()));
    std::array::from_fn(|k| {
        let z = (k as f64 + 0.5) / AXES as f64;
        let radius = (1.0 - z * z).sqrt();
        let (sine, cosine) = (TURN * k as f64).sin_cos();
        let even = DVec3::new(radius * cosine, radius * sine, z);
        (*axes * (even / widths)).normalize_or_zero().as_vec3()
    })
}

/// Returns the farthest points of a range.
#[inline(always)]
fn farthest<S: Simd>(simd: S, cloud: &Cloud, directions: &[Vec3; AXES], range: Range<usize>) -> [Reach; AXES] {
    let mut found = [[(f32::NEG_INFINITY, range.start as u32); 2]; AXES];
    for first in range.clone().step_by(BLOCK) {
        let block = Block::new(cloud, first, range.end - 1);
        for (direction, reach) in directions.iter().zip(&mut found) {
            if block.reaches_beyond(simd, direction, reach) {
                block.note(direction, reach);
            }
        }
    }
    found
}

/// Consecutive points; the last one is repeated if they are too few.
struct Block {
    /// The points relative to the middle of all, in units of their size: numbers about 1, whose
    /// products do not underflow.
    places: [[f32; BLOCK]; 3],
    first: usize,
    last: usize,
}

impl Block {
    #[inline(always)]
    fn new(cloud: &Cloud, first: usize, last: usize) -> Self {
        let middle = cloud.middle();
        let size = (cloud.bounds.max - middle).max(middle - cloud.bounds.min).max_element();
        let scale = 1.0 / size.max(f32::MIN_POSITIVE);
        let mut places = [[0.0; BLOCK]; 3];
        let [xs, ys, zs] = &mut places;
        for (k, ((x, y), z)) in xs.iter_mut().zip(ys).zip(zs).enumerate() {
            let point = cloud.points[(first + k).min(last)];
            [*x, *y, *z] = ((point - middle) * scale).to_array();
        }
        Self { places, first, last }
    }

    /// Returns `true` if some point reaches farther along an axis.
    #[inline(always)]
    fn reaches_beyond<S: Simd>(&self, simd: S, direction: &Vec3, reach: &Reach) -> bool {
        let [x, y, z] = direction.to_array();
        let mut low = S::f32s::splat(simd, f32::INFINITY);
        let mut high = S::f32s::splat(simd, f32::NEG_INFINITY);
        for k in (0..BLOCK).step_by(S::f32s::LEN) {
            let at = |axis: usize| S::f32s::from_slice(simd, &self.places[axis][k..k + S::f32s::LEN]);
            let height = at(0) * x + at(1) * y + at(2) * z;
            (low, high) = (low.min(height), high.max(height));
        }
        high.simd_gt(reach[1].0).any_true() || low.simd_lt(-reach[0].0).any_true()
    }

    /// Stores the first of the points that reach farthest, if they reach farther than those before.
    fn note(&self, direction: &Vec3, reach: &mut Reach) {
        let [xs, ys, zs] = &self.places;
        for (k, ((x, y), z)) in xs.iter().zip(ys).zip(zs).enumerate() {
            let height = x * direction.x + y * direction.y + z * direction.z;
            for (side, height) in [-height, height].into_iter().enumerate() {
                if height > reach[side].0 {
                    reach[side] = (height, (self.first + k).min(self.last) as u32);
                }
            }
        }
    }
}
