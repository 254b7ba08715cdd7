//! Declares `shaders/narrow_phase/round/sort_by_kinds.wgsl`: sorts candidate pairs of bodies of
//! several kinds into a queue for each two kinds, so that neighbouring invocations do the same.

use crate::device::kernel::{At, Code, File, Kernel, Size, Source, files};
use crate::frame::params::{CANDIDATES_PER_BOX, Params};
use crate::frame::slots::{CANDIDATES, PARAMS};

/// Number of pairs an invocation handles at a time.
pub(crate) const PER_INVOCATION: u64 = 8;

const FILES: &[File] = files![
    "shared/pair.wgsl",
    "shared/common.wgsl",
    "shared/counted.wgsl",
    "shared/images.wgsl",
    "shared/candidates.wgsl",
    "shared/queues.wgsl",
    "narrow_phase/round/sort_by_kinds.wgsl"
];

const fn kernel(entry: &'static str) -> Kernel<Params> {
    Kernel {
        code: Code {
            entry,
            workgroup: 256,
            source: Source::appending(FILES),
            slots: [const { &[At::new(0, &PARAMS), At::new(1, &CANDIDATES)] }, &[]],
            overrides: &["queued", "imaged"],
        },
        size: Size::Looping(|params| {
            params
                .mostly(params.candidate_capacity, CANDIDATES_PER_BOX)
                .div_ceil(PER_INVOCATION)
        }),
    }
}

/// Counts the pairs of each queue.
pub(crate) static COUNT_KINDS: Kernel<Params> = kernel("count_kinds");

/// Fills the queues.
pub(crate) static FILL_QUEUES: Kernel<Params> = kernel("fill_queues");
