//! The hierarchical uniform grid: its records and its cell arithmetic, shared by CPU and GPU.
//!
//! # Levels
//!
//! Boxes are sorted into *groups* by size, an octave each, and groups into *levels*, whose cells
//! are at least as large as their boxes' bounds. One level for all sizes would crowd its cells with
//! small boxes; a level for each group would make every small box search every level. The crowding
//! of cells of a given size depends on the clustering of the scene, so it is measured: a *probe*
//! sorts a sample of the boxes into cells of each group's size and counts the pairs that meet. The
//! levels are then chosen to minimize the expected work (`grid_plan_cpu.rs`). As a result, a few
//! giants get their own level and find none of their partners: the small boxes, many and spread
//! over many threads, find them.
//!
//! # Layout
//!
//! Every box is stored once, in the cell that holds the low corner of its bounds. The cells of a
//! level are the slots of a table. If there are at most four cells per box, each has a slot, and
//! the table is *plain*: a dense grid, row by row. A world with more cells is *folded* into a table
//! with two to four slots per box, like a map: a cell's coordinates modulo the fold's size, powers
//! of two, give the place in the fold, and a hash of the fold's number displaces it in the table,
//! so that regular scenes do not pile up. The table's size depends only on the number of boxes,
//! never on the world's volume. Consecutive cells in x within a fold are neighbours in the table,
//! so a row of cells is one run of records.
//!
//! Boxes may belong to independent *worlds*. They share folded tables, which give each of the first
//! worlds a place of a fold's size, as far as there are slots; worlds with higher numbers share
//! these places, displaced by a hash. The key does not tell worlds apart; the rules do, which are
//! consulted for every pair. On a GPU each of the *layers* that the rules make
//! (`src/rules/kinds.rs`) has a table of its own in each level, and the key has its number; on the
//! CPU each has a grid of its own (`src/broad_phase/layered.rs`). Either way a walk meets the
//! bodies of one layer alone, and goes no further than they do: a body that lies outside of all
//! layers that its own meets gets a slot that no walk visits.
//!
//! # Why every pair is found exactly once
//!
//! Assume that the bounds of A and B overlap, that B's level is the same as A's or coarser, and
//! that `s` is the cell size there. Then in each axis
//! `A.low - s <= A.low - size(B) <= B.low <= A.high`, so B's cell is among those from `A.low - s`
//! to `A.high`: A walks all of them.
//!
//! In a coarser level only A walks, so the pair is found once. If both are in the same level, both
//! walk it, so each box skips the cells before its own (in the order z, y, x) and, in its own cell,
//! the records before itself. Of two layers only one walks there, and skips nothing.
//!
//! A slot may hold records of other cells. A record counts only in the row of its own cell,
//! identified by its key: the cell modulo 256, the level and the layer. Two cells of one walk never
//! have the same key, because a walk spans fewer than 256 cells per axis. A record of a cell
//! outside the walk may have the key of one inside, but then its bounds do not overlap A's, by the
//! first paragraph. `walk_visits`, `levels_find_once` and `key_names_row` of `proofs` prove this
//! section, and the next.
//!
//! # Rounding
//!
//! A position in cells is `(p - origin) / s`, computed as a subtraction and a product. It is off by
//! at most `2u` of itself (`u = 2^-23`: shaders may round to either neighbour), wherever it is
//! computed: a fence keeps compilers with fast math from subtracting products
//! (`src/base/rewriting.rs`), which far from the origin are off by cells. The ends of a walk add
//! two more roundings.
//!
//! The walk is widened by [`Level::slack`], `2^-20` times the number of cells across, which is `8u`
//! of any position, plus `2^-10`. This is more than the `2u + 4u` of a record and a walk's end, and
//! more than numbers that a GPU flushes to zero (below `2^-126`, times at most `2^100`). The number
//! of cells across is at most `2^20`, so the slack is at most about a cell. The cell of a record is
//! computed once and then read from its key ([`home_cell`]), because two compilations of one
//! formula may disagree.
//!
//! None of this requires bounds wider than their contents: the caller's own bounds may touch in a
//! single number. Their coordinates are compared unchanged, and exactly. `size(B)` is no less than
//! `B.high - B.low`: the subtraction is off by at most `u` of itself (and exact for subnormal
//! numbers), and `SIZE_ERROR`, `8u`, outweighs that and its own rounding. If a GPU flushes a size
//! to zero, it was below `2^-126`, and no cell is smaller than `2^-100`. All else concerns
//! positions in cells, where the slack covers the rounding for any bounds.
//!
//! # Plans that are kept
//!
//! A recorded frame counts its boxes by the plan of an earlier frame, and keeps that plan if all
//! boxes fit it (`group_sizes` in `shaders/broad_phase/grid/grid_plan.wgsl`). Only one premise
//! above depends on the boxes: none is larger than the cells of its level. Their world may differ
//! from the plan's. Cells beyond the plan's are replaced by the outermost ones, which preserves
//! their order, so a walk still visits all cells between two positions. The slack there is
//! unchanged, because it matters only if a position is at most a cell or two beyond the last one:
//! positions further out are in the last cell, however they are rounded.
//!
//! # Levels about zero
//!
//! Cells of less than `2^-20` of the world's extent are too many to number from its low corner in
//! `f32`. The levels of such small boxes have cells that are numbered from the origin of
//! coordinates instead, [`CELLS_BELOW_ZERO`] in either direction, and whose size is a power of two.
//! That is enough for any box, because numbers far from zero are coarse: a box counts as no smaller
//! than `2^-22` of its coordinates ([`Bounds::size`](crate::geometry::bounds::Bounds::size)), so
//! its position `p / s`, and that of any smaller box, is less than `2^22` cells from zero.
//!
//! The product `p * (1 / s)` is exact there, except for numbers that a GPU flushes to zero, and the
//! ends of a walk are rounded to one of the neighbouring `f32`. Because B's position is an `f32`
//! beyond that end, it is beyond the rounded end, too. The slack is therefore that of flushed
//! numbers only. Small boxes close to zero are thus separated in a world of any size; boxes far
//! from zero cannot be small.

use bytemuck::{Pod, Zeroable};
use glam::{UVec3, Vec3};

use crate::broad_phase::grid::hash::{fold_hash, world_hash};
use crate::geometry::bounds::BINS;
use crate::rules::layers::{LAYER_BITS, MAX_LAYERS};

/// Maximum number of levels in a grid, and of the size groups they are made of.
pub(crate) const MAX_LEVELS: usize = 16;
/// Number of bits of a level's number.
const LEVEL_BITS: u32 = MAX_LEVELS.ilog2();
/// Maximum number of slots per box in a table.
pub(crate) const MAX_SLOTS_PER_BOX: usize = 4;
/// The fold bits of plain tables: no level has as many cells in an axis.
pub(crate) const PLAIN: u32 = 31;
/// Number of slots for which a GPU assigns places together; see `allocate_runs` in
/// `shaders/broad_phase/grid/grid_build.wgsl`.
pub(crate) const BLOCK: u64 = 1024;
/// One cell, including the rounding of its size.
pub(crate) const ONE_CELL: f32 = 1.0 + 1.0 / (1u32 << 20) as f32;

/// Number of bits of a key for each axis.
pub(crate) const KEY_BITS: u32 = 8;
pub(crate) const KEY_MASK: u32 = (1 << KEY_BITS) - 1;

/// Number of cells before position 0, and after it, in the levels about zero: 2^22.
pub(crate) const CELLS_BELOW_ZERO: u32 = 1 << 22;

/// One level: `struct Level` of `shaders/broad_phase/grid/grid.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Level {
    /// The largest cell coordinates.
    pub last_cell: UVec3,
    /// The start of the level's table in the slots of all levels.
    pub first_slot: u32,
    /// Binary logarithms of the fold's size in cells; [`PLAIN`] in a plain table.
    pub fold_bits: UVec3,
    /// The number of slots of the level's table: of cells in a plain one, otherwise `2^(x + y + z)`
    /// of `fold_bits` for each of the `2^world_bits` places of worlds.
    pub slots: u32,
    /// The edge length of a cell.
    pub cell_size: f32,
    /// `1 / cell_size`.
    pub inverse_cell_size: f32,
    /// The largest displacement of a position by rounding, in cells.
    pub slack: f32,
    /// The number of boxes stored in the level.
    pub boxes: u32,
    /// The average number of other boxes of the level in a box's cell, measured by the probe.
    pub crowding: f32,
    /// The expected cost of the level in comparisons of bounds. It is part of the choice with the
    /// minimum total.
    pub cost: f32,
    /// Binary logarithm of the number of places for worlds in the table: as many as fit, or 1
    /// without worlds.
    pub world_bits: u32,
    /// The number of cells before position 0: [`CELLS_BELOW_ZERO`] in a level about zero, 0 in a
    /// level that begins at the world's low corner.
    pub below_zero: u32,
}

impl Level {
    /// Converts a position to cells, given the world's low corner.
    #[inline]
    pub fn in_cells(&self, position: Vec3, origin: Vec3) -> Vec3 {
        let from = if self.below_zero > 0 { Vec3::ZERO } else { origin };
        (position - from) * self.inverse_cell_size
    }

    /// Returns the cell of a position given in cells.
    #[inline]
    pub fn cell(&self, position: Vec3) -> UVec3 {
        // The conversion truncates, which is floor for non-negative numbers.
        if self.below_zero == 0 {
            return position.clamp(Vec3::ZERO, self.last_cell.as_vec3()).as_uvec3();
        }
        let below = Vec3::splat(self.below_zero as f32);
        // Integers, exact in `f32`.
        (position.floor().clamp(-below, self.last_cell.as_vec3() - below) + below).as_uvec3()
    }
}

/// The whole grid: `struct Plan` of `shaders/broad_phase/grid/grid.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Plan {
    /// The low corner of cell (0, 0, 0) of every level.
    pub origin: Vec3,
    /// The number of levels in use, the coarsest first.
    pub level_count: u32,
    /// The high corner of the world; `origin` is the low one.
    pub high: Vec3,
    /// The number of slots of all tables together.
    pub slots: u32,
    /// The levels.
    pub levels: [Level; MAX_LEVELS],
    /// The level of each size bin.
    pub level_of_bin: [u32; BINS],
    /// The number of the order that it was made for
    /// ([`Params::order`](crate::frame::params::Params)); 0 on the CPU.
    pub order: u32,
    /// 1 if it was made for an earlier frame than the last.
    pub kept: u32,
    /// On a GPU the last slots, of no table: those of bodies that meet nothing.
    pub spare: u32,
    pub unused: u32,
    /// On a GPU a table for each layer of each level, [`MAX_LAYERS`] for the first, and so on: they
    /// take the place of the level's own.
    pub tables: [LayerTable; MAX_LEVELS * MAX_LAYERS],
    /// On a GPU the smallest bounds that hold all bodies of a layer.
    pub extents: [Extent; MAX_LAYERS],
}

/// The table of a layer in a level: `struct LayerTable` of `shaders/broad_phase/grid/grid.wgsl`.
/// Its parts are as in [`Level`].
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct LayerTable {
    pub fold_bits: UVec3,
    pub first_slot: u32,
    pub slots: u32,
    pub world_bits: u32,
    /// Bodies of the layer in the level, in this frame.
    pub boxes: u32,
    pub unused: u32,
}

/// The extent of bodies: `struct Extent` of `shaders/broad_phase/grid/grid.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Extent {
    pub low: Vec3,
    pub unused: u32,
    pub high: Vec3,
    pub unused_too: u32,
}

impl Plan {
    /// Returns the levels in use.
    pub fn levels(&self) -> &[Level] {
        &self.levels[..self.level_count as usize]
    }
}

/// Boxes of similar size: `struct SizeGroup` of `shaders/broad_phase/grid/grid.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct SizeGroup {
    /// The largest size in the group, and the edge length of cells if a level begins with it.
    pub cell_size: f32,
    /// The number of boxes in the group.
    pub boxes: u32,
    /// The number of pairs of samples that shared a slot of the probe's table, with cells of this
    /// size.
    pub coincidences: u32,
    /// The value of [`Level::below_zero`] for a level that begins with the group.
    pub below_zero: u32,
}

/// The scene's boxes by size, the largest first: `struct SizeGroups` of
/// `shaders/broad_phase/grid/grid.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct SizeGroups {
    /// The low corner of the world.
    pub origin: Vec3,
    /// The number of groups in use.
    pub count: u32,
    /// The high corner of the world.
    pub high: Vec3,
    /// 1 if the plan of an earlier frame is kept, and none is made from these groups.
    pub kept: u32,
    /// The groups.
    pub groups: [SizeGroup; MAX_LEVELS],
    /// The group of each size bin.
    pub group_of_bin: [u32; BINS],
}

/// Maximum number of boxes probed.
const MAX_SAMPLES: usize = 1 << 16;

/// Minimum number of boxes probed, if there are as many.
const MIN_SAMPLES: usize = 256;

/// Returns the number of boxes to probe, and of slots in the table for each group (a power of two,
/// four per sample), such that all tables together fill at most `max_bytes`. A quarter of the boxes
/// suffices to measure the crowding.
pub(crate) fn probe_size(boxes: usize, max_bytes: u64) -> (u32, u32) {
    let most_slots = (max_bytes / (4 * MAX_LEVELS as u64)).clamp(1, 1 << 30) as u32;
    let samples = (boxes / 4).clamp(boxes.min(MIN_SAMPLES), MAX_SAMPLES);
    let slots = (4 * samples as u32).next_power_of_two().min(1 << most_slots.ilog2());
    (samples.min((slots / 4) as usize).max(1) as u32, slots)
}

impl SizeGroup {
    /// Computes a hash of the cell of a position in a world, given the low corner of all worlds.
    #[inline]
    pub fn probe_hash(&self, position: Vec3, origin: Vec3, world: u32) -> u32 {
        let cell = if self.below_zero == 0 {
            let cell = (position - origin) / self.cell_size;
            cell.clamp(Vec3::ZERO, Vec3::splat((1u32 << 21) as f32)).as_uvec3() + UVec3::ONE
        } else {
            // Large boxes are far beyond the cells of the level. The low bits of integers are
            // mostly zeros.
            let [x, y, z] = (position / self.cell_size)
                .floor()
                .to_array()
                .map(|x| x.to_bits().reverse_bits());
            UVec3::new(x, y, z)
        };
        fold_hash(cell).wrapping_add(world_hash(world))
    }
}

/// Returns the key of a cell: its coordinates modulo 256, its level, and the layer of the bodies.
#[inline]
pub(crate) fn cell_key(level: usize, layer: u32, cell: UVec3) -> u32 {
    const { assert!(3 * KEY_BITS + LEVEL_BITS + LAYER_BITS <= u32::BITS) };
    let low = cell & UVec3::splat(KEY_MASK);
    let place = level as u32 | layer << LEVEL_BITS;
    low.x | low.y << KEY_BITS | low.z << (2 * KEY_BITS) | place << (3 * KEY_BITS)
}

/// Returns the level encoded in a key.
#[inline]
pub(crate) fn level_of_key(key: u32) -> usize {
    (key >> (3 * KEY_BITS)) as usize % MAX_LEVELS
}

/// Returns the cell with a record's key that is nearest to the record's computed position.
#[inline]
pub(crate) fn home_cell(key: u32, near: UVec3) -> UVec3 {
    let low = UVec3::new(key, key >> KEY_BITS, key >> (2 * KEY_BITS));
    let wrapping_difference =
        |low: u32, near: u32| (low.wrapping_sub(near) << (32 - KEY_BITS)) as i32 >> (32 - KEY_BITS);
    UVec3::new(
        near.x.wrapping_add_signed(wrapping_difference(low.x, near.x)),
        near.y.wrapping_add_signed(wrapping_difference(low.y, near.y)),
        near.z.wrapping_add_signed(wrapping_difference(low.z, near.z)),
    )
}

/// One level of the grid. See docs/src/design/grid.md.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct GridLevel {
    /// The edge length of a cell, in the caller's unit. No box of the level has bounds larger than
    /// this.
    pub cell_size: f32,
    /// The number of boxes stored at this level.
    pub boxes: u32,
    /// The number of slots of the level's cell table.
    pub slots: u32,
    /// The average number of other boxes of the level in a box's cell, measured on a sample. With
    /// few levels, cells are crowded; with many, small boxes must search each level.
    pub crowding: f32,
    /// The level's expected cost in comparisons of bounds; looking up a row of cells counts as ten.
    /// The levels are chosen to minimize the sum of their costs.
    pub expected_cost: f32,
}

impl From<&Level> for GridLevel {
    fn from(level: &Level) -> Self {
        Self {
            cell_size: level.cell_size,
            boxes: level.boxes,
            slots: level.slots,
            crowding: level.crowding,
            expected_cost: level.cost,
        }
    }
}

/// The constants and records of this file that the shaders of the grid repeat.
#[cfg(all(test, feature = "gpu"))]
pub(crate) const TWINS: &[crate::device::twins::Twin] = {
    use crate::device::twins::{Twin, record};
    &[
        Twin::Constant("MAX_LEVELS", MAX_LEVELS as f64),
        Twin::Constant("MAX_SLOTS_PER_BOX", MAX_SLOTS_PER_BOX as f64),
        Twin::Constant("BLOCK", BLOCK as f64),
        Twin::Constant("PLAIN", PLAIN as f64),
        Twin::Constant("CELLS_BELOW_ZERO", CELLS_BELOW_ZERO as f64),
        Twin::Constant("LEVEL_BITS", LEVEL_BITS as f64),
        Twin::Constant("CELL_KEY_BITS", KEY_BITS as f64),
        Twin::Constant("CELL_KEY_MASK", KEY_MASK as f64),
        Twin::Constant("ONE_CELL", ONE_CELL as f64),
        record!(
            "Level",
            Level,
            [
                last_cell,
                first_slot,
                fold_bits,
                slots,
                cell_size,
                inverse_cell_size,
                slack,
                boxes,
                crowding,
                cost,
                world_bits,
                below_zero,
            ]
        ),
        record!(
            "Plan",
            Plan,
            [
                origin,
                level_count,
                high,
                slots,
                levels,
                level_of_bin,
                order,
                kept,
                spare,
                tables,
                extents
            ]
        ),
        record!(
            "UniformPlan",
            Plan,
            [
                origin,
                level_count,
                high,
                slots,
                levels,
                level_of_bin,
                order,
                kept,
                spare,
                tables,
                extents
            ]
        ),
        record!(
            "LayerTable",
            LayerTable,
            [fold_bits, first_slot, slots, world_bits, boxes]
        ),
        record!("Extent", Extent, [low, high]),
        record!("SizeGroup", SizeGroup, [cell_size, boxes, coincidences, below_zero]),
        record!(
            "SizeGroups",
            SizeGroups,
            [origin, count, high, kept, groups, group_of_bin]
        ),
    ]
};
