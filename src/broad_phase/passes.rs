//! What a broad phase is on a GPU: the declarations that the pipeline runs. A folder a broad phase; here is the list of them.

use crate::base::stage::Stage;
use crate::broad_phase::grid::{grid_build, grid_pairs, grid_plan, grid_probe, grid_query};
use crate::device::buffers::{Owned, Slot};
use crate::device::kernel::Kernel;
use crate::frame::params::Params;
use crate::frame::room::Room;

/// From bounds to candidate pairs.
pub(crate) struct BroadPhase {
    /// The buffers it owns.
    pub buffers: &'static [&'static [Owned<Room>]],
    /// Those of them that a frame begins with zeros in.
    pub cleared: &'static [&'static Slot],
    /// What sorts the bounds, or whatever comes before the search for pairs.
    pub sort: &'static [Pass],
    /// Finds the candidate pairs of a range of records.
    pub pairs: &'static Kernel<Params>,
    /// Finds the candidate pairs of movers with sorted records at rest.
    pub against: &'static Kernel<Params>,
}

/// Kernels that run one after the other.
pub(crate) struct Pass {
    pub stage: Stage,
    pub kernels: &'static [&'static Kernel<Params>],
}

/// All of them.
pub(crate) static ALL: [&BroadPhase; 1] = [&GRID];

/// The hierarchical uniform grid.
pub(crate) static GRID: BroadPhase = BroadPhase {
    buffers: &[grid_plan::BUFFERS, grid_probe::BUFFERS, grid_build::BUFFERS],
    cleared: &[&grid_probe::PROBE_TABLE],
    sort: &[
        Pass {
            stage: Stage::Plan,
            kernels: &[
                &grid_plan::GROUP_SIZES,
                &grid_probe::GRID_PROBE,
                &grid_plan::CHOOSE_LEVELS,
            ],
        },
        Pass {
            stage: Stage::Sort,
            kernels: &[
                &grid_build::COUNT_SLOTS,
                &grid_build::ALLOCATE_RUNS,
                &grid_build::PLACE_RECORDS,
            ],
        },
    ],
    pairs: &grid_pairs::GRID_PAIRS,
    against: &grid_query::GRID_QUERY,
};
