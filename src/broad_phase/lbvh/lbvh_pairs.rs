//! Declares `shaders/broad_phase/lbvh/lbvh_probe.wgsl`, which counts the work of some walks, and
//! `lbvh_pairs.wgsl`, which performs the walks of a range of records.

use crate::broad_phase::lbvh::lbvh_tree::{NODES, RECORDS};
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::frame::params::Params;
use crate::frame::slots::{CANDIDATES, PARAMS, RULES_B};

/// Number of walks whose work is counted.
pub(crate) const SAMPLES: u32 = 1024;

pub(crate) static LBVH_PROBE: Kernel<Params> = Kernel {
    code: Code {
        entry: "lbvh_probe",
        workgroup: 64,
        source: Source::of(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "broad_phase/record.wgsl",
            "broad_phase/lbvh/lbvh.wgsl",
            "broad_phase/lbvh/nodes.wgsl",
            "broad_phase/lbvh/step.wgsl",
            "broad_phase/lbvh/lbvh_probe.wgsl"
        ]),
        slots: [
            &[
                At::new(0, &PARAMS),
                At::new(1, &NODES),
                At::new(3, &RECORDS),
                At::new(5, &CANDIDATES),
            ],
            &[],
        ],
        overrides: &["split"],
    },
    size: Size::Each(|params| params.box_count.min(SAMPLES).into()),
};

pub(crate) static LBVH_PAIRS: Kernel<Params> = Kernel {
    code: Code {
        entry: "lbvh_pairs",
        // Small, because the walks of invocations differ in length.
        workgroup: 64,
        source: Source::appending(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/counted.wgsl",
            "shared/loops.wgsl",
            "shared/images.wgsl",
            "rules/lists.wgsl",
            "rules/one_set.wgsl",
            "rules/may_meet.wgsl",
            "broad_phase/record.wgsl",
            "broad_phase/operations.wgsl",
            "broad_phase/lbvh/lbvh.wgsl",
            "broad_phase/lbvh/nodes.wgsl",
            "broad_phase/lbvh/step.wgsl",
            "broad_phase/lbvh/lbvh_pairs.wgsl"
        ]),
        slots: [
            &[
                At::new(0, &PARAMS),
                At::new(1, &NODES),
                At::new(3, &RECORDS),
                At::new(5, &CANDIDATES),
                At::new(21, &RULES_B),
            ],
            &[],
        ],
        overrides: &["ruled", "asks", "imaged", "count_operations", "split"],
    },
    size: Size::Each(|params| params.range_count.into()),
};
