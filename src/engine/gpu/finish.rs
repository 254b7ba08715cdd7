//! Dispatcher of `shaders/engine/finish.wgsl`.

use crate::base::error::Result;
use crate::device::buffers::{Buffers, Inputs};
use crate::device::context::Context;
use crate::device::kernel::{Kernel, Source, source};

pub(crate) const SOURCE: Source = source!("shared/common.wgsl", "shared/outcome.wgsl", "engine/finish.wgsl");

/// Invocations of a workgroup; there is one.
pub(crate) const WORKGROUP: u32 = 1;

/// Puts together what a recorded frame found.
pub(crate) struct Finish(Kernel);

impl Finish {
    pub async fn new(context: &Context) -> Result<Self> {
        Ok(Self(Kernel::new(context, SOURCE, "finish", WORKGROUP, &[]).await?))
    }

    pub fn bind(&self, context: &Context, inputs: &Inputs, buffers: &Buffers) -> wgpu::BindGroup {
        self.0.bind(
            context,
            &[(0, inputs.params), (1, &buffers.counters), (2, &buffers.outcome)],
        )
    }

    pub fn record(&self, pass: &mut wgpu::ComputePass, bindings: &wgpu::BindGroup) {
        self.0.dispatch(pass, bindings, 1);
    }
}
