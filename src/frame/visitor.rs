//! The caller's function that visits the pairs of a recorded frame, in the kernels that find them.

use std::fmt::{Debug, Formatter};
use std::sync::Arc;

use crate::device::guest::Guest;
use crate::device::kernel::{File, files};
use crate::frame::slots::FOUND;

/// The file that all kernels have that test pairs.
pub(crate) const LISTING: &[File] = files!["shared/list_pairs.wgsl"];

/// The file in its place if the caller visits the pairs.
const VISITING: &[File] = files!["shared/visit_pairs.wgsl"];

/// A WGSL function of the caller that visits each pair of a recorded frame in the kernel that finds
/// it, with the buffers that it binds. No pair is stored, so memory does not grow with them.
///
/// The text declares `fn visit(pair: Pair, undecided: bool)`, and all that it uses: bindings in
/// `@group(1)`, records, constants and other functions. `Pair` is already declared: two `u32`, `a`
/// and `b`, as in [`Recorded::pairs`](crate::gpu::Recorded::pairs). All other names are free,
/// except those that begin with `obbligato_`. Each binding must be used by `visit`. Of the storage
/// buffers that the device allows in a kernel, frames leave at least three of eight.
///
/// The function is called once for each pair that a list would have, in any order and by many
/// invocations at once, so it combines with atomic operations. Invocations of a workgroup do not
/// come together: barriers and operations of subgroups are not possible. Buffers keep their
/// contents between frames; the caller clears them. Those of the frame's bodies can be
/// bound too, as `read`.
///
/// Pairs that the device cannot decide go to
/// [`Recorded::undecided`](crate::gpu::Recorded::undecided), as usual, or with
/// [`FrameVisitor::undecided`] to the function too.
///
/// If the frame does not [fit](crate::gpu::Outcome::fits), some pairs were not visited:
/// [`GpuChecker::reserve`](crate::GpuChecker::reserve) room for more candidate pairs, clear the
/// buffers, and record it again.
///
/// ```
/// use obbligato::gpu::{FrameQuery, FrameVisitor};
/// use obbligato::{GpuChecker, wgpu};
///
/// /// Adds 1 to the counts of both boxes of each pair.
/// const WGSL: &str = "
///     @group(1) @binding(0) var<storage, read_write> counts: array<atomic<u32>>;
///
///     fn visit(pair: Pair, undecided: bool) {
///         atomicAdd(&counts[pair.a], 1u);
///         atomicAdd(&counts[pair.b], 1u);
///     }
/// ";
///
/// fn record(
///     checker: &mut GpuChecker,
///     encoder: &mut wgpu::CommandEncoder,
///     boxes: &wgpu::Buffer,
///     counts: &wgpu::Buffer,
/// ) -> obbligato::Result<()> {
///     let visitor = FrameVisitor::new(WGSL).bind(0, counts);
///     let count = (boxes.size() / 48) as u32;
///     checker.record(encoder, FrameQuery::boxes(boxes, count).visit(&visitor))?;
///     Ok(())
/// }
/// ```
///
/// # Errors
/// [`GpuChecker::record`](crate::GpuChecker::record) returns
/// [`Error::InvalidVisitor`](crate::Error::InvalidVisitor) if the text does not compile, with the
/// caller's line, or if the buffers do not match its bindings or exceed the device's limits.
/// Nothing is recorded then. In a browser the error comes from a later call.
#[derive(Clone)]
pub struct FrameVisitor {
    text: Arc<str>,
    buffers: Vec<(u32, wgpu::Buffer)>,
    undecided: bool,
}

impl FrameVisitor {
    /// A visitor with this WGSL. Kernels are compiled for a text once, and kept.
    pub fn new(wgsl: impl Into<Arc<str>>) -> Self {
        Self {
            text: wgsl.into(),
            buffers: Vec::new(),
            undecided: false,
        }
    }

    /// Binds a whole buffer at `@group(1) @binding(binding)`, in place of one bound there before.
    /// Its usage is that of the declaration: `STORAGE` or `UNIFORM`.
    #[must_use]
    pub fn bind(mut self, binding: u32, buffer: &wgpu::Buffer) -> Self {
        self.buffers.retain(|(other, _)| *other != binding);
        self.buffers.push((binding, buffer.clone()));
        self
    }

    /// Also visits the pairs that the device cannot decide, with `undecided` set. They touch or
    /// nearly do. They are then in no list, so room for them is not needed.
    #[must_use]
    pub fn undecided(self) -> Self {
        Self {
            undecided: true,
            ..self
        }
    }

    /// Returns `true` if undecided pairs are visited.
    pub(crate) fn visits_undecided(&self) -> bool {
        self.undecided
    }

    /// Returns the visitor as a part of the kernels that test pairs.
    pub(crate) fn guest(&self) -> Guest<'_> {
        Guest {
            replaces: LISTING[0].0,
            by: VISITING[0],
            without: &FOUND,
            shared: "Pair",
            text: &self.text,
            buffers: &self.buffers,
            expected: "declare `fn visit(pair: Pair, undecided: bool)`, but neither `Pair` nor names that begin with `obbligato_`",
        }
    }
}

impl Debug for FrameVisitor {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let bindings: Vec<u32> = self.buffers.iter().map(|(binding, _)| *binding).collect();
        f.debug_struct("FrameVisitor")
            .field("bindings", &bindings)
            .field("undecided", &self.undecided)
            .finish_non_exhaustive()
    }
}
