//! Every pair of bounds: for few, comparing all takes less time than sorting them. On the CPU alone: a device takes longer to start
//! than this.

use std::ops::Range;

use bytemuck::Zeroable;

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::broad_phase::bounds_lanes::{Block, Walker};
use crate::broad_phase::hits::{BATCH, Found, Hits, LANES, room};
use crate::broad_phase::operations::Operations;
use crate::broad_phase::phase::{OverBounds, PairSearch};
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;
use crate::rules::filter::SetRules;

/// The most boxes that are few. Measured: from about here on a grid is faster.
pub(crate) const FEW: usize = 128;

/// The most pairs found at a time among few: they have few, and room for more takes time to clear.
const BATCH_OF_FEW: usize = 128;

/// Calls `found` with batches of the candidate pairs of `bounds`, of which there are at most [`FEW`], as positions: each
/// pair once, sorted. Returns the amount of work.
pub(crate) fn all_pairs(bounds: &[Bounds], found: impl FnMut(&[Pair])) -> Operations {
    let mut blocks = [Block::zeroed(); FEW / LANES];
    let blocks = &mut blocks[..bounds.len().div_ceil(LANES)];
    for (block, bounds) in blocks.iter_mut().zip(bounds.chunks(LANES)) {
        *block = Block::new(bounds);
    }
    pairs_of::<BATCH_OF_FEW>(blocks, bounds, 0..bounds.len(), found)
}

/// Finds the partners of some bounds among those after them. The blocks hold all of them.
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

/// All bounds, each to be compared with those after it. Worlds are not kept apart.
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
        mut found: impl FnMut(&[Pair], Found),
    ) -> Operations {
        pairs_of::<BATCH>(&self.blocks, &self.records, range, |pairs| {
            found(pairs, Found::Candidates)
        })
    }
}

impl OverBounds for AllPairs {
    fn build(&mut self, bounds: &[Bounds], _: &SetRules) -> Result<()> {
        memory::make_scratch(&mut self.records, bounds.len(), "all bounds")?;
        self.records.copy_from_slice(bounds);
        memory::make_scratch(&mut self.blocks, bounds.len() / LANES + 1, "all bounds")?;
        parallel::fill(&mut self.blocks, |k| Block::new(&bounds[k * LANES..]));
        Ok(())
    }

    fn records(&self) -> &[Bounds] {
        &self.records
    }

    fn meet<const COUNT: bool>(&self, movers: &[Bounds], _: &SetRules, mut found: impl FnMut(Pair)) -> Operations {
        for mover in movers {
            for other in self.records.iter().filter(|other| mover.overlaps(other)) {
                found(Pair {
                    a: other.id,
                    b: mover.id,
                });
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
