//! What the host reads after a submission.

use crate::broad_phase::grid::layout::Plan;
use crate::device::timestamps;
use crate::frame::counters::Counters;
use crate::frame::params::Params;
use crate::geometry::pair::Pair;

/// Pairs that are read along with the summary, so that a check like the last one waits once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Expected {
    pub pairs: u32,
    /// Pairs that are left for the exact stage.
    pub left: u32,
}

/// Bytes that are read after every submission, before the pairs.
pub(super) const READ_FIRST: u64 = size_of::<Summary>() as u64 + timestamps::BYTES;

/// What the host reads after every submission: this, the timestamps, then the pairs that are expected.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Summary {
    pub counters: Counters,
    /// Boxes that may be invalid.
    pub suspects: u32,
    pub unused: [u32; 3],
    pub plan: Plan,
}

/// What a submission found, as far as it has been read.
pub(crate) struct Found {
    pub summary: Summary,
    /// The first of the overlapping pairs.
    pub pairs: Vec<Pair>,
    /// The first of the pairs that are left for the exact stage.
    pub left: Vec<Pair>,
}

/// How many pairs are left for the exact stage, of what was counted.
pub(crate) fn left(params: &Params, counters: &Counters) -> u32 {
    match params.has_f64 {
        0 => counters.undecided,
        _ => counters.left,
    }
}
