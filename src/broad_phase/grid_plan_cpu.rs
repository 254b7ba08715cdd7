//! Twin of `shaders/grid_plan.wgsl`: plans the grid from the scene's statistics.

use bytemuck::Zeroable;
use glam::{UVec3, Vec3};

use super::grid::{MAX_LEVELS, Plan};
use crate::bounds::{BINS, SceneStats};

/// Boxes a cell may hold on average before an octave of smaller boxes gets a level of its own.
///
/// More boxes a cell mean more comparisons; more levels mean more cells to look up for every small box.
pub(crate) const MAX_BOXES_PER_CELL: f32 = 2.0;
/// Octaves of size one level may span, however empty the scene seems: the average over the world says little about a
/// cluster, and this bounds what it can cost.
pub(crate) const MAX_OCTAVES: usize = 2;
/// Cells are never smaller than this, in the caller's unit: 2^-100.
pub(crate) const SMALLEST_CELL: f32 = f32::from_bits((127 - 100) << 23);
/// Cells are never smaller than this part of the world's largest extent; see "Rounding" in `grid.rs`.
pub(crate) const CELLS_ACROSS: f32 = 1.0 / (1u32 << 20) as f32;
/// Slack in cells, whatever the level.
pub(crate) const BASE_SLACK: f32 = 1.0 / (1u32 << 10) as f32;
/// Slack per cell across the level.
pub(crate) const SLACK_PER_CELL: f32 = 1.0 / (1u32 << 21) as f32;

/// Chooses levels, cell sizes and tables.
///
/// Sizes are taken from the largest down, an octave at a time. An octave joins the level above it as long as the cells
/// there would not get crowded; else it starts a level whose cells are as large as its largest box.
pub(crate) fn grid_plan(stats: &SceneStats) -> Plan {
    let mut plan = Plan::zeroed();
    let span = stats.world_high() - stats.world_low();
    let smallest_cell = (span.max_element() * CELLS_ACROSS).max(SMALLEST_CELL);
    plan.origin = stats.world_low();

    let mut count = 0;
    let mut top_bin = 0;
    for bin in (0..BINS).rev() {
        let more = stats.boxes_of_bin[bin];
        if more == 0 {
            continue;
        }
        let merge = count > 0 && {
            let level = &plan.levels[count - 1];
            count == MAX_LEVELS
                || level.cell_size == smallest_cell
                || (top_bin - bin < MAX_OCTAVES
                    && boxes_per_cell(level.boxes + more, level.cell_size, span) <= MAX_BOXES_PER_CELL)
        };
        if !merge {
            count += 1;
            top_bin = bin;
            plan.levels[count - 1].cell_size = f32::from_bits(stats.largest_of_bin[bin]).max(smallest_cell);
        }
        plan.levels[count - 1].boxes += more;
        plan.level_of_bin[bin] = count as u32 - 1;
    }
    plan.level_count = count as u32;

    let mut first_slot = 0;
    for level in &mut plan.levels[..count] {
        level.inverse_cell_size = 1.0 / level.cell_size;
        level.last_cell = (span * level.inverse_cell_size)
            .min(Vec3::splat((1u32 << 21) as f32))
            .as_uvec3();
        level.slack = BASE_SLACK + SLACK_PER_CELL * level.last_cell.max_element() as f32;
        level.fold_bits = fold_bits(level.last_cell, table_bits(level.boxes));
        level.slots = 1 << level.fold_bits.element_sum();
        level.first_slot = first_slot;
        first_slot += level.slots;
    }
    plan
}

/// Boxes a cell would hold on average if the boxes were spread evenly over the world.
fn boxes_per_cell(boxes: u32, cell_size: f32, span: Vec3) -> f32 {
    let share = Vec3::splat(cell_size) / span.max(Vec3::splat(cell_size));
    boxes as f32 * share.x * share.y * share.z
}

/// Binary logarithm of a table's size: two to four slots a box.
fn table_bits(boxes: u32) -> u32 {
    (u32::BITS - boxes.leading_zeros()).min(30) + 1
}

/// Gives a table's bits to the axes, the one with most cells a slot first, until every cell has a slot.
fn fold_bits(last_cell: UVec3, bits: u32) -> UVec3 {
    let mut given = UVec3::ZERO;
    for _ in 0..bits {
        let left = last_cell >> given;
        if left == UVec3::ZERO {
            break;
        }
        given[left.max_position()] += 1;
    }
    given
}
