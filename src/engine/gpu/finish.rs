//! Declares `shaders/engine/finish.wgsl`, which assembles the outcome of a recorded frame.

use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::frame::outcome::OUTCOME;
use crate::frame::params::Params;
use crate::frame::slots::{CANDIDATES, PARAMS, STATS};

pub(crate) static FINISH: Kernel<Params> = Kernel {
    code: Code {
        entry: "finish",
        workgroup: 1,
        source: Source::of(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/scene_stats.wgsl",
            "shared/outcome.wgsl",
            "engine/finish.wgsl"
        ]),
        slots: [
            &[
                At::new(0, &PARAMS),
                At::new(1, &CANDIDATES),
                At::new(2, &OUTCOME),
                At::new(3, &STATS),
            ],
            &[],
        ],
        overrides: &[],
    },
    size: Size::One,
};
