//! Blocks: consecutive records of a row of cells, as many as a vector has lanes, that are walked
//! together.
//!
//! The records of a block reach nearly the same cells. A block looks up the rows of all of them
//! once, and each record there is compared with the whole block in one step. A record by itself
//! looks up rows of its own. Their number and that of the records in them are practically random,
//! so the processor mispredicts the ends of both loops. A block has long loops, and no branch for
//! the pairs that it finds.

use std::ops::Range;

use fearless_simd::prelude::*;
use glam::UVec3;
use wide::f32x4;

use crate::base::lanes::Simd;
use crate::broad_phase::grid::layout::{MAX_LEVELS, level_of_key};
use crate::broad_phase::grid::level_walk::{LevelWalk, Reached};
use crate::broad_phase::grid::vector::coordinates;
use crate::broad_phase::grid::view::View;
use crate::broad_phase::hits::{Found, WalkHits};
use crate::geometry::pair::Pair;

/// A coarser level is scanned if it has at most this many records for each of a block.
const FEW: usize = 4;
/// The cells of a row are wide if they are more than this many for each record of a block.
const WIDE: usize = 4;
/// Wide cells are crowded if they hold more than this many records for each of a block.
const CROWDED: usize = 16;

/// Consecutive records in a row of cells of a level whose cells have a slot each.
pub(crate) struct Block<'a, S: Simd, V: View> {
    view: V,
    slot_starts: &'a [u32],
    /// The positions of the records.
    pub records: Range<usize>,
    walkers: V::Walkers<S>,
    /// The corners of the bounds of all records together.
    corners: [f32x4; 2],
}

impl<'a, S: Simd, V: View> Block<'a, S, V> {
    /// Returns the block of the first of these records and those after it, unless cells of their
    /// level share slots.
    #[inline(always)]
    pub fn of(
        simd: S,
        (view, slot_starts): (V, &'a [u32]),
        level_walks: &[LevelWalk; MAX_LEVELS],
        records: Range<usize>,
        origin: f32x4,
    ) -> Option<Self> {
        let first = records.start;
        let own = &level_walks[level_of_key(view.key(first))];
        if !own.is_plain() {
            return None;
        }
        let Reached { home, .. } = own.reached::<false>(view.corners_of(first).map(coordinates), origin);
        let next_row = own.table.plain_slot(home.with_x(0)) + own.table.strides()[0];
        let end = (slot_starts[next_row as usize] as usize).min(records.end);
        let records = first..end.min(first + S::f32s::LEN);
        let (walkers, corners) = view.walkers(simd, records.clone());
        Some(Self {
            view,
            slot_starts,
            records,
            walkers,
            corners,
        })
    }

    /// Adds the records that the block meets in a level: half a neighbourhood if the level is its
    /// `own`, otherwise a whole one. Returns `false` if its records are to walk the level by
    /// themselves: cells share slots, or those between its records are crowded.
    #[inline(always)]
    pub fn walk(
        &self,
        level_walk: &LevelWalk,
        own: bool,
        origin: f32x4,
        hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
    ) -> bool {
        let slots = level_walk.table.slots();
        let of_level = self.slot_starts[slots.start] as usize..self.slot_starts[slots.end] as usize;
        if !own && of_level.len() <= FEW * self.records.len() {
            self.view.meet_any::<S, false>(&self.walkers, of_level, hits);
            return true;
        }
        if !level_walk.is_plain() {
            return false;
        }
        let reached = level_walk.reached::<false>(self.corners, origin);
        let Reached { first, home, last } = reached;
        let cells = (last.x - first.x + 1) as usize;
        if cells > WIDE * self.records.len() && self.count(level_walk, reached) > CROWDED * self.records.len() {
            return false;
        }
        for z in if own { home.z } else { first.z }..=last.z {
            let own_slice = own && z == home.z;
            for y in if own_slice { home.y } else { first.y }..=last.y {
                let row = self.row(level_walk, reached, y, z);
                match own_slice && y == home.y {
                    true => {
                        let after = self.records.start + 1..row.end;
                        self.view.meet_any::<S, true>(&self.walkers, after, hits);
                    }
                    false => self.view.meet_any::<S, false>(&self.walkers, row, hits),
                }
            }
        }
        true
    }

    /// Returns the records in the part of a row that is reached.
    #[inline(always)]
    fn row(&self, level_walk: &LevelWalk, Reached { first, last, .. }: Reached, y: u32, z: u32) -> Range<usize> {
        let slot = level_walk.table.plain_slot(UVec3::new(first.x, y, z)) as usize;
        let end = slot + (last.x - first.x) as usize + 1;
        self.slot_starts[slot] as usize..self.slot_starts[end] as usize
    }

    /// Returns the number of records in all rows that are reached.
    fn count(&self, level_walk: &LevelWalk, reached: Reached) -> usize {
        let Reached { first, last, .. } = reached;
        let mut count = 0;
        for z in first.z..=last.z {
            for y in first.y..=last.y {
                count += self.row(level_walk, reached, y, z).len();
            }
        }
        count
    }
}
