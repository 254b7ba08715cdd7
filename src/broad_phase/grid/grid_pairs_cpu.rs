//! The pairs of a built grid, with several records compared at a time. Twin of
//! `shaders/broad_phase/grid/grid_pairs.wgsl`.

use std::ops::Range;

use glam::UVec3;

use crate::base::lanes::{self, Simd, dispatch};
use crate::broad_phase::grid::course::{Course, coordinates, vector};
use crate::broad_phase::grid::grid_build_cpu::Grid;
use crate::broad_phase::grid::layout::{MAX_LEVELS, Plan, cell_key, level_of_key};
use crate::broad_phase::grid::record::{Lanes, Record, Row};
use crate::broad_phase::hits::{Found, WalkHits, room};
use crate::broad_phase::operations::Operations;
use crate::geometry::pair::Pair;
use crate::rules::filter::SetRules;

/// Calls `found` with batches of the pairs that the records in `range` find, as record positions,
/// and with the kind of each batch. All records together find each pair once. The rules are used
/// only for the boxes' worlds, and pairs from different worlds may be found. Returns the amount of
/// work if `COUNT` is set.
#[inline]
pub(crate) fn grid_pairs<const COUNT: bool, R: Record>(
    plan: &Plan,
    grid: &Grid<R>,
    rules: &SetRules,
    range: Range<usize>,
    found: impl FnMut(&[Pair], Found),
) -> Operations {
    let level = lanes::level();
    // Most grids have no levels about zero, and testing for them at each level takes a twentieth of
    // a walk.
    match plan.levels().iter().any(|level| level.below_zero > 0) {
        true => dispatch!(level, simd => walk::<_, COUNT, true, R>(simd, plan, grid, rules, range, found)),
        false => dispatch!(level, simd => walk::<_, COUNT, false, R>(simd, plan, grid, rules, range, found)),
    }
}

#[inline(always)]
fn walk<S: Simd, const COUNT: bool, const ABOUT_ZERO: bool, R: Record>(
    simd: S,
    plan: &Plan,
    grid: &Grid<R>,
    rules: &SetRules,
    range: Range<usize>,
    found: impl FnMut(&[Pair], Found),
) -> Operations {
    let starts = &grid.slot_starts[..];
    // Levels that are not in use stay empty, and no memory is allocated.
    let courses: [Course; MAX_LEVELS] = plan.levels.each_ref().map(|level| Course::over(level, grid.enlarged));
    let origin = vector(plan.origin);
    let mut operations = Operations::default();
    let mut rooms = [room(); 2];
    let mut hits = WalkHits::new(&mut rooms, found);
    for i in range {
        let record = grid.lanes.record(i);
        let walker = R::Lanes::walker(simd, &record);
        let [low, high] = record.corners();
        let (low, high) = (coordinates(low), coordinates(high));
        let from_corner = [low - origin, high - origin];
        let own_level = level_of_key(record.key());
        let world = rules.world(record.id());
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
            // Rust rounds a formula the same way wherever it occurs, so this is the cell that holds
            // the record.
            let home = course.cell::<ABOUT_ZERO>(near);
            if own {
                first.z = home.z;
            }
            for z in first.z..=last.z {
                let own_slice = own && z == home.z;
                for y in if own_slice { home.y } else { first.y }..=last.y {
                    let own_row = own_slice && y == home.y;
                    let mut x = if own_row { home.x } else { first.x };
                    // A row is one run of slots, split at the end of a fold.
                    while x <= last.x {
                        let end = course.table.row_end(x, last.x);
                        let cell = UVec3::new(x, y, z);
                        let slot = course.table.slot(cell, displacement) as usize;
                        // In its own cell, a record meets only the records after it.
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
                        let row = Row {
                            key: cell_key(l, 0, cell),
                            length: end - x + 1,
                            records: run_start..run_end,
                        };
                        grid.lanes.meet(&walker, i as u32, row, &mut hits);
                        x = end + 1;
                    }
                }
            }
        }
    }
    hits.flush();
    operations
}
