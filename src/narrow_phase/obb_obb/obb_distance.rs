//! Declares `shaders/narrow_phase/obb_obb/obb_distance.wgsl`: finds the candidate pairs within
//! their margin, in checks with one.

use crate::device::kernel::{Kernel, files};
use crate::frame::params::Params;
use crate::narrow_phase::obb_obb::narrow_plan::{Dispatches, pair_test};

pub(crate) static OBB_DISTANCE_PAIRS: Kernel<Params> = pair_test(
    "obb_distance_pairs",
    files![
        "shared/rotation.wgsl",
        "narrow_phase/obb_obb/frame.wgsl",
        "narrow_phase/obb_obb/closest.wgsl",
        "narrow_phase/obb_obb/obb_distance.wgsl"
    ],
    Dispatches::BOXES,
);
