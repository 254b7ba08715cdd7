//! Compute kernels: declared as data, compiled on first use, bound by the names of their buffers.

use std::borrow::Cow;
use std::fs;
use std::num::NonZeroU64;
use std::ops::Range;

use crate::base::error::{Error, Result};
use crate::device::buffers::{Resources, Slot};
use crate::device::context::Context;
use crate::device::shared_pipelines::Key;
use crate::device::tuning;

/// A file in `shaders/`: its name and its text.
pub(crate) type File = (&'static str, &'static str);

/// Files in `shaders/`, by their names.
macro_rules! files {
    ($($file:literal),* $(,)?) => {
        &[$(($file, $crate::base::shader::shader!($file))),*]
    };
}
pub(crate) use files;

/// The parts of a shader.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    /// Groups of files, so that stages can contribute files that several kernels share.
    pub files: [&'static [File]; 3],
    /// A part that exists in two forms.
    pub forms: Option<Forms>,
}

/// A part of a shader for adapters with subgroup operations, and an equivalent part for every
/// adapter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Forms {
    pub subgroup: &'static [File],
    pub portable: &'static [File],
}

impl Source {
    /// Declares a shader of these files alone.
    pub const fn of(files: &'static [File]) -> Self {
        Self {
            files: [files, &[], &[]],
            forms: None,
        }
    }

    /// Declares a shader of these files that appends to lists, with one atomic operation per
    /// subgroup or workgroup.
    pub const fn appending(files: &'static [File]) -> Self {
        Self {
            forms: Some(Forms {
                subgroup: files!["shared/append.wgsl", "shared/append_subgroup.wgsl"],
                portable: files!["shared/append.wgsl", "shared/append_portable.wgsl"],
            }),
            ..Self::of(files)
        }
    }

    /// Adds more files after the first, for at most two groups of them.
    pub const fn and(self, more: &'static [File]) -> Self {
        Self {
            files: [self.files[0], more, self.files[1]],
            forms: self.forms,
        }
    }

    /// Returns all files of one form.
    pub fn list(&self, subgroups: bool) -> Vec<File> {
        let form = match (&self.forms, subgroups) {
            (None, _) => &[][..],
            (Some(forms), true) => forms.subgroup,
            (Some(forms), false) => forms.portable,
        };
        self.files.iter().copied().chain([form]).flatten().copied().collect()
    }

    /// Returns the text of one form.
    pub fn text(&self, subgroups: bool) -> String {
        self.list(subgroups).into_iter().map(current).collect()
    }
}

/// Returns a file's text as compiled in; with the feature `reload`, as it currently is in the
/// source tree, if available.
fn current((name, text): File) -> Cow<'static, str> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/");
    match cfg!(feature = "reload").then(|| fs::read_to_string(format!("{path}{name}"))) {
        Some(Ok(now)) => Cow::Owned(now),
        _ => Cow::Borrowed(text),
    }
}

/// The position at which a shader binds a slot: at `binding`, and if the slot has several bindings,
/// at the following ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub binding: u32,
    pub slot: &'static Slot,
    /// The name in the shader.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test holds it against the shader"))]
    pub name: &'static str,
    /// Set if the kernel runs once for each used binding of the slot, and sees one of them at a
    /// time.
    pub streamed: bool,
}

impl At {
    /// Binds by the slot's own name.
    pub const fn new(binding: u32, slot: &'static Slot) -> Self {
        Self::named(binding, slot, slot.name)
    }

    /// Binds by another name.
    pub const fn named(binding: u32, slot: &'static Slot, name: &'static str) -> Self {
        Self {
            binding,
            slot,
            name,
            streamed: false,
        }
    }

    /// Binds one binding of the slot at a time.
    pub const fn streamed(binding: u32, slot: &'static Slot) -> Self {
        Self {
            streamed: true,
            ..Self::new(binding, slot)
        }
    }
}

/// An entry point of a shader, and its requirements.
#[derive(Debug)]
pub(crate) struct Code {
    pub entry: &'static str,
    /// The number of invocations of a workgroup.
    pub workgroup: u32,
    pub source: Source,
    /// The buffers it binds: its own, and those of a stage that contributes files.
    pub slots: [&'static [At]; 2],
    /// The names of its pipeline constants.
    pub overrides: &'static [&'static str],
}

/// A kernel: an entry point, and the number of workgroups for a piece of work.
#[derive(Debug)]
pub(crate) struct Kernel<W: 'static> {
    pub code: Code,
    pub size: Size<W>,
}

/// The size of a dispatch for the work `W`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Size<W: 'static> {
    /// One workgroup.
    One,
    /// One workgroup per item, or fewer that loop.
    Groups(fn(&W) -> u64),
    /// One invocation per item, or fewer that loop.
    Each(fn(&W) -> u64),
    /// Like [`Size::Each`], with at most as many workgroups as fill a GPU: if only the device knows
    /// the number of items, or if a workgroup should do much work before it communicates.
    Looping(fn(&W) -> u64),
    /// Like [`Size::Looping`], over a streamed slot: the range of its items, and the number in a
    /// full binding.
    Streamed(fn(&W) -> Range<u64>, fn(&W) -> u64),
    /// The number of workgroups that the device has computed: three numbers at this offset in the
    /// slot.
    Indirect(&'static Slot, u64),
}

/// The number of bind groups kept for each kernel: enough for the passes of a sort, and for a few
/// buffers used in turn.
const KEPT_BINDINGS: usize = 32;

/// The kernels compiled so far.
#[derive(Default)]
pub(crate) struct Kernels {
    compiled: Vec<Compiled>,
}

struct Compiled {
    code: &'static Code,
    constants: Vec<(&'static str, f64)>,
    pipeline: wgpu::ComputePipeline,
    bindings: Vec<(Vec<Bound>, wgpu::BindGroup)>,
}

/// A part of a buffer at a binding.
#[derive(Clone, PartialEq)]
struct Bound {
    binding: u32,
    buffer: wgpu::Buffer,
    offset: u64,
    size: Option<NonZeroU64>,
}

/// The inputs of a dispatch.
pub(crate) struct Run<'a, W> {
    pub context: &'a Context,
    pub resources: &'a Resources<'a>,
    /// Values of pipeline constants; a kernel uses those it declares.
    pub constants: &'a [(&'static str, f64)],
    pub work: &'a W,
}

impl Kernels {
    /// Discards all bind groups after a buffer was replaced, because they would keep the old one.
    pub fn forget_bindings(&mut self) {
        self.compiled.iter_mut().for_each(|kernel| kernel.bindings.clear());
    }

    /// Compiles a kernel, unless it is already compiled.
    pub fn prepare(&mut self, context: &Context, code: &'static Code, constants: &[(&'static str, f64)]) -> Result<()> {
        self.compiled(context, code, constants).map(drop)
    }

    fn compiled(
        &mut self,
        context: &Context,
        code: &'static Code,
        constants: &[(&'static str, f64)],
    ) -> Result<&mut Compiled> {
        let own = || constants.iter().filter(|(name, _)| code.overrides.contains(name));
        let known = |kernel: &Compiled| std::ptr::eq(kernel.code, code) && own().eq(&kernel.constants);
        let place = match self.compiled.iter().position(known) {
            Some(place) => place,
            None => {
                let constants: Vec<_> = own().copied().collect();
                let pipeline = shared(context, code, &constants)?;
                self.compiled.push(Compiled {
                    code,
                    constants,
                    pipeline,
                    bindings: Vec::new(),
                });
                self.compiled.len() - 1
            }
        };
        Ok(&mut self.compiled[place])
    }

    /// Records a dispatch of a kernel, or nothing if there is no work.
    pub fn run<W>(&mut self, pass: &mut wgpu::ComputePass, kernel: &'static Kernel<W>, run: &Run<W>) -> Result<()> {
        let Kernel { code, size } = kernel;
        let (context, work) = (run.context, run.work);
        if matches!(size, Size::Streamed(items, _) if items(work).is_empty()) {
            return Ok(());
        }
        let compiled = self.compiled(context, code, run.constants)?;
        let most = context.max_workgroups;
        let filling = context.limits().looping_workgroups;
        let each = u64::from(tuning::number(code.entry, "WORKGROUP").unwrap_or(code.workgroup).max(1));
        let groups = |items: u64, most: u32| items.div_ceil(each).min(u64::from(most)) as u32;
        match size {
            Size::One => compiled.dispatch(pass, run, 0, 1),
            Size::Groups(count) => compiled.dispatch(pass, run, 0, count(work).min(u64::from(most)) as u32),
            Size::Each(items) => compiled.dispatch(pass, run, 0, groups(items(work), most)),
            Size::Looping(items) => compiled.dispatch(pass, run, 0, groups(items(work), filling)),
            Size::Streamed(items, full) => {
                let (items, full) = (items(work), full(work).max(1));
                let mut first = items.start;
                while first < items.end {
                    let segment = first / full;
                    let end = items.end.min((segment + 1) * full);
                    compiled.dispatch(pass, run, segment as usize, groups(end - first, filling))?;
                    first = end;
                }
                Ok(())
            }
            Size::Indirect(slot, offset) => {
                let bindings = compiled.bind(context, run.resources, 0)?;
                let arguments = run.resources.of(slot)?;
                pass.set_pipeline(&compiled.pipeline);
                pass.set_bind_group(0, &bindings, &[]);
                pass.dispatch_workgroups_indirect(arguments[0].buffer, *offset);
                compiled.note_dispatch();
                Ok(())
            }
        }
    }
}

impl Compiled {
    fn dispatch<W>(&mut self, pass: &mut wgpu::ComputePass, run: &Run<W>, segment: usize, groups: u32) -> Result<()> {
        if groups > 0 {
            let bindings = self.bind(run.context, run.resources, segment)?;
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &bindings, &[]);
            pass.dispatch_workgroups(groups, 1, 1);
            self.note_dispatch();
        }
        Ok(())
    }

    /// Returns the bind group for these buffers, creating it if it is not among the recent ones.
    /// Streamed slots have one binding in it.
    fn bind(&mut self, context: &Context, resources: &Resources, segment: usize) -> Result<wgpu::BindGroup> {
        let mut wanted = Vec::with_capacity(8);
        for at in self.code.slots.into_iter().flatten() {
            let bindings = resources.of(at.slot)?;
            let bindings = match at.streamed {
                true => bindings.get(segment..=segment).unwrap_or_default(),
                false => &bindings[..],
            };
            wanted.extend((at.binding..).zip(bindings).map(|(binding, part)| {
                // As much as can be bound.
                let size = part.size.map_or(part.buffer.size() - part.offset, NonZeroU64::get);
                Bound {
                    binding,
                    buffer: part.buffer.clone(),
                    offset: part.offset,
                    size: NonZeroU64::new(size.min(context.max_binding_bytes)),
                }
            }));
        }
        if let Some(place) = self.bindings.iter().rposition(|(bound, _)| *bound == wanted) {
            return Ok(self.bindings[place].1.clone());
        }
        let entries: Vec<_> = wanted
            .iter()
            .map(|bound| wgpu::BindGroupEntry {
                binding: bound.binding,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer: &bound.buffer,
                    offset: bound.offset,
                    size: bound.size,
                }),
            })
            .collect();
        let group = context.scoped("the bindings", 0, || {
            context.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(self.code.entry),
                layout: &self.pipeline.get_bind_group_layout(0),
                entries: &entries,
            })
        })?;
        if self.bindings.len() == KEPT_BINDINGS {
            self.bindings.remove(0);
        }
        self.bindings.push((wanted, group.clone()));
        Ok(group)
    }

    /// Records a dispatch for tests.
    fn note_dispatch(&self) {
        #[cfg(feature = "unstable")]
        DISPATCHES.with_borrow_mut(|dispatches| dispatches.iter_mut().for_each(|list| list.push(self.code.entry)));
    }
}

#[cfg(feature = "unstable")]
thread_local! {
    /// The kernels dispatched on this thread, while being recorded.
    static DISPATCHES: std::cell::RefCell<Option<Vec<&'static str>>> = const { std::cell::RefCell::new(None) };
}

/// Returns the value of `work`, and the kernels that it dispatches on this thread.
#[cfg(feature = "unstable")]
pub fn dispatches_of<T>(work: impl FnOnce() -> T) -> (T, Vec<&'static str>) {
    DISPATCHES.set(Some(Vec::new()));
    let value = work();
    (value, DISPATCHES.take().unwrap_or_default())
}

/// Returns a kernel that is compiled for this device already, or compiles it. A checker with a
/// file of compiled shaders compiles all of its kernels, because the file is to have them.
fn shared(context: &Context, code: &'static Code, constants: &[(&'static str, f64)]) -> Result<wgpu::ComputePipeline> {
    // An edited shader differs from the one compiled before.
    if context.pipeline_cache.is_some() || cfg!(feature = "reload") {
        return compile(context, code, constants);
    }
    let key = Key {
        code: std::ptr::from_ref(code).addr(),
        constants: constants.to_vec(),
        subgroups: context.appends_by_subgroups,
        checks: context.shader_checks,
    };
    context
        .shared_pipelines
        .get_or_compile(key, || compile(context, code, constants))
}

/// Compiles an entry point, with values for its pipeline constants.
fn compile(context: &Context, code: &Code, constants: &[(&'static str, f64)]) -> Result<wgpu::ComputePipeline> {
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
    context.scoped(&format!("the shader {}", code.entry), 0, || {
        let module = module(context, code);
        context
            .device
            .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(code.entry),
                layout: None,
                module: &module,
                entry_point: Some(code.entry),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants,
                    // Kernels initialise the workgroup memory that they use.
                    zero_initialize_workgroup_memory: false,
                },
                cache: context.pipeline_cache.as_ref().map(|cache| &cache.inner),
            })
    })
}

/// Creates the shader module, with or without checks according to the configuration.
#[allow(unsafe_code)]
fn module(context: &Context, code: &Code) -> wgpu::ShaderModule {
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some(code.entry),
        source: wgpu::ShaderSource::Wgsl(tuning::apply(
            code.entry,
            code.source.text(context.appends_by_subgroups).into(),
        )),
    };
    // Nothing is known about a shader that is being edited.
    if context.shader_checks || cfg!(feature = "reload") {
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

#[test]
fn shaders_come_from_the_source_tree_only_with_reload() {
    let (name, own) = files!["shared/common.wgsl"][0];
    let expected = if cfg!(feature = "reload") {
        own
    } else {
        "as compiled in"
    };
    assert_eq!(current((name, "as compiled in")), expected);
    assert_eq!(current(("nowhere.wgsl", "as compiled in")), "as compiled in");
}
