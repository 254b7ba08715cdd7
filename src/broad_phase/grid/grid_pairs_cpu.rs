//! The pairs of a built grid, with several records compared at a time. Twin of
//! `shaders/broad_phase/grid/grid_pairs.wgsl`.

use std::ops::Range;

use glam::UVec3;
use wide::f32x4;

use crate::base::lanes::{self, Simd, dispatch};
use crate::broad_phase::grid::columns::LANES;
use crate::broad_phase::grid::forward::Forward;
use crate::broad_phase::grid::grid_build_cpu::Grid;
use crate::broad_phase::grid::layout::{MAX_LEVELS, Plan, cell_key, level_of_key};
use crate::broad_phase::grid::level_walk::{LevelWalk, Reached};
use crate::broad_phase::grid::record::{Lanes, Record, Row, View};
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
    let (view, origin) = (grid.lanes.view(), vector(plan.origin));
    let mut operations = Operations::default();
    let mut rooms = [room(); 2];
    let mut hits = WalkHits::new(&mut rooms, found);
    let mut position = range.start;
    while position < range.end {
        let count = LANES.min(range.end - position);
        let block = match count == LANES && !grid.worlds {
            true => forward(simd, view, &level_walks, position, origin),
            false => None,
        };
        for i in position..position + count {
            let walk = Walk::<S, R> {
                grid,
                view,
                number: i as u32,
                walker: view.walker(simd, i),
                world: match grid.worlds {
                    true => rules.world(view.id(i)),
                    false => 0,
                },
            };
            let own_level = level_of_key(view.key(i));
            let mut levels = &level_walks[..=own_level];
            if let Some(forward) = &block {
                operations += walk.forward::<COUNT>(&level_walks[own_level], (forward, i - position), &mut hits);
                levels = &level_walks[..own_level];
            }
            if levels.is_empty() {
                continue;
            }
            let corners = view.corners_of(i).map(coordinates);
            for (l, level_walk) in levels.iter().enumerate().rev() {
                let reached = level_walk.reached::<ABOUT_ZERO>(corners, origin);
                let own = l == own_level;
                let shared = grid.worlds | level_walk.table.is_folded();
                operations += walk.rows::<COUNT>((l, level_walk), (own, shared), reached, &mut hits);
            }
        }
        position += count;
    }
    hits.flush();
    operations
}

/// Returns the walks of the eight records from `first` on in their own level, if that is one and
/// all of the walks are usual.
#[inline(always)]
fn forward<S: Simd>(
    simd: S,
    view: impl View,
    level_walks: &[LevelWalk; MAX_LEVELS],
    first: usize,
    origin: f32x4,
) -> Option<Forward> {
    let corners = view.corners(simd, first)?;
    let level = |position: usize| level_of_key(view.key(position));
    // Records are sorted by level.
    let level_walk = &level_walks[level(first)];
    if level(first) != level(first + LANES - 1) || !level_walk.is_plain() {
        return None;
    }
    let [x, y, z, _] = origin.to_array();
    Forward::of(simd, level_walk, corners, [x, y, z])
}

/// The walk of one record.
struct Walk<'a, S: Simd, R: Record> {
    grid: &'a Grid<R>,
    view: <R::Lanes as Lanes>::View<'a>,
    /// The position of the record.
    number: u32,
    walker: <<R::Lanes as Lanes>::View<'a> as View>::Walker<S>,
    world: u32,
}

impl<S: Simd, R: Record> Walk<'_, S, R> {
    /// Adds the records that this one meets in a usual walk of its own level, that of a lane.
    #[inline(always)]
    fn forward<const COUNT: bool>(
        &self,
        level_walk: &LevelWalk,
        (forward, lane): (&Forward, usize),
        hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
    ) -> Operations {
        let starts = &self.grid.slot_starts[..];
        let mut rows = forward.rows(lane);
        let mut operations = Operations::default();
        // In its own row, a record meets only the records after it.
        let mut run = forward.run(lane, starts, 0);
        let before = self.number + 1 - run.first;
        run.first += before;
        run.count -= before;
        loop {
            if COUNT {
                operations.rows += 1;
                operations.comparisons += u64::from(run.count);
            }
            self.view.meet_run(&self.walker, self.number, run, hits);
            rows &= rows - 1;
            if rows == 0 {
                return operations;
            }
            run = forward.run(lane, starts, level_walk.offsets[rows.trailing_zeros() as usize]);
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
                    self.view.meet(&self.walker, self.number, row, hits);
                    x = end + 1;
                }
            }
        }
        operations
    }
}
