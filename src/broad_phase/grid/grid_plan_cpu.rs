//! The plan of the grid, computed from the scene's statistics. Twin of
//! `shaders/broad_phase/grid/grid_plan.wgsl`.

use bytemuck::Zeroable;
use glam::{UVec3, Vec3};

use crate::broad_phase::grid::layout::{
    CELLS_BELOW_ZERO, Level, MAX_LEVELS, MAX_SLOTS_PER_BOX, PLAIN, Plan, SizeGroup, SizeGroups,
};
use crate::geometry::bounds::BINS;
use crate::geometry::scene_stats::SceneStats;

/// The smallest cell size, in the caller's unit: 2^-100.
pub(crate) const SMALLEST_CELL: f32 = f32::from_bits((127 - 100) << 23);
/// Fraction of the world's largest extent: levels with smaller cells are levels about zero
/// (`layout.rs`).
pub(crate) const CELLS_ACROSS: f32 = 1.0 / (1u32 << 20) as f32;
/// Slack in cells, independent of the level.
pub(crate) const BASE_SLACK: f32 = 1.0 / (1u32 << 10) as f32;
/// Slack per cell across the level.
pub(crate) const SLACK_PER_CELL: f32 = 1.0 / (1u32 << 20) as f32;
/// Cost of looking up a row of cells, in comparisons of bounds. Measured: a row accesses memory
/// that is rarely in a near cache, while the records of a row are consecutive.
pub(crate) const ROW_COST: f32 = 10.0;

/// Sorts the boxes into groups by size, the largest first: one octave each, or several if there are
/// more than [`MAX_LEVELS`]. A level of the grid is one or more groups. Cells that begin at the
/// world's low corner are `room` times as large as necessary.
pub(crate) fn group_sizes(stats: &SceneStats, room: f32) -> SizeGroups {
    let mut groups = SizeGroups::zeroed();
    let span = stats.world_high() - stats.world_low();
    let from_corner = span.max_element() * CELLS_ACROSS;
    groups.origin = stats.world_low();
    groups.high = stats.world_high();
    let octaves = stats.boxes_of_bin.iter().filter(|&&boxes| boxes > 0).count();
    let octaves_per_group = octaves.div_ceil(MAX_LEVELS).max(1);

    let mut count = 0;
    let mut octaves = 0;
    for bin in (0..BINS).rev() {
        let boxes = stats.boxes_of_bin[bin];
        if boxes == 0 {
            continue;
        }
        if count == 0 || (octaves % octaves_per_group == 0 && groups.groups[count - 1].cell_size > SMALLEST_CELL) {
            let group = &mut groups.groups[count];
            group.cell_size = f32::from_bits(stats.largest_of_bin[bin]).max(SMALLEST_CELL);
            if group.cell_size < from_corner {
                group.cell_size = power_of_two(group.cell_size);
                group.below_zero = CELLS_BELOW_ZERO;
            } else {
                group.cell_size *= room;
            }
            count += 1;
        }
        octaves += 1;
        groups.groups[count - 1].boxes += boxes;
        groups.group_of_bin[bin] = count as u32 - 1;
    }
    groups.count = count as u32;
    groups
}

/// Joins groups into levels that minimize the cost of walking the grid, and lays out the levels'
/// tables.
///
/// Few levels mean crowded cells; many levels mean many rows of cells to look up for every small
/// box. The cost of a level does not depend on the others, so dynamic programming over the levels'
/// first groups finds the best choice.
///
/// `compartments` is set if there are several worlds or layers. Every table then gets all the slots
/// it may have, to hold as many compartments as fit.
pub(crate) fn choose_levels(groups: &SizeGroups, compartments: bool, samples: u32, probe_slots: u32) -> Plan {
    let count = groups.count as usize;
    // The minimum cost of the groups from an index on, and the group after the first level of that
    // choice.
    let mut best = [(0.0, 0); MAX_LEVELS + 1];
    for first in (0..count).rev() {
        best[first] = (f32::INFINITY, count);
        for end in first + 1..=count {
            let cost = level_cost(groups, first, end, samples, probe_slots) + best[end].0;
            if cost < best[first].0 {
                best[first] = (cost, end);
            }
        }
    }

    let mut plan = Plan::zeroed();
    plan.origin = groups.origin;
    plan.high = groups.high;
    let span = groups.high - groups.origin;
    let all = groups.groups[..count].iter().map(|group| group.boxes).sum();
    let mut level_of_group = [0; MAX_LEVELS];
    let mut first_slot = 0;
    let mut first = 0;
    while first < count {
        let end = best[first].1;
        let level = &mut plan.levels[plan.level_count as usize];
        level.cell_size = groups.groups[first].cell_size;
        level.boxes = groups.groups[first..end].iter().map(|group| group.boxes).sum();
        level.crowding = crowding(groups, first, end, samples, probe_slots);
        level.cost = level_cost(groups, first, end, samples, probe_slots);
        level.inverse_cell_size = 1.0 / level.cell_size;
        level.below_zero = groups.groups[first].below_zero;
        if level.below_zero > 0 {
            level.last_cell = UVec3::splat(2 * level.below_zero - 1);
            level.last_cell = level.cell(level.in_cells(plan.high, plan.origin));
            level.slack = BASE_SLACK;
        } else {
            let cells = span * level.inverse_cell_size;
            level.last_cell = cells.min(Vec3::splat((1u32 << 21) as f32)).as_uvec3();
            level.slack = BASE_SLACK + SLACK_PER_CELL * level.last_cell.max_element() as f32;
        }
        lay_out_table(level, all, compartments);
        level.first_slot = first_slot;
        first_slot += level.slots;
        level_of_group[first..end].fill(plan.level_count);
        plan.level_count += 1;
        first = end;
    }
    plan.slots = first_slot;
    for (bin, level) in plan.level_of_bin.iter_mut().enumerate() {
        *level = level_of_group[groups.group_of_bin[bin] as usize];
    }
    plan
}

/// Returns the smallest power of two that is not less than a positive number.
fn power_of_two(x: f32) -> f32 {
    let fraction = (1 << 23) - 1;
    f32::from_bits((x.to_bits() + fraction) & !fraction)
}

/// Returns the cost of a level of the groups `first..end`, in comparisons of bounds: the walks of
/// its own boxes over half a neighbourhood each, and those of all smaller boxes over a whole one.
fn level_cost(groups: &SizeGroups, first: usize, end: usize, samples: u32, probe_slots: u32) -> f32 {
    let all = &groups.groups[..groups.count as usize];
    let crowding = crowding(groups, first, end, samples, probe_slots);
    let walks = all[first..].iter().enumerate().map(|(k, group)| {
        // A box of this size reaches this many cells per axis.
        let reach = 1.0 + group.cell_size / all[first].cell_size;
        let part = if first + k < end { 0.5 } else { 1.0 };
        part * group.boxes as f32 * reach * reach * (ROW_COST + reach * crowding)
    });
    walks.sum()
}

/// Returns the average number of other boxes in a box's cell, in a level of the groups
/// `first..end`.
fn crowding(groups: &SizeGroups, first: usize, end: usize, samples: u32, probe_slots: u32) -> f32 {
    let all = &groups.groups[..groups.count as usize];
    let count = |groups: &[SizeGroup]| groups.iter().map(|group| group.boxes as f32).sum::<f32>();
    let share = count(&all[first..end]) / count(all);
    share * occupancy(&all[first], count(all), samples, probe_slots)
}

/// Returns the number of pairs of samples that share a slot of the probe's table by chance.
fn by_chance(samples: u32, probe_slots: u32) -> f32 {
    samples as f32 * samples as f32 / (2.0 * probe_slots as f32)
}

/// Returns the average number of other boxes in a box's cell if all were sorted into the group's
/// cells.
///
/// It is computed from the probe: `samples` boxes were sorted into a table of `probe_slots`, where
/// some share a slot by chance.
fn occupancy(group: &SizeGroup, boxes: f32, samples: u32, probe_slots: u32) -> f32 {
    let (chance, samples) = (by_chance(samples, probe_slots), samples as f32);
    let pairs = (group.coincidences as f32 - chance).max(0.0);
    2.0 * pairs / samples * (boxes / samples)
}

/// Returns the binary logarithm of the size of a table that is not plain: two to four slots for
/// each of its `boxes`.
///
/// Slots are numbered in 32 bits. Scenes of 2^30 boxes and more, which no GPU holds at once, get a
/// quarter as many, so that all tables together have fewer slots than there are boxes.
fn table_bits(boxes: u32, all: u32) -> u32 {
    let bits = u32::BITS - boxes.leading_zeros();
    if all < 1 << 30 { bits + 1 } else { bits - 1 }
}

/// Lays out the table of a level of a grid with `all` boxes.
fn lay_out_table(level: &mut Level, all: u32, compartments: bool) {
    let bits = table_bits(level.boxes, all);
    level.world_bits = 0;
    let cells = cells_up_to(level.last_cell, most_slots(level.boxes, all));
    if cells > 0 && !compartments {
        (level.fold_bits, level.slots) = (UVec3::splat(PLAIN), cells);
        return;
    }
    level.fold_bits = fold_bits(level.last_cell, bits);
    if compartments {
        level.world_bits = bits - level.fold_bits.element_sum();
    }
    level.slots = 1 << (level.fold_bits.element_sum() + level.world_bits);
}

/// Returns the maximum number of slots of a table: four for each of its `boxes`.
fn most_slots(boxes: u32, all: u32) -> u32 {
    if all < 1 << 30 {
        MAX_SLOTS_PER_BOX as u32 * boxes
    } else {
        1 << table_bits(boxes, all)
    }
}

/// Returns the number of cells, given the last one, or 0 if there are more than `most`.
fn cells_up_to(last_cell: UVec3, most: u32) -> u32 {
    let [x, y, z] = (last_cell + 1).to_array();
    if x > most || y > most / x || z > most / (x * y) {
        return 0;
    }
    x * y * z
}

/// Distributes a table's bits over the axes, always to the axis with most cells per slot, until
/// every cell has a slot.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad_phase::grid::table::Table;

    #[test]
    fn slots_are_numbered_in_32_bits() {
        // Crowded cells of the coarser size cause a level for each size.
        let group = |cell_size, boxes| SizeGroup {
            cell_size,
            boxes,
            coincidences: u32::MAX / 4,
            below_zero: 0,
        };
        let samples = 1 << 16;
        for boxes in [(1 << 29) - 1, 1 << 29, (1 << 30) + 1, u32::MAX / 2] {
            let mut groups = SizeGroups::zeroed();
            groups.high = groups.origin + Vec3::splat(1e8);
            groups.count = 2;
            groups.groups[..2].copy_from_slice(&[group(1000.0, boxes), group(1.0, boxes)]);
            groups.groups[1].coincidences = 0;
            let plan = choose_levels(&groups, false, samples, 4 * samples);
            assert_eq!(plan.level_count, 2, "{boxes} boxes");
            let mut slots = 0;
            for level in plan.levels() {
                assert_eq!(u64::from(level.first_slot), slots, "{boxes} boxes");
                assert!(level.slots >= boxes / 2, "{boxes} boxes, {} slots", level.slots);
                slots += u64::from(level.slots);
            }
            assert!(slots <= u64::from(u32::MAX), "{boxes} boxes, {slots} slots");
        }
    }

    #[test]
    fn cells_of_a_plain_table_have_a_slot_each() {
        let mut plain = 0;
        for last_cell in [[0, 0, 0], [6, 0, 3], [0, 9, 0], [2, 3, 4], [7, 7, 7], [30, 1, 1]].map(UVec3::from_array) {
            for (boxes, compartments) in [(2, false), (30, false), (200, false), (200, true)] {
                let mut level = Level {
                    last_cell,
                    boxes,
                    first_slot: 100,
                    ..Level::zeroed()
                };
                lay_out_table(&mut level, boxes, compartments);
                let table = Table::of(&level);
                let cells = (last_cell + 1).element_product();
                assert_eq!(
                    table.is_plain(),
                    !compartments && cells <= 4 * boxes,
                    "{last_cell}, {boxes}"
                );
                assert!(level.slots <= 4 * boxes);
                let cell = |k: u32| {
                    let [x, y, _] = (last_cell + 1).to_array();
                    UVec3::new(k % x, k / x % y, k / (x * y))
                };
                let mut slots: Vec<u32> = (0..cells).map(|k| table.slot(cell(k), 0)).collect();
                assert!(slots.iter().all(|slot| (100..100 + level.slots).contains(slot)));
                if table.is_plain() {
                    // Row by row.
                    plain += 1;
                    assert!(slots.into_iter().eq(100..100 + cells));
                } else if compartments && cells <= boxes {
                    slots.sort_unstable();
                    slots.dedup();
                    assert_eq!(slots.len(), cells as usize);
                }
            }
        }
        assert!(plain > 10, "{plain}");
    }
}
