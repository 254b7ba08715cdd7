//! The device's memory: growing buffers declared as slots, the bindings of kernels, and reading
//! back to the host.

use std::num::NonZeroU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::device::context::Context;
use crate::device::segments::divide;

use wgpu::BufferUsages as Usages;

/// A named buffer. The stage that owns it declares it, and its length with [`Owned`].
#[derive(Debug)]
pub(crate) struct Slot {
    /// The name in shaders; with several bindings they are called `name_0`, `name_1`, ...
    pub name: &'static str,
    /// The name in errors and debuggers.
    pub label: &'static str,
    /// Bytes before the first record.
    pub header: u64,
    /// Bytes of a record.
    pub record: u64,
    /// The number of bindings that it is spread over, because one holds a limited number of bytes.
    /// Each is a *segment*.
    pub bindings: usize,
    /// The size of a full segment in bytes is a multiple of this.
    pub unit: u64,
    pub usage: Usages,
}

impl Slot {
    /// Declares a storage buffer of records of `T` in one binding.
    pub const fn of<T>(name: &'static str, label: &'static str) -> Self {
        Self {
            name,
            label,
            header: 0,
            record: size_of::<T>() as u64,
            bindings: 1,
            unit: size_of::<T>() as u64,
            usage: Usages::STORAGE.union(Usages::COPY_DST).union(Usages::COPY_SRC),
        }
    }

    /// Returns the same slot with a header of `header` bytes.
    pub const fn with_header(self, header: u64) -> Self {
        Self { header, ..self }
    }

    /// Returns the same slot over several bindings, each a multiple of `unit` bytes.
    pub const fn over(self, bindings: usize, unit: u64) -> Self {
        Self { bindings, unit, ..self }
    }

    /// Returns the same slot with other usages.
    pub const fn used(self, usage: Usages) -> Self {
        Self { usage, ..self }
    }

    /// Returns the bytes of an empty buffer: bindings are at least as large as a record.
    fn least(&self) -> u64 {
        match self.header + self.record {
            0..16 => 64,
            bytes => bytes.next_multiple_of(16),
        }
    }

    /// Returns the bytes of `records` records in each of the bindings.
    fn segments(&self, numbered: u64, records: u64) -> impl Iterator<Item = u64> {
        let bytes = match records {
            0 => 0,
            _ => records.saturating_mul(self.record).saturating_add(self.header),
        };
        divide(bytes, numbered / self.unit * self.unit, self.bindings)
    }
}

/// A slot whose buffer is owned by a stage, and the number of its records, given the room `R` that
/// a frame needs.
pub(crate) struct Owned<R: 'static> {
    pub slot: &'static Slot,
    pub records: fn(&R) -> u64,
}

impl<R> Owned<R> {
    pub const fn of(slot: &'static Slot, records: fn(&R) -> u64) -> Self {
        Self { slot, records }
    }
}

/// Returns the bytes of declared buffers after each of these rooms has been reserved in turn, with
/// buffers of at most `most` bytes and segments of `numbered`.
pub(crate) fn bytes_of<R>(owned: &[Owned<R>], rooms: &[R], most: u64, numbered: u64) -> Vec<u64> {
    let mut all = Vec::new();
    for Owned { slot, records } in owned {
        let mut bytes = vec![slot.least(); slot.bindings];
        for room in rooms {
            for (bytes, needed) in bytes.iter_mut().zip(slot.segments(numbered, records(room))) {
                *bytes = grown(*bytes, needed, most);
            }
        }
        all.extend(bytes);
    }
    all
}

/// Returns the bytes of a buffer of `now` bytes that has grown to hold `needed`.
pub(crate) fn grown(now: u64, needed: u64, most: u64) -> u64 {
    match needed <= now {
        true => now,
        false => needed.max(now * 3 / 2).next_multiple_of(16).min(most),
    }
}

/// A growing buffer.
struct GrowingBuffer {
    slot: &'static Slot,
    buffer: wgpu::Buffer,
}

impl GrowingBuffer {
    /// Grows the buffer to `bytes` if necessary. Returns `true` if that took a new buffer, in which
    /// case the contents are lost.
    ///
    /// The buffer grows at least by half, so that slowly growing scenes do not allocate at every
    /// step.
    fn reserve(&mut self, context: &Context, bytes: u64) -> Result<bool> {
        if bytes <= self.buffer.size() {
            return Ok(false);
        }
        let Slot { label, usage, .. } = *self.slot;
        if bytes > context.max_buffer_bytes {
            return Err(Error::LimitExceeded {
                what: format!("the buffer for {label}"),
                needed: bytes,
                available: context.max_buffer_bytes,
                hint: "raise `GpuConfig::max_buffer_bytes`, check fewer boxes at once, or use the CPU backend",
            });
        }
        let old = self.buffer.size();
        let size = grown(old, bytes, context.max_buffer_bytes);
        // The old buffer is freed first, so that both need not fit at once; if the new one does not
        // fit, the old one does. But commands that the caller has recorded and not yet submitted
        // may still need the old one.
        let needed = context.recorded.load(Relaxed);
        if !needed {
            self.buffer.destroy();
        }
        match context.buffer(label, size, usage) {
            Ok(buffer) => self.buffer = buffer,
            Err(error) => {
                if !needed {
                    self.buffer = context.buffer(label, old, usage)?;
                }
                return Err(error);
            }
        }
        Ok(true)
    }
}

/// The buffers of declared slots.
pub(crate) struct Arena {
    held: Vec<(&'static Slot, Vec<GrowingBuffer>)>,
}

impl Arena {
    /// Creates empty buffers for these slots.
    pub fn new(context: &Context, slots: impl IntoIterator<Item = &'static Slot>) -> Result<Self> {
        let mut held = Vec::new();
        for slot in slots {
            let mut segments = Vec::with_capacity(slot.bindings);
            for _ in 0..slot.bindings {
                let buffer = context.buffer(slot.label, slot.least(), slot.usage)?;
                segments.push(GrowingBuffer { slot, buffer });
            }
            held.push((slot, segments));
        }
        Ok(Self { held })
    }

    /// Grows the buffers of a slot to `records` records if necessary. Returns `true` if a buffer is
    /// new, in which case its contents are lost.
    pub fn reserve(&mut self, context: &Context, slot: &'static Slot, records: u64) -> Result<bool> {
        let mut new = false;
        let place = self.held.iter_mut().find(|(own, _)| std::ptr::eq(*own, slot));
        let (_, segments) = place.ok_or_else(|| missing(slot))?;
        for (buffer, bytes) in segments
            .iter_mut()
            .zip(slot.segments(context.numbered_bytes(), records))
        {
            new |= buffer.reserve(context, bytes)?;
        }
        Ok(new)
    }

    /// Grows the buffers of all of these slots. Returns `true` if a buffer is new.
    pub fn reserve_all<R>(&mut self, context: &Context, owned: &[Owned<R>], room: &R) -> Result<bool> {
        let mut new = false;
        for Owned { slot, records } in owned {
            new |= self.reserve(context, slot, records(room))?;
        }
        Ok(new)
    }

    /// Returns the segments of a slot.
    pub fn segments(&self, slot: &Slot) -> impl Iterator<Item = &wgpu::Buffer> {
        let own = self.held.iter().find(|(own, _)| std::ptr::eq(*own, slot));
        own.into_iter()
            .flat_map(|(_, segments)| segments.iter().map(|segment| &segment.buffer))
    }

    /// Returns the buffer of a slot with one segment, or its first.
    pub fn buffer(&self, slot: &Slot) -> Result<&wgpu::Buffer> {
        self.segments(slot).next().ok_or_else(|| missing(slot))
    }

    /// Returns the number of records that a slot with one segment holds, limited to 31 bits.
    pub fn capacity(&self, slot: &Slot) -> u32 {
        let bytes = self
            .segments(slot)
            .next()
            .map_or(0, |buffer| buffer.size() - slot.header);
        (bytes / slot.record).min(u64::from(u32::MAX / 2)) as u32
    }

    /// Returns the bytes of all buffers.
    pub fn bytes(&self) -> u64 {
        let all = self.held.iter().flat_map(|(_, segments)| segments);
        all.map(|segment| segment.buffer.size()).sum()
    }
}

/// Returns an error that reports a missing buffer, which is a bug in this crate.
fn missing(slot: &Slot) -> Error {
    Error::Gpu {
        what: format!("the buffer for {}", slot.label),
        reason: "no stage has provided it; please report this".to_owned(),
    }
}

/// The bindings of kernels at each slot: the last one given, otherwise that of the arena.
#[derive(Clone)]
pub(crate) struct Resources<'a> {
    arena: &'a Arena,
    given: Vec<(&'static Slot, Vec<wgpu::BufferBinding<'a>>)>,
}

impl<'a> Resources<'a> {
    pub fn new(arena: &'a Arena) -> Self {
        Self {
            arena,
            given: Vec::new(),
        }
    }

    /// Adds bindings for a slot.
    pub fn with(mut self, slot: &'static Slot, bindings: Vec<wgpu::BufferBinding<'a>>) -> Self {
        self.given.push((slot, bindings));
        self
    }

    /// Adds a whole buffer for a slot.
    pub fn with_buffer(self, slot: &'static Slot, buffer: &'a wgpu::Buffer) -> Self {
        self.with(slot, vec![buffer.as_entire_buffer_binding()])
    }

    /// Returns the bindings of a slot, one for each of its segments.
    pub fn of(&self, slot: &'static Slot) -> Result<Vec<wgpu::BufferBinding<'a>>> {
        if let Some((_, bindings)) = self.given.iter().rfind(|(own, _)| std::ptr::eq(*own, slot)) {
            return Ok(bindings.clone());
        }
        let own: Vec<_> = self
            .arena
            .segments(slot)
            .map(wgpu::Buffer::as_entire_buffer_binding)
            .collect();
        match own.is_empty() {
            true => Err(missing(slot)),
            false => Ok(own),
        }
    }
}

/// Splits the first `bytes` of a caller's buffer into the segments of a slot. An unused segment is
/// bound to the last used part.
pub(crate) fn segments_of<'a>(
    context: &Context,
    slot: &Slot,
    buffer: &'a wgpu::Buffer,
    bytes: u64,
) -> Vec<wgpu::BufferBinding<'a>> {
    let full = context.numbered_bytes() / slot.unit * slot.unit;
    let mut offset = 0;
    let mut bindings: Vec<wgpu::BufferBinding> = Vec::with_capacity(slot.bindings);
    for bytes in divide(bytes, full, slot.bindings) {
        let binding = match (NonZeroU64::new(bytes), bindings.last()) {
            (None, Some(last)) => last.clone(),
            (size, _) => wgpu::BufferBinding { buffer, offset, size },
        };
        bindings.push(binding);
        offset += bytes;
    }
    bindings
}

/// Uniform buffers and others that only the host writes, keyed by their contents, which never
/// change: frames that wait in one encoder may share them.
#[derive(Default)]
pub(crate) struct Uniforms {
    kept: Vec<(Usages, Vec<u8>, wgpu::Buffer)>,
}

/// The number of uniform buffers kept.
const KEPT_UNIFORMS: usize = 64;

impl Uniforms {
    /// Returns the buffer with these contents, creating it if it is not among the recent ones.
    pub fn with<T: bytemuck::Pod>(&mut self, context: &Context, label: &str, contents: &T) -> Result<wgpu::Buffer> {
        self.with_usage(context, label, std::slice::from_ref(contents), Usages::UNIFORM)
    }

    /// Like [`Uniforms::with`], for a list and a buffer of this usage.
    pub fn with_usage<T: bytemuck::Pod>(
        &mut self,
        context: &Context,
        label: &str,
        contents: &[T],
        usage: Usages,
    ) -> Result<wgpu::Buffer> {
        let bytes: &[u8] = bytemuck::cast_slice(contents);
        let known = |(own, held, _): &(Usages, Vec<u8>, _)| *own == usage && held == bytes;
        if let Some(place) = self.kept.iter().rposition(known) {
            return Ok(self.kept[place].2.clone());
        }
        let buffer = context.buffer_with(label, bytes, usage)?;
        if self.kept.len() == KEPT_UNIFORMS {
            self.kept.remove(0);
        }
        self.kept.push((usage, bytes.to_vec(), buffer.clone()));
        Ok(buffer)
    }
}

/// Memory that the host can read.
pub(crate) struct Staging {
    pub buffer: wgpu::Buffer,
}

impl Staging {
    const USAGE: Usages = Usages::MAP_READ.union(Usages::COPY_DST);

    /// Creates a buffer of minimal size.
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            buffer: context.buffer("read-back", 16, Self::USAGE)?,
        })
    }

    /// Grows the buffer to `bytes` if necessary.
    pub fn reserve(&mut self, context: &Context, bytes: u64) -> Result<()> {
        if bytes > self.buffer.size() {
            let size = bytes.max(self.buffer.size() * 3 / 2).next_multiple_of(16);
            self.buffer.destroy();
            self.buffer = context.buffer("read-back", size, Self::USAGE)?;
        }
        Ok(())
    }

    /// Runs the recorded commands, and reads `count` items from the beginning of a buffer.
    pub async fn read<T: bytemuck::Pod>(
        &mut self,
        context: &Context,
        mut encoder: wgpu::CommandEncoder,
        buffer: &wgpu::Buffer,
        count: usize,
    ) -> Result<Vec<T>> {
        let bytes = (count * size_of::<T>()) as u64;
        self.reserve(context, bytes)?;
        encoder.copy_buffer_to_buffer(buffer, 0, &self.buffer, 0, bytes);
        context
            .submit_and_read(encoder, &self.buffer, bytes, |bytes| {
                let mut items = memory::zeroed(count, "what was read back")?;
                bytemuck::cast_slice_mut(&mut items).copy_from_slice(bytes);
                Ok(items)
            })
            .await?
    }
}
