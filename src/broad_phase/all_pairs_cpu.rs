//! Every pair of a few boxes: comparing all their bounds takes less time than sorting them. On the CPU alone: a device takes
//! longer to start than this.

use bytemuck::Zeroable;
use wide::u32x4;

use crate::broad_phase::bounds_lanes::{Block, Walker};
use crate::broad_phase::hits::{Hits, LANES};
use crate::broad_phase::operations::Operations;
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;

/// The most boxes that are few. Measured: from about here on a grid is faster.
pub(crate) const FEW: usize = 128;

/// The most pairs found at a time: few boxes have few, and room for more takes time to clear.
const BATCH: usize = 128;

/// Calls `found` with batches of the candidate pairs of `bounds`, of which there are at most [`FEW`], as positions: each
/// pair once, sorted. Returns the amount of work.
pub(crate) fn all_pairs(bounds: &[Bounds], mut found: impl FnMut(&[Pair])) -> Operations {
    let mut blocks = [Block::zeroed(); FEW / LANES];
    let blocks = &mut blocks[..bounds.len().div_ceil(LANES)];
    for (block, bounds) in blocks.iter_mut().zip(bounds.chunks(LANES)) {
        *block = Block::new(bounds);
    }
    let mut hits = Hits::<BATCH>::default();
    for (i, record) in bounds.iter().enumerate() {
        let walker = Walker::new(record);
        // Each meets those after itself.
        let first = (i + 1) / LANES;
        let mut allowed = 0b1111 << ((i + 1) % LANES);
        let mut base = u32x4::splat((first * LANES) as u32);
        for block in blocks.iter().skip(first) {
            hits.add(i as u32, base, block.meet(&walker) & allowed & 0b1111, &mut found);
            allowed = 0b1111;
            base += u32x4::splat(LANES as u32);
        }
    }
    hits.flush(&mut found);
    let count = bounds.len() as u64;
    Operations {
        rows: 0,
        comparisons: count * count.saturating_sub(1) / 2,
    }
}
