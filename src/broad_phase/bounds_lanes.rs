//! Bounds in the lanes of vectors, four at a time, and their comparison with those of one record.

use std::ops::Range;

use bytemuck::{Pod, Zeroable, cast, cast_ref, cast_slice_mut};
use wide::{f32x4, i32x4, u32x4};

use crate::base::error::Result;
use crate::base::lanes::Simd;
use crate::base::{memory, parallel};
use crate::broad_phase::grid::layout::{KEY_BITS, KEY_MASK};
use crate::broad_phase::grid::record::{self, Record};
use crate::broad_phase::hits::{Found, LANES, WalkHits};
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;

/// Four consecutive records: their bounds, cell keys and ids, in the memory of the records
/// themselves.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Block {
    low: [f32x4; 3],
    high: [f32x4; 3],
    key: u32x4,
    id: u32x4,
}

/// Mask of all records of a block, one bit each.
const ALL: usize = (1 << LANES) - 1;

/// Bounds that overlap nothing.
const NOTHING: Bounds = Bounds {
    low: glam::Vec3::NAN,
    tag: 0,
    high: glam::Vec3::NAN,
    id: 0,
};

/// Records in the order of a broad phase.
#[derive(Clone, Copy)]
pub(crate) enum Sorted<'a> {
    Records(&'a [Bounds]),
    Blocks(&'a [Block]),
}

impl Sorted<'_> {
    /// Returns the record at a position.
    #[inline(always)]
    pub fn record(self, position: usize) -> Bounds {
        match self {
            Self::Records(records) => records[position],
            Self::Blocks(blocks) => blocks[position / LANES].record(position % LANES),
        }
    }

    /// Returns the id of the record at a position.
    #[inline(always)]
    pub fn id(self, position: usize) -> u32 {
        match self {
            Self::Records(records) => records[position].id,
            Self::Blocks(blocks) => blocks[position / LANES].id(position % LANES),
        }
    }
}

impl Record for Bounds {
    type Lanes = Vec<Block>;
    type Taken = u32;
    const CELLS: &[(f32, f32)] = &[];

    #[inline(always)]
    fn id(&self) -> u32 {
        self.id
    }

    #[inline(always)]
    fn key(&self) -> u32 {
        self.tag
    }

    #[inline(always)]
    fn corners(&self) -> [f32x4; 2] {
        cast(*self)
    }
}

/// The records in groups of four. There is always at least one more place than records.
impl record::Lanes for Vec<Block> {
    type Record = Bounds;
    type Walker<S: Simd> = Walker;
    const BYTES: usize = size_of::<Block>() / LANES;

    fn make_room(&mut self, records: usize) -> Result<()> {
        const { assert!(size_of::<Block>() == LANES * size_of::<Bounds>()) };
        Ok(memory::make_scratch(self, records / LANES + 1, "the grid")?)
    }

    fn unfilled(&mut self) -> &mut [Bounds] {
        cast_slice_mut(self)
    }

    fn fill(&mut self, records: usize) -> Result<()> {
        self.unfilled()[records..].fill(NOTHING);
        parallel::update(self, |_, block| *block = Block::of(cast(*block)));
        Ok(())
    }

    #[inline(always)]
    fn record(&self, position: usize) -> Bounds {
        self[position / LANES].record(position % LANES)
    }

    fn bytes(&self) -> usize {
        self.capacity() * size_of::<Block>()
    }

    #[inline(always)]
    fn walker<S: Simd>(_: S, record: &Bounds) -> Walker {
        Walker::new(record)
    }

    #[inline(always)]
    fn meet<S: Simd>(
        &self,
        walker: &Walker,
        number: u32,
        row: record::Row,
        hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
    ) {
        let record::Row { key, length, records } = row;
        let row = Row {
            start: u32x4::splat(key),
            length: i32x4::splat(length as i32),
        };
        // The blocks of a run may extend beyond it: records there lie in other cells, as do some
        // records of folded slots. A run can therefore always have at least one block, which is
        // easier to predict.
        let mut allowed = 0b1111 << (records.start % LANES);
        let blocks = records.start / LANES..records.end.max(records.start + 1).div_ceil(LANES);
        let mut base = u32x4::splat((records.start / LANES * LANES) as u32);
        for block in &self[blocks] {
            hits.candidates(number, base, block.meet_in(walker, &row) & allowed);
            allowed = 0b1111;
            base += u32x4::splat(LANES as u32);
        }
    }
}

impl Block {
    /// Creates a block of up to four records. Missing records overlap nothing.
    pub fn new(records: &[Bounds]) -> Self {
        Self::of(std::array::from_fn(|lane| *records.get(lane).unwrap_or(&NOTHING)))
    }

    /// Creates the block of these records.
    #[inline(always)]
    fn of(records: [Bounds; LANES]) -> Self {
        let rows = records.map(cast::<Bounds, [f32x4; 2]>);
        let [low_x, low_y, low_z, key] = f32x4::transpose(rows.map(|row| row[0]));
        let [high_x, high_y, high_z, id] = f32x4::transpose(rows.map(|row| row[1]));
        Self {
            low: [low_x, low_y, low_z],
            high: [high_x, high_y, high_z],
            key: cast(key),
            id: cast(id),
        }
    }

    /// Returns the record in a lane.
    #[inline(always)]
    fn record(&self, lane: usize) -> Bounds {
        let words: &[[u32; LANES]; 8] = cast_ref(self);
        let number = |word: usize| f32::from_bits(words[word][lane]);
        Bounds {
            low: glam::Vec3::new(number(0), number(1), number(2)),
            tag: words[6][lane],
            high: glam::Vec3::new(number(3), number(4), number(5)),
            id: words[7][lane],
        }
    }

    /// Returns the id of the record in a lane.
    #[inline(always)]
    fn id(&self, lane: usize) -> u32 {
        let ids: &[u32; LANES] = cast_ref(&self.id);
        ids[lane]
    }

    /// Returns a mask of the records that overlap the walker and lie in the row, one bit each.
    #[inline(always)]
    fn meet_in(&self, walker: &Walker, row: &Row) -> usize {
        (self.overlap(walker) & row.holds(self.key)).to_bitmask() as usize
    }

    /// Returns a mask of the records that overlap the walker, one bit each.
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

/// Returns the records at these positions whose bounds overlap those of a walker, with their
/// positions.
#[inline]
pub(crate) fn overlapping<'a>(
    blocks: &'a [Block],
    range: Range<usize>,
    walker: &'a Walker,
) -> impl Iterator<Item = (u32, Bounds)> + 'a {
    let Range { start, end } = range;
    (start / LANES..end.div_ceil(LANES)).flat_map(move |k| {
        let first = k * LANES;
        let within = ALL << start.saturating_sub(first) & ALL >> (first + LANES).saturating_sub(end);
        let block = &blocks[k];
        let mut met = block.meet(walker) & within;
        std::iter::from_fn(move || {
            let lane = met.trailing_zeros() as usize;
            (met != 0).then(|| {
                met &= met - 1;
                ((first + lane) as u32, block.record(lane))
            })
        })
    })
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
            low: record.low.to_array().map(f32x4::splat),
            high: record.high.to_array().map(f32x4::splat),
        }
    }
}

/// A row of cells: the key of the first and their number, each repeated four times.
struct Row {
    start: u32x4,
    length: i32x4,
}

impl Row {
    /// Returns a mask of the cells with these keys that are in the row: all bits of a lane, or
    /// none.
    #[inline(always)]
    fn holds(&self, key: u32x4) -> u32x4 {
        let same_row = ((key ^ self.start) >> KEY_BITS).simd_eq(u32x4::splat(0));
        let along: i32x4 = cast((key - self.start) & u32x4::splat(KEY_MASK));
        let in_row: u32x4 = cast(along.simd_lt(self.length));
        same_row & in_row
    }
}

#[cfg(test)]
mod tests {
    use glam::{UVec3, Vec3};

    use super::*;
    use crate::base::split_mix::SplitMix;
    use crate::broad_phase::grid::layout::cell_key;
    use crate::broad_phase::grid::record::Lanes as _;

    #[test]
    fn a_block_meets_everything_its_records_meet() {
        let walker = Bounds {
            low: Vec3::ZERO,
            tag: 0,
            high: Vec3::ONE,
            id: 0,
        };
        let lanes = Walker::new(&walker);
        // Rows that wrap at 512 cells, and a row of another level.
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
                    tag: cell_key(
                        level,
                        0,
                        start + UVec3::new(offset / 27 + lane as u32, 0, lane as u32 / 3),
                    ),
                    high: low + Vec3::splat(lane as f32 * 0.5),
                    id: 0,
                });
                let row = Row {
                    start: u32x4::splat(cell_key(0, 0, start)),
                    length: i32x4::splat(4),
                };
                let in_row = |record: &Bounds| {
                    let key = cell_key(0, 0, start);
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

    #[test]
    fn records_round_trip_through_blocks() {
        let mut random = SplitMix(9);
        let mut number = || (random.next() % 9) as f32;
        let records: Vec<Bounds> = (0..23)
            .map(|k| {
                let low = Vec3::new(number(), number(), number());
                Bounds {
                    low,
                    tag: k * 7 + 3,
                    high: low + Vec3::new(number(), number(), number()),
                    id: 100 - k,
                }
            })
            .collect();
        let mut found = 0;
        for count in 0..=records.len() {
            let records = &records[..count];
            let mut blocks = Vec::<Block>::new();
            blocks.make_room(count).expect("memory");
            blocks.unfilled()[..count].copy_from_slice(records);
            blocks.fill(count).expect("memory");
            let sorted = Sorted::Blocks(&blocks);
            for (k, record) in records.iter().enumerate() {
                assert_eq!((blocks.record(k), sorted.id(k)), (*record, record.id));
                assert_eq!(Sorted::Records(records).id(k), record.id);
            }
            for (start, end) in (0..=count).flat_map(|end| (0..=end).map(move |start| (start, end))) {
                let Some(mover) = records.get(count / 2) else {
                    continue;
                };
                let expected = (start..end).filter(|&k| mover.overlaps(&records[k]));
                let expected: Vec<(u32, Bounds)> = expected.map(|k| (k as u32, records[k])).collect();
                let walker = Walker::new(mover);
                let those: Vec<(u32, Bounds)> = overlapping(&blocks, start..end, &walker).collect();
                assert_eq!(those, expected, "{start}..{end} of {count}");
                found += those.len();
            }
        }
        assert!(found > 1000, "{found}");
    }
}
