//! Declares `shaders/narrow_phase/triangle_triangle/triangle_pairs.wgsl`: finds the candidate pairs
//! of triangles that share a point, and those that f32 cannot decide.

use crate::device::kernel::{Code, Kernel, Size, Source, files};
use crate::frame::params::{CANDIDATES_PER_BOX, Params};
use crate::frame::slots::OF_PAIR_TESTS;
use crate::frame::visitor::LISTING;

pub(crate) static TRIANGLE_PAIRS: Kernel<Params> = Kernel {
    code: Code {
        entry: "triangle_pairs",
        workgroup: 256,
        source: Source::appending(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/counted.wgsl",
            "shared/candidates.wgsl",
            "shared/obb.wgsl",
            "shared/verdicts.wgsl",
            "shapes/triangle/triangle.wgsl",
            "shapes/triangle/corners.wgsl",
            "narrow_phase/triangle_triangle/triangle_pairs.wgsl",
            "narrow_phase/triangle_triangle/neighbours.wgsl"
        ])
        .and(LISTING),
        slots: [OF_PAIR_TESTS, &[]],
        overrides: &["neighbours"],
    },
    size: Size::Looping(|params| params.mostly(params.candidate_capacity, CANDIDATES_PER_BOX)),
};
