//! Comparison of every pair of bounds. For few bounds this takes less time than sorting them. It
//! exists on the CPU only, because starting work on a device takes longer.

use std::ops::Range;

use bytemuck::Zeroable;

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::broad_phase::bounds_lanes::Sorted;
use crate::broad_phase::bounds_lanes::{Block, Walker};
use crate::broad_phase::hits::{BATCH, Found, Hits, LANES, room};
use crate::broad_phase::operations::Operations;
use crate::broad_phase::phase::{OverBounds, PairSearch};
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;
use crate::geometry::scene_stats::Gathered;
use crate::rules::filter::SetRules;

/// Maximum number of boxes that count as few. By measurement, a grid is faster from about here on.
pub(crate) const FEW: usize = 128;

/// Maximum number of pairs per batch for few boxes: they have few pairs, and a larger batch takes
/// time to clear.
const BATCH_OF_FEW: usize = 128;

/// Calls `found` with batches of the candidate pairs of `bounds`, as positions: each pair once,
/// sorted. There must be at most [`FEW`] bounds. Returns the amount of work.
pub(crate) fn all_pairs(bounds: &[Bounds], found: impl FnMut(&[Pair])) -> Operations {
    let mut blocks = [Block::zeroed(); FEW / LANES];
    let blocks = &mut blocks[..bounds.len().div_ceil(LANES)];
    for (block, bounds) in blocks.iter_mut().zip(bounds.chunks(LANES)) {
        *block = Block::new(bounds);
    }
    pairs_of::<BATCH_OF_FEW>(blocks, bounds, 0..bounds.len(), found)
}

/// Finds the partners of the bounds in `range` among those after them. The blocks hold all bounds.
#[inline(always)]
fn pairs_of<const SIZE: usize>(
    blocks: &[Block],
    bounds: &[Bounds],
    range: Range<usize>,
    mut found: impl FnMut(&[Pair]),
) -> Operations {
    let mut operations = Operations::default();
    let mut room = room::<SIZE>();
    let mut hits = Hits::new(&mut room);
    for i in range {
        let walker = Walker::new(&bounds[i]);
        let first = (i + 1) / LANES;
        let mut allowed = 0b1111 << ((i + 1) % LANES);
        let masks = blocks.iter().skip(first).map(|block| {
            let own = std::mem::replace(&mut allowed, 0b1111);
            block.meet(&walker) & own & 0b1111
        });
        hits.add_many(i as u32, first * LANES, masks, &mut found);
        operations.comparisons += (bounds.len() - i - 1) as u64;
    }
    hits.flush(&mut found);
    operations
}

/// All bounds, each of which is compared with those after it. Worlds are not kept apart.
#[derive(Default)]
pub(crate) struct AllPairs {
    records: Vec<Bounds>,
    blocks: Vec<Block>,
}

impl PairSearch for AllPairs {
    fn len(&self) -> usize {
        self.records.len()
    }

    fn pairs<const COUNT: bool>(
        &self,
        _: &SetRules,
        range: Range<usize>,
        found: &mut dyn FnMut(&[Pair], Found),
    ) -> Operations {
        pairs_of::<BATCH>(&self.blocks, &self.records, range, |pairs| {
            found(pairs, Found::Candidates)
        })
    }
}

impl OverBounds for AllPairs {
    fn build(&mut self, bounds: &mut [Bounds], _: &Gathered, _: &SetRules) -> Result<()> {
        memory::make_scratch(&mut self.records, bounds.len(), "all bounds")?;
        self.records.copy_from_slice(bounds);
        memory::make_scratch(&mut self.blocks, bounds.len() / LANES + 1, "all bounds")?;
        let bounds = &*bounds;
        parallel::fill(&mut self.blocks, |k| Block::new(&bounds[k * LANES..]));
        Ok(())
    }

    fn sorted(&self) -> Sorted<'_> {
        Sorted(&self.records)
    }

    fn meet<const COUNT: bool>(&self, movers: &[Bounds], _: &SetRules, mut found: impl FnMut(Pair)) -> Operations {
        for (b, mover) in (0..).zip(movers) {
            for (a, _) in (0..).zip(&self.records).filter(|(_, other)| mover.overlaps(other)) {
                found(Pair { a, b });
            }
        }
        Operations {
            rows: 0,
            comparisons: (movers.len() * self.records.len()) as u64,
        }
    }

    fn release_scratch(&mut self) {
        self.blocks = Vec::new();
    }

    fn bytes(&self) -> u64 {
        (self.records.capacity() * size_of::<Bounds>() + self.blocks.capacity() * size_of::<Block>()) as u64
    }

    fn bytes_for(boxes: u64) -> u64 {
        let blocks = boxes / LANES as u64 + 1;
        boxes * size_of::<Bounds>() as u64 + blocks * size_of::<Block>() as u64
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::base::split_mix::SplitMix;

    /// Returns bounds of which few, many or all meet: corners are integers below 8, and sizes are
    /// integers below `size`.
    fn some(count: usize, size: u64, random: &mut SplitMix) -> Vec<Bounds> {
        let mut vector = |below: u64| Vec3::from_array(std::array::from_fn(|_| (random.next() % below) as f32));
        let one = |id| {
            let low = vector(8);
            Bounds {
                low,
                tag: 0,
                high: low + vector(size),
                id,
            }
        };
        (0..count as u32).map(one).collect()
    }

    #[test]
    fn pairs_match_a_double_loop() {
        let mut random = SplitMix(3);
        let (mut passed_on, mut most) = (0, 0);
        for count in (0..=FEW).chain([200, 1000]) {
            for size in [1, 4, 40] {
                let bounds = some(count, size, &mut random);
                let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
                let expected: Vec<Pair> = pairs
                    .filter(|&(a, b)| bounds[a].overlaps(&bounds[b]))
                    .map(|(a, b)| Pair::new(a as u32, b as u32))
                    .collect();
                let mut found = Vec::new();
                if count <= FEW {
                    let operations = all_pairs(&bounds, |pairs| {
                        passed_on += 1;
                        found.extend_from_slice(pairs);
                    });
                    assert!(found == expected, "{count} records, sizes below {size}");
                    assert_eq!(operations.comparisons as usize, count * count.saturating_sub(1) / 2);
                    found.clear();
                }
                let mut search = AllPairs::default();
                search
                    .build(&mut bounds.clone(), &Gathered::default(), &SetRules::default())
                    .expect("memory");
                for range in [0..count / 3, count / 3..count] {
                    search.pairs::<false>(&SetRules::default(), range, &mut |pairs, what| {
                        assert_eq!(what, Found::Candidates);
                        found.extend_from_slice(pairs);
                    });
                }
                assert!(found == expected, "{count} records in parts, sizes below {size}");
                most = most.max(expected.len());
            }
        }
        // Far more pairs than fit a batch, and often.
        assert!(most > 100 * BATCH && passed_on > 2000, "{most} {passed_on}");
    }
}
