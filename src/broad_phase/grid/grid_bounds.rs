//! Bounds as records of the grid. They stay one after the other.
//!
//! Rows of cells have few records, so four of them are compared in one step, wherever they begin. A
//! row with fewer, or none, takes that step, too: their number is practically random, and a
//! mispredicted branch costs as much as the step.

use std::ops::Range;

use bytemuck::{Zeroable, cast};
use wide::{f32x4, u32x4};

use crate::base::error::Result;
use crate::base::lanes::Simd;
use crate::base::memory;
use crate::broad_phase::grid::reach::{GROUP, Reach};
use crate::broad_phase::grid::record::{Lanes, Record, Row, Run};
use crate::broad_phase::hits::{Found, WalkHits};
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;

/// Number of groups between two checks of the remaining capacity.
const PIECE: usize = 32;

impl Record for Bounds {
    type Lanes = Vec<Self>;
    const CELLS: &[(f32, f32)] = &[];
    const MEETS_RUNS: bool = true;

    #[inline(always)]
    fn id(&self) -> u32 {
        self.id
    }

    #[inline(always)]
    fn bin(&self) -> u32 {
        self.tag
    }

    #[inline(always)]
    fn key(&self) -> u32 {
        self.tag
    }

    #[inline(always)]
    fn with_key(self, key: u32) -> Self {
        Self { tag: key, ..self }
    }

    #[inline(always)]
    fn corners(&self) -> [f32x4; 2] {
        cast(*self)
    }
}

/// The records, and a few extra ones at the end.
impl Lanes for Vec<Bounds> {
    type Record = Bounds;
    type Walker<S: Simd> = Reach<S>;
    const BYTES: usize = size_of::<Bounds>();

    fn make_room(&mut self, records: usize) -> Result<()> {
        Ok(memory::make_scratch(self, records + GROUP, "the grid")?)
    }

    fn unfilled(&mut self) -> &mut [Bounds] {
        self
    }

    fn fill(&mut self, records: usize) -> Result<()> {
        self[records..].fill(Bounds::zeroed());
        Ok(())
    }

    #[inline(always)]
    fn record(&self, position: usize) -> Bounds {
        self[position]
    }

    fn bytes(&self) -> usize {
        self.capacity() * size_of::<Bounds>()
    }

    #[inline(always)]
    fn walker<S: Simd>(simd: S, record: &Bounds) -> Reach<S> {
        Reach::of(simd, record)
    }

    #[inline(always)]
    fn meet<S: Simd>(
        &self,
        walker: &Reach<S>,
        number: u32,
        row: Row,
        hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
    ) {
        let records = row.records.clone();
        match row.shared {
            true => scan(self, walker, number, records, |group| row.mask(group), hits),
            false => scan(self, walker, number, records, |_| usize::MAX, hits),
        }
    }

    #[inline(always)]
    fn meet_runs<S: Simd, const RUNS: usize>(
        &self,
        walker: &Reach<S>,
        number: u32,
        runs: [Run; RUNS],
        hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
    ) {
        for Run { first, count } in runs {
            let records = first as usize..(first + count) as usize;
            scan(self, walker, number, records, |_| usize::MAX, hits);
        }
    }
}

/// Adds the records in a range that a walker meets and that are in the mask of their group. The
/// range may end in the last group's extra records.
#[inline(always)]
pub(crate) fn scan<S: Simd>(
    records: &[Bounds],
    walker: &Reach<S>,
    number: u32,
    range: Range<usize>,
    mask_of: impl Fn(&[Bounds; GROUP]) -> usize,
    hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
) {
    let within = |left: usize| (1 << left.min(GROUP)) - 1;
    let (mut base, mut left) = (u32x4::splat(range.start as u32), range.len());
    // Most rows have one group, or none, which is treated as one: that is easier to predict.
    if left <= GROUP {
        if let Some(group) = records[range.start..].first_chunk() {
            let mask = walker.meets(group) & mask_of(group) & within(left);
            hits.room_for_candidates(GROUP).put(number, base, mask);
        }
        return;
    }
    let groups = &records[range.start..].as_chunks::<GROUP>().0[..left.div_ceil(GROUP)];
    for piece in groups.chunks(PIECE) {
        let candidates = hits.room_for_candidates(PIECE * GROUP);
        for group in piece {
            let mask = walker.meets(group) & mask_of(group) & within(left);
            candidates.put(number, base, mask);
            base += u32x4::splat(GROUP as u32);
            left = left.wrapping_sub(GROUP);
        }
    }
}
