//! Counting sorts that stay in the caches and need no atomics, and sorting pairs with them: twin of
//! `shaders/outputs/sort_pairs.wgsl`.
//!
//! A counting sort of many items by many keys waits for memory at each item: neighbours in the input are far apart in
//! the output. It therefore runs in two steps: chunks of the input by *bucket*, a bucket being a run of keys, then each
//! bucket by key. Chunks, and then buckets, are independent of each other: each is a task for a thread.

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::geometry::pair::Pair;

/// What memory is for.
const SORTING: &str = "sorting the pairs";
/// Pairs per chunk: they fill part of a second-level cache.
const CHUNK: usize = 1 << 15;
/// Binary logarithm of the approximate number of buckets.
const BUCKETS_BITS: u32 = 9;
/// Fewer pairs than this are sorted by comparison.
const FEW: usize = 1 << 10;
/// Counting does not pay for more values per item than this.
const SPARSE: usize = 16;

/// Sorts the `items` stably by bucket into `sorted`, which is as long. Returns where each of the `buckets` begins, and
/// where the last ends.
pub(crate) fn partition<T: Copy>(
    items: &[T],
    sorted: &mut [T],
    buckets: usize,
    bucket_of: impl Fn(&T) -> usize,
) -> Result<Vec<u32>> {
    let mut starts = memory::zeroed(buckets + 1, SORTING)?;
    items.iter().for_each(|item| starts[bucket_of(item)] += 1);
    // The counts become the ends of the buckets; placing the items backwards turns the ends into starts.
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    for item in items.iter().rev() {
        let start = &mut starts[bucket_of(item)];
        *start -= 1;
        sorted[*start as usize] = *item;
    }
    Ok(starts)
}

/// Binary logarithm of the number of keys per bucket, for keys below `keys`.
pub(super) fn bucket_bits(keys: usize) -> u32 {
    let largest = keys.saturating_sub(1);
    (usize::BITS - largest.leading_zeros()).saturating_sub(BUCKETS_BITS)
}

/// Pairs in chunks, each sorted by bucket.
pub(super) struct Chunks<'a>(Vec<(Vec<u32>, &'a [Pair])>);

impl<'a> Chunks<'a> {
    /// Sorts the pairs of each chunk stably by bucket into `scratch`, which is as long.
    pub fn partition(
        pairs: &[Pair],
        scratch: &'a mut [Pair],
        buckets: usize,
        bucket_of: impl Fn(&Pair) -> usize + Sync + Send,
    ) -> Result<Self> {
        let chunks = pairs.chunks(CHUNK).zip(scratch.chunks_mut(CHUNK)).collect();
        let sorted = parallel::map(chunks, |(chunk, partitioned): (&[Pair], &'a mut [Pair])| {
            let starts = partition(chunk, partitioned, buckets, &bucket_of)?;
            Ok((starts, &*partitioned))
        });
        sorted.into_iter().collect::<Result<_>>().map(Self)
    }

    /// The pairs of a bucket, in order, chunk by chunk.
    pub fn of_bucket(&self, bucket: usize) -> impl Iterator<Item = &'a [Pair]> + Clone + '_ {
        self.0
            .iter()
            .map(move |(starts, chunk)| &chunk[starts[bucket] as usize..starts[bucket + 1] as usize])
    }
}

/// Sorts pairs by (a, b), like those of a report: for pairs read back from a recorded frame, for instance. Takes as
/// much memory again while it works.
///
/// A counting sort by `a`, on all cores with the feature `rayon`, then a sort by `b` of pairs with the same `a`.
///
/// # Errors
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub fn sort_pairs(pairs: &mut [Pair]) -> Result<()> {
    if pairs.len() < FEW {
        pairs.sort_unstable_by_key(|pair| pair.key());
        return Ok(());
    }
    let mut scratch = memory::zeroed(pairs.len(), SORTING)?;
    let largest = parallel::map_ranges(pairs.len(), |range| pairs[range].iter().map(|pair| pair.a).max());
    let largest = largest.into_iter().flatten().max().unwrap_or(0);
    let bits = bucket_bits((largest as usize).saturating_add(1));
    let buckets = (largest >> bits) as usize + 1;
    let chunks = Chunks::partition(pairs, &mut scratch, buckets, |pair| (pair.a >> bits) as usize)?;

    let mut rest = pairs;
    let mut tasks = Vec::with_capacity(buckets);
    for bucket in 0..buckets {
        let (own, others) = rest.split_at_mut(chunks.of_bucket(bucket).map(<[Pair]>::len).sum());
        tasks.push((bucket, own));
        rest = others;
    }
    parallel::for_each(tasks, |(bucket, sorted)| {
        sort_bucket(chunks.of_bucket(bucket), sorted, 1 << bits);
    });
    Ok(())
}

/// Gathers the pairs of a bucket, whose `a` take `values` different values, and sorts them.
fn sort_bucket<'a>(runs: impl Iterator<Item = &'a [Pair]> + Clone, sorted: &mut [Pair], values: usize) {
    let pairs = || runs.clone().flatten();
    let ends = match values > SPARSE * sorted.len() {
        true => None,
        // By comparison it takes no memory.
        false => memory::zeroed::<u32>(values, SORTING).ok(),
    };
    let Some(mut ends) = ends else {
        sorted.iter_mut().zip(pairs()).for_each(|(place, pair)| *place = *pair);
        sorted.sort_unstable_by_key(|pair| pair.key());
        return;
    };
    let in_bucket = |pair: &Pair| pair.a as usize & (values - 1);
    pairs().for_each(|pair| ends[in_bucket(pair)] += 1);
    let mut sum = 0;
    for end in &mut ends {
        sum += std::mem::replace(end, sum);
    }
    for pair in pairs() {
        let end = &mut ends[in_bucket(pair)];
        sorted[*end as usize] = *pair;
        *end += 1;
    }
    let mut first = 0;
    for end in ends {
        sorted[first..end as usize].sort_unstable_by_key(|pair| pair.b);
        first = end as usize;
    }
}
