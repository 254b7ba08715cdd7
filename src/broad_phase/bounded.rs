//! Bodies whose bounds are computed for as many bodies at a time as a vector has lanes.

use std::ops::Range;

use bytemuck::Pod;
use fearless_simd::prelude::*;
use glam::Vec3;
use wide::f32x4;

use crate::base::lanes::{self, Simd, axes, dispatch};
use crate::base::parallel;
use crate::broad_phase::grid::vector::vector;
use crate::geometry::bounds::{COARSENESS, Gather, SIZE_ERROR};
use crate::geometry::scene_stats::Gathered;

/// The most lanes of `f32` that any vector has.
pub(crate) const MOST_LANES: usize = 16;

/// A body whose bounds are computed for as many bodies at a time as a vector has lanes.
pub(crate) trait Bounded: Pod + Send + Sync {
    /// Returns the bounds of up to as many valid bodies as there are lanes, each widened by the
    /// margin of its lane. The same body always has the same bounds.
    fn bounds<S: Simd>(simd: S, bodies: &[Self], margin: impl Fn(usize) -> f32) -> LaneBounds<S>;

    /// Like [`bounds`](Self::bounds), for bodies that may be invalid. Returns `true` only if all
    /// are valid.
    fn checked_bounds<S: Simd>(simd: S, bodies: &[Self], margin: impl Fn(usize) -> f32) -> (LaneBounds<S>, bool);
}

/// A body that a grid compares by `N` numbers ([`Columns`]).
///
/// [`Columns`]: crate::broad_phase::grid::columns::Columns
pub(crate) trait Compared<const N: usize>: Bounded {
    /// Lists the numbers of up to as many bodies as there are lanes, each widened by the margin of
    /// its lane, from this place on in all lists but that of the keys.
    fn list<S: Simd>(
        simd: S,
        bodies: &[Self],
        margin: impl Fn(usize) -> f32,
        first: usize,
        lists: &mut [&mut [f32]; N],
    );
}

/// Bounds of bodies, one per lane of the machine's vectors.
pub(crate) struct LaneBounds<S: Simd> {
    pub low: [S::f32s; 3],
    pub high: [S::f32s; 3],
}

impl<S: Simd> LaneBounds<S> {
    /// Returns the [sizes](crate::geometry::bounds::Bounds::size).
    #[inline(always)]
    pub fn sizes(&self) -> S::f32s {
        let Self { low, high } = self;
        let coordinates = axes!(|axis| high[axis].abs().max(low[axis].abs()));
        let extents = axes!(|axis| high[axis] - low[axis]);
        let coordinate = coordinates[0].max(coordinates[1]).max(coordinates[2]);
        let extent = extents[0].max(extents[1]).max(extents[2]).abs();
        extent.max(coordinate * COARSENESS) * (1.0 + SIZE_ERROR)
    }

    /// Returns the corners of the bounds that contain those in the given lanes, in the first three
    /// lanes.
    #[inline(always)]
    pub fn corners(&self, simd: S, given: S::mask32s) -> [f32x4; 2] {
        let some = |number: f32| S::f32s::splat(simd, number);
        let lowest = axes!(|axis| given.select(self.low[axis], some(f32::INFINITY)).reduce_min());
        let highest = axes!(|axis| given.select(self.high[axis], some(f32::NEG_INFINITY)).reduce_max());
        [lowest, highest].map(|corner| vector(Vec3::from_array(corner)))
    }
}

/// Statistics while the bounds of bodies are gathered, a vector of them at a time.
pub(crate) struct GatheredLanes<'a, S: Simd> {
    /// Sizes are counted in turns, because a count waits for the one before it in the same bin.
    gathered: &'a mut [Gathered; 2],
    least: [S::f32s; 3],
    most: [S::f32s; 3],
}

impl<'a, S: Simd> GatheredLanes<'a, S> {
    #[inline(always)]
    pub fn new(simd: S, gathered: &'a mut [Gathered; 2]) -> Self {
        Self {
            gathered,
            least: [S::f32s::splat(simd, f32::INFINITY); 3],
            most: [S::f32s::splat(simd, f32::NEG_INFINITY); 3],
        }
    }

    /// Adds the bounds in the first `count` lanes, given their sizes. Those in the other lanes must
    /// be within them.
    #[inline(always)]
    pub fn add(&mut self, bounds: &LaneBounds<S>, sizes: S::f32s, count: usize) {
        self.least = axes!(|axis| self.least[axis].min(bounds.low[axis]));
        self.most = axes!(|axis| self.most[axis].max(bounds.high[axis]));
        for (lane, size) in sizes.as_slice()[..count].iter().enumerate() {
            self.gathered[lane % 2].add_size(*size);
        }
    }

    /// Adds the corners of all bounds.
    #[inline(always)]
    pub fn finish(self) {
        for lane in 0..S::f32s::LEN {
            let corner = |corners: &[S::f32s; 3]| Vec3::from_array(axes!(|axis| corners[axis].as_slice()[lane]));
            self.gathered[0].add_corners(corner(&self.least), corner(&self.most));
        }
    }
}

/// Returns the statistics of the bounds of bodies, which may be invalid, each widened by `margin`
/// on every side, and whether all are certainly valid.
pub(crate) fn statistics<B: Bounded>(bodies: &[B], margin: impl Fn(u32) -> f32 + Sync + Send) -> (Gathered, bool) {
    let level = lanes::level();
    parallel::fold_ranges(
        bodies.len(),
        || (Gathered::default(), true),
        |range| dispatch!(level, simd => statistics_of(simd, bodies, range, &margin)),
        |a, b| (a.0.merge(b.0), a.1 && b.1),
    )
}

#[inline(always)]
fn statistics_of<S: Simd, B: Bounded>(
    simd: S,
    bodies: &[B],
    range: Range<usize>,
    margin: &(impl Fn(u32) -> f32 + Sync + Send),
) -> (Gathered, bool) {
    let (mut gathered, mut valid) = (<[Gathered; 2]>::default(), true);
    let mut lanes = GatheredLanes::new(simd, &mut gathered);
    for first in range.clone().step_by(S::f32s::LEN) {
        let some = &bodies[first..range.end.min(first + S::f32s::LEN)];
        let (bounds, are_valid) = B::checked_bounds(simd, some, |lane| margin((first + lane) as u32));
        valid &= are_valid;
        lanes.add(&bounds, bounds.sizes(), some.len());
    }
    lanes.finish();
    let [even, odd] = gathered;
    (even.merge(odd), valid)
}
