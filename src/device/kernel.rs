//! A compute kernel: shader source, pipeline, bind group, dispatch.

use std::num::NonZeroU64;

use crate::base::error::Result;
use crate::device::context::Context;

/// The files a shader is put together from, with their names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source(pub &'static [(&'static str, &'static str)]);

/// The [`Source`] of files in `shaders/`.
macro_rules! source {
    ($($file:literal),+ $(,)?) => {
        $crate::device::kernel::Source(&[$(($file, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/", $file)))),+])
    };
}
pub(crate) use source;

/// A shader that appends to lists of pairs, in two forms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AppendingSource {
    /// Where the adapter has subgroup operations.
    pub subgroup: Source,
    /// For every adapter.
    pub portable: Source,
}

/// The [`AppendingSource`] of files in `shaders/`, after those that all of them begin with.
macro_rules! appending_source {
    ($($file:literal),+ $(,)?) => {
        $crate::device::kernel::AppendingSource {
            subgroup: $crate::device::kernel::source!("shared/common.wgsl", "shared/append.wgsl", "shared/append_subgroup.wgsl", $($file),+),
            portable: $crate::device::kernel::source!("shared/common.wgsl", "shared/append.wgsl", "shared/append_portable.wgsl", $($file),+),
        }
    };
}
pub(crate) use appending_source;

impl AppendingSource {
    /// The form for a device.
    pub fn on(&self, context: &Context) -> Source {
        if context.subgroups {
            self.subgroup
        } else {
            self.portable
        }
    }
}

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

/// Workgroups of 256 that fill the largest GPUs: those keep some 300,000 invocations going.
pub(crate) const FILLING_WORKGROUPS: u32 = 1024;

/// Where `shaders/shared/boxes.wgsl` has the first segment of the boxes.
const BOXES: u32 = 1;

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

    /// Binds whole buffers, or as much of them as can be bound.
    pub fn bind(&self, context: &Context, buffers: &[(u32, &wgpu::Buffer)]) -> wgpu::BindGroup {
        self.bind_boxes(context, &[], buffers)
    }

    /// As [`Kernel::bind`], with the segments of the boxes at the bindings from [`BOXES`] on.
    pub fn bind_boxes(
        &self,
        context: &Context,
        boxes: &[wgpu::BufferBinding],
        buffers: &[(u32, &wgpu::Buffer)],
    ) -> wgpu::BindGroup {
        let whole = buffers.iter().map(|&(binding, buffer)| {
            let size = NonZeroU64::new(buffer.size().min(context.max_binding_bytes));
            let offset = 0;
            (binding, wgpu::BufferBinding { buffer, offset, size })
        });
        let entries: Vec<_> = (BOXES..)
            .zip(boxes.iter().cloned())
            .chain(whole)
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding,
                resource: wgpu::BindingResource::Buffer(buffer),
            })
            .collect();
        context.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(self.label),
            layout: &self.pipeline.get_bind_group_layout(0),
            entries: &entries,
        })
    }

    /// Runs an invocation for each of `items`, or fewer that loop, as the kernels all do.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass, bind_group: &wgpu::BindGroup, items: u64) {
        self.dispatch_at_most(pass, bind_group, items, self.max_workgroups);
    }

    /// As [`Kernel::dispatch`], with no more workgroups than fill a GPU: where the number of items is known to the GPU only,
    /// and `most_items` may be far from it, or where a workgroup should do much before it tells others.
    pub fn dispatch_looping(&self, pass: &mut wgpu::ComputePass, bind_group: &wgpu::BindGroup, most_items: u64) {
        self.dispatch_at_most(
            pass,
            bind_group,
            most_items,
            self.max_workgroups.min(FILLING_WORKGROUPS),
        );
    }

    /// Runs as many workgroups as the device has found out are needed: `arguments` holds three numbers at `offset`.
    pub fn dispatch_indirect(
        &self,
        pass: &mut wgpu::ComputePass,
        bind_group: &wgpu::BindGroup,
        arguments: &wgpu::Buffer,
        offset: u64,
    ) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, bind_group, &[]);
        pass.dispatch_workgroups_indirect(arguments, offset);
        self.note_dispatch();
    }

    fn dispatch_at_most(&self, pass: &mut wgpu::ComputePass, bind_group: &wgpu::BindGroup, items: u64, most: u32) {
        let workgroups = items.div_ceil(u64::from(self.workgroup_size)).min(u64::from(most));
        if workgroups > 0 {
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, bind_group, &[]);
            pass.dispatch_workgroups(workgroups as u32, 1, 1);
            self.note_dispatch();
        }
    }

    /// For tests of what is dispatched.
    fn note_dispatch(&self) {
        #[cfg(test)]
        DISPATCHES.with_borrow_mut(|dispatches| dispatches.push(self.label));
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

#[cfg(test)]
thread_local! {
    /// The kernels dispatched on this thread so far.
    pub(crate) static DISPATCHES: std::cell::RefCell<Vec<&'static str>> = const { std::cell::RefCell::new(Vec::new()) };
}
