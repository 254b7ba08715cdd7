//! Declares `shaders/broad_phase/grid/grid_query.wgsl`: the walk of movers through a grid of boxes
//! at rest.

use crate::broad_phase::grid::grid_build::{RECORDS, SLOT_STARTS};
use crate::broad_phase::grid::layout::Plan;
use crate::device::buffers::Slot;
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::frame::params::Params;
use crate::frame::slots::{CANDIDATES, MOVERS, PARAMS, RULES_A, RULES_B};
use crate::geometry::bounds::Bounds;

/// Maximum number of partners that each invocation of a walk can find such that those of a
/// workgroup, 64 invocations, are counted in 32 bits.
pub(crate) const MOST_COUNTED: u32 = (1 << 26) - 1;

/// The beginning of a [`Plan`], as a uniform.
pub(crate) static PLAN_AT_REST: Slot =
    Slot::of::<Plan>("plan", "plan at rest").used(wgpu::BufferUsages::UNIFORM.union(wgpu::BufferUsages::COPY_DST));

/// Boxes at rest, in the order of the grid.
pub(crate) static RECORDS_AT_REST: Slot = Slot::of::<Bounds>("records", "records at rest").used(RECORDS.usage);

/// The start of the records of each slot.
pub(crate) static STARTS_AT_REST: Slot = Slot::of::<u32>("slot_starts", "slot starts at rest").used(SLOT_STARTS.usage);

pub(crate) static GRID_QUERY: Kernel<Params> = Kernel {
    code: Code {
        entry: "grid_query",
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
            "rules/two_sets.wgsl",
            "rules/may_meet.wgsl",
            "broad_phase/record.wgsl",
            "broad_phase/operations.wgsl",
            "broad_phase/grid/rows.wgsl",
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
        overrides: &["ruled", "asks", "imaged", "count_operations"],
    },
    size: Size::Each(|params| params.range_count.into()),
};
