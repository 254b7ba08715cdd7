//! How much a device takes at once, whatever for.

use crate::base::config::GpuConfig;
use crate::device::adapters::AdapterSummary;

/// Workgroups of 256 that fill the largest GPUs, which keep some 300,000 invocations going.
pub(crate) const FILLING_WORKGROUPS: u32 = 1024;

/// Entries of four bytes in so many can be numbered in 32 bits, and larger records all the more.
const MOST_NUMBERED_BYTES: u64 = 1 << 34;

/// Rounds that the loops of an invocation take in all, at most: half of what drivers allow (`shaders/shared/loops.wgsl`).
pub(crate) const MOST_ROUNDS: u64 = 1 << 15;

/// What a device and the configuration allow, as far as it bears on memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DeviceLimits {
    /// Largest buffer and binding, in bytes.
    pub max_buffer_bytes: u64,
    /// Workgroups of a dispatch whose invocations loop.
    pub looping_workgroups: u32,
    /// Shaders can compute in f64.
    pub f64: bool,
}

impl DeviceLimits {
    /// The limits of a device of `adapter` that we open ourselves.
    pub fn of_adapter(adapter: &AdapterSummary, config: &GpuConfig) -> Self {
        let workgroups = config.max_workgroups_per_dimension.unwrap_or(u32::MAX);
        Self {
            max_buffer_bytes: max_buffer_bytes(adapter.max_binding_bytes, adapter.max_buffer_bytes, config),
            // All devices allow more.
            looping_workgroups: workgroups.clamp(1, FILLING_WORKGROUPS),
            f64: config.shader_f64 && adapter.shader_f64,
        }
    }

    /// Bytes of the largest buffer whose entries 32 bits can number.
    pub fn numbered_bytes(&self) -> u64 {
        self.max_buffer_bytes.min(MOST_NUMBERED_BYTES)
    }
}

/// The largest buffer that is made, by the largest binding and buffer of a device.
pub(crate) fn max_buffer_bytes(binding: u64, buffer: u64, config: &GpuConfig) -> u64 {
    binding.min(buffer).min(config.max_buffer_bytes.unwrap_or(u64::MAX)) & !15
}
