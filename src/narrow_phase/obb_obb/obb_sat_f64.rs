//! Declares `shaders/narrow_phase/obb_obb/obb_sat_f64.wgsl`: the pairs that f32 has left
//! undecided, again in f64.

use crate::device::kernel::{Code, Kernel, Size, Source, files};
#[cfg(test)]
use crate::device::twins::Twin;
use crate::frame::params::Params;
use crate::frame::slots::OF_PAIR_TESTS;
#[cfg(test)]
use crate::frame::{counters, params, twins};
#[cfg(test)]
use crate::narrow_phase::obb_obb::obb_sat_cpu::LARGEST_SINE;
#[cfg(test)]
use crate::narrow_phase::obb_obb::separating_axes::{ERROR_FACTOR, FLUSH_ERROR_F32, KAPPA};
#[cfg(test)]
use crate::shapes::obb::obb_bounds::OBB_TWINS;

pub(crate) static OBB_SAT_F64_PAIRS: Kernel<Params> = Kernel {
    code: Code {
        entry: "obb_sat_f64_pairs",
        workgroup: 256,
        source: Source::appending(files![
            "shared/common.wgsl",
            "shared/counted.wgsl",
            "shared/boxes.wgsl",
            "shared/verdicts.wgsl",
            "narrow_phase/obb_obb/obb_sat_f64.wgsl"
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
                &[
                    Twin::Constant("ERROR_PER_SIZE", ERROR_FACTOR / (1u64 << 52) as f64),
                    Twin::Constant("FLUSH_ERROR", FLUSH_ERROR_F32 as f64),
                    Twin::Constant("KAPPA", KAPPA),
                    Twin::Constant("LARGEST_SINE", LARGEST_SINE as f64),
                    Twin::Local("SEPARATED"),
                    Twin::Local("OVERLAPPING"),
                    Twin::Local("UNDECIDED"),
                ],
            ],
            &[],
        ],
    },
    size: Size::Looping(|params| params.mostly(params.undecided_capacity, 1)),
};
