//! Dispatcher of `shaders/scan.wgsl`: exclusive prefix sums in place, of any length.

use crate::Result;
use crate::gpu::context::Context;
use crate::gpu::kernel::{Kernel, Source, source};

pub(crate) const SOURCE: Source = source!("common.wgsl", "scan.wgsl");

/// Invocations of a workgroup.
pub(crate) const WORKGROUP: u32 = 256;
/// Values a workgroup scans.
pub(crate) const BLOCK: u64 = 1024;
/// Values an invocation scans.
pub(crate) const PER_INVOCATION: u64 = 4;

/// The two kernels of a scan.
pub(crate) struct Scan {
    scan_blocks: Kernel,
    add_block_sums: Kernel,
}

/// What one scan works on: the values, their blocks' sums, the sums of those, down to one block.
pub(crate) struct ScanLevels {
    levels: Vec<ScanLevel>,
    /// Values at each level in use.
    counts: Vec<u64>,
}

struct ScanLevel {
    /// How many values there are, for the shader.
    length: wgpu::Buffer,
    scan: wgpu::BindGroup,
    add: wgpu::BindGroup,
}

impl Scan {
    pub async fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            scan_blocks: Kernel::new(context, SOURCE, "scan_blocks", WORKGROUP, &[]).await?,
            add_block_sums: Kernel::new(context, SOURCE, "add_block_sums", WORKGROUP, &[]).await?,
        })
    }

    /// Prepares scans of up to `capacity` of `values`.
    pub async fn levels(&self, context: &Context, values: &wgpu::Buffer, capacity: u64) -> Result<ScanLevels> {
        let mut levels = Vec::new();
        let mut values = values.clone();
        let mut count = capacity;
        loop {
            let blocks = count.div_ceil(BLOCK);
            let sums = context.storage_buffer("block sums", blocks * 4).await?;
            let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
            let length = context.buffer("scan length", 16, usage).await?;
            let bindings = [(0, &length), (1, &values), (2, &sums)];
            let (scan, add) = context
                .scoped("the bindings of a scan", 0, || {
                    let scan = self.scan_blocks.bind(context, &bindings);
                    (scan, self.add_block_sums.bind(context, &bindings))
                })
                .await?;
            levels.push(ScanLevel { length, scan, add });
            if blocks == 1 {
                return Ok(ScanLevels {
                    levels,
                    counts: Vec::new(),
                });
            }
            (values, count) = (sums, blocks);
        }
    }

    /// Replaces every value by the sum of those before it.
    pub fn record(&self, pass: &mut wgpu::ComputePass, levels: &ScanLevels) -> Result<()> {
        let in_use = || levels.levels.iter().zip(&levels.counts);
        for (level, count) in in_use() {
            self.scan_blocks
                .dispatch(pass, &level.scan, count.div_ceil(PER_INVOCATION))?;
        }
        // The last level is one block: it has no sums to add.
        for (level, count) in in_use().rev().skip(1) {
            self.add_block_sums
                .dispatch(pass, &level.add, count.div_ceil(PER_INVOCATION))?;
        }
        Ok(())
    }
}

impl ScanLevels {
    /// Values the next submission scans.
    pub fn count(&self) -> u64 {
        self.counts.first().copied().unwrap_or(0)
    }

    /// Sets how many values the next submission scans, at most the capacity.
    pub fn set_count(&mut self, context: &Context, count: u64) {
        let mut count = count;
        self.counts.clear();
        for level in &self.levels {
            context
                .queue
                .write_buffer(&level.length, 0, bytemuck::bytes_of(&[count as u32, 0, 0, 0]));
            self.counts.push(count);
            if count <= BLOCK {
                return;
            }
            count = count.div_ceil(BLOCK);
        }
    }
}
