//! Dispatcher of `shaders/obb_distance.wgsl`.

use crate::Result;
use crate::gpu::buffers::{Buffers, Inputs};
use crate::gpu::context::Context;
use crate::gpu::kernel::{Kernel, Source, source};

/// The kernel where the adapter has subgroup operations.
pub(crate) const SUBGROUP_SOURCE: Source = source!(
    "common.wgsl",
    "append_subgroup.wgsl",
    "candidates.wgsl",
    "obb_distance.wgsl"
);
/// The kernel for every adapter.
pub(crate) const PORTABLE_SOURCE: Source = source!(
    "common.wgsl",
    "append_portable.wgsl",
    "candidates.wgsl",
    "obb_distance.wgsl"
);

/// Invocations of a workgroup.
pub(crate) const WORKGROUP: u32 = 256;

/// Tests candidate pairs, and lists those that are within the margin and those that f32 cannot decide.
pub(crate) struct ObbDistance(Kernel);

impl ObbDistance {
    pub async fn new(context: &Context) -> Result<Self> {
        let source = if context.subgroups {
            SUBGROUP_SOURCE
        } else {
            PORTABLE_SOURCE
        };
        let kernel = Kernel::new(context, source, "obb_distance_pairs", WORKGROUP, &[]).await?;
        Ok(Self(kernel))
    }

    pub fn bind(&self, context: &Context, inputs: &Inputs, buffers: &Buffers) -> wgpu::BindGroup {
        self.0.bind(
            context,
            &[
                (0, inputs.params),
                (1, inputs.at_rest.map_or(inputs.boxes, |scene| &scene.boxes)),
                (2, &buffers.candidates),
                (3, &buffers.pairs),
                (4, &buffers.undecided),
                (5, &buffers.degrees),
                (6, &buffers.counters),
                (7, inputs.boxes),
            ],
        )
    }

    pub fn record(&self, pass: &mut wgpu::ComputePass, bindings: &wgpu::BindGroup, most_candidates: u64) {
        self.0.dispatch_looping(pass, bindings, most_candidates);
    }
}
