//! A counting sort of bodies by grid slot. Twin of `shaders/broad_phase/grid/grid_build.wgsl`.
//!
//! A GPU counts with atomics; a CPU would wait for memory at each. The CPU's sort has two steps
//! that stay in the caches and need no atomics: chunks of records are sorted by bucket, a bucket
//! being a run of slots, then each bucket by slot. Within a slot, records keep their order.

use std::ops::Range;

use wide::f32x4;

use crate::base::error::Result;
use crate::base::{memory, parallel, prefetch};
use crate::broad_phase::grid::columns::{Columns, OF_BOUNDS};
use crate::broad_phase::grid::grid_bounds::columns_of;
use crate::broad_phase::grid::layout::{MAX_LEVELS, MAX_SLOTS_PER_BOX, Plan, cell_key};
use crate::broad_phase::grid::level_walk::LevelWalk;
use crate::broad_phase::grid::vector::{coordinates, vector};
use crate::geometry::bounds::Bounds;
use crate::rules::filter::SetRules;

/// Number of records per chunk: twice their bounds fill about a second-level cache.
const CHUNK: usize = 1 << 14;
/// Binary logarithm of the minimum number of slots per bucket: their counts fit the first-level
/// cache.
const MIN_BUCKET_BITS: u32 = 11;
/// Binary logarithm of the maximum number of slots per bucket: their counts fit the second-level
/// cache.
pub(super) const MAX_BUCKET_BITS: u32 = 17;
/// Binary logarithm of the approximate number of buckets that large tables are divided into.
const BUCKETS_BITS: u32 = 9;

/// Label for out-of-memory errors.
const WHAT: &str = "the grid";

/// The working memory of a thread that sorts chunks by bucket.
#[derive(Default)]
struct Scratch {
    /// The slots and the cell keys of the bounds of a chunk.
    placed: Vec<[u32; 2]>,
    /// The bounds of a chunk, sorted by bucket.
    sorted: Vec<Bounds>,
}

impl Scratch {
    /// Number of bytes per record of a chunk.
    const BYTES: usize = size_of::<Bounds>() + size_of::<[u32; 2]>();

    fn make_room(&mut self, records: usize) -> Result<()> {
        memory::make_scratch(&mut self.placed, records, WHAT)?;
        Ok(memory::make_scratch(&mut self.sorted, records, WHAT)?)
    }
}

/// The records of bodies, ordered by slot: those with `N` numbers that are compared. By default
/// these are bounds.
#[derive(Default)]
pub(crate) struct Grid<const N: usize = OF_BOUNDS> {
    /// The number of records.
    pub len: usize,
    /// The start of each slot's records, plus one entry for the end of the last slot's.
    pub slot_starts: Vec<u32>,
    /// The records, grouped by slot, in the form in which walks compare them.
    pub columns: Columns<N>,
    /// The bounds in the same order, if these have been sorted and not bodies. Otherwise empty.
    pub records: Vec<Bounds>,
    /// Set if records may belong to worlds other than 0.
    pub worlds: bool,
    /// For each chunk: the slot of each record within its bucket, and then the start of the records
    /// of each bucket, and the end of the last bucket's.
    chunks: Vec<u32>,
    scratch: Vec<Scratch>,
}

/// The places of records in a grid.
pub(super) struct Places<'a> {
    /// Levels that are not in use stay empty.
    pub levels: [LevelWalk; MAX_LEVELS],
    pub plan: &'a Plan,
    pub rules: &'a SetRules<'a>,
    origin: f32x4,
}

impl<'a> Places<'a> {
    pub fn new(plan: &'a Plan, rules: &'a SetRules<'a>) -> Self {
        Self {
            levels: plan.levels.each_ref().map(LevelWalk::over),
            plan,
            rules,
            origin: vector(plan.origin),
        }
    }

    /// Returns the only level, if there is one, its cells have a slot each, and there are no
    /// worlds.
    pub fn only_plain_level(&self) -> Option<&LevelWalk> {
        let is_only = self.plan.levels().len() == 1 && self.rules.worlds.is_none();
        Some(&self.levels[0]).filter(|level| is_only && level.is_plain())
    }

    /// Returns the slot and the cell key of a record, given the low corner of its bounds, the bin
    /// of its size and its id.
    #[inline(always)]
    pub fn of(&self, low: f32x4, bin: u32, id: u32) -> [u32; 2] {
        // If there is only one level, the bin is not needed.
        let l = match self.plan.levels().len() == 1 {
            true => 0,
            false => self.plan.level_of_bin[bin as usize] as usize,
        };
        let LevelWalk { table, .. } = &self.levels[l];
        let cell = self.levels[l].cell_of(coordinates(low), self.origin);
        let slot = match self.rules.worlds.is_some() {
            true => table.slot(cell, table.displacement(self.rules.world(id))),
            false => table.slot(cell, 0),
        };
        [slot, cell_key(l, 0, cell)]
    }
}

/// Runs of slots of equal length, a power of two.
#[derive(Clone, Copy)]
pub(super) struct Buckets {
    pub bits: u32,
    pub count: usize,
}

impl Buckets {
    /// Returns the buckets of a table.
    pub fn of(slots: usize) -> Self {
        let bits = slots.max(1).ilog2().saturating_sub(BUCKETS_BITS);
        let bits = bits.clamp(MIN_BUCKET_BITS, MAX_BUCKET_BITS);
        Self {
            bits,
            count: slots.div_ceil(1 << bits),
        }
    }

    /// Returns the maximum number of buckets for a table of up to this many slots.
    pub fn most(slots: u64) -> u64 {
        (1 << (BUCKETS_BITS + 1)).max((slots >> MAX_BUCKET_BITS) + 1)
    }

    pub fn of_slot(self, slot: u32) -> usize {
        (slot >> self.bits) as usize
    }

    /// Returns a slot's number within its bucket.
    pub fn within(self, slot: u32) -> u32 {
        slot & ((1 << self.bits) - 1)
    }

    /// Returns how many numbers there are for each chunk.
    fn numbers(self) -> usize {
        CHUNK + self.count + 1
    }
}

impl<const N: usize> Grid<N> {
    /// Reserves memory for the slots of a grid of `len` records, and returns their number.
    pub(super) fn begin(&mut self, plan: &Plan, len: usize, rules: &SetRules) -> Result<usize> {
        self.worlds = rules.worlds.is_some();
        self.len = len;
        let slots = plan.slots as usize;
        memory::make_scratch(&mut self.slot_starts, slots + 1, WHAT)?;
        self.slot_starts[slots] = len as u32;
        Ok(slots)
    }

    /// Returns the number of bytes held.
    pub fn bytes(&self) -> u64 {
        let words = self.slot_starts.capacity() + self.chunks.capacity();
        let scratch = self.scratch.len() * CHUNK * Scratch::BYTES;
        let records = self.records.capacity() * size_of::<Bounds>();
        (self.columns.bytes() + records + words * size_of::<u32>() + scratch) as u64
    }
}

impl Grid {
    /// Returns the maximum number of bytes needed for this many bounds.
    pub fn bytes_for(records: u64) -> u64 {
        let slots = records * MAX_SLOTS_PER_BOX as u64;
        let chunks = records.div_ceil(CHUNK as u64);
        let of_chunks = chunks * (CHUNK as u64 + Buckets::most(slots) + 1);
        let scratch = chunks.min(parallel::threads() as u64) * (CHUNK * Scratch::BYTES) as u64;
        let of_record = Columns::<OF_BOUNDS>::BYTES + size_of::<Bounds>();
        records * of_record as u64 + (slots + of_chunks) * size_of::<u32>() as u64 + scratch
    }

    /// Fills the grid with bounds, whose worlds are given by the rules. The given bounds are put
    /// into another order.
    pub fn build(&mut self, plan: &Plan, records: &mut [Bounds], rules: &SetRules) -> Result<()> {
        let slots = self.begin(plan, records.len(), rules)?;
        let buckets = Buckets::of(slots);
        let chunks = records.len().div_ceil(CHUNK);
        memory::make_scratch(&mut self.chunks, chunks * buckets.numbers(), WHAT)?;
        self.scratch
            .resize_with(chunks.min(parallel::threads()), Scratch::default);
        for scratch in &mut self.scratch {
            scratch.make_room(records.len().min(CHUNK))?;
        }
        memory::make_scratch(&mut self.records, records.len(), WHAT)?;
        let places = Places::new(plan, rules);
        let place = |record: &Bounds| places.of(vector(record.low), record.tag, record.id);
        let grains = [CHUNK, buckets.numbers()];
        parallel::chunks_with(
            &mut self.scratch,
            grains,
            records,
            &mut self.chunks,
            |_, records, numbers, scratch| partition(records, numbers, buckets, scratch, place),
        );
        self.sort_buckets(records, slots, buckets);
        self.columns.fill(&self.records, columns_of)
    }

    /// Frees the memory needed only for building.
    pub fn release_scratch(&mut self) {
        self.chunks = Vec::new();
        self.scratch = Vec::new();
    }

    /// Sorts the bounds of each bucket, which chunks are sorted by.
    fn sort_buckets(&mut self, unsorted: &[Bounds], slots: usize, buckets: Buckets) {
        let chunks = Chunks {
            records: unsorted,
            numbers: &self.chunks,
            buckets,
        };
        let whole = Run {
            bucket: 0,
            first: 0,
            records: &mut self.records,
            starts: &mut self.slot_starts[..slots],
        };
        let split = |run, bucket| Run::split(run, bucket, |buckets| chunks.count(buckets), buckets.bits);
        parallel::divide(0..buckets.count, whole, &split, &|bucket, run| {
            let Run {
                first, records, starts, ..
            } = run;
            starts.fill(0);
            for (_, slots) in chunks.of_bucket(bucket) {
                slots.iter().for_each(|slot| starts[*slot as usize] += 1);
            }
            // The counts become the ends of the runs. Placing the records backwards turns the ends
            // into starts.
            let mut sum = first;
            for start in starts.iter_mut() {
                sum += *start;
                *start = sum;
            }
            // A scattered write would wait for its line of memory.
            records.iter().for_each(prefetch);
            for (unsorted, slots) in chunks.of_bucket(bucket).rev() {
                for (record, slot) in unsorted.iter().zip(slots).rev() {
                    let start = &mut starts[*slot as usize];
                    *start -= 1;
                    records[(*start - first) as usize] = *record;
                }
            }
        });
    }
}

/// The records of all chunks, those of each sorted by bucket.
struct Chunks<'a> {
    records: &'a [Bounds],
    /// The slots and the bucket starts of each chunk.
    numbers: &'a [u32],
    buckets: Buckets,
}

impl<'a> Chunks<'a> {
    /// Returns the records of a bucket and their slots within it, chunk by chunk.
    fn of_bucket(
        &self,
        bucket: usize,
    ) -> impl ExactSizeIterator<Item = (&'a [Bounds], &'a [u32])> + DoubleEndedIterator {
        let chunks = self
            .records
            .chunks(CHUNK)
            .zip(self.numbers.chunks(self.buckets.numbers()));
        chunks.map(move |(records, numbers)| {
            let (slots, starts) = numbers.split_at(CHUNK);
            let range = starts[bucket] as usize..starts[bucket + 1] as usize;
            (&records[range.clone()], &slots[range])
        })
    }

    /// Returns the number of records in consecutive buckets.
    fn count(&self, buckets: Range<usize>) -> usize {
        let chunks = self.numbers.chunks(self.buckets.numbers());
        let starts = chunks.map(|numbers| &numbers[CHUNK..]);
        starts
            .map(|starts| (starts[buckets.end] - starts[buckets.start]) as usize)
            .sum()
    }
}

/// Consecutive buckets with their records and slots.
struct Run<'a> {
    /// The first bucket.
    bucket: usize,
    /// The number of records before theirs.
    first: u32,
    records: &'a mut [Bounds],
    starts: &'a mut [u32],
}

impl<'a> Run<'a> {
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

/// Sorts the records of a chunk by bucket, and sets their keys. `numbers` get the slots of the
/// sorted records and the starts of the buckets; `place` returns the slot and the key of a record.
fn partition(
    records: &mut [Bounds],
    numbers: &mut [u32],
    buckets: Buckets,
    scratch: &mut Scratch,
    place: impl Fn(&Bounds) -> [u32; 2],
) {
    let (slots, starts) = numbers.split_at_mut(CHUNK);
    starts.fill(0);
    let placed = &mut scratch.placed[..records.len()];
    for (placed, record) in placed.iter_mut().zip(&*records) {
        *placed = place(record);
        starts[buckets.of_slot(placed[0])] += 1;
    }
    let mut sum = 0;
    for start in starts.iter_mut() {
        sum += *start;
        *start = sum;
    }
    let sorted = &mut scratch.sorted[..records.len()];
    for ([slot, key], record) in placed.iter().zip(&*records).rev() {
        let start = &mut starts[buckets.of_slot(*slot)];
        *start -= 1;
        let position = *start as usize;
        let record = Bounds { tag: *key, ..*record };
        (sorted[position], slots[position]) = (record, buckets.within(*slot));
    }
    records.copy_from_slice(sorted);
}
