//! Declares `shaders/engine/count_bodies.wgsl`, which takes over a number of bodies that the device
//! has decided.

use wgpu::BufferUsages as Usages;

use crate::device::buffers::Slot;
use crate::device::context::Context;
use crate::device::dispatch::groups_of;
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::frame::params::Params;

/// Number of sizes of a dispatch in the table: for no bodies, and for each power of two of them.
pub(crate) const OCTAVES: u32 = 34;
/// Maximum number of dispatches with a size of their own.
const MOST_DISPATCHES: usize = 256;

/// [`Params`] for as many bodies as there may be.
pub(crate) static GIVEN: Slot = Slot::of::<Params>("given", "parameters for all bodies");

/// [`Params`] for as many bodies as there are.
pub(crate) static COUNTED: Slot = Slot::of::<Params>("params", "parameters for counted bodies").used(
    Usages::STORAGE
        .union(Usages::UNIFORM)
        .union(Usages::COPY_DST)
        .union(Usages::COPY_SRC),
);

/// The caller's number of bodies.
pub(crate) static COUNT: Slot = Slot::of::<u32>("count", "number of bodies");

/// The table of [`sizes`].
pub(crate) static SIZES: Slot = Slot::of::<u32>("sizes", "sizes of dispatches");

/// The arguments of the dispatches.
pub(crate) static ARGUMENTS: Slot =
    Slot::of::<[u32; 3 * MOST_DISPATCHES]>("arguments", "dispatches for counted bodies")
        .used(Usages::STORAGE.union(Usages::INDIRECT).union(Usages::COPY_SRC));

pub(crate) static COUNT_BODIES: Kernel<Params> = Kernel {
    code: Code {
        entry: "count_bodies",
        workgroup: 64,
        source: Source::of(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "engine/count_bodies.wgsl"
        ]),
        slots: [
            &[
                At::new(0, &GIVEN),
                At::new(1, &COUNTED),
                At::new(2, &COUNT),
                At::new(3, &SIZES),
                At::new(4, &ARGUMENTS),
            ],
            &[],
        ],
        overrides: &[],
    },
    size: Size::One,
};

/// A dispatch: a kernel, and the number of the binding of its streamed slot.
pub(crate) type Dispatch = (&'static Code, usize);

/// Returns the dispatches of kernels whose sizes depend on the number of bodies, given the
/// parameters for as many as there may be, and the table of these sizes: [`OCTAVES`] for each.
pub(crate) fn sizes(context: &Context, kernels: &[&'static Kernel<Params>], all: &Params) -> (Vec<Dispatch>, Vec<u32>) {
    let counts = (0..OCTAVES).map(|k| k.checked_sub(1).map_or(0, |octave| 1u64 << octave));
    let counts: Vec<u32> = counts.map(|count| count.min(all.box_count.into()) as u32).collect();
    let (mut dispatches, mut table): (Vec<Dispatch>, Vec<u32>) = (Vec::new(), Vec::new());
    for kernel in kernels {
        if dispatches
            .iter()
            .any(|(code, _)| std::ptr::eq(*code, &raw const kernel.code))
        {
            continue;
        }
        let of_counts: Vec<_> = counts
            .iter()
            .map(|count| groups_of(context, kernel, &all.of_first(*count)))
            .collect();
        for segment in 0..of_counts[0].len() {
            let sizes = || of_counts.iter().map(|groups| groups[segment]);
            if dispatches.len() < MOST_DISPATCHES && sizes().any(|groups| groups != of_counts[0][segment]) {
                dispatches.push((&kernel.code, segment));
                table.extend(sizes());
            }
        }
    }
    (dispatches, table)
}
