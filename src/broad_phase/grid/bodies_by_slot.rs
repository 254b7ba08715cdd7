//! The second step of the sort of bodies: each bucket by slot.

use std::ops::Range;

use fearless_simd::prelude::*;

use crate::base::lanes::{Simd, dispatch};
use crate::base::prefetch;
use crate::broad_phase::bounded::{Bounded, Compared};
use crate::broad_phase::grid::bodies_by_bucket::{CHUNK, CHUNK_BITS, Sort};
use crate::broad_phase::grid::grid_build_cpu::Buckets;

impl<B: Bounded, M: Fn(u32) -> f32 + Sync + Send> Sort<'_, B, M> {
    /// Sorts the bodies of a bucket by slot, and lists their numbers.
    pub(super) fn sort_bucket<const N: usize>(&self, part: Part<'_, B, N>, chunks: &Chunks<'_, B>, bucket: usize)
    where
        B: Compared<N>,
    {
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
                lists[N - 1][position] = f32::from_bits(*key);
            }
        }
        dispatch!(self.level, simd => self.list(simd, bodies, ids, &mut lists));
    }

    /// Lists the numbers of bodies.
    #[inline(always)]
    fn list<S: Simd, const N: usize>(&self, simd: S, bodies: &[B], ids: &[u32], lists: &mut [&mut [f32]; N])
    where
        B: Compared<N>,
    {
        for (k, some) in bodies.chunks(S::f32s::LEN).enumerate() {
            let first = k * S::f32s::LEN;
            B::list(simd, some, |lane| (self.margin)(ids[first + lane]), first, lists);
        }
    }
}

/// The bodies of all chunks, those of each sorted by bucket.
pub(super) struct Chunks<'a, B> {
    pub parted: &'a [B],
    pub numbers: &'a [u32],
    pub buckets: Buckets,
    /// The number of `numbers` of a chunk.
    pub len: usize,
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
pub(super) struct Part<'a, B, const N: usize> {
    /// The first bucket.
    pub bucket: usize,
    /// The number of bodies before theirs.
    pub first: u32,
    pub bodies: &'a mut [B],
    pub ids: &'a mut [u32],
    pub lists: [&'a mut [f32]; N],
    pub starts: &'a mut [u32],
}

impl<'a, B, const N: usize> Part<'a, B, N> {
    /// Splits off the buckets before `bucket`. Returns these and the others.
    pub fn split(mut self, bucket: usize, chunks: &Chunks<'_, B>) -> (Self, Self) {
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
