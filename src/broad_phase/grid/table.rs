//! The tables of the grid: the slot of a cell. See "Layout" in [`layout`](super::layout).

use std::ops::Range;

use glam::UVec3;

use crate::broad_phase::grid::hash::{fold_hash, world_hash};
use crate::broad_phase::grid::layout::{Level, PLAIN};

/// Returns the slot of a cell of a world; see "Layout" in [`layout`](super::layout).
#[inline]
pub(crate) fn slot_of(level: &Level, cell: UVec3, world: u32) -> u32 {
    let table = Table::of(level);
    table.slot(cell, table.displacement(world))
}

/// A level's table, with values shared by lookups of many slots.
#[derive(Clone, Copy)]
pub(crate) struct Table {
    first_slot: u32,
    fold_bits: UVec3,
    /// The mask of the place in a fold, in cells.
    inner: UVec3,
    /// The number of slots from one row to the next, and from one slice to the next.
    row: u32,
    slice: u32,
    slots: u32,
    /// The number of rows of a fold.
    fold_rows: u32,
    /// Set if each cell has a slot of its own, whatever its world.
    is_plain: bool,
    world_bits: u32,
}

impl Table {
    #[inline]
    pub fn of(level: &Level) -> Self {
        let bits = level.fold_bits;
        let is_plain = bits.x == PLAIN;
        // A plain table is one fold.
        let [row, rows, slices] = match is_plain {
            true => (level.last_cell + 1).to_array(),
            false => (UVec3::ONE << bits).to_array(),
        };
        Self {
            first_slot: level.first_slot,
            fold_bits: bits,
            inner: (UVec3::ONE << bits) - UVec3::ONE,
            row,
            slice: row * rows,
            slots: level.slots,
            fold_rows: rows * slices,
            is_plain,
            world_bits: level.world_bits,
        }
    }

    /// Returns the slot of the first cell.
    #[inline(always)]
    pub fn first_slot(&self) -> u32 {
        self.first_slot
    }

    /// Returns the slots of the level.
    #[inline(always)]
    pub fn slots(&self) -> Range<usize> {
        let first = self.first_slot as usize;
        first..first + self.slots as usize
    }

    /// Returns the number of slots from one row to the next, and from one slice to the next.
    #[inline(always)]
    pub fn strides(&self) -> [u32; 2] {
        [self.row, self.slice]
    }

    /// Returns the slot of a cell, if the table [is plain](Self::is_plain).
    #[inline(always)]
    pub fn plain_slot(&self, cell: UVec3) -> u32 {
        self.first_slot + cell.x + cell.y * self.row + cell.z * self.slice
    }

    /// Returns `true` if each cell has a slot of its own, and worlds make no difference. Otherwise
    /// cells share slots.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Returns the number of rows by which a world is displaced; 0 for world 0.
    #[inline]
    pub fn displacement(&self, world: u32) -> u32 {
        let place = world & ((1 << self.world_bits) - 1);
        place
            .wrapping_mul(self.fold_rows)
            .wrapping_add(world_hash(world >> self.world_bits))
    }

    /// Returns the slot of a cell of a world displaced by `displacement` rows.
    #[inline]
    pub fn slot(&self, cell: UVec3, displacement: u32) -> u32 {
        if self.is_plain {
            return self.plain_slot(cell);
        }
        let hash = fold_hash(cell >> self.fold_bits).wrapping_add(displacement);
        let inner = cell & self.inner;
        let row = (inner.y.wrapping_add(hash).wrapping_mul(self.row)).wrapping_add(inner.z * self.slice);
        self.first_slot + (inner.x.wrapping_add(row) & (self.slots - 1))
    }

    /// Returns the last cell in x, at most `last`, in the same fold as `x`.
    #[inline]
    pub fn row_end(&self, x: u32, last: u32) -> u32 {
        last.min(x | self.inner.x)
    }
}
