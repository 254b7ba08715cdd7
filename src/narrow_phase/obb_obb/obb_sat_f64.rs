//! Declares `shaders/narrow_phase/obb_obb/obb_sat_f64.wgsl`: tests the pairs that f32 left
//! undecided again, in f64.

use crate::device::kernel::{Code, Kernel, Size, Source, files};
use crate::frame::params::Params;
use crate::frame::slots::OF_PAIR_TESTS;
use crate::frame::visitor::LISTING;

pub(crate) static OBB_SAT_F64_PAIRS: Kernel<Params> = Kernel {
    code: Code {
        entry: "obb_sat_f64_pairs",
        workgroup: 256,
        source: Source::appending(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/counted.wgsl",
            "shared/obb.wgsl",
            "shared/boxes.wgsl",
            "shared/images.wgsl",
            "shared/verdicts.wgsl",
            "narrow_phase/obb_obb/obb_sat_f64.wgsl"
        ])
        .and(LISTING),
        slots: [OF_PAIR_TESTS, &[]],
        overrides: &["imaged"],
    },
    size: Size::Looping(|params| params.mostly(params.undecided_capacity, 1)),
};
