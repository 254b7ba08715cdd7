//! Compute kernels at work: compiled on first use, bound by the names of their buffers.

use std::num::NonZeroU64;
use std::sync::Arc;

use crate::base::error::Result;
use crate::device::buffers::Resources;
use crate::device::compile::shared;
use crate::device::context::Context;
use crate::device::guest::Guest;
use crate::device::kernel::{At, Code, Kernel, Size};
use crate::device::tuning;

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
    /// The caller's part.
    guest: Option<Arc<str>>,
    pipeline: wgpu::ComputePipeline,
    /// The recent bind groups, by their group.
    bindings: Vec<(u32, Vec<Bound>, wgpu::BindGroup)>,
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
    /// The caller's part of the kernels that have one.
    pub guest: Option<Guest<'a>>,
    /// The sizes of dispatches, if the device has computed them.
    pub sizes: Option<DeviceSizes<'a>>,
}

/// The maximum number of bindings of a streamed slot.
const MOST_SEGMENTS: usize = 3;

/// The sizes of dispatches that the device has computed.
#[derive(Clone, Copy)]
pub(crate) struct DeviceSizes<'a> {
    /// The dispatches: kernels, and the binding of a streamed slot.
    pub dispatches: &'a [(&'static Code, usize)],
    /// The arguments of each, three numbers.
    pub arguments: &'a wgpu::Buffer,
}

impl<'a> DeviceSizes<'a> {
    /// Returns the buffer and the offset of the arguments of a dispatch, if there are any.
    fn of(&self, code: &Code, segment: usize) -> Option<(&'a wgpu::Buffer, u64)> {
        let is_it = |dispatch: &(&'static Code, usize)| std::ptr::eq(dispatch.0, code) && dispatch.1 == segment;
        let place = self.dispatches.iter().position(is_it)?;
        Some((self.arguments, place as u64 * 3 * size_of::<u32>() as u64))
    }
}

impl Kernels {
    /// Discards all bind groups after a buffer was replaced, because they would keep the old one.
    pub fn forget_bindings(&mut self) {
        self.compiled.iter_mut().for_each(|kernel| kernel.bindings.clear());
    }

    /// Compiles a kernel, unless it is already compiled.
    pub fn prepare(&mut self, context: &Context, code: &'static Code, constants: &[(&'static str, f64)]) -> Result<()> {
        self.compiled(context, code, constants, None).map(drop)
    }

    /// Compiles a kernel with the caller's part, if it has one, and binds the caller's buffers.
    pub fn prepare_with(
        &mut self,
        context: &Context,
        code: &'static Code,
        constants: &[(&'static str, f64)],
        guest: &Guest<'_>,
    ) -> Result<()> {
        guest.expect_groups()?;
        match guest.is_in(code) {
            true => self
                .compiled(context, code, constants, Some(guest))?
                .callers_group(context, guest)
                .map(drop),
            false => Ok(()),
        }
    }

    fn compiled(
        &mut self,
        context: &Context,
        code: &'static Code,
        constants: &[(&'static str, f64)],
        guest: Option<&Guest<'_>>,
    ) -> Result<&mut Compiled> {
        let own = || constants.iter().filter(|(name, _)| code.overrides.contains(name));
        let text = guest.map(|guest| guest.text);
        let known = |kernel: &Compiled| {
            std::ptr::eq(kernel.code, code) && kernel.guest.as_ref() == text && own().eq(&kernel.constants)
        };
        let place = match self.compiled.iter().position(known) {
            Some(place) => place,
            None => {
                let constants: Vec<_> = own().copied().collect();
                let pipeline = shared(context, code, &constants, guest)?;
                self.compiled.push(Compiled {
                    code,
                    constants,
                    guest: text.cloned(),
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
        if !matches!(size, Size::Indirect(..)) && groups_of(context, kernel, work) == [0; MOST_SEGMENTS] {
            return Ok(());
        }
        let guest = run.guest.as_ref().filter(|guest| guest.is_in(code));
        let compiled = self.compiled(context, code, run.constants, guest)?;
        let run = &Run {
            guest: guest.copied(),
            ..*run
        };
        if let Size::Indirect(slot, offset) = size {
            let arguments = run.resources.of(slot)?;
            return compiled.dispatch_indirect(pass, run, 0, (arguments[0].buffer, *offset));
        }
        for (segment, groups) in groups_of(context, kernel, work).into_iter().enumerate() {
            let arguments = run.sizes.and_then(|sizes| sizes.of(code, segment));
            match arguments {
                _ if groups == 0 => {}
                Some(arguments) => compiled.dispatch_indirect(pass, run, segment, arguments)?,
                None => compiled.dispatch(pass, run, segment, groups)?,
            }
        }
        Ok(())
    }
}

/// Returns the number of workgroups of each dispatch of a kernel for some work: one for each
/// binding of a streamed slot, otherwise the first only. None if the device computes it.
pub(crate) fn groups_of<W>(context: &Context, kernel: &Kernel<W>, work: &W) -> [u32; MOST_SEGMENTS] {
    let (code, most) = (&kernel.code, context.max_workgroups);
    let filling = context.limits().looping_workgroups;
    let each = u64::from(tuning::number(code.entry, "WORKGROUP").unwrap_or(code.workgroup).max(1));
    let groups = |items: u64, most: u32| items.div_ceil(each).min(u64::from(most)) as u32;
    let mut all = [0; MOST_SEGMENTS];
    match kernel.size {
        Size::One => all[0] = 1,
        Size::Groups(count) => all[0] = count(work).min(u64::from(most)) as u32,
        Size::Each(items) => all[0] = groups(items(work), most),
        Size::Looping(items) => all[0] = groups(items(work), filling),
        Size::Streamed(items, full) => {
            let (items, full) = (items(work), full(work).max(1));
            for (segment, all) in (0..).zip(&mut all) {
                let (first, end) = (items.start.max(segment * full), items.end.min((segment + 1) * full));
                *all = groups(end.saturating_sub(first), filling);
            }
        }
        Size::Indirect(..) => {}
    }
    all
}

impl Compiled {
    fn dispatch<W>(&mut self, pass: &mut wgpu::ComputePass, run: &Run<W>, segment: usize, groups: u32) -> Result<()> {
        self.bind(pass, run, segment)?;
        pass.dispatch_workgroups(groups, 1, 1);
        self.note_dispatch();
        Ok(())
    }

    /// Records a dispatch with three numbers at an offset in a buffer.
    fn dispatch_indirect<W>(
        &mut self,
        pass: &mut wgpu::ComputePass,
        run: &Run<W>,
        segment: usize,
        (arguments, offset): (&wgpu::Buffer, u64),
    ) -> Result<()> {
        self.bind(pass, run, segment)?;
        pass.dispatch_workgroups_indirect(arguments, offset);
        self.note_dispatch();
        Ok(())
    }

    /// Sets the pipeline and its bind groups. Streamed slots have one binding in them.
    fn bind<W>(&mut self, pass: &mut wgpu::ComputePass, run: &Run<W>, segment: usize) -> Result<()> {
        let (context, guest) = (run.context, run.guest.as_ref());
        let mut wanted = Vec::with_capacity(8);
        let is_bound = |at: &&At| guest.is_none_or(|guest| !std::ptr::eq(guest.without, at.slot));
        for at in self.code.slots.into_iter().flatten().filter(is_bound) {
            let bindings = run.resources.of(at.slot)?;
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
        let own = self.group(context, 0, wanted)?;
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &own, &[]);
        if let Some(guest) = guest
            && let Some(callers) = self.callers_group(context, guest)?
        {
            pass.set_bind_group(1, &callers, &[]);
        }
        Ok(())
    }

    /// Returns the bind group of the caller's buffers, if there are any.
    fn callers_group(&mut self, context: &Context, guest: &Guest<'_>) -> Result<Option<wgpu::BindGroup>> {
        if guest.buffers.is_empty() && !guest.binds() {
            return Ok(None);
        }
        let wanted = guest.buffers.iter().map(|(binding, buffer)| Bound {
            binding: *binding,
            buffer: buffer.clone(),
            offset: 0,
            size: None,
        });
        let made = self.group(context, 1, wanted.collect());
        made.map(Some).map_err(|error| guest.blamed(error, None))
    }

    /// Returns the bind group for these buffers, creating it if it is not among the recent ones.
    fn group(&mut self, context: &Context, group: u32, wanted: Vec<Bound>) -> Result<wgpu::BindGroup> {
        let known = |(own, bound, _): &(u32, Vec<Bound>, wgpu::BindGroup)| *own == group && *bound == wanted;
        if let Some(place) = self.bindings.iter().rposition(known) {
            return Ok(self.bindings[place].2.clone());
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
        let made = context.scoped("the bindings", 0, || {
            context.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(self.code.entry),
                layout: &self.pipeline.get_bind_group_layout(group),
                entries: &entries,
            })
        })?;
        if self.bindings.len() == KEPT_BINDINGS {
            self.bindings.remove(0);
        }
        self.bindings.push((group, wanted, made.clone()));
        Ok(made)
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
