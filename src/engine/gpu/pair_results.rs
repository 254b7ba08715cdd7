//! Results that stay on the GPU, made from the pairs of a recorded frame: sorted pairs and
//! adjacency.

use crate::base::error::{Error, Result};
use crate::device::buffers::{Arena, Resources, Slot, Uniforms};
use crate::device::context::Context;
use crate::device::dispatch::{Kernels, Run};
use crate::engine::gpu::recorded::{Recorded, Sets};
use crate::frame::outcome::OUTCOME;
use crate::frame::radix_sort::{Digit, most_records};
use crate::geometry::pair::Pair;
use crate::outputs::adjacency::{
    AdjacencyWork, BY_A, BY_B, FIND_ROWS, NEIGHBOURS, NUMBERS, OFFSETS, OFFSETS_OF_A, PLACE_NEIGHBOURS, ROWS, Rows,
};
use crate::outputs::image_pairs::{IMAGE_PAIRS, IMAGES_OF_PAIRS, ImagePairWork, NAME_BODIES, OF_BODIES, TURNED_PAIRS};
use crate::outputs::sort_pairs::{
    self, COUNT_DIGITS, COUNT_DIGITS_OF_BODIES, DIGIT, PLACE_BODIES_BY_SUBGROUPS, PLACE_BODIES_BY_WORKGROUPS,
    PLACE_BY_SUBGROUPS, PLACE_BY_WORKGROUPS, SCAN_BLOCKS, SCAN_TOTALS, SORTED, SortWork, UNSORTED,
};

/// The result of [`AdjacencyOf`](crate::gpu::AdjacencyOf): the partners of every box. The buffers
/// can be bound as storage buffers and copied from.
///
/// Like those of [`Recorded`], they belong to the checker, and the next adjacency overwrites them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedAdjacency {
    /// The start of each row in `neighbours`, and the end of the last, as `u32`: one more than
    /// there are rows. The buffer may be longer.
    pub offsets: wgpu::Buffer,
    /// The partners of all boxes, as `u32`: those of box `i` are at `offsets[i]..offsets[i + 1]`,
    /// ascending.
    pub neighbours: wgpu::Buffer,
    /// The position in [`Recorded::pairs`] of each of the pairs of `neighbours`, as `u32`. It gives
    /// a box access to its own contacts, closest points and overlaps, if they are recorded after
    /// the adjacency.
    pub pairs: wgpu::Buffer,
    /// The number of rows.
    pub rows: u32,
}

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
        let own = [
            &SCRATCH,
            &OFFSETS,
            &OFFSETS_OF_A,
            &NEIGHBOURS,
            &NUMBERS,
            &OF_BODIES,
            &TURNED_PAIRS,
        ];
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
        if recorded.images.is_some() {
            new |= self.arena.reserve(context, &OF_BODIES, needed)?;
            new |= self.arena.reserve(context, &TURNED_PAIRS, needed)?;
        }
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

    /// Records the sort of the pairs of a frame if they are unsorted, and the rows of an adjacency
    /// if they are requested.
    pub(super) fn record(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        (recorded, sets): (&Recorded, Sets),
        unsorted: bool,
        rows: Option<Rows>,
    ) -> Result<()> {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("obbligato results"),
            timestamp_writes: None,
        });
        if unsorted {
            self.sort_pairs(context, &mut pass, recorded, sets)?;
        }
        match rows {
            None => Ok(()),
            Some(rows) => self.find_rows(context, &mut pass, (recorded, sets), rows),
        }
    }

    /// Records the sort of the pairs of a frame, and the names of their bodies if there are images.
    fn sort_pairs(
        &mut self,
        context: &Context,
        pass: &mut wgpu::ComputePass,
        recorded: &Recorded,
        sets: Sets,
    ) -> Result<()> {
        let scratch = self.arena.buffer(&SCRATCH)?.clone();
        for (k, digit) in Digit::of_pairs(sets.sizes).into_iter().enumerate() {
            let way = match k % 2 {
                0 => [&recorded.pairs, &scratch],
                _ => [&scratch, &recorded.pairs],
            };
            self.sort(context, pass, (recorded, recorded.images.as_ref()), digit, way)?;
        }
        match &recorded.images {
            None => Ok(()),
            Some(images) => self.name_bodies(context, pass, recorded, images),
        }
    }

    /// Returns the sorted pairs of the last frame by the positions of their bodies.
    pub fn pairs_of_bodies(&self, recorded: &Recorded) -> Result<wgpu::Buffer> {
        match recorded.images {
            None => Ok(recorded.pairs.clone()),
            Some(_) => self.arena.buffer(&OF_BODIES).cloned(),
        }
    }

    /// Returns the pairs of the last frame that are turned, if there are images.
    pub fn turned(&self, recorded: &Recorded) -> Result<Option<wgpu::Buffer>> {
        let of_images = recorded.images.as_ref();
        of_images.map(|_| self.arena.buffer(&TURNED_PAIRS).cloned()).transpose()
    }

    /// Records the names of the bodies of sorted pairs.
    fn name_bodies(
        &mut self,
        context: &Context,
        pass: &mut wgpu::ComputePass,
        recorded: &Recorded,
        images: &wgpu::Buffer,
    ) -> Result<()> {
        let resources = Resources::new(&self.arena)
            .with_buffer(&OUTCOME, &recorded.outcome)
            .with_buffer(&IMAGE_PAIRS, &recorded.pairs)
            .with_buffer(&IMAGES_OF_PAIRS, images);
        let run = Run {
            context,
            resources: &resources,
            constants: &[],
            work: &ImagePairWork {
                most_pairs: capacity(recorded),
            },
            guest: None,
            sizes: None,
        };
        self.kernels.run(pass, &NAME_BODIES, &run)
    }

    /// Records the rows of an adjacency of sorted pairs.
    fn find_rows(
        &mut self,
        context: &Context,
        pass: &mut wgpu::ComputePass,
        (recorded, sets): (&Recorded, Sets),
        rows: Rows,
    ) -> Result<()> {
        let by_a = self.pairs_of_bodies(recorded)?;
        let [scratch, spare] = [&SCRATCH, &NEIGHBOURS].map(|slot| self.arena.buffer(slot).cloned());
        let (scratch, spare) = (scratch?, spare?);
        let turned = rows.of_b > 0;
        if turned {
            // The pairs also stay in their own buffer. The buffer of neighbours is written last, so
            // until then it serves for pairs.
            let digits = Digit::of_b(sets.sizes[1]);
            let mut from = &by_a;
            for (left, digit) in (0..digits.len()).rev().zip(digits) {
                let to = if left % 2 == 0 { &scratch } else { &spare };
                self.sort(context, pass, (recorded, None), digit, [from, to])?;
                from = to;
            }
        }
        let rows_buffer = self.uniforms.with(context, ROWS.label, &rows)?;
        let resources = Resources::new(&self.arena)
            .with_buffer(&ROWS, &rows_buffer)
            .with_buffer(&OUTCOME, &recorded.outcome)
            .with_buffer(&BY_A, &by_a)
            .with_buffer(&BY_B, if turned { &scratch } else { &by_a });
        let most_pairs = capacity(recorded);
        let run = Run {
            context,
            resources: &resources,
            constants: &[],
            work: &AdjacencyWork { rows, most_pairs },
            guest: None,
            sizes: None,
        };
        self.kernels.run(pass, &FIND_ROWS, &run)?;
        self.kernels.run(pass, &PLACE_NEIGHBOURS, &run)
    }

    /// Records a pass of the sort, from one buffer to another: by the digits of the pairs, or of
    /// their bodies if there are images.
    fn sort(
        &mut self,
        context: &Context,
        pass: &mut wgpu::ComputePass,
        (recorded, images): (&Recorded, Option<&wgpu::Buffer>),
        digit: Digit,
        [from, to]: [&wgpu::Buffer; 2],
    ) -> Result<()> {
        let work = SortWork {
            digit,
            most_pairs: capacity(recorded),
        };
        let digit = self.uniforms.with(context, DIGIT.label, &digit)?;
        let mut resources = Resources::new(&self.arena)
            .with_buffer(&DIGIT, &digit)
            .with_buffer(&OUTCOME, &recorded.outcome)
            .with_buffer(&UNSORTED, from)
            .with_buffer(&SORTED, to);
        if let Some(images) = images {
            resources = resources.with_buffer(&IMAGES_OF_PAIRS, images);
        }
        let run = Run {
            context,
            resources: &resources,
            constants: &[],
            work: &work,
            guest: None,
            sizes: None,
        };
        let [count, place] = match (images.is_some(), context.sorts_by_subgroups) {
            (false, true) => [&COUNT_DIGITS, &PLACE_BY_SUBGROUPS],
            (false, false) => [&COUNT_DIGITS, &PLACE_BY_WORKGROUPS],
            (true, true) => [&COUNT_DIGITS_OF_BODIES, &PLACE_BODIES_BY_SUBGROUPS],
            (true, false) => [&COUNT_DIGITS_OF_BODIES, &PLACE_BODIES_BY_WORKGROUPS],
        };
        for kernel in [count, &SCAN_BLOCKS, &SCAN_TOTALS, place] {
            self.kernels.run(pass, kernel, &run)?;
        }
        Ok(())
    }
}
