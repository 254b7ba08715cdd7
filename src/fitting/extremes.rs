//! The points that are farthest along many axes: few of them stand for millions.
//!
//! Larsson and Källberg take seven axes ("Fast Computation of Tight-Fitting Oriented Bounding Boxes", 2011); with more of them, spread
//! evenly after the points have been stretched to be as wide as they are long, no box around the extremes is much smaller than
//! the one around all points (Agarwal, Har-Peled and Varadarajan, "Approximating Extent Measures of Points", 2004).

use std::ops::Range;

use fearless_simd::prelude::*;
use glam::{DMat3, DVec3, Vec3};

use crate::base::lanes::{self, Simd, dispatch};
use crate::base::parallel;
use crate::fitting::cloud::Cloud;

/// Axes. Their neighbours are some 0.25 radians apart: of a ball, 1 % of a width is missed at most.
const AXES: usize = 96;
/// Points of a task: so many that most blocks have no point farther than those before.
const TASK: usize = 1 << 16;
/// Points that are asked together.
const BLOCK: usize = 128;
/// The least width that points are stretched from, relative to the largest.
const LEAST_WIDTH: f64 = 1e-6;

/// How far points reach to both sides along an axis, and which do.
type Reach = [(f32, u32); 2];

/// The positions of the points that are farthest along axes, ascending. `axes` and `widths` are those of some box around them.
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
            // The first of those that reach as far.
            let farthest = reaches.reduce(|a, b| if b.0 > a.0 { b } else { a });
            positions.extend(farthest.map(|(_, position)| position));
        }
    }
    positions.sort_unstable();
    positions.dedup();
    positions
}

/// Axes that are spread over the half sphere as the points of a spiral, in space stretched by the widths.
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

/// The farthest points of a range.
#[inline(always)]
fn farthest<S: Simd>(simd: S, cloud: &Cloud, directions: &[Vec3; AXES], range: Range<usize>) -> [Reach; AXES] {
    let middle = cloud.middle();
    // Numbers about 1, so that no product is lost.
    let size = (cloud.bounds.max - middle).max(middle - cloud.bounds.min).max_element();
    let scale = 1.0 / size.max(f32::MIN_POSITIVE);
    let mut found = [[(f32::NEG_INFINITY, range.start as u32); 2]; AXES];
    let mut places = [[0.0f32; BLOCK]; 3];
    for first in range.clone().step_by(BLOCK) {
        let count = BLOCK.min(range.end - first);
        for k in 0..BLOCK {
            let place = (cloud.points[first + k.min(count - 1)] - middle) * scale;
            for axis in 0..3 {
                places[axis][k] = place[axis];
            }
        }
        for (direction, reach) in directions.iter().zip(&mut found) {
            let [x, y, z] = direction.to_array();
            let (mut low, mut high) = (
                S::f32s::splat(simd, f32::INFINITY),
                S::f32s::splat(simd, f32::NEG_INFINITY),
            );
            for k in (0..BLOCK).step_by(S::f32s::LEN) {
                let at = |axis: usize| S::f32s::from_slice(simd, &places[axis][k..k + S::f32s::LEN]);
                let height = at(0) * x + at(1) * y + at(2) * z;
                (low, high) = (low.min(height), high.max(height));
            }
            if high.simd_gt(reach[1].0).any_true() || (low * -1.0).simd_gt(reach[0].0).any_true() {
                for k in 0..count {
                    let height = places[0][k] * x + places[1][k] * y + places[2][k] * z;
                    for (side, height) in [-height, height].into_iter().enumerate() {
                        if height > reach[side].0 {
                            reach[side] = (height, (first + k) as u32);
                        }
                    }
                }
            }
        }
    }
    found
}
