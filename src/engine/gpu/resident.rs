//! Checks that stay on the GPU: recorded into the caller's encoder, from a buffer of the caller's, with results in buffers.

use std::sync::atomic::Ordering::Relaxed;

use bytemuck::{Pod, Zeroable};

use crate::base::config::Output;
use crate::base::error::{Error, Result};
use crate::device::buffers::max_pairs;
use crate::engine::gpu::frame_rules::FrameRules;
use crate::engine::gpu::pair_forms::PairBoxes;
use crate::engine::gpu::pipeline::Pipeline;
use crate::engine::gpu::resident_forms::Sets;
use crate::engine::gpu::shape::Shape;
use crate::engine::gpu::{GpuChecker, expect_room};
use crate::engine::prepared::PreparedScene;
use crate::geometry::pair::Pair;

/// Room in the buffers of recorded frames; see [`GpuChecker::reserve`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capacity {
    /// Boxes of a frame.
    pub boxes: usize,
    /// Pairs whose bounds overlap.
    pub candidates: usize,
    /// Colliding pairs.
    pub pairs: usize,
    /// Pairs that `f32` cannot decide.
    pub undecided: usize,
}

/// What a recorded frame found: the contents of [`Recorded::outcome`] once the frame has run.
///
/// In WGSL:
///
/// ```wgsl
/// struct Outcome {
///     workgroups: vec3<u32>,
///     pairs: u32,
///     pairs_needed: u32,
///     candidates_needed: u32,
///     undecided: u32,
///     undecided_needed: u32,
///     suspects: u32,
///     complete: u32,
///     unused_a: u32,
///     unused_b: u32,
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Outcome {
    /// The arguments of an indirect dispatch, at offset 0, with an invocation for each stored pair in workgroups of 64. An
    /// invocation's pair is `(workgroup_id.y * num_workgroups.x + workgroup_id.x) * 64 + local_invocation_index`, if that is
    /// below `pairs`.
    pub workgroups: [u32; 3],
    /// Pairs stored in [`Recorded::pairs`].
    pub pairs: u32,
    /// Pairs found. If there are more than are stored, there was not room for all.
    pub pairs_needed: u32,
    /// Pairs whose bounds overlap; `u32::MAX` if there are more. If there was not room for all, some are not tested, and
    /// the other counts are of those that are.
    pub candidates_needed: u32,
    /// Pairs stored in [`Recorded::undecided`].
    pub undecided: u32,
    /// Pairs that `f32` could not decide; `f64` may have decided some since.
    pub undecided_needed: u32,
    /// Boxes that are not valid: [`Obb::problem`](crate::Obb::problem) tells on the host what is wrong with them. If there are any, nothing
    /// else here means much.
    pub suspects: u32,
    /// 1 if everything was tested, everything that was asked for is stored, and all boxes are valid; else 0.
    pub complete: u32,
    /// Nothing yet.
    pub unused: [u32; 2],
}

impl Outcome {
    /// How the buffer can be used.
    pub(crate) const USAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE
        .union(wgpu::BufferUsages::COPY_SRC)
        .union(wgpu::BufferUsages::INDIRECT);
}

/// Where a recorded frame leaves its results. The buffers can be bound as storage buffers and copied from.
///
/// They belong to the checker: the next frame writes into them again. Commands that use them go between the two, in
/// the same encoder or in one that is submitted in between. Clones of a buffer stay valid when the checker makes a larger
/// one, but no frame recorded afterwards writes to them.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// One [`Outcome`]; also the arguments of an indirect dispatch.
    pub outcome: wgpu::Buffer,
    /// The pairs, as two `u32` each, in any order; empty unless [`Output::Pairs`](crate::Output::Pairs) is asked for.
    /// [`GpuChecker::record_sort`] puts them in order, [`GpuChecker::record_adjacency`] makes every box's row of them.
    pub pairs: wgpu::Buffer,
    /// The pairs that neither `f32` nor the GPU's `f64` could decide, likewise. They touch or nearly do. Only with
    /// [`Precision::Exact`](crate::Precision::Exact): [`Obb::contact`](crate::Obb::contact) decides them on the host.
    pub undecided: wgpu::Buffer,
    /// For every box the number of boxes it collides with, as `u32`; of use only if [`Output::Degrees`](crate::Output::Degrees) is asked for.
    /// Beside pairs they can be had from [`GpuChecker::record_adjacency`].
    pub degrees: wgpu::Buffer,
    /// What the pairs name; `None` if they are not listed.
    pub(super) sets: Option<Sets>,
    /// Their boxes; `None` if they are of something else.
    pub(super) boxes: Option<PairBoxes>,
}

impl GpuChecker {
    /// Makes room for recorded frames, so that they need no new buffers and store all they find.
    ///
    /// Without it, [`GpuChecker::record`] makes room for its boxes, for [`GpuConfig::initial_candidates`] candidate pairs,
    /// and for [`Config::max_pairs`] or [`GpuConfig::initial_pairs`] colliding ones. Nothing ever shrinks. Buffers that have to grow
    /// are replaced: what was recorded before keeps the old ones.
    ///
    /// # Errors
    /// [`Error::LimitExceeded`] beyond the device's limits, [`Error::OutOfDeviceMemory`] beyond its memory.
    ///
    /// [`Config::max_pairs`]: crate::Config::max_pairs
    /// [`GpuConfig::initial_candidates`]: crate::GpuConfig::initial_candidates
    /// [`GpuConfig::initial_pairs`]: crate::GpuConfig::initial_pairs
    pub fn reserve(&mut self, capacity: Capacity) -> Result<()> {
        let (context, config) = (&self.context, &self.config);
        let reserved = pollster::block_on(async {
            let pipeline = match &mut self.pipeline {
                Some(pipeline) => pipeline,
                none => none.insert(Pipeline::new(context, config).await?),
            };
            pipeline.reserve_resident(context, config, &capacity).await
        });
        self.settled(reserved)
    }

    /// Records a check of the first `count` boxes in `boxes` into the caller's encoder.
    ///
    /// Nothing is submitted, waited for, or read back: the boxes may be written by kernels recorded before, and the
    /// results, in the buffers of [`Recorded`], be read by kernels recorded after. Any number of frames may go into one
    /// encoder or submission, each overwriting the results of the one before. A frame of as many boxes in the same
    /// buffer as one before makes no new buffers.
    ///
    /// `boxes` holds [`Obb`](crate::Obb) records (48 bytes; see `shaders/shared/common.wgsl` for the layout in WGSL) and has the usage
    /// `STORAGE`. Results that do not fit are cut off, and [`Outcome`] tells what was needed: read it now and then, and
    /// [`GpuChecker::reserve`] more.
    ///
    /// # Errors
    /// [`Error::InvalidBuffer`] if the buffer is too short or cannot be bound; [`Error::LimitExceeded`] if the device's limits
    /// are too low for so many boxes (recorded frames are not checked in parts), [`Error::OutOfDeviceMemory`] if its
    /// memory is.
    pub fn record(&mut self, encoder: &mut wgpu::CommandEncoder, boxes: &wgpu::Buffer, count: u32) -> Result<Recorded> {
        self.record_shape(encoder, boxes, count, Shape::Obb, None)
    }

    /// [`GpuChecker::record`] with rules about the boxes, from [`GpuChecker::upload_rules`] or
    /// [`GpuChecker::upload_rules_between`].
    ///
    /// # Errors
    /// As [`GpuChecker::record`], and [`Error::InvalidRule`] if the rules are not about such a frame.
    pub fn record_with(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        boxes: &wgpu::Buffer,
        count: u32,
        rules: &FrameRules,
    ) -> Result<Recorded> {
        self.record_shape(encoder, boxes, count, Shape::Obb, Some(rules))
    }

    /// Records the broad phase alone: finds the pairs among the first `count` AABBs in `bounds` that share a point, as
    /// [`Checker::check_bounds`](crate::Checker::check_bounds) does.
    ///
    /// `bounds` holds [`Aabb`](crate::Aabb) records: six `f32`, minimum and maximum, without padding. The pairs are in
    /// [`Recorded::pairs`], for a narrow phase of the caller's that is dispatched with [`Outcome::workgroups`]. Everything else is as with
    /// [`GpuChecker::record`].
    ///
    /// # Errors
    /// As [`GpuChecker::record`].
    pub fn record_bounds(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        bounds: &wgpu::Buffer,
        count: u32,
    ) -> Result<Recorded> {
        self.record_shape(encoder, bounds, count, Shape::Aabb, None)
    }

    /// [`GpuChecker::record_bounds`] with rules, from [`GpuChecker::upload_rules`] or
    /// [`GpuChecker::upload_rules_between`].
    ///
    /// # Errors
    /// As [`GpuChecker::record`], and [`Error::InvalidRule`] if the rules are not about such a frame.
    pub fn record_bounds_with(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        bounds: &wgpu::Buffer,
        count: u32,
        rules: &FrameRules,
    ) -> Result<Recorded> {
        self.record_shape(encoder, bounds, count, Shape::Aabb, Some(rules))
    }

    /// Records a check of the first `count` boxes in `movers` against a scene that this checker has prepared, as
    /// [`Checker::check_against`](crate::Checker::check_against) does: `a` is the position in the scene, `b` that among
    /// the movers, and degrees are those of the movers. Everything else is as with [`GpuChecker::record`].
    ///
    /// # Errors
    /// As [`GpuChecker::record`], and [`Error::ForeignScene`] if the scene is of another device.
    pub fn record_against(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        scene: &PreparedScene,
        movers: &wgpu::Buffer,
        count: u32,
    ) -> Result<Recorded> {
        let at_rest = Box::new(scene.on_device(&self.context)?.clone());
        self.record_shape(encoder, movers, count, Shape::Mover(at_rest), None)
    }

    /// [`GpuChecker::record_against`] with rules about the movers, from [`GpuChecker::upload_rules_against`] for this scene.
    ///
    /// # Errors
    /// As [`GpuChecker::record_against`], and [`Error::InvalidRule`] if the rules are not about such a frame.
    pub fn record_against_with(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        scene: &PreparedScene,
        movers: &wgpu::Buffer,
        count: u32,
        rules: &FrameRules,
    ) -> Result<Recorded> {
        let at_rest = Box::new(scene.on_device(&self.context)?.clone());
        self.record_shape(encoder, movers, count, Shape::Mover(at_rest), Some(rules))
    }

    fn record_shape(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        records: &wgpu::Buffer,
        count: u32,
        shape: Shape,
        rules: Option<&FrameRules>,
    ) -> Result<Recorded> {
        self.context.check_trouble()?;
        let most = shape.most(&self.context.limits());
        expect_room("a recorded frame", count as usize, most)?;
        expect_records(records, count, &shape)?;
        let sets = Sets::of(&shape, count);
        let subject = FrameRules::subject(rules, &self.context, shape, count)?;
        let (context, config) = (&self.context, &self.config);
        context.recorded.store(true, Relaxed);
        let recorded = pollster::block_on(async {
            let pipeline = match &mut self.pipeline {
                Some(pipeline) => pipeline,
                none => none.insert(Pipeline::new(context, config).await?),
            };
            pipeline.reserve(context, count as usize, config).await?;
            let boxes = pipeline.boxes_of_pairs(context, records, count, &subject.shape);
            pipeline
                .record(context, encoder, (records, count, subject), config)
                .await?;
            Ok(Recorded {
                boxes,
                ..pipeline.recorded_buffers((config.output == Output::Pairs).then_some(sets))
            })
        });
        self.settled(recorded)
    }

    /// The outcome of work on the pipeline. One that failed may have lost buffers that it is tied to: it is dropped.
    fn settled<T>(&mut self, outcome: Result<T>) -> Result<T> {
        if outcome.is_err() {
            self.pipeline = None;
        }
        outcome
    }
}

/// An error if a buffer of the caller's cannot hold so many records.
pub(super) fn expect_records(records: &wgpu::Buffer, count: u32, shape: &Shape) -> Result<()> {
    let needed = shape.record_bytes() * u64::from(count.max(1));
    let reason = if !records.usage().contains(wgpu::BufferUsages::STORAGE) {
        "it has not the usage STORAGE".to_owned()
    } else if records.size() < needed {
        format!(
            "it has {} bytes, and {count} records need {needed} (one at least)",
            records.size()
        )
    } else {
        return Ok(());
    };
    Err(Error::InvalidBuffer { reason })
}

impl Pipeline {
    async fn reserve_resident(
        &mut self,
        context: &super::Context,
        config: &crate::base::config::Config,
        capacity: &Capacity,
    ) -> Result<()> {
        let pairs = |count: usize| (count as u64).min(max_pairs(context)) * size_of::<Pair>() as u64;
        self.reserve(context, capacity.boxes, config).await?;
        let mut grown = self
            .buffers
            .candidates
            .reserve(context, pairs(capacity.candidates))
            .await?;
        grown |= self.buffers.pairs.reserve(context, pairs(capacity.pairs)).await?;
        grown |= self.reserve_undecided(context, pairs(capacity.undecided)).await?;
        if grown {
            self.unbind();
        }
        Ok(())
    }

    /// The boxes that the pairs of a frame name, if it is of boxes.
    fn boxes_of_pairs(
        &self,
        context: &super::Context,
        records: &wgpu::Buffer,
        count: u32,
        shape: &Shape,
    ) -> Option<PairBoxes> {
        if *shape == Shape::Aabb {
            return None;
        }
        let bytes = shape.record_bytes() * u64::from(count.max(1));
        let full = context.limits().box_segment_bytes();
        let mut boxes = self.buffers.boxes.bindings_to(records, bytes, full);
        if let Some(scene) = shape.at_rest() {
            boxes.rotate_right(1);
            boxes[0] = scene.boxes.as_entire_buffer_binding();
        }
        let movers = shape.at_rest().is_some();
        Some(PairBoxes::new(&boxes, context.limits().box_segment(), movers))
    }

    fn recorded_buffers(&self, sets: Option<Sets>) -> Recorded {
        Recorded {
            outcome: self.buffers.outcome.clone(),
            pairs: (*self.buffers.pairs).clone(),
            undecided: self.left_pairs().clone(),
            degrees: (*self.buffers.degrees).clone(),
            sets,
            boxes: None,
        }
    }
}
