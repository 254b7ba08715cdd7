//! Twin of `shaders/broad_phase/grid/grid_build.wgsl`: sorts the bounds by grid slot with a counting sort.
//!
//! A GPU counts with atomics; a CPU would wait for memory at each. Two steps stay in the caches and need no atomics:
//! they sort chunks of boxes by bucket, a bucket being a run of slots, then each bucket by slot. Within a slot, boxes
//! keep their order.

use std::ops::Range;

use bytemuck::Zeroable;

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::broad_phase::bounds_lanes::{Block, LANES};
use crate::broad_phase::grid::layout::{MAX_SLOTS_PER_BOX, Plan, Table, cell_key};
use crate::geometry::bounds::Bounds;
use crate::rules::filter::SetRules;

/// Boxes per chunk: its entries fill about half of a second-level cache.
const CHUNK: usize = 1 << 15;
/// Binary logarithm of the minimum number of slots per bucket: their counts fit the first-level cache.
const MIN_BUCKET_BITS: u32 = 11;
/// Binary logarithm of the approximate number of buckets that large tables are divided into.
const BUCKETS_BITS: u32 = 9;

/// What memory is for.
const WHAT: &str = "the grid";

/// The bounds, ordered by slot.
#[derive(Default)]
pub(crate) struct Grid {
    /// The records, grouped by slot. Their tags are cell keys.
    pub records: Vec<Bounds>,
    /// Where each slot's records begin, plus one entry for where the last slot's end.
    pub slot_starts: Vec<u32>,
    /// The records in groups of four. There is one block more than those.
    pub blocks: Vec<Block>,
    chunks: Vec<Chunk>,
}

/// The boxes of one chunk, sorted by bucket.
#[derive(Default)]
struct Chunk {
    /// Slots of the boxes, in order.
    slots: Vec<u32>,
    /// Slot and position of every box, grouped by bucket.
    entries: Vec<(u32, u32)>,
    /// Where each bucket's entries begin, and where the last bucket's end.
    bucket_starts: Vec<u32>,
}

impl Grid {
    /// The most bytes needed for this many boxes.
    pub fn bytes_for(boxes: u64) -> u64 {
        let records = (size_of::<Bounds>() + size_of::<Block>() / LANES) as u64;
        let slot_starts = (MAX_SLOTS_PER_BOX * size_of::<u32>()) as u64;
        let slots_and_entries = (size_of::<u32>() + size_of::<(u32, u32)>()) as u64;
        let chunks = boxes.div_ceil(CHUNK as u64);
        let bucket_starts = (size_of::<u32>() as u64) << (BUCKETS_BITS + 1);
        boxes * (records + slot_starts + slots_and_entries) + chunks * (size_of::<Chunk>() as u64 + bucket_starts)
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let chunk = |chunk: &Chunk| {
            let counts = chunk.slots.capacity() + chunk.bucket_starts.capacity();
            counts * size_of::<u32>() + chunk.entries.capacity() * size_of::<(u32, u32)>() + size_of::<Chunk>()
        };
        let records = self.records.capacity() * size_of::<Bounds>() + self.blocks.capacity() * size_of::<Block>();
        let slot_starts = self.slot_starts.capacity() * size_of::<u32>();
        (records + slot_starts + self.chunks.iter().map(chunk).sum::<usize>()) as u64
    }

    /// Fills the grid with `bounds`, whose tags become cell keys; the rules give their worlds.
    pub fn build(&mut self, plan: &Plan, bounds: &mut [Bounds], rules: &SetRules) -> Result<()> {
        let slots = plan.slots as usize;
        let bucket_bits = MIN_BUCKET_BITS.max(slots.max(1).ilog2().saturating_sub(BUCKETS_BITS));
        let buckets = slots.div_ceil(1 << bucket_bits);
        let count = bounds.len().div_ceil(CHUNK);
        memory::resize_with(&mut self.chunks, count, Chunk::default, WHAT)?;
        for (chunk, bounds) in self.chunks.iter_mut().zip(bounds.chunks(CHUNK)) {
            chunk.reserve(bounds.len(), buckets)?;
        }
        let chunks = &mut self.chunks[..count];
        parallel::chunks_of_both([CHUNK, 1], bounds, chunks, |first, bounds, chunk| {
            chunk[0].find_slots(plan, rules, bounds);
            chunk[0].sort(first as u32, bucket_bits, buckets);
        });
        self.sort_buckets(bounds, slots, bucket_bits, buckets)?;

        let records = &self.records[..];
        memory::resize(&mut self.blocks, records.len() / LANES + 1, Zeroable::zeroed(), WHAT)?;
        parallel::fill(&mut self.blocks, |k| Block::new(&records[k * LANES..]));
        Ok(())
    }

    /// Frees the memory needed only for building and for walks over all records.
    pub fn release_scratch(&mut self) {
        self.chunks = Vec::new();
        self.blocks = Vec::new();
    }

    fn sort_buckets(&mut self, bounds: &[Bounds], slots: usize, bucket_bits: u32, buckets: usize) -> Result<()> {
        memory::resize(&mut self.records, bounds.len(), Zeroable::zeroed(), WHAT)?;
        memory::resize(&mut self.slot_starts, slots + 1, 0, WHAT)?;
        self.slot_starts[slots] = bounds.len() as u32;
        let chunks = &self.chunks[..bounds.len().div_ceil(CHUNK)];
        let whole = Run {
            bucket: 0,
            first: 0,
            records: &mut self.records[..bounds.len()],
            starts: &mut self.slot_starts[..slots],
        };
        let count = |buckets: Range<usize>| chunks.iter().map(|chunk| chunk.buckets(buckets.clone()).len()).sum();
        let split = |run, bucket| Run::split(run, bucket, count, bucket_bits);
        parallel::divide(0..buckets, whole, &split, &|bucket, run| {
            let entries = || chunks.iter().flat_map(|chunk| chunk.buckets(bucket..bucket + 1));
            let Run {
                first, records, starts, ..
            } = run;
            let slot_in_bucket = |slot: u32| (slot & ((1 << bucket_bits) - 1)) as usize;
            starts.fill(0);
            entries().for_each(|&(slot, _)| starts[slot_in_bucket(slot)] += 1);
            // The counts become the ends of the runs; placing the records backwards turns the ends into starts.
            let mut sum = first;
            for start in starts.iter_mut() {
                sum += *start;
                *start = sum;
            }
            for chunk in chunks.iter().rev() {
                for &(slot, id) in chunk.buckets(bucket..bucket + 1).iter().rev() {
                    let start = &mut starts[slot_in_bucket(slot)];
                    *start -= 1;
                    records[(*start - first) as usize] = bounds[id as usize];
                }
            }
        });
        Ok(())
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

impl Chunk {
    /// Makes room for this many boxes.
    fn reserve(&mut self, boxes: usize, buckets: usize) -> Result<()> {
        self.slots.clear();
        self.entries.clear();
        self.bucket_starts.clear();
        memory::reserve(&mut self.slots, boxes, WHAT)?;
        memory::reserve(&mut self.entries, boxes, WHAT)?;
        memory::reserve(&mut self.bucket_starts, buckets + 1, WHAT)
    }

    /// Finds the cells and slots of `bounds`.
    fn find_slots(&mut self, plan: &Plan, rules: &SetRules, bounds: &mut [Bounds]) {
        let tables = plan.levels.each_ref().map(Table::of);
        self.slots.extend(bounds.iter_mut().map(|b| {
            let l = plan.level_of_bin[b.tag as usize] as usize;
            let (level, table) = (&plan.levels[l], &tables[l]);
            let cell = level.cell(level.in_cells(b.low, plan.origin));
            b.tag = cell_key(l, cell);
            table.slot(cell, table.displacement(rules.world(b.id)))
        }));
    }

    /// Sorts the slots by bucket; the first is that of box `first`.
    fn sort(&mut self, first: u32, bucket_bits: u32, buckets: usize) {
        if buckets == 1 {
            self.bucket_starts.extend([0, self.slots.len() as u32]);
            self.entries.extend(self.slots.iter().copied().zip(first..));
            return;
        }
        self.bucket_starts.resize(buckets + 1, 0);
        for slot in &self.slots {
            self.bucket_starts[(slot >> bucket_bits) as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut self.bucket_starts {
            sum += *start;
            *start = sum;
        }
        self.entries.resize(self.slots.len(), (0, 0));
        for (k, &slot) in self.slots.iter().enumerate().rev() {
            let start = &mut self.bucket_starts[(slot >> bucket_bits) as usize];
            *start -= 1;
            self.entries[*start as usize] = (slot, first + k as u32);
        }
    }

    /// The entries of consecutive buckets.
    fn buckets(&self, buckets: Range<usize>) -> &[(u32, u32)] {
        &self.entries[self.bucket_starts[buckets.start] as usize..self.bucket_starts[buckets.end] as usize]
    }
}
