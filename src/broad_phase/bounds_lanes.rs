//! Bounds in the lanes of vectors, four at a time, and their comparison with those of one record.

use crate::base::arrays::{Mapped, by_index};
use bytemuck::{Pod, Zeroable, cast};
use wide::{f32x4, u32x4};

use crate::broad_phase::hits::LANES;
use crate::geometry::bounds::Bounds;

/// The bounds of four consecutive records.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Block {
    low: [f32x4; 3],
    high: [f32x4; 3],
}

/// Bounds that overlap nothing.
const NOTHING: Bounds = Bounds {
    low: glam::Vec3::NAN,
    tag: 0,
    high: glam::Vec3::NAN,
    id: 0,
};

/// Records in the order of a broad phase.
#[derive(Clone, Copy)]
pub(crate) struct Sorted<'a>(pub &'a [Bounds]);

impl Sorted<'_> {
    /// Returns the record at a position.
    #[inline(always)]
    pub fn record(self, position: usize) -> Bounds {
        self.0[position]
    }

    /// Returns the id of the record at a position.
    #[inline(always)]
    pub fn id(self, position: usize) -> u32 {
        self.0[position].id
    }
}

impl Block {
    /// Creates a block of up to four records. Missing records overlap nothing.
    pub fn new(records: &[Bounds]) -> Self {
        let records: [Bounds; LANES] = by_index(|lane| *records.get(lane).unwrap_or(&NOTHING));
        let rows = records.mapped(cast::<Bounds, [f32x4; 2]>);
        let [low_x, low_y, low_z, _] = f32x4::transpose(rows.mapped(|row| row[0]));
        let [high_x, high_y, high_z, _] = f32x4::transpose(rows.mapped(|row| row[1]));
        Self {
            low: [low_x, low_y, low_z],
            high: [high_x, high_y, high_z],
        }
    }

    /// Returns a mask of the records that overlap the walker, one bit each.
    #[inline(always)]
    pub(crate) fn meet(&self, walker: &Walker) -> usize {
        let below = |axis: usize| self.low[axis].simd_le(walker.high[axis]);
        let above = |axis: usize| walker.low[axis].simd_le(self.high[axis]);
        let overlap: u32x4 = cast((below(0) & above(0)) & (below(1) & above(1)) & (below(2) & above(2)));
        overlap.to_bitmask() as usize
    }
}

/// The bounds of the record whose pairs are searched for, each repeated four times.
pub(crate) struct Walker {
    pub low: [f32x4; 3],
    pub high: [f32x4; 3],
}

impl Walker {
    #[inline(always)]
    pub fn new(record: &Bounds) -> Self {
        Self {
            low: record.low.to_array().mapped(f32x4::splat),
            high: record.high.to_array().mapped(f32x4::splat),
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::base::split_mix::SplitMix;

    #[test]
    fn a_block_meets_everything_its_records_meet() {
        let mut random = SplitMix(9);
        let mut number = || (random.next() % 5) as f32;
        let mut bounds = || {
            let low = Vec3::new(number(), number(), number());
            Bounds {
                low,
                tag: 0,
                high: low + Vec3::new(number(), number(), number()),
                id: 0,
            }
        };
        let mut met = 0;
        for count in (0..=LANES).cycle().take(500) {
            let walker = bounds();
            let records: Vec<Bounds> = (0..count).map(|_| bounds()).collect();
            let expected = (0..count).filter(|&k| walker.overlaps(&records[k]));
            let expected = expected.fold(0, |mask, k| mask | 1 << k);
            assert_eq!(Block::new(&records).meet(&Walker::new(&walker)), expected);
            met += expected.count_ones();
        }
        assert!((100..900).contains(&met), "{met}");
    }
}
