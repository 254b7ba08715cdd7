//! Declares `shaders/broad_phase/grid/grid_plan.wgsl`: groups by size, then, once the scene is probed, levels.

#[cfg(test)]
use crate::broad_phase::grid::grid_plan_cpu::{BASE_SLACK, CELLS_ACROSS, ROW_COST, SLACK_PER_CELL, SMALLEST_CELL};
#[cfg(test)]
use crate::broad_phase::grid::layout::TWINS;
use crate::broad_phase::grid::layout::{Plan, SizeGroups};
use crate::device::buffers::{Owned, Slot};
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
#[cfg(test)]
use crate::device::twins::Twin;
use crate::frame::params::Params;
use crate::frame::room::Room;
use crate::frame::slots::{PARAMS, STATS};
#[cfg(test)]
use crate::frame::{counters, params, twins};

/// [`SizeGroups`].
pub(crate) static SIZE_GROUPS: Slot = Slot::of::<SizeGroups>("size_groups", "size groups");

/// [`Plan`].
pub(crate) static PLAN: Slot = Slot::of::<Plan>("plan", "grid plan");

pub(crate) const BUFFERS: &[Owned<Room>] = &[
    Owned {
        slot: &SIZE_GROUPS,
        records: |_| 1,
    },
    Owned {
        slot: &PLAN,
        records: |_| 1,
    },
];

const SOURCE: Source = Source::of(files![
    "shared/common.wgsl",
    "shared/scene_stats.wgsl",
    "broad_phase/grid/grid.wgsl",
    "broad_phase/grid/grid_plan.wgsl"
]);

#[cfg(test)]
const ALL_TWINS: &[&[Twin]] = &[
    params::TWINS,
    counters::TWINS,
    twins::COMMON,
    TWINS,
    &[
        Twin::Constant("SMALLEST_CELL", SMALLEST_CELL as f64),
        Twin::Constant("CELLS_ACROSS", CELLS_ACROSS as f64),
        Twin::Constant("BASE_SLACK", BASE_SLACK as f64),
        Twin::Constant("SLACK_PER_CELL", SLACK_PER_CELL as f64),
        Twin::Constant("ROW_COST", ROW_COST as f64),
        Twin::Local("INFINITE_COST"),
    ],
];

pub(crate) static GROUP_SIZES: Kernel<Params> = Kernel {
    code: Code {
        entry: "group_sizes",
        workgroup: 256,
        source: SOURCE,
        slots: [&[At::new(1, &STATS), At::new(2, &SIZE_GROUPS)], &[]],
        overrides: &[],
        #[cfg(test)]
        twins: [ALL_TWINS, &[]],
    },
    size: Size::One,
};

pub(crate) static CHOOSE_LEVELS: Kernel<Params> = Kernel {
    code: Code {
        entry: "choose_levels",
        workgroup: 256,
        source: SOURCE,
        slots: [&[At::new(0, &PARAMS), At::new(2, &SIZE_GROUPS), At::new(3, &PLAN)], &[]],
        overrides: &[],
        #[cfg(test)]
        twins: [ALL_TWINS, &[]],
    },
    size: Size::One,
};
