//! A compute kernel: shader source, pipeline, bind group, dispatch.

use super::context::Context;
use crate::{Error, Result};

/// The files a shader is put together from, with their names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source(pub &'static [(&'static str, &'static str)]);

/// The [`Source`] of files in `shaders/`.
macro_rules! source {
    ($($file:literal),+ $(,)?) => {
        $crate::gpu::kernel::Source(&[$(($file, include_str!(concat!("../../shaders/", $file)))),+])
    };
}
pub(crate) use source;

impl Source {
    /// The whole text.
    pub fn text(&self) -> String {
        self.0.iter().map(|(_, text)| *text).collect()
    }

    /// The file and the line in it that a line of the whole text (from 1) comes from.
    #[cfg(test)]
    pub fn locate(&self, line: usize) -> (&'static str, usize) {
        let mut before = 0;
        for (name, text) in self.0 {
            let lines = text.lines().count();
            if line <= before + lines {
                return (name, line - before);
            }
            before += lines;
        }
        ("the end", line - before)
    }
}

/// An entry point, ready to run.
pub(crate) struct Kernel {
    label: &'static str,
    pipeline: wgpu::ComputePipeline,
    workgroup_size: u32,
    max_workgroups: u32,
}

impl Kernel {
    /// Compiles `entry_point` of `source`, whose workgroups have `workgroup_size` invocations, with `constants` for its
    /// overrides.
    pub async fn new(
        context: &Context,
        source: Source,
        entry_point: &'static str,
        workgroup_size: u32,
        constants: &[(&str, f64)],
    ) -> Result<Self> {
        let what = format!("the shader {entry_point}");
        let pipeline = context
            .scoped(&what, 0, || {
                let module = module(context, source, entry_point);
                context
                    .device
                    .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                        label: Some(entry_point),
                        layout: None,
                        module: &module,
                        entry_point: Some(entry_point),
                        compilation_options: wgpu::PipelineCompilationOptions {
                            constants,
                            // Kernels initialise what workgroup memory they use.
                            zero_initialize_workgroup_memory: false,
                        },
                        cache: context.pipeline_cache.as_ref().map(|cache| &cache.inner),
                    })
            })
            .await?;
        Ok(Self {
            label: entry_point,
            pipeline,
            workgroup_size,
            max_workgroups: context.max_workgroups,
        })
    }

    /// Binds whole buffers.
    pub fn bind(&self, context: &Context, buffers: &[(u32, &wgpu::Buffer)]) -> wgpu::BindGroup {
        let entries: Vec<_> = buffers
            .iter()
            .map(|&(binding, buffer)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        context.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(self.label),
            layout: &self.pipeline.get_bind_group_layout(0),
            entries: &entries,
        })
    }

    /// Runs at least `invocations` invocations; the kernel tells the surplus by its `global_index`.
    ///
    /// Workgroups beyond the limit of one dimension are folded into y.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass, bind_group: &wgpu::BindGroup, invocations: u64) -> Result<()> {
        let most = u64::from(self.max_workgroups);
        let workgroups = invocations.div_ceil(u64::from(self.workgroup_size));
        let x = workgroups.min(most);
        let y = if x == 0 { 0 } else { workgroups.div_ceil(x) };
        if y > most {
            return Err(Error::LimitExceeded {
                what: format!("a dispatch of {}", self.label),
                needed: workgroups,
                available: most * most,
                hint: "raise `GpuConfig::max_workgroups_per_dimension`, or check fewer boxes at once",
            });
        }
        if workgroups > 0 {
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, bind_group, &[]);
            pass.dispatch_workgroups(x as u32, y as u32, 1);
        }
        Ok(())
    }
}

/// The shader module, checked or not as the configuration says.
#[allow(unsafe_code)]
fn module(context: &Context, source: Source, label: &str) -> wgpu::ShaderModule {
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some(label),
        source: wgpu::ShaderSource::Wgsl(source.text().into()),
    };
    if context.shader_checks {
        return context.device.create_shader_module(descriptor);
    }
    // SAFETY: the shaders are this crate's own. Every index is below the length of its buffer (the driver sizes buffers
    // and parameters together), every loop ends, and nothing is divided by zero; the tests run all of them with the checks
    // on as well and compare the results.
    unsafe {
        context
            .device
            .create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked())
    }
}
