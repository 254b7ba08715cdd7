//! A counting sort of bodies by grid slot. Twin of `shaders/broad_phase/grid/grid_build.wgsl`.
//!
//! A GPU counts with atomics; a CPU would wait for memory at each. The CPU's sort has two steps
//! that stay in the caches and need no atomics: chunks of bodies are sorted by bucket, a bucket
//! being a run of slots, then each bucket by slot. Within a slot, bodies keep their order.

use std::ops::Range;

use bytemuck::{Pod, Zeroable, cast_slice_mut};

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::broad_phase::grid::layout::{MAX_SLOTS_PER_BOX, Plan, cell_key};
use crate::broad_phase::grid::level_walk::LevelWalk;
use crate::broad_phase::grid::record::{Lanes, Record, Source};
use crate::broad_phase::grid::vector::vector;
use crate::geometry::bounds::Bounds;
use crate::rules::filter::SetRules;

/// Binary logarithm of the number of boxes per chunk: their bounds fill about a second-level cache.
const CHUNK_BITS: u32 = 15;
/// Number of boxes per chunk.
const CHUNK: usize = 1 << CHUNK_BITS;
/// Binary logarithm of the minimum number of slots per bucket: their counts fit the first-level
/// cache.
const MIN_BUCKET_BITS: u32 = 11;
/// Binary logarithm of the maximum number of slots per bucket: an entry stores both a slot and a
/// box of the chunk.
const MAX_BUCKET_BITS: u32 = u32::BITS - CHUNK_BITS;
/// Binary logarithm of the approximate number of buckets that large tables are divided into.
const BUCKETS_BITS: u32 = 9;

/// Label for out-of-memory errors.
const WHAT: &str = "the grid";

/// A body of a chunk while bodies are being sorted.
#[derive(Clone, Copy, Zeroable)]
#[repr(C)]
struct Entry<T> {
    /// The slot within the bucket, and in the lowest bits the position in the chunk.
    place: u32,
    taken: T,
}

impl<T> Entry<T> {
    /// Returns the body's slot within its bucket and its position in its chunk.
    fn slot_and_position(&self) -> (usize, usize) {
        ((self.place >> CHUNK_BITS) as usize, self.place as usize & (CHUNK - 1))
    }
}

/// The records of bodies, ordered by slot. By default the records are bounds.
pub(crate) struct Grid<R: Record = Bounds> {
    /// The number of records.
    pub len: usize,
    /// The start of each slot's records, plus one entry for the end of the last slot's.
    pub slot_starts: Vec<u32>,
    /// The records, grouped by slot, in the form in which walks compare them.
    pub lanes: R::Lanes,
    /// The size of cells relative to the largest record of their level.
    pub enlarged: f32,
    /// Set if records may belong to worlds other than 0.
    pub worlds: bool,
    /// The bodies of each chunk, grouped by bucket.
    entries: Vec<Entry<R::Taken>>,
    /// The start of each bucket's entries in each chunk, and the end of the last bucket's.
    bucket_starts: Vec<u32>,
}

impl<R: Record> Default for Grid<R> {
    fn default() -> Self {
        Self {
            len: 0,
            slot_starts: Vec::new(),
            lanes: R::Lanes::default(),
            enlarged: 1.0,
            worlds: false,
            entries: Vec::new(),
            bucket_starts: Vec::new(),
        }
    }
}

/// Runs of slots of equal length, a power of two.
#[derive(Clone, Copy)]
struct Buckets {
    bits: u32,
    count: usize,
}

impl Buckets {
    /// Returns the buckets of a table.
    fn of(slots: usize) -> Self {
        let bits = slots.max(1).ilog2().saturating_sub(BUCKETS_BITS);
        let bits = bits.clamp(MIN_BUCKET_BITS, MAX_BUCKET_BITS);
        Self {
            bits,
            count: slots.div_ceil(1 << bits),
        }
    }

    /// Returns the maximum number of buckets for a table of up to this many slots.
    fn most(slots: u64) -> u64 {
        (1 << (BUCKETS_BITS + 1)).max((slots >> MAX_BUCKET_BITS) + 1)
    }

    fn of_slot(self, slot: u32) -> usize {
        (slot >> self.bits) as usize
    }

    /// Returns the number of bucket starts for this many boxes: one more than there are buckets for
    /// each chunk.
    fn starts(self, boxes: usize) -> usize {
        boxes.div_ceil(CHUNK) * (self.count + 1)
    }

    /// Creates the entry of a body.
    fn entry<T>(self, slot: u32, position: usize, taken: T) -> Entry<T> {
        Entry {
            place: (slot & ((1 << self.bits) - 1)) << CHUNK_BITS | position as u32,
            taken,
        }
    }
}

impl<R: Record> Grid<R> {
    /// Returns the maximum number of bytes needed for this many boxes.
    pub fn bytes_for(boxes: u64) -> u64 {
        let records = (R::Lanes::BYTES + size_of::<Entry<R::Taken>>()) as u64;
        let slots = boxes * MAX_SLOTS_PER_BOX as u64;
        let starts = boxes.div_ceil(CHUNK as u64) * (Buckets::most(slots) + 1);
        boxes * records + (slots + starts) * size_of::<u32>() as u64
    }

    /// Returns the number of bytes held.
    pub fn bytes(&self) -> u64 {
        let entries = self.entries.capacity() * size_of::<Entry<R::Taken>>();
        let words = self.slot_starts.capacity() + self.bucket_starts.capacity();
        (self.lanes.bytes() + entries + words * size_of::<u32>()) as u64
    }

    /// Fills the grid with bodies, whose worlds are given by the rules. `enlarged` is the factor by
    /// which the plan's cells were enlarged.
    pub fn build(
        &mut self,
        plan: &Plan,
        enlarged: f32,
        source: &(impl Source<Record = R> + ?Sized),
        rules: &SetRules,
    ) -> Result<()> {
        self.enlarged = enlarged;
        self.worlds = rules.worlds.is_some();
        let slots = plan.slots as usize;
        let buckets = Buckets::of(slots);
        let bodies = source.len();
        memory::make_scratch(&mut self.slot_starts, slots + 1, WHAT)?;
        memory::make_scratch(&mut self.entries, bodies, WHAT)?;
        memory::make_scratch(&mut self.bucket_starts, buckets.starts(bodies), WHAT)?;
        // Levels that are not in use stay empty.
        let level_walks = plan.levels.each_ref().map(|level| LevelWalk::over(level, enlarged));
        let origin = vector(plan.origin);
        let only_level = plan.levels().len() == 1;
        // The lanes hold no records yet, so they serve as scratch memory.
        self.len = bodies;
        self.lanes.make_room(bodies)?;
        let placed = &mut cast_slice_mut::<R, Placed>(self.lanes.unfilled())[..bodies];
        parallel::fill(placed, |k| {
            let body = source.place(k);
            // If there is only one level, no bin is computed.
            let l = match only_level {
                true => 0,
                false => plan.level_of_bin[body.bin as usize] as usize,
            };
            let level_walk = &level_walks[l];
            let cell = level_walk.cell_of(body.low, origin);
            Placed {
                slot: level_walk
                    .table
                    .slot(cell, level_walk.table.displacement(rules.world(body.id))),
                key: cell_key(l, 0, cell),
            }
        });
        let (entries, starts) = (&mut self.entries[..], &mut self.bucket_starts[..]);
        parallel::chunks_of_both([CHUNK, buckets.count + 1], entries, starts, |first, entries, starts| {
            let placed = &placed[first..][..entries.len()];
            partition(placed, buckets, entries, starts, |k, key| source.take(first + k, key));
        });
        self.sort_buckets(source, slots, buckets);
        self.lanes.fill(bodies)
    }

    /// Frees the memory needed only for building.
    pub fn release_scratch(&mut self) {
        self.entries = Vec::new();
        self.bucket_starts = Vec::new();
    }

    fn sort_buckets(&mut self, source: &(impl Source<Record = R> + ?Sized), slots: usize, buckets: Buckets) {
        self.slot_starts[slots] = source.len() as u32;
        let chunks = Chunks {
            entries: &self.entries,
            starts: &self.bucket_starts,
            buckets,
        };
        let whole = Run {
            bucket: 0,
            first: 0,
            records: &mut self.lanes.unfilled()[..source.len()],
            starts: &mut self.slot_starts[..slots],
        };
        let split = |run, bucket| Run::split(run, bucket, |buckets| chunks.count(buckets), buckets.bits);
        parallel::divide(0..buckets.count, whole, &split, &|bucket, run| {
            let Run {
                first, records, starts, ..
            } = run;
            starts.fill(0);
            for entry in chunks.of_bucket(bucket).flatten() {
                starts[entry.slot_and_position().0] += 1;
            }
            // The counts become the ends of the runs. Placing the records backwards turns the ends
            // into starts.
            let mut sum = first;
            for start in starts.iter_mut() {
                sum += *start;
                *start = sum;
            }
            for (chunk, entries) in chunks.of_bucket(bucket).enumerate().rev() {
                for entry in entries.iter().rev() {
                    let (slot, position) = entry.slot_and_position();
                    let start = &mut starts[slot];
                    *start -= 1;
                    records[(*start - first) as usize] = source.record(chunk * CHUNK + position, entry.taken);
                }
            }
        });
    }
}

/// The bodies of all chunks, those of each sorted by bucket.
struct Chunks<'a, T> {
    entries: &'a [Entry<T>],
    starts: &'a [u32],
    buckets: Buckets,
}

impl<'a, T> Chunks<'a, T> {
    /// Returns the entries of a bucket, chunk by chunk.
    fn of_bucket(&self, bucket: usize) -> impl ExactSizeIterator<Item = &'a [Entry<T>]> + DoubleEndedIterator {
        let chunks = self
            .entries
            .chunks(CHUNK)
            .zip(self.starts.chunks(self.buckets.count + 1));
        chunks.map(move |(entries, starts)| &entries[starts[bucket] as usize..starts[bucket + 1] as usize])
    }

    /// Returns the number of bodies in consecutive buckets.
    fn count(&self, buckets: Range<usize>) -> usize {
        let starts = self.starts.chunks(self.buckets.count + 1);
        starts
            .map(|starts| (starts[buckets.end] - starts[buckets.start]) as usize)
            .sum()
    }
}

/// Consecutive buckets with their records and slots.
struct Run<'a, R> {
    /// The first bucket.
    bucket: usize,
    /// The number of records before theirs.
    first: u32,
    records: &'a mut [R],
    starts: &'a mut [u32],
}

impl<'a, R> Run<'a, R> {
    /// Splits off the buckets before `bucket`. Returns these and the others. `count` returns the
    /// number of records of buckets.
    fn split(self, bucket: usize, count: impl Fn(Range<usize>) -> usize, bucket_bits: u32) -> (Self, Self) {
        let count = count(self.bucket..bucket);
        let (records, other_records) = self.records.split_at_mut(count);
        let (starts, other_starts) = self.starts.split_at_mut((bucket - self.bucket) << bucket_bits);
        let others = Run {
            bucket,
            first: self.first + count as u32,
            records: other_records,
            starts: other_starts,
        };
        (
            Run {
                records,
                starts,
                ..self
            },
            others,
        )
    }
}

/// The place of a body: its slot and its cell key.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Placed {
    slot: u32,
    key: u32,
}

/// Sorts the bodies of a chunk by bucket. `take` returns the data carried along with a body, given
/// its key.
fn partition<T>(
    bodies: &[Placed],
    buckets: Buckets,
    entries: &mut [Entry<T>],
    starts: &mut [u32],
    take: impl Fn(usize, u32) -> T,
) {
    starts.fill(0);
    for body in bodies {
        starts[buckets.of_slot(body.slot)] += 1;
    }
    let mut sum = 0;
    for start in starts.iter_mut() {
        sum += *start;
        *start = sum;
    }
    for (position, body) in bodies.iter().enumerate().rev() {
        let start = &mut starts[buckets.of_slot(body.slot)];
        *start -= 1;
        entries[*start as usize] = buckets.entry(body.slot, position, take(position, body.key));
    }
}
