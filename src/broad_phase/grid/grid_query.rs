//! Dispatcher of `shaders/broad_phase/grid/grid_query.wgsl`.

use crate::base::error::Result;
use crate::device::buffers::{Buffers, Inputs};
use crate::device::context::Context;
use crate::device::kernel::{AppendingSource, Kernel, appending_source};
use crate::engine::gpu::scene::SceneAtRest;
use crate::rules::list::{RULES_A, RULES_B};

pub(crate) const SOURCE: AppendingSource = appending_source!(
    "shared/loops.wgsl",
    "broad_phase/grid/grid.wgsl",
    "rules/rules.wgsl",
    "broad_phase/grid/walk.wgsl",
    "broad_phase/grid/grid_query.wgsl"
);

/// Invocations of a workgroup: few, as their walks differ in length.
pub(crate) const WORKGROUP: u32 = 64;

/// Finds the candidate pairs of a range of movers with boxes at rest.
pub(crate) struct GridQuery(Kernel);

impl GridQuery {
    /// The kernel, which counts its work if `count_operations` says so, and asks the rules if it is `ruled`.
    pub async fn new(context: &Context, count_operations: bool, ruled: bool) -> Result<Self> {
        let constants = [
            ("count_operations", f64::from(count_operations)),
            ("ruled", f64::from(ruled)),
        ];
        Ok(Self(
            Kernel::new(context, SOURCE.on(context), "grid_query", WORKGROUP, &constants).await?,
        ))
    }

    pub fn bind(
        &self,
        context: &Context,
        inputs: &Inputs,
        at_rest: &SceneAtRest,
        buffers: &Buffers,
    ) -> wgpu::BindGroup {
        self.0.bind(
            context,
            &[
                (0, inputs.params),
                (1, &at_rest.plan),
                (2, &at_rest.records),
                (3, &at_rest.slot_starts),
                (4, &buffers.bounds[0]),
                (5, &buffers.candidates),
                (6, &buffers.counters),
                (RULES_A, inputs.rules[0]),
                (RULES_B, inputs.rules[1]),
            ],
        )
    }

    pub fn record(&self, pass: &mut wgpu::ComputePass, bindings: &wgpu::BindGroup, movers: u64) {
        self.0.dispatch(pass, bindings, movers);
    }
}
