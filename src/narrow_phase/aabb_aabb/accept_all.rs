//! Dispatcher of `shaders/narrow_phase/aabb_aabb/accept_all.wgsl`.

use crate::base::error::Result;
use crate::device::buffers::{Buffers, Inputs};
use crate::device::context::Context;
use crate::device::kernel::{Kernel, Source, source};

pub(crate) const SOURCE: Source = source!(
    "shared/common.wgsl",
    "shared/candidates.wgsl",
    "narrow_phase/aabb_aabb/accept_all.wgsl"
);

/// Invocations of a workgroup.
pub(crate) const WORKGROUP: u32 = 256;

/// Takes every candidate pair for one to report.
pub(crate) struct AcceptAll(Kernel);

impl AcceptAll {
    pub async fn new(context: &Context) -> Result<Self> {
        Ok(Self(Kernel::new(context, SOURCE, "accept_all", WORKGROUP, &[]).await?))
    }

    pub fn bind(&self, context: &Context, inputs: &Inputs, buffers: &Buffers) -> wgpu::BindGroup {
        self.0.bind(
            context,
            &[
                (0, inputs.params),
                (1, &buffers.candidates),
                (2, &buffers.pairs),
                (3, &buffers.degrees),
                (4, &buffers.counters),
            ],
        )
    }

    pub fn record(&self, pass: &mut wgpu::ComputePass, bindings: &wgpu::BindGroup, most_candidates: u64) {
        self.0.dispatch_looping(pass, bindings, most_candidates);
    }
}
