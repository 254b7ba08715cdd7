//! Declares `shaders/narrow_phase/obb_obb/obb_distance.wgsl`: candidate pairs that are
//! within their margin, in checks with one.

use crate::device::kernel::{Code, Kernel, Size, Source, files};
#[cfg(test)]
use crate::device::twins::Twin;
use crate::frame::params::Params;
use crate::frame::slots::{DISPATCHES, OF_PAIR_TESTS};
#[cfg(test)]
use crate::frame::{counters, params, twins};
use crate::narrow_phase::obb_obb::narrow_plan::{Dispatches, TESTING};
#[cfg(test)]
use crate::narrow_phase::obb_obb::{distance, obb_distance_cpu, obb_sat_cpu::LARGEST_SINE, separating_axes::KAPPA};
#[cfg(test)]
use crate::shapes::obb::obb_bounds::OBB_TWINS;

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
        #[cfg(test)]
        twins: [
            &[
                params::TWINS,
                counters::TWINS,
                twins::COMMON,
                OBB_TWINS,
                DISTANCE_TWINS,
                &[
                    Twin::Local("BEYOND"),
                    Twin::Local("NEAR"),
                    Twin::Local("COLLIDING"),
                    Twin::Local("UNDECIDED"),
                ],
            ],
            &[],
        ],
    },
    size: Size::Indirect(&DISPATCHES, Dispatches::ALL_AXES),
};

/// What all kernels that compute distances have of Rust's constants; see [`SAT_TWINS`](super::obb_sat::SAT_TWINS).
#[cfg(test)]
pub(crate) const DISTANCE_TWINS: &[Twin] = &[
    Twin::Constant("ERROR", 2.0 * obb_distance_cpu::ERROR as f64),
    Twin::Constant("FLUSH_ERROR", distance::FLUSH_ERROR_F32 as f64),
    Twin::Constant("KAPPA", KAPPA as f32 as f64),
    Twin::Constant("LARGEST_SINE", LARGEST_SINE as f64),
    Twin::Constant("PARALLEL", 2.0 * obb_distance_cpu::PARALLEL as f64),
    Twin::Local("INFINITE"),
];
