//! How fast the device's memory is: what the times of memory-bound kernels are held against. Declares
//! `shaders/device/copy.wgsl`.

use crate::base::engine::Engine;
use crate::base::error::{Error, Result};
use crate::device::buffers::{Arena, Resources, Slot};
use crate::device::context::Context;
use crate::device::kernel::{At, Code, Kernel, Kernels, Run, Size, Source, files};
use crate::device::timestamps::{BYTES as BYTES_OF_TIMES, Stopwatch};

static SOURCE_OF_COPY: Slot = Slot::of::<[u32; 4]>("source", "the source of a copy");
static TARGET_OF_COPY: Slot = Slot::of::<[u32; 4]>("copied", "the target of a copy");

/// Copies memory; the work is the number of bytes.
pub(crate) static COPY: Kernel<u64> = Kernel {
    code: Code {
        entry: "copy_memory",
        workgroup: 256,
        source: Source::of(files!["device/copy.wgsl"]),
        slots: [&[At::new(0, &SOURCE_OF_COPY), At::new(1, &TARGET_OF_COPY)], &[]],
        overrides: &[],
    },
    size: Size::Each(|bytes| bytes / BYTES_PER_INVOCATION),
};

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
    let copy = match Copy::new(context, bytes) {
        Err(Error::OutOfDeviceMemory { .. }) => return Ok(None),
        copy => copy?,
    };
    let times = copy.run(context, bytes, COPIES).await?;
    let fastest = times.into_iter().filter(|&time| time > 0.0).min_by(f64::total_cmp);
    Ok(fastest.map(|milliseconds| 2.0 * bytes as f64 / (milliseconds * 1e-3)))
}

/// Two buffers, one of which is copied to the other.
struct Copy {
    arena: Arena,
}

impl Copy {
    fn new(context: &Context, bytes: u64) -> Result<Self> {
        let mut arena = Arena::new(context, [&SOURCE_OF_COPY, &TARGET_OF_COPY])?;
        for slot in [&SOURCE_OF_COPY, &TARGET_OF_COPY] {
            arena.reserve(context, slot, bytes / slot.record)?;
        }
        Ok(Self { arena })
    }

    /// The milliseconds of each of so many copies of so many bytes.
    async fn run(&self, context: &Context, bytes: u64, copies: usize) -> Result<Vec<f64>> {
        let mut watch = Stopwatch::<&'static str>::new(context)?;
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let staging = context.buffer("times of copies", BYTES_OF_TIMES, usage)?;
        let (mut kernels, resources) = (Kernels::default(), Resources::new(&self.arena));
        let run = Run {
            context,
            resources: &resources,
            constants: &[],
            work: &bytes,
        };
        let mut encoder = context.device.create_command_encoder(&Default::default());
        for _ in 0..copies {
            let mut pass = watch.begin(&mut encoder, "copy");
            kernels.run(&mut pass, &COPY, &run)?;
        }
        watch.resolve(&mut encoder, &staging, 0);
        let times = context
            .submit_and_read(encoder, &staging, BYTES_OF_TIMES, |bytes| watch.times(bytes))
            .await?;
        Ok(times.into_iter().map(|(_, time)| time).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::config::{Backend, Config, GpuConfig};
    use crate::device::adapters::{Choice, choose};
    use crate::device::buffers::Staging;

    #[test]
    fn what_is_timed_copies_everything() {
        let limits = GpuConfig {
            max_workgroups_per_dimension: Some(3),
            ..GpuConfig::default()
        };
        for gpu in [GpuConfig::default(), limits] {
            let config = Config {
                backend: Backend::Gpu,
                gpu,
                ..Config::default()
            };
            let Ok(Choice::Gpu(adapter, _)) = pollster::block_on(choose(&config)) else {
                panic!("this test needs a GPU adapter, a software one will do");
            };
            let context = &pollster::block_on(Context::open(&adapter, &config.gpu)).expect("a device");
            // One invocation more than six workgroups have.
            let numbers: Vec<u32> = (1..=4 * (6 * COPY.code.workgroup + 1)).collect();
            let bytes = size_of_val(&numbers[..]) as u64;
            let copied = pollster::block_on(async {
                let copy = Copy::new(context, bytes)?;
                let [source, target] = [&SOURCE_OF_COPY, &TARGET_OF_COPY].map(|slot| copy.arena.buffer(slot));
                context.queue.write_buffer(source?, 0, bytemuck::cast_slice(&numbers));
                copy.run(context, bytes, 1).await?;
                let mut staging = Staging::new(context)?;
                let encoder = context.device.create_command_encoder(&Default::default());
                staging.read::<u32>(context, encoder, target?, numbers.len()).await
            });
            assert!(copied.expect("the device copies") == numbers);
        }
    }
}
