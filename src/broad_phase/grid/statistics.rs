//! Declares the grid's hook into the kernels that compute bounds:
//! `shaders/broad_phase/grid/statistics.wgsl`. Twin:
//! [`SceneStats`](crate::geometry::scene_stats::SceneStats).

use crate::broad_phase::grid::grid_build::SLOT_COUNTS;
use crate::broad_phase::grid::grid_plan::PLAN;
use crate::device::kernel::{At, files};
use crate::frame::hook::BoundsHook;
use crate::frame::slots::STATS;

/// Collects the statistics that the grid is planned from.
pub(crate) static HOOK: BoundsHook = BoundsHook {
    files: files!["broad_phase/grid/statistics.wgsl", "broad_phase/grid/noted.wgsl"],
    slots: &[At::new(6, &STATS)],
    by_world: false,
};

/// Collects the same statistics, and counts the boxes of each slot by the plan of an earlier frame,
/// which may be kept.
pub(crate) static COUNTING_HOOK: BoundsHook = BoundsHook {
    files: files![
        "broad_phase/grid/grid.wgsl",
        "broad_phase/grid/plan.wgsl",
        "broad_phase/grid/statistics.wgsl",
        "broad_phase/grid/layers.wgsl",
        "broad_phase/grid/counting.wgsl"
    ],
    slots: &[At::new(6, &STATS), At::new(7, &PLAN), At::new(8, &SLOT_COUNTS)],
    by_world: true,
};
