//! Declares `shaders/narrow_phase/round/round_round.wgsl`: tests candidate pairs of a capsule, and
//! another one or a sphere.

use crate::device::kernel::{Kernel, Source, files};
use crate::frame::params::Params;
use crate::narrow_phase::obb_obb::narrow_plan::{Dispatches, indirect_test};
use crate::narrow_phase::round::SHARED;

pub(crate) static ROUND_ROUND_PAIRS: Kernel<Params> = indirect_test(
    "round_round_pairs",
    Source::appending(SHARED).and(files![
        "shared/rotation.wgsl",
        "narrow_phase/round/segments.wgsl",
        "narrow_phase/round/cores.wgsl",
        "narrow_phase/round/round_round.wgsl"
    ]),
    Dispatches::OF_CAPSULE,
);
