//! Declares `shaders/broad_phase/grid/grid_pairs.wgsl`: the walk that finds the candidate pairs of
//! a range of records.

use crate::broad_phase::grid::grid_build::{RECORDS, SLOT_STARTS};
use crate::broad_phase::grid::grid_plan::PLAN;
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::frame::params::Params;
use crate::frame::slots::{CANDIDATES, PARAMS, RULES_B};

/// Number of records that a walk compares at a time.
#[cfg(test)]
pub(crate) const AT_ONCE: u32 = 2;

pub(crate) static GRID_PAIRS: Kernel<Params> = Kernel {
    code: Code {
        entry: "grid_pairs",
        // Small, because the walks of invocations differ in length.
        workgroup: 64,
        source: Source::appending(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/counted.wgsl",
            "shared/loops.wgsl",
            "broad_phase/grid/grid.wgsl",
            "shared/images.wgsl",
            "rules/lists.wgsl",
            "rules/one_set.wgsl",
            "rules/may_meet.wgsl",
            "broad_phase/record.wgsl",
            "broad_phase/operations.wgsl",
            "broad_phase/grid/rows.wgsl",
            "broad_phase/grid/layers.wgsl",
            "broad_phase/grid/grid_pairs.wgsl"
        ]),
        slots: [
            &[
                At::new(0, &PARAMS),
                At::new(1, &PLAN),
                At::new(2, &RECORDS),
                At::new(4, &SLOT_STARTS),
                At::new(5, &CANDIDATES),
                At::new(21, &RULES_B),
            ],
            &[],
        ],
        overrides: &[
            "ruled",
            "asks",
            "imaged",
            "count_operations",
            "split",
            "most_workgroups",
        ],
    },
    size: Size::Each(|params| params.range_count.into()),
};
