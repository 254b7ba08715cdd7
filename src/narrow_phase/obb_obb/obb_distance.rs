//! Declares `shaders/narrow_phase/obb_obb/obb_distance.wgsl`: candidate pairs that are
//! within their margin, in checks with one.

use crate::device::kernel::{Code, Kernel, Size, Source, files};
use crate::frame::params::Params;
use crate::frame::slots::{DISPATCHES, OF_PAIR_TESTS};
use crate::narrow_phase::obb_obb::narrow_plan::{Dispatches, TESTING};

pub(crate) static OBB_DISTANCE_PAIRS: Kernel<Params> = Kernel {
    code: Code {
        entry: "obb_distance_pairs",
        workgroup: TESTING,
        source: Source::appending(files![
            "shared/common.wgsl",
            "shared/counted.wgsl",
            "shared/boxes.wgsl",
            "shared/candidates.wgsl",
            "shared/verdicts.wgsl",
            "shared/rotation.wgsl",
            "narrow_phase/obb_obb/frame.wgsl",
            "narrow_phase/obb_obb/closest.wgsl",
            "narrow_phase/obb_obb/obb_distance.wgsl"
        ]),
        slots: [OF_PAIR_TESTS, &[]],
        overrides: &[],
    },
    size: Size::Indirect(&DISPATCHES, Dispatches::ALL_AXES),
};
