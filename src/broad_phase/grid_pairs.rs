//! Dispatcher of `shaders/grid_pairs.wgsl`.

use crate::Result;
use crate::gpu::buffers::Buffers;
use crate::gpu::context::Context;
use crate::gpu::kernel::{Kernel, Source, source};

pub(crate) const SOURCE: Source = source!("common.wgsl", "grid.wgsl", "grid_pairs.wgsl");

/// Invocations of a workgroup: few, as their walks differ in length.
pub(crate) const WORKGROUP: u32 = 64;

/// Candidate pairs: one kernel counts them by record, the other, once the counts are scanned, writes a window of them.
pub(crate) struct GridPairs {
    count: Kernel,
    emit: Kernel,
}

/// The bind groups of both kernels.
pub(crate) struct GridPairsBindings {
    count: wgpu::BindGroup,
    emit: wgpu::BindGroup,
}

impl GridPairs {
    pub async fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            count: Kernel::new(context, SOURCE, "grid_pairs", WORKGROUP, &[("emit", 0.0)]).await?,
            emit: Kernel::new(context, SOURCE, "grid_pairs", WORKGROUP, &[("emit", 1.0)]).await?,
        })
    }

    pub fn bind(&self, context: &Context, buffers: &Buffers) -> GridPairsBindings {
        let bindings = [
            (0, &buffers.params),
            (1, &buffers.plan),
            (2, &*buffers.records),
            (3, &*buffers.slot_starts),
            (4, &*buffers.offsets),
            (5, &*buffers.candidates),
        ];
        GridPairsBindings {
            count: self.count.bind(context, &bindings),
            emit: self.emit.bind(context, &bindings),
        }
    }

    pub fn record_count(&self, pass: &mut wgpu::ComputePass, bindings: &GridPairsBindings, records: u64) -> Result<()> {
        self.count.dispatch(pass, &bindings.count, records)
    }

    pub fn record_emit(&self, pass: &mut wgpu::ComputePass, bindings: &GridPairsBindings, records: u64) -> Result<()> {
        self.emit.dispatch(pass, &bindings.emit, records)
    }
}
