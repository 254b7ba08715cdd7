//! How fast the device's memory is: what the times of memory-bound kernels are held against. Dispatcher of
//! `shaders/device/copy.wgsl`.

use crate::base::engine::Engine;
use crate::base::error::{Error, Result};
use crate::device::context::Context;
use crate::device::kernel::{Kernel, Source, source};
use crate::device::timestamps::Stopwatch;

pub(crate) const SOURCE: Source = source!("shared/common.wgsl", "device/copy.wgsl");

/// Invocations of a workgroup.
pub(crate) const WORKGROUP: u32 = 256;

/// Bytes an invocation copies: a `vec4<u32>`.
const BYTES_PER_INVOCATION: u64 = 16;

/// Bytes copied where the device allows so much: several times what the caches of large GPUs hold.
const BYTES: u64 = 256 << 20;

/// Bytes copied on a software device, whose times mean little.
const SOFTWARE_BYTES: u64 = 16 << 20;

/// Copies, of which the fastest counts: the first ones meet clocks and pages that are not warm.
const COPIES: usize = 10;

/// Bytes a second, read and written, of the fastest of several copies from buffer to buffer; `None` without timestamps,
/// and on a device with no memory left for it.
pub(crate) async fn measure(context: &Context) -> Result<Option<f64>> {
    if !context.timestamps {
        return Ok(None);
    }
    let software = matches!(&context.engine, Engine::Gpu { kind, .. } if !kind.is_hardware());
    let wanted = if software { SOFTWARE_BYTES } else { BYTES };
    let bytes = wanted.min(context.max_buffer_bytes) / BYTES_PER_INVOCATION * BYTES_PER_INVOCATION;
    let copy = match Copy::new(context, bytes).await {
        Err(Error::OutOfDeviceMemory { .. }) => return Ok(None),
        copy => copy?,
    };
    let times = copy.run(context, COPIES).await?;
    let fastest = times.into_iter().filter(|&time| time > 0.0).min_by(f64::total_cmp);
    Ok(fastest.map(|milliseconds| 2.0 * bytes as f64 / (milliseconds * 1e-3)))
}

/// Two buffers, and what copies one to the other.
struct Copy {
    kernel: Kernel,
    source: wgpu::Buffer,
    target: wgpu::Buffer,
}

impl Copy {
    async fn new(context: &Context, bytes: u64) -> Result<Self> {
        Ok(Self {
            kernel: Kernel::new(context, SOURCE, "copy_memory", WORKGROUP, &[]).await?,
            source: context.storage_buffer("the source of a copy", bytes).await?,
            target: context.storage_buffer("the target of a copy", bytes).await?,
        })
    }

    /// The milliseconds of each of so many copies.
    async fn run(&self, context: &Context, copies: usize) -> Result<Vec<f64>> {
        let mut watch = Stopwatch::new(context).await?;
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let staging = context.buffer("times of copies", Stopwatch::BYTES, usage).await?;
        let commands = context
            .scoped("the copies", 0, || {
                let bindings = self.kernel.bind(context, &[(0, &self.source), (1, &self.target)]);
                let mut encoder = context.device.create_command_encoder(&Default::default());
                for _ in 0..copies {
                    let mut pass = watch.begin(&mut encoder, "copy");
                    let invocations = self.source.size() / BYTES_PER_INVOCATION;
                    self.kernel.dispatch(&mut pass, &bindings, invocations);
                }
                watch.resolve(&mut encoder, &staging, 0);
                encoder
            })
            .await?;
        let times = context
            .submit_and_read(commands, &staging, Stopwatch::BYTES, |bytes| watch.times(bytes))
            .await?;
        Ok(times.into_iter().map(|(_, time)| time).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::config::{Config, GpuConfig};
    use crate::engine::gpu::tests::checker;

    #[test]
    fn what_is_timed_copies_everything() {
        let limits = GpuConfig {
            max_workgroups_per_dimension: Some(3),
            ..GpuConfig::default()
        };
        for gpu in [GpuConfig::default(), limits] {
            let checker = checker(Config {
                gpu,
                ..Config::default()
            });
            let context = &checker.context;
            // One invocation more than six workgroups have.
            let numbers: Vec<u32> = (1..=4 * (6 * WORKGROUP + 1)).collect();
            let bytes = size_of_val(&numbers[..]) as u64;
            let copied = pollster::block_on(async {
                let copy = Copy::new(context, bytes).await?;
                context
                    .queue
                    .write_buffer(&copy.source, 0, bytemuck::cast_slice(&numbers));
                copy.run(context, 1).await?;
                let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
                let staging = context.buffer("a copy", bytes, usage).await?;
                let mut encoder = context.device.create_command_encoder(&Default::default());
                encoder.copy_buffer_to_buffer(&copy.target, 0, &staging, 0, bytes);
                context
                    .submit_and_read(encoder, &staging, bytes, |bytes| {
                        bytemuck::pod_collect_to_vec::<_, u32>(bytes)
                    })
                    .await
            });
            assert!(copied.expect("the device copies") == numbers);
        }
    }

    #[test]
    fn bandwidth_needs_timestamps() {
        for timestamps in [true, false] {
            let mut checker = checker(Config {
                gpu: GpuConfig {
                    timestamps,
                    ..GpuConfig::default()
                },
                ..Config::default()
            });
            let measured = checker.memory_bandwidth().expect("the device works");
            assert_eq!(measured.is_some(), checker.context.timestamps);
            assert!(
                measured.is_none_or(|rate| rate.is_finite() && rate > 0.0),
                "{measured:?}"
            );
        }
    }
}
