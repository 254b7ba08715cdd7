//! The GPU pipeline, top to bottom: bounds, grid, candidate pairs, separating-axis test in f32, and in f64 where the device
//! can. `ranges.rs` drives it for checks that return to the host, `resident.rs` for frames that stay on the GPU.

use std::mem::offset_of;
use std::ops::Range;
use std::time::Instant;

use crate::base::config::{Config, Output};
use crate::base::error::Result;
use crate::broad_phase::grid::layout::{Plan, probe_size};
use crate::device::buffers::{Buffers, Counters, Inputs, Params, max_pairs};
use crate::device::context::Context;
use crate::device::timestamps::Stopwatch;
use crate::engine::findings::Results;
use crate::engine::gpu::broad::{BroadPhase, BroadPhaseBindings};
use crate::engine::gpu::finish::Finish;
use crate::engine::gpu::input::Input;
use crate::engine::gpu::shape::{Shape, ShapeBindings, Shapes};
use crate::engine::gpu::trace::{Course, add};
use crate::geometry::pair::Pair;
use crate::rules::filter::PairRules;
use crate::shapes::obb::record::Obb;

/// The kernels, and the memory they work in.
pub(crate) struct Pipeline {
    shapes: Shapes,
    pub(super) broad_phase: BroadPhase,
    /// In place of it where there are rules; made when it is first needed.
    ruled: Option<BroadPhase>,
    finish: Finish,
    stopwatch: Stopwatch,
    pub(super) buffers: Buffers,
    /// The frame whose boxes are uploaded, and whose parameters change from submission to submission.
    uploaded: Option<Frame>,
    /// What is uploaded.
    subject: Subject,
    /// Frames recorded of late, whose parameters are for good: several may wait in one submission.
    recorded: Vec<Frame>,
    /// What the last check found, and a little more: so much is read along with the summary.
    expected: Expected,
    /// Records whose pairs a submission looks for.
    pub(super) records_per_submission: u32,
    /// The most candidate pairs of a range, or fewer in tests of what happens then.
    pub(super) most_candidates: u32,
}

/// What a frame is about.
#[derive(Clone, Default, PartialEq)]
pub(super) struct Subject {
    pub shape: Shape,
    /// The list of rules about the boxes, or the movers, if there are any about them or about what they are checked
    /// against.
    pub rules: Option<wgpu::Buffer>,
    /// Whether the rules put boxes into several worlds.
    pub worlds: bool,
}

/// What ties the kernels to their buffers; made anew when a buffer is.
struct Frame {
    of: Subject,
    /// The caller's buffer of boxes, unless they are in our own.
    boxes: Option<wgpu::Buffer>,
    params: Params,
    params_buffer: wgpu::Buffer,
    shape: ShapeBindings,
    broad_phase: BroadPhaseBindings,
    finish: wgpu::BindGroup,
}

/// Recorded frames that are kept: enough for a few buffers of boxes taken in turn.
const RECORDED_FRAMES: usize = 8;

/// Pairs that are read along with the summary, so that a check like the last one waits once.
#[derive(Clone, Copy, Debug, Default)]
struct Expected {
    pairs: u32,
    /// Pairs that are left for the exact stage.
    left: u32,
}

/// The most pairs that are read along with a summary, 8 MiB of them: beyond that a wait more does not matter.
const MOST_EXPECTED: u32 = 1 << 20;

/// Bytes that are read after every submission, before the pairs.
const READ_FIRST: u64 = size_of::<Summary>() as u64 + Stopwatch::BYTES;

/// Records of a first submission, before it is known how long so many take.
const FIRST_RECORDS_PER_SUBMISSION: u32 = 1 << 20;

/// What the host reads after every submission: this, the timestamps, then the pairs that are expected.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Summary {
    pub counters: Counters,
    pub plan: Plan,
}

/// What a submission found, as far as it has been read.
pub(super) struct Found {
    pub summary: Summary,
    /// The first of the overlapping pairs.
    pub pairs: Vec<Pair>,
    /// The first of the pairs that are left for the exact stage.
    pub left: Vec<Pair>,
}

/// Where a frame begins; it always runs to the end of the narrow phase.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Steps {
    /// At the bounds.
    All,
    /// At the bounds, and goes on at the narrow phase: the candidate pairs are given.
    GivenPairs,
    /// At the candidate pairs of a range of records.
    FromRange,
    /// At the narrow phase.
    NarrowOnly,
}

impl Steps {
    /// The counters that start at zero, in bytes.
    fn cleared(self) -> Range<u64> {
        match self {
            Self::All => 0..Counters::END,
            // The others come with the pairs.
            Self::GivenPairs => 0..Counters::OF_RANGE,
            Self::FromRange => Counters::OF_RANGE..Counters::END,
            Self::NarrowOnly => Counters::OF_NARROW..Counters::END,
        }
    }
}

impl Pipeline {
    pub async fn new(context: &Context, config: &Config) -> Result<Self> {
        Ok(Self {
            shapes: Shapes::new(context, config).await?,
            broad_phase: BroadPhase::new(context, config, false).await?,
            ruled: None,
            finish: Finish::new(context).await?,
            stopwatch: Stopwatch::new(context).await?,
            buffers: Buffers::new(context).await?,
            uploaded: None,
            subject: Subject::default(),
            recorded: Vec::new(),
            expected: Expected::default(),
            records_per_submission: FIRST_RECORDS_PER_SUBMISSION,
            most_candidates: u32::MAX,
        })
    }

    /// Bytes of GPU memory held.
    pub fn device_bytes(&self) -> u64 {
        self.buffers.bytes()
    }

    /// Whether undecided pairs are tested in f64 too.
    pub fn has_f64(&self) -> bool {
        self.shapes.has_f64()
    }

    /// Buffers for `boxes` boxes and for what the configuration expects of results.
    pub(super) async fn reserve(&mut self, context: &Context, boxes: usize, config: &Config) -> Result<()> {
        let pair_bytes = |count: usize| (count.max(1) as u64).min(max_pairs(context)) * size_of::<Pair>() as u64;
        let mut grown = self.buffers.reserve_boxes(context, boxes, config.output).await?;
        let first_pairs = config.max_pairs.unwrap_or(config.gpu.initial_pairs);
        grown |= self
            .buffers
            .candidates
            .reserve(context, pair_bytes(config.gpu.initial_candidates))
            .await?;
        grown |= self.buffers.pairs.reserve(context, pair_bytes(first_pairs)).await?;
        grown |= self
            .reserve_undecided(context, pair_bytes(config.gpu.initial_pairs / 16))
            .await?;
        if grown {
            self.unbind();
        }
        Ok(())
    }

    /// Makes room for the upload of `boxes` boxes.
    pub(super) async fn reserve_upload(&mut self, context: &Context, boxes: usize) -> Result<()> {
        let bytes = size_of::<Obb>() as u64 * boxes as u64;
        let full = context.limits().box_segment_bytes();
        if self.buffers.boxes.reserve(context, bytes, full).await? {
            self.unbind();
        }
        Ok(())
    }

    /// Makes room for so many candidate pairs at a time.
    pub(super) async fn reserve_candidates(&mut self, context: &Context, pairs: u64) -> Result<()> {
        let bytes = pairs * size_of::<Pair>() as u64;
        if self.buffers.candidates.reserve(context, bytes).await? {
            self.unbind();
        }
        Ok(())
    }

    /// Makes room for `bytes` of undecided pairs, and for as many that f64 cannot decide; says whether a buffer is new.
    pub(super) async fn reserve_undecided(&mut self, context: &Context, bytes: u64) -> Result<bool> {
        let mut grown = self.buffers.undecided.reserve(context, bytes).await?;
        if self.has_f64() {
            let same = self.buffers.undecided.size();
            grown |= self.buffers.unclear.reserve(context, same).await?;
        }
        Ok(grown)
    }

    /// Forgets what is tied to the buffers, after one of them is new.
    pub(super) fn unbind(&mut self) {
        self.uploaded = None;
        self.recorded.clear();
    }

    /// Ties the kernels to boxes, our own or those in a buffer of the caller's, and to parameters that are in a buffer of
    /// their own.
    async fn bind(
        &self,
        context: &Context,
        callers: Option<&wgpu::Buffer>,
        params: &Params,
        subject: &Subject,
    ) -> Result<Frame> {
        let shape = &subject.shape;
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let params_buffer = context
            .buffer_with("parameters", bytemuck::bytes_of(params), usage)
            .await?;
        let own = &self.buffers.boxes;
        let boxes = match callers {
            None => own.bindings(),
            Some(buffer) => {
                let bytes = shape.record_bytes() * u64::from(params.box_count.max(1));
                own.bindings_to(buffer, bytes, context.limits().box_segment_bytes())
            }
        };
        let (buffers, inputs) = (
            &self.buffers,
            &Inputs {
                params: &params_buffer,
                boxes,
                at_rest: shape.at_rest(),
                rules: self.rules_of(subject),
            },
        );
        context
            .scoped("the bindings", 0, || Frame {
                shape: self.shapes.bind(context, inputs, buffers, shape),
                broad_phase: self.broad_phase_of(subject).bind(context, inputs, buffers),
                finish: self.finish.bind(context, inputs, buffers),
                of: subject.clone(),
                boxes: callers.cloned(),
                params: *params,
                params_buffer: params_buffer.clone(),
            })
            .await
    }

    /// The kernels that ask the rules, if there are any.
    fn broad_phase_of(&self, subject: &Subject) -> &BroadPhase {
        match &self.ruled {
            Some(ruled) if subject.rules.is_some() => ruled,
            _ => &self.broad_phase,
        }
    }

    /// The lists of rules about what a pair's a and its b name; any buffer if there are none.
    fn rules_of<'a>(&'a self, subject: &'a Subject) -> [&'a wgpu::Buffer; 2] {
        let of_b = subject.rules.as_ref().unwrap_or(&self.buffers.rules);
        match subject.shape.at_rest() {
            Some(at_rest) => [&at_rest.rules, of_b],
            None => [of_b, of_b],
        }
    }

    /// Makes what kernels so many boxes need beside those that are there.
    async fn make_kernels(
        &mut self,
        context: &Context,
        subject: &Subject,
        boxes: usize,
        config: &Config,
    ) -> Result<()> {
        self.shapes.prepare(context, &subject.shape).await?;
        let broad_phase = match (&mut self.ruled, &subject.rules) {
            (_, None) => &mut self.broad_phase,
            (Some(ruled), Some(_)) => ruled,
            (none, Some(_)) => none.insert(BroadPhase::new(context, config, true).await?),
        };
        let movers = subject.shape.at_rest().is_some();
        if broad_phase.prepare(context, boxes, movers, config).await? {
            self.unbind();
        }
        Ok(())
    }

    /// Hands the boxes to the device, and clears what is summed up over all ranges.
    pub(super) async fn upload(
        &mut self,
        context: &Context,
        input: Input<'_>,
        rules: Option<&PairRules<'_>>,
        config: &Config,
    ) -> Result<()> {
        let shape = match input {
            Input::Bounds(_) => Shape::Aabb,
            Input::Boxes(_) => Shape::Obb,
            Input::Movers { scene, .. } => Shape::Mover(Box::new(scene.on_device(context)?.clone())),
        };
        let list = rules.map(crate::rules::list::list_of_pairs).transpose()?;
        if let Some(list) = &list
            && self
                .buffers
                .rules
                .reserve(context, size_of_val(&list[..]) as u64)
                .await?
        {
            self.unbind();
        }
        let subject = Subject {
            shape,
            rules: list.is_some().then(|| (*self.buffers.rules).clone()),
            worlds: rules.is_some_and(|rules| rules.sets[1].worlds.is_some()),
        };
        self.make_kernels(context, &subject, input.count(), config).await?;
        if subject != self.subject {
            self.subject = subject;
            self.uploaded = None;
        }
        let (buffers, queue) = (&self.buffers, &context.queue);
        context
            .scoped("the upload", input.bytes().len() as u64, || {
                if let Some(list) = &list {
                    queue.write_buffer(&buffers.rules, 0, bytemuck::cast_slice(list));
                }
                let full = context.limits().box_segment_bytes().max(1) as usize;
                for (segment, bytes) in buffers.boxes.iter().zip(input.bytes().chunks(full)) {
                    queue.write_buffer(segment, 0, bytes);
                }
                if config.output == Output::Degrees {
                    let mut encoder = context.device.create_command_encoder(&Default::default());
                    encoder.clear_buffer(&buffers.degrees, 0, None);
                    queue.submit([encoder.finish()]);
                }
            })
            .await
    }

    /// Hands candidate pairs to the device, in place of those that the broad phase would find. What is known of the boxes
    /// stays.
    pub(super) async fn upload_pairs(&mut self, context: &Context, pairs: &[Pair]) -> Result<()> {
        let (buffers, queue) = (&self.buffers, &context.queue);
        let counted = Counters {
            candidates: pairs.len() as u32,
            ..Counters::default()
        };
        context
            .scoped("the upload of pairs", size_of_val(pairs) as u64, || {
                queue.write_buffer(&buffers.candidates, 0, bytemuck::cast_slice(pairs));
                let of_range = &bytemuck::bytes_of(&counted)[Counters::OF_RANGE as usize..];
                queue.write_buffer(&buffers.counters, Counters::OF_RANGE, of_range);
            })
            .await
    }

    pub(super) fn params(
        &self,
        context: &Context,
        boxes: usize,
        range: Range<u32>,
        config: &Config,
        results: &Results,
    ) -> Params {
        let (probe_samples, probe_slots) = probe_size(boxes, context.max_buffer_bytes);
        let candidate_capacity = self.buffers.candidates.capacity::<Pair>();
        Params {
            box_count: boxes as u32,
            range_first: range.start,
            range_count: range.end - range.start,
            candidate_capacity,
            most_candidates: candidate_capacity.min(self.most_candidates_of(&range)),
            partial: 0,
            pair_capacity: self.pair_capacity(config, results),
            undecided_capacity: self.undecided_capacity(),
            output: Params::output_of(config.output),
            exactness: Params::exactness_of(config.precision),
            again: 0,
            probe_samples: if boxes == 0 { 0 } else { probe_samples },
            probe_slots,
            has_f64: u32::from(self.has_f64()),
            movers: u32::from(self.subject.shape.at_rest().is_some()),
            box_segment: context.limits().box_segment(),
            bounds_segment: context.limits().bounds_segment(),
            worlds: u32::from(self.subject.worlds),
            margin: config.margin,
            half_margin: self.subject.shape.half_margin(config),
        }
    }

    /// The most candidate pairs of a range. A single record has fewer than there are boxes, which is few enough.
    pub(super) fn most_candidates_of(&self, range: &Range<u32>) -> u32 {
        if range.len() > 1 {
            self.most_candidates
        } else {
            u32::MAX
        }
    }

    /// Colliding pairs for which there is room, and which are still wanted.
    pub(super) fn pair_capacity(&self, config: &Config, results: &Results) -> u32 {
        let wanted = config
            .max_pairs
            .map_or(usize::MAX, |most| most - results.pairs.len().min(most));
        self.buffers
            .pairs
            .capacity::<Pair>()
            .min(wanted.min(u32::MAX as usize) as u32)
    }

    /// Undecided pairs for which there is room.
    pub(super) fn undecided_capacity(&self) -> u32 {
        self.buffers.undecided.capacity::<Pair>()
    }

    /// Records a frame from a step on.
    fn encode(&self, encoder: &mut wgpu::CommandEncoder, frame: &Frame, steps: Steps, watch: &mut Stopwatch) {
        let (buffers, params) = (&self.buffers, &frame.params);
        let broad_phase = self.broad_phase_of(&frame.of);
        let boxes = u64::from(params.box_count);
        let cleared = steps.cleared();
        encoder.clear_buffer(&buffers.counters, cleared.start, Some(cleared.end - cleared.start));
        if matches!(steps, Steps::All | Steps::GivenPairs) {
            if let Some(at_rest) = frame.of.shape.at_rest() {
                encoder.copy_buffer_to_buffer(&at_rest.tilted, 0, &buffers.counters, Counters::TILTED, Counters::EACH);
            }
            encoder.clear_buffer(&buffers.stats, 0, None);
            let mut pass = watch.begin(encoder, "bounds");
            self.shapes.record_bounds(&mut pass, &frame.shape, boxes);
        }
        if steps == Steps::All {
            encoder.clear_buffer(&buffers.probe_table, 0, None);
            broad_phase.record_sort(encoder, &frame.broad_phase, params, watch);
        }
        if matches!(steps, Steps::All | Steps::FromRange) {
            broad_phase.record_pairs(encoder, &frame.broad_phase, params, watch);
        }
        let narrow = (&frame.shape, &buffers.dispatches);
        self.shapes.record_narrow(encoder, narrow, params, watch);
    }

    /// Records a frame of the first `count` records in a buffer of the caller's, that nobody waits for.
    pub(super) async fn record(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        (records, count, subject): (&wgpu::Buffer, u32, Subject),
        config: &Config,
    ) -> Result<()> {
        self.make_kernels(context, &subject, count as usize, config).await?;
        let params = Params {
            partial: 1,
            movers: u32::from(subject.shape.at_rest().is_some()),
            worlds: u32::from(subject.worlds),
            half_margin: subject.shape.half_margin(config),
            ..self.params(context, count as usize, 0..count, config, &Results::new(config))
        };
        let known =
            |frame: &Frame| frame.boxes.as_ref() == Some(records) && frame.params == params && frame.of == subject;
        let place = match self.recorded.iter().position(known) {
            Some(place) => place,
            None => {
                if self.recorded.len() == RECORDED_FRAMES {
                    self.recorded.remove(0);
                }
                self.recorded
                    .push(self.bind(context, Some(records), &params, &subject).await?);
                self.recorded.len() - 1
            }
        };
        if params.output == Params::DEGREES {
            encoder.clear_buffer(&self.buffers.degrees, 0, None);
        }
        let frame = &self.recorded[place];
        self.encode(encoder, frame, Steps::All, &mut Stopwatch::off());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        self.finish.record(&mut pass, &frame.finish);
        Ok(())
    }

    /// Runs the pipeline over the uploaded boxes from a step on, and reads what it found.
    pub(super) async fn submit(
        &mut self,
        context: &Context,
        params: &Params,
        steps: Steps,
        course: &mut Course,
    ) -> Result<Found> {
        let start = Instant::now();
        let mut frame = match self.uploaded.take() {
            Some(frame) => frame,
            None => self.bind(context, None, params, &self.subject).await?,
        };
        frame.params = *params;
        let expected = self.expected(params);
        let bytes = READ_FIRST + size_of::<Pair>() as u64 * u64::from(expected.pairs + expected.left);
        self.buffers.staging.reserve(context, bytes).await?;
        let mut watch = std::mem::replace(&mut self.stopwatch, Stopwatch::off());
        let encoder = context
            .scoped("the recording", 0, || {
                let params = bytemuck::bytes_of(params);
                context.queue.write_buffer(&frame.params_buffer, 0, params);
                let descriptor = wgpu::CommandEncoderDescriptor {
                    label: Some("obbligato check"),
                };
                let mut encoder = context.device.create_command_encoder(&descriptor);
                self.encode(&mut encoder, &frame, steps, &mut watch);
                self.copy_findings(&mut encoder, &watch, expected);
                encoder
            })
            .await?;
        let staging = &self.buffers.staging.buffer;
        let left = self.left();
        let (found, times) = context
            .submit_and_read(encoder, staging, bytes, |bytes| {
                let (first, pairs) = bytes.split_at(READ_FIRST as usize);
                let (summary, times) = first.split_at(size_of::<Summary>());
                let summary: Summary = bytemuck::pod_read_unaligned(summary);
                let (pairs, others) = bytemuck::cast_slice(pairs).split_at(expected.pairs as usize);
                let part = |pairs: &[Pair], count: u32| pairs[..pairs.len().min(count as usize)].to_vec();
                let found = Found {
                    pairs: part(pairs, summary.counters.pairs.min(params.pair_capacity)),
                    left: part(others, left(&summary.counters)),
                    summary,
                };
                (found, watch.times(times))
            })
            .await?;
        self.stopwatch = watch;
        self.uploaded = Some(frame);
        for (stage, time) in times {
            add(&mut course.timings.gpu, stage, time);
        }
        course.add_wall("gpu", start);
        Ok(found)
    }

    /// How many pairs are left for the exact stage, of what was counted.
    pub(super) fn left(&self) -> fn(&Counters) -> u32 {
        match self.has_f64() {
            true => |counters| counters.unclear,
            false => |counters| counters.undecided,
        }
    }

    /// The list of the pairs that are left for the exact stage.
    pub(super) fn left_pairs(&self) -> &wgpu::Buffer {
        match self.has_f64() {
            true => &self.buffers.unclear,
            false => &self.buffers.undecided,
        }
    }

    /// Notes what a range has found, as a hint for the next.
    pub(super) fn expect(&mut self, counters: &Counters) {
        let more = |count: u32| count.saturating_add(count / 8 + 64);
        self.expected = Expected {
            pairs: more(counters.pairs),
            left: more(self.left()(counters)),
        };
    }

    /// What to read along with the summary: what is there at most, where such pairs are wanted.
    fn expected(&self, params: &Params) -> Expected {
        let room = |wanted: bool, capacity: u32| if wanted { capacity.min(MOST_EXPECTED) } else { 0 };
        Expected {
            pairs: (self.expected.pairs).min(room(params.output == Params::PAIRS, params.pair_capacity)),
            left: (self.expected.left).min(room(params.exactness == Params::EXACT, params.undecided_capacity)),
        }
    }

    fn copy_findings(&self, encoder: &mut wgpu::CommandEncoder, watch: &Stopwatch, expected: Expected) {
        let (buffers, staging) = (&self.buffers, &self.buffers.staging.buffer);
        let pair_bytes = |count: u32| size_of::<Pair>() as u64 * u64::from(count);
        let plan = offset_of!(Summary, plan) as u64;
        for (source, to, bytes) in [
            (&buffers.counters, 0, size_of::<Counters>() as u64),
            (&buffers.plan, plan, size_of::<Plan>() as u64),
            (&*buffers.pairs, READ_FIRST, pair_bytes(expected.pairs)),
            (
                self.left_pairs(),
                READ_FIRST + pair_bytes(expected.pairs),
                pair_bytes(expected.left),
            ),
        ] {
            if bytes > 0 {
                encoder.copy_buffer_to_buffer(source, 0, staging, to, bytes);
            }
        }
        watch.resolve(encoder, staging, size_of::<Summary>() as u64);
    }
}
