//! Declares `shaders/broad_phase/lbvh/lbvh_refit.wgsl`, the first step of a frame that keeps the
//! order of an earlier one.

use crate::broad_phase::lbvh::lbvh_keys::{COUNT, ORDER, SORTED_KEYS};
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::frame::params::Params;
use crate::frame::slots::{CANDIDATES, PARAMS};

pub(crate) static LBVH_REFIT: Kernel<Params> = Kernel {
    code: Code {
        entry: "lbvh_refit",
        workgroup: 256,
        source: Source::of(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/outcome.wgsl",
            "broad_phase/lbvh/lbvh_refit.wgsl"
        ]),
        slots: [
            &[
                At::new(0, &PARAMS),
                At::new(1, &COUNT),
                At::new(2, &ORDER),
                At::new(3, &SORTED_KEYS),
                At::new(4, &CANDIDATES),
            ],
            &[],
        ],
        overrides: &[],
    },
    size: Size::Each(|params| params.box_count.into()),
};
