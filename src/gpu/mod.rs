//! The GPU backend.

use crate::Result;

/// One adapter of this machine, as `obbligato devices` lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AdapterSummary {
    /// Position in [`adapters`]; what [`Config::adapter`](crate::Config::adapter) takes.
    pub index: usize,
    /// The adapter's name.
    pub name: String,
    /// The driver's name and version.
    pub driver: String,
    /// The graphics API: "vulkan", "metal", "dx12".
    pub api: String,
    /// "discrete", "integrated", "virtual", "software" or "other".
    pub kind: &'static str,
    /// Largest storage buffer binding, in bytes.
    pub max_binding_bytes: u64,
    /// Largest buffer, in bytes.
    pub max_buffer_bytes: u64,
    /// Workgroups in one dimension of a dispatch.
    pub max_workgroups_per_dimension: u32,
    /// Smallest and largest subgroup, or `None` without subgroup operations.
    pub subgroup_sizes: Option<(u32, u32)>,
    /// Whether shaders can use 64-bit floats.
    pub shader_f64: bool,
    /// Whether GPU times can be measured.
    pub timestamps: bool,
}

/// Every adapter of this machine, the best first as [`Backend::Auto`](crate::Backend::Auto) ranks them.
pub fn adapters() -> Result<Vec<AdapterSummary>> {
    Ok(Vec::new())
}
