//! Declares `shaders/narrow_phase/aabb_aabb/accept_all.wgsl`: where bounds are all there is, every candidate pair is one to
//! report.

use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::frame::params::{CANDIDATES_PER_BOX, Params};
use crate::frame::slots::{CANDIDATES, FOUND, PARAMS};

pub(crate) static ACCEPT_ALL: Kernel<Params> = Kernel {
    code: Code {
        entry: "accept_all",
        workgroup: 256,
        source: Source::of(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/candidates.wgsl",
            "narrow_phase/aabb_aabb/accept_all.wgsl"
        ]),
        slots: [&[At::new(0, &PARAMS), At::new(4, &CANDIDATES), At::new(5, &FOUND)], &[]],
        overrides: &[],
    },
    size: Size::Looping(|params| params.mostly(params.candidate_capacity, CANDIDATES_PER_BOX)),
};
