//! Pairs found by a walk, buffered for the code that tests or keeps them.
//!
//! Hits are appended without a branch, because it is practically random if two bodies meet, and a
//! mispredicted branch costs as much as ten comparisons.

use bytemuck::{cast, cast_slice_mut};
use fearless_simd::prelude::*;
use wide::u32x4;

use crate::base::lanes::Simd;
use crate::geometry::pair::Pair;

/// Number of records whose hits are added together.
pub(crate) const LANES: usize = 4;

/// The treatment that a batch of found pairs needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The pairs need a test.
    Candidates,
    /// The pairs collide and need no test.
    Colliding,
}

/// Maximum number of pairs per batch.
pub(crate) const BATCH: usize = 1024;

/// Number of blocks, or of records, whose hits are added between two checks of the remaining
/// capacity.
pub(crate) const PIECE: usize = 16;

/// The records selected by the bits of a mask, in ascending order, and their number.
const LANES_OF: [([u32; LANES], usize); 1 << LANES] = {
    let mut hits = [([0; LANES], 0); 1 << LANES];
    let mut mask = 0;
    while mask < hits.len() {
        let mut lane = 0;
        while lane < LANES {
            if mask >> lane & 1 == 1 {
                hits[mask].0[hits[mask].1] = lane as u32;
                hits[mask].1 += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    hits
};

/// The memory of a batch of pairs. It is separate from the counter: a compiler keeps a number in a
/// register only if it does not lie in a structure whose address is computed.
pub(crate) type Room<const SIZE: usize> = [Pair; SIZE];

/// Creates the memory of a batch.
pub(crate) const fn room<const SIZE: usize>() -> Room<SIZE> {
    [Pair { a: 0, b: 0 }; SIZE]
}

/// Returns the numbers of consecutive records, one per lane.
#[inline(always)]
pub(crate) fn numbers_from<S: Simd>(simd: S, first: u32) -> S::u32s {
    const FIRST: [u32; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    S::u32s::from_slice(simd, &FIRST[..S::u32s::LEN]) + first
}

/// Pairs collected in batches of at most `SIZE`.
pub(crate) struct Hits<'a, const SIZE: usize> {
    pairs: &'a mut Room<SIZE>,
    count: usize,
}

impl<'a, const SIZE: usize> Hits<'a, SIZE> {
    #[inline(always)]
    pub fn new(pairs: &'a mut Room<SIZE>) -> Self {
        Self { pairs, count: 0 }
    }

    /// Adds the pairs of a record with those records of consecutive blocks that masks select. The
    /// first block begins with the record `base`. Pairs are passed on only between pieces of these
    /// blocks, because a call among many comparisons would force vectors into memory.
    #[inline(always)]
    pub fn add_many(
        &mut self,
        record: u32,
        base: usize,
        mut masks: impl ExactSizeIterator<Item = usize>,
        mut found: impl FnMut(&[Pair]),
    ) {
        const { assert!(SIZE >= PIECE * LANES, "room for a piece") };
        let mut base = u32x4::splat(base as u32);
        while masks.len() > 0 {
            if self.count > SIZE - PIECE * LANES {
                self.flush(&mut found);
            }
            for mask in masks.by_ref().take(PIECE) {
                self.put(record, base, mask);
                base += u32x4::splat(LANES as u32);
            }
        }
    }

    /// Adds the pairs of a record with those of a block. All of them must fit.
    #[inline(always)]
    pub fn put(&mut self, record: u32, base: u32x4, mask: usize) {
        let (lanes, hits) = LANES_OF[mask];
        // Four pairs are written; those that are not hits are overwritten later.
        if let Some(place) = self.pairs[self.count..].first_chunk_mut() {
            *place = pairs_of(record, base + u32x4::new(lanes));
        }
        self.count += hits;
    }

    /// Adds the pairs of a record with those of two blocks. All of them must fit.
    #[inline(always)]
    pub fn put_two(&mut self, record: u32, base: u32, mask: usize) {
        const LOW: usize = (1 << LANES) - 1;
        let base = u32x4::splat(base);
        self.put(record, base, mask & LOW);
        self.put(record, base + u32x4::splat(LANES as u32), mask >> LANES);
    }

    /// Adds the pairs of those of some consecutive records, one per lane, that a mask selects, with
    /// another record. All of them must fit, and as many as there are lanes.
    #[inline(always)]
    pub fn put_lanes<S: Simd>(&mut self, simd: S, records: S::u32s, selected: S::mask32s, other: u32) {
        let (lanes, mask) = (S::u32s::LEN, selected.to_bitmask() as usize);
        let numbers: &mut [u32] = cast_slice_mut(&mut self.pairs[self.count..]);
        let others = S::u32s::splat(simd, other);
        let records = match lanes == LANES {
            // Machines with so few lanes may have no fast instruction for this.
            true => S::u32s::from_slice(simd, &LANES_OF[mask].0) + records.as_slice()[0],
            false => records.compress(selected),
        };
        records.zip_low(others).store_slice(&mut numbers[..lanes]);
        records.zip_high(others).store_slice(&mut numbers[lanes..2 * lanes]);
        self.count += mask.count_ones() as usize;
    }

    /// Passes the batch on if fewer than this many pairs fit.
    #[inline(always)]
    pub fn make_room(&mut self, pairs: usize, found: impl FnOnce(&[Pair])) {
        if self.count > SIZE - pairs {
            self.flush(found);
        }
    }

    /// Adds the pairs of a record with those of up to 32 records that a mask selects. There is
    /// rarely more than one.
    #[inline(always)]
    pub fn add_few(&mut self, record: u32, base: u32, mut mask: u32, found: impl FnOnce(&[Pair])) {
        if self.count > SIZE - u32::BITS as usize {
            self.flush(found);
        }
        // One pair is written, and overwritten later if it is not a hit.
        let mut add = |mask: u32| {
            self.pairs[self.count] = Pair {
                a: record,
                b: base.wrapping_add(mask.trailing_zeros()),
            };
            self.count += usize::from(mask != 0);
        };
        add(mask);
        mask &= mask.wrapping_sub(1);
        while mask != 0 {
            add(mask);
            mask &= mask - 1;
        }
    }

    /// Passes the batch on and empties it.
    #[inline(always)]
    pub fn flush(&mut self, found: impl FnOnce(&[Pair])) {
        found(&self.pairs[..self.count]);
        self.count = 0;
    }
}

/// Returns the pairs of one record with four others.
#[inline(always)]
fn pairs_of(a: u32, b: u32x4) -> [Pair; LANES] {
    let a = u32x4::splat(a);
    cast([a.unpack_lo(b), a.unpack_hi(b)])
}

/// The hits of a walk, and the function that receives them.
pub(crate) struct WalkHits<'a, F> {
    candidates: Hits<'a, BATCH>,
    colliding: Hits<'a, BATCH>,
    found: F,
}

impl<'a, F: FnMut(&[Pair], Found)> WalkHits<'a, F> {
    #[inline(always)]
    pub fn new([candidates, colliding]: &'a mut [Room<BATCH>; 2], found: F) -> Self {
        Self {
            candidates: Hits::new(candidates),
            colliding: Hits::new(colliding),
            found,
        }
    }

    /// Returns the list of pairs of one kind, to which at least this many can be added.
    #[inline(always)]
    pub fn room(&mut self, found: Found, pairs: usize) -> &mut Hits<'a, BATCH> {
        let hits = match found {
            Found::Candidates => &mut self.candidates,
            Found::Colliding => &mut self.colliding,
        };
        let pass = &mut self.found;
        hits.make_room(pairs, |pairs| pass(pairs, found));
        hits
    }

    /// Adds the pairs of a record with those that a mask selects, counted from `base`.
    #[inline(always)]
    pub fn few(&mut self, record: u32, base: u32, mask: u32, found: Found) {
        let hits = match found {
            Found::Candidates => &mut self.candidates,
            Found::Colliding => &mut self.colliding,
        };
        let pass = &mut self.found;
        hits.add_few(record, base, mask, |pairs| pass(pairs, found));
    }

    /// Passes on all pairs that have been added.
    #[inline(always)]
    pub fn flush(mut self) {
        self.candidates.flush(|pairs| (self.found)(pairs, Found::Candidates));
        self.colliding.flush(|pairs| (self.found)(pairs, Found::Colliding));
    }
}
