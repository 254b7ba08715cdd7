//! Pairs that are partly sorted as they are found: one chunk at a time by bucket, while it is in
//! the cache. Only the sort within each bucket remains for the end.
//!
//! Until then, the lists of different threads need not be joined. The chunks themselves serve as
//! the working memory of the sort. They lie in blocks that never move.

use std::ops::Range;
use std::sync::OnceLock;

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::geometry::pair::Pair;
use crate::outputs::sort_pairs_cpu::{Buckets, CHUNK, FEW, SORTING, partition, sort_buckets};

/// Label for out-of-memory errors.
const PAIRS: &str = "the colliding pairs";
/// Number of pairs per block: 2 MiB, a huge page on most machines.
const BLOCK: usize = 8 * CHUNK;

/// The pairs that one thread has found. The memory is kept for later use.
#[derive(Default)]
pub(crate) struct PairsAsFound {
    /// Pairs that do not yet fill a chunk.
    last: Vec<Pair>,
    /// Chunks, each sorted by bucket. All but the last of them are full. A block of more than one
    /// chunk has the length [`BLOCK`].
    blocks: Vec<Vec<Pair>>,
    /// The number of pairs in these chunks.
    stored: usize,
    /// The start of each bucket of each chunk, and the end of its last bucket.
    starts: Vec<u32>,
}

impl PairsAsFound {
    /// Returns the maximum number of bytes for this many pairs, found by this many threads, in
    /// addition to the final sorted list.
    pub fn bytes_for(pairs: u64, threads: usize) -> u64 {
        let of_thread = pairs.min((CHUNK + BLOCK) as u64) * size_of::<Pair>() as u64;
        // A chunk has at most 513 numbers of 4 bytes, and each thread has at least one chunk.
        let starts = (pairs / CHUNK as u64 + threads as u64) * 513 * size_of::<u32>() as u64;
        pairs
            .saturating_mul(size_of::<Pair>() as u64)
            .saturating_add(starts + threads as u64 * of_thread)
    }

    /// Returns the number of bytes held that grow with the number of pairs.
    pub fn bytes(&self) -> u64 {
        let blocks = self.blocks.iter().map(Vec::capacity).sum::<usize>();
        (blocks * size_of::<Pair>() + self.starts.capacity() * size_of::<u32>()) as u64
    }

    /// Returns the number of pairs.
    pub fn len(&self) -> usize {
        self.last.len() + self.stored
    }

    /// Reserves memory for this many pairs. The list must be empty.
    pub fn make_room(&mut self, pairs: usize, buckets: Buckets) -> Result<()> {
        memory::reserve(&mut self.last, pairs.min(CHUNK), PAIRS)?;
        if buckets.count == 1 && pairs < CHUNK {
            return Ok(());
        }
        let chunks = pairs.div_ceil(CHUNK);
        memory::reserve(&mut self.starts, chunks * (buckets.count + 1), SORTING)?;
        for (k, first) in (0..pairs).step_by(BLOCK).enumerate() {
            if k == self.blocks.len() {
                memory::push(&mut self.blocks, Vec::new(), PAIRS)?;
            }
            let room = (pairs - first).min(BLOCK).max(self.blocks[k].len());
            memory::make_scratch(&mut self.blocks[k], room, PAIRS)?;
        }
        Ok(())
    }

    /// Removes all pairs.
    pub fn clear(&mut self) {
        self.last.clear();
        self.stored = 0;
        self.starts.clear();
    }

    /// Appends pairs, converted by `named`. The buckets are those of `a` of the converted pairs,
    /// and must be the same in each call.
    pub fn extend(&mut self, mut pairs: &[Pair], buckets: Buckets, named: impl Fn(&Pair) -> Pair) -> Result<()> {
        while !pairs.is_empty() {
            let (now, later) = pairs.split_at(pairs.len().min(CHUNK - self.last.len()));
            memory::reserve(&mut self.last, now.len(), PAIRS)?;
            self.last.extend(now.iter().map(&named));
            if self.last.len() == CHUNK {
                self.store_chunk(buckets)?;
            }
            pairs = later;
        }
        Ok(())
    }

    /// Sorts the last chunk by bucket, and stores it.
    fn store_chunk(&mut self, buckets: Buckets) -> Result<()> {
        if self.last.is_empty() {
            return Ok(());
        }
        let (block, first) = (self.stored / BLOCK, self.stored % BLOCK);
        if block == self.blocks.len() {
            memory::push(&mut self.blocks, Vec::new(), PAIRS)?;
        }
        let block = &mut self.blocks[block];
        let needed = first + self.last.len();
        if needed > block.len() {
            // A full chunk will be followed by more.
            let room = if self.last.len() == CHUNK { BLOCK } else { needed };
            match first {
                0 => memory::make_scratch(block, room, PAIRS)?,
                _ => memory::resize(block, room, Pair { a: 0, b: 0 }, PAIRS)?,
            }
        }
        let begin = self.starts.len();
        memory::resize(&mut self.starts, begin + buckets.count + 1, 0, SORTING)?;
        let chunk = &mut block[first..][..self.last.len()];
        partition(&self.last, chunk, &mut self.starts[begin..], |pair| buckets.of(pair.a));
        self.stored += self.last.len();
        self.last.clear();
        Ok(())
    }

    /// Returns the number of pairs in a range of buckets.
    fn count(&self, range: Range<usize>, buckets: Buckets) -> usize {
        let chunks = self.starts.chunks(buckets.count + 1);
        let stored: u32 = chunks.map(|starts| starts[range.end] - starts[range.start]).sum();
        stored as usize + if range.contains(&0) { self.last.len() } else { 0 }
    }

    /// Returns the pairs of a bucket, chunk by chunk. If the last chunk is not stored, all of its
    /// pairs belong to the only bucket.
    fn of_bucket(&self, bucket: usize, buckets: Buckets) -> impl Iterator<Item = &[Pair]> + Clone {
        let chunks = self.blocks.iter().flat_map(|block| block.chunks(CHUNK));
        let starts = self.starts.chunks(buckets.count + 1);
        chunks
            .zip(starts)
            .map(move |(pairs, starts)| &pairs[starts[bucket] as usize..starts[bucket + 1] as usize])
            .chain([&self.last[..]])
    }
}

/// Fills `sorted` with the pairs of all these lists, sorted by (a, b), like those of a report. Its
/// previous contents are lost.
pub(crate) fn sort_found<T>(found: &mut [T], buckets: Buckets, sorted: &mut Vec<Pair>) -> Result<()>
where
    T: AsMut<PairsAsFound> + AsRef<PairsAsFound> + Send + Sync,
{
    let total = found.iter().map(|found| found.as_ref().len()).sum();
    if buckets.count > 1 && total >= FEW {
        let refused = OnceLock::new();
        parallel::for_each_mut(found, |_, found| {
            if let Err(error) = found.as_mut().store_chunk(buckets) {
                refused.get_or_init(|| error);
            }
        });
        if let Some(error) = refused.into_inner() {
            return Err(error);
        }
    }
    memory::make_scratch(sorted, total, PAIRS)?;
    let found = &*found;
    if total < FEW {
        // Each list has at most one chunk, which is not stored.
        let pairs = found.iter().flat_map(|found| &found.as_ref().last);
        sorted.iter_mut().zip(pairs).for_each(|(place, pair)| *place = *pair);
        sorted.sort_unstable_by_key(|pair| pair.key());
        return Ok(());
    }
    let count = |range: Range<usize>| {
        found
            .iter()
            .map(|found| found.as_ref().count(range.clone(), buckets))
            .sum()
    };
    let of_bucket = |bucket| {
        found
            .iter()
            .flat_map(move |found| found.as_ref().of_bucket(bucket, buckets))
    };
    sort_buckets(buckets, count, of_bucket, sorted);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::split_mix::SplitMix;
    use crate::outputs::sort_pairs_cpu::sort_pairs;

    impl AsRef<PairsAsFound> for PairsAsFound {
        fn as_ref(&self) -> &PairsAsFound {
            self
        }
    }

    impl AsMut<PairsAsFound> for PairsAsFound {
        fn as_mut(&mut self) -> &mut PairsAsFound {
            self
        }
    }

    #[test]
    fn pairs_found_in_any_number_of_pieces_are_sorted() {
        let mut random = SplitMix(7);
        let mut found: [PairsAsFound; 3] = Default::default();
        let mut sorted = Vec::new();
        let counts = [0, 1, FEW - 1, FEW, 3000, CHUNK, 2 * BLOCK + CHUNK + 5, 10, 70_000];
        for (keys, count) in [1, 4096, 4097, 50_000, 1 << 22, u32::MAX]
            .into_iter()
            .flat_map(|keys| counts.map(|count| (keys, count)))
        {
            let buckets = Buckets::new(keys as usize);
            found.iter_mut().for_each(PairsAsFound::clear);
            let mut key = || (random.next() % u64::from(keys)) as u32;
            let mut expected = Vec::new();
            while expected.len() < count {
                let more = (key() as usize % 3000 + 1).min(count - expected.len());
                let pairs: Vec<Pair> = (0..more).map(|_| Pair { a: key(), b: key() }).collect();
                // The pairs are named the other way round.
                let list = if pairs[0].a.is_multiple_of(5) { 1 } else { 2 };
                found[list]
                    .extend(&pairs, buckets, |pair| Pair { a: pair.b, b: pair.a })
                    .expect("some bytes");
                expected.extend(pairs.iter().map(|pair| Pair { a: pair.b, b: pair.a }));
            }
            assert_eq!(found.iter().map(PairsAsFound::len).sum::<usize>(), count);
            sort_found(&mut found, buckets, &mut sorted).expect("some bytes");
            sort_pairs(&mut expected).expect("some bytes");
            assert!(sorted == expected, "{count} pairs of {keys} keys");
        }
    }
}
