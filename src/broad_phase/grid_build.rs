//! Dispatcher of `shaders/grid_build.wgsl`.

use crate::Result;
use crate::gpu::buffers::Buffers;
use crate::gpu::context::Context;
use crate::gpu::kernel::{Kernel, Source, source};

pub(crate) const SOURCE: Source = source!("common.wgsl", "grid.wgsl", "grid_build.wgsl");

/// Invocations of a workgroup.
pub(crate) const WORKGROUP: u32 = 256;

/// Sorts the bounds by grid slot; between its two kernels the counts are scanned.
pub(crate) struct GridBuild {
    count_slots: Kernel,
    place_records: Kernel,
}

/// The bind groups of both kernels.
pub(crate) struct GridBuildBindings {
    count_slots: wgpu::BindGroup,
    place_records: wgpu::BindGroup,
}

impl GridBuild {
    pub async fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            count_slots: Kernel::new(context, SOURCE, "count_slots", WORKGROUP, &[]).await?,
            place_records: Kernel::new(context, SOURCE, "place_records", WORKGROUP, &[]).await?,
        })
    }

    pub fn bind(&self, context: &Context, buffers: &Buffers) -> GridBuildBindings {
        let (params, bounds, places) = ((0, &buffers.params), (2, &*buffers.bounds), (3, &*buffers.places));
        GridBuildBindings {
            count_slots: self.count_slots.bind(
                context,
                &[params, (1, &buffers.plan), bounds, places, (4, &buffers.slot_starts)],
            ),
            place_records: self.place_records.bind(
                context,
                &[params, bounds, places, (5, &buffers.slot_starts), (6, &buffers.records)],
            ),
        }
    }

    pub fn record_count(&self, pass: &mut wgpu::ComputePass, bindings: &GridBuildBindings, boxes: usize) -> Result<()> {
        self.count_slots.dispatch(pass, &bindings.count_slots, boxes as u64)
    }

    pub fn record_place(&self, pass: &mut wgpu::ComputePass, bindings: &GridBuildBindings, boxes: usize) -> Result<()> {
        self.place_records.dispatch(pass, &bindings.place_records, boxes as u64)
    }
}
