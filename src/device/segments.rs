//! Arrays over several bindings, as one holds only so many bytes: all *segments* but the last in use are full.
//!
//! A segment of our own is a buffer, as a buffer, too, holds only so many bytes. The segments of a caller's boxes are parts of
//! one buffer. Kernels find an item by its index: `boxes.wgsl`, `bounds.wgsl` and `new_bounds.wgsl` in `shaders/`, by the
//! lengths in [`Params`](super::buffers::Params). What is not in use is bound too, as little as there is of it.

use std::num::NonZeroU64;

use crate::base::error::Result;
use crate::device::buffers::GrowingBuffer;
use crate::device::context::Context;

/// Segments of an array of boxes.
pub(crate) const BOX_SEGMENTS: usize = 3;
/// Segments of an array of bounds, or of sorted records.
pub(crate) const BOUNDS_SEGMENTS: usize = 2;

/// An array of our own, a buffer for each segment.
pub(crate) struct Segments(Vec<GrowingBuffer>);

impl Segments {
    /// So many empty segments.
    pub async fn new(context: &Context, label: &'static str, count: usize) -> Result<Self> {
        let mut segments = Vec::with_capacity(count);
        for _ in 0..count {
            segments.push(GrowingBuffer::new(context, label).await?);
        }
        Ok(Self(segments))
    }

    /// Makes room for `bytes`, `full` of them in each segment, and says whether a buffer is new. What was in it is lost then.
    pub async fn reserve(&mut self, context: &Context, bytes: u64, full: u64) -> Result<bool> {
        let (mut grown, count) = (false, self.0.len());
        for (buffer, bytes) in self.0.iter_mut().zip(divide(bytes, full, count)) {
            grown |= buffer.reserve(context, bytes).await?;
        }
        Ok(grown)
    }

    /// The segments, as what kernels are bound to.
    pub fn bindings(&self) -> Vec<wgpu::BufferBinding<'_>> {
        self.0.iter().map(|buffer| buffer.as_entire_buffer_binding()).collect()
    }

    /// The first `bytes` of a caller's buffer, `full` of them in each segment, in place of our own segments.
    pub fn bindings_to<'a>(&'a self, buffer: &'a wgpu::Buffer, bytes: u64, full: u64) -> Vec<wgpu::BufferBinding<'a>> {
        let mut bindings = self.bindings();
        let mut offset = 0;
        for (binding, bytes) in bindings.iter_mut().zip(divide(bytes, full, self.0.len())) {
            let size = NonZeroU64::new(bytes);
            if size.is_some() {
                *binding = wgpu::BufferBinding { buffer, offset, size };
            }
            offset += bytes;
        }
        bindings
    }
}

impl std::ops::Deref for Segments {
    type Target = [GrowingBuffer];

    fn deref(&self) -> &[GrowingBuffer] {
        &self.0
    }
}

/// How many of so many bytes are in each of `count` segments. The last has what is too much.
pub(crate) fn divide(bytes: u64, full: u64, count: usize) -> impl Iterator<Item = u64> {
    (1..=count).scan(bytes, move |left, k| {
        let own = if k < count { full.min(*left) } else { *left };
        *left -= own;
        Some(own)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_full_but_for_the_last() {
        let of = |bytes| divide(bytes, 10, 3).collect::<Vec<_>>();
        assert_eq!(of(0), [0, 0, 0]);
        assert_eq!(of(10), [10, 0, 0]);
        assert_eq!(of(11), [10, 1, 0]);
        assert_eq!(of(20), [10, 10, 0]);
        assert_eq!(of(30), [10, 10, 10]);
        // Too much for any: whoever makes the buffer says so.
        assert_eq!(of(31), [10, 10, 11]);
    }
}
