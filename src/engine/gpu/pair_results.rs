//! Results that stay on the GPU, made from the pairs of a recorded frame: sorted pairs and
//! adjacency.

use crate::base::error::{Error, Result};
use crate::device::buffers::{Arena, Resources, Slot, Uniforms};
use crate::device::context::Context;
use crate::device::dispatch::{Kernels, Run};
use crate::engine::gpu::recorded::{Recorded, RecordedAdjacency, Sets};
use crate::frame::outcome::OUTCOME;
use crate::frame::radix_sort::{Digit, most_records};
use crate::geometry::pair::Pair;
use crate::outputs::adjacency::{
    AdjacencyWork, BY_A, BY_B, FIND_ROWS, NEIGHBOURS, NUMBERS, OFFSETS, OFFSETS_OF_A, PLACE_NEIGHBOURS, ROWS, Rows,
};
use crate::outputs::sort_pairs::{
    self, COUNT_DIGITS, DIGIT, PLACE_BY_SUBGROUPS, PLACE_BY_WORKGROUPS, SCAN_BLOCKS, SCAN_TOTALS, SORTED, SortWork,
    UNSORTED,
};

/// Returns the number of pairs that the buffer of a frame can hold.
fn capacity(recorded: &Recorded) -> u64 {
    recorded.pairs.size() / size_of::<Pair>() as u64
}

/// The kernels and the memory of both.
pub(crate) struct PairResults {
    kernels: Kernels,
    arena: Arena,
    uniforms: Uniforms,
}

/// As long as the list of pairs, which alternate between the two buffers while they are sorted.
static SCRATCH: Slot = Slot::of::<Pair>("pairs", "pairs being sorted");

impl PairResults {
    pub fn new(context: &Context) -> Result<Self> {
        let own = [&SCRATCH, &OFFSETS, &OFFSETS_OF_A, &NEIGHBOURS, &NUMBERS];
        let of_sort = sort_pairs::BUFFERS.iter().map(|owned| owned.slot);
        let mut arena = Arena::new(context, own.into_iter().chain(of_sort))?;
        arena.reserve_all(context, sort_pairs::BUFFERS, &())?;
        Ok(Self {
            kernels: Kernels::default(),
            arena,
            uniforms: Uniforms::default(),
        })
    }

    /// Returns the buffers of an adjacency with this many rows.
    pub fn adjacency(&self, rows: u32) -> Result<RecordedAdjacency> {
        Ok(RecordedAdjacency {
            offsets: self.arena.buffer(&OFFSETS)?.clone(),
            neighbours: self.arena.buffer(&NEIGHBOURS)?.clone(),
            pairs: self.arena.buffer(&NUMBERS)?.clone(),
            rows,
        })
    }

    /// Returns the number of bytes of GPU memory held.
    pub fn bytes(&self) -> u64 {
        self.arena.bytes()
    }

    /// Reserves memory for the results of a frame.
    pub fn reserve(&mut self, context: &Context, recorded: &Recorded, rows: Option<Rows>) -> Result<()> {
        let (needed, available) = (capacity(recorded), most_records(context.max_workgroups));
        if needed > available {
            return Err(Error::LimitExceeded {
                what: "a sort of the reserved pairs".to_owned(),
                needed,
                available,
                hint: "raise `GpuConfig::max_workgroups_per_dimension`, or reserve fewer pairs",
            });
        }
        let mut new = self.arena.reserve(context, &SCRATCH, needed)?;
        if let Some(rows) = rows {
            let ends = u64::from(rows.count) + 1;
            new |= self.arena.reserve(context, &OFFSETS, ends)?;
            new |= self.arena.reserve(context, &OFFSETS_OF_A, ends)?;
            // Two neighbours per pair take as much memory as a pair. Until the neighbours are
            // written, the buffer serves for pairs.
            new |= self.arena.reserve(context, &NEIGHBOURS, 2 * needed)?;
            new |= self.arena.reserve(context, &NUMBERS, 2 * needed)?;
        }
        if new {
            self.kernels.forget_bindings();
        }
        Ok(())
    }

    pub(super) fn record(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        recorded: &Recorded,
        sets: Sets,
        rows: Option<Rows>,
    ) -> Result<()> {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("obbligato results"),
            timestamp_writes: None,
        });
        let most_pairs = capacity(recorded);
        let (scratch, spare) = (
            self.arena.buffer(&SCRATCH)?.clone(),
            self.arena.buffer(&NEIGHBOURS)?.clone(),
        );
        for (k, digit) in Digit::of_pairs(sets.sizes).into_iter().enumerate() {
            let way = match k % 2 {
                0 => [&recorded.pairs, &scratch],
                _ => [&scratch, &recorded.pairs],
            };
            self.sort(
                context,
                &mut pass,
                &recorded.outcome,
                SortWork { digit, most_pairs },
                way,
            )?;
        }
        let Some(rows) = rows else {
            return Ok(());
        };
        let turned = rows.of_b > 0;
        if turned {
            // The pairs also stay in their own buffer. The buffer of neighbours is written last, so
            // until then it serves for pairs.
            let digits = Digit::of_b(sets.sizes[1]);
            let mut from = &recorded.pairs;
            for (left, digit) in (0..digits.len()).rev().zip(digits) {
                let to = if left % 2 == 0 { &scratch } else { &spare };
                let work = SortWork { digit, most_pairs };
                self.sort(context, &mut pass, &recorded.outcome, work, [from, to])?;
                from = to;
            }
        }
        let rows_buffer = self.uniforms.with(context, ROWS.label, &rows)?;
        let resources = Resources::new(&self.arena)
            .with_buffer(&ROWS, &rows_buffer)
            .with_buffer(&OUTCOME, &recorded.outcome)
            .with_buffer(&BY_A, &recorded.pairs)
            .with_buffer(&BY_B, if turned { &scratch } else { &recorded.pairs });
        let run = Run {
            context,
            resources: &resources,
            constants: &[],
            work: &AdjacencyWork { rows, most_pairs },
            guest: None,
            sizes: None,
        };
        self.kernels.run(&mut pass, &FIND_ROWS, &run)?;
        self.kernels.run(&mut pass, &PLACE_NEIGHBOURS, &run)
    }

    /// Records a pass of the sort, from one buffer to another.
    fn sort(
        &mut self,
        context: &Context,
        pass: &mut wgpu::ComputePass,
        outcome: &wgpu::Buffer,
        work: SortWork,
        [from, to]: [&wgpu::Buffer; 2],
    ) -> Result<()> {
        let digit = self.uniforms.with(context, DIGIT.label, &work.digit)?;
        let resources = Resources::new(&self.arena)
            .with_buffer(&DIGIT, &digit)
            .with_buffer(&OUTCOME, outcome)
            .with_buffer(&UNSORTED, from)
            .with_buffer(&SORTED, to);
        let run = Run {
            context,
            resources: &resources,
            constants: &[],
            work: &work,
            guest: None,
            sizes: None,
        };
        let place = match context.sorts_by_subgroups {
            true => &PLACE_BY_SUBGROUPS,
            false => &PLACE_BY_WORKGROUPS,
        };
        for kernel in [&COUNT_DIGITS, &SCAN_BLOCKS, &SCAN_TOTALS, place] {
            self.kernels.run(pass, kernel, &run)?;
        }
        Ok(())
    }
}
