//! Declares `shaders/narrow_phase/aabb_aabb/aabb_within.wgsl`: candidate pairs of bounds that are within their margin.

use crate::device::kernel::{Code, Kernel, Size, Source, files};
#[cfg(test)]
use crate::device::twins::Twin;
use crate::frame::params::{CANDIDATES_PER_BOX, Params};
use crate::frame::slots::OF_PAIR_TESTS;
#[cfg(test)]
use crate::frame::{counters, params, twins};
#[cfg(test)]
use crate::shapes::obb::obb_bounds::OBB_TWINS;

pub(crate) static AABB_WITHIN: Kernel<Params> = Kernel {
    code: Code {
        entry: "aabb_within",
        workgroup: 256,
        source: Source::appending(files![
            "shared/common.wgsl",
            "shared/counted.wgsl",
            "shared/candidates.wgsl",
            "shared/verdicts.wgsl",
            "narrow_phase/aabb_aabb/aabb_within.wgsl"
        ]),
        slots: [OF_PAIR_TESTS, &[]],
        overrides: &[],
        #[cfg(test)]
        twins: [
            &[
                params::TWINS,
                counters::TWINS,
                twins::COMMON,
                OBB_TWINS,
                &[Twin::Local("SIGN"), Twin::Local("LEADING")],
            ],
            &[],
        ],
    },
    size: Size::Looping(|params| params.mostly(params.candidate_capacity, CANDIDATES_PER_BOX)),
};
