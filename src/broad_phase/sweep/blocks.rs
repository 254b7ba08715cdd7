//! Sorted bounds in blocks of as many as the widest machine has lanes, and their comparison with
//! the bounds of one box.

use bytemuck::Zeroable;
use fearless_simd::f32x16;
use fearless_simd::prelude::*;

use crate::base::error::Result;
use crate::base::lanes::Simd;
use crate::base::{memory, parallel};
use crate::geometry::bounds::Bounds;

/// Number of bounds in a block.
pub(super) const LANES: usize = 16;
/// Mask of all bounds of a block.
pub(super) const ALL: u32 = (1 << LANES) - 1;
/// Binary logarithm of the number of blocks, or groups of blocks, whose largest end is kept.
const GROUP_BITS: u32 = 4;
/// Label for out-of-memory errors.
const WHAT: &str = "the sweep";

/// Consecutive bounds: their beginnings and ends along each axis, the first of which is swept.
/// Places beyond the last overlap nothing.
#[derive(Clone, Copy, Zeroable)]
#[repr(C, align(64))]
struct Block {
    low: [[f32; LANES]; 3],
    high: [[f32; LANES]; 3],
}

/// All bounds, and their largest ends.
#[derive(Default)]
pub(super) struct Blocks {
    blocks: Vec<Block>,
    /// The largest end on the first axis of each block, of each group of blocks, of each group of
    /// those, and so on.
    reaches: Vec<Vec<f32>>,
}

/// The bounds whose pairs are searched for, repeated in all lanes.
pub(super) struct Walker<S: Simd> {
    low: [f32x16<S>; 3],
    high: [f32x16<S>; 3],
    /// The beginning and the end on the first axis.
    pub begin: f32,
    pub end: f32,
}

/// A property known to hold for all bounds that a walker is compared with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// All begin no earlier on the first axis.
    First,
    /// All begin no earlier on the second axis.
    Second,
    Nothing,
}

impl Block {
    fn new(bounds: &[Bounds], axes: [usize; 3]) -> Self {
        let mut block = Self {
            low: [[f32::NAN; LANES]; 3],
            high: [[f32::NAN; LANES]; 3],
        };
        for (lane, bounds) in bounds.iter().take(LANES).enumerate() {
            for (k, axis) in axes.into_iter().enumerate() {
                block.low[k][lane] = bounds.low[axis];
                block.high[k][lane] = bounds.high[axis];
            }
        }
        block
    }

    /// Returns a mask of the bounds that overlap the walker, one bit each.
    #[inline(always)]
    fn meet<S: Simd>(&self, simd: S, walker: &Walker<S>, known: Known) -> u32 {
        let begin = |axis: usize| f32x16::from_slice(simd, &self.low[axis]).simd_le(walker.high[axis]);
        let end = |axis: usize| f32x16::from_slice(simd, &self.high[axis]).simd_ge(walker.low[axis]);
        let both = begin(0) & begin(1) & begin(2) & end(2);
        let all = match known {
            Known::First => both & end(1),
            Known::Second => both & end(0),
            Known::Nothing => both & end(0) & end(1),
        };
        all.to_bitmask() as u32
    }
}

impl<S: Simd> Walker<S> {
    #[inline(always)]
    pub fn new(simd: S, bounds: &Bounds, axes: [usize; 3]) -> Self {
        let splat = |corner: glam::Vec3| axes.map(|axis| f32x16::splat(simd, corner[axis]));
        Self {
            low: splat(bounds.low),
            high: splat(bounds.high),
            begin: bounds.low[axes[0]],
            end: bounds.high[axes[0]],
        }
    }
}

impl Blocks {
    /// Number of bytes per bounds, if there are many.
    pub const BYTES: usize = (size_of::<Block>() + 2 * size_of::<f32>()).div_ceil(LANES);

    pub fn fill(&mut self, bounds: &[Bounds], axes: [usize; 3]) -> Result<()> {
        memory::make_scratch(&mut self.blocks, bounds.len().div_ceil(LANES), WHAT)?;
        parallel::fill(&mut self.blocks, |k| Block::new(&bounds[k * LANES..], axes));
        let mut level = 0;
        let mut count = self.blocks.len();
        loop {
            if self.reaches.len() == level {
                self.reaches.push(Vec::new());
            }
            let (finer, coarser) = self.reaches.split_at_mut(level);
            memory::make_scratch(&mut coarser[0], count, WHAT)?;
            match finer.last() {
                None => parallel::fill(&mut coarser[0], |k| largest(&self.blocks[k].high[0])),
                Some(finer) => parallel::fill(&mut coarser[0], |k| {
                    let end = ((k + 1) << GROUP_BITS).min(finer.len());
                    largest(&finer[k << GROUP_BITS..end])
                }),
            }
            level += 1;
            if count <= 1 << GROUP_BITS {
                break;
            }
            count = count.div_ceil(1 << GROUP_BITS);
        }
        self.reaches.truncate(level);
        Ok(())
    }

    pub fn bytes(&self) -> usize {
        let reaches: usize = self.reaches.iter().map(Vec::capacity).sum();
        self.blocks.capacity() * size_of::<Block>() + reaches * size_of::<f32>()
    }

    /// Returns the first block in `block..last` that has bounds which end no earlier than `begin`,
    /// or `last` if there is none.
    #[inline]
    pub fn reaching(&self, mut block: usize, last: usize, begin: f32) -> usize {
        while block < last && self.reaches[0][block] < begin {
            // Whole groups of blocks that end before it are skipped at once.
            let mut level = 0;
            while level + 1 < self.reaches.len()
                && block.trailing_zeros() >= GROUP_BITS * (level as u32 + 1)
                && self.reaches[level + 1][block >> (GROUP_BITS * (level as u32 + 1))] < begin
            {
                level += 1;
            }
            block += 1 << (GROUP_BITS * level as u32);
        }
        block.min(last)
    }

    /// Calls `found(position of the first of a block, mask)` for the bounds at `positions` that
    /// overlap the walker. They must be sorted by their beginnings. Returns the number of
    /// comparisons.
    #[inline(always)]
    pub fn meet<S: Simd>(
        &self,
        simd: S,
        walker: &Walker<S>,
        known: Known,
        positions: std::ops::Range<usize>,
        mut found: impl FnMut(u32, u32),
    ) -> usize {
        let first = positions.start / LANES;
        let last = positions.end.div_ceil(LANES);
        let mut allowed = ALL << (positions.start % LANES);
        let (mut block, mut compared) = (first, 0);
        loop {
            if known != Known::First {
                let next = self.reaching(block, last, walker.begin);
                if next != block {
                    (block, allowed) = (next, ALL);
                }
            }
            // The first block may begin with bounds of another run.
            if block >= last || block > first && self.blocks[block].low[0][0] > walker.end {
                return compared;
            }
            if block + 1 == last {
                allowed &= ALL >> (last * LANES - positions.end);
            }
            let mask = self.blocks[block].meet(simd, walker, known) & allowed;
            found((block * LANES) as u32, mask);
            compared += (allowed & ALL).count_ones() as usize;
            allowed = ALL;
            block += 1;
        }
    }
}

/// Returns the largest of some numbers, ignoring NaNs.
fn largest(numbers: &[f32]) -> f32 {
    numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::base::split_mix::SplitMix;

    #[test]
    fn blocks_that_end_before_are_skipped() {
        let mut random = SplitMix(3);
        for count in [1, 16, 17, 256, 257, 5000, 70_000] {
            let bounds: Vec<Bounds> = (0..count)
                .map(|k| {
                    let low = Vec3::splat(k as f32);
                    // A few bounds are very long.
                    let length = if random.next().is_multiple_of(997) {
                        1e4 * random.unit()
                    } else {
                        8.0 * random.unit()
                    };
                    Bounds {
                        low,
                        tag: 0,
                        high: low + length as f32,
                        id: k as u32,
                    }
                })
                .collect();
            let mut blocks = Blocks::default();
            blocks.fill(&bounds, [0, 1, 2]).expect("enough memory");
            for _ in 0..200 {
                let begin = (random.unit() * 1.2 * f64::from(count)) as f32;
                let last = bounds.len().div_ceil(LANES);
                let block = random.next() as usize % last;
                let ends = |block: usize| {
                    bounds
                        .chunks(LANES)
                        .nth(block)
                        .map(|chunk| chunk.iter().any(|other| other.high.x >= begin))
                };
                let expected = (block..last).find(|&block| ends(block) == Some(true)).unwrap_or(last);
                assert_eq!(blocks.reaching(block, last, begin), expected, "{count} {block} {begin}");
            }
        }
    }
}
