//! Dispatcher of `shaders/broad_phase/grid/grid_probe.wgsl`.

use crate::base::error::Result;
use crate::device::buffers::{Buffers, Inputs};
use crate::device::context::Context;
use crate::device::kernel::{Kernel, Source, source};
use crate::rules::list::RULES_B;

pub(crate) const SOURCE: Source = source!(
    "shared/common.wgsl",
    "shared/bounds.wgsl",
    "broad_phase/grid/grid.wgsl",
    "rules/rules.wgsl",
    "broad_phase/grid/grid_probe.wgsl"
);

/// Invocations of a workgroup.
pub(crate) const WORKGROUP: u32 = 256;

/// Measures how crowded cells of each size would be.
pub(crate) struct GridProbe(Kernel);

impl GridProbe {
    /// The kernel, which asks for the boxes' worlds if it is `ruled`.
    pub async fn new(context: &Context, ruled: bool) -> Result<Self> {
        let constants = [("ruled", f64::from(ruled))];
        Ok(Self(
            Kernel::new(context, SOURCE, "grid_probe", WORKGROUP, &constants).await?,
        ))
    }

    pub fn bind(&self, context: &Context, inputs: &Inputs, buffers: &Buffers) -> wgpu::BindGroup {
        self.0.bind(
            context,
            &[
                (0, inputs.params),
                (1, &buffers.bounds[0]),
                (2, &buffers.bounds[1]),
                (3, &buffers.groups),
                (4, &buffers.probe_table),
                (RULES_B, inputs.rules[1]),
            ],
        )
    }

    pub fn record(&self, pass: &mut wgpu::ComputePass, bindings: &wgpu::BindGroup, samples: u32) {
        self.0.dispatch(pass, bindings, u64::from(samples));
    }
}
