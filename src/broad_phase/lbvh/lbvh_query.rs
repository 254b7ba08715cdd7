//! Declares `shaders/broad_phase/lbvh/lbvh_query.wgsl`: the walk of movers over a tree of boxes at
//! rest.

use wgpu::BufferUsages as Usages;

use crate::broad_phase::lbvh::lbvh_tree::{NODES, RECORDS};
use crate::device::buffers::Slot;
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::frame::outcome::Outcome;
use crate::frame::params::Params;
use crate::frame::slots::{CANDIDATES, MOVERS, PARAMS, RULES_A, RULES_B};
use crate::geometry::bounds::Bounds;

/// The leaves and the nodes of boxes at rest.
pub(crate) static RECORDS_AT_REST: Slot = Slot::of::<Bounds>("records", "leaves at rest").used(RECORDS.usage);
pub(crate) static NODES_AT_REST: Slot = Slot::of::<Bounds>("nodes", "nodes at rest").used(NODES.usage);

/// The number of boxes at rest: an [`Outcome`] that contains nothing else.
pub(crate) static COUNT_AT_REST: Slot =
    Slot::of::<Outcome>("outcome", "number of boxes at rest").used(Usages::UNIFORM.union(Usages::COPY_DST));

pub(crate) static LBVH_QUERY: Kernel<Params> = Kernel {
    code: Code {
        entry: "lbvh_query",
        // Small, because the walks of invocations differ in length.
        workgroup: 64,
        source: Source::appending(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/counted.wgsl",
            "shared/loops.wgsl",
            "shared/outcome.wgsl",
            "shared/images.wgsl",
            "rules/lists.wgsl",
            "rules/two_sets.wgsl",
            "rules/may_meet.wgsl",
            "broad_phase/record.wgsl",
            "broad_phase/operations.wgsl",
            "broad_phase/lbvh/lbvh.wgsl",
            "broad_phase/lbvh/step.wgsl",
            "broad_phase/lbvh/lbvh_query.wgsl"
        ]),
        slots: [
            &[
                At::new(0, &PARAMS),
                At::new(1, &NODES_AT_REST),
                At::new(2, &RECORDS_AT_REST),
                At::new(3, &COUNT_AT_REST),
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
