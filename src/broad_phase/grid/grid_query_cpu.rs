//! Movers against a grid of boxes at rest: the search for the boxes at rest whose bounds overlap
//! those of each mover.
//!
//! # Why every box is found exactly once
//!
//! A mover's bounds are first clipped to the world, the smallest bounds that hold all boxes at
//! rest. It may reach beyond that of the plan, if the plan is kept from an earlier check:
//! `layout.rs`, "Plans that are kept". A box overlaps the mover if and only if it overlaps this
//! part, regardless of the mover's position and size. If the part is empty, there are no pairs.
//! Positions in the part are positions in the world, so cells and slack are those of `layout.rs`,
//! "Rounding".
//!
//! In the following, A is the part, B is a box at rest whose bounds overlap A, and `s` is the cell
//! size of B's level. Then in each axis `A.low - s <= A.low - size(B) <= B.low <= A.high`. The walk
//! over the level visits all cells from `A.low - s` to `A.high`, so B's own cell is among them, and
//! B is in that cell's slot.
//!
//! A walk may have any length, so several of its cells may share a slot, and a key, which is the
//! cell modulo 256, does not identify the cell of a record. [`home_cell`] does: it recovers the
//! whole cell from the record's key and position. A record counts only in the row of its own cell,
//! and no cell is in two rows.
//!
//! # Cost
//!
//! If walking a level would take longer than testing all of its boxes, these are tested one by one,
//! because the records of a level are consecutive. A mover thus costs at most about one test per
//! box, and levels of a few giants are never walked.

use std::ops::Range;

use glam::{UVec3, Vec3};

use crate::base::error::Result;
use crate::base::lanes::{self, Simd, dispatch};
use crate::base::parallel;
use crate::broad_phase::grid::bounds_walker::Walker;
use crate::broad_phase::grid::columns::{ColumnsView, LANES};
use crate::broad_phase::grid::grid_bounds::{meet_run, scan};
use crate::broad_phase::grid::grid_build_cpu::Grid;
use crate::broad_phase::grid::grid_plan_cpu::ROW_COST;
use crate::broad_phase::grid::layout::{Level, ONE_CELL, Plan, home_cell};
use crate::broad_phase::grid::table::{Table, slot_of};
use crate::broad_phase::grid::vector::corner;
use crate::broad_phase::grid::view::View;
use crate::broad_phase::hits::{Found, WalkHits, room};
use crate::broad_phase::operations::Operations;
use crate::geometry::bounds::{BINS, Bounds};
use crate::geometry::pair::Pair;
use crate::rules::filter::SetRules;

/// Number of movers from which sorting pays.
const MANY: usize = 1024;

/// Returns the plan for sorting this many movers: that of the boxes at rest, with all movers in the
/// level with most boxes. Returns `None` if there are too few movers for sorting to pay.
pub(crate) fn plan_of_movers(plan: &Plan, movers: usize) -> Option<Plan> {
    let levels = (0..).zip(plan.levels());
    let (busiest, _) = levels.max_by_key(|(_, level)| level.boxes)?;
    (movers >= MANY).then_some(Plan {
        level_of_bin: [busiest; BINS],
        ..*plan
    })
}

/// Groups the bounds of nearby movers by sorting them by their slot.
///
/// The walks then access memory in the order of the records, whereas scattered movers wait for each
/// row. Few movers keep their order.
pub(crate) fn sort_movers(plan: &Plan, movers: Vec<Bounds>, rules: &SetRules) -> Result<Vec<Bounds>> {
    let Some(plan) = plan_of_movers(plan, movers.len()) else {
        return Ok(movers);
    };
    let level = &plan.levels[plan.level_of_bin[0] as usize];
    let mut keys = parallel::collect(movers.len(), "sorting the movers", |i| {
        let low = movers[i].low.clamp(plan.origin, plan.high);
        let cell = level.cell(level.in_cells(low, plan.origin));
        u64::from(slot_of(level, cell, rules.world(movers[i].id))) << 32 | i as u64
    })?;
    parallel::sort(&mut keys);
    Ok(parallel::collect(movers.len(), "sorting the movers", |i| {
        movers[keys[i] as u32 as usize]
    })?)
}

/// Returns the positions of the records of a level.
fn records_of<const N: usize>(grid: &Grid<N>, level: &Level) -> Range<usize> {
    let starts = &grid.slot_starts;
    let end = (level.first_slot + level.slots) as usize;
    starts[level.first_slot as usize] as usize..starts[end] as usize
}

/// Calls `found` for every candidate pair of a box at rest (`a`, its position in the grid) and a
/// mover (`b`, its position in the slice). The rules are used only for the movers' worlds, and
/// pairs from different worlds may be found. Returns the amount of work if `COUNT` is set.
#[inline]
pub(crate) fn grid_query<const COUNT: bool, const N: usize>(
    at_rest: (&Plan, &Grid<N>),
    world: [Vec3; 2],
    movers: &[Bounds],
    rules: &SetRules,
    found: impl FnMut(Pair),
) -> Operations
where
    for<'a> ColumnsView<'a, N>: View,
{
    dispatch!(lanes::level(), simd => query::<_, COUNT, N>(simd, at_rest, world, movers, rules, found))
}

#[inline(always)]
fn query<S: Simd, const COUNT: bool, const N: usize>(
    simd: S,
    (plan, grid): (&Plan, &Grid<N>),
    [world_low, world_high]: [Vec3; 2],
    movers: &[Bounds],
    rules: &SetRules,
    mut found: impl FnMut(Pair),
) -> Operations
where
    for<'a> ColumnsView<'a, N>: View,
{
    let view = grid.columns.view();
    let mut operations = Operations::default();
    let mut rooms = [room(); 2];
    // The walk lists the mover first.
    let mut hits = WalkHits::new(&mut rooms, |pairs, _| {
        pairs.iter().for_each(|&Pair { a, b }| found(Pair { a: b, b: a }));
    });
    for (number, mover) in (0..).zip(movers) {
        let low = mover.low.max(world_low);
        let high = mover.high.min(world_high);
        if low.cmpgt(high).any() {
            continue;
        }
        let world = rules.world(mover.id);
        let walker = Walker::of(simd, mover);
        for level in plan.levels() {
            let walk = Walk::new((plan, grid), level, [low, high], world);
            if walk.costs_more_than_a_scan() {
                let records = records_of(grid, level);
                if COUNT {
                    operations.comparisons += records.len() as u64;
                }
                meet_run(view, &walker, number, records, &mut hits);
            } else {
                operations += walk.run::<_, COUNT>(&walker, number, &mut hits);
            }
        }
    }
    hits.flush();
    operations
}

/// The cells of a level that a mover's boxes may be in.
struct Walk<'a, const N: usize> {
    plan: &'a Plan,
    grid: &'a Grid<N>,
    level: &'a Level,
    first: UVec3,
    last: UVec3,
    world: u32,
}

impl<'a, const N: usize> Walk<'a, N>
where
    ColumnsView<'a, N>: View,
{
    /// Creates the walk for a mover that extends from `low` to `high` within the world.
    fn new((plan, grid): (&'a Plan, &'a Grid<N>), level: &'a Level, [low, high]: [Vec3; 2], world: u32) -> Self {
        let in_cells = |p| level.in_cells(p, plan.origin);
        Self {
            plan,
            grid,
            level,
            first: level.cell(in_cells(low) - (ONE_CELL + level.slack)),
            last: level.cell(in_cells(high) + level.slack),
            world,
        }
    }

    /// Returns `true` if the walk needs more comparisons of bounds than a scan. The walk's are
    /// estimated from the mean number of boxes per slot.
    fn costs_more_than_a_scan(&self) -> bool {
        let boxes = self.level.boxes as f32;
        let cells = (self.last - self.first + 1).as_vec3();
        let folds = ((self.last.x >> self.level.fold_bits.x) - (self.first.x >> self.level.fold_bits.x) + 1) as f32;
        let rows = cells.z * cells.y * folds;
        rows * ROW_COST + cells.element_product() * (boxes / self.level.slots as f32) > boxes
    }

    /// Adds the records of the cells whose bounds overlap those of the mover with this number.
    #[inline(always)]
    fn run<S: Simd, const COUNT: bool>(
        &self,
        walker: &Walker<S>,
        number: u32,
        hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
    ) -> Operations {
        let table = Table::of(self.level);
        if !table.is_plain() {
            return self.run_shared::<S, COUNT>(&table, walker, number, hits);
        }
        let mut operations = Operations::default();
        let (view, slot_starts) = (self.grid.columns.view(), &self.grid.slot_starts);
        let [row, slice] = table.strides();
        let cells = self.last - self.first + 1;
        let mut of_slice = table.plain_slot(self.first);
        for _ in 0..cells.z {
            let mut slot = of_slice;
            for _ in 0..cells.y {
                let [start, end] = [slot, slot + cells.x].map(|slot| slot_starts[slot as usize] as usize);
                if COUNT {
                    operations.rows += 1;
                    operations.comparisons += (end - start) as u64;
                }
                meet_run(view, walker, number, start..end, hits);
                slot += row;
            }
            of_slice += slice;
        }
        operations
    }

    /// Like [`Walk::run`], for a table whose slots hold the records of several cells.
    #[inline(always)]
    fn run_shared<S: Simd, const COUNT: bool>(
        &self,
        table: &Table,
        walker: &Walker<S>,
        number: u32,
        hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
    ) -> Operations {
        let mut operations = Operations::default();
        let (view, slot_starts) = (self.grid.columns.view(), &self.grid.slot_starts);
        let displacement = table.displacement(self.world);
        for z in self.first.z..=self.last.z {
            for y in self.first.y..=self.last.y {
                let mut x = self.first.x;
                // A row is one run of slots, split at the end of a fold.
                while x <= self.last.x {
                    let end = table.row_end(x, self.last.x);
                    let slot = table.slot(UVec3::new(x, y, z), displacement) as usize;
                    let run = slot_starts[slot] as usize..slot_starts[slot + (end - x) as usize + 1] as usize;
                    if COUNT {
                        operations.rows += 1;
                        operations.comparisons += run.len() as u64;
                    }
                    let in_row = |position: usize| {
                        let cell = self.cell_of(position);
                        cell.z == z && cell.y == y && (x..=end).contains(&cell.x)
                    };
                    scan(
                        run,
                        number,
                        hits,
                        #[inline(always)]
                        |first| {
                            let met = view.overlap(walker, first);
                            // Bits of no record are not set: numbers after the last are NaN.
                            let others = |k: &usize| met >> k & 1 == 1 && !in_row(first + k);
                            (0..LANES).filter(others).fold(met, |met, k| met & !(1 << k))
                        },
                    );
                    x = end + 1;
                }
            }
        }
        operations
    }

    /// Returns the cell that holds the record at a position.
    fn cell_of(&self, position: usize) -> UVec3 {
        let view = self.grid.columns.view();
        let [low, _] = view.corners_of(position).map(corner);
        let place = self.level.in_cells(low, self.plan.origin);
        home_cell(view.key(position), self.level.cell(place))
    }
}
