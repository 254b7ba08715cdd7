//! Bounds in the lanes of vectors, four at a time, and which of them those of one record meet.
//!
//! Hits are appended without a branch: whether two bounds overlap is practically random, and a mispredicted branch costs as much
//! as ten comparisons.

use bytemuck::{Zeroable, cast};
use wide::{f32x4, i32x4, u32x4};

use crate::broad_phase::grid::layout::{KEY_BITS, KEY_MASK};
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;

/// Records of a block.
pub(crate) const LANES: usize = 4;

/// The most pairs found at a time.
pub(crate) const BATCH: usize = 1024;

/// The records named by the bits of a mask, in ascending order, and their number.
const LANES_OF: [([u32; LANES], usize); 1 << LANES] = {
    let mut hits = [([0; LANES], 0); 1 << LANES];
    let mut mask = 0;
    while mask < hits.len() {
        let mut lane = 0;
        while lane < LANES {
            if mask >> lane & 1 == 1 {
                hits[mask].0[hits[mask].1] = lane as u32;
                hits[mask].1 += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    hits
};

/// The bounds and cell keys of four consecutive records.
#[derive(Clone, Copy, Zeroable)]
#[repr(C)]
pub(crate) struct Block {
    low: [f32x4; 3],
    high: [f32x4; 3],
    key: u32x4,
}

impl Block {
    /// A block of up to four records. Missing records overlap nothing.
    pub fn new(records: &[Bounds]) -> Self {
        let nothing = Bounds {
            low: glam::Vec3::NAN,
            tag: 0,
            high: glam::Vec3::NAN,
            id: 0,
        };
        let record = |lane: usize| *records.get(lane).unwrap_or(&nothing);
        let rows: [[f32x4; 2]; LANES] = std::array::from_fn(|lane| bytemuck::cast(record(lane)));
        let [low_x, low_y, low_z, key] = f32x4::transpose(rows.map(|row| row[0]));
        let [high_x, high_y, high_z, _] = f32x4::transpose(rows.map(|row| row[1]));
        Self {
            low: [low_x, low_y, low_z],
            high: [high_x, high_y, high_z],
            key: bytemuck::cast(key),
        }
    }

    /// Which records overlap the walker and lie in the row, one bit each.
    #[inline(always)]
    pub(crate) fn meet_in(&self, walker: &Walker, row: &Row) -> usize {
        let same_row = ((self.key ^ row.start) >> KEY_BITS).simd_eq(u32x4::splat(0));
        let along: i32x4 = cast((self.key - row.start) & u32x4::splat(KEY_MASK));
        let in_row: u32x4 = cast(along.simd_lt(row.length));
        (self.overlap(walker) & same_row & in_row).to_bitmask() as usize
    }

    /// Which records overlap the walker, one bit each.
    #[inline(always)]
    pub(crate) fn meet(&self, walker: &Walker) -> usize {
        self.overlap(walker).to_bitmask() as usize
    }

    #[inline(always)]
    fn overlap(&self, walker: &Walker) -> u32x4 {
        let below = |axis: usize| self.low[axis].simd_le(walker.high[axis]);
        let above = |axis: usize| walker.low[axis].simd_le(self.high[axis]);
        cast((below(0) & above(0)) & (below(1) & above(1)) & (below(2) & above(2)))
    }
}

/// The bounds of the record whose pairs are sought, each repeated four times.
pub(crate) struct Walker {
    pub low: [f32x4; 3],
    pub high: [f32x4; 3],
}

impl Walker {
    #[inline(always)]
    pub fn new(record: &Bounds) -> Self {
        Self {
            low: record.low.to_array().map(f32x4::splat),
            high: record.high.to_array().map(f32x4::splat),
        }
    }
}

/// Pairs on their way, in batches of at most `SIZE`.
pub(crate) struct Hits<F, const SIZE: usize> {
    pairs: [Pair; SIZE],
    count: usize,
    found: F,
}

impl<F: FnMut(&[Pair]), const SIZE: usize> Hits<F, SIZE> {
    #[inline(always)]
    pub fn new(found: F) -> Self {
        Self {
            pairs: [Pair { a: 0, b: 0 }; SIZE],
            count: 0,
            found,
        }
    }

    /// Adds the pairs of a record with those of a block, which begins with the record `base`, that a mask names.
    #[inline(always)]
    pub fn add(&mut self, record: u32, base: u32x4, mask: usize) {
        let (lanes, hits) = LANES_OF[mask];
        if self.count > SIZE - LANES {
            self.flush();
        }
        // Four are written; those that are not hits are overwritten.
        if let Some(place) = self.pairs[self.count..].first_chunk_mut() {
            *place = pairs_of(record, base + u32x4::new(lanes));
        }
        self.count += hits;
    }

    /// Passes on what has been added.
    #[inline(always)]
    pub fn flush(&mut self) {
        (self.found)(&self.pairs[..self.count]);
        self.count = 0;
    }
}

/// The pairs of one record with four others.
#[inline(always)]
fn pairs_of(a: u32, b: u32x4) -> [Pair; LANES] {
    let a = u32x4::splat(a);
    cast([a.unpack_lo(b), a.unpack_hi(b)])
}

/// A row of cells: the key of the first and their number, each repeated four times.
pub(crate) struct Row {
    pub start: u32x4,
    pub length: i32x4,
}

#[cfg(test)]
mod tests {
    use glam::{UVec3, Vec3};

    use super::*;
    use crate::broad_phase::grid::layout::cell_key;

    #[test]
    fn a_block_meets_what_its_records_meet() {
        let walker = Bounds {
            low: Vec3::ZERO,
            tag: 0,
            high: Vec3::ONE,
            id: 0,
        };
        let lanes = Walker::new(&walker);
        // Rows that wrap at 512 cells, and one of another level.
        let row_starts = [
            (0, UVec3::new(510, 3, 9)),
            (0, UVec3::new(2, 511, 0)),
            (5, UVec3::new(0, 3, 9)),
        ];
        let mut met = 0;
        for (level, start) in row_starts {
            for offset in 0..3 * 3 * 3 * 6 {
                let low = Vec3::new((offset % 3) as f32, (offset / 3 % 3) as f32, (offset / 9 % 3) as f32) - 1.0;
                let records: [Bounds; LANES] = std::array::from_fn(|lane| Bounds {
                    low: low + Vec3::splat(lane as f32 * 0.25),
                    tag: cell_key(level, start + UVec3::new(offset / 27 + lane as u32, 0, lane as u32 / 3)),
                    high: low + Vec3::splat(lane as f32 * 0.5),
                    id: 0,
                });
                let row = Row {
                    start: u32x4::splat(cell_key(0, start)),
                    length: i32x4::splat(4),
                };
                let in_row = |record: &Bounds| {
                    let key = cell_key(0, start);
                    (0..4).any(|x| {
                        let x = ((key & KEY_MASK) + x) & KEY_MASK;
                        record.tag == (key >> KEY_BITS << KEY_BITS | x)
                    })
                };
                for count in 0..=LANES {
                    let expected = (0..count).filter(|&k| walker.overlaps(&records[k]) && in_row(&records[k]));
                    let expected = expected.fold(0, |mask, k| mask | 1 << k);
                    assert_eq!(Block::new(&records[..count]).meet_in(&lanes, &row), expected);
                    met += expected.count_ones();
                }
            }
        }
        assert!(met > 100, "{met}");
    }
}
