//! Declares `shaders/broad_phase/grid/grid_query.wgsl`: the walk of movers through a grid of boxes at rest.

#[cfg(test)]
use std::mem::offset_of;

use crate::broad_phase::grid::grid_build::{RECORDS, SLOT_STARTS};
use crate::broad_phase::grid::layout::Plan;
#[cfg(test)]
use crate::broad_phase::grid::{grid_plan_cpu::ROW_COST, layout::TWINS};
use crate::device::buffers::Slot;
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
#[cfg(test)]
use crate::device::twins::Twin;
use crate::frame::params::Params;
use crate::frame::slots::{CANDIDATES, PARAMS, RULES_A, RULES_B};
#[cfg(test)]
use crate::frame::{counters, params, twins};
use crate::geometry::bounds::Bounds;
#[cfg(test)]
use crate::rules::list;

/// The beginning of a [`Plan`], as a uniform.
pub(crate) static PLAN_AT_REST: Slot =
    Slot::of::<Plan>("plan", "plan at rest").used(wgpu::BufferUsages::UNIFORM.union(wgpu::BufferUsages::COPY_DST));

/// Boxes at rest, in the order of the grid.
pub(crate) static RECORDS_AT_REST: Slot = Slot::of::<Bounds>("records", "records at rest").used(RECORDS.usage);

/// Where the records of each slot begin.
pub(crate) static STARTS_AT_REST: Slot = Slot::of::<u32>("slot_starts", "slot starts at rest").used(SLOT_STARTS.usage);

/// The bounds of the movers.
pub(crate) static MOVERS: Slot = Slot::of::<Bounds>("movers", "bounds of movers");

pub(crate) static GRID_QUERY: Kernel<Params> = Kernel {
    code: Code {
        entry: "grid_query",
        // Few, as their walks differ in length.
        workgroup: 64,
        source: Source::appending(files![
            "shared/common.wgsl",
            "shared/counted.wgsl",
            "shared/loops.wgsl",
            "broad_phase/grid/grid.wgsl",
            "rules/lists.wgsl",
            "rules/two_sets.wgsl",
            "rules/may_meet.wgsl",
            "broad_phase/grid/walk.wgsl",
            "broad_phase/grid/grid_query.wgsl"
        ]),
        slots: [
            &[
                At::new(0, &PARAMS),
                At::new(1, &PLAN_AT_REST),
                At::new(2, &RECORDS_AT_REST),
                At::new(3, &STARTS_AT_REST),
                At::new(4, &MOVERS),
                At::new(5, &CANDIDATES),
                At::new(20, &RULES_A),
                At::new(21, &RULES_B),
            ],
            &[],
        ],
        overrides: &["ruled", "count_operations"],
        #[cfg(test)]
        twins: [
            &[
                params::TWINS,
                counters::TWINS,
                twins::COMMON,
                list::TWINS,
                TWINS,
                &[
                    Twin::Constant("ROW_COST", ROW_COST as f64),
                    Twin::Local("KEPT"),
                    Twin::Local("MOST_ALONE"),
                    Twin::Record(
                        "PlanAtRest",
                        offset_of!(Plan, level_of_bin),
                        &[
                            ("origin", offset_of!(Plan, origin)),
                            ("level_count", offset_of!(Plan, level_count)),
                            ("high", offset_of!(Plan, high)),
                            ("slots", offset_of!(Plan, slots)),
                            ("levels", offset_of!(Plan, levels)),
                        ],
                    ),
                ],
            ],
            &[],
        ],
    },
    size: Size::Each(|params| params.range_count.into()),
};
