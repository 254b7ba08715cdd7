//! Dispatcher of `shaders/obb_sat_f64.wgsl`.

use crate::Result;
use crate::gpu::buffers::{Buffers, Inputs};
use crate::gpu::context::Context;
use crate::gpu::kernel::{Kernel, Source, source};

/// The kernel where the adapter has subgroup operations too.
pub(crate) const SUBGROUP_SOURCE: Source = source!("common.wgsl", "append_subgroup.wgsl", "obb_sat_f64.wgsl");
/// The kernel for every adapter with f64.
pub(crate) const PORTABLE_SOURCE: Source = source!("common.wgsl", "append_portable.wgsl", "obb_sat_f64.wgsl");

/// Invocations of a workgroup.
pub(crate) const WORKGROUP: u32 = 256;

/// Tests the undecided pairs again, lists those that overlap with the others that do, and those that f64 cannot decide
/// in a list of their own.
pub(crate) struct ObbSatF64(Kernel);

impl ObbSatF64 {
    pub async fn new(context: &Context) -> Result<Self> {
        let source = if context.subgroups {
            SUBGROUP_SOURCE
        } else {
            PORTABLE_SOURCE
        };
        Ok(Self(
            Kernel::new(context, source, "obb_sat_f64_pairs", WORKGROUP, &[]).await?,
        ))
    }

    pub fn bind(&self, context: &Context, inputs: &Inputs, buffers: &Buffers) -> wgpu::BindGroup {
        self.0.bind(
            context,
            &[
                (0, inputs.params),
                (1, inputs.at_rest.map_or(inputs.boxes, |scene| &scene.boxes)),
                (2, &buffers.undecided),
                (3, &buffers.unclear),
                (4, &buffers.pairs),
                (5, &buffers.degrees),
                (6, &buffers.counters),
                (7, inputs.boxes),
            ],
        )
    }

    pub fn record(&self, pass: &mut wgpu::ComputePass, bindings: &wgpu::BindGroup, most_undecided: u64) {
        self.0.dispatch_looping(pass, bindings, most_undecided);
    }
}
