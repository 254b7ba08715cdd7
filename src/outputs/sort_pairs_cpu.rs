//! Counting sorts that stay in the caches and need no atomics, and their use for sorting pairs.
//! Twin of `shaders/outputs/sort_pairs.wgsl`.
//!
//! A counting sort of many items by many keys waits for memory at each item, because neighbours in
//! the input are far apart in the output. It therefore runs in two steps: chunks of the input by
//! *bucket*, a bucket being a run of keys, then each bucket by key. Chunks, and then buckets, are
//! independent of each other: each is a task for a thread.

use std::ops::Range;

use fearless_simd::prelude::*;

use crate::base::error::Result;
use crate::base::lanes::{self, Simd, dispatch};
use crate::base::{memory, parallel};
use crate::geometry::pair::Pair;

/// Label for out-of-memory errors.
pub(super) const SORTING: &str = "sorting the pairs";
/// Number of pairs per chunk: they fill part of a second-level cache.
pub(super) const CHUNK: usize = 1 << 15;
/// Binary logarithm of the approximate number of buckets.
const BUCKETS_BITS: u32 = 9;
/// Binary logarithm of the minimum number of keys per bucket, whose counts fit the first-level
/// cache.
const MIN_BUCKET_BITS: u32 = 12;
/// Number of values whose counts fit a thread's stack.
const FEW_VALUES: usize = 1 << MIN_BUCKET_BITS;
/// Number of pairs below which they are sorted by comparison.
pub(super) const FEW: usize = 1 << 7;
/// Maximum number of pairs of a row that are sorted by rank.
const SHORT: usize = 16;
/// Maximum number of values per item for which counting pays.
const SPARSE: usize = 16;

/// The buckets of keys: runs of equal length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buckets {
    /// Binary logarithm of the number of keys per bucket.
    bits: u32,
    /// The number of buckets.
    pub count: usize,
    /// The number of keys of the last bucket.
    last: usize,
}

impl Buckets {
    /// Creates the buckets of keys below `keys`.
    pub fn new(keys: usize) -> Self {
        let largest = keys.saturating_sub(1);
        let bits = (usize::BITS - largest.leading_zeros()).saturating_sub(BUCKETS_BITS);
        let bits = bits.max(MIN_BUCKET_BITS);
        Self {
            bits,
            count: (largest >> bits) + 1,
            last: (largest & ((1 << bits) - 1)) + 1,
        }
    }

    /// Returns the bucket of a key.
    pub fn of(self, key: u32) -> usize {
        key as usize >> self.bits
    }

    /// Returns the number of keys of a bucket that is not the last.
    pub fn keys(self) -> usize {
        1 << self.bits
    }

    /// Returns the keys of a bucket.
    fn keys_of(self, bucket: usize) -> Range<usize> {
        let first = bucket << self.bits;
        let own = if bucket + 1 == self.count {
            self.last
        } else {
            self.keys()
        };
        first..first + own
    }
}

/// Pairs in chunks, each sorted by bucket.
#[derive(Clone, Copy)]
pub(super) struct Chunks<'a> {
    pairs: &'a [Pair],
    /// The start of each bucket of each chunk, and the end of its last bucket.
    starts: &'a [u32],
    buckets: Buckets,
}

impl<'a> Chunks<'a> {
    /// Sorts the pairs of each chunk stably by the bucket of their key, in the sorter's memory.
    pub fn partition(
        pairs: &[Pair],
        sorter: &'a mut PairSorter,
        buckets: Buckets,
        key: impl Fn(&Pair) -> u32 + Sync + Send,
    ) -> Result<Self> {
        let PairSorter { scratch, starts } = sorter;
        memory::make_scratch(scratch, pairs.len(), SORTING)?;
        starts.clear();
        memory::resize(starts, pairs.len().div_ceil(CHUNK) * (buckets.count + 1), 0, SORTING)?;
        let partition = |first: usize, sorted: &mut [Pair], starts: &mut [u32]| {
            partition(&pairs[first..][..sorted.len()], sorted, starts, |pair| {
                buckets.of(key(pair))
            });
        };
        parallel::chunks_of_both([CHUNK, buckets.count + 1], scratch, starts, partition);
        Ok(Self {
            pairs: scratch,
            starts,
            buckets,
        })
    }

    /// Returns the pairs of a bucket, in order, chunk by chunk.
    pub fn of_bucket(self, bucket: usize) -> impl Iterator<Item = &'a [Pair]> + Clone {
        let chunks = self.pairs.chunks(CHUNK).zip(self.starts.chunks(self.buckets.count + 1));
        chunks.map(move |(pairs, starts)| &pairs[starts[bucket] as usize..starts[bucket + 1] as usize])
    }

    /// Returns the number of pairs in a range of buckets.
    fn count(self, buckets: Range<usize>) -> usize {
        let counts = self.starts.chunks(self.buckets.count + 1);
        counts
            .map(|starts| (starts[buckets.end] - starts[buckets.start]) as usize)
            .sum()
    }
}

/// Sorts the `pairs` stably by bucket into `sorted`, which must have the same length. `starts` must
/// be all zeros. It is filled with the start of each bucket and the end of the last.
pub(super) fn partition(pairs: &[Pair], sorted: &mut [Pair], starts: &mut [u32], bucket_of: impl Fn(&Pair) -> usize) {
    if starts.len() == 2 {
        sorted.copy_from_slice(pairs);
        starts[1] = pairs.len() as u32;
        return;
    }
    pairs.iter().for_each(|pair| starts[bucket_of(pair)] += 1);
    // The counts become the ends of the buckets. Placing the pairs backwards turns the ends into
    // starts.
    let mut sum = 0;
    for start in starts.iter_mut() {
        sum += *start;
        *start = sum;
    }
    for pair in pairs.iter().rev() {
        let start = &mut starts[bucket_of(pair)];
        *start -= 1;
        sorted[*start as usize] = *pair;
    }
}

/// Sorts pairs by (a, b), like those of a report. This is useful for pairs read back from a
/// recorded frame, for instance. Takes as much memory again while it works.
///
/// It is a counting sort by `a`, on all cores with the feature `rayon`, followed by a sort by `b`
/// of pairs with the same `a`.
///
/// # Errors
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub fn sort_pairs(pairs: &mut [Pair]) -> Result<()> {
    PairSorter::default().sort(pairs)
}

/// Reusable memory for sorting.
#[derive(Default)]
pub(crate) struct PairSorter {
    scratch: Vec<Pair>,
    starts: Vec<u32>,
}

impl PairSorter {
    /// Sorts pairs as [`sort_pairs`] does.
    pub fn sort(&mut self, pairs: &mut [Pair]) -> Result<()> {
        if pairs.len() < FEW {
            pairs.sort_unstable_by_key(|pair| pair.key());
            return Ok(());
        }
        let largest = |pairs: &[Pair]| pairs.iter().map(|pair| pair.a).max().unwrap_or(0);
        let largest = parallel::fold_ranges(pairs.len(), || 0, |range| largest(&pairs[range]), u32::max);
        let buckets = Buckets::new((largest as usize).saturating_add(1));
        let chunks = Chunks::partition(pairs, self, buckets, |pair| pair.a)?;
        sort_buckets(
            buckets,
            |range| chunks.count(range),
            |bucket| chunks.of_bucket(bucket),
            pairs,
        );
        Ok(())
    }

    /// Returns the number of bytes held.
    pub fn bytes(&self) -> u64 {
        (self.scratch.capacity() * size_of::<Pair>() + self.starts.capacity() * size_of::<u32>()) as u64
    }
}

/// Sorts all pairs into `sorted`, given the number of pairs in a range of buckets and the pairs of
/// each bucket in any number of runs.
pub(super) fn sort_buckets<'a, R: Iterator<Item = &'a [Pair]> + Clone>(
    buckets: Buckets,
    count: impl Fn(Range<usize>) -> usize + Sync,
    of_bucket: impl Fn(usize) -> R + Sync,
    sorted: &mut [Pair],
) {
    let split = |(first, place): (usize, _), bucket| {
        let (own, others) = <[Pair]>::split_at_mut(place, count(first..bucket));
        ((first, own), (bucket, others))
    };
    parallel::divide(0..buckets.count, (0, sorted), &split, &|bucket, (_, sorted)| {
        sort_bucket(of_bucket(bucket), sorted, buckets.keys_of(bucket));
    });
}

/// Gathers the pairs of a bucket, whose `a` lie in `keys`, and sorts them.
fn sort_bucket<'a>(runs: impl Iterator<Item = &'a [Pair]> + Clone, sorted: &mut [Pair], keys: Range<usize>) {
    let values = keys.len();
    let (mut few, mut many);
    let ends = match values {
        _ if values > SPARSE * sorted.len() => None,
        0..=FEW_VALUES => {
            few = [0; FEW_VALUES];
            Some(&mut few[..values])
        }
        // If there is no memory, the pairs are sorted by comparison, which takes none.
        _ => {
            many = memory::zeroed::<u32>(values, SORTING).ok();
            many.as_deref_mut()
        }
    };
    let Some(ends) = ends else {
        runs.fold(&mut *sorted, |places, run| {
            let (own, others) = places.split_at_mut(run.len());
            own.copy_from_slice(run);
            others
        });
        sorted.sort_unstable_by_key(|pair| pair.key());
        return;
    };
    let in_bucket = |pair: &Pair| pair.a as usize - keys.start;
    for run in runs.clone() {
        run.iter().for_each(|pair| ends[in_bucket(pair)] += 1);
    }
    let mut sum = 0;
    for end in ends.iter_mut() {
        sum += std::mem::replace(end, sum);
    }
    for run in runs {
        for pair in run {
            let end = &mut ends[in_bucket(pair)];
            sorted[*end as usize] = *pair;
            *end += 1;
        }
    }
    dispatch!(lanes::level(), simd => sort_rows(simd, sorted, ends));
}

/// Sorts rows by `b`, given the end of each.
#[inline(always)]
fn sort_rows<S: Simd>(simd: S, sorted: &mut [Pair], ends: &[u32]) {
    let mut first = 0;
    for end in ends {
        let row = &mut sorted[first..*end as usize];
        match row.len() {
            ..=1 => {}
            2..=SHORT => sort_by_rank(simd, row),
            _ => row.sort_unstable_by_key(|pair| pair.b),
        }
        first = *end as usize;
    }
}

/// Sorts a row of at most [`SHORT`] pairs with the same `a` by `b`. The place of each pair is the
/// number of smaller ones, counted in lanes and without branches, which would be unpredictable.
#[inline(always)]
fn sort_by_rank<S: Simd>(simd: S, row: &mut [Pair]) {
    // Missing entries come after all others.
    let mut partners = [u32::MAX; SHORT];
    for (partner, pair) in partners.iter_mut().zip(&*row) {
        *partner = pair.b;
    }
    let mut ranked = [0; SHORT];
    for partner in &partners[..row.len()] {
        let mut rank = 0;
        for others in partners.chunks_exact(S::u32s::LEN) {
            let smaller = S::u32s::from_slice(simd, others).simd_lt(*partner);
            rank += smaller.to_bitmask().count_ones() as usize;
        }
        ranked[rank % SHORT] = *partner;
    }
    // Equal values have the same rank, and leave the places after it at zero.
    let mut last = 0;
    for (pair, partner) in row.iter_mut().zip(ranked) {
        last = last.max(partner);
        pair.b = last;
    }
}
