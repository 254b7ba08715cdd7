//! Bounds as records of the grid, which are compared with one walker eight at a time, or one at a
//! time with as many walkers as a vector has lanes.

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{f32x8, u32x8};
use glam::Vec3;
use wide::f32x4;

use crate::base::arrays::Mapped;
use crate::base::lanes::{Simd, axes};
use crate::broad_phase::bounded::LaneBounds;
use crate::broad_phase::grid::bounds_walker::Walker;
use crate::broad_phase::grid::columns::{ColumnsView, LANES, OF_BOUNDS};
use crate::broad_phase::grid::layout::{KEY_BITS, KEY_MASK};
use crate::broad_phase::grid::view::{Row, View};
use crate::broad_phase::hits::{Found, PIECE, WalkHits, numbers_from};
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;

/// Returns the numbers of bounds that are compared, and the id.
pub(crate) fn columns_of(bounds: &Bounds) -> ([f32; OF_BOUNDS], u32) {
    let Bounds { low, high, tag, id } = bounds;
    ([low.x, low.y, low.z, high.x, high.y, high.z, f32::from_bits(*tag)], *id)
}

/// Bounds whose pairs are searched for together, one per lane.
pub(crate) struct Walkers<S: Simd> {
    simd: S,
    /// The positions of the records.
    numbers: S::u32s,
    low: [S::f32s; 3],
    high: [S::f32s; 3],
}

impl View for ColumnsView<'_, OF_BOUNDS> {
    type Walker<S: Simd> = Walker<S>;
    type Walkers<S: Simd> = Walkers<S>;

    #[inline(always)]
    fn key(self, position: usize) -> u32 {
        self.number(OF_BOUNDS - 1, position).to_bits()
    }

    #[inline(always)]
    fn corners_of(self, position: usize) -> [f32x4; 2] {
        let corner =
            |list: usize| f32x4::new([list, list + 1, list + 2, list + 2].mapped(|list| self.number(list, position)));
        [corner(0), corner(3)]
    }

    #[inline(always)]
    fn walker<S: Simd>(self, simd: S, position: usize) -> Walker<S> {
        let corner = |list: usize| Vec3::from_array([0, 1, 2].mapped(|axis| self.number(list + axis, position)));
        Walker::between(simd, corner(0), corner(3))
    }

    #[inline(always)]
    fn meet<S: Simd>(
        self,
        walker: &Walker<S>,
        number: u32,
        row: Row,
        hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
    ) {
        let Row {
            key, length, records, ..
        } = row;
        if !row.shared {
            return meet_run(self, walker, number, records, hits);
        }
        scan(
            records,
            number,
            hits,
            #[inline(always)]
            |first| {
                let keys = f32x8::from_slice(walker.simd, self.lanes(6, first)).bitcast::<u32x8<S>>();
                let same_row = ((keys ^ key) >> KEY_BITS).simd_eq(0);
                let in_row = same_row & ((keys - key) & KEY_MASK).simd_lt(length);
                self.overlap(walker, first) & in_row.to_bitmask() as usize
            },
        );
    }

    #[inline(always)]
    fn overlap<S: Simd>(self, bounds: &Walker<S>, first: usize) -> usize {
        let load = |list: usize| f32x8::from_slice(bounds.simd, self.lanes(list, first));
        bounds.overlap(axes!(|axis| [load(axis), load(3 + axis)]))
    }

    #[inline(always)]
    fn walkers<S: Simd>(self, simd: S, records: Range<usize>) -> (Walkers<S>, [f32x4; 2]) {
        let first = records.start;
        let numbers = numbers_from(simd, first as u32);
        let is_one = numbers.simd_lt(records.end as u32);
        let low = axes!(|axis| self.vector(simd, axis, first));
        let high = axes!(|axis| self.vector(simd, 3 + axis, first));
        let walkers = Walkers {
            simd,
            numbers,
            // Lanes without a record meet none.
            low: axes!(|axis| is_one.select(low[axis], S::f32s::splat(simd, f32::NAN))),
            high,
        };
        (walkers, LaneBounds::<S> { low, high }.corners(simd, is_one))
    }

    #[inline(always)]
    fn meet_any<S: Simd, const AFTER: bool>(
        self,
        walkers: &Walkers<S>,
        run: Range<usize>,
        hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
    ) {
        let &Walkers {
            simd,
            numbers,
            low,
            high,
        } = walkers;
        let lows = axes!(|axis| self.run(axis, &run));
        // All are as long as the first, which the compiler then knows.
        let lows = axes!(|axis| &lows[axis][..lows[0].len()]);
        let highs = axes!(|axis| &self.run(3 + axis, &run)[..lows[0].len()]);
        for first in (0..lows[0].len()).step_by(PIECE) {
            let hits = hits.room(Found::Candidates, PIECE * S::f32s::LEN);
            for k in first..lows[0].len().min(first + PIECE) {
                let [x, y, z] = axes!(|axis| {
                    let (from, to) = (lows[axis][k], highs[axis][k]);
                    S::f32s::splat(simd, from).simd_le(high[axis]) & low[axis].simd_le(S::f32s::splat(simd, to))
                });
                let (mut met, number) = (x & y & z, (run.start + k) as u32);
                if AFTER {
                    met &= numbers.simd_lt(number);
                }
                hits.put_lanes(simd, numbers, met, number);
            }
        }
    }
}

/// Adds the records of a run whose bounds overlap those of the walker with this number, without
/// regard to keys.
#[inline(always)]
pub(crate) fn meet_run<S: Simd>(
    view: impl View,
    walker: &Walker<S>,
    number: u32,
    run: Range<usize>,
    hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
) {
    scan(
        run,
        number,
        hits,
        #[inline(always)]
        |first| view.overlap(walker, first),
    );
}

/// Adds the records of a run that the walker with this number meets, given the mask of those that
/// it meets among eight. An empty run is compared, too: a branch for it would be mispredicted.
#[inline(always)]
pub(crate) fn scan(
    run: Range<usize>,
    number: u32,
    hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
    meets: impl Fn(usize) -> usize,
) {
    let (mut first, mut left) = (run.start as u32, run.len() as u32);
    loop {
        let mask = meets(first as usize) & ((1 << left.min(LANES as u32)) - 1);
        if mask != 0 {
            hits.room(Found::Candidates, LANES).put_two(number, first, mask);
        }
        if left <= LANES as u32 {
            break;
        }
        first += LANES as u32;
        left -= LANES as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::lanes::{self, dispatch};
    use crate::base::split_mix::SplitMix;
    use crate::broad_phase::grid::columns::Columns;

    #[test]
    fn a_walker_meets_what_each_of_the_bounds_meets() {
        let mut random = SplitMix(7);
        // Few different numbers, so that many bounds touch; both zeros and numbers next to zero.
        let values = [-1.0, -1e-45, -0.0, 0.0, 1e-45, 1.0, f32::MIN_POSITIVE, 2.0];
        let mut corner = || Vec3::from_array([(); 3].map(|()| values[random.next() as usize % values.len()]));
        let mut bounds = |k: u32| {
            let (a, b) = (corner(), corner());
            Bounds {
                low: a.min(b),
                tag: k.wrapping_mul(0x9E37_79B1),
                high: a.max(b),
                id: u32::MAX - k,
            }
        };
        let mut met = 0;
        for k in 0..2000 {
            let walker = bounds(k);
            // The last lanes are beyond the records.
            let records: Vec<Bounds> = (0..LANES as u32 + k % 3).map(|lane| bounds(lane + k)).collect();
            let mut columns = Columns::default();
            columns.fill(&records, columns_of).expect("memory");
            let first = records.len() - LANES + (k % 5) as usize;
            let expected = (first..records.len()).filter(|&i| walker.overlaps(&records[i]));
            let expected = expected.fold(0, |mask, i| mask | 1 << (i - first));
            let mask = dispatch!(lanes::level(), simd => columns.view().overlap(&Walker::of(simd, &walker), first));
            assert_eq!(mask, expected);
            met += mask.count_ones();
        }
        assert!((1000..15_000).contains(&met), "{met}");
    }
}
