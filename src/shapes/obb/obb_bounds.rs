//! Dispatcher of `shaders/shapes/obb/obb_bounds.wgsl`.

use crate::base::error::Result;
use crate::device::buffers::{Buffers, Inputs};
use crate::device::context::Context;
use crate::device::kernel::{Kernel, Source, source};

pub(crate) const SOURCE: Source = source!(
    "shared/common.wgsl",
    "shared/boxes.wgsl",
    "shared/new_bounds.wgsl",
    "broad_phase/grid/grid.wgsl",
    "shared/validity.wgsl",
    "broad_phase/grid/statistics.wgsl",
    "shapes/obb/obb_bounds.wgsl"
);

/// Invocations of a workgroup.
pub(crate) const WORKGROUP: u32 = 256;

/// Bounds, validation and statistics of all boxes.
pub(crate) struct ObbBounds(Kernel);

impl ObbBounds {
    pub async fn new(context: &Context) -> Result<Self> {
        Ok(Self(Kernel::new(context, SOURCE, "obb_bounds", WORKGROUP, &[]).await?))
    }

    pub fn bind(&self, context: &Context, inputs: &Inputs, buffers: &Buffers) -> wgpu::BindGroup {
        self.0.bind_boxes(
            context,
            &inputs.boxes,
            &[
                (0, inputs.params),
                (4, &buffers.bounds[0]),
                (5, &buffers.bounds[1]),
                (6, &buffers.stats),
                (7, &buffers.counters),
            ],
        )
    }

    pub fn record(&self, pass: &mut wgpu::ComputePass, bindings: &wgpu::BindGroup, boxes: u64) {
        self.0.dispatch_looping(pass, bindings, boxes);
    }
}
