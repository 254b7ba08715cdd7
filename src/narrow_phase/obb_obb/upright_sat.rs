//! Declares `shaders/narrow_phase/obb_obb/upright_sat.wgsl`: candidate pairs of scenes
//! whose boxes are all turned about z only.

use crate::device::kernel::{Code, Kernel, Size, Source, files};
use crate::frame::params::Params;
use crate::frame::slots::{DISPATCHES, OF_PAIR_TESTS};
use crate::narrow_phase::obb_obb::narrow_plan::{Dispatches, TESTING};

pub(crate) static UPRIGHT_SAT_PAIRS: Kernel<Params> = Kernel {
    code: Code {
        entry: "upright_sat_pairs",
        workgroup: TESTING,
        source: Source::appending(files![
            "shared/common.wgsl",
            "shared/counted.wgsl",
            "shared/boxes.wgsl",
            "shared/candidates.wgsl",
            "shared/verdicts.wgsl",
            "narrow_phase/obb_obb/sat.wgsl",
            "narrow_phase/obb_obb/upright_sat.wgsl"
        ]),
        slots: [OF_PAIR_TESTS, &[]],
        overrides: &[],
    },
    size: Size::Indirect(&DISPATCHES, Dispatches::FIVE_AXES),
};
