//! The tables of the grid: the slot of a cell. See "Layout" in [`layout`](super::layout).

use std::ops::Range;

use glam::UVec3;

use crate::broad_phase::grid::hash::{fold_hash, world_hash};
use crate::broad_phase::grid::layout::Level;

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
    /// The number of rows of a fold.
    fold_rows: u32,
    /// `slots - 1`.
    within: u32,
    /// Set if there is more than one fold.
    folded: bool,
    world_bits: u32,
}

impl Table {
    #[inline]
    pub fn of(level: &Level) -> Self {
        let bits = level.fold_bits;
        Self {
            first_slot: level.first_slot,
            fold_bits: bits,
            inner: (UVec3::ONE << bits) - UVec3::ONE,
            row: 1 << bits.x,
            slice: 1 << (bits.x + bits.y),
            fold_rows: 1 << (bits.y + bits.z),
            // A level that is not in use has no slots.
            within: level.slots.wrapping_sub(1),
            folded: level.last_cell >> bits != UVec3::ZERO,
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
        first..first + self.within.wrapping_add(1) as usize
    }

    /// Returns the number of slots from one row to the next, and from one slice to the next.
    #[inline(always)]
    pub fn strides(&self) -> [u32; 2] {
        [self.row, self.slice]
    }

    /// Returns the slot of a cell, if the table is not [folded](Self::is_folded), in world 0.
    #[inline(always)]
    pub fn plain_slot(&self, cell: UVec3) -> u32 {
        self.first_slot + cell.x + cell.y * self.row + cell.z * self.slice
    }

    /// Returns `true` if the table has fewer slots than there are cells, so that cells share slots.
    #[inline]
    pub fn is_folded(&self) -> bool {
        self.folded
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
        let hash = if self.folded {
            fold_hash(cell >> self.fold_bits).wrapping_add(displacement)
        } else {
            displacement
        };
        let inner = cell & self.inner;
        let row = (inner.y.wrapping_add(hash).wrapping_mul(self.row)).wrapping_add(inner.z * self.slice);
        self.first_slot + (inner.x.wrapping_add(row) & self.within)
    }

    /// Returns the last cell in x, at most `last`, in the same fold as `x`.
    #[inline]
    pub fn row_end(&self, x: u32, last: u32) -> u32 {
        last.min(x | self.inner.x)
    }
}
