//! Compilation of kernels.

use crate::base::error::{Error, Result};
use crate::device::context::Context;
use crate::device::guest::{Guest, fault_of};
use crate::device::kernel::Code;
use crate::device::namespace::PREFIX;
use crate::device::shared_pipelines::Key;
use crate::device::tuning;

/// Returns a kernel that is already compiled for this device, or compiles it. A checker with a file
/// of compiled shaders compiles all of its kernels itself, so that the file has them.
pub(super) fn shared(
    context: &Context,
    code: &'static Code,
    constants: &[(&'static str, f64)],
    guest: Option<&Guest<'_>>,
) -> Result<wgpu::ComputePipeline> {
    // An edited shader differs from the one compiled before.
    if context.pipeline_cache.is_some() || cfg!(feature = "reload") {
        return compile(context, code, constants, guest);
    }
    let key = Key {
        code: std::ptr::from_ref(code).addr(),
        constants: constants.to_vec(),
        subgroups: context.appends_by_subgroups,
        checks: context.shader_checks,
        guest: guest.map(|guest| guest.text.clone()),
    };
    context
        .shared_pipelines
        .get_or_compile(key, || compile(context, code, constants, guest))
}

/// Compiles an entry point, with values for its pipeline constants.
fn compile(
    context: &Context,
    code: &Code,
    constants: &[(&'static str, f64)],
    guest: Option<&Guest<'_>>,
) -> Result<wgpu::ComputePipeline> {
    let needed = code.slots.iter().map(|slots| slots.len() as u32).sum::<u32>();
    let available = context.device.limits().max_bindings_per_bind_group;
    if needed > available {
        return Err(Error::LimitExceeded {
            what: format!("the bindings of the shader {}", code.entry),
            needed: needed.into(),
            available: available.into(),
            hint: "open the device with the limits that `required_limits` returns",
        });
    }
    // Next to the caller's text, the names of this crate have a prefix.
    let named = |name: &str| guest.map_or(name.to_owned(), |_| format!("{PREFIX}{name}"));
    let entry = named(code.entry);
    let constants: Vec<_> = constants.iter().map(|(name, value)| (named(name), *value)).collect();
    let constants: Vec<_> = constants.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let mut fault = None;
    let compiled = context.scoped(&format!("the shader {}", code.entry), 0, || {
        let module = module(context, code, guest);
        fault = guest.and_then(|_| fault_of(&module));
        context
            .device
            .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(code.entry),
                layout: None,
                module: &module,
                entry_point: Some(&entry),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: &constants,
                    // Kernels initialise the workgroup memory that they use.
                    zero_initialize_workgroup_memory: false,
                },
                cache: context.pipeline_cache.as_ref().map(|cache| &cache.inner),
            })
    });
    match guest {
        Some(guest) => compiled.map_err(|error| guest.blamed(error, fault)),
        None => compiled,
    }
}

/// Creates the shader module, with or without checks according to the configuration.
#[allow(unsafe_code)]
fn module(context: &Context, code: &Code, guest: Option<&Guest<'_>>) -> wgpu::ShaderModule {
    let subgroups = context.appends_by_subgroups;
    let text = match guest {
        Some(guest) => guest.source(code, subgroups).into(),
        None => tuning::apply(code.entry, code.source.text(subgroups).into()),
    };
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some(code.entry),
        source: wgpu::ShaderSource::Wgsl(text),
    };
    // Nothing is known about the caller's text, or about a shader that is being edited.
    if context.shader_checks || guest.is_some() || cfg!(feature = "reload") {
        return context.device.create_shader_module(descriptor);
    }
    // SAFETY: the shaders are this crate's own. Every index is below the length of its buffer (the
    // driver sizes buffers and parameters together), every loop ends, and nothing is divided by
    // zero. The tests also run all of them with the checks on and compare the results.
    unsafe {
        context
            .device
            .create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked())
    }
}
