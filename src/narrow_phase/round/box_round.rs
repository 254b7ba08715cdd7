//! Declares `shaders/narrow_phase/round/box_round.wgsl`: tests candidate pairs of a box, and a
//! capsule or a sphere.

use crate::device::kernel::{Kernel, Source, files};
use crate::frame::params::Params;
use crate::narrow_phase::obb_obb::narrow_plan::{Dispatches, indirect_test};
use crate::narrow_phase::round::SHARED;

pub(crate) static BOX_ROUND_PAIRS: Kernel<Params> = indirect_test(
    "box_round_pairs",
    Source::appending(SHARED).and(files![
        "shared/rotation.wgsl",
        "narrow_phase/round/segments.wgsl",
        "narrow_phase/round/cores.wgsl",
        "narrow_phase/round/box_round.wgsl"
    ]),
    Dispatches::OF_BOX,
);
