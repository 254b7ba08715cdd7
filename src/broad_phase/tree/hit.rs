//! The search for records that rays meet in a tree, and for those near points, the nearest first.
//!
//! # Why nothing is missed
//!
//! Let `u = 2^-24`. The `t` at which a ray crosses a plane is computed as
//! `(plane - origin) * (1 / d)`, with three roundings. Its error is at most `3.1 u` of it, plus
//! 2^-149 if numbers underflow. If the ray enters a box no later than it leaves it, the computed
//! numbers therefore differ by at most `6.2 u` and 2^-148 in the wrong direction. [`SLACK`] and
//! [`FLUSH`] are larger, even with two more roundings. Nodes are skipped only if the numbers differ
//! by more.
//!
//! The direction is scaled by a power of two, such that its largest component is at least 1 and
//! below 2. All hits of the ray are then at a `t` of less than 2^62, because no coordinate is
//! beyond 2^60. Along an axis where the ray moves by less than [`PARALLEL`] for each `t`, it moves
//! by less than [`DRIFT`] in total. Along the other axes, no inverse is infinite.

use fearless_simd::f32x8;
use fearless_simd::prelude::*;
use glam::Vec3;

use crate::base::lanes::Simd;
use crate::broad_phase::tree::node::{Eight, Extent, LEAF, Nodes, STACK, WIDTH};
use crate::broad_phase::tree::ray::Ray;
use crate::broad_phase::tree::walk::bits;

/// Relative error of the `t` at which a ray leaves a box, compared with the `t` at which it enters
/// it.
const SLACK: f32 = 1.0 + 1.0 / (1u32 << 20) as f32;
/// Absolute error of these numbers near 0: 2^-140.
const FLUSH: f32 = f32::from_bits(1 << 9);
/// 2^-120.
const PARALLEL: f32 = f32::from_bits((127 - 120) << 23);
/// 2^-57.
const DRIFT: f32 = f32::from_bits((127 - 57) << 23);

/// Bit of a child that is a leaf. The other bits are the number of the leaf.
const IS_LEAF: u32 = 1 << 31;

/// A ray in the form that is compared with nodes.
struct Course<S: Simd> {
    simd: S,
    origin: [f32x8<S>; 3],
    /// The inverse of the direction; 0 along axes where the ray hardly moves.
    inverse: [f32x8<S>; 3],
    parallel: [bool; 3],
    negative: [bool; 3],
    /// The `t` of the course that corresponds to a `t` of 1 of the ray.
    scale: f64,
}

impl<S: Simd> Course<S> {
    #[inline(always)]
    fn new(simd: S, ray: &Ray) -> Self {
        // A power of two that makes the largest component at least 1 and below 2. It may be outside
        // the range of `f32`.
        let greatest = f64::from(ray.direction.abs().max_element());
        let scale = f64::from_bits(greatest.to_bits() & 0x7ff << 52);
        let direction = ray.direction.to_array().map(|d| (f64::from(d) / scale) as f32);
        let parallel = direction.map(|d| d.abs() < PARALLEL);
        let inverse = std::array::from_fn(|axis| if parallel[axis] { 0.0 } else { 1.0 / direction[axis] });
        Self {
            simd,
            origin: ray.origin.to_array().map(|x| f32x8::splat(simd, x)),
            inverse: inverse.map(|x: f32| f32x8::splat(simd, x)),
            parallel,
            negative: direction.map(|d| d < 0.0),
            scale,
        }
    }

    /// Converts a `t` of the ray to one of the course, rounded up.
    #[inline(always)]
    fn limit(&self, t: f32) -> f32 {
        ((f64::from(t) * self.scale) as f32).next_up()
    }

    /// Returns a mask of the boxes that the ray may meet up to a limit, one bit each, and the `t`
    /// at which it enters each.
    #[inline(always)]
    fn meet<const PARALLEL: bool>(&self, eight: &Eight, limit: f32) -> (u32, [f32; WIDTH]) {
        let simd = self.simd;
        let mut near = f32x8::splat(simd, 0.0);
        let mut far = f32x8::splat(simd, limit);
        let mut beside = 0;
        for axis in 0..3 {
            let low = f32x8::from_slice(simd, &eight.low[axis]) - self.origin[axis];
            let high = f32x8::from_slice(simd, &eight.high[axis]) - self.origin[axis];
            if PARALLEL && self.parallel[axis] {
                beside |= (low.simd_gt(DRIFT) | high.simd_lt(-DRIFT)).to_bitmask() as u32;
                continue;
            }
            let (first, last) = if self.negative[axis] { (high, low) } else { (low, high) };
            near = near.max(first * self.inverse[axis]);
            far = far.min(last * self.inverse[axis]);
        }
        let mask = near.simd_le(far * SLACK + FLUSH).to_bitmask() as u32;
        (mask & !beside, near.into())
    }
}

/// Calls `found` with every record that the ray may meet up to its limit and with its bounds, those
/// of nearer nodes first. `found` may return a new limit for the records that follow. Records that
/// the ray misses by a rounding error may be among them.
#[inline(always)]
pub(crate) fn along<S: Simd>(simd: S, nodes: &Nodes, ray: &Ray, found: impl FnMut(usize, Extent) -> Option<f32>) {
    let course = Course::new(simd, ray);
    match course.parallel.contains(&true) {
        true => search::<S, true>(&course, nodes, ray.limit, found),
        false => search::<S, false>(&course, nodes, ray.limit, found),
    }
}

/// Returns the lanes of the boxes that may be met, sorted by descending `t` of entry, and their
/// number.
#[inline(always)]
fn sorted(mask: u32, near: &[f32; WIDTH]) -> ([u32; WIDTH], usize) {
    let mut lanes = [0; WIDTH];
    let mut count = 0;
    for lane in bits(mask) {
        let mut at = count;
        while at > 0 && near[lanes[at - 1] as usize & (WIDTH - 1)] < near[lane] {
            lanes[at] = lanes[at - 1];
            at -= 1;
        }
        lanes[at] = lane as u32;
        count += 1;
    }
    (lanes, count)
}

#[inline(always)]
fn search<S: Simd, const PARALLEL: bool>(
    course: &Course<S>,
    nodes: &Nodes,
    limit: f32,
    mut found: impl FnMut(usize, Extent) -> Option<f32>,
) {
    let mut limit = course.limit(limit);
    let mut stack = [(0u32, 0.0f32); STACK];
    let mut waiting = usize::from(!nodes.inner.is_empty());
    while waiting > 0 {
        waiting -= 1;
        let (child, near) = stack[waiting];
        if near > limit * SLACK {
            continue;
        }
        if child & IS_LEAF == 0 {
            let node = &nodes.inner[child as usize];
            let (mask, near) = course.meet::<PARALLEL>(&node.bounds, limit);
            let (lanes, count) = sorted(mask, &near);
            for &lane in &lanes[..count] {
                let lane = lane as usize & (WIDTH - 1);
                let child = match node.child[lane] {
                    LEAF => (node.end[lane] - 1) | IS_LEAF,
                    child => child,
                };
                stack[waiting] = (child, near[lane]);
                waiting += 1;
            }
        } else {
            let leaf = (child & !IS_LEAF) as usize;
            let eight = &nodes.leaves[leaf];
            let (mask, near) = course.meet::<PARALLEL>(eight, limit);
            let (lanes, count) = sorted(mask, &near);
            for &lane in lanes[..count].iter().rev() {
                let lane = lane as usize & (WIDTH - 1);
                if near[lane] > limit * SLACK {
                    break;
                }
                if let Some(t) = found(nodes.starts[leaf] as usize + lane, eight.get(lane)) {
                    limit = limit.min(course.limit(t));
                }
            }
        }
    }
}

/// Returns a mask of the boxes within a distance of a point, one bit each, and the squares of their
/// distances. It is a function because closures that are not inlined are compiled without the
/// vector instructions.
#[inline(always)]
fn squares_around<S: Simd>(at: &[f32x8<S>; 3], eight: &Eight, limit: f32) -> (u32, [f32; WIDTH]) {
    let simd = at[0].simd;
    let mut square = f32x8::splat(simd, 0.0);
    for ((low, high), &at) in eight.low.iter().zip(&eight.high).zip(at) {
        let before = f32x8::from_slice(simd, low) - at;
        let behind = at - f32x8::from_slice(simd, high);
        let distance = before.max(behind).max(f32x8::splat(simd, 0.0));
        square += distance * distance;
    }
    // Missing boxes are infinitely far away.
    let mask = square.simd_le(limit) & square.simd_lt(f32::INFINITY);
    let squares: [f32; WIDTH] = square.into();
    (mask.to_bitmask() as u32, squares)
}

/// Calls `found` with every record that may be within a distance from a point and with the square
/// of its distance, those of nearer nodes first. The square has a relative error of at most 2^-50.
/// `found` returns a new limit of the squared distance for the records that follow.
#[inline(always)]
pub(crate) fn around<S: Simd>(
    simd: S,
    nodes: &Nodes,
    point: Vec3,
    limit: f64,
    mut found: impl FnMut(usize, f64) -> f64,
) {
    let [x, y, z] = point.to_array();
    let at = [f32x8::splat(simd, x), f32x8::splat(simd, y), f32x8::splat(simd, z)];
    // Squares in `f32` have errors of 7 u, and of 2^-148 if they underflow.
    let above = |limit: f64| (limit as f32).next_up() * SLACK + FLUSH;
    let mut limit = above(limit);
    let mut stack = [(0u32, 0.0f32); STACK];
    let mut waiting = usize::from(!nodes.inner.is_empty());
    while waiting > 0 {
        waiting -= 1;
        let (child, near) = stack[waiting];
        if near > limit {
            continue;
        }
        if child & IS_LEAF == 0 {
            let node = &nodes.inner[child as usize];
            let (mask, squares) = squares_around(&at, &node.bounds, limit);
            let (lanes, count) = sorted(mask, &squares);
            for &lane in &lanes[..count] {
                let lane = lane as usize & (WIDTH - 1);
                let child = match node.child[lane] {
                    LEAF => (node.end[lane] - 1) | IS_LEAF,
                    child => child,
                };
                stack[waiting] = (child, squares[lane]);
                waiting += 1;
            }
        } else {
            let leaf = (child & !IS_LEAF) as usize;
            let eight = &nodes.leaves[leaf];
            let (mask, _) = squares_around(&at, eight, limit);
            for lane in bits(mask) {
                let extent = eight.get(lane);
                let (low, high) = (extent.low.as_dvec3(), extent.high.as_dvec3());
                let point = point.as_dvec3();
                let distance = (low - point).max(point - high).max(glam::DVec3::ZERO);
                let within = found(nodes.starts[leaf] as usize + lane, distance.length_squared());
                limit = limit.min(above(within));
            }
        }
    }
}
