//! The first step of the sort of bodies: chunks of them by bucket.

use bytemuck::cast_slice_mut;
use fearless_simd::Level;
use fearless_simd::prelude::*;
use glam::Vec3;

use crate::base::lanes::{self, Simd, axes, dispatch};
use crate::base::prefetch;
use crate::broad_phase::bounded::{Bounded, GatheredLanes, LaneBounds};
use crate::broad_phase::grid::grid_build_cpu::{Buckets, MAX_BUCKET_BITS, Places};
use crate::broad_phase::grid::layout::{KEY_BITS, KEY_MASK, Plan};
use crate::broad_phase::grid::level_walk::LevelWalk;
use crate::broad_phase::grid::vector::vector;
use crate::geometry::bounds::size_bin;
use crate::geometry::scene_stats::Gathered;
use crate::rules::filter::SetRules;

/// Binary logarithm of the number of bodies per chunk.
pub(super) const CHUNK_BITS: u32 = 13;
/// Number of bodies per chunk: twice as many fill about a second-level cache.
pub(super) const CHUNK: usize = 1 << CHUNK_BITS;
/// Number of bodies placed at a time.
const BLOCK: usize = 128;
const _: () = assert!(CHUNK_BITS + MAX_BUCKET_BITS <= u32::BITS);

/// The working memory of a thread that sorts chunks by bucket.
#[derive(Default)]
pub(super) struct Scratch {
    /// The slots and the cell keys of the bodies of a chunk.
    pub placed: Vec<[u32; 2]>,
    pub statistics: Statistics,
}

/// Statistics of the bounds of bodies, gathered while they are sorted.
#[derive(Default)]
pub(super) struct Statistics {
    pub gathered: [Gathered; 2],
    /// Set if a body may be invalid.
    pub is_suspect: bool,
}

/// The sort, as all chunks and buckets need it.
pub(crate) struct Sort<'a, B, M> {
    pub(super) level: Level,
    pub bodies: &'a [B],
    pub(super) margin: M,
    pub(super) places: Places<'a>,
    pub(super) buckets: Buckets,
}

impl<'a, B: Bounded, M: Fn(u32) -> f32 + Sync + Send> Sort<'a, B, M> {
    pub fn new(plan: &'a Plan, bodies: &'a [B], margin: M, rules: &'a SetRules<'a>) -> Self {
        Self {
            level: lanes::level(),
            bodies,
            margin,
            places: Places::new(plan, rules),
            buckets: Buckets::of(plan.slots as usize),
        }
    }

    /// Returns how many numbers there are for each chunk.
    pub(super) fn numbers(&self) -> usize {
        2 * CHUNK + self.buckets.count + 1
    }

    /// Sorts the bodies of a chunk by bucket, given the position of the first.
    pub(super) fn partition<const GATHER: bool>(
        &self,
        first: usize,
        parted: &mut [B],
        numbers: &mut [u32],
        scratch: &mut Scratch,
    ) {
        let (entries, starts) = numbers.split_at_mut(2 * CHUNK);
        let entries: &mut [[u32; 2]] = cast_slice_mut(entries);
        let bodies = &self.bodies[first..][..parted.len()];
        let Scratch { placed, statistics } = scratch;
        let placed = &mut placed[..bodies.len()];
        for (k, placed) in placed.chunks_mut(BLOCK).enumerate() {
            let block = k * BLOCK..k * BLOCK + placed.len();
            let first = first + block.start;
            match self.places.only_plain_level() {
                Some(level) => {
                    dispatch!(self.level, simd => self.place_on_level::<_, GATHER>(simd, level, first, placed, statistics))
                }
                None => dispatch!(self.level, simd => self.place::<_, GATHER>(simd, first, placed, statistics)),
            }
            // Scattered writes would wait for their lines of memory.
            parted[block.clone()].iter().for_each(prefetch);
            entries[block].iter().step_by(8).for_each(prefetch);
        }
        starts.fill(0);
        placed
            .iter()
            .for_each(|[slot, _]| starts[self.buckets.of_slot(*slot)] += 1);
        let mut sum = 0;
        for start in starts.iter_mut() {
            sum += *start;
            *start = sum;
        }
        for (number, ([slot, key], body)) in placed.iter().zip(bodies).enumerate().rev() {
            let start = &mut starts[self.buckets.of_slot(*slot)];
            *start -= 1;
            let position = *start as usize;
            parted[position] = *body;
            entries[position] = [self.buckets.within(*slot) << CHUNK_BITS | number as u32, *key];
        }
    }

    /// Computes the slots and the keys of bodies, given the position of the first.
    #[inline(always)]
    fn place<S: Simd, const GATHER: bool>(
        &self,
        simd: S,
        first: usize,
        placed: &mut [[u32; 2]],
        statistics: &mut Statistics,
    ) {
        let Statistics { gathered, is_suspect } = statistics;
        let mut gathered = GatheredLanes::new(simd, gathered);
        for (k, placed) in placed.chunks_mut(S::f32s::LEN).enumerate() {
            let first = first + k * S::f32s::LEN;
            let Some(bounds) = self.placed_bounds::<_, GATHER>(simd, first, placed, is_suspect) else {
                continue;
            };
            let sizes = bounds.sizes();
            if GATHER {
                gathered.add(&bounds, sizes, placed.len());
            }
            for (lane, place) in placed.iter_mut().enumerate() {
                let low = axes!(|axis| bounds.low[axis].as_slice()[lane]);
                let bin = size_bin(sizes.as_slice()[lane]);
                *place = self
                    .places
                    .of(vector(Vec3::from_array(low)), bin, (first + lane) as u32);
            }
        }
        gathered.finish();
    }

    /// Does the same for a [plain level](Places::only_plain_level), all lanes at once.
    #[inline(always)]
    fn place_on_level<S: Simd, const GATHER: bool>(
        &self,
        simd: S,
        level: &LevelWalk,
        first: usize,
        placed: &mut [[u32; 2]],
        statistics: &mut Statistics,
    ) {
        let Statistics { gathered, is_suspect } = statistics;
        let mut gathered = GatheredLanes::new(simd, gathered);
        let [row, slice] = level.table.strides();
        let origin = self.places.plan.origin;
        let zero = S::f32s::splat(simd, 0.0);
        for (k, placed) in placed.chunks_mut(S::f32s::LEN).enumerate() {
            let first = first + k * S::f32s::LEN;
            let Some(bounds) = self.placed_bounds::<_, GATHER>(simd, first, placed, is_suspect) else {
                continue;
            };
            if GATHER {
                gathered.add(&bounds, bounds.sizes(), placed.len());
            }
            // As in `LevelWalk::cell_of`.
            let position = axes!(|axis| (bounds.low[axis] - origin[axis]) * level.inverse());
            let cell = axes!(|axis| {
                let last = S::f32s::splat(simd, level.last(axis));
                S::i32s::truncate_from(position[axis].max(zero).min(last))
            });
            let slots = cell[0] + cell[1] * row as i32 + cell[2] * slice as i32 + level.table.first_slot() as i32;
            let low = axes!(|axis| cell[axis] & KEY_MASK as i32);
            let keys = low[0] | (low[1] << KEY_BITS) | (low[2] << (2 * KEY_BITS));
            for (lane, place) in placed.iter_mut().enumerate() {
                *place = [slots.as_slice()[lane] as u32, keys.as_slice()[lane] as u32];
            }
        }
        gathered.finish();
    }

    /// Returns the bounds of bodies to be placed, given the position of the first. If some may be
    /// invalid, all of them get the first slot, and there is nothing to return.
    #[inline(always)]
    fn placed_bounds<S: Simd, const GATHER: bool>(
        &self,
        simd: S,
        first: usize,
        placed: &mut [[u32; 2]],
        is_suspect: &mut bool,
    ) -> Option<LaneBounds<S>> {
        let some = &self.bodies[first..][..placed.len()];
        if !GATHER {
            return Some(B::bounds(simd, some, |lane| (self.margin)((first + lane) as u32)));
        }
        let (bounds, are_valid) = B::checked_bounds(simd, some, |lane| (self.margin)((first + lane) as u32));
        if !are_valid {
            *is_suspect = true;
            placed.fill([0; 2]);
            return None;
        }
        Some(bounds)
    }
}
