//! The counting sort of [`grid_build_cpu`] for bodies whose bounds are quickly computed: it moves
//! the bodies instead of their bounds.
//!
//! The narrow phase needs the bodies in the order of the grid. Copying each to its place after
//! their bounds are sorted waits for memory once a body, because neighbours in the grid are far
//! apart in the caller's list. Moved by the two steps of the sort, bodies stay in the caches, and
//! computing their bounds again takes less time than moving them along.
//!
//! [`grid_build_cpu`]: super::grid_build_cpu

use fearless_simd::prelude::*;
use glam::Vec3;

use crate::base::error::Result;
use crate::base::lanes::{self, Simd, axes, dispatch};
use crate::base::{memory, parallel};
use crate::broad_phase::bounded::{Bounded, Compared, LaneBounds, MOST_LANES};
use crate::broad_phase::grid::bodies_by_bucket::{CHUNK, Scratch, Sort, Statistics};
use crate::broad_phase::grid::bodies_by_slot::{Chunks, Part};
use crate::broad_phase::grid::columns::Columns;
use crate::broad_phase::grid::grid_build_cpu::{Buckets, Grid};
use crate::broad_phase::grid::grid_probe_cpu::Sample;
use crate::broad_phase::grid::layout::MAX_SLOTS_PER_BOX;
use crate::geometry::bounds::Gather;
use crate::geometry::scene_stats::Gathered;

/// Label for out-of-memory errors.
const WHAT: &str = "the grid";

/// Bodies in the order of a grid.
pub(crate) struct SortedBodies<B> {
    /// The bodies, by position.
    pub bodies: Vec<B>,
    /// The bodies of each chunk, sorted by bucket.
    parted: Vec<B>,
    /// For each box of a chunk, in the order of `parted`: its slot within its bucket with its
    /// number within the chunk, and its key. Then the start of the bodies of each bucket, and the
    /// end of the last bucket's.
    numbers: Vec<u32>,
    scratch: Vec<Scratch>,
}

impl<B> Default for SortedBodies<B> {
    fn default() -> Self {
        Self {
            bodies: Vec::new(),
            parted: Vec::new(),
            numbers: Vec::new(),
            scratch: Vec::new(),
        }
    }
}

impl<B: Bounded> SortedBodies<B> {
    /// Returns the maximum number of bytes held, with those of a grid of this many bodies.
    pub fn bytes_for<const N: usize>(bodies: u64) -> u64
    where
        B: Compared<N>,
    {
        let slots = bodies * MAX_SLOTS_PER_BOX as u64;
        let chunks = bodies.div_ceil(CHUNK as u64);
        let numbers = chunks * (2 * CHUNK as u64 + Buckets::most(slots) + 1);
        let of_thread = CHUNK * size_of::<[u32; 2]>() + size_of::<Scratch>();
        let scratch = chunks.min(parallel::threads() as u64) * of_thread as u64;
        let of_body = 2 * size_of::<B>() + Columns::<N>::BYTES;
        bodies * of_body as u64 + (slots + numbers) * size_of::<u32>() as u64 + scratch
    }

    /// Returns the number of bytes held.
    pub fn bytes(&self) -> u64 {
        let bodies = self.bodies.capacity() + self.parted.capacity();
        let placed = self.scratch.iter().map(|scratch| scratch.placed.capacity());
        let words = self.numbers.capacity() + 2 * placed.sum::<usize>();
        (bodies * size_of::<B>() + words * size_of::<u32>() + self.scratch.len() * size_of::<Scratch>()) as u64
    }

    /// Sets each of some samples of a probe to the low corner of the bounds of a body and its id,
    /// given the first body and the number of bodies from one to the next.
    pub fn read(bodies: &[B], margin: impl Fn(u32) -> f32, (first, stride): (usize, usize), samples: &mut [Sample]) {
        dispatch!(lanes::level(), simd => read(simd, bodies, &margin, (first, stride), samples));
    }

    /// The first step of the sort: sorts chunks of bodies by bucket. If `GATHER` is set, bodies may
    /// be invalid, and the statistics of their bounds are gathered.
    pub fn sort_by_bucket<const GATHER: bool, const N: usize>(
        &mut self,
        grid: &mut Grid<N>,
        sort: &Sort<B, impl Fn(u32) -> f32 + Sync + Send>,
    ) -> Result<()> {
        let Sort { bodies, places, .. } = sort;
        grid.begin(places.plan, bodies.len(), places.rules)?;
        let chunks = bodies.len().div_ceil(CHUNK);
        memory::make_scratch(&mut self.parted, bodies.len(), WHAT)?;
        memory::make_scratch(&mut self.numbers, chunks * sort.numbers(), WHAT)?;
        self.scratch
            .resize_with(chunks.min(parallel::threads()), Scratch::default);
        for Scratch { placed, statistics } in &mut self.scratch {
            memory::make_scratch(placed, bodies.len().min(CHUNK), WHAT)?;
            *statistics = Statistics::default();
        }
        parallel::chunks_with(
            &mut self.scratch,
            [CHUNK, sort.numbers()],
            &mut self.parted,
            &mut self.numbers,
            |first, parted, numbers, scratch| sort.partition::<GATHER>(first, parted, numbers, scratch),
        );
        Ok(())
    }

    /// Returns the statistics that the first step gathered, and whether all bodies are certainly
    /// valid.
    pub fn gathered(&mut self) -> (Gathered, bool) {
        let (mut all, mut is_valid) = (Gathered::default(), true);
        for Scratch { statistics, .. } in &mut self.scratch {
            is_valid &= !statistics.is_suspect;
            for gathered in std::mem::take(&mut statistics.gathered) {
                all = all.merge(gathered);
            }
        }
        (all, is_valid)
    }

    /// The second step of the sort: sorts the bodies of each bucket into the grid.
    pub fn sort_by_slot<const N: usize>(
        &mut self,
        grid: &mut Grid<N>,
        sort: &Sort<B, impl Fn(u32) -> f32 + Sync + Send>,
    ) -> Result<()>
    where
        B: Compared<N>,
    {
        grid.records.clear();
        memory::make_scratch(&mut self.bodies, sort.bodies.len(), WHAT)?;
        let (ids, lists) = grid.columns.make_room(sort.bodies.len())?;
        let whole = Part {
            bucket: 0,
            first: 0,
            bodies: &mut self.bodies,
            ids,
            lists,
            starts: &mut grid.slot_starts[..sort.places.plan.slots as usize],
        };
        let chunks = Chunks {
            parted: &self.parted,
            numbers: &self.numbers,
            buckets: sort.buckets,
            len: sort.numbers(),
        };
        let split = |part, bucket| Part::split(part, bucket, &chunks);
        parallel::divide(0..sort.buckets.count, whole, &split, &|bucket, part| {
            sort.sort_bucket(part, &chunks, bucket);
        });
        Ok(())
    }
}

#[inline(always)]
fn read<S: Simd, B: Bounded>(
    simd: S,
    bodies: &[B],
    margin: &impl Fn(u32) -> f32,
    (first, stride): (usize, usize),
    samples: &mut [Sample],
) {
    let mut some = [B::zeroed(); MOST_LANES];
    for (k, samples) in samples.chunks_mut(S::f32s::LEN).enumerate() {
        let id = |lane: usize| first + (k * S::f32s::LEN + lane) * stride;
        let some = &mut some[..samples.len()];
        for (lane, body) in some.iter_mut().enumerate() {
            *body = bodies[id(lane)];
        }
        let LaneBounds { low, .. } = B::bounds(simd, some, |lane| margin(id(lane) as u32));
        for (lane, sample) in samples.iter_mut().enumerate() {
            let low = axes!(|axis| low[axis].as_slice()[lane]);
            *sample = (Vec3::from_array(low), id(lane) as u32);
        }
    }
}
