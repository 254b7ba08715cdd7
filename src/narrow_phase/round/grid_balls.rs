//! Spheres as records of the grid, compared as spheres and not by their bounds: the test of
//! [`filter`](super::filter) takes no longer than one of bounds, and leaves almost nothing to the
//! narrow phase.
//!
//! Walks still use bounds: those of spheres among bodies of several kinds
//! (`src/shapes/round/round_bounds_cpu.rs`), computed when needed. Spheres that collide have bounds
//! that overlap, so each pair of them is found once. If a walk comes across spheres whose bounds do
//! not overlap, one axis proves that they are apart, by more than the filter's error.
//!
//! A margin enlarges radii: each by half of the margin of all pairs, rounded up, and by its own.
//! Spheres within their margin meet with the enlarged radii, except for one rounding of each
//! radius. So R is off by 2 u, as in the filter. Such pairs are candidates, whatever the filter
//! says.

use crate::base::arrays::Mapped;
use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{f32x8, u32x8};
use wide::f32x4;

use crate::base::lanes::{Simd, axes};
use crate::broad_phase::bounded::Compared;
use crate::broad_phase::grid::bounds_walker;
use crate::broad_phase::grid::columns::{ColumnsView, LANES, OF_SPHERES};
use crate::broad_phase::grid::layout::{KEY_BITS, KEY_MASK};
use crate::broad_phase::grid::view::{Row, View};
use crate::broad_phase::hits::{Found, PIECE, WalkHits, numbers_from};
use crate::geometry::pair::Pair;
use crate::narrow_phase::round::filter::FLUSH_SQUARE;
use crate::narrow_phase::round::sphere_sphere_cpu::ERROR;
use crate::shapes::round::round_bounds_cpu::{SphereLanes, ball_corners, reach};
use crate::shapes::round::sphere::Sphere;

/// The coordinates of the center, and the radius with its margin.
impl Compared<OF_SPHERES> for Sphere {
    #[inline(always)]
    fn list<S: Simd>(
        simd: S,
        spheres: &[Self],
        margin: impl Fn(usize) -> f32,
        first: usize,
        lists: &mut [&mut [f32]; OF_SPHERES],
    ) {
        let SphereLanes {
            center: [x, y, z],
            radius,
        } = SphereLanes::load(simd, spheres).widened(simd, margin, spheres.len());
        for (list, numbers) in lists.iter_mut().zip([x, y, z, radius]) {
            list[first..][..spheres.len()].copy_from_slice(&numbers.as_slice()[..spheres.len()]);
        }
    }
}

/// A sphere whose pairs are searched for, repeated in all lanes.
pub(crate) struct Walker<S: Simd> {
    simd: S,
    center: [f32x8<S>; 3],
    radius: f32x8<S>,
}

/// Spheres whose pairs are searched for together, one per lane.
pub(crate) struct Walkers<S: Simd> {
    simd: S,
    /// The positions of the records.
    numbers: S::u32s,
    center: [S::f32s; 3],
    radius: S::f32s,
}

impl<S: Simd> Walkers<S> {
    /// Returns the walkers that the sphere with this number meets or may meet, and those that it
    /// certainly meets. With `AFTER`, only walkers before it do.
    #[inline(always)]
    fn meet<const AFTER: bool>(&self, center: [f32; 3], radius: f32, number: u32) -> [S::mask32s; 2] {
        let splat = |number: f32| S::f32s::splat(self.simd, number);
        let d = axes!(|axis| splat(center[axis]) - self.center[axis]);
        let [meet, colliding] = compare(d, splat(radius) + self.radius);
        if !AFTER {
            return [meet, colliding];
        }
        let before = self.numbers.simd_lt(number);
        [meet & before, colliding & before]
    }
}

impl View for ColumnsView<'_, OF_SPHERES> {
    type Walker<S: Simd> = Walker<S>;
    type Walkers<S: Simd> = Walkers<S>;

    #[inline(always)]
    fn key(self, position: usize) -> u32 {
        self.number(OF_SPHERES - 1, position).to_bits()
    }

    #[inline(always)]
    fn corners_of(self, position: usize) -> [f32x4; 2] {
        ball_corners(f32x4::new([0, 1, 2, 3].mapped(|list| self.number(list, position))))
    }

    #[inline(always)]
    fn walker<S: Simd>(self, simd: S, position: usize) -> Walker<S> {
        Walker {
            simd,
            center: axes!(|axis| f32x8::splat(simd, self.number(axis, position))),
            radius: f32x8::splat(simd, self.number(3, position)),
        }
    }

    #[inline(always)]
    fn meet<S: Simd>(
        self,
        walker: &Walker<S>,
        number: u32,
        row: Row,
        hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
    ) {
        let simd = walker.simd;
        let Row {
            key, length, records, ..
        } = row;
        let mut first = records.start;
        loop {
            let load = |list: usize| f32x8::from_slice(simd, self.lanes(list, first));
            let d = axes!(|i| load(i) - walker.center[i]);
            let [meet, colliding] = compare(d, load(3) + walker.radius);
            let keys = load(4).bitcast::<u32x8<S>>();
            let same_row = ((keys ^ key) >> KEY_BITS).simd_eq(0);
            let in_row = same_row & ((keys - key) & KEY_MASK).simd_lt(length);
            let meet = (meet & in_row).to_bitmask() as u32;
            let colliding = (colliding & in_row).to_bitmask() as u32;
            hits.few(number, first as u32, colliding, Found::Colliding);
            // Undecided pairs are rare, so a branch is cheaper than adding none.
            if meet != colliding {
                hits.few(number, first as u32, meet & !colliding, Found::Candidates);
            }
            first += LANES;
            if first >= records.end {
                break;
            }
        }
    }

    #[inline(always)]
    fn overlap<S: Simd>(self, bounds: &bounds_walker::Walker<S>, first: usize) -> usize {
        let load = |list: usize| f32x8::from_slice(bounds.simd, self.lanes(list, first));
        let radius = load(3);
        bounds.overlap(axes!(|axis| {
            let center = load(axis);
            let reach = reach(center, radius);
            [center - reach, center + reach]
        }))
    }

    #[inline(always)]
    fn walkers<S: Simd>(self, simd: S, records: Range<usize>) -> (Walkers<S>, [f32x4; 2]) {
        let numbers = numbers_from(simd, records.start as u32);
        let is_one = numbers.simd_lt(records.end as u32);
        let center = axes!(|axis| self.vector(simd, axis, records.start));
        let radius = self.vector(simd, 3, records.start);
        let corners = SphereLanes::<S> { center, radius }.bounds().corners(simd, is_one);
        let walkers = Walkers {
            simd,
            numbers,
            // Lanes without a record meet none.
            center: axes!(|axis| is_one.select(center[axis], S::f32s::splat(simd, f32::NAN))),
            radius,
        };
        (walkers, corners)
    }

    #[inline(always)]
    fn meet_any<S: Simd, const AFTER: bool>(
        self,
        walkers: &Walkers<S>,
        run: Range<usize>,
        hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
    ) {
        let &Walkers { simd, numbers, .. } = walkers;
        let centers = axes!(|axis| self.run(axis, &run));
        // All are as long as the first, which the compiler then knows.
        let centers = axes!(|axis| &centers[axis][..centers[0].len()]);
        let radii = &self.run(3, &run)[..centers[0].len()];
        for first in (0..radii.len()).step_by(PIECE) {
            let piece = first..radii.len().min(first + PIECE);
            let mut is_undecided = S::mask32s::splat(simd, false);
            let room = hits.room(Found::Colliding, PIECE * S::f32s::LEN);
            for k in piece.clone() {
                let number = (run.start + k) as u32;
                let [meet, colliding] = walkers.meet::<AFTER>(axes!(|axis| centers[axis][k]), radii[k], number);
                room.put_lanes(simd, numbers, colliding, number);
                is_undecided |= meet & !colliding;
            }
            // Undecided pairs are rare, so finding them again is cheaper than adding none each
            // time.
            if is_undecided.any_true() {
                let room = hits.room(Found::Candidates, PIECE * S::f32s::LEN);
                for k in piece {
                    let number = (run.start + k) as u32;
                    let [meet, colliding] = walkers.meet::<AFTER>(axes!(|axis| centers[axis][k]), radii[k], number);
                    room.put_lanes(simd, numbers, meet & !colliding, number);
                }
            }
        }
    }
}

/// Returns the lanes whose spheres meet or may meet, and those whose spheres certainly meet, given
/// the differences of centers and the sums of radii.
#[inline(always)]
fn compare<S: Simd, F: SimdFloat<S, Element = f32>>(d: [F; 3], reach: F) -> [F::Mask; 2] {
    let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    let squared_reach = reach * reach;
    let error = (square + squared_reach) * ERROR + FLUSH_SQUARE;
    let rest = square - squared_reach;
    [rest.simd_le(error), rest.simd_lt(-error)]
}
