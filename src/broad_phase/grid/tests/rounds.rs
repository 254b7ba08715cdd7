//! The number of rounds that a GPU's subgroup takes in the loops of
//! `shaders/broad_phase/grid/grid_pairs.wgsl`, counted on the CPU. Each round waits for memory, and
//! all invocations wait for the slowest.

use std::collections::BTreeMap;

use bytemuck::Zeroable;
use glam::UVec3;

use crate::broad_phase::grid::grid_build_cpu::Grid;
use crate::broad_phase::grid::grid_pairs::AT_ONCE;
use crate::broad_phase::grid::layout::{ONE_CELL, Plan, home_cell, level_of_key};
use crate::broad_phase::grid::phase::GridPhase;
use crate::broad_phase::grid::table::Table;
use crate::geometry::bounds::Bounds;
use crate::geometry::scene_stats::Gathered;
use crate::made_up::{self, Scene};
use crate::rules::filter::SetRules;
use crate::shapes::obb::obb_bounds_cpu::obb_bounds;

/// Number of invocations that run together.
const SUBGROUP: usize = 32;

fn sorted(scene: Scene, count: usize) -> (Plan, Grid) {
    let mut bounds = vec![Bounds::zeroed(); count];
    let stats: Gathered = obb_bounds(&made_up::boxes(scene, count, 1), |_| 0.0, &mut bounds).expect("valid boxes");
    let mut phase = GridPhase::default();
    // A GPU's cells are as large as the largest record.
    let sorted = phase.sort(&mut bounds, &stats, &SetRules::default());
    sorted.expect("memory");
    (phase.plan, phase.grid)
}

/// The place in the loops of the walk at which a row is looked up: the level, z, y and x, each
/// counted from the start of the walk. A subgroup is at one place at a time.
type Turn = [u32; 4];

/// Calls `row` with the records of each row that record `i` looks up. The GPU also cuts rows at
/// blocks of 1,024 slots, which are few.
fn rows(plan: &Plan, grid: &Grid, i: usize, mut row: impl FnMut(Turn, u32)) {
    let record = grid.records[i];
    let own_level = level_of_key(record.tag);
    for coarser in 0..=own_level {
        let level = &plan.levels[own_level - coarser];
        let table = Table::of(level);
        let near = level.in_cells(record.low, plan.origin);
        let far = level.in_cells(record.high, plan.origin);
        let mut first = level.cell(near - (ONE_CELL + level.slack));
        let last = level.cell(far + level.slack);
        let own = coarser == 0;
        let home = home_cell(record.tag, level.cell(near));
        if own {
            first.z = home.z;
        }
        for z in first.z..=last.z {
            let own_slice = own && z == home.z;
            let first_y = if own_slice { home.y } else { first.y };
            for y in first_y..=last.y {
                let own_row = own_slice && y == home.y;
                let (mut x, mut cut) = (if own_row { home.x } else { first.x }, 0);
                while x <= last.x {
                    let end = table.row_end(x, last.x);
                    let slot = table.slot(UVec3::new(x, y, z), 0) as usize;
                    let start = match own_row && x == home.x {
                        true => i as u32 + 1,
                        false => grid.slot_starts[slot],
                    };
                    let records = grid.slot_starts[slot + (end - x) as usize + 1] - start;
                    row([coarser as u32, z - first.z, y - first_y, cut], records);
                    (x, cut) = (end + 1, cut + 1);
                }
            }
        }
    }
}

/// Returns the average number of rounds of a subgroup if each round compares `at_once` records: a
/// row takes as many as its longest run, or one if all runs are empty.
fn rounds((plan, grid): &(Plan, Grid), at_once: u32) -> f64 {
    let subgroups = grid.len / SUBGROUP;
    let rounds = (0..subgroups).map(|subgroup| {
        let mut longest = BTreeMap::<Turn, u32>::new();
        for i in subgroup * SUBGROUP..(subgroup + 1) * SUBGROUP {
            rows(plan, grid, i, |turn, records| {
                let longest = longest.entry(turn).or_default();
                *longest = records.max(*longest);
            });
        }
        let rounds = longest.values().map(|&records| records.div_ceil(at_once).max(1));
        u64::from(rounds.sum::<u32>())
    });
    rounds.sum::<u64>() as f64 / subgroups as f64
}

#[test]
fn a_subgroup_takes_few_rounds() {
    // Representative of a scene fifty times as large, which has the same density.
    let uniform = sorted(Scene::Uniform, 200_000);
    let [one, all] = [1, AT_ONCE].map(|at_once| rounds(&uniform, at_once));
    println!("uniform: {one:.2} rounds of one record, {all:.2} of {AT_ONCE}");
    assert!(all <= 17.0, "{all} rounds a subgroup");
}
