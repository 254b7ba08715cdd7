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
