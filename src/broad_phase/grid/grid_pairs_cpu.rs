//! The pairs of a built grid, with several records compared at a time. Twin of
//! `shaders/broad_phase/grid/grid_pairs.wgsl`.

use std::ops::Range;

use glam::UVec3;

use crate::base::lanes::{self, Simd, dispatch};
use crate::broad_phase::grid::forward::Reached;
use crate::broad_phase::grid::grid_build_cpu::Grid;
use crate::broad_phase::grid::layout::{MAX_LEVELS, Plan, cell_key, level_of_key};
use crate::broad_phase::grid::level_walk::LevelWalk;
use crate::broad_phase::grid::record::{Lanes, Record, Row, Run};
use crate::broad_phase::grid::vector::{coordinates, vector};
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
    // Levels that are not in use stay empty, and no memory is allocated.
    let level_walks: [LevelWalk; MAX_LEVELS] = plan
        .levels
        .each_ref()
        .map(|level| LevelWalk::over(level, grid.enlarged));
    let origin = vector(plan.origin);
    let mut operations = Operations::default();
    let mut rooms = [room(); 2];
    let mut hits = WalkHits::new(&mut rooms, found);
    for i in range {
        let record = grid.lanes.record(i);
        let walk = Walk::<S, R> {
            grid,
            number: i as u32,
            walker: R::Lanes::walker(simd, &record),
            world: rules.world(record.id()),
        };
        let corners = record.corners().map(coordinates);
        let own_level = level_of_key(record.key());
        for (l, level_walk) in level_walks[..=own_level].iter().enumerate().rev() {
            let reached = level_walk.reached::<ABOUT_ZERO>(corners, origin);
            let own = l == own_level;
            let shared = grid.worlds | level_walk.table.is_folded();
            operations += match R::MEETS_RUNS && own && !shared && reached.is_usual() {
                true => walk.forward::<COUNT>(level_walk, reached, &mut hits),
                false => walk.rows::<COUNT>((l, level_walk), (own, shared), reached, &mut hits),
            };
        }
    }
    hits.flush();
    operations
}

/// The walk of one record.
struct Walk<'a, S: Simd, R: Record> {
    grid: &'a Grid<R>,
    /// The position of the record.
    number: u32,
    walker: <R::Lanes as Lanes>::Walker<S>,
    world: u32,
}

impl<S: Simd, R: Record> Walk<'_, S, R> {
    /// Adds the records that this one meets in a usual walk of its own level.
    #[inline(always)]
    fn forward<const COUNT: bool>(
        &self,
        level_walk: &LevelWalk,
        reached: Reached,
        hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
    ) -> Operations {
        let Grid { lanes, slot_starts, .. } = self.grid;
        let own_slice = reached.own_slice(&level_walk.table, slot_starts, self.number);
        let mut comparisons = count::<COUNT>(&own_slice);
        lanes.meet_runs(&self.walker, self.number, own_slice, hits);
        if !level_walk.is_flat() {
            let next_slice = reached.next_slice(&level_walk.table, slot_starts);
            comparisons += count::<COUNT>(&next_slice);
            lanes.meet_runs(&self.walker, self.number, next_slice, hits);
        }
        Operations {
            rows: if COUNT { u64::from(reached.rows()) } else { 0 },
            comparisons,
        }
    }

    /// Adds the records that this one meets in any walk of a level: half a neighbourhood if the
    /// level is its `own`, otherwise a whole one.
    #[inline(always)]
    fn rows<const COUNT: bool>(
        &self,
        (l, level_walk): (usize, &LevelWalk),
        (own, shared): (bool, bool),
        Reached { first, home, last }: Reached,
        hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
    ) -> Operations {
        let mut operations = Operations::default();
        let (starts, table) = (&self.grid.slot_starts[..], &level_walk.table);
        let displacement = table.displacement(self.world);
        for z in if own { home.z } else { first.z }..=last.z {
            let own_slice = own && z == home.z;
            for y in if own_slice { home.y } else { first.y }..=last.y {
                let own_row = own_slice && y == home.y;
                let mut x = if own_row { home.x } else { first.x };
                // A row is one run of slots, split at the end of a fold.
                while x <= last.x {
                    let end = table.row_end(x, last.x);
                    let cell = UVec3::new(x, y, z);
                    let slot = table.slot(cell, displacement) as usize;
                    // In its own cell, a record meets only the records after it.
                    let run_start = match own_row && x == home.x {
                        true => self.number as usize + 1,
                        false => starts[slot] as usize,
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
                        shared,
                    };
                    self.grid.lanes.meet(&self.walker, self.number, row, hits);
                    x = end + 1;
                }
            }
        }
        operations
    }
}

/// Returns the number of records in these runs if `COUNT` is set.
#[inline(always)]
fn count<const COUNT: bool>(runs: &[Run]) -> u64 {
    match COUNT {
        true => runs.iter().map(|run| u64::from(run.count)).sum(),
        false => 0,
    }
}
