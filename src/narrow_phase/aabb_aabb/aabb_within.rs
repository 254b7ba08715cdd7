//! Declares `shaders/narrow_phase/aabb_aabb/aabb_within.wgsl`: finds the candidate pairs of bounds
//! within their margin.

use crate::device::kernel::{Code, Kernel, Size, Source, files};
use crate::frame::params::{CANDIDATES_PER_BOX, Params};
use crate::frame::slots::OF_PAIR_TESTS;
use crate::frame::visitor::LISTING;

pub(crate) static AABB_WITHIN: Kernel<Params> = Kernel {
    code: Code {
        entry: "aabb_within",
        workgroup: 256,
        source: Source::appending(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/counted.wgsl",
            "shared/candidates.wgsl",
            "shared/obb.wgsl",
            "shared/verdicts.wgsl",
            "narrow_phase/aabb_aabb/aabb_within.wgsl"
        ])
        .and(LISTING),
        slots: [OF_PAIR_TESTS, &[]],
        overrides: &[],
    },
    size: Size::Looping(|params| params.mostly(params.candidate_capacity, CANDIDATES_PER_BOX)),
};
