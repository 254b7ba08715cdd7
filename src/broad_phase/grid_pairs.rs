//! Dispatcher of `shaders/grid_pairs.wgsl`.

use crate::Result;
use crate::gpu::buffers::{Buffers, Inputs};
use crate::gpu::context::Context;
use crate::gpu::kernel::{Kernel, Source, source};

/// The kernel where the adapter has subgroup operations.
pub(crate) const SUBGROUP_SOURCE: Source = source!(
    "common.wgsl",
    "append_subgroup.wgsl",
    "loops.wgsl",
    "grid.wgsl",
    "walk.wgsl",
    "grid_pairs.wgsl"
);
/// The kernel for every adapter.
pub(crate) const PORTABLE_SOURCE: Source = source!(
    "common.wgsl",
    "append_portable.wgsl",
    "loops.wgsl",
    "grid.wgsl",
    "walk.wgsl",
    "grid_pairs.wgsl"
);

/// Invocations of a workgroup: few, as their walks differ in length.
pub(crate) const WORKGROUP: u32 = 64;

/// Finds the candidate pairs of a range of records.
pub(crate) struct GridPairs(Kernel);

impl GridPairs {
    /// The kernel, which counts its work if `count_operations` says so.
    pub async fn new(context: &Context, count_operations: bool) -> Result<Self> {
        let source = if context.subgroups {
            SUBGROUP_SOURCE
        } else {
            PORTABLE_SOURCE
        };
        let constants = [("count_operations", f64::from(count_operations))];
        Ok(Self(
            Kernel::new(context, source, "grid_pairs", WORKGROUP, &constants).await?,
        ))
    }

    pub fn bind(&self, context: &Context, inputs: &Inputs, buffers: &Buffers) -> wgpu::BindGroup {
        self.0.bind(
            context,
            &[
                (0, inputs.params),
                (1, &buffers.plan),
                (2, &buffers.records),
                (3, &buffers.slot_starts),
                (4, &buffers.candidates),
                (5, &buffers.counters),
            ],
        )
    }

    pub fn record(&self, pass: &mut wgpu::ComputePass, bindings: &wgpu::BindGroup, records: u64) {
        self.0.dispatch(pass, bindings, records);
    }
}
