//! The GPU's memory: buffers that grow and are kept, and the small records that drive the kernels.

use std::mem::offset_of;
use std::sync::atomic::Ordering::Relaxed;

use bytemuck::{Pod, Zeroable};

use crate::base::config::{Config, Output, Precision};
use crate::base::error::{Error, Result};
use crate::base::memory::MemoryEstimate;
use crate::broad_phase::grid::grid_build::Place;
use crate::broad_phase::grid::layout::{BLOCK, MAX_LEVELS, MAX_SLOTS_PER_BOX, Plan, SizeGroups, probe_size};
use crate::broad_phase::grid::statistics::SceneStats;
use crate::device::context::Context;
use crate::device::limits::DeviceLimits;
use crate::device::segments;
use crate::device::segments::{BOUNDS_SEGMENTS, BOX_SEGMENTS, Segments};
use crate::engine::findings::Results;
use crate::engine::gpu::parts;
use crate::engine::gpu::resident::Outcome;
use crate::engine::gpu::scene::SceneAtRest;
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::MAX_BOXES;
use crate::geometry::pair::Pair;
use crate::narrow_phase::obb_obb::narrow_plan::Dispatches;
use crate::shapes::obb::record::Obb;

/// What a frame works on: `struct Params` of `shaders/shared/common.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Params {
    /// Boxes in the scene.
    pub box_count: u32,
    /// The first record whose pairs are looked for.
    pub range_first: u32,
    /// Records whose pairs are looked for.
    pub range_count: u32,
    /// Candidate pairs that can be written.
    pub candidate_capacity: u32,
    /// A range with more candidate pairs is not tested: the host makes room, or divides the range, and comes back.
    pub most_candidates: u32,
    /// 1 if what fits is tested, though not everything may fit: in recorded frames, to which nobody comes back.
    pub partial: u32,
    /// Colliding pairs that can be written.
    pub pair_capacity: u32,
    /// Undecided pairs that can be written.
    pub undecided_capacity: u32,
    /// What is wanted: [`Params::PAIRS`], [`Params::DEGREES`] or [`Params::COUNT`].
    pub output: u32,
    /// How undecided pairs are settled: [`Precision`] as a number.
    pub exactness: u32,
    /// 1 if the range has been through f32 before, which has counted its pairs in the degrees; else 0.
    pub again: u32,
    /// Boxes the probe takes.
    pub probe_samples: u32,
    /// Slots of the probe's table for each size group.
    pub probe_slots: u32,
    /// 1 if undecided pairs are tested in f64.
    pub has_f64: u32,
    /// 1 if a pair is one of a box at rest and a mover, and the movers are the boxes that degrees are of: the narrow phase has
    /// them in the second segment of its boxes, and those at rest in the first. Else 0.
    pub movers: u32,
    /// Boxes in a full segment, if they are [`Obb`]s.
    pub box_segment: u32,
    /// Bounds, or records, in a full segment.
    pub bounds_segment: u32,
    /// 1 if there are boxes of several worlds.
    pub worlds: u32,
    /// Pairs no further apart than this are looked for.
    pub margin: f32,
    /// What bounds are widened by for it.
    pub half_margin: f32,
}

impl Params {
    pub const PAIRS: u32 = 0;
    pub const DEGREES: u32 = 1;
    pub const COUNT: u32 = 2;
    /// [`Precision::Exact`] as a number.
    pub const EXACT: u32 = 0;

    /// Whether bounds and records are in more than one segment.
    pub fn is_split(&self) -> bool {
        self.box_count > self.bounds_segment
    }

    /// The number of an output in the shaders.
    pub fn output_of(output: Output) -> u32 {
        match output {
            Output::Pairs => Self::PAIRS,
            Output::Degrees => Self::DEGREES,
            Output::Count => Self::COUNT,
        }
    }

    /// The number of a precision in the shaders.
    pub fn exactness_of(precision: Precision) -> u32 {
        match precision {
            Precision::Exact => Self::EXACT,
            Precision::Fast => 1,
            Precision::Conservative => 2,
        }
    }
}

/// What is counted in a frame: `counters` of the shaders. Counts of pairs go on past the capacities.
///
/// Each frame begins with zeros (of movers, with what is known of the boxes at rest), a range with zeros from `candidates` on, and another test of the same candidates with
/// zeros from `pairs` on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Counters {
    /// Boxes that may be invalid.
    pub suspects: u32,
    /// Records that have been given a place.
    pub placed: u32,
    /// 1 if there are boxes that are turned otherwise than about z, else 0.
    pub tilted: u32,
    /// Candidate pairs, modulo 2^32.
    pub candidates: u32,
    /// 1 if there are 2^32 candidate pairs or more, 2 if a driver has ended the loops that look for them.
    pub too_many: u32,
    /// Rows of cells looked up, the low half first; 0 if that is not asked for.
    pub rows: [u32; 2],
    /// Bounds compared, likewise.
    pub comparisons: [u32; 2],
    /// Overlapping pairs.
    pub pairs: u32,
    /// Pairs that f32 could not decide.
    pub undecided: u32,
    /// Of these, the pairs that f64 could not decide either.
    pub unclear: u32,
    /// Of the overlapping pairs, those that are only within the margin.
    pub near: u32,
}

impl Counters {
    /// Bytes of one.
    pub const EACH: u64 = size_of::<u32>() as u64;
    /// Where [`Counters::tilted`] is.
    pub const TILTED: u64 = offset_of!(Self, tilted) as u64;
    /// Where those of a range of records begin.
    pub const OF_RANGE: u64 = offset_of!(Self, candidates) as u64;
    /// Where those of the narrow phase begin.
    pub const OF_NARROW: u64 = offset_of!(Self, pairs) as u64;
    /// Where they end.
    pub const END: u64 = size_of::<Self>() as u64;
}

/// Bytes of a buffer of `now` bytes that has grown to hold `needed`.
fn grown(now: u64, needed: u64, most: u64) -> u64 {
    match needed <= now {
        true => now,
        false => needed.max(now * 3 / 2).next_multiple_of(16).min(most),
    }
}

/// A storage buffer that grows.
pub(crate) struct GrowingBuffer {
    label: &'static str,
    buffer: wgpu::Buffer,
}

impl GrowingBuffer {
    /// Bytes of a new one: bindings are at least as large as a record.
    pub const LEAST: u64 = 64;

    pub async fn new(context: &Context, label: &'static str) -> Result<Self> {
        Ok(Self {
            label,
            buffer: context.storage_buffer(label, Self::LEAST).await?,
        })
    }

    /// Makes room for `bytes`, and says whether that took a new buffer. What was in it is lost then.
    ///
    /// Growth is by half at least, so that scenes which grow slowly do not allocate at every step.
    pub async fn reserve(&mut self, context: &Context, bytes: u64) -> Result<bool> {
        if bytes <= self.buffer.size() {
            return Ok(false);
        }
        if bytes > context.max_buffer_bytes {
            return Err(Error::LimitExceeded {
                what: format!("the buffer of {}", self.label),
                needed: bytes,
                available: context.max_buffer_bytes,
                hint: "raise `GpuConfig::max_buffer_bytes`, check fewer boxes at once, or use the CPU backend",
            });
        }
        let old = self.buffer.size();
        let size = grown(old, bytes, context.max_buffer_bytes);
        // Not both at once; so if there is no room for the new one, there is for the old one. But what the caller has
        // recorded and not submitted yet may still need the old one.
        let needed = context.recorded.load(Relaxed);
        if !needed {
            self.buffer.destroy();
        }
        match context.storage_buffer(self.label, size).await {
            Ok(buffer) => self.buffer = buffer,
            Err(error) => {
                if !needed {
                    self.buffer = context.storage_buffer(self.label, old).await?;
                }
                return Err(error);
            }
        }
        Ok(true)
    }

    /// Items of `T` it holds.
    pub fn capacity<T>(&self) -> u32 {
        (self.buffer.size() / size_of::<T>() as u64).min(u64::from(u32::MAX / 2)) as u32
    }
}

impl std::ops::Deref for GrowingBuffer {
    type Target = wgpu::Buffer;

    fn deref(&self) -> &wgpu::Buffer {
        &self.buffer
    }
}

/// What a frame takes in, beside what the pipeline has.
pub(crate) struct Inputs<'a> {
    /// [`Params`].
    pub params: &'a wgpu::Buffer,
    /// [`Obb`]s or [`Aabb`](crate::Aabb)s, in segments.
    pub boxes: Vec<wgpu::BufferBinding<'a>>,
    /// What they are checked against if they are movers.
    pub at_rest: Option<&'a SceneAtRest>,
    /// The lists of rules about what a pair's a and its b name; anything if there are none. See `rule_lists.rs`.
    pub rules: [&'a wgpu::Buffer; 2],
}

impl Inputs<'_> {
    /// The segments of the [`Obb`]s that pairs name: those of a scene, or one at rest and one that moves.
    pub fn tested(&self) -> Vec<wgpu::BufferBinding<'_>> {
        let mut boxes = self.boxes.clone();
        if let Some(scene) = self.at_rest {
            boxes.rotate_right(1);
            boxes[0] = scene.boxes.as_entire_buffer_binding();
        }
        boxes
    }
}

/// All buffers of the pipeline but [`Params`]. For n boxes, c candidate, p colliding and u undecided pairs of a range:
pub(crate) struct Buffers {
    /// n [`Obb`]s, as the caller gave them, unless they are in a buffer of the caller's.
    pub boxes: Segments,
    /// n [`Bounds`], in the same order.
    pub bounds: Segments,
    /// [`SceneStats`].
    pub stats: wgpu::Buffer,
    /// [`SizeGroups`].
    pub groups: wgpu::Buffer,
    /// The probe's tables, one for each size group.
    pub probe_table: GrowingBuffer,
    /// [`Plan`].
    pub plan: wgpu::Buffer,
    /// n [`Place`]s.
    pub places: GrowingBuffer,
    /// Up to 4n counts by slot; all zero between frames.
    pub slot_counts: GrowingBuffer,
    /// Where each slot's records begin, and where each block's end.
    pub slot_starts: GrowingBuffer,
    /// n [`Bounds`], sorted by slot.
    pub records: Segments,
    /// c [`Pair`]s, in any order.
    pub candidates: GrowingBuffer,
    /// p [`Pair`]s.
    pub pairs: GrowingBuffer,
    /// u [`Pair`]s.
    pub undecided: GrowingBuffer,
    /// u [`Pair`]s, if the device has f64.
    pub unclear: GrowingBuffer,
    /// n degrees, if they are wanted.
    pub degrees: GrowingBuffer,
    /// The list of rules about what is uploaded, if there are any.
    pub rules: GrowingBuffer,
    /// [`Counters`].
    pub counters: wgpu::Buffer,
    /// [`Dispatches`].
    pub dispatches: wgpu::Buffer,
    /// [`Outcome`].
    pub outcome: wgpu::Buffer,
    /// What the host reads back.
    pub staging: Staging,
}

impl Buffers {
    pub async fn new(context: &Context) -> Result<Self> {
        let fixed = async |label, bytes: usize| context.storage_buffer(label, bytes as u64).await;
        let growing = async |label| GrowingBuffer::new(context, label).await;
        Ok(Self {
            boxes: Segments::new(context, "boxes", BOX_SEGMENTS).await?,
            bounds: Segments::new(context, "bounds", BOUNDS_SEGMENTS).await?,
            stats: fixed("scene statistics", size_of::<SceneStats>()).await?,
            groups: fixed("size groups", size_of::<SizeGroups>()).await?,
            probe_table: growing("probe table").await?,
            plan: fixed("grid plan", size_of::<Plan>()).await?,
            places: growing("places").await?,
            slot_counts: growing("slot counts").await?,
            slot_starts: growing("slot starts").await?,
            records: Segments::new(context, "records", BOUNDS_SEGMENTS).await?,
            candidates: growing("candidate pairs").await?,
            pairs: growing("colliding pairs").await?,
            undecided: growing("undecided pairs").await?,
            unclear: growing("pairs undecided in f64").await?,
            degrees: growing("degrees").await?,
            rules: growing("rules").await?,
            counters: fixed("counters", size_of::<Counters>()).await?,
            dispatches: context
                .buffer(
                    "dispatches of the narrow phase",
                    size_of::<Dispatches>() as u64,
                    Dispatches::USAGE,
                )
                .await?,
            outcome: context
                .buffer("outcome", size_of::<Outcome>() as u64, Outcome::USAGE)
                .await?,
            staging: Staging::new(context).await?,
        })
    }

    /// Makes room for what is made of `boxes` boxes, and says whether any buffer is new.
    pub async fn reserve_boxes(&mut self, context: &Context, boxes: usize, output: Output) -> Result<bool> {
        let bytes = BoxBytes::of(context.max_buffer_bytes, boxes, output);
        let full = context.limits().bounds_segment_bytes();
        let mut grown = self.probe_table.reserve(context, bytes.probe_table).await?;
        grown |= self.bounds.reserve(context, bytes.bounds, full).await?;
        grown |= self.records.reserve(context, bytes.records, full).await?;
        grown |= self.places.reserve(context, bytes.places).await?;
        grown |= self.slot_counts.reserve(context, bytes.slot_counts).await?;
        grown |= self.slot_starts.reserve(context, bytes.slot_starts).await?;
        grown |= self.degrees.reserve(context, bytes.degrees).await?;
        Ok(grown)
    }

    /// Bytes of all buffers.
    pub fn bytes(&self) -> u64 {
        let growing = [
            &self.probe_table,
            &self.places,
            &self.slot_counts,
            &self.slot_starts,
            &self.candidates,
            &self.pairs,
            &self.undecided,
            &self.unclear,
            &self.degrees,
            &self.rules,
        ];
        let fixed = [
            &self.stats,
            &self.groups,
            &self.plan,
            &self.counters,
            &self.dispatches,
            &self.outcome,
            &self.staging.buffer,
        ];
        let segments = [&self.boxes, &self.bounds, &self.records];
        growing
            .into_iter()
            .chain(segments.into_iter().flat_map(|segments| segments.iter()))
            .map(|buffer| buffer.size())
            .chain(fixed.iter().map(|buffer| buffer.size()))
            .sum()
    }
}

/// What the sorted form of a scene takes, in bytes.
pub(crate) struct SortedBytes {
    pub boxes: u64,
    pub records: u64,
    pub slot_starts: u64,
}

pub(crate) fn sorted_bytes(boxes: usize) -> SortedBytes {
    let n = boxes as u64;
    SortedBytes {
        boxes: n * size_of::<Obb>() as u64,
        records: n * size_of::<Bounds>() as u64,
        slot_starts: slot_blocks(n) * (BLOCK + 1) * 4,
    }
}

/// Bytes that the buffers which hold something for each box need.
#[derive(Clone, Copy)]
struct BoxBytes {
    probe_table: u64,
    bounds: u64,
    records: u64,
    places: u64,
    slot_counts: u64,
    slot_starts: u64,
    degrees: u64,
}

impl BoxBytes {
    fn of(max_buffer_bytes: u64, boxes: usize, output: Output) -> Self {
        let n = boxes as u64;
        let (_, probe_slots) = probe_size(boxes, max_buffer_bytes);
        Self {
            probe_table: u64::from(probe_slots) * 4 * MAX_LEVELS as u64,
            bounds: n * size_of::<Bounds>() as u64,
            records: n * size_of::<Bounds>() as u64,
            places: n * size_of::<Place>() as u64,
            slot_counts: slot_blocks(n) * BLOCK * 4,
            slot_starts: slot_blocks(n) * (BLOCK + 1) * 4,
            degrees: if output == Output::Degrees { n * 4 } else { 0 },
        }
    }

    /// Of each buffer.
    fn all(self, limits: &DeviceLimits) -> impl Iterator<Item = u64> {
        let full = limits.bounds_segment_bytes();
        let segments = move |bytes| segments::divide(bytes, full, BOUNDS_SEGMENTS);
        [
            self.probe_table,
            self.places,
            self.slot_counts,
            self.slot_starts,
            self.degrees,
        ]
        .into_iter()
        .chain(segments(self.bounds))
        .chain(segments(self.records))
    }
}

/// Candidate pairs for a colliding one in most scenes: their bounds hold two and a half times what the boxes do.
const CANDIDATES_PER_PAIR: u64 = 3;

/// Bytes of the records of fixed size, about.
const FIXED_BYTES: u64 = 16 << 10;

/// What a check of so many boxes with so many colliding pairs needs: on the device the buffers as [`Buffers`] and
/// `Pipeline::reserve` make them and `ranges.rs` lengthens them, on the host the results and what wgpu uploads from.
pub(crate) fn memory_estimate(limits: &DeviceLimits, config: &Config, boxes: usize, pairs: u64) -> MemoryEstimate {
    let boxes = boxes.min(MAX_BOXES);
    let most = limits.max_boxes();
    let parts = parts::estimate(boxes, most);
    let part_boxes = boxes.min(most);
    // A part also finds pairs that are another's business, and hands all of them to the host.
    let (output, max_pairs, part_pairs) = match parts {
        1 => (config.output, config.max_pairs, pairs),
        _ => (Output::Pairs, None, pairs.div_ceil(parts).saturating_mul(5) / 4),
    };
    let pair_bytes = |pairs: u64| pairs.clamp(1, limits.max_pairs().max(1)) * size_of::<Pair>() as u64;
    let list = |first: usize, needed: u64| {
        let most = limits.max_buffer_bytes;
        let first = grown(GrowingBuffer::LEAST, pair_bytes(first as u64), most);
        grown(first, pair_bytes(needed), most)
    };
    let stored = match output {
        Output::Pairs => max_pairs.map_or(part_pairs, |most| part_pairs.min(most as u64)),
        Output::Degrees | Output::Count => 0,
    };
    let upload = (part_boxes * size_of::<Obb>()) as u64;
    let bytes = BoxBytes::of(limits.max_buffer_bytes, part_boxes, output);
    let candidates = part_pairs.saturating_mul(CANDIDATES_PER_PAIR);
    let undecided = list(config.gpu.initial_pairs / 16, 0);
    let lists = [
        list(config.gpu.initial_candidates, candidates),
        list(max_pairs.unwrap_or(config.gpu.initial_pairs), stored),
        undecided,
        if limits.f64 { undecided } else { 0 },
    ];
    let staging = grown(FIXED_BYTES, (pair_bytes(stored) * 3 / 2).max(bytes.degrees), u64::MAX);
    let boxes_bytes = || segments::divide(upload, limits.box_segment_bytes(), BOX_SEGMENTS);
    let all = || bytes.all(limits).chain(lists).chain(boxes_bytes()).chain([staging]);

    let in_parts = match parts {
        1 => 0,
        _ => parts::bytes_for(boxes, part_boxes, part_pairs),
    };
    MemoryEstimate {
        host_bytes: upload + in_parts + Results::bytes_for(config, boxes as u64, pairs),
        device_bytes: FIXED_BYTES + all().sum::<u64>(),
        largest_buffer_bytes: all().max().unwrap_or(0),
        parts,
    }
}

/// Blocks of slots that so many boxes can need.
fn slot_blocks(boxes: u64) -> u64 {
    (boxes * MAX_SLOTS_PER_BOX as u64).div_ceil(BLOCK)
}

/// The most pairs a buffer may hold.
pub(crate) fn max_pairs(context: &Context) -> u64 {
    context.limits().max_pairs()
}

/// Memory that the host can read.
pub(crate) struct Staging {
    pub buffer: wgpu::Buffer,
}

impl Staging {
    const USAGE: wgpu::BufferUsages = wgpu::BufferUsages::MAP_READ.union(wgpu::BufferUsages::COPY_DST);

    /// A new one, as small as can be.
    pub async fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            buffer: context.buffer("read-back", 16, Self::USAGE).await?,
        })
    }

    /// Makes room for `bytes`.
    pub async fn reserve(&mut self, context: &Context, bytes: u64) -> Result<()> {
        if bytes > self.buffer.size() {
            let size = bytes.max(self.buffer.size() * 3 / 2).next_multiple_of(16);
            self.buffer.destroy();
            self.buffer = context.buffer("read-back", size, Self::USAGE).await?;
        }
        Ok(())
    }
}
