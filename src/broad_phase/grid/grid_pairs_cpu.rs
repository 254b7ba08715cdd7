//! Twin of `shaders/broad_phase/grid/grid_pairs.wgsl`: the candidate pairs of a built grid, four records compared at a time.

use std::ops::Range;

use bytemuck::cast;
use glam::UVec3;
use wide::{f32x4, i32x4, u32x4};

use crate::broad_phase::bounds_lanes::{BATCH, Hits, LANES, Row, Walker};
use crate::broad_phase::grid::grid_build_cpu::Grid;
use crate::broad_phase::grid::layout::{Level, MAX_LEVELS, ONE_CELL, Plan, Table, cell_key, level_of_key};
use crate::broad_phase::operations::Operations;
use crate::geometry::pair::Pair;
use crate::rules::filter::SetRules;

/// A level in the form that walks need.
struct Course {
    inverse_cell_size: f32x4,
    slack: f32x4,
    /// How far before a position a walk begins.
    before: f32x4,
    last_cell: f32x4,
    below_zero: u32,
    table: Table,
}

impl Course {
    fn over(level: &Level) -> Self {
        let [x, y, z] = level.last_cell.as_vec3().to_array();
        Self {
            inverse_cell_size: f32x4::splat(level.inverse_cell_size),
            slack: f32x4::splat(level.slack),
            before: f32x4::splat(ONE_CELL + level.slack),
            last_cell: f32x4::new([x, y, z, 0.0]),
            below_zero: level.below_zero,
            table: Table::of(level),
        }
    }

    /// `Level::cell`, in the first three lanes.
    #[inline(always)]
    fn cell<const ABOUT_ZERO: bool>(&self, mut position: f32x4) -> UVec3 {
        if ABOUT_ZERO && self.below_zero > 0 {
            position = position.floor() + f32x4::splat(self.below_zero as f32);
        }
        let position = position.fast_max(f32x4::ZERO).fast_min(self.last_cell);
        let [x, y, z, _]: [u32; 4] = cast(position.fast_trunc_int());
        UVec3::new(x, y, z)
    }
}

/// Calls `found` with batches of the candidate pairs that the records in `range` find, as record positions. All records
/// together find each pair once. The rules only give the boxes' worlds: pairs from different worlds may be found.
/// Returns the amount of work if `COUNT` is set.
#[inline]
pub(crate) fn grid_pairs<const COUNT: bool>(
    plan: &Plan,
    grid: &Grid,
    rules: &SetRules,
    range: Range<usize>,
    found: impl FnMut(&[Pair]),
) -> Operations {
    // Most grids have no levels about zero, and asking at each level takes a twentieth of a walk.
    match plan.levels().iter().any(|level| level.below_zero > 0) {
        true => walk::<COUNT, true>(plan, grid, rules, range, found),
        false => walk::<COUNT, false>(plan, grid, rules, range, found),
    }
}

#[inline]
fn walk<const COUNT: bool, const ABOUT_ZERO: bool>(
    plan: &Plan,
    grid: &Grid,
    rules: &SetRules,
    range: Range<usize>,
    found: impl FnMut(&[Pair]),
) -> Operations {
    let starts = &grid.slot_starts[..];
    // Those that are not in use stay empty, and none is allocated.
    let courses: [Course; MAX_LEVELS] = plan.levels.each_ref().map(Course::over);
    let [x, y, z] = plan.origin.to_array();
    let origin = f32x4::new([x, y, z, 0.0]);
    let mut operations = Operations::default();
    let mut hits = Hits::<_, BATCH>::new(found);
    for i in range {
        let record = &grid.records[i];
        let walker = Walker::new(record);
        let [low, high]: [f32x4; 2] = cast(*record);
        // The fourth lanes hold no coordinates. As numbers they might be subnormal, which are slow.
        let coordinates: f32x4 = cast([u32::MAX, u32::MAX, u32::MAX, 0]);
        let (low, high) = (low & coordinates, high & coordinates);
        let from_corner = [low - origin, high - origin];
        let own_level = level_of_key(record.tag);
        let world = rules.world(record.id);
        for (l, course) in courses[..=own_level].iter().enumerate().rev() {
            let own = l == own_level;
            let displacement = course.table.displacement(world);
            let [near, far] = match ABOUT_ZERO && course.below_zero > 0 {
                true => [low, high],
                false => from_corner,
            };
            let near = near * course.inverse_cell_size;
            let far = far * course.inverse_cell_size;
            let mut first = course.cell::<ABOUT_ZERO>(near - course.before);
            let last = course.cell::<ABOUT_ZERO>(far + course.slack);
            // Rust rounds a formula the same way wherever it occurs: this is the cell that holds the record.
            let home = course.cell::<ABOUT_ZERO>(near);
            if own {
                first.z = home.z;
            }
            for z in first.z..=last.z {
                let own_slice = own && z == home.z;
                for y in if own_slice { home.y } else { first.y }..=last.y {
                    let own_row = own_slice && y == home.y;
                    let mut x = if own_row { home.x } else { first.x };
                    // A row is one run of slots, split where it leaves a fold.
                    while x <= last.x {
                        let end = course.table.row_end(x, last.x);
                        let cell = UVec3::new(x, y, z);
                        let slot = course.table.slot(cell, displacement) as usize;
                        let row = Row {
                            start: u32x4::splat(cell_key(l, cell)),
                            length: i32x4::splat((end - x + 1) as i32),
                        };
                        // In its own cell a record meets only those after it.
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
                        // The blocks of a run may extend beyond it: records there lie in other cells, as do some
                        // records of folded slots. So a run may always have at least one block, which is easier to
                        // predict.
                        let mut allowed = 0b1111 << (run_start % LANES);
                        let blocks = run_start / LANES..run_end.max(run_start + 1).div_ceil(LANES);
                        let mut base = u32x4::splat((run_start / LANES * LANES) as u32);
                        for block in &grid.blocks[blocks] {
                            hits.add(i as u32, base, block.meet_in(&walker, &row) & allowed);
                            allowed = 0b1111;
                            base += u32x4::splat(LANES as u32);
                        }
                        x = end + 1;
                    }
                }
            }
        }
    }
    hits.flush();
    operations
}
