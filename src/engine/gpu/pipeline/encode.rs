//! The whole pipeline in order: bounds, broad phase, narrow phase in `f32`, and in `f64` if the
//! device supports it.

use std::mem::offset_of;

use crate::base::config::Config;
use crate::base::error::Result;
use crate::base::stage::Stage;
use crate::broad_phase::passes::{Keeps, Pass, What};
use crate::device::buffers::{Arena, Resources, Uniforms, segments_of};
use crate::device::context::Context;
use crate::device::dispatch::{Kernels, Run};
use crate::device::kernel::Kernel;
use crate::device::timestamps::{Name, Stopwatch};
use crate::engine::gpu::deactivate::{ACTIVE, DEACTIVATE};
use crate::engine::gpu::finish::FINISH;
use crate::engine::gpu::kernels::{bounds_of, counted_bounds_of};
use crate::engine::gpu::pipeline::counted::Counted;
use crate::engine::gpu::pipeline::frame::{Asked, Frame, OnDevice, Steps};
use crate::engine::gpu::pipeline::{KeptOrder, Pipeline};
use crate::frame::params::Params;
use crate::frame::slots::{
    BOUNDS, BOXES, CANDIDATES, DEGREES, FOUND, MOVERS, PAIRS, PARAMS, RULES_A, RULES_B, SEGMENT, STATS, TESTED,
};
use crate::frame::visitor::FrameVisitor;
use crate::geometry::scene_stats::SceneStats;
use crate::outputs::image_degrees::ADD_DEGREES;
use crate::outputs::image_pairs::IMAGES_OF_PAIRS;

impl Pipeline {
    /// Records a frame from its first step: the whole pipeline.
    pub(crate) fn encode(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        frame: &Frame,
        watch: &mut Stopwatch,
    ) -> Result<()> {
        let (subject, params, steps) = (frame.subject, &frame.params, frame.steps);
        let broad_phase = self.broad_phase;
        let narrow = subject.narrow_phase(params.has_margin());
        let segment_buffers =
            [0, 1, 2].map(|number: u32| self.uniforms.with(context, SEGMENT.label, &[number, 0, 0, 0]));
        let segment_buffers = segment_buffers.into_iter().collect::<Result<Vec<_>>>()?;
        let constants = self.constants(context, frame.config, subject, params);
        let (arena, kernels) = (&self.arena, &mut self.kernels);
        let resources = resources(context, arena, frame, &segment_buffers)?;
        let run = Run {
            context,
            resources: &resources,
            constants: &constants,
            work: params,
            guest: frame.on_device.visitor.map(FrameVisitor::guest),
            sizes: frame.on_device.sizes,
        };

        let (counters, stats, cleared) = (arena.buffer(&CANDIDATES)?, arena.buffer(&STATS)?, steps.cleared());
        encoder.clear_buffer(counters, cleared.start, Some(cleared.end - cleared.start));
        if matches!(steps, Steps::All | Steps::GivenPairs) {
            encoder.clear_buffer(stats, 0, None);
            if let Some(at_rest) = &subject.at_rest {
                let tilted = offset_of!(SceneStats, tilted) as u64;
                encoder.copy_buffer_to_buffer(&at_rest.tilted, 0, stats, tilted, size_of::<u32>() as u64);
            }
            let counts = params.refit > 0 && broad_phase.keeps == Keeps::Plan;
            let bounds = if counts { counted_bounds_of } else { bounds_of };
            let deactivate = frame.on_device.active.map(|_| &DEACTIVATE);
            let all: Vec<_> = bounds(subject.shape).iter().copied().chain(deactivate).collect();
            run_all(kernels, (encoder, watch), Stage::Bounds, &all, &run)?;
        }
        if steps == Steps::All && subject.at_rest.is_none() {
            if params.refit == 0 {
                for slot in broad_phase.cleared {
                    encoder.clear_buffer(arena.buffer(slot)?, 0, None);
                }
                self.order = None;
            }
            for pass in broad_phase.sort {
                run_pass(kernels, (encoder, watch), pass, &run, &mut self.uniforms)?;
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
            finish(kernels, (encoder, watch), frame, &run)?;
        }
        Ok(())
    }

    /// Records a frame without waiting for it. Returns `true` if it keeps the order of the last
    /// frame.
    pub(crate) fn record(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        asked: &Asked<'_>,
        config: &Config,
        watch: &mut Stopwatch,
    ) -> Result<bool> {
        let &Asked { subject, count, .. } = asked;
        // An order is for one number of bodies.
        let (order, is_there) = match asked.counted {
            None => self.order_of(subject, count),
            Some(_) => (None, false),
        };
        let (kept, order) = match (self.broad_phase.keeps, order) {
            (Keeps::Order, order) => (asked.refit && is_there, order),
            (Keeps::Plan, order) => KeptOrder::next(order, is_there),
        };
        let params = Params {
            partial: 1,
            order: order.as_ref().map_or(0, |order| order.number),
            refit: u32::from(kept),
            visits_undecided: asked.visitor.map_or(0, |visitor| u32::from(visitor.visits_undecided())),
            ..self.params_of(context, subject, count as usize, 0..count, config, 0)
        };
        self.prepare_visitor(context, asked, config, &params)?;
        watch.open(encoder)?;
        if params.output == Params::DEGREES {
            encoder.clear_buffer(self.arena.buffer(&DEGREES)?, 0, None);
        }
        // Several frames may be pending in one encoder, so their parameters must not be
        // overwritten.
        let counted = self.count_bodies(context, (encoder, watch), asked, &params)?;
        let params_buffer = match &counted {
            None => self.uniforms.with(context, PARAMS.label, &params)?,
            Some(counted) => counted.params.clone(),
        };
        let frame = Frame {
            subject,
            boxes: Some(asked.records),
            params,
            params_buffer: &params_buffer,
            steps: Steps::All,
            config,
            on_device: OnDevice {
                visitor: asked.visitor,
                active: asked.active,
                images: asked.images,
                sizes: counted.as_ref().map(Counted::sizes),
            },
        };
        self.encode(context, encoder, &frame, watch)?;
        watch.close(encoder);
        watch.resolve(encoder, None);
        if order.is_some() {
            self.order = order;
        }
        Ok(kept && self.broad_phase.keeps == Keeps::Order)
    }

    /// Compiles the kernels that call the caller's function, and binds its buffers, before anything
    /// is recorded.
    fn prepare_visitor(
        &mut self,
        context: &Context,
        asked: &Asked<'_>,
        config: &Config,
        params: &Params,
    ) -> Result<()> {
        let Some(visitor) = asked.visitor else {
            return Ok(());
        };
        let constants = self.constants(context, config, asked.subject, params);
        let narrow = asked.subject.narrow_phase(params.has_margin());
        let f64 = narrow.f64.filter(|_| params.has_f64 > 0);
        for kernel in narrow.tests.iter().copied().chain(f64) {
            self.kernels
                .prepare_with(context, &kernel.code, &constants, &visitor.guest())?;
        }
        Ok(())
    }
}

/// Runs the kernels at the end of a recorded frame.
fn finish(
    kernels: &mut Kernels,
    (encoder, watch): (&mut wgpu::CommandEncoder, &mut Stopwatch),
    frame: &Frame,
    run: &Run<Params>,
) -> Result<()> {
    if let (Some(images), Params::DEGREES) = (frame.on_device.images, frame.params.output) {
        let resources = &run.resources.clone().with_buffer(&IMAGES_OF_PAIRS, images);
        let run = Run { resources, ..*run };
        run_all(kernels, (encoder, watch), Stage::Other, &[&ADD_DEGREES], &run)?;
    }
    run_all(kernels, (encoder, watch), Stage::Other, &[&FINISH], run)
}

/// Runs kernels of a stage one after the other, in one pass, or in a pass each if each is timed.
pub(crate) fn run_all(
    kernels: &mut Kernels,
    (encoder, watch): (&mut wgpu::CommandEncoder, &mut Stopwatch),
    stage: Stage,
    all: &[&'static Kernel<Params>],
    run: &Run<Params>,
) -> Result<()> {
    let all: Vec<_> = all.iter().map(|kernel| (*kernel, run.resources)).collect();
    run_each(kernels, (encoder, watch), stage, &all, run)
}

/// Like [`run_all`], with separate resources for each kernel.
fn run_each(
    kernels: &mut Kernels,
    (encoder, watch): (&mut wgpu::CommandEncoder, &mut Stopwatch),
    stage: Stage,
    all: &[(&'static Kernel<Params>, &Resources)],
    run: &Run<Params>,
) -> Result<()> {
    for of_pass in all.chunks(watch.kernels_a_pass()) {
        let kernel = of_pass[0].0.code.entry;
        let mut pass = watch.begin(encoder, Name { stage, kernel });
        for &(kernel, resources) in of_pass {
            kernels.run(&mut pass, kernel, &Run { resources, ..*run })?;
        }
    }
    Ok(())
}

/// Runs the steps of a broad phase that have work to do.
fn run_pass(
    kernels: &mut Kernels,
    (encoder, watch): (&mut wgpu::CommandEncoder, &mut Stopwatch),
    pass: &'static Pass,
    run: &Run<Params>,
    uniforms: &mut Uniforms,
) -> Result<()> {
    let mut steps = Vec::new();
    for step in pass.steps.iter().filter(|step| (step.when)(run.work)) {
        let mut resources = Vec::with_capacity(step.bound.len());
        for (slot, what) in step.bound {
            resources.push(match what {
                What::Buffer(other) => (*slot, run.resources.of(other)?, None),
                What::Numbers(numbers) => (
                    *slot,
                    Vec::new(),
                    Some(uniforms.with(run.context, slot.label, numbers)?),
                ),
            });
        }
        steps.push((step.on(run.context), resources));
    }
    let bound: Vec<_> = steps
        .iter()
        .map(|(_, bound)| {
            bound
                .iter()
                .fold(run.resources.clone(), |all, (slot, bindings, uniform)| match uniform {
                    Some(buffer) => all.with_buffer(slot, buffer),
                    None => all.with(slot, bindings.clone()),
                })
        })
        .collect();
    let all: Vec<_> = steps
        .iter()
        .zip(&bound)
        .flat_map(|((kernels, _), resources)| kernels.iter().map(move |kernel| (*kernel, resources)))
        .collect();
    run_each(kernels, (encoder, watch), pass.stage, &all, run)
}

/// Returns the resources of a frame's kernels at the slots that the arena does not hold, or for
/// which it holds something else.
pub(crate) fn resources<'a>(
    context: &Context,
    arena: &'a Arena,
    frame: &'a Frame<'a>,
    segments: &'a [wgpu::Buffer],
) -> Result<Resources<'a>> {
    let (subject, params) = (frame.subject, &frame.params);
    let own_boxes = || arena.segments(&BOXES).map(wgpu::Buffer::as_entire_buffer_binding);
    let boxes: Vec<_> = match frame.boxes {
        None => own_boxes().collect(),
        Some(buffer) => segments_of(context, &BOXES, buffer, subject.bound()),
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
    if let Some(active) = frame.on_device.active {
        resources = resources.with_buffer(&ACTIVE, active);
    }
    if let Some(at_rest) = &subject.at_rest {
        resources = resources
            .with_buffer(&MOVERS, arena.buffer(&BOUNDS)?)
            .with_buffer(&RULES_A, &at_rest.rules);
        for (slot, buffer) in &at_rest.sorted {
            resources = resources.with_buffer(slot, buffer);
        }
        let mut tested = boxes.clone();
        tested.rotate_right(1);
        tested[0] = at_rest.boxes.as_entire_buffer_binding();
        return Ok(resources.with(&BOXES, boxes).with(&TESTED, tested));
    }
    Ok(resources.with(&TESTED, boxes.clone()).with(&BOXES, boxes))
}
