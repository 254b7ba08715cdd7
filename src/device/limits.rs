//! The limits of devices, for any purpose.

use crate::base::config::GpuConfig;
use crate::device::adapters::AdapterSummary;

/// The number of workgroups of 256 that fill the largest GPUs, which run about 300,000 invocations
/// at a time.
pub(crate) const FILLING_WORKGROUPS: u32 = 1024;

/// Entries of four bytes or more in this many bytes can be numbered in 32 bits.
const MOST_NUMBERED_BYTES: u64 = 1 << 34;

/// The maximum total number of loop iterations of an invocation: half of what drivers allow
/// (`shaders/shared/loops.wgsl`).
pub(crate) const MOST_ROUNDS: u64 = 1 << 15;

/// A limit of a device: its name in WebGPU, and the minimum that the kernels require.
pub(crate) struct Least {
    name: &'static str,
    of: fn(&wgpu::Limits) -> u64,
    pub least: u64,
}

macro_rules! least {
    ($limit:ident, $least:literal) => {
        Least {
            name: stringify!($limit),
            of: |limits| u64::from(limits.$limit),
            least: $least,
        }
    };
}

/// Invocations of a workgroup.
pub(crate) const INVOCATIONS: Least = least!(max_compute_invocations_per_workgroup, 256);
/// Bytes that the invocations of a workgroup share.
pub(crate) const SHARED_BYTES: Least = least!(max_compute_workgroup_storage_size, 16_384);
/// Storage buffers that a kernel binds: the number that the manifold kernel needs.
pub(crate) const STORAGE_BUFFERS: Least = least!(max_storage_buffers_per_shader_stage, 7);
/// Uniform buffers that a kernel binds.
pub(crate) const UNIFORM_BUFFERS: Least = least!(max_uniform_buffers_per_shader_stage, 4);
/// Bytes of a uniform buffer.
pub(crate) const UNIFORM_BYTES: Least = least!(max_uniform_buffer_binding_size, 16_384);
/// One more than the largest number of a binding.
pub(crate) const BINDINGS: Least = least!(max_bindings_per_bind_group, 32);

/// The limits that WebGPU guarantees and that devices opened here have. A caller's device may have
/// lower ones.
const ALL: [Least; 13] = [
    INVOCATIONS,
    SHARED_BYTES,
    STORAGE_BUFFERS,
    UNIFORM_BUFFERS,
    UNIFORM_BYTES,
    BINDINGS,
    least!(max_bind_groups, 1),
    least!(max_compute_workgroup_size_x, 256),
    least!(max_compute_workgroup_size_y, 1),
    least!(max_compute_workgroup_size_z, 1),
    least!(max_compute_workgroups_per_dimension, 1),
    // Buffers with the same size for all scenes fit; how much else fits depends on it.
    least!(max_storage_buffer_binding_size, 65_536),
    least!(max_buffer_size, 65_536),
];

/// Describes the limit that is too low for any check, if there is one.
pub(crate) fn too_low(limits: &wgpu::Limits) -> Option<String> {
    let low = ALL.iter().find(|limit| (limit.of)(limits) < limit.least)?;
    Some(format!(
        "its {} is {} but obbligato needs {}: ask for `required_limits`",
        low.name,
        (low.of)(limits),
        low.least
    ))
}

/// The limits of a device and of the configuration that affect memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DeviceLimits {
    /// Largest buffer and binding, in bytes.
    pub max_buffer_bytes: u64,
    /// The maximum number of workgroups of a dispatch whose invocations loop.
    pub looping_workgroups: u32,
    /// Set if shaders can compute in `f64`.
    pub f64: bool,
}

impl DeviceLimits {
    /// Returns the limits of a device of `adapter` that is opened here.
    pub fn of_adapter(adapter: &AdapterSummary, config: &GpuConfig) -> Self {
        let workgroups = config.max_workgroups_per_dimension.unwrap_or(u32::MAX);
        Self {
            max_buffer_bytes: max_buffer_bytes(adapter.max_binding_bytes, adapter.max_buffer_bytes, config),
            // All devices allow more.
            looping_workgroups: workgroups.clamp(1, FILLING_WORKGROUPS),
            f64: config.shader_f64 && adapter.shader_f64,
        }
    }

    /// Returns the bytes of the largest buffer whose entries can be numbered in 32 bits.
    pub fn numbered_bytes(&self) -> u64 {
        self.max_buffer_bytes.min(MOST_NUMBERED_BYTES)
    }
}

/// Returns the size of the largest buffer created, from the largest binding and buffer of a device.
pub(crate) fn max_buffer_bytes(binding: u64, buffer: u64, config: &GpuConfig) -> u64 {
    binding.min(buffer).min(config.max_buffer_bytes.unwrap_or(u64::MAX)) & !15
}
