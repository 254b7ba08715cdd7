//! Declares what the grid hooks into the kernels that make bounds: `shaders/broad_phase/grid/statistics.wgsl`. Twin:
//! [`SceneStats`](crate::geometry::scene_stats::SceneStats).

use crate::device::kernel::{At, files};
#[cfg(test)]
use crate::device::twins::Twin;
use crate::frame::hook::BoundsHook;
use crate::frame::slots::STATS;
#[cfg(test)]
use crate::geometry::bounds::{COARSENESS, SIZE_ERROR};

/// The statistics that the grid is planned from.
pub(crate) static HOOK: BoundsHook = BoundsHook {
    files: files!["broad_phase/grid/statistics.wgsl"],
    slots: &[At::new(6, &STATS)],
    #[cfg(test)]
    twins: &[&[
        Twin::Constant("COARSENESS", COARSENESS as f64),
        Twin::Constant("SIZE_ERROR", SIZE_ERROR as f64),
    ]],
};
