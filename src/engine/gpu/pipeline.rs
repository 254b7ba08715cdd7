//! The GPU pipeline: its kernels and memory. `encode.rs` contains all of its steps in order.
//! `ranges.rs` runs it for checks that return to the host, and `recording.rs` for frames that stay
//! on the GPU.

mod counted;
pub(super) mod encode;
pub(super) mod findings;
pub(super) mod frame;
mod parameters;
mod submit;
mod upload;

use crate::base::config::Config;
use crate::base::error::Result;
use crate::broad_phase::passes::{self, BroadPhase};
use crate::device::buffers::{Arena, Owned, Staging, Uniforms};
use crate::device::context::Context;
use crate::device::dispatch::Kernels;
use crate::device::timestamps::{Detail, Stopwatch};
use crate::engine::gpu::count_bodies::{ARGUMENTS, COUNTED};
use crate::engine::gpu::limits::candidate_records;
use crate::engine::gpu::pipeline::findings::Expected;
use crate::engine::gpu::subject::FrameSubject;
use crate::engine::gpu::submission_budget::Pace;
use crate::frame::outcome::OUTCOME;
use crate::frame::params::Params;
use crate::frame::room::Room;
use crate::frame::slots::{self, CANDIDATES, PAIRS, UNDECIDED};
use crate::geometry::rounding::above;
use crate::narrow_phase::moving_moving::sweep_times;
use crate::shapes::moving::moving_records;

/// The kernels and their working memory.
pub(crate) struct Pipeline {
    pub(super) kernels: Kernels,
    pub(crate) arena: Arena,
    pub(super) uniforms: Uniforms,
    /// The parameters of the uploaded frame, which change between submissions.
    params: wgpu::Buffer,
    pub(super) staging: Staging,
    stopwatch: Stopwatch,
    /// The uploaded frame.
    pub(super) subject: FrameSubject,
    /// The size of the last check's findings, and a little more. This much is read together with
    /// the summary.
    expected: Expected,
    /// The amount of work given to a submission.
    pub(crate) pace: Pace,
    /// The order left by the last recorded frame, which the next frame may keep.
    order: Option<KeptOrder>,
    /// The number of orders created so far.
    orders: u32,
    /// The broad phase, which finds the candidate pairs.
    pub(super) broad_phase: &'static BroadPhase,
    /// The maximum number of candidate pairs of a range. Smaller in tests of divided ranges.
    pub(crate) most_candidates: u32,
}

/// Returns the buffers of a pipeline with this broad phase.
pub(super) fn buffers(broad_phase: &'static BroadPhase) -> impl Iterator<Item = &'static [Owned<Room>]> {
    const OWN: &[Owned<Room>] = &[
        Owned::of(&OUTCOME, |_| 1),
        Owned::of(&COUNTED, |_| 1),
        Owned::of(&ARGUMENTS, |_| 1),
    ];
    const OF_SWEEPS: [&[Owned<Room>]; 2] = [moving_records::BUFFERS, sweep_times::BUFFERS];
    let of_broad_phase = broad_phase.buffers.iter().copied();
    of_broad_phase.chain([slots::BUFFERS, OWN]).chain(OF_SWEEPS)
}

impl Pipeline {
    pub fn new(context: &Context, config: &Config) -> Result<Self> {
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let broad_phase = passes::chosen(config.broad_phase);
        let mut pipeline = Self {
            kernels: Kernels::default(),
            arena: Arena::new(context, buffers(broad_phase).flatten().map(|owned| owned.slot))?,
            uniforms: Uniforms::default(),
            params: context.buffer("parameters", size_of::<Params>() as u64, usage)?,
            staging: Staging::new(context)?,
            stopwatch: Stopwatch::new(context, Detail::Passes, 1)?,
            subject: FrameSubject::default(),
            expected: Expected::default(),
            pace: Pace::default(),
            order: None,
            orders: 0,
            broad_phase,
            most_candidates: u32::MAX,
        };
        pipeline.compile(context, config)?;
        Ok(pipeline)
    }

    /// Compiles the kernels for checks of boxes without rules. All others are compiled on first
    /// use.
    fn compile(&mut self, context: &Context, config: &Config) -> Result<()> {
        let subject = FrameSubject::default();
        let params = Params {
            margin: above(config.margin),
            ..Params::default()
        };
        let constants = self.constants(context, config, &subject, &params);
        for kernel in self.kernels_of(context, &subject, &params) {
            self.kernels.prepare(context, &kernel.code, &constants)?;
        }
        Ok(())
    }

    /// Returns the pipeline constants of a frame.
    pub(super) fn constants(
        &self,
        context: &Context,
        config: &Config,
        subject: &FrameSubject,
        params: &Params,
    ) -> [(&'static str, f64); 9] {
        [
            ("ruled", f64::from(subject.rules.is_some())),
            ("asks", f64::from(subject.asks)),
            ("imaged", f64::from(params.has_images())),
            ("count_operations", f64::from(config.count_operations)),
            ("split", f64::from(params.is_split())),
            ("queued", f64::from(subject.is_queued())),
            ("neighbours", f64::from(subject.neighbours as u8)),
            ("rounded", f64::from(subject.rounded)),
            ("most_workgroups", f64::from(context.limits().looping_workgroups)),
        ]
    }

    /// Returns the number of bytes of GPU memory held.
    pub fn device_bytes(&self) -> u64 {
        self.arena.bytes() + self.staging.buffer.size()
    }

    /// Reserves memory for all buffers of a frame.
    pub(super) fn reserve(&mut self, context: &Context, room: &Room) -> Result<()> {
        let mut new = false;
        for owned in buffers(self.broad_phase) {
            new |= self.arena.reserve_all(context, owned, room)?;
        }
        self.unbind_if(new);
        Ok(())
    }

    /// Reserves memory for this many candidate pairs at a time.
    pub(super) fn reserve_candidates(&mut self, context: &Context, pairs: u64) -> Result<()> {
        let records = candidate_records(pairs, self.subject.words_of_candidate());
        let new = self.arena.reserve(context, &CANDIDATES, records)?;
        self.unbind_if(new);
        Ok(())
    }

    /// Reserves memory for the pairs that the narrow phase has counted.
    pub(super) fn reserve_found(&mut self, context: &Context, pairs: u64, undecided: u64) -> Result<()> {
        let new = self.arena.reserve(context, &PAIRS, pairs)? | self.arena.reserve(context, &UNDECIDED, undecided)?;
        self.unbind_if(new);
        Ok(())
    }

    /// Drops everything bound to the buffers if one of them is new.
    pub(super) fn unbind_if(&mut self, new: bool) {
        if new {
            self.kernels.forget_bindings();
            self.order = None;
        }
    }
}

/// An order of records, or a plan for them, that recorded frames can keep, and the records it
/// belongs to.
#[derive(Clone)]
pub(super) struct KeptOrder {
    count: u32,
    /// The list of rules, if they have worlds.
    worlds: Option<wgpu::Buffer>,
    /// The number by which the device recognizes the order. Any order of this many records and
    /// these worlds is suitable.
    number: u32,
    /// The number of frames that have kept it. A plan is not kept forever, because it reflects the
    /// crowding of the frame that it was made in.
    times: u32,
}

/// Maximum number of frames that keep a plan before another is made.
const MOST_TIMES: u32 = 63;

impl KeptOrder {
    /// Returns `true` if the next frame may keep an existing plan, and the order that this frame
    /// leaves.
    fn next(order: Option<Self>, is_there: bool) -> (bool, Option<Self>) {
        let kept = is_there && order.as_ref().is_some_and(|order| order.times < MOST_TIMES);
        let times = |order: Self| if kept { order.times + 1 } else { 0 };
        (
            kept,
            order.map(|order| Self {
                times: times(order.clone()),
                ..order
            }),
        )
    }
}

impl Pipeline {
    /// Returns the order, or the plan, that a frame of this many records makes or keeps, unless
    /// there are records at rest, and `true` if it is the one that the last frame has left.
    fn order_of(&mut self, subject: &FrameSubject, count: u32) -> (Option<KeptOrder>, bool) {
        if subject.at_rest.is_some() {
            return (None, false);
        }
        let worlds = subject.rules.clone().filter(|_| subject.worlds || subject.layers);
        let of_these = |kept: &&KeptOrder| (kept.count, &kept.worlds) == (count, &worlds);
        if let Some(kept) = self.order.as_ref().filter(of_these) {
            return (Some(kept.clone()), true);
        }
        // 0 is not a valid number, because new buffers contain it.
        self.orders = self.orders.checked_add(1).unwrap_or(1);
        let number = self.orders;
        let (kept, there) = (
            KeptOrder {
                count,
                worlds,
                number,
                times: 0,
            },
            false,
        );
        (Some(kept), there)
    }
}
