//! Dispatcher of `shaders/broad_phase/grid/grid_build.wgsl`.

use crate::base::error::Result;
use crate::broad_phase::grid::layout::MAX_SLOTS_PER_BOX;
use crate::device::buffers::{Buffers, Inputs};
use crate::device::context::Context;
use crate::device::kernel::{Kernel, Source, source};
use crate::rules::list::RULES_B;

pub(crate) const SOURCE: Source = source!(
    "shared/common.wgsl",
    "shared/bounds.wgsl",
    "broad_phase/grid/grid.wgsl",
    "rules/rules.wgsl",
    "broad_phase/grid/grid_build.wgsl"
);

/// Invocations of a workgroup.
pub(crate) const WORKGROUP: u32 = 256;
/// Slots an invocation allocates runs for.
pub(crate) const PER_INVOCATION: u32 = 4;

/// Where a record goes: `struct Place` of `shaders/broad_phase/grid/grid_build.wgsl`.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Place {
    pub slot: u32,
    /// Records of the slot that come before it.
    pub rank: u32,
    /// The key of its cell.
    pub key: u32,
}

/// Sorts the bounds by grid slot.
pub(crate) struct GridBuild {
    count_slots: Kernel,
    allocate_runs: Kernel,
    place_records: Kernel,
}

/// The bind groups of the kernels.
pub(crate) struct GridBuildBindings {
    count_slots: wgpu::BindGroup,
    allocate_runs: wgpu::BindGroup,
    place_records: wgpu::BindGroup,
}

impl GridBuild {
    /// The kernels, which ask for the boxes' worlds if they are `ruled`.
    pub async fn new(context: &Context, ruled: bool) -> Result<Self> {
        let constants = [("ruled", f64::from(ruled))];
        Ok(Self {
            count_slots: Kernel::new(context, SOURCE, "count_slots", WORKGROUP, &constants).await?,
            allocate_runs: Kernel::new(context, SOURCE, "allocate_runs", WORKGROUP, &[]).await?,
            place_records: Kernel::new(context, SOURCE, "place_records", WORKGROUP, &[]).await?,
        })
    }

    pub fn bind(&self, context: &Context, inputs: &Inputs, buffers: &Buffers) -> GridBuildBindings {
        let params = (0, inputs.params);
        let bounds = [(1, &*buffers.bounds[0]), (2, &*buffers.bounds[1])];
        let (plan, places) = ((3, &buffers.plan), (4, &*buffers.places));
        let starts = (7, &*buffers.slot_starts);
        let records = [(8, &*buffers.records[0]), (9, &*buffers.records[1])];
        GridBuildBindings {
            count_slots: self.count_slots.bind(
                context,
                &[
                    params,
                    bounds[0],
                    bounds[1],
                    plan,
                    places,
                    (5, &buffers.slot_counts),
                    (RULES_B, inputs.rules[1]),
                ],
            ),
            allocate_runs: self.allocate_runs.bind(
                context,
                &[plan, (6, &buffers.slot_counts), starts, (10, &buffers.counters)],
            ),
            place_records: self.place_records.bind(
                context,
                &[params, bounds[0], bounds[1], places, starts, records[0], records[1]],
            ),
        }
    }

    pub fn record(&self, pass: &mut wgpu::ComputePass, bindings: &GridBuildBindings, boxes: u64) {
        self.count_slots.dispatch(pass, &bindings.count_slots, boxes);
        let most_slots = boxes * MAX_SLOTS_PER_BOX as u64;
        let invocations = most_slots.div_ceil(u64::from(PER_INVOCATION));
        self.allocate_runs
            .dispatch_looping(pass, &bindings.allocate_runs, invocations);
        self.place_records.dispatch(pass, &bindings.place_records, boxes);
    }
}
