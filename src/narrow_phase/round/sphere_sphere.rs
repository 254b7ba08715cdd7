//! Declares `shaders/narrow_phase/round/sphere_sphere.wgsl`: tests candidate pairs of two spheres.

use crate::device::kernel::{Kernel, Source, files};
use crate::frame::params::Params;
use crate::narrow_phase::obb_obb::narrow_plan::{Dispatches, indirect_test};
use crate::narrow_phase::round::SHARED;

pub(crate) static SPHERE_SPHERE_PAIRS: Kernel<Params> = indirect_test(
    "sphere_sphere_pairs",
    Source::appending(SHARED).and(files!["narrow_phase/round/sphere_sphere.wgsl"]),
    Dispatches::OF_SPHERES,
);
