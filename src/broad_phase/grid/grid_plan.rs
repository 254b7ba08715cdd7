//! Dispatcher of `shaders/broad_phase/grid/grid_plan.wgsl`.

use crate::base::error::Result;
use crate::device::buffers::{Buffers, Inputs};
use crate::device::context::Context;
use crate::device::kernel::{Kernel, Source, source};

pub(crate) const SOURCE: Source = source!(
    "shared/common.wgsl",
    "broad_phase/grid/grid.wgsl",
    "broad_phase/grid/grid_plan.wgsl"
);

/// Invocations of a workgroup; there is one.
pub(crate) const WORKGROUP: u32 = 256;

/// Plans the grid; between its two kernels the scene is probed.
pub(crate) struct GridPlan {
    group_sizes: Kernel,
    choose_levels: Kernel,
}

/// The bind groups of both kernels.
pub(crate) struct GridPlanBindings {
    group_sizes: wgpu::BindGroup,
    choose_levels: wgpu::BindGroup,
}

impl GridPlan {
    pub async fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            group_sizes: Kernel::new(context, SOURCE, "group_sizes", WORKGROUP, &[]).await?,
            choose_levels: Kernel::new(context, SOURCE, "choose_levels", WORKGROUP, &[]).await?,
        })
    }

    pub fn bind(&self, context: &Context, inputs: &Inputs, buffers: &Buffers) -> GridPlanBindings {
        let groups = (2, &buffers.groups);
        GridPlanBindings {
            group_sizes: self.group_sizes.bind(context, &[(1, &buffers.stats), groups]),
            choose_levels: self
                .choose_levels
                .bind(context, &[(0, inputs.params), groups, (3, &buffers.plan)]),
        }
    }

    pub fn record_group_sizes(&self, pass: &mut wgpu::ComputePass, bindings: &GridPlanBindings) {
        self.group_sizes.dispatch(pass, &bindings.group_sizes, 1);
    }

    pub fn record_choose_levels(&self, pass: &mut wgpu::ComputePass, bindings: &GridPlanBindings) {
        self.choose_levels.dispatch(pass, &bindings.choose_levels, 1);
    }
}
