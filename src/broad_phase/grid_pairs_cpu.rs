//! Twin of `shaders/grid_pairs.wgsl`: the candidate pairs of a built grid.
//!
//! Four records are compared at a time, and what overlaps is appended without a branch: whether two bounds overlap is
//! as good as random, and a branch that goes the wrong way costs as much as ten comparisons.

use std::ops::Range;

use bytemuck::Zeroable;
use glam::UVec3;
use wide::{f32x4, u32x4};

use super::grid::{KEY_BITS, KEY_MASK, ONE_CELL, Plan, cell_key, level_of_key, slot_of, to_cell};
use super::grid_build_cpu::Grid;
use crate::bounds::Bounds;
use crate::{Operations, Pair};

/// Pairs that are found at a time, at most.
pub(crate) const BATCH: usize = 1024;
/// Records of a block.
pub(super) const LANES: usize = 4;

/// The records that the bits of a mask name, first to last, and how many they are.
const HITS: [([u32; LANES], usize); 1 << LANES] = {
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

/// The bounds and cell keys of four records that follow each other.
#[derive(Clone, Copy, Zeroable)]
#[repr(C)]
pub(crate) struct Block {
    low: [f32x4; 3],
    high: [f32x4; 3],
    key: u32x4,
}

impl Block {
    /// A block of up to four records. What is missing overlaps nothing.
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

    /// Which records overlap `other` and lie in the row of `length` cells that starts at the cell with the key `start`: a
    /// bit each.
    #[inline(always)]
    fn meet(&self, other: &Spread, start: u32, length: u32) -> usize {
        let below = |axis: usize| self.low[axis].simd_le(other.high[axis]);
        let above = |axis: usize| other.low[axis].simd_le(self.high[axis]);
        let overlap = (below(0) & above(0)) & (below(1) & above(1)) & (below(2) & above(2));
        // `in_row`, four at a time.
        let start = u32x4::splat(start);
        let same_row = ((self.key ^ start) >> KEY_BITS).simd_eq(u32x4::splat(0));
        let along: wide::i32x4 = bytemuck::cast((self.key - start) & u32x4::splat(KEY_MASK));
        let in_row = along.simd_lt(wide::i32x4::splat(length as i32));
        let overlap: u32x4 = bytemuck::cast(overlap);
        let in_row: u32x4 = bytemuck::cast(in_row);
        (overlap & same_row & in_row).to_bitmask() as usize
    }
}

/// The bounds of one record, four times each.
struct Spread {
    low: [f32x4; 3],
    high: [f32x4; 3],
}

/// Calls `found` with the candidate pairs that the records in `range` find, some at a time, as positions of their records.
/// All records together find each pair once. Returns how much work it was if it is to `COUNT` it.
#[inline]
pub(crate) fn grid_pairs<const COUNT: bool>(
    plan: &Plan,
    grid: &Grid,
    range: Range<usize>,
    mut found: impl FnMut(&[Pair]),
) -> Operations {
    let starts = &grid.slot_starts[..];
    let mut operations = Operations::default();
    let mut pairs = [Pair { a: 0, b: 0 }; BATCH + LANES];
    let mut count = 0;
    for i in range {
        let record = &grid.records[i];
        let spread = Spread {
            low: record.low.to_array().map(f32x4::splat),
            high: record.high.to_array().map(f32x4::splat),
        };
        let own_level = level_of_key(record.tag);
        for l in (0..=own_level).rev() {
            let level = &plan.levels[l];
            let own = l == own_level;
            let near = (record.low - plan.origin) * level.inverse_cell_size;
            let far = (record.high - plan.origin) * level.inverse_cell_size;
            let mut first = to_cell(near - (ONE_CELL + level.slack), level.last_cell);
            let last = to_cell(far + level.slack, level.last_cell);
            // Rust rounds a formula the same way wherever it stands: this is the cell that the record is in.
            let home = to_cell(near, level.last_cell);
            if own {
                first.z = home.z;
            }
            for z in first.z..=last.z {
                let own_slice = own && z == home.z;
                for y in if own_slice { home.y } else { first.y }..=last.y {
                    let own_row = own_slice && y == home.y;
                    let mut x = if own_row { home.x } else { first.x };
                    // A row is one run of slots, cut where it leaves a fold.
                    while x <= last.x {
                        let end = last.x.min(x | ((1 << level.fold_bits.x) - 1));
                        let cell = UVec3::new(x, y, z);
                        let slot = slot_of(level, cell) as usize;
                        let key = cell_key(l, cell);
                        // In its own cell a record meets those after it only.
                        let run_start = if own_row && x == home.x {
                            i + 1
                        } else {
                            starts[slot] as usize
                        };
                        let run_end = starts[slot + (end - x) as usize + 1] as usize;
                        if COUNT {
                            operations.rows += 1;
                            operations.comparisons += (run_end - run_start) as u64;
                        }
                        // The blocks of a run may reach beyond it: what is there lies in other cells, as do those records of
                        // folded slots. So a run may as well have one block at least, which is easier to foresee.
                        let mut allowed = 0b1111 << (run_start % LANES);
                        let blocks = run_start / LANES..run_end.max(run_start + 1).div_ceil(LANES);
                        let mut base = (run_start / LANES * LANES) as u32;
                        for block in &grid.blocks[blocks] {
                            let mask = block.meet(&spread, key, end - x + 1) & allowed;
                            let (lanes, hits) = HITS[mask];
                            if let Some(place) = pairs[count..].first_chunk_mut() {
                                *place = lanes.map(|lane| Pair {
                                    a: i as u32,
                                    b: base + lane,
                                });
                            }
                            count += hits;
                            if count > BATCH - LANES {
                                found(&pairs[..count]);
                                count = 0;
                            }
                            allowed = 0b1111;
                            base += LANES as u32;
                        }
                        x = end + 1;
                    }
                }
            }
        }
    }
    found(&pairs[..count]);
    operations
}
