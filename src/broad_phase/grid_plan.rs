//! Dispatcher of `shaders/grid_plan.wgsl`.

use crate::Result;
use crate::gpu::buffers::Buffers;
use crate::gpu::context::Context;
use crate::gpu::kernel::{Kernel, Source, source};

pub(crate) const SOURCE: Source = source!("common.wgsl", "grid.wgsl", "grid_plan.wgsl");

/// Invocations of a workgroup.
pub(crate) const WORKGROUP: u32 = 1;

/// Plans the grid from the statistics.
pub(crate) struct GridPlan(Kernel);

impl GridPlan {
    pub async fn new(context: &Context) -> Result<Self> {
        Ok(Self(Kernel::new(context, SOURCE, "grid_plan", WORKGROUP, &[]).await?))
    }

    pub fn bind(&self, context: &Context, buffers: &Buffers) -> wgpu::BindGroup {
        self.0.bind(context, &[(0, &buffers.stats), (1, &buffers.plan)])
    }

    pub fn record(&self, pass: &mut wgpu::ComputePass, bindings: &wgpu::BindGroup) -> Result<()> {
        self.0.dispatch(pass, bindings, 1)
    }
}
