//! The GPU pipeline, top to bottom (`encode`): bounds, broad phase, narrow phase in f32, and in f64 where the device can.
//! `ranges.rs` drives it for checks that return to the host, `recording.rs` for frames that stay on the GPU.

use std::mem::offset_of;
use std::ops::Range;
use std::time::Instant;

use crate::base::config::{Config, Output};
use crate::base::error::Result;
use crate::base::stage::Stage;
use crate::broad_phase::grid::grid_plan::PLAN;
use crate::broad_phase::grid::grid_query::{MOVERS, PLAN_AT_REST, RECORDS_AT_REST, STARTS_AT_REST};
use crate::broad_phase::grid::layout::{Plan, probe_size};
use crate::broad_phase::passes::{self, BroadPhase, GRID};
use crate::device::buffers::{Arena, Owned, Resources, Staging, Uniforms, segments_of};
use crate::device::context::Context;
use crate::device::kernel::{Kernel, Kernels, Run};
use crate::device::timestamps::{self, Detail, Name, Stopwatch};
use crate::engine::gpu::finish::FINISH;
use crate::engine::gpu::input::bytes_of;
use crate::engine::gpu::kernels::bounds_of;
use crate::engine::gpu::limits::{candidate_pairs, candidate_records, words_of_candidate};
use crate::engine::gpu::pace::Pace;
use crate::engine::gpu::records::bound;
use crate::engine::gpu::subject::FrameSubject;
use crate::engine::gpu::trace::{Trace, add};
use crate::engine::query::Subject;
use crate::frame::counters::Counters;
use crate::frame::outcome::OUTCOME;
use crate::frame::params::Params;
use crate::frame::room::Room;
use crate::frame::slots::{
    self, BOUNDS, BOXES, CANDIDATES, DEGREES, FOUND, PAIRS, PARAMS, RULES_A, RULES_B, SEGMENT, STATS, TESTED, UNDECIDED,
};
use crate::geometry::pair::Pair;
use crate::geometry::scene_stats::SceneStats;
use crate::narrow_phase::moving_moving::sweep_times;
use crate::rules::filter::PairRules;
use crate::rules::list;
use crate::shapes::bodies::set::KINDS;
use crate::shapes::moving::moving_records;

/// The kernels, and the memory they work in.
pub(crate) struct Pipeline {
    pub(super) kernels: Kernels,
    pub(super) arena: Arena,
    pub(super) uniforms: Uniforms,
    /// The parameters of the uploaded frame, which change from submission to submission.
    params: wgpu::Buffer,
    pub(super) staging: Staging,
    stopwatch: Stopwatch,
    /// What is uploaded.
    pub(super) subject: FrameSubject,
    /// What the last check found, and a little more: so much is read along with the summary.
    expected: Expected,
    /// How much a submission is given.
    pub(crate) pace: Pace,
    /// What finds the candidate pairs.
    pub(super) broad_phase: &'static BroadPhase,
    /// The most candidate pairs of a range, or fewer in tests of what happens then.
    pub(crate) most_candidates: u32,
}

/// A frame, and where its boxes and parameters are.
pub(super) struct Frame<'a> {
    pub subject: &'a FrameSubject,
    /// The caller's buffer of boxes, unless they are in our own.
    pub boxes: Option<&'a wgpu::Buffer>,
    pub params: Params,
    pub params_buffer: &'a wgpu::Buffer,
}

/// The buffers of a pipeline.
pub(super) fn buffers() -> impl Iterator<Item = &'static [Owned<Room>]> {
    const OWN: &[Owned<Room>] = &[Owned::of(&OUTCOME, |_| 1)];
    const OF_SWEEPS: [&[Owned<Room>]; 2] = [moving_records::BUFFERS, sweep_times::BUFFERS];
    let of_broad_phases = passes::ALL
        .iter()
        .flat_map(|broad_phase| broad_phase.buffers.iter().copied());
    of_broad_phases.chain([slots::BUFFERS, OWN]).chain(OF_SWEEPS)
}

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
const READ_FIRST: u64 = size_of::<Summary>() as u64 + timestamps::BYTES;

/// What the host reads after every submission: this, the timestamps, then the pairs that are expected.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Summary {
    pub counters: Counters,
    /// Boxes that may be invalid.
    pub suspects: u32,
    pub unused: [u32; 3],
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
    pub fn new(context: &Context, config: &Config) -> Result<Self> {
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let mut pipeline = Self {
            kernels: Kernels::default(),
            arena: Arena::new(context, buffers().flatten().map(|owned| owned.slot))?,
            uniforms: Uniforms::default(),
            params: context.buffer("parameters", size_of::<Params>() as u64, usage)?,
            staging: Staging::new(context)?,
            stopwatch: Stopwatch::new(context, Detail::Passes, 1)?,
            subject: FrameSubject::default(),
            expected: Expected::default(),
            pace: Pace::default(),
            broad_phase: &GRID,
            most_candidates: u32::MAX,
        };
        pipeline.compile(context, config)?;
        Ok(pipeline)
    }

    /// Compiles what checks of boxes without rules need; all else is compiled when it is first needed.
    fn compile(&mut self, context: &Context, config: &Config) -> Result<()> {
        let subject = FrameSubject::default();
        let params = Params {
            margin: config.margin,
            ..Params::default()
        };
        let constants = self.constants(context, config, &subject, &params);
        let narrow = subject.narrow_phase(params.has_margin());
        let f64 = narrow.f64.filter(|_| context.f64);
        let all = bounds_of(subject.shape)
            .iter()
            .copied()
            .chain(self.broad_phase.sort.iter().flat_map(|pass| pass.kernels).copied())
            .chain([self.broad_phase.pairs])
            .chain(narrow.tests.iter().copied())
            .chain(f64);
        for kernel in all {
            self.kernels.prepare(context, &kernel.code, &constants)?;
        }
        Ok(())
    }

    /// The pipeline constants of a frame.
    pub(super) fn constants(
        &self,
        context: &Context,
        config: &Config,
        subject: &FrameSubject,
        params: &Params,
    ) -> [(&'static str, f64); 6] {
        [
            ("ruled", f64::from(subject.rules.is_some())),
            ("count_operations", f64::from(config.count_operations)),
            ("split", f64::from(params.is_split())),
            ("queued", f64::from(subject.is_queued())),
            ("neighbours", f64::from(subject.neighbours)),
            ("most_workgroups", f64::from(context.limits().looping_workgroups)),
        ]
    }

    /// Bytes of GPU memory held.
    pub fn device_bytes(&self) -> u64 {
        self.arena.bytes() + self.staging.buffer.size()
    }

    /// Whether undecided pairs of such a frame are tested in f64 too.
    fn has_f64(context: &Context, subject: &FrameSubject, has_margin: bool) -> bool {
        context.f64 && subject.narrow_phase(has_margin).f64.is_some()
    }

    /// Makes room for all that a frame needs.
    pub(super) fn reserve(&mut self, context: &Context, room: &Room) -> Result<()> {
        let mut new = false;
        for owned in buffers() {
            new |= self.arena.reserve_all(context, owned, room)?;
        }
        self.unbind_if(new);
        Ok(())
    }

    /// Makes room for so many candidate pairs at a time.
    pub(super) fn reserve_candidates(&mut self, context: &Context, pairs: u64) -> Result<()> {
        let records = candidate_records(pairs, self.subject.words_of_candidate());
        let new = self.arena.reserve(context, &CANDIDATES, records)?;
        self.unbind_if(new);
        Ok(())
    }

    /// Makes room for what the narrow phase has counted.
    pub(super) fn reserve_found(&mut self, context: &Context, pairs: u64, undecided: u64) -> Result<()> {
        let new = self.arena.reserve(context, &PAIRS, pairs)? | self.arena.reserve(context, &UNDECIDED, undecided)?;
        self.unbind_if(new);
        Ok(())
    }

    /// Forgets what is tied to the buffers, if one of them is new.
    pub(super) fn unbind_if(&mut self, new: bool) {
        if new {
            self.kernels.forget_bindings();
        }
    }

    /// Hands the boxes to the device, and clears what is summed up over all ranges.
    pub(super) fn upload(
        &mut self,
        context: &Context,
        input: Subject<'_>,
        rules: Option<&PairRules<'_>>,
        config: &Config,
    ) -> Result<()> {
        let list = rules.map(list::list_of_pairs).transpose()?;
        let words = list.as_ref().map_or(0, |list| list.len() as u64);
        let new = self.arena.reserve(context, &RULES_B, words)?;
        self.unbind_if(new);
        self.subject = FrameSubject {
            shape: input.shape(),
            counts: input.records().counts(),
            at_rest: match input {
                Subject::Movers { scene, .. } => Some(scene.on_device(context)?.clone()),
                Subject::Set(_) => None,
            },
            rules: match list {
                Some(_) => Some(self.arena.buffer(&RULES_B)?.clone()),
                None => None,
            },
            worlds: rules.is_some_and(|rules| rules.sets[1].worlds.is_some()),
            own_margins: rules.is_some_and(PairRules::have_margins),
            neighbours: input.neighbours(),
        };
        let degrees = self.arena.buffer(&DEGREES)?;
        let parts = bytes_of(input);
        let bytes = parts.iter().map(|part| part.len() as u64).sum();
        context.scoped("the upload", bytes, || {
            if let (Some(list), Some(buffer)) = (&list, &self.subject.rules) {
                context.queue.write_buffer(buffer, 0, bytemuck::cast_slice(list));
            }
            let full = (context.numbered_bytes() / BOXES.unit * BOXES.unit).max(1) as usize;
            let segments: Vec<_> = self.arena.segments(&BOXES).collect();
            let mut place = 0;
            for mut part in parts {
                while !part.is_empty() {
                    let (segment, offset) = (place / full, place % full);
                    let (bytes, rest) = part.split_at(part.len().min(full - offset));
                    context.queue.write_buffer(segments[segment], offset as u64, bytes);
                    place += bytes.len();
                    part = rest;
                }
            }
            if config.output == Output::Degrees {
                let mut encoder = context.device.create_command_encoder(&Default::default());
                encoder.clear_buffer(degrees, 0, None);
                context.queue.submit([encoder.finish()]);
            }
        })
    }

    /// Hands candidate pairs to the device, in place of those that the broad phase would find, and a margin for each if
    /// boxes have margins of their own. What is known of the boxes stays.
    pub(super) fn upload_pairs(&mut self, context: &Context, pairs: &[Pair], margins: Option<&[f32]>) -> Result<()> {
        let candidates = self.arena.buffer(&CANDIDATES)?;
        let after_pairs = CANDIDATES.header + CANDIDATES.record * u64::from(self.candidate_capacity());
        let counted = Counters {
            candidates: pairs.len() as u32,
            ..Counters::default()
        };
        context.scoped("the upload of pairs", size_of_val(pairs) as u64, || {
            let write = |offset, bytes: &[u8]| context.queue.write_buffer(candidates, offset, bytes);
            write(CANDIDATES.header, bytemuck::cast_slice(pairs));
            write(
                Counters::OF_RANGE,
                &bytemuck::bytes_of(&counted)[Counters::OF_RANGE as usize..],
            );
            if let Some(margins) = margins {
                write(after_pairs, bytemuck::cast_slice(margins));
            }
        })
    }

    pub(super) fn params(
        &self,
        context: &Context,
        boxes: usize,
        range: Range<u32>,
        config: &Config,
        kept: usize,
    ) -> Params {
        self.params_of(context, &self.subject, boxes, range, config, kept)
    }

    pub(super) fn params_of(
        &self,
        context: &Context,
        subject: &FrameSubject,
        boxes: usize,
        range: Range<u32>,
        config: &Config,
        kept: usize,
    ) -> Params {
        let (probe_samples, probe_slots) = probe_size(boxes, context.max_buffer_bytes);
        let candidate_capacity = self.candidate_capacity_of(subject);
        let ends = |[boxes, capsules, _]: [u64; KINDS]| [boxes as u32, (boxes + capsules) as u32];
        let [box_end, capsule_end] = ends(subject.counts);
        let [box_end_of_a, capsule_end_of_a] = ends(subject.counts_of_a());
        let has_margin = config.margin > 0.0 || subject.own_margins;
        let has_f64 = Self::has_f64(context, subject, has_margin);
        Params {
            box_count: boxes as u32,
            range_first: range.start,
            range_count: range.end - range.start,
            candidate_capacity,
            most_candidates: candidate_capacity.min(self.most_candidates_of(context, &range)),
            partial: 0,
            pair_capacity: self.pair_capacity(config, kept),
            // f64 has the other half of the list.
            undecided_capacity: self.arena.capacity(&UNDECIDED) >> u32::from(has_f64),
            output: Params::output_of(config.output),
            exactness: Params::exactness_of(config.precision),
            again: 0,
            probe_samples: if boxes == 0 { 0 } else { probe_samples },
            probe_slots,
            has_f64: u32::from(has_f64),
            movers: u32::from(subject.at_rest.is_some()),
            box_segment: context.limits().box_segment(),
            bounds_segment: context.limits().bounds_segment(),
            worlds: u32::from(subject.worlds),
            // By its bits: -0 is 0.
            margin: config.margin.abs(),
            half_margin: subject.half_margin(config),
            own_margins: u32::from(subject.own_margins),
            partners_first: 0,
            partners_end: u32::MAX,
            most_work: 0.0,
            zero: 0,
            box_end,
            capsule_end,
            box_end_of_a,
            capsule_end_of_a,
            queues_first: (u64::from(candidate_capacity) * words_of_candidate(subject.own_margins, false)) as u32,
        }
    }

    /// Candidate pairs for which there is room.
    pub(super) fn candidate_capacity(&self) -> u32 {
        self.candidate_capacity_of(&self.subject)
    }

    fn candidate_capacity_of(&self, subject: &FrameSubject) -> u32 {
        candidate_pairs(self.arena.capacity(&CANDIDATES).into(), subject.words_of_candidate()) as u32
    }

    /// The most candidate pairs of a range: all of them may be undecided. A single record has fewer than there are boxes, which
    /// is few enough.
    pub(super) fn most_candidates_of(&self, context: &Context, range: &Range<u32>) -> u32 {
        match range.len() > 1 {
            true => self.most_candidates.min(context.limits().max_undecided() as u32),
            false => u32::MAX,
        }
    }

    /// Colliding pairs for which there is room, and which are still wanted beside those that are kept.
    pub(super) fn pair_capacity(&self, config: &Config, kept: usize) -> u32 {
        let wanted = config.max_pairs.map_or(usize::MAX, |most| most - kept.min(most));
        self.arena.capacity(&PAIRS).min(wanted.min(u32::MAX as usize) as u32)
    }

    /// Records a frame from a step on: the whole pipeline.
    pub(super) fn encode(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        frame: &Frame,
        (steps, config): (Steps, &Config),
        watch: &mut Stopwatch,
    ) -> Result<()> {
        let (subject, params) = (frame.subject, &frame.params);
        let broad_phase = self.broad_phase;
        let narrow = subject.narrow_phase(params.has_margin());
        let segments = [0, 1, 2].map(|number: u32| [number, 0, 0, 0]);
        let mut segment_buffers = Vec::with_capacity(segments.len());
        for segment in &segments {
            segment_buffers.push(self.uniforms.with(context, SEGMENT.label, segment)?);
        }
        let constants = self.constants(context, config, subject, params);
        let (arena, kernels) = (&self.arena, &mut self.kernels);
        let resources = resources(context, arena, frame, &segment_buffers)?;
        let run = Run {
            context,
            resources: &resources,
            constants: &constants,
            work: params,
        };

        let (counters, stats, cleared) = (arena.buffer(&CANDIDATES)?, arena.buffer(&STATS)?, steps.cleared());
        encoder.clear_buffer(counters, cleared.start, Some(cleared.end - cleared.start));
        if matches!(steps, Steps::All | Steps::GivenPairs) {
            encoder.clear_buffer(stats, 0, None);
            if let Some(at_rest) = &subject.at_rest {
                let tilted = offset_of!(SceneStats, tilted) as u64;
                encoder.copy_buffer_to_buffer(&at_rest.tilted, 0, stats, tilted, size_of::<u32>() as u64);
            }
            run_all(kernels, (encoder, watch), Stage::Bounds, bounds_of(subject.shape), &run)?;
        }
        if steps == Steps::All && subject.at_rest.is_none() {
            for slot in broad_phase.cleared {
                encoder.clear_buffer(arena.buffer(slot)?, 0, None);
            }
            for part in broad_phase.sort {
                run_all(kernels, (encoder, watch), part.stage, part.kernels, &run)?;
            }
        }
        if matches!(steps, Steps::All | Steps::FromRange) {
            let walk = match subject.at_rest {
                None => broad_phase.pairs,
                Some(_) => broad_phase.against,
            };
            run_all(kernels, (encoder, watch), Stage::Pairs, &[walk], &run)?;
        }
        run_all(kernels, (encoder, watch), Stage::Narrow, narrow.tests, &run)?;
        if let Some(kernel) = narrow.f64
            && params.has_f64 > 0
            && params.exactness == Params::EXACT
        {
            run_all(kernels, (encoder, watch), Stage::F64, &[kernel], &run)?;
        }
        if params.partial > 0 {
            run_all(kernels, (encoder, watch), Stage::Other, &[&FINISH], &run)?;
        }
        Ok(())
    }

    /// Records a frame of the first `count` records in a buffer of the caller's, that nobody waits for.
    pub(super) fn record(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        (records, count, subject): (&wgpu::Buffer, u32, &FrameSubject),
        config: &Config,
        watch: &mut Stopwatch,
    ) -> Result<()> {
        watch.open(encoder)?;
        let params = Params {
            partial: 1,
            ..self.params_of(context, subject, count as usize, 0..count, config, 0)
        };
        if params.output == Params::DEGREES {
            encoder.clear_buffer(self.arena.buffer(&DEGREES)?, 0, None);
        }
        // Several frames may wait in one encoder: their parameters are for good.
        let params_buffer = self.uniforms.with(context, PARAMS.label, &params)?;
        let frame = Frame {
            subject,
            boxes: Some(records),
            params,
            params_buffer: &params_buffer,
        };
        self.encode(context, encoder, &frame, (Steps::All, config), watch)?;
        watch.close(encoder);
        watch.resolve(encoder, None);
        Ok(())
    }

    /// Runs the pipeline over the uploaded boxes from a step on, and reads what it found.
    pub(super) async fn submit(
        &mut self,
        context: &Context,
        params: &Params,
        (steps, config): (Steps, &Config),
        trace: &mut Trace,
    ) -> Result<Found> {
        let start = Instant::now();
        let expected = self.expected(params);
        let bytes = READ_FIRST + size_of::<Pair>() as u64 * u64::from(expected.pairs + expected.left);
        self.staging.reserve(context, bytes)?;
        let mut watch = std::mem::replace(&mut self.stopwatch, Stopwatch::off());
        let (subject, params_buffer) = (self.subject.clone(), self.params.clone());
        let frame = Frame {
            subject: &subject,
            boxes: None,
            params: *params,
            params_buffer: &params_buffer,
        };
        let descriptor = wgpu::CommandEncoderDescriptor {
            label: Some("obbligato check"),
        };
        let mut encoder = context.device.create_command_encoder(&descriptor);
        context.scoped("the recording", 0, || -> Result<()> {
            let bytes = bytemuck::bytes_of(params);
            context.queue.write_buffer(&params_buffer, 0, bytes);
            watch.open(&mut encoder)?;
            self.encode(context, &mut encoder, &frame, (steps, config), &mut watch)?;
            self.copy_findings(&mut encoder, expected)?;
            watch.close(&mut encoder);
            let stamps = (&self.staging.buffer, size_of::<Summary>() as u64);
            watch.resolve(&mut encoder, Some(stamps));
            Ok(())
        })??;
        let (found, times) = context
            .submit_and_read(encoder, &self.staging.buffer, bytes, |bytes| {
                let (first, pairs) = bytes.split_at(READ_FIRST as usize);
                let (summary, times) = first.split_at(size_of::<Summary>());
                let summary: Summary = bytemuck::pod_read_unaligned(summary);
                let (pairs, others) = bytemuck::cast_slice(pairs).split_at(expected.pairs as usize);
                let part = |pairs: &[Pair], count: u32| pairs[..pairs.len().min(count as usize)].to_vec();
                let found = Found {
                    pairs: part(pairs, summary.counters.pairs.min(params.pair_capacity)),
                    left: part(others, left(params, &summary.counters)),
                    summary,
                };
                (found, watch.times(&bytemuck::pod_collect_to_vec(times)).1)
            })
            .await?;
        self.stopwatch = watch;
        for times in times {
            for (name, time) in &times.laps {
                add(&mut trace.timings.gpu, name.stage, *time);
            }
            add(&mut trace.timings.gpu, Stage::Other, times.other());
        }
        trace.add_wall(Stage::Gpu, start);
        Ok(found)
    }

    /// Notes what a range has found, as a hint for the next.
    pub(super) fn expect(&mut self, params: &Params, counters: &Counters) {
        let more = |count: u32| count.saturating_add(count / 8 + 64);
        self.expected = Expected {
            pairs: more(counters.pairs),
            left: more(left(params, counters)),
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

    fn copy_findings(&self, encoder: &mut wgpu::CommandEncoder, expected: Expected) -> Result<()> {
        let staging = &self.staging.buffer;
        let pair_bytes = |count: u32| size_of::<Pair>() as u64 * u64::from(count);
        let suspects = offset_of!(SceneStats, suspects) as u64;
        let after_pairs = READ_FIRST + pair_bytes(expected.pairs);
        for (slot, from, to, bytes) in [
            (&CANDIDATES, 0, 0, size_of::<Counters>() as u64),
            (&STATS, suspects, offset_of!(Summary, suspects) as u64, 4),
            (&PLAN, 0, offset_of!(Summary, plan) as u64, size_of::<Plan>() as u64),
            (&PAIRS, 0, READ_FIRST, pair_bytes(expected.pairs)),
            (&UNDECIDED, 0, after_pairs, pair_bytes(expected.left)),
        ] {
            if bytes > 0 {
                encoder.copy_buffer_to_buffer(self.arena.buffer(slot)?, from, staging, to, bytes);
            }
        }
        Ok(())
    }
}

/// Runs kernels of a stage one after the other, in one pass or, where each is timed, in a pass each.
pub(super) fn run_all(
    kernels: &mut Kernels,
    (encoder, watch): (&mut wgpu::CommandEncoder, &mut Stopwatch),
    stage: Stage,
    all: &[&'static Kernel<Params>],
    run: &Run<Params>,
) -> Result<()> {
    for of_pass in all.chunks(watch.kernels_a_pass()) {
        let kernel = of_pass[0].code.entry;
        let mut pass = watch.begin(encoder, Name { stage, kernel });
        for kernel in of_pass {
            kernels.run(&mut pass, kernel, run)?;
        }
    }
    Ok(())
}

/// What a frame's kernels find at the slots that the arena does not hold, or holds something else at.
pub(super) fn resources<'a>(
    context: &Context,
    arena: &'a Arena,
    frame: &'a Frame<'a>,
    segments: &'a [wgpu::Buffer],
) -> Result<Resources<'a>> {
    let (subject, params) = (frame.subject, &frame.params);
    let own_boxes = || arena.segments(&BOXES).map(wgpu::Buffer::as_entire_buffer_binding);
    let boxes: Vec<_> = match frame.boxes {
        None => own_boxes().collect(),
        Some(buffer) => {
            let bytes = bound(subject.shape, subject.only_kind(), subject.counts);
            segments_of(context, &BOXES, buffer, bytes)
        }
    };
    let rules_b = match &subject.rules {
        Some(rules) => rules,
        None => arena.buffer(&RULES_B)?,
    };
    let found = match params.output {
        Params::DEGREES => &DEGREES,
        _ => &PAIRS,
    };
    let segments = segments.iter().map(wgpu::Buffer::as_entire_buffer_binding).collect();
    let mut resources = Resources::new(arena)
        .with_buffer(&PARAMS, frame.params_buffer)
        .with(&SEGMENT, segments)
        .with_buffer(&FOUND, arena.buffer(found)?)
        .with_buffer(&RULES_B, rules_b);
    if let Some(at_rest) = &subject.at_rest {
        resources = resources
            .with_buffer(&PLAN_AT_REST, &at_rest.plan)
            .with_buffer(&RECORDS_AT_REST, &at_rest.records)
            .with_buffer(&STARTS_AT_REST, &at_rest.slot_starts)
            .with_buffer(&MOVERS, arena.buffer(&BOUNDS)?)
            .with_buffer(&RULES_A, &at_rest.rules);
        let mut tested = boxes.clone();
        tested.rotate_right(1);
        tested[0] = at_rest.boxes.as_entire_buffer_binding();
        return Ok(resources.with(&BOXES, boxes).with(&TESTED, tested));
    }
    Ok(resources.with(&TESTED, boxes.clone()).with(&BOXES, boxes))
}

/// How many pairs are left for the exact stage, of what was counted.
pub(super) fn left(params: &Params, counters: &Counters) -> u32 {
    match params.has_f64 {
        0 => counters.undecided,
        _ => counters.left,
    }
}
