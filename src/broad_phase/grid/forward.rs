//! The usual walk of a record in its own level: the forward half of its neighbourhood, looked up
//! without a branch.
//!
//! A record is no larger than a cell, so it reaches one to five rows. A branch for each of them
//! would be mispredicted often, which costs more than looking a row up. All five are therefore
//! looked up, and rows that the walk does not reach have no records.

use glam::UVec3;

use crate::broad_phase::grid::record::Run;
use crate::broad_phase::grid::table::Table;

/// The cells of a walk.
#[derive(Clone, Copy)]
pub(crate) struct Reached {
    pub first: UVec3,
    /// The cell of the record.
    pub home: UVec3,
    pub last: UVec3,
}

impl Reached {
    /// Returns `true` if the forward half of the walk reaches no more than five rows: almost
    /// always.
    #[inline(always)]
    pub fn is_usual(&self) -> bool {
        (self.last.y - self.home.y) | (self.home.y - self.first.y) | (self.last.z - self.home.z) <= 1
    }

    /// Returns the number of rows in the forward half of a usual walk.
    pub fn rows(&self) -> u32 {
        let ahead = self.last - self.home;
        1 + ahead.y + ahead.z * (self.last.y - self.first.y + 1)
    }

    /// Returns the runs in the record's slice, for record `i` of a table without shared slots. In
    /// its own row, it meets only the records after it.
    #[inline(always)]
    pub fn own_slice(&self, table: &Table, starts: &[u32], i: u32) -> [Run; 2] {
        let own_end = starts[(table.plain_slot(self.home) + self.last.x - self.home.x) as usize + 1];
        let own = Run {
            first: i + 1,
            count: own_end - (i + 1),
        };
        let [row, _] = table.strides();
        [own, self.run(table, starts, row, self.last.y - self.home.y)]
    }

    /// Returns the runs in the next slice.
    #[inline(always)]
    pub fn next_slice(&self, table: &Table, starts: &[u32]) -> [Run; 3] {
        let [row, slice] = table.strides();
        let over = self.last.z - self.home.z;
        [
            self.run(table, starts, slice - row, over & (self.home.y - self.first.y)),
            self.run(table, starts, slice, over),
            self.run(table, starts, slice + row, over & (self.last.y - self.home.y)),
        ]
    }

    /// Returns the run of the row that is this many slots after the record's own. It is empty if
    /// `is_reached` is 0 instead of 1.
    #[inline(always)]
    fn run(&self, table: &Table, starts: &[u32], distance: u32, is_reached: u32) -> Run {
        let slot = table.plain_slot(self.home) - (self.home.x - self.first.x) + distance * is_reached;
        let end = slot + (self.last.x - self.first.x + 1);
        let first = starts[slot as usize];
        Run {
            first,
            count: (starts[end as usize] - first) * is_reached,
        }
    }
}
