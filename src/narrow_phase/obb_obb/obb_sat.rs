//! Declares `shaders/narrow_phase/obb_obb/obb_sat.wgsl`: in scenes with a tilted box, finds the
//! candidate pairs that overlap and those that f32 cannot decide.

use crate::device::kernel::{Kernel, files};
use crate::frame::params::Params;
use crate::narrow_phase::obb_obb::narrow_plan::{Dispatches, pair_test};

pub(crate) static OBB_SAT_PAIRS: Kernel<Params> = pair_test(
    "obb_sat_pairs",
    files![
        "narrow_phase/obb_obb/sat.wgsl",
        "shared/rotation.wgsl",
        "narrow_phase/obb_obb/obb_sat.wgsl"
    ],
    Dispatches::ALL_AXES,
);
