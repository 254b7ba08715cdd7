//! The bandwidth of the device's memory, with which the times of memory-bound kernels are compared.
//! Declares `shaders/device/copy.wgsl`.

use crate::base::engine::Engine;
use crate::base::error::{Error, Result};
use crate::base::stage::Stage;
use crate::device::buffers::{Arena, Resources, Slot};
use crate::device::context::Context;
use crate::device::dispatch::{Kernels, Run};
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::device::timestamps::{BYTES as BYTES_OF_TIMES, Detail, Name, Stopwatch};

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

/// Bytes copied per invocation: a `vec4<u32>`.
const BYTES_PER_INVOCATION: u64 = 16;

/// Bytes of each buffer if the device allows that: several times the caches of large GPUs.
const BYTES: u64 = 256 << 20;

/// Bytes of each buffer on a software device, whose times mean little.
const SOFTWARE_BYTES: u64 = 16 << 20;

/// The number of runs, of which the fastest counts: in the first ones clocks and pages are not
/// warm.
const RUNS: usize = 10;

/// Measures the bytes read and written per second, in the fastest of several copies from buffer to
/// buffer; `None` without timestamps, and if the device has too little memory.
pub(crate) async fn measure(context: &Context) -> Result<Option<f64>> {
    let bytes = bytes(context);
    let Some(arena) = arena(context, &[&SOURCE_OF_COPY, &TARGET_OF_COPY], bytes)? else {
        return Ok(None);
    };
    let fastest = fastest(context, &arena, &COPY, bytes).await?;
    Ok(fastest.map(|seconds| 2.0 * bytes as f64 / seconds))
}

/// Returns the bytes of each buffer on this device.
pub(super) fn bytes(context: &Context) -> u64 {
    let software = matches!(&context.engine, Engine::Gpu { kind, .. } if !kind.is_hardware());
    let wanted = if software { SOFTWARE_BYTES } else { BYTES };
    wanted.min(context.max_buffer_bytes) / BYTES_PER_INVOCATION * BYTES_PER_INVOCATION
}

/// Creates buffers of `bytes` bytes; `None` without timestamps or memory for them.
pub(super) fn arena(context: &Context, slots: &[&'static Slot], bytes: u64) -> Result<Option<Arena>> {
    if !context.timestamps {
        return Ok(None);
    }
    let mut arena = Arena::new(context, slots.iter().copied())?;
    for slot in slots {
        match arena.reserve(context, slot, bytes / slot.record) {
            Err(Error::OutOfDeviceMemory { .. }) => return Ok(None),
            reserved => reserved?,
        };
    }
    Ok(Some(arena))
}

/// Returns the seconds of the fastest of several runs; `None` if no time passes.
pub(super) async fn fastest(
    context: &Context,
    arena: &Arena,
    kernel: &'static Kernel<u64>,
    work: u64,
) -> Result<Option<f64>> {
    let times = run(context, arena, kernel, work, RUNS).await?;
    let fastest = times.into_iter().filter(|&time| time > 0.0).min_by(f64::total_cmp);
    Ok(fastest.map(|milliseconds| milliseconds * 1e-3))
}

/// Returns the milliseconds of each of `runs` runs of a kernel, in one submission.
pub(super) async fn run(
    context: &Context,
    arena: &Arena,
    kernel: &'static Kernel<u64>,
    work: u64,
    runs: usize,
) -> Result<Vec<f64>> {
    let mut watch = Stopwatch::new(context, Detail::Passes, 1)?;
    let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
    let staging = context.buffer("times of runs", BYTES_OF_TIMES, usage)?;
    let (mut kernels, resources) = (Kernels::default(), Resources::new(arena));
    let run = Run {
        context,
        resources: &resources,
        constants: &[],
        work: &work,
        guest: None,
        sizes: None,
    };
    let name = Name {
        stage: Stage::Other,
        kernel: kernel.code.entry,
    };
    let mut encoder = context.encoder("a measurement")?;
    watch.open(&mut encoder)?;
    for _ in 0..runs {
        let mut pass = watch.begin(&mut encoder, name);
        kernels.run(&mut pass, kernel, &run)?;
    }
    watch.close(&mut encoder);
    watch.resolve(&mut encoder, Some((&staging, 0)));
    let (_, times) = context
        .submit_and_read(encoder, &staging, BYTES_OF_TIMES, |bytes| {
            watch.times(&bytemuck::pod_collect_to_vec(bytes))
        })
        .await?;
    let laps = times.into_iter().flat_map(|times| times.laps);
    Ok(laps.map(|(_, time)| time).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::config::{Backend, Config, GpuConfig};
    use crate::device::adapters::{Choice, choose};
    use crate::device::buffers::Staging;

    #[test]
    fn the_timed_work_copies_everything() {
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
                let mut arena = Arena::new(context, [&SOURCE_OF_COPY, &TARGET_OF_COPY])?;
                for slot in [&SOURCE_OF_COPY, &TARGET_OF_COPY] {
                    arena.reserve(context, slot, bytes / slot.record)?;
                }
                let [source, target] = [&SOURCE_OF_COPY, &TARGET_OF_COPY].map(|slot| arena.buffer(slot));
                context.queue.write_buffer(source?, 0, bytemuck::cast_slice(&numbers));
                run(context, &arena, &COPY, bytes, 1).await?;
                let mut staging = Staging::new(context)?;
                let encoder = context.device.create_command_encoder(&Default::default());
                staging.read::<u32>(context, encoder, target?, numbers.len()).await
            });
            assert!(copied.expect("the device copies") == numbers);
        }
    }
}
