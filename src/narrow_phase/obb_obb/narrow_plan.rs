//! Dispatcher of `shaders/narrow_phase/obb_obb/narrow_plan.wgsl`.

use std::mem::offset_of;

use bytemuck::{Pod, Zeroable};

use crate::base::error::Result;
use crate::device::buffers::{Buffers, Inputs};
use crate::device::context::Context;
use crate::device::kernel::{Kernel, Source, source};

pub(crate) const SOURCE: Source = source!(
    "shared/common.wgsl",
    "shared/candidates.wgsl",
    "narrow_phase/obb_obb/narrow_plan.wgsl"
);

/// Invocations of a workgroup; there is one.
pub(crate) const WORKGROUP: u32 = 1;

/// Arguments of the indirect dispatches of the narrow phase: `struct Dispatches` of the shader. One of the two has no
/// workgroups.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Dispatches {
    /// The kernel over all axes, or that of a margin.
    pub all_axes: [u32; 3],
    pub unused: u32,
    /// The kernel over the axes of boxes that are turned about z only.
    pub five_axes: [u32; 3],
    pub unused_too: u32,
}

impl Dispatches {
    /// Where [`Dispatches::all_axes`] are, in bytes.
    pub const ALL_AXES: u64 = offset_of!(Self, all_axes) as u64;
    /// Where [`Dispatches::five_axes`] are.
    pub const FIVE_AXES: u64 = offset_of!(Self, five_axes) as u64;
    /// How the buffer can be used.
    pub const USAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::INDIRECT);
}

/// Chooses the kernel of the narrow phase by what the boxes are, and its workgroups by how many candidate pairs there are.
pub(crate) struct NarrowPlan(Kernel);

impl NarrowPlan {
    pub async fn new(context: &Context) -> Result<Self> {
        let most = [("most_workgroups", f64::from(context.limits().looping_workgroups))];
        Ok(Self(
            Kernel::new(context, SOURCE, "narrow_plan", WORKGROUP, &most).await?,
        ))
    }

    pub fn bind(&self, context: &Context, inputs: &Inputs, buffers: &Buffers) -> wgpu::BindGroup {
        self.0.bind(
            context,
            &[(0, inputs.params), (1, &buffers.counters), (2, &buffers.dispatches)],
        )
    }

    pub fn record(&self, pass: &mut wgpu::ComputePass, bindings: &wgpu::BindGroup) {
        self.0.dispatch(pass, bindings, 1);
    }
}
