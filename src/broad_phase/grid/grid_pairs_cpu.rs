//! The pairs of a built grid, with several records compared at a time. Twin of
//! `shaders/broad_phase/grid/grid_pairs.wgsl`.

use std::ops::Range;

use glam::UVec3;
use wide::f32x4;

use crate::base::lanes::{self, Simd, dispatch};
use crate::broad_phase::grid::block::Block;
use crate::broad_phase::grid::columns::ColumnsView;
use crate::broad_phase::grid::grid_build_cpu::Grid;
use crate::broad_phase::grid::layout::{MAX_LEVELS, Plan, cell_key, level_of_key};
use crate::broad_phase::grid::level_walk::{LevelWalk, Reached};
use crate::broad_phase::grid::vector::{coordinates, vector};
use crate::broad_phase::grid::view::{Row, View};
use crate::broad_phase::hits::{Found, WalkHits, room};
use crate::broad_phase::operations::Operations;
use crate::geometry::pair::Pair;
use crate::rules::filter::SetRules;

/// Calls `found` with batches of the pairs that the records in `range` find, as record positions,
/// and with the kind of each batch. All records together find each pair once. The rules are used
/// only for the boxes' worlds, and pairs from different worlds may be found. Returns the amount of
/// work if `COUNT` is set.
#[inline]
pub(crate) fn grid_pairs<const COUNT: bool, const N: usize>(
    plan: &Plan,
    grid: &Grid<N>,
    rules: &SetRules,
    range: Range<usize>,
    found: impl FnMut(&[Pair], Found),
) -> Operations
where
    for<'a> ColumnsView<'a, N>: View,
{
    let level = lanes::level();
    // Most grids have no levels about zero, and testing for them at each level takes a twentieth of
    // a walk.
    match plan.levels().iter().any(|level| level.below_zero > 0) {
        true => dispatch!(level, simd => walk::<_, COUNT, true, N>(simd, plan, grid, rules, range, found)),
        false => dispatch!(level, simd => walk::<_, COUNT, false, N>(simd, plan, grid, rules, range, found)),
    }
}

#[inline(always)]
fn walk<S: Simd, const COUNT: bool, const ABOUT_ZERO: bool, const N: usize>(
    simd: S,
    plan: &Plan,
    grid: &Grid<N>,
    rules: &SetRules,
    range: Range<usize>,
    found: impl FnMut(&[Pair], Found),
) -> Operations
where
    for<'a> ColumnsView<'a, N>: View,
{
    // Levels that are not in use stay empty, and no memory is allocated.
    let level_walks: [LevelWalk; MAX_LEVELS] = plan.levels.each_ref().map(LevelWalk::over);
    let (view, origin) = (grid.columns.view(), vector(plan.origin));
    let mut operations = Operations::default();
    let mut rooms = [room(); 2];
    let mut hits = WalkHits::new(&mut rooms, found);
    let mut position = range.start;
    while position < range.end {
        let own_level = level_of_key(view.key(position));
        // The levels that records walk by themselves, one bit each.
        let mut levels = u32::MAX >> (u32::BITS - 1 - own_level as u32);
        let mut records = position..position + 1;
        // Operations are counted record by record, so that vectors of all lengths have the same.
        if !COUNT && !grid.worlds {
            let rest = position..range.end;
            if let Some(block) = Block::of(simd, (view, &grid.slot_starts), &level_walks, rest, origin) {
                for (l, level_walk) in level_walks[..=own_level].iter().enumerate().rev() {
                    let done = block.walk(level_walk, l == own_level, origin, &mut hits);
                    levels &= !(u32::from(done) << l);
                }
                records = block.records;
            }
        }
        position = records.end;
        if levels == 0 {
            continue;
        }
        for i in records {
            let walk = Walk {
                slot_starts: &grid.slot_starts,
                view,
                number: i as u32,
                walker: view.walker(simd, i),
                world: match grid.worlds {
                    true => rules.world(grid.columns.ids[i]),
                    false => 0,
                },
            };
            operations += walk.levels::<COUNT, ABOUT_ZERO>(&level_walks, own_level, levels, origin, &mut hits);
        }
    }
    hits.flush();
    operations
}

/// The walk of one record.
struct Walk<'a, S: Simd, V: View> {
    slot_starts: &'a [u32],
    view: V,
    /// The position of the record.
    number: u32,
    walker: V::Walker<S>,
    world: u32,
}

impl<S: Simd, const N: usize> Walk<'_, S, ColumnsView<'_, N>>
where
    for<'a> ColumnsView<'a, N>: View,
{
    /// Adds the records that this one meets in some levels, given one bit each.
    #[inline(always)]
    fn levels<const COUNT: bool, const ABOUT_ZERO: bool>(
        &self,
        level_walks: &[LevelWalk; MAX_LEVELS],
        own_level: usize,
        mut levels: u32,
        origin: f32x4,
        hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
    ) -> Operations {
        let corners = self.view.corners_of(self.number as usize).map(coordinates);
        let mut operations = Operations::default();
        while levels != 0 {
            let l = levels.ilog2() as usize;
            levels &= !(1 << l);
            let level_walk = &level_walks[l];
            let reached = level_walk.reached::<ABOUT_ZERO>(corners, origin);
            let shared = !level_walk.table.is_plain();
            operations += self.rows::<COUNT>((l, level_walk), (l == own_level, shared), reached, hits);
        }
        operations
    }

    /// Adds the records that this one meets in a level: half a neighbourhood if the level is its
    /// `own`, otherwise a whole one.
    #[inline(always)]
    fn rows<const COUNT: bool>(
        &self,
        (l, level_walk): (usize, &LevelWalk),
        (own, shared): (bool, bool),
        Reached { first, home, last }: Reached,
        hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
    ) -> Operations {
        let mut operations = Operations::default();
        let (starts, table) = (self.slot_starts, &level_walk.table);
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
