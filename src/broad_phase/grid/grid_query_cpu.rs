//! Movers against a grid of boxes at rest: the search for the boxes at rest whose bounds overlap
//! those of each mover.
//!
//! # Why every box is found exactly once
//!
//! A mover's bounds are first clipped to the world of the grid, the smallest bounds that hold all
//! boxes at rest. A box overlaps the mover if and only if it overlaps this part, regardless of the
//! mover's position and size. If the part is empty, there are no pairs. Positions in the part are
//! positions in the world, so cells and slack are those of `layout.rs`, "Rounding".
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
use crate::base::parallel;
use crate::broad_phase::bounds_lanes::{Walker, overlapping};
use crate::broad_phase::grid::grid_build_cpu::Grid;
use crate::broad_phase::grid::grid_plan_cpu::ROW_COST;
use crate::broad_phase::grid::layout::{Level, ONE_CELL, Plan, home_cell, slot_of};
use crate::broad_phase::operations::Operations;
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;
use crate::rules::filter::SetRules;

/// Number of movers from which sorting pays.
const MANY: usize = 1024;

/// Groups the bounds of nearby movers by sorting them by their slot in the level with most boxes.
///
/// The walks then access memory in the order of the records, whereas scattered movers wait for each
/// row. Few movers keep their order.
pub(crate) fn sort_movers(plan: &Plan, movers: Vec<Bounds>, rules: &SetRules) -> Result<Vec<Bounds>> {
    let busiest = plan.levels().iter().max_by_key(|level| level.boxes);
    let Some(level) = busiest.filter(|_| movers.len() >= MANY) else {
        return Ok(movers);
    };
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
fn records_of(grid: &Grid, level: &Level) -> Range<usize> {
    let starts = &grid.slot_starts;
    let end = (level.first_slot + level.slots) as usize;
    starts[level.first_slot as usize] as usize..starts[end] as usize
}

/// Calls `found` for every candidate pair of a box at rest (`a`, its position in the grid) and a
/// mover (`b`, its position in the slice). The rules are used only for the movers' worlds, and
/// pairs from different worlds may be found. Returns the amount of work if `COUNT` is set.
#[inline]
pub(crate) fn grid_query<const COUNT: bool>(
    (plan, grid): (&Plan, &Grid),
    movers: &[Bounds],
    rules: &SetRules,
    mut found: impl FnMut(Pair),
) -> Operations {
    let mut operations = Operations::default();
    for (b, mover) in (0..).zip(movers) {
        let low = mover.low.max(plan.origin);
        let high = mover.high.min(plan.high);
        if low.cmpgt(high).any() {
            continue;
        }
        let world = rules.world(mover.id);
        let walker = Walker::new(mover);
        let mut meet = |a: u32| found(Pair { a, b });
        for level in plan.levels() {
            let walk = Walk::new((plan, grid), level, [low, high], world);
            if walk.costs_more_than_a_scan() {
                let records = records_of(grid, level);
                if COUNT {
                    operations.comparisons += records.len() as u64;
                }
                overlapping(&grid.lanes, records, &walker).for_each(|(position, _)| meet(position));
            } else {
                operations += walk.run::<COUNT>(&walker, &mut meet);
            }
        }
    }
    operations
}

/// The cells of a level that a mover's boxes may be in.
struct Walk<'a> {
    plan: &'a Plan,
    grid: &'a Grid,
    level: &'a Level,
    first: UVec3,
    last: UVec3,
    world: u32,
}

impl<'a> Walk<'a> {
    /// Creates the walk for a mover that extends from `low` to `high` within the world.
    fn new((plan, grid): (&'a Plan, &'a Grid), level: &'a Level, [low, high]: [Vec3; 2], world: u32) -> Self {
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

    /// Calls `found` with the position of every record of the cells whose bounds overlap the
    /// mover's.
    #[inline]
    fn run<const COUNT: bool>(&self, mover: &Walker, mut found: impl FnMut(u32)) -> Operations {
        let mut operations = Operations::default();
        let Grid { lanes, slot_starts, .. } = self.grid;
        let (level, starts) = (self.level, slot_starts);
        for z in self.first.z..=self.last.z {
            for y in self.first.y..=self.last.y {
                let mut x = self.first.x;
                // A row is one run of slots, split at the end of a fold.
                while x <= self.last.x {
                    let end = self.last.x.min(x | ((1 << level.fold_bits.x) - 1));
                    let slot = slot_of(level, UVec3::new(x, y, z), self.world) as usize;
                    let run = starts[slot] as usize..starts[slot + (end - x) as usize + 1] as usize;
                    if COUNT {
                        operations.rows += 1;
                        operations.comparisons += run.len() as u64;
                    }
                    for (position, other) in overlapping(lanes, run, mover) {
                        let cell = self.cell_of(&other);
                        if cell.z == z && cell.y == y && (x..=end).contains(&cell.x) {
                            found(position);
                        }
                    }
                    x = end + 1;
                }
            }
        }
        operations
    }

    /// Returns the cell that holds a record.
    fn cell_of(&self, record: &Bounds) -> UVec3 {
        let position = self.level.in_cells(record.low, self.plan.origin);
        home_cell(record.tag, self.level.cell(position))
    }
}
