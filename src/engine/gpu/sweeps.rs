//! Recorded sweeps: the frame of moving bodies, whose records a kernel creates, and the exact tests
//! of its pairs afterwards.

use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use crate::base::config::{Config, Output};
use crate::base::error::{Error, Result};
use crate::base::stage::Stage;
use crate::broad_phase::passes;
use crate::device::buffers::{Resources, Slot};
use crate::device::context::Context;
use crate::device::dispatch::Run;
use crate::device::timestamps::{Name, Stopwatch};
use crate::engine::gpu::engine::{GpuEngine, expect_room, with};
use crate::engine::gpu::frame_rules::FrameRules;
use crate::engine::gpu::limits::WORDS;
use crate::engine::gpu::pipeline::Pipeline;
use crate::engine::gpu::pipeline::encode::{resources, run_all};
use crate::engine::gpu::pipeline::frame::{Frame, OnDevice, Steps};
use crate::engine::gpu::ranges;
use crate::engine::gpu::recorded::PairsOrder;
use crate::engine::gpu::recording::{expect_bytes, expect_record_bytes};
use crate::engine::gpu::records::{ends, uploaded};
use crate::engine::gpu::subject::FrameSubject;
use crate::engine::gpu::timer::FrameTimer;
use crate::frame::outcome::OUTCOME;
use crate::frame::params::Params;
use crate::frame::room::Room;
use crate::frame::slots::{BOXES, PAIRS, PARAMS};
use crate::geometry::kinds::of_first_kind;
use crate::narrow_phase::moving_moving::sweep_times::{IMPACTS, SWEEP_PARTNERS, SWEEP_TIMES};
use crate::shapes::bodies::counts::BodyCounts;
use crate::shapes::kind::Shape;
use crate::shapes::moving::motion::Motion;
use crate::shapes::moving::moving_records::{EARLIEST, GIVEN, MOTIONS, MOVING_RECORDS, STEP, StepParams};
use crate::shapes::round::sphere::Sphere;

/// A sweep of the first bodies in a buffer of the caller, with their motions in another buffer, for
/// [`GpuChecker::record`](crate::GpuChecker::record): the pairs of boxes, capsules and spheres that
/// may meet during a step, their times of impact, and the earliest time of each body. Nothing is
/// submitted or waited for.
///
/// The sweep misses nothing: every pair that [`Sweep`](crate::query::Sweep) lists for the same
/// numbers, with `dt` as `f64`, is among the impacts, at a time that is not later. The earliest
/// time of a body is not later than that of its first impact there. Pairs that `f32` cannot decide
/// are listed, too.
///
/// If neither body turns, accelerates or is uncertain, the sweep distinguishes all pairs except
/// those that pass each other within a 10,000th of the bodies' sizes and paths. Otherwise the
/// time is that of enlarged bodies that contain the turning ones
/// ([`ImpactRecord::CURVED`](crate::gpu::ImpactRecord::CURVED)).
/// [`time_of_impact`](crate::motion::time_of_impact) gives the true answer for a pair.
///
/// [`Outcome::suspects`](crate::gpu::Outcome::suspects) counts bodies that are invalid or have
/// invalid motions. The precision of the configuration has no effect. Takes 96 bytes per body
/// in addition to the memory of a frame, and 16 for each pair of the capacity.
///
/// ```
/// use obbligato::{gpu::{EarliestImpact, SweepQuery}, GpuChecker};
/// use obbligato::{glam::Vec3, motion::Motion, Config, Obb};
/// # fn main() -> obbligato::Result<()> {
/// let mut checker = GpuChecker::open(Config::default())?;
/// let boxes = [0.0, 6.0].map(|x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE));
/// let boxes = checker.upload(&boxes)?;
/// let motions = checker.upload(&[Motion::linear(Vec3::new(8.0, 0.0, 0.0)), Motion::REST])?;
///
/// let mut encoder = checker.device().create_command_encoder(&Default::default());
/// let found = checker.record(&mut encoder, SweepQuery::new(&boxes, &motions, 2, 1.0))?;
/// // Kernels that are recorded here can move each box up to its earliest impact.
/// checker.queue().submit([encoder.finish()]);
///
/// let earliest: Vec<EarliestImpact> = checker.read(&found.earliest, 2)?;
/// assert_eq!([earliest[0].partner, earliest[1].partner], [1, 0]);
/// assert!(earliest[0].time <= 0.5 && earliest[0].time > 0.499);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`GpuChecker::record`](crate::GpuChecker::record);
/// [`Error::InvalidStep`](crate::Error::InvalidStep) if the step is not finite or negative,
/// [`Error::Unavailable`](crate::Error::Unavailable) with a margin, and without
/// [`Output::Pairs`](crate::Output::Pairs). All records of a sweep must fit one binding (96 bytes
/// per body of any kind).
#[derive(Clone, Copy, Debug)]
pub struct SweepQuery<'a> {
    bodies: &'a wgpu::Buffer,
    motions: &'a wgpu::Buffer,
    counts: BodyCounts,
    dt: f32,
    rules: Option<&'a FrameRules>,
    timer: Option<&'a FrameTimer>,
}

impl<'a> SweepQuery<'a> {
    /// Creates a sweep of the first `count` boxes in `boxes`, [`Obb`](crate::Obb) records, moving
    /// by the first `count` [`Motion`](crate::motion::Motion) records in `motions` for a step of
    /// `dt` seconds, which must be finite and not negative. Both buffers must have the usage
    /// `STORAGE`.
    pub fn new(boxes: &'a wgpu::Buffer, motions: &'a wgpu::Buffer, count: u32, dt: f32) -> Self {
        Self::bodies(boxes, motions, BodyCounts::of_boxes(count), dt)
    }

    /// Boxes, capsules and spheres in motion, numbered as in [`Bodies`](crate::Bodies): `bodies`
    /// holds the [`Obb`](crate::Obb)s, then the [`Capsule`](crate::Capsule)s, then the
    /// [`Sphere`](crate::Sphere)s, as many as `counts` gives, without gaps. `motions` holds a
    /// motion for each in that order. The rotation of a sphere is ignored. Otherwise it is like
    /// [`SweepQuery::new`].
    pub fn bodies(bodies: &'a wgpu::Buffer, motions: &'a wgpu::Buffer, counts: BodyCounts, dt: f32) -> Self {
        Self {
            bodies,
            motions,
            counts,
            dt,
            rules: None,
            timer: None,
        }
    }

    /// Adds rules from [`GpuChecker::upload_rules`](crate::GpuChecker::upload_rules) of
    /// [`RulesOf::boxes`](crate::gpu::RulesOf::boxes).
    #[must_use]
    pub fn with(self, rules: &'a FrameRules) -> Self {
        Self {
            rules: Some(rules),
            ..self
        }
    }

    /// Measures the time of the sweep, with a timer of
    /// [`GpuChecker::timer`](crate::GpuChecker::timer).
    #[must_use]
    pub fn timed(self, timer: &'a FrameTimer) -> Self {
        Self {
            timer: Some(timer),
            ..self
        }
    }
}

/// The results of a recorded sweep. The buffers can be bound as storage buffers and copied from.
///
/// Like those of [`Recorded`](crate::gpu::Recorded), they belong to the checker, and the next frame
/// or sweep overwrites them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedSweep {
    /// One [`Outcome`](crate::gpu::Outcome); also the arguments of an indirect dispatch. Its pairs
    /// are the impacts.
    pub outcome: wgpu::Buffer,
    /// An [`ImpactRecord`](crate::gpu::ImpactRecord) for each pair that may meet during the step,
    /// in any order.
    pub impacts: wgpu::Buffer,
    /// An [`EarliestImpact`](crate::gpu::EarliestImpact) for each body.
    pub earliest: wgpu::Buffer,
}

impl GpuEngine {
    pub fn record_sweep(&mut self, encoder: &mut wgpu::CommandEncoder, query: SweepQuery<'_>) -> Result<RecordedSweep> {
        let SweepQuery { counts, dt, timer, .. } = query;
        let count = counts.total();
        self.context.check_trouble()?;
        self.expect_sweeps(&query)?;
        let broad_phase = passes::chosen(self.config.broad_phase);
        let most = (self.context.limits()).max_records(broad_phase, Shape::Moving.record_bytes());
        expect_room("a recorded sweep", count, most)?;
        let count = count as u32;
        let [box_end, capsule_end] = ends(counts.in_order());
        expect_bytes(
            query.bodies,
            count,
            Shape::Bodies
                .bytes_of(counts.in_order())
                .max(size_of::<Sphere>() as u64),
        )?;
        expect_record_bytes(query.motions, count, size_of::<Motion>() as u64)?;
        let mut subject = FrameRules::subject(
            query.rules,
            &self.context,
            (Shape::Moving, None),
            (of_first_kind(count.into()), count.into()),
        )?;
        subject.rounded = box_end < count;
        self.context.recorded.store(true, Relaxed);
        self.order = PairsOrder::AsFound;
        let (context, config) = (&self.context, &self.config);
        let mut off = Stopwatch::off();
        let mut watch = timer.map(|timer| timer.watch(context)).transpose()?;
        let watch = watch.as_deref_mut().unwrap_or(&mut off);
        let new = || Pipeline::new(context, config);
        let step = StepParams {
            dt,
            count,
            zero: 0,
            box_end,
            capsule_end,
            first: 0,
            first_given: 0,
            first_motion: 0,
        };
        with(&mut self.pipeline, new, |pipeline| {
            pipeline.reserve_sweep(context, config, count)?;
            watch.open(encoder)?;
            pipeline.record_records(context, encoder, &query, &step, watch)?;
            pipeline.record_sweep(context, encoder, (count, &subject), config, watch)?;
            watch.close(encoder);
            watch.resolve(encoder, None);
            let buffer = |slot| pipeline.arena.buffer(slot).cloned();
            Ok(RecordedSweep {
                outcome: buffer(&OUTCOME)?,
                impacts: buffer(&IMPACTS)?,
                earliest: buffer(&EARLIEST)?,
            })
        })
    }

    /// Returns an error if the checker or the query have options that sweeps do not support.
    fn expect_sweeps(&self, query: &SweepQuery<'_>) -> Result<()> {
        if !query.dt.is_finite() || query.dt < 0.0 {
            return Err(Error::InvalidStep {
                what: "dt",
                value: query.dt.into(),
                wanted: "finite and not negative",
            });
        }
        if self.config.margin != 0.0 || query.rules.is_some_and(FrameRules::have_margins) {
            return Err(Error::Unavailable {
                what: "a sweep with a margin",
                hint: "boxes in motion have none; leave it out",
            });
        }
        match self.config.output {
            Output::Pairs => Ok(()),
            _ => Err(Error::Unavailable {
                what: "a sweep without pairs",
                hint: "set `Config::output` to `Output::Pairs`",
            }),
        }
    }
}

/// Number of records whose size is a valid offset of a binding, for every slot used here: 16 units
/// of 16 bytes, or a whole multiple of that.
const ALIGNED: u32 = 16;

/// Returns a binding of a range of records of a slot in a buffer.
fn part<'a>(buffer: &'a wgpu::Buffer, slot: &Slot, records: Range<u32>) -> wgpu::BufferBinding<'a> {
    wgpu::BufferBinding {
        buffer,
        offset: u64::from(records.start) * slot.record,
        size: NonZeroU64::new(u64::from(records.end - records.start) * slot.record),
    }
}

impl Pipeline {
    fn reserve_sweep(&mut self, context: &Context, config: &Config, count: u32) -> Result<()> {
        let boxes = count as usize;
        let room = Room {
            uploaded: uploaded(Shape::Moving, of_first_kind(boxes.max(1) as u64)),
            boxes: u64::from(count.max(1)),
            sweeps: true,
            ..ranges::room_of_frame(&context.limits(), config, boxes, WORDS)
        };
        self.reserve(context, &room)?;
        // As many impacts as stored pairs, because that list may have grown.
        let pairs = u64::from(self.arena.capacity(&PAIRS));
        let new = self.arena.reserve(context, &IMPACTS, pairs)?;
        self.unbind_if(new);
        Ok(())
    }

    /// Records the computation of moving records from the caller's bodies, in place of an upload of
    /// boxes. There is one dispatch for each segment of records, which accesses the corresponding
    /// part of the caller's buffers.
    fn record_records(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        query: &SweepQuery<'_>,
        step: &StepParams,
        watch: &mut Stopwatch,
    ) -> Result<()> {
        let full = context.limits().box_segment() / 2;
        let mut segments = Vec::new();
        for (first, own) in (0..step.count)
            .step_by(full.max(1) as usize)
            .zip(self.arena.segments(&BOXES))
        {
            let of_segment = StepParams {
                count: full.min(step.count - first),
                first,
                first_given: step.unit_of(first) / ALIGNED * ALIGNED,
                first_motion: first / ALIGNED * ALIGNED,
                ..*step
            };
            let params = self.uniforms.with(context, STEP.label, &of_segment)?;
            segments.push((of_segment, params, own));
        }
        let stage = Stage::Bounds;
        let kernel = MOVING_RECORDS.code.entry;
        let mut pass = watch.begin(encoder, Name { stage, kernel });
        for (step, params, own) in &segments {
            let end = step.first + step.count;
            let resources = Resources::new(&self.arena)
                .with_buffer(&STEP, params)
                .with_buffer(&BOXES, own)
                .with(
                    &GIVEN,
                    vec![part(query.bodies, &GIVEN, step.first_given..step.unit_of(end))],
                )
                .with(&MOTIONS, vec![part(query.motions, &MOTIONS, step.first_motion..end)]);
            let run = Run {
                context,
                resources: &resources,
                constants: &[],
                work: step,
                guest: None,
                sizes: None,
            };
            self.kernels.run(&mut pass, &MOVING_RECORDS, &run)?;
        }
        Ok(())
    }

    /// Records the frame of these records, and the tests of its pairs.
    fn record_sweep(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        (count, subject): (u32, &FrameSubject),
        config: &Config,
        watch: &mut Stopwatch,
    ) -> Result<()> {
        let params = Params {
            partial: 1,
            ..self.params_of(context, subject, count as usize, 0..count, config, 0)
        };
        let params_buffer = self.uniforms.with(context, PARAMS.label, &params)?;
        let frame = Frame {
            subject,
            boxes: None,
            params,
            params_buffer: &params_buffer,
            steps: Steps::All,
            config,
            on_device: OnDevice::default(),
        };
        self.encode(context, encoder, &frame, watch)?;
        let constants = self.constants(context, config, subject, &params);
        let resources = resources(context, &self.arena, &frame, &[])?;
        let run = Run {
            context,
            resources: &resources,
            constants: &constants,
            work: &params,
            guest: None,
            sizes: None,
        };
        let kernels = &[&SWEEP_TIMES, &SWEEP_PARTNERS];
        run_all(&mut self.kernels, (encoder, watch), Stage::Narrow, kernels, &run)
    }
}
