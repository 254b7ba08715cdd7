//! The speed of the device's memory under random access, with which the times of kernels that
//! gather, scatter and count are compared. Declares `shaders/device/random.wgsl`.

use crate::base::error::Result;
use crate::device::bandwidth;
use crate::device::buffers::Slot;
use crate::device::context::Context;
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};

/// Bytes read or written at a time.
const SECTOR: u64 = 32;
/// Numbers per invocation.
const PER_INVOCATION: u64 = 8;
const WORKGROUP: u32 = 256;
/// One in this many invocations adds in the one place.
const ADDING: u64 = 32;

static SECTORS: Slot = Slot::of::<[u32; 8]>("sectors", "sectors to gather");
static SCATTERED: Slot = Slot::of::<[u32; 8]>("scattered", "scattered sectors");

const SOURCE: Source = Source::of(files!["device/random.wgsl"]);

/// A kernel over a buffer of `bytes` bytes, in items of `$item` bytes; it leaves sums, if it
/// computes any.
macro_rules! kernel {
    ($entry:literal, $item:expr, $slots:expr) => {
        Kernel {
            code: Code {
                entry: $entry,
                workgroup: WORKGROUP,
                source: SOURCE,
                slots: [&$slots, &[]],
                overrides: &[],
            },
            size: Size::Each(|bytes| bytes.div_ceil($item * PER_INVOCATION)),
        }
    };
}

/// Reads every sector once, in random order.
pub(crate) static GATHER_SECTORS: Kernel<u64> = kernel!(
    "gather_sectors",
    SECTOR,
    [At::new(0, &SECTORS), At::named(3, &SCATTERED, "sums")]
);
/// Writes every sector once, in random order.
pub(crate) static SCATTER_SECTORS: Kernel<u64> = kernel!("scatter_sectors", SECTOR, [At::new(1, &SCATTERED)]);
/// Adds to every `u32` once, in random order.
pub(crate) static ADD_ANYWHERE: Kernel<u64> = kernel!(
    "add_anywhere",
    4,
    [At::named(2, &SCATTERED, "counters"), At::named(3, &SECTORS, "sums")]
);
/// Adds to the first `u32`, once for every 32.
pub(crate) static ADD_IN_ONE_PLACE: Kernel<u64> = kernel!(
    "add_in_one_place",
    4,
    [At::named(2, &SCATTERED, "counters"), At::named(3, &SECTORS, "sums")]
);

/// Operations per second of a device's memory at best, beyond the size of caches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceRates {
    /// Bytes of a copy, read and written.
    pub copied_bytes: f64,
    /// Random reads of 32 bytes.
    pub gathers: f64,
    /// Random writes of 32 bytes.
    pub scatters: f64,
    /// Atomic additions to a random `u32`, each of which returns the old value.
    pub atomics: f64,
    /// Atomic additions to a single `u32`, by one in 32 invocations.
    pub atomics_in_one_place: f64,
}

/// Measures the rates; `None` without timestamps, and if the device has too little memory.
pub(crate) async fn measure(context: &Context) -> Result<Option<DeviceRates>> {
    let Some(copied_bytes) = bandwidth::measure(context).await? else {
        return Ok(None);
    };
    // A power of two, as the shader requires.
    let bytes = 1 << bandwidth::bytes(context).max(SECTOR).ilog2();
    let Some(arena) = bandwidth::arena(context, &[&SECTORS, &SCATTERED], bytes)? else {
        return Ok(None);
    };
    let mut rates = [0.0; 4];
    for (rate, (kernel, bytes_of_one)) in rates.iter_mut().zip([
        (&GATHER_SECTORS, SECTOR),
        (&SCATTER_SECTORS, SECTOR),
        (&ADD_ANYWHERE, 4),
        (&ADD_IN_ONE_PLACE, 4 * ADDING),
    ]) {
        match bandwidth::fastest(context, &arena, kernel, bytes).await? {
            Some(seconds) => *rate = (bytes / bytes_of_one) as f64 / seconds,
            None => return Ok(None),
        }
    }
    let [gathers, scatters, atomics, atomics_in_one_place] = rates;
    Ok(Some(DeviceRates {
        copied_bytes,
        gathers,
        scatters,
        atomics,
        atomics_in_one_place,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::config::{Backend, Config, GpuConfig};
    use crate::device::adapters::{Choice, choose};
    use crate::device::buffers::{Arena, Staging};

    /// Runs a kernel on buffers of `bytes` bytes, the first with the numbers from 0 and the second
    /// with zeros, and returns the contents of `left_in`.
    fn run(kernel: &'static Kernel<u64>, bytes: u64, left_in: &'static Slot, gpu: &GpuConfig) -> Vec<u32> {
        let config = Config {
            backend: Backend::Gpu,
            gpu: gpu.clone(),
            ..Config::default()
        };
        let Ok(Choice::Gpu(adapter, _)) = pollster::block_on(choose(&config)) else {
            panic!("this test needs a GPU adapter, a software one will do");
        };
        let context = &pollster::block_on(Context::open(&adapter, &config.gpu)).expect("a device");
        let numbers: Vec<u32> = (0..bytes as u32 / 4).collect();
        let left = pollster::block_on(async {
            let mut arena = Arena::new(context, [&SECTORS, &SCATTERED])?;
            for slot in [&SECTORS, &SCATTERED] {
                arena.reserve(context, slot, bytes / slot.record)?;
            }
            context
                .queue
                .write_buffer(arena.buffer(&SECTORS)?, 0, bytemuck::cast_slice(&numbers));
            bandwidth::run(context, &arena, kernel, bytes, 1).await?;
            let encoder = context.device.create_command_encoder(&Default::default());
            let mut staging = Staging::new(context)?;
            staging
                .read::<u32>(context, encoder, arena.buffer(left_in)?, numbers.len())
                .await
        });
        left.expect("the device runs it")
    }

    #[test]
    fn the_timed_work_touches_everything_once() {
        let few = GpuConfig {
            max_workgroups_per_dimension: Some(3),
            ..GpuConfig::default()
        };
        for gpu in [GpuConfig::default(), few] {
            for bytes in [64, 1 << 15, 1 << 18] {
                let numbers = bytes as u32 / 4;
                let gathered = run(&GATHER_SECTORS, bytes, &SCATTERED, &gpu);
                let sum = gathered.into_iter().fold(0, u32::wrapping_add);
                assert_eq!(sum, (0..numbers).fold(0, u32::wrapping_add), "{bytes} bytes");

                let mut scattered = run(&SCATTER_SECTORS, bytes, &SCATTERED, &gpu);
                let in_order = scattered.is_sorted();
                scattered.sort();
                assert!(
                    scattered.into_iter().eq((0..numbers / 8).flat_map(|k| [k; 8])),
                    "{bytes} bytes"
                );
                assert!(!in_order || bytes == 64, "{bytes} bytes");

                let counters = run(&ADD_ANYWHERE, bytes, &SCATTERED, &gpu);
                assert!(counters.into_iter().all(|count| count == 1), "{bytes} bytes");

                let counters = run(&ADD_IN_ONE_PLACE, bytes, &SCATTERED, &gpu);
                assert_eq!(counters[0], numbers.div_ceil(ADDING as u32), "{bytes} bytes");
            }
        }
    }
}
