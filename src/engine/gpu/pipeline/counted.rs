//! Frames whose number of bodies the device has decided.

use crate::base::error::Result;
use crate::base::stage::Stage;
use crate::device::buffers::Resources;
use crate::device::context::Context;
use crate::device::dispatch::{DeviceSizes, Run};
use crate::device::kernel::Kernel;
use crate::device::timestamps::{Name, Stopwatch};
use crate::engine::gpu::count_bodies::{ARGUMENTS, COUNT, COUNT_BODIES, COUNTED, Dispatch, GIVEN, SIZES, sizes};
use crate::engine::gpu::deactivate::DEACTIVATE;
use crate::engine::gpu::kernels::bounds_of;
use crate::engine::gpu::pipeline::Pipeline;
use crate::engine::gpu::pipeline::frame::Asked;
use crate::engine::gpu::subject::FrameSubject;
use crate::frame::params::Params;

/// The parameters and the dispatches of a frame that a kernel computes before all others.
pub(super) struct Counted {
    /// The parameters for as many bodies as there are.
    pub params: wgpu::Buffer,
    dispatches: Vec<Dispatch>,
    arguments: wgpu::Buffer,
}

impl Counted {
    /// Returns the sizes of the dispatches.
    pub fn sizes(&self) -> DeviceSizes<'_> {
        DeviceSizes {
            dispatches: &self.dispatches,
            arguments: &self.arguments,
        }
    }
}

impl Pipeline {
    /// Returns the kernels of a frame, in order.
    pub(super) fn kernels_of(
        &self,
        context: &Context,
        subject: &FrameSubject,
        params: &Params,
    ) -> Vec<&'static Kernel<Params>> {
        let broad_phase = self.broad_phase;
        let mut all = bounds_of(subject.shape).to_vec();
        match subject.at_rest {
            Some(_) => all.push(broad_phase.against),
            None => {
                let steps = broad_phase.sort.iter().flat_map(|pass| pass.steps);
                let steps = steps.filter(|step| (step.when)(params));
                all.extend(steps.flat_map(|step| step.on(context)));
                all.push(broad_phase.pairs);
            }
        }
        let narrow = subject.narrow_phase(params.has_margin());
        all.extend(narrow.tests);
        all.extend(narrow.f64.filter(|_| context.f64));
        all
    }

    /// Records the kernel that takes over the number of bodies from the caller's buffer. Returns
    /// `None` if the frame has no such buffer.
    pub(super) fn count_bodies(
        &mut self,
        context: &Context,
        (encoder, watch): (&mut wgpu::CommandEncoder, &mut Stopwatch),
        asked: &Asked<'_>,
        params: &Params,
    ) -> Result<Option<Counted>> {
        let Some(count) = asked.counted else {
            return Ok(None);
        };
        let mut kernels = self.kernels_of(context, asked.subject, params);
        kernels.extend(asked.active.map(|_| &DEACTIVATE));
        let (dispatches, table) = match context.sizes_on_device {
            true => sizes(context, &kernels, params),
            false => (Vec::new(), Vec::new()),
        };
        let given = self.uniforms.with(context, GIVEN.label, params)?;
        // A binding has at least one number.
        let table = if table.is_empty() { vec![0] } else { table };
        let table = self
            .uniforms
            .with_usage(context, SIZES.label, &table, wgpu::BufferUsages::STORAGE)?;
        let resources = Resources::new(&self.arena)
            .with_buffer(&GIVEN, &given)
            .with_buffer(&COUNT, count)
            .with_buffer(&SIZES, &table);
        let run = Run {
            context,
            resources: &resources,
            constants: &[],
            work: params,
            guest: None,
            sizes: None,
        };
        let name = Name {
            stage: Stage::Bounds,
            kernel: COUNT_BODIES.code.entry,
        };
        self.kernels.run(&mut watch.begin(encoder, name), &COUNT_BODIES, &run)?;
        let buffer = |slot| self.arena.buffer(slot).cloned();
        Ok(Some(Counted {
            params: buffer(&COUNTED)?,
            dispatches,
            arguments: buffer(&ARGUMENTS)?,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::config::{Backend, BroadPhase, Config};
    use crate::checker::Checker;
    use crate::device::buffers::Slot;
    use crate::device::dispatch::groups_of;
    use crate::engine::gpu::engine::GpuEngine;
    use crate::engine::gpu::recorded::FrameQuery;
    use crate::made_up::{self, Scene};
    use crate::shapes::kind::Shape;

    const MOST: u32 = 5000;

    fn read<T: bytemuck::Pod>(engine: &mut GpuEngine, slot: &'static Slot, count: u32) -> Vec<T> {
        let buffer = engine
            .pipeline
            .as_ref()
            .expect("it has run")
            .arena
            .buffer(slot)
            .cloned();
        pollster::block_on(engine.read(&buffer.expect("a buffer"), count)).expect("the device works")
    }

    /// Checks that the device has the parameters that a host would make for as many bodies, and
    /// that every dispatch whose size depends on them is that of the next power of two.
    #[test]
    fn the_device_counts_as_the_host_does() {
        for broad_phase in [BroadPhase::Grid, BroadPhase::Lbvh] {
            let config = Config {
                backend: Backend::Gpu,
                broad_phase,
                ..Config::default()
            };
            let mut checker = Checker::new(config.clone()).expect("a GPU adapter, a software one will do");
            let engine = checker.gpu().expect("a GPU");
            let boxes = made_up::boxes(Scene::Uniform, MOST as usize, 1);
            let buffer = engine.upload(&boxes).expect("a buffer");
            for number in [0, 1, 5, 256, 4097, 5000, 9000] {
                let count = engine.upload(&[number]).expect("a buffer");
                let mut encoder = engine.context.device.create_command_encoder(&Default::default());
                let query = FrameQuery::boxes(&buffer, MOST).counted(&count);
                engine.record(&mut encoder, query).expect("a recorded frame");
                engine.context.queue.submit([encoder.finish()]);
                let found: Vec<Params> = read(engine, &COUNTED, 1);
                let arguments: Vec<[u32; 3]> = read(engine, &ARGUMENTS, 100);

                let (context, pipeline) = (&engine.context, engine.pipeline.as_ref().expect("it has run"));
                let subject = FrameSubject {
                    shape: Shape::Obb,
                    counts: [MOST.into(), 0, 0],
                    ..FrameSubject::default()
                };
                let all = pipeline.params_of(context, &subject, MOST as usize, 0..MOST, &config, 0);
                let all = Params { partial: 1, ..all };
                let bodies = number.min(MOST);
                let expected = Params {
                    bodies_needed: number,
                    ..all.of_first(bodies)
                };
                assert_eq!(found, [expected], "{broad_phase}, {number} bodies");
                let next = if bodies == 0 {
                    0
                } else {
                    bodies.next_power_of_two().min(MOST)
                };
                let kernels = pipeline.kernels_of(context, &subject, &all);
                let (dispatches, _) = sizes(context, &kernels, &all);
                assert!(dispatches.len() > 5, "{} dispatches", dispatches.len());
                for ((code, segment), found) in dispatches.iter().zip(arguments) {
                    let kernel = kernels
                        .iter()
                        .find(|kernel| std::ptr::eq(&raw const kernel.code, *code));
                    let groups = groups_of(context, kernel.expect("one of them"), &all.of_first(next))[*segment];
                    assert_eq!(found, [groups, 1, 1], "{broad_phase}, {number} bodies: {}", code.entry);
                }
            }
        }
    }
}
