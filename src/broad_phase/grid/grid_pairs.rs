//! Declares `shaders/broad_phase/grid/grid_pairs.wgsl`: the walk that finds the candidate pairs of a range of records.

use crate::broad_phase::grid::grid_build::{RECORDS, SLOT_STARTS};
use crate::broad_phase::grid::grid_plan::PLAN;
#[cfg(test)]
use crate::broad_phase::grid::layout::TWINS;
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
#[cfg(test)]
use crate::device::twins::Twin;
use crate::frame::params::Params;
use crate::frame::slots::{CANDIDATES, PARAMS, RULES_B};
#[cfg(test)]
use crate::frame::{counters, params, twins};
#[cfg(test)]
use crate::rules::list;

/// Pairs that each invocation of a walk can find so that all of a workgroup, 64, are counted in 32 bits: the pipeline constant
/// `most_counted`, or less in tests of what happens then.
pub(crate) const MOST_COUNTED: u32 = (1 << 26) - 1;

pub(crate) static GRID_PAIRS: Kernel<Params> = Kernel {
    code: Code {
        entry: "grid_pairs",
        // Few, as their walks differ in length.
        workgroup: 64,
        source: Source::appending(files![
            "shared/common.wgsl",
            "shared/counted.wgsl",
            "shared/loops.wgsl",
            "broad_phase/grid/grid.wgsl",
            "rules/lists.wgsl",
            "rules/one_set.wgsl",
            "rules/may_meet.wgsl",
            "broad_phase/grid/walk.wgsl",
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
        overrides: &["ruled", "count_operations", "split", "most_counted"],
        #[cfg(test)]
        twins: [
            &[
                params::TWINS,
                counters::TWINS,
                twins::COMMON,
                list::TWINS,
                TWINS,
                &[Twin::Local("KEPT")],
            ],
            &[],
        ],
    },
    size: Size::Each(|params| params.range_count.into()),
};
