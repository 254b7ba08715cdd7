//! The levels of the grid in the form in which the CPU sorts records into them and walks them:
//! positions in lanes.

use bytemuck::cast;
use glam::UVec3;
use wide::f32x4;

use crate::broad_phase::grid::layout::{Level, ONE_CELL};
use crate::broad_phase::grid::table::Table;
use crate::broad_phase::grid::vector::vector;

/// The cells of a walk.
#[derive(Clone, Copy)]
pub(crate) struct Reached {
    pub first: UVec3,
    /// The cell of the record.
    pub home: UVec3,
    pub last: UVec3,
}

/// A level in the form needed by walks, with coordinates in the first three lanes.
pub(crate) struct LevelWalk {
    inverse_cell_size: f32x4,
    slack: f32x4,
    /// The distance before a position at which a walk begins.
    before: f32x4,
    last_cell: f32x4,
    below_zero: u32,
    pub table: Table,
}

impl LevelWalk {
    pub fn over(level: &Level) -> Self {
        let table = Table::of(level);
        Self {
            inverse_cell_size: f32x4::splat(level.inverse_cell_size),
            slack: f32x4::splat(level.slack),
            before: f32x4::splat(ONE_CELL + level.slack),
            last_cell: vector(level.last_cell.as_vec3()),
            below_zero: level.below_zero,
            table,
        }
    }

    /// Returns the number of cells per unit of length.
    #[inline(always)]
    pub fn inverse(&self) -> f32 {
        self.inverse_cell_size.as_array()[0]
    }

    /// Returns the largest coordinate of a cell along an axis.
    #[inline(always)]
    pub fn last(&self, axis: usize) -> f32 {
        self.last_cell.as_array()[axis]
    }

    /// Returns `true` if cells are numbered from the low corner of the world, and have a slot each.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        self.below_zero == 0 && self.table.is_plain()
    }

    /// Computes `Level::cell` in the first three lanes.
    #[inline(always)]
    pub fn cell<const ABOUT_ZERO: bool>(&self, mut position: f32x4) -> UVec3 {
        if ABOUT_ZERO && self.below_zero > 0 {
            position = position.floor() + f32x4::splat(self.below_zero as f32);
        }
        let position = position.fast_max(f32x4::ZERO).fast_min(self.last_cell);
        let [x, y, z, _]: [u32; 4] = cast(position.fast_trunc_int());
        UVec3::new(x, y, z)
    }

    /// Returns the cells of a record's walk, given its corners and the low corner of the world.
    #[inline(always)]
    pub fn reached<const ABOUT_ZERO: bool>(&self, corners: [f32x4; 2], origin: f32x4) -> Reached {
        let in_cells = |corner: f32x4| match ABOUT_ZERO && self.below_zero > 0 {
            true => corner * self.inverse_cell_size,
            false => (corner - origin) * self.inverse_cell_size,
        };
        let [near, far] = corners.map(in_cells);
        Reached {
            first: self.cell::<ABOUT_ZERO>(near - self.before),
            // Rust rounds a formula the same way wherever it occurs, so this is the cell that holds
            // the record.
            home: self.cell::<ABOUT_ZERO>(near),
            last: self.cell::<ABOUT_ZERO>(far + self.slack),
        }
    }

    /// Returns the cell of a low corner, given that of the world.
    #[inline(always)]
    pub fn cell_of(&self, low: f32x4, origin: f32x4) -> UVec3 {
        let from = if self.below_zero > 0 { low } else { low - origin };
        self.cell::<true>(from * self.inverse_cell_size)
    }
}
