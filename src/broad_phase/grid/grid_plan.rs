//! Declares `shaders/broad_phase/grid/grid_plan.wgsl`, which computes groups by size and, after the
//! probe, levels.

use wgpu::BufferUsages as Usages;

use crate::broad_phase::grid::layout::{Plan, SizeGroups};
use crate::device::buffers::{Owned, Slot};
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::device::limits::FILLING_WORKGROUPS;
use crate::frame::params::Params;
use crate::frame::room::Room;
use crate::frame::slots::{BOUNDS, PARAMS, RULES_B, STATS};

/// [`SizeGroups`].
pub(crate) static SIZE_GROUPS: Slot = Slot::of::<SizeGroups>("size_groups", "size groups");

/// [`Plan`].
pub(crate) static PLAN: Slot = Slot::of::<Plan>("plan", "grid plan").used(
    Usages::STORAGE
        .union(Usages::UNIFORM)
        .union(Usages::COPY_DST)
        .union(Usages::COPY_SRC),
);

pub(crate) const BUFFERS: &[Owned<Room>] = &[Owned::of(&SIZE_GROUPS, |_| 1), Owned::of(&PLAN, |_| 1)];

const SOURCE: Source = Source::of(files![
    "shared/pair.wgsl",
    "shared/common.wgsl",
    "shared/scene_stats.wgsl",
    "broad_phase/grid/grid.wgsl",
    "broad_phase/grid/grid_plan.wgsl"
]);

pub(crate) static GATHER_LAYERS: Kernel<Params> = Kernel {
    code: Code {
        entry: "gather_layers",
        workgroup: 256,
        source: Source::of(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/bounds.wgsl",
            "broad_phase/grid/grid.wgsl",
            "shared/images.wgsl",
            "rules/lists.wgsl",
            "broad_phase/grid/grid_layers.wgsl"
        ]),
        slots: [
            &[
                At::new(0, &PARAMS),
                At::new(1, &BOUNDS),
                At::new(3, &STATS),
                At::new(21, &RULES_B),
            ],
            &[],
        ],
        overrides: &["ruled", "imaged"],
    },
    // As many workgroups as fill a device: each adds up a long list.
    size: Size::Each(|params| u64::from(params.box_count).min(u64::from(FILLING_WORKGROUPS * 256))),
};

pub(crate) static GROUP_SIZES: Kernel<Params> = Kernel {
    code: Code {
        entry: "group_sizes",
        workgroup: 256,
        source: SOURCE,
        slots: [
            &[
                At::new(0, &PARAMS),
                At::new(1, &STATS),
                At::new(2, &SIZE_GROUPS),
                At::new(3, &PLAN),
            ],
            &[],
        ],
        overrides: &[],
    },
    size: Size::One,
};

pub(crate) static CHOOSE_LEVELS: Kernel<Params> = Kernel {
    code: Code {
        entry: "choose_levels",
        workgroup: 256,
        source: SOURCE,
        slots: [
            &[
                At::new(0, &PARAMS),
                At::new(1, &STATS),
                At::new(2, &SIZE_GROUPS),
                At::new(3, &PLAN),
            ],
            &[],
        ],
        overrides: &[],
    },
    size: Size::One,
};
