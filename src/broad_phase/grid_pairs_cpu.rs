//! Twin of `shaders/grid_pairs.wgsl`: the candidate pairs of a built grid.

use std::ops::Range;

use super::grid::{ONE_CELL, Plan, cell_key, home_cell, in_row, level_of_key, slot_of, to_cell};
use super::grid_build_cpu::Grid;
use crate::{Operations, Pair};

/// Calls `found` for every candidate pair that the records in `range` find. All records together find each pair once.
/// Returns how much work it was if it is to `COUNT` it.
#[inline]
pub(crate) fn grid_pairs<const COUNT: bool>(
    plan: &Plan,
    grid: &Grid,
    range: Range<usize>,
    mut found: impl FnMut(Pair),
) -> Operations {
    let mut operations = Operations::default();
    let (records, starts) = (&grid.records[..], &grid.slot_starts[..]);
    for i in range {
        let record = &records[i];
        let own_level = level_of_key(record.tag);
        for l in (0..=own_level).rev() {
            let level = &plan.levels[l];
            let own = l == own_level;
            let near = (record.low - plan.origin) * level.inverse_cell_size;
            let far = (record.high - plan.origin) * level.inverse_cell_size;
            let mut first = to_cell(near - (ONE_CELL + level.slack), level.last_cell);
            let last = to_cell(far + level.slack, level.last_cell);
            let home = home_cell(record.tag, to_cell(near, level.last_cell));
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
                        let cell = glam::UVec3::new(x, y, z);
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
                        for other in &records[run_start..run_end] {
                            if record.overlaps(other) && in_row(other.tag, key, end - x + 1) {
                                found(Pair::new(record.id, other.id));
                            }
                        }
                        x = end + 1;
                    }
                }
            }
        }
    }
    operations
}
