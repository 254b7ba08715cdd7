//! Declares what the grid hooks into the kernels that make bounds: `shaders/broad_phase/grid/statistics.wgsl`. Twin:
//! [`SceneStats`](crate::geometry::scene_stats::SceneStats).

use crate::device::kernel::{At, files};
use crate::frame::hook::BoundsHook;
use crate::frame::slots::STATS;

/// The statistics that the grid is planned from.
pub(crate) static HOOK: BoundsHook = BoundsHook {
    files: files!["broad_phase/grid/statistics.wgsl"],
    slots: &[At::new(6, &STATS)],
};
