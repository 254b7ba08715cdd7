//! Declares `shaders/narrow_phase/obb_obb/obb_sat.wgsl`: candidate pairs of scenes in
//! which some box is tilted: those that overlap, and those that f32 cannot decide.

use crate::device::kernel::{Code, Kernel, Size, Source, files};
#[cfg(test)]
use crate::device::twins::Twin;
use crate::frame::params::Params;
use crate::frame::slots::{DISPATCHES, OF_PAIR_TESTS};
#[cfg(test)]
use crate::frame::{counters, params, twins};
use crate::narrow_phase::obb_obb::narrow_plan::{Dispatches, TESTING};
#[cfg(test)]
use crate::narrow_phase::obb_obb::obb_sat_cpu::{ERROR_PER_DISTANCE, ERROR_PER_RADIUS, LARGEST_SINE};
#[cfg(test)]
use crate::narrow_phase::obb_obb::separating_axes::{FLUSH_ERROR_F32, KAPPA};
#[cfg(test)]
use crate::shapes::obb::obb_bounds::OBB_TWINS;

pub(crate) static OBB_SAT_PAIRS: Kernel<Params> = Kernel {
    code: Code {
        entry: "obb_sat_pairs",
        workgroup: TESTING,
        source: Source::appending(files![
            "shared/common.wgsl",
            "shared/counted.wgsl",
            "shared/boxes.wgsl",
            "shared/candidates.wgsl",
            "shared/verdicts.wgsl",
            "narrow_phase/obb_obb/sat.wgsl",
            "shared/rotation.wgsl",
            "narrow_phase/obb_obb/obb_sat.wgsl"
        ]),
        slots: [OF_PAIR_TESTS, &[]],
        overrides: &[],
        #[cfg(test)]
        twins: [
            &[params::TWINS, counters::TWINS, twins::COMMON, OBB_TWINS, SAT_TWINS],
            &[],
        ],
    },
    size: Size::Indirect(&DISPATCHES, Dispatches::ALL_AXES),
};

/// What both kernels of the test have of Rust's constants. The shader rounds to either neighbour, Rust to the nearest: so its
/// bounds are twice as large.
#[cfg(test)]
pub(crate) const SAT_TWINS: &[Twin] = &[
    Twin::Constant("ERROR_PER_DISTANCE", 2.0 * ERROR_PER_DISTANCE as f64),
    Twin::Constant("ERROR_PER_RADIUS", 2.0 * ERROR_PER_RADIUS as f64),
    Twin::Constant("FLUSH_ERROR", FLUSH_ERROR_F32 as f64),
    Twin::Constant("KAPPA", KAPPA as f32 as f64),
    Twin::Constant("LARGEST_SINE", LARGEST_SINE as f64),
    Twin::Local("SEPARATED"),
    Twin::Local("OVERLAPPING"),
    Twin::Local("UNDECIDED"),
];
