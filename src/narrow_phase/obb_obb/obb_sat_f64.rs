//! Dispatcher of `shaders/narrow_phase/obb_obb/obb_sat_f64.wgsl`.

use crate::base::error::Result;
use crate::device::buffers::{Buffers, Inputs};
use crate::device::context::Context;
use crate::device::kernel::{AppendingSource, Kernel, appending_source};

pub(crate) const SOURCE: AppendingSource =
    appending_source!("shared/boxes.wgsl", "narrow_phase/obb_obb/obb_sat_f64.wgsl");

/// Invocations of a workgroup.
pub(crate) const WORKGROUP: u32 = 256;

/// Tests the undecided pairs again, lists those that overlap with the others that do, and those that f64 cannot decide
/// in a list of their own.
pub(crate) struct ObbSatF64(Kernel);

impl ObbSatF64 {
    pub async fn new(context: &Context) -> Result<Self> {
        Ok(Self(
            Kernel::new(context, SOURCE.on(context), "obb_sat_f64_pairs", WORKGROUP, &[]).await?,
        ))
    }

    pub fn bind(&self, context: &Context, inputs: &Inputs, buffers: &Buffers) -> wgpu::BindGroup {
        self.0.bind_boxes(
            context,
            &inputs.tested(),
            &[
                (0, inputs.params),
                (4, &buffers.undecided),
                (5, &buffers.unclear),
                (6, &buffers.pairs),
                (7, &buffers.degrees),
                (8, &buffers.counters),
            ],
        )
    }

    pub fn record(&self, pass: &mut wgpu::ComputePass, bindings: &wgpu::BindGroup, most_undecided: u64) {
        self.0.dispatch_looping(pass, bindings, most_undecided);
    }
}
