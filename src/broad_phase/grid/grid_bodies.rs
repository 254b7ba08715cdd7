//! The counting sort of [`grid_build_cpu`] for bodies whose bounds are quickly computed: it moves
//! the bodies instead of their bounds.
//!
//! The narrow phase needs the bodies in the order of the grid. Copying each to its place after
//! their bounds are sorted waits for memory once a body, because neighbours in the grid are far
//! apart in the caller's list. Moved by the two steps of the sort, bodies stay in the caches, and
//! computing their bounds again takes less time than moving them along.
//!
//! [`grid_build_cpu`]: super::grid_build_cpu

use std::ops::Range;

use bytemuck::{Pod, cast_slice_mut};
use fearless_simd::Level;
use fearless_simd::prelude::*;
use glam::Vec3;

use crate::base::error::Result;
use crate::base::lanes::{self, Simd, axes, dispatch};
use crate::base::{memory, parallel, prefetch};
use crate::broad_phase::grid::grid_build_cpu::{Buckets, Grid, MAX_BUCKET_BITS, Places};
use crate::broad_phase::grid::grid_probe_cpu::Sample;
use crate::broad_phase::grid::layout::{KEY_BITS, KEY_MASK, MAX_SLOTS_PER_BOX, Plan};
use crate::broad_phase::grid::level_walk::LevelWalk;
use crate::broad_phase::grid::vector::vector;
use crate::geometry::bounds::{COARSENESS, SIZE_ERROR, size_bin};
use crate::rules::filter::SetRules;

/// A body whose bounds are computed for as many bodies at a time as a vector has lanes.
pub(crate) trait Bounded: Pod + Send + Sync {
    /// Returns the bounds of up to as many valid bodies as there are lanes, each widened by the
    /// margin of its lane. The same body always has the same bounds.
    fn bounds<S: Simd>(simd: S, bodies: &[Self], margin: impl Fn(usize) -> f32) -> LaneBounds<S>;

    /// Like [`bounds`](Self::bounds), for bodies that may be invalid. Returns `true` only if all
    /// are valid.
    fn checked_bounds<S: Simd>(simd: S, bodies: &[Self], margin: impl Fn(usize) -> f32) -> (LaneBounds<S>, bool);
}

/// Bounds of bodies, one per lane of the machine's vectors.
pub(crate) struct LaneBounds<S: Simd> {
    pub low: [S::f32s; 3],
    pub high: [S::f32s; 3],
}

impl<S: Simd> LaneBounds<S> {
    /// Returns the [sizes](crate::geometry::bounds::Bounds::size).
    #[inline(always)]
    pub fn sizes(&self) -> S::f32s {
        let Self { low, high } = self;
        let coordinates = axes!(|axis| high[axis].abs().max(low[axis].abs()));
        let extents = axes!(|axis| high[axis] - low[axis]);
        let coordinate = coordinates[0].max(coordinates[1]).max(coordinates[2]);
        let extent = extents[0].max(extents[1]).max(extents[2]).abs();
        extent.max(coordinate * COARSENESS) * (1.0 + SIZE_ERROR)
    }
}

/// Binary logarithm of the number of bodies per chunk.
const CHUNK_BITS: u32 = 13;
/// Number of bodies per chunk: twice as many fill about a second-level cache.
const CHUNK: usize = 1 << CHUNK_BITS;
/// The most lanes of `f32` that any vector has.
pub(crate) const MOST_LANES: usize = 16;
/// Number of bodies placed at a time.
const BLOCK: usize = 128;
const _: () = assert!(CHUNK_BITS + MAX_BUCKET_BITS <= u32::BITS);

/// The number of lists of numbers that bounds are compared by.
const LISTS: usize = 7;
/// The list of the keys.
const KEYS: usize = 6;

/// Label for out-of-memory errors.
const WHAT: &str = "the grid";

/// Bodies in the order of a grid.
pub(crate) struct SortedBodies<B> {
    /// The bodies, by position.
    pub bodies: Vec<B>,
    /// The bodies of each chunk, sorted by bucket.
    parted: Vec<B>,
    /// For each box of a chunk, in the order of `parted`: its slot within its bucket with its
    /// number within the chunk, and its key. Then the start of the bodies of each bucket, and the
    /// end of the last bucket's.
    numbers: Vec<u32>,
    scratch: Vec<Vec<[u32; 2]>>,
}

/// The sort, as all chunks and buckets need it.
struct Sort<'a, B, M> {
    level: Level,
    bodies: &'a [B],
    margin: M,
    places: Places<'a>,
    buckets: Buckets,
}

impl<B> Default for SortedBodies<B> {
    fn default() -> Self {
        Self {
            bodies: Vec::new(),
            parted: Vec::new(),
            numbers: Vec::new(),
            scratch: Vec::new(),
        }
    }
}

impl<B: Bounded> SortedBodies<B> {
    /// Returns the maximum number of bytes held, with those of a grid of this many bodies.
    pub fn bytes_for(bodies: u64) -> u64 {
        let slots = bodies * MAX_SLOTS_PER_BOX as u64;
        let chunks = bodies.div_ceil(CHUNK as u64);
        let numbers = chunks * (2 * CHUNK as u64 + Buckets::most(slots) + 1);
        let scratch = chunks.min(parallel::threads() as u64) * (CHUNK * size_of::<[u32; 2]>()) as u64;
        let of_body = 2 * size_of::<B>() + (LISTS + 1) * size_of::<u32>();
        bodies * of_body as u64 + (slots + numbers) * size_of::<u32>() as u64 + scratch
    }

    /// Returns the number of bytes held.
    pub fn bytes(&self) -> u64 {
        let bodies = self.bodies.capacity() + self.parted.capacity();
        let scratch = self.scratch.iter().map(Vec::capacity).sum::<usize>();
        let words = self.numbers.capacity() + 2 * scratch;
        (bodies * size_of::<B>() + words * size_of::<u32>()) as u64
    }

    /// Sets each of some samples of a probe to the low corner of the bounds of a body and its id,
    /// given the first body and the number of bodies from one to the next.
    pub fn read(bodies: &[B], margin: impl Fn(u32) -> f32, (first, stride): (usize, usize), samples: &mut [Sample]) {
        dispatch!(lanes::level(), simd => read(simd, bodies, &margin, (first, stride), samples));
    }

    /// Fills a grid with bodies, whose bounds are widened by `margin`, given its plan and the
    /// factor by which the plan's cells were enlarged.
    pub fn sort(
        &mut self,
        grid: &mut Grid,
        (plan, enlarged): (&Plan, f32),
        bodies: &[B],
        margin: impl Fn(u32) -> f32 + Sync + Send,
        rules: &SetRules,
    ) -> Result<()> {
        let slots = grid.begin(plan, enlarged, bodies.len(), rules)?;
        let sort = Sort {
            level: lanes::level(),
            bodies,
            margin,
            places: Places::new(plan, enlarged, rules),
            buckets: Buckets::of(slots),
        };
        let chunks = bodies.len().div_ceil(CHUNK);
        memory::make_scratch(&mut self.bodies, bodies.len(), WHAT)?;
        memory::make_scratch(&mut self.parted, bodies.len(), WHAT)?;
        memory::make_scratch(&mut self.numbers, chunks * sort.numbers(), WHAT)?;
        self.scratch.resize_with(chunks.min(parallel::threads()), Vec::new);
        for scratch in &mut self.scratch {
            memory::make_scratch(scratch, bodies.len().min(CHUNK), WHAT)?;
        }
        parallel::chunks_with(
            &mut self.scratch,
            [CHUNK, sort.numbers()],
            &mut self.parted,
            &mut self.numbers,
            |first, parted, numbers, placed| sort.partition(first, parted, numbers, placed),
        );
        let (ids, lists) = grid.lanes.numbers_alone(bodies.len())?;
        let whole = Part {
            bucket: 0,
            first: 0,
            bodies: &mut self.bodies,
            ids,
            lists,
            starts: &mut grid.slot_starts[..slots],
        };
        let chunks = Chunks {
            parted: &self.parted,
            numbers: &self.numbers,
            buckets: sort.buckets,
            len: sort.numbers(),
        };
        let split = |part, bucket| Part::split(part, bucket, &chunks);
        parallel::divide(0..sort.buckets.count, whole, &split, &|bucket, part| {
            sort.sort_bucket(part, &chunks, bucket);
        });
        Ok(())
    }
}

#[inline(always)]
fn read<S: Simd, B: Bounded>(
    simd: S,
    bodies: &[B],
    margin: &impl Fn(u32) -> f32,
    (first, stride): (usize, usize),
    samples: &mut [Sample],
) {
    let mut some = [B::zeroed(); MOST_LANES];
    for (k, samples) in samples.chunks_mut(S::f32s::LEN).enumerate() {
        let id = |lane: usize| first + (k * S::f32s::LEN + lane) * stride;
        let some = &mut some[..samples.len()];
        for (lane, body) in some.iter_mut().enumerate() {
            *body = bodies[id(lane)];
        }
        let LaneBounds { low, .. } = B::bounds(simd, some, |lane| margin(id(lane) as u32));
        for (lane, sample) in samples.iter_mut().enumerate() {
            let low = axes!(|axis| low[axis].as_slice()[lane]);
            *sample = (Vec3::from_array(low), id(lane) as u32);
        }
    }
}

impl<B: Bounded, M: Fn(u32) -> f32 + Sync + Send> Sort<'_, B, M> {
    /// Returns how many numbers there are for each chunk.
    fn numbers(&self) -> usize {
        2 * CHUNK + self.buckets.count + 1
    }

    /// Sorts the bodies of a chunk by bucket, given the position of the first.
    fn partition(&self, first: usize, parted: &mut [B], numbers: &mut [u32], placed: &mut [[u32; 2]]) {
        let (entries, starts) = numbers.split_at_mut(2 * CHUNK);
        let entries: &mut [[u32; 2]] = cast_slice_mut(entries);
        let bodies = &self.bodies[first..][..parted.len()];
        let placed = &mut placed[..bodies.len()];
        for (k, placed) in placed.chunks_mut(BLOCK).enumerate() {
            let block = k * BLOCK..k * BLOCK + placed.len();
            match self.places.only_plain_level() {
                Some(level) => {
                    dispatch!(self.level, simd => self.place_on_level(simd, level, first + block.start, placed))
                }
                None => dispatch!(self.level, simd => self.place(simd, first + block.start, placed)),
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
    fn place<S: Simd>(&self, simd: S, first: usize, placed: &mut [[u32; 2]]) {
        for (k, placed) in placed.chunks_mut(S::f32s::LEN).enumerate() {
            let first = first + k * S::f32s::LEN;
            let bounds = self.bounds(simd, &self.bodies[first..][..placed.len()], |lane| first + lane);
            let sizes = bounds.sizes();
            for (lane, place) in placed.iter_mut().enumerate() {
                let low = axes!(|axis| bounds.low[axis].as_slice()[lane]);
                let bin = size_bin(sizes.as_slice()[lane]);
                *place = self
                    .places
                    .of(vector(Vec3::from_array(low)), bin, (first + lane) as u32);
            }
        }
    }

    /// Does the same for a [plain level](Places::only_plain_level), all lanes at once.
    #[inline(always)]
    fn place_on_level<S: Simd>(&self, simd: S, level: &LevelWalk, first: usize, placed: &mut [[u32; 2]]) {
        let [row, slice] = level.table.strides();
        let origin = self.places.plan.origin;
        let zero = S::f32s::splat(simd, 0.0);
        for (k, placed) in placed.chunks_mut(S::f32s::LEN).enumerate() {
            let first = first + k * S::f32s::LEN;
            let bounds = self.bounds(simd, &self.bodies[first..][..placed.len()], |lane| first + lane);
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
    }

    /// Sorts the bodies of a bucket by slot, and computes their bounds.
    fn sort_bucket(&self, part: Part<'_, B>, chunks: &Chunks<'_, B>, bucket: usize) {
        let Part {
            first,
            bodies,
            ids,
            mut lists,
            starts,
            ..
        } = part;
        starts.fill(0);
        for Of { entries, parted, .. } in chunks.of_bucket(bucket) {
            parted.iter().for_each(prefetch);
            entries
                .iter()
                .for_each(|[slot, _]| starts[(slot >> CHUNK_BITS) as usize] += 1);
        }
        // The counts become the ends of the runs. Placing the bodies backwards turns the ends into
        // starts.
        let mut sum = first;
        for start in starts.iter_mut() {
            sum += *start;
            *start = sum;
        }
        bodies.iter().for_each(prefetch);
        for Of { chunk, entries, parted } in chunks.of_bucket(bucket).rev() {
            for ([slot, key], body) in entries.iter().zip(parted).rev() {
                let start = &mut starts[(slot >> CHUNK_BITS) as usize];
                *start -= 1;
                let position = (*start - first) as usize;
                bodies[position] = *body;
                ids[position] = (chunk * CHUNK) as u32 + (slot & (CHUNK as u32 - 1));
                lists[KEYS][position] = f32::from_bits(*key);
            }
        }
        dispatch!(self.level, simd => self.list_bounds(simd, bodies, ids, &mut lists));
    }

    /// Lists the corners of the bounds of bodies.
    #[inline(always)]
    fn list_bounds<S: Simd>(&self, simd: S, bodies: &[B], ids: &[u32], lists: &mut [&mut [f32]; LISTS]) {
        for (k, some) in bodies.chunks(S::f32s::LEN).enumerate() {
            let first = k * S::f32s::LEN;
            let bounds = self.bounds(simd, some, |lane| ids[first + lane] as usize);
            let corners = [bounds.low, bounds.high];
            for (list, numbers) in lists.iter_mut().zip(corners.as_flattened()) {
                list[first..][..some.len()].copy_from_slice(&numbers.as_slice()[..some.len()]);
            }
        }
    }

    /// Returns the bounds of bodies, up to as many as there are lanes, given their ids.
    #[inline(always)]
    fn bounds<S: Simd>(&self, simd: S, bodies: &[B], id: impl Fn(usize) -> usize) -> LaneBounds<S> {
        B::bounds(simd, bodies, |lane| (self.margin)(id(lane) as u32))
    }
}

/// The bodies of all chunks, those of each sorted by bucket.
struct Chunks<'a, B> {
    parted: &'a [B],
    numbers: &'a [u32],
    buckets: Buckets,
    /// The number of `numbers` of a chunk.
    len: usize,
}

/// The bodies of a bucket in a chunk, and their entries among the numbers.
struct Of<'a, B> {
    chunk: usize,
    entries: &'a [[u32; 2]],
    parted: &'a [B],
}

impl<'a, B> Chunks<'a, B> {
    /// Returns the bodies of a bucket, chunk by chunk.
    fn of_bucket(&self, bucket: usize) -> impl ExactSizeIterator<Item = Of<'a, B>> + DoubleEndedIterator {
        let chunks = self.parted.chunks(CHUNK).zip(self.numbers.chunks(self.len)).enumerate();
        chunks.map(move |(chunk, (parted, numbers))| {
            let (entries, starts) = numbers.split_at(2 * CHUNK);
            let range = starts[bucket] as usize..starts[bucket + 1] as usize;
            Of {
                chunk,
                entries: &bytemuck::cast_slice(entries)[range.clone()],
                parted: &parted[range],
            }
        })
    }

    /// Returns the number of bodies in consecutive buckets.
    fn count(&self, buckets: Range<usize>) -> usize {
        let starts = self.numbers.chunks(self.len).map(|numbers| &numbers[2 * CHUNK..]);
        starts
            .map(|starts| (starts[buckets.end] - starts[buckets.start]) as usize)
            .sum()
    }
}

/// Consecutive buckets, and the places of their bodies and numbers.
struct Part<'a, B> {
    /// The first bucket.
    bucket: usize,
    /// The number of bodies before theirs.
    first: u32,
    bodies: &'a mut [B],
    ids: &'a mut [u32],
    lists: [&'a mut [f32]; LISTS],
    starts: &'a mut [u32],
}

impl<'a, B> Part<'a, B> {
    /// Splits off the buckets before `bucket`. Returns these and the others.
    fn split(mut self, bucket: usize, chunks: &Chunks<'_, B>) -> (Self, Self) {
        let count = chunks.count(self.bucket..bucket);
        let slots = (bucket - self.bucket) << chunks.buckets.bits;
        let before = Part {
            bucket: self.bucket,
            first: self.first,
            bodies: front(&mut self.bodies, count),
            ids: front(&mut self.ids, count),
            lists: self.lists.each_mut().map(|list| front(list, count)),
            starts: front(&mut self.starts, slots),
        };
        (
            before,
            Part {
                bucket,
                first: self.first + count as u32,
                ..self
            },
        )
    }
}

/// Takes this many items from the front of a list.
fn front<'a, T>(list: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    list.split_off_mut(..count).unwrap_or_default()
}
