//! The usual walks of records in their own level: the forward half of their neighbourhoods, for
//! eight consecutive records at a time.
//!
//! A record is no larger than a cell, so it reaches at most five rows: its own and the next in its
//! slice, and three in the next slice. A mask has a bit for each that it does reach, so that a
//! single loop runs over them: nested loops would mispredict the end of each.

use fearless_simd::prelude::*;
use fearless_simd::{f32x8, i32x8};

use crate::base::lanes::{Simd, axes};
use crate::broad_phase::grid::columns::LANES;
use crate::broad_phase::grid::level_walk::LevelWalk;
use crate::broad_phase::grid::record::Run;

/// The usual walks of eight consecutive records, in a table without shared slots.
pub(crate) struct Forward {
    /// The first slot and the end of the slots that each record reaches in its own row; those of
    /// other rows are [`LevelWalk::offsets`] further.
    slots: [[i32; LANES]; 2],
    /// The rows that each record reaches, in the order of [`LevelWalk::offsets`], one bit each.
    rows: [i32; LANES],
}

impl Forward {
    /// Computes the walks of records, given their corners and the low corner of the world, unless
    /// one of them reaches more than five rows, which is rare.
    #[inline(always)]
    pub fn of<S: Simd>(simd: S, walk: &LevelWalk, corners: [[f32x8<S>; 3]; 2], origin: [f32; 3]) -> Option<Self> {
        // Loops over the axes are written out: functions of the standard library that take closures
        // are compiled without the vector instructions.
        let [low, high] = corners;
        let near = axes!(|axis| (low[axis] - origin[axis]) * walk.inverse());
        let far = axes!(|axis| (high[axis] - origin[axis]) * walk.inverse());
        let zero = f32x8::splat(simd, 0.0);
        let first = axes!(|axis| near[axis] - walk.before());
        let last = axes!(|axis| far[axis] + walk.slack());
        let first = axes!(|axis| i32x8::truncate_from(first[axis].max(zero).min(walk.last(axis))));
        let home = axes!(|axis| i32x8::truncate_from(near[axis].max(zero).min(walk.last(axis))));
        let last = axes!(|axis| i32x8::truncate_from(last[axis].max(zero).min(walk.last(axis))));
        let (up, down, over) = (last[1] - home[1], home[1] - first[1], last[2] - home[2]);
        if (up | down | over).simd_gt(1).any_true() {
            return None;
        }
        let next_slice = (down << 2) | (up << 4) | 8;
        let rows = (up << 1) | (next_slice & (i32x8::splat(simd, 0) - over)) | 1;
        let [row, slice] = walk.table.strides();
        let own_row = home[1] * row as i32 + home[2] * slice as i32 + walk.table.first_slot() as i32;
        let mut forward = Self {
            slots: [[0; LANES]; 2],
            rows: [0; LANES],
        };
        (own_row + first[0]).store_slice(&mut forward.slots[0]);
        (own_row + last[0] + 1).store_slice(&mut forward.slots[1]);
        rows.store_slice(&mut forward.rows);
        Some(forward)
    }

    /// Returns a mask of the rows that a record reaches.
    #[inline(always)]
    pub fn rows(&self, lane: usize) -> u32 {
        self.rows[lane] as u32
    }

    /// Returns the run of records in a row, which is this many slots after the record's own.
    #[inline(always)]
    pub fn run(&self, lane: usize, starts: &[u32], offset: u32) -> Run {
        let start_of = |slots: &[i32; LANES]| starts[(slots[lane] as u32).wrapping_add(offset) as usize];
        let first = start_of(&self.slots[0]);
        Run {
            first,
            count: start_of(&self.slots[1]) - first,
        }
    }
}
