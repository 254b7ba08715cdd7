//! Declares `shaders/narrow_phase/obb_obb/upright_sat.wgsl`: tests the candidate pairs of scenes
//! whose boxes are all rotated about z only.

use crate::device::kernel::{Kernel, files};
use crate::frame::params::Params;
use crate::narrow_phase::obb_obb::narrow_plan::{Dispatches, pair_test};

pub(crate) static UPRIGHT_SAT_PAIRS: Kernel<Params> = pair_test(
    "upright_sat_pairs",
    files!["narrow_phase/obb_obb/sat.wgsl", "narrow_phase/obb_obb/upright_sat.wgsl"],
    Dispatches::FIVE_AXES,
);
