//! Declares `shaders/narrow_phase/moving_moving/moving_sat.wgsl`, which finds the candidate pairs
//! of bodies in motion that may meet.

use crate::device::kernel::{Code, Kernel, Size, Source, files};
use crate::frame::params::{CANDIDATES_PER_BOX, Params};
use crate::frame::slots::OF_PAIR_TESTS;
use crate::frame::visitor::LISTING;
use crate::narrow_phase::moving_moving::rounded::ROUNDED;

pub(crate) static MOVING_SAT: Kernel<Params> = Kernel {
    code: Code {
        entry: "moving_sat",
        workgroup: 256,
        source: Source::appending(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/counted.wgsl",
            "shared/candidates.wgsl",
            "shared/obb.wgsl",
            "shared/verdicts.wgsl",
            "shared/rotation.wgsl",
            "shapes/moving/moving.wgsl",
            "shapes/moving/moving_boxes.wgsl",
            "narrow_phase/moving_moving/moving_sat.wgsl"
        ])
        .and(ROUNDED)
        .and(LISTING),
        slots: [OF_PAIR_TESTS, &[]],
        overrides: &["rounded"],
    },
    size: Size::Looping(|params| params.mostly(params.candidate_capacity, CANDIDATES_PER_BOX)),
};
