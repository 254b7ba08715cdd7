//! Devices as the engine requests them from an adapter.

use crate::base::error::{Error, Result};

/// Features that are used if the adapter has them.
const OPTIONAL_FEATURES: wgpu::Features = wgpu::Features::SUBGROUP
    .union(wgpu::Features::SUBGROUP_BARRIER)
    .union(wgpu::Features::TIMESTAMP_QUERY)
    .union(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS)
    .union(wgpu::Features::SHADER_F64)
    .union(wgpu::Features::PIPELINE_CACHE);

/// Returns the features of `adapter` that a device for a [`GpuChecker`](crate::GpuChecker) should
/// have. None is indispensable.
pub fn required_features(adapter: &wgpu::Adapter) -> wgpu::Features {
    adapter.features() & OPTIONAL_FEATURES
}

/// Returns the limits that a device for a [`GpuChecker`](crate::GpuChecker) should have: WebGPU's
/// defaults, with the largest buffers that `adapter` allows.
pub fn required_limits(adapter: &wgpu::Adapter) -> wgpu::Limits {
    let most = adapter.limits();
    wgpu::Limits {
        max_storage_buffer_binding_size: most.max_storage_buffer_binding_size,
        max_buffer_size: most.max_buffer_size,
        max_compute_workgroups_per_dimension: most.max_compute_workgroups_per_dimension,
        ..wgpu::Limits::default()
    }
}

/// Opens a device with the features and limits used here.
pub(crate) async fn request_device(adapter: &wgpu::Adapter) -> Result<(wgpu::Device, wgpu::Queue)> {
    let descriptor = wgpu::DeviceDescriptor {
        label: Some("obbligato"),
        required_features: required_features(adapter),
        required_limits: required_limits(adapter),
        ..Default::default()
    };
    let requested = adapter.request_device(&descriptor).await;
    requested.map_err(|error| Error::Device {
        adapter: adapter.get_info().name,
        reason: one_line(&error.to_string()),
    })
}

/// Joins wgpu's multi-line messages into one line.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
