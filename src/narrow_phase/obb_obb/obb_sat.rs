//! Dispatcher of `shaders/narrow_phase/obb_obb/obb_sat.wgsl`.

use crate::base::error::Result;
use crate::device::buffers::{Buffers, Inputs};
use crate::device::context::Context;
use crate::device::kernel::{AppendingSource, Kernel, appending_source};
use crate::narrow_phase::obb_obb::narrow_plan::Dispatches;

pub(crate) const SOURCE: AppendingSource = appending_source!(
    "shared/boxes.wgsl",
    "shared/candidates.wgsl",
    "shared/verdicts.wgsl",
    "narrow_phase/obb_obb/sat.wgsl",
    "shared/rotation.wgsl",
    "narrow_phase/obb_obb/obb_sat.wgsl"
);

/// Invocations of a workgroup.
pub(crate) const WORKGROUP: u32 = 256;

/// Tests candidate pairs of scenes in which some box is tilted, and lists those that overlap and those that f32 cannot
/// decide.
pub(crate) struct ObbSat(Kernel);

impl ObbSat {
    pub async fn new(context: &Context) -> Result<Self> {
        Ok(Self(
            Kernel::new(context, SOURCE.on(context), "obb_sat_pairs", WORKGROUP, &[]).await?,
        ))
    }

    pub fn bind(&self, context: &Context, inputs: &Inputs, buffers: &Buffers) -> wgpu::BindGroup {
        self.0.bind_boxes(
            context,
            &inputs.tested(),
            &[
                (0, inputs.params),
                (4, &buffers.candidates),
                (5, &buffers.pairs),
                (6, &buffers.undecided),
                (7, &buffers.degrees),
                (8, &buffers.counters),
            ],
        )
    }

    pub fn record(&self, pass: &mut wgpu::ComputePass, bindings: &wgpu::BindGroup, dispatches: &wgpu::Buffer) {
        self.0
            .dispatch_indirect(pass, bindings, dispatches, Dispatches::ALL_AXES);
    }
}
