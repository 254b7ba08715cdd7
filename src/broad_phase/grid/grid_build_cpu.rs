//! Twin of `shaders/broad_phase/grid/grid_build.wgsl`: sorts the bounds by grid slot with a counting sort.
//!
//! A GPU counts with atomics; a CPU would wait for memory at each. Two steps stay in the caches and need no atomics:
//! they sort chunks of boxes by bucket, a bucket being a run of slots, then each bucket by slot. Within a slot, boxes
//! keep their order.

use std::ops::Range;

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::broad_phase::bounds_lanes::{Block, LANES};
use crate::broad_phase::grid::layout::{MAX_SLOTS_PER_BOX, Plan, Table, cell_key};
use crate::geometry::bounds::Bounds;
use crate::rules::filter::SetRules;

/// Binary logarithm of the boxes per chunk: their bounds fill about a second-level cache.
const CHUNK_BITS: u32 = 15;
/// Boxes per chunk.
const CHUNK: usize = 1 << CHUNK_BITS;
/// Binary logarithm of the minimum number of slots per bucket: their counts fit the first-level cache.
const MIN_BUCKET_BITS: u32 = 11;
/// Binary logarithm of the most slots per bucket: an entry has room for one of them beside a box of the chunk.
const MAX_BUCKET_BITS: u32 = u32::BITS - CHUNK_BITS;
/// Binary logarithm of the approximate number of buckets that large tables are divided into.
const BUCKETS_BITS: u32 = 9;

/// What memory is for.
const WHAT: &str = "the grid";

/// The bounds, ordered by slot.
#[derive(Default)]
pub(crate) struct Grid {
    /// The records, grouped by slot. Their tags are cell keys.
    pub records: Vec<Bounds>,
    /// Where each slot's records begin, plus one entry for where the last slot's end. While the grid is built, the slot of each box.
    pub slot_starts: Vec<u32>,
    /// The records in groups of four. There is one block more than those.
    pub blocks: Vec<Block>,
    /// For each chunk its boxes grouped by bucket: the slot in the bucket, and in the lowest bits the position in the chunk.
    entries: Vec<u32>,
    /// For each chunk where each bucket's entries begin, and where the last bucket's end.
    bucket_starts: Vec<u32>,
}

/// Runs of as many slots, a power of two.
#[derive(Clone, Copy)]
struct Buckets {
    bits: u32,
    count: usize,
}

impl Buckets {
    /// Those of a table.
    fn of(slots: usize) -> Self {
        let bits = slots.max(1).ilog2().saturating_sub(BUCKETS_BITS);
        let bits = bits.clamp(MIN_BUCKET_BITS, MAX_BUCKET_BITS);
        Self {
            bits,
            count: slots.div_ceil(1 << bits),
        }
    }

    /// The most that a table of up to so many slots is divided into.
    fn most(slots: u64) -> u64 {
        (1 << (BUCKETS_BITS + 1)).max((slots >> MAX_BUCKET_BITS) + 1)
    }

    fn of_slot(self, slot: u32) -> usize {
        (slot >> self.bits) as usize
    }

    /// The number of bucket starts of so many boxes: one more than buckets for each chunk.
    fn starts(self, boxes: usize) -> usize {
        boxes.div_ceil(CHUNK) * (self.count + 1)
    }

    /// The entry of a box.
    fn entry(self, slot: u32, position: usize) -> u32 {
        (slot & ((1 << self.bits) - 1)) << CHUNK_BITS | position as u32
    }
}

/// The slot in its bucket and the position in its chunk of an entry's box.
fn slot_and_position(entry: u32) -> (usize, usize) {
    ((entry >> CHUNK_BITS) as usize, entry as usize & (CHUNK - 1))
}

impl Grid {
    /// The most bytes needed for this many boxes.
    pub fn bytes_for(boxes: u64) -> u64 {
        let records = (size_of::<Bounds>() + size_of::<Block>() / LANES) as u64;
        let slots = boxes * MAX_SLOTS_PER_BOX as u64;
        let starts = boxes.div_ceil(CHUNK as u64) * (Buckets::most(slots) + 1);
        boxes * records + (slots + boxes + starts) * size_of::<u32>() as u64
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let records = self.records.capacity() * size_of::<Bounds>() + self.blocks.capacity() * size_of::<Block>();
        let words = self.slot_starts.capacity() + self.entries.capacity() + self.bucket_starts.capacity();
        (records + words * size_of::<u32>()) as u64
    }

    /// Fills the grid with `bounds`, whose tags become cell keys; the rules give their worlds.
    pub fn build(&mut self, plan: &Plan, bounds: &mut [Bounds], rules: &SetRules) -> Result<()> {
        let slots = plan.slots as usize;
        let buckets = Buckets::of(slots);
        let boxes = bounds.len();
        memory::make_scratch(&mut self.slot_starts, slots.max(boxes) + 1, WHAT)?;
        memory::make_scratch(&mut self.entries, boxes, WHAT)?;
        memory::make_scratch(&mut self.bucket_starts, buckets.starts(boxes), WHAT)?;
        parallel::chunks_of_both(
            [CHUNK; 2],
            bounds,
            &mut self.slot_starts[..boxes],
            |_, bounds, slots| {
                find_slots(plan, rules, bounds, slots);
            },
        );
        let slots_of_boxes = &self.slot_starts;
        let (entries, starts) = (&mut self.entries[..], &mut self.bucket_starts[..]);
        parallel::chunks_of_both([CHUNK, buckets.count + 1], entries, starts, |first, entries, starts| {
            partition(&slots_of_boxes[first..][..entries.len()], buckets, entries, starts);
        });
        self.sort_buckets(bounds, slots, buckets)?;

        let records = &self.records[..];
        memory::make_scratch(&mut self.blocks, records.len() / LANES + 1, WHAT)?;
        parallel::fill(&mut self.blocks, |k| Block::new(&records[k * LANES..]));
        Ok(())
    }

    /// Frees the memory needed only for building and for walks over all records.
    pub fn release_scratch(&mut self) {
        self.entries = Vec::new();
        self.bucket_starts = Vec::new();
        self.blocks = Vec::new();
    }

    fn sort_buckets(&mut self, bounds: &[Bounds], slots: usize, buckets: Buckets) -> Result<()> {
        memory::make_scratch(&mut self.records, bounds.len(), WHAT)?;
        self.slot_starts[slots] = bounds.len() as u32;
        let chunks = Chunks {
            entries: &self.entries,
            starts: &self.bucket_starts,
            buckets,
        };
        let whole = Run {
            bucket: 0,
            first: 0,
            records: &mut self.records[..],
            starts: &mut self.slot_starts[..slots],
        };
        let split = |run, bucket| Run::split(run, bucket, |buckets| chunks.count(buckets), buckets.bits);
        parallel::divide(0..buckets.count, whole, &split, &|bucket, run| {
            let Run {
                first, records, starts, ..
            } = run;
            starts.fill(0);
            for &entry in chunks.of_bucket(bucket).flatten() {
                starts[slot_and_position(entry).0] += 1;
            }
            // The counts become the ends of the runs; placing the records backwards turns the ends into starts.
            let mut sum = first;
            for start in starts.iter_mut() {
                sum += *start;
                *start = sum;
            }
            for (entries, bounds) in chunks.of_bucket(bucket).zip(bounds.chunks(CHUNK)).rev() {
                for &entry in entries.iter().rev() {
                    let (slot, position) = slot_and_position(entry);
                    let start = &mut starts[slot];
                    *start -= 1;
                    records[(*start - first) as usize] = bounds[position];
                }
            }
        });
        Ok(())
    }
}

/// The boxes of all chunks, those of each sorted by bucket.
struct Chunks<'a> {
    entries: &'a [u32],
    starts: &'a [u32],
    buckets: Buckets,
}

impl<'a> Chunks<'a> {
    /// The entries of a bucket, chunk by chunk.
    fn of_bucket(&self, bucket: usize) -> impl ExactSizeIterator<Item = &'a [u32]> + DoubleEndedIterator {
        let chunks = self
            .entries
            .chunks(CHUNK)
            .zip(self.starts.chunks(self.buckets.count + 1));
        chunks.map(move |(entries, starts)| &entries[starts[bucket] as usize..starts[bucket + 1] as usize])
    }

    /// How many boxes consecutive buckets have.
    fn count(&self, buckets: Range<usize>) -> usize {
        let starts = self.starts.chunks(self.buckets.count + 1);
        starts
            .map(|starts| (starts[buckets.end] - starts[buckets.start]) as usize)
            .sum()
    }
}

/// Consecutive buckets: where their records and slots are.
struct Run<'a> {
    /// The first of them.
    bucket: usize,
    /// Records before theirs.
    first: u32,
    records: &'a mut [Bounds],
    starts: &'a mut [u32],
}

impl<'a> Run<'a> {
    /// The buckets before one, and the others. `count` tells how many records buckets have.
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

/// Finds the cells and slots of the boxes of a chunk.
fn find_slots(plan: &Plan, rules: &SetRules, bounds: &mut [Bounds], slots: &mut [u32]) {
    let tables = plan.levels.each_ref().map(Table::of);
    for (b, slot) in bounds.iter_mut().zip(slots) {
        let l = plan.level_of_bin[b.tag as usize] as usize;
        let (level, table) = (&plan.levels[l], &tables[l]);
        let cell = level.cell(level.in_cells(b.low, plan.origin));
        b.tag = cell_key(l, cell);
        *slot = table.slot(cell, table.displacement(rules.world(b.id)));
    }
}

/// Sorts the boxes of a chunk, which are in these slots, by bucket.
fn partition(slots: &[u32], buckets: Buckets, entries: &mut [u32], starts: &mut [u32]) {
    starts.fill(0);
    for &slot in slots {
        starts[buckets.of_slot(slot)] += 1;
    }
    let mut sum = 0;
    for start in starts.iter_mut() {
        sum += *start;
        *start = sum;
    }
    for (position, &slot) in slots.iter().enumerate().rev() {
        let start = &mut starts[buckets.of_slot(slot)];
        *start -= 1;
        entries[*start as usize] = buckets.entry(slot, position);
    }
}
