//! The adapters of this machine, and the choice among them.

use crate::base::engine::AdapterKind;
use std::fmt;

use crate::base::config::{Backend, Config};
use crate::base::error::{Error, Result};

/// One adapter of this machine, as `obbligato devices` lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AdapterSummary {
    /// Position in [`adapters`], which [`Config::adapter`] accepts.
    pub index: usize,
    /// The adapter's name.
    pub name: String,
    /// The driver's name and version.
    pub driver: String,
    /// The graphics API: "vulkan", "metal", "dx12", or in a browser "webgpu".
    pub api: &'static str,
    /// The kind of device.
    pub kind: AdapterKind,
    /// Largest storage buffer binding, in bytes.
    pub max_binding_bytes: u64,
    /// Largest buffer, in bytes.
    pub max_buffer_bytes: u64,
    /// The maximum number of workgroups in one dimension of a dispatch.
    pub max_workgroups_per_dimension: u32,
    /// The smallest and the largest subgroup size, or `None` without subgroup operations.
    pub subgroup_sizes: Option<(u32, u32)>,
    /// `true` if shaders can use 64-bit floats.
    pub shader_f64: bool,
    /// `true` if GPU times can be measured.
    pub timestamps: bool,
}

/// Returns every adapter of this machine, in the ranking of [`Backend::Auto`], best first. Empty if
/// there is none.
pub fn adapters() -> Vec<AdapterSummary> {
    pollster::block_on(enumerate(Owner::Engine))
        .into_iter()
        .map(|(_, summary)| summary)
        .collect()
}

/// The chosen backend, and the reason.
pub(crate) enum Choice {
    /// An adapter.
    Gpu(wgpu::Adapter, String),
    /// The CPU backend.
    Cpu(String),
}

/// Chooses the adapter named in the configuration, otherwise the best, for any backend.
pub(crate) async fn choose_gpu(config: &Config) -> Result<wgpu::Adapter> {
    let config = Config {
        backend: Backend::Gpu,
        ..config.clone()
    };
    match choose_for(&config, Owner::Application).await? {
        Choice::Gpu(adapter, _) => Ok(adapter),
        Choice::Cpu(reason) => Err(Error::NoAdapter {
            wanted: "the GPU backend".to_owned(),
            found: reason,
        }),
    }
}

/// The owner of the commands that a device runs.
#[derive(Clone, Copy, PartialEq)]
enum Owner {
    /// The engine alone. Its indirect dispatches are within the limits, and none of their kernels
    /// reads the number of workgroups. wgpu's validation, an extra dispatch for each of them, is
    /// therefore unnecessary.
    Engine,
    /// An application as well, whose indirect calls wgpu validates.
    Application,
}

/// Chooses the backend and the adapter according to the configuration.
pub(crate) async fn choose(config: &Config) -> Result<Choice> {
    choose_for(config, Owner::Engine).await
}

async fn choose_for(config: &Config, owner: Owner) -> Result<Choice> {
    if config.backend == Backend::Cpu {
        return Ok(Choice::Cpu("the CPU backend was requested".to_owned()));
    }
    let mut all = enumerate(owner).await;
    let names = || match all.len() {
        0 => "none".to_owned(),
        _ => all
            .iter()
            .map(|(_, summary)| summary.to_string())
            .collect::<Vec<_>>()
            .join(", "),
    };
    if let Some(wanted) = &config.adapter {
        let Some(position) = find(all.iter().map(|(_, summary)| summary), wanted) else {
            return Err(Error::NoAdapter {
                wanted: format!("\"{wanted}\""),
                found: names(),
            });
        };
        let (adapter, summary) = all.swap_remove(position);
        return Ok(Choice::Gpu(adapter, format!("{summary} was requested")));
    }
    match (all.first().map(|(_, summary)| summary), config.backend) {
        (None, Backend::Gpu) => Err(Error::NoAdapter {
            wanted: "the GPU backend".to_owned(),
            found: names(),
        }),
        (None, _) => Ok(Choice::Cpu("there is no GPU adapter".to_owned())),
        (Some(best), Backend::Auto) if !best.is_gpu() => Ok(Choice::Cpu(format!("there is no GPU, only {}", names()))),
        (Some(_), _) => {
            let (adapter, summary) = all.swap_remove(0);
            let reason = if summary.is_gpu() {
                "the best GPU"
            } else {
                "the best adapter, but may not be a GPU"
            };
            Ok(Choice::Gpu(adapter, format!("{summary} is {reason}")))
        }
    }
}

impl AdapterSummary {
    /// Returns `true` if [`Backend::Auto`] uses the adapter. A browser names software adapters, but
    /// no kind of the others.
    fn is_gpu(&self) -> bool {
        self.kind.is_gpu() || (self.kind == AdapterKind::Other && self.api == wgpu::Backend::BrowserWebGpu.to_str())
    }
}

impl fmt::Display for AdapterSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, {})", self.name, self.api, self.kind)
    }
}

/// Returns the position of the adapter that `wanted` names: by index, by API, or by part of its
/// name.
fn find<'a>(mut all: impl Iterator<Item = &'a AdapterSummary>, wanted: &str) -> Option<usize> {
    let wanted = wanted.trim().to_lowercase();
    if wanted.is_empty() {
        return None;
    }
    let index = wanted.parse::<usize>();
    all.position(|summary| match index {
        Ok(index) => summary.index == index,
        Err(_) => summary.api == wanted || summary.name.to_lowercase().contains(&wanted),
    })
}

async fn enumerate(owner: Owner) -> Vec<(wgpu::Adapter, AdapterSummary)> {
    let mut flags = wgpu::InstanceFlags::default();
    flags.set(
        wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL,
        owner == Owner::Application,
    );
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::VULKAN
            | wgpu::Backends::METAL
            | wgpu::Backends::DX12
            | wgpu::Backends::BROWSER_WEBGPU,
        // The environment can turn the validation on again, for comparison.
        flags: flags.with_env(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let mut all: Vec<_> = instance.enumerate_adapters(wgpu::Backends::all()).await;
    all.sort_by_key(|adapter| kind(adapter.get_info().device_type));
    all.into_iter()
        .enumerate()
        .map(|(index, adapter)| (adapter.clone(), summarize(index, &adapter)))
        .collect()
}

/// Returns the kind reported by a driver.
pub(crate) fn kind(device_type: wgpu::DeviceType) -> AdapterKind {
    match device_type {
        wgpu::DeviceType::DiscreteGpu => AdapterKind::Discrete,
        wgpu::DeviceType::IntegratedGpu => AdapterKind::Integrated,
        wgpu::DeviceType::VirtualGpu => AdapterKind::Virtual,
        wgpu::DeviceType::Cpu => AdapterKind::Software,
        wgpu::DeviceType::Other => AdapterKind::Other,
    }
}

fn summarize(index: usize, adapter: &wgpu::Adapter) -> AdapterSummary {
    let (info, limits, features) = (adapter.get_info(), adapter.limits(), adapter.features());
    AdapterSummary {
        index,
        driver: driver(&info),
        api: info.backend.to_str(),
        kind: kind(info.device_type),
        name: info.name,
        max_binding_bytes: limits.max_storage_buffer_binding_size,
        max_buffer_bytes: limits.max_buffer_size,
        max_workgroups_per_dimension: limits.max_compute_workgroups_per_dimension,
        subgroup_sizes: features
            .contains(wgpu::Features::SUBGROUP)
            .then_some((info.subgroup_min_size, info.subgroup_max_size)),
        shader_f64: features.contains(wgpu::Features::SHADER_F64),
        timestamps: features.contains(wgpu::Features::TIMESTAMP_QUERY),
    }
}

/// Returns the driver's name and version, as far as reported.
pub(crate) fn driver(info: &wgpu::AdapterInfo) -> String {
    [info.driver.as_str(), info.driver_info.as_str()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adapters_are_found_by_index_api_and_name() {
        let summary = |index, name: &str, api| AdapterSummary {
            index,
            name: name.to_owned(),
            driver: String::new(),
            api,
            kind: AdapterKind::Discrete,
            max_binding_bytes: 0,
            max_buffer_bytes: 0,
            max_workgroups_per_dimension: 0,
            subgroup_sizes: None,
            shader_f64: false,
            timestamps: false,
        };
        let all = [summary(0, "GeForce 4090", "vulkan"), summary(1, "Radeon", "dx12")];
        for (wanted, position) in [
            ("0", Some(0)),
            ("1", Some(1)),
            ("2", None),
            ("DX12", Some(1)),
            ("radeon", Some(1)),
            ("4090x", None),
            ("", None),
        ] {
            assert_eq!(find(all.iter(), wanted), position, "{wanted}");
        }
    }
}
