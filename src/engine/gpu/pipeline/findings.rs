//! The data that the host reads after a submission.

use crate::broad_phase::grid::layout::Plan;
use crate::device::timestamps;
use crate::frame::counters::Counters;
use crate::frame::params::Params;
use crate::geometry::pair::Pair;

/// The pairs that are read together with the summary, so that a check similar to the last one waits
/// only once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Expected {
    pub pairs: u32,
    /// Pairs left for the exact stage.
    pub left: u32,
}

/// Number of bytes read after every submission, before the pairs.
pub(super) const READ_FIRST: u64 = size_of::<Summary>() as u64 + timestamps::BYTES;

/// The first data that the host reads after every submission. The timestamps follow, then the
/// expected pairs.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Summary {
    pub counters: Counters,
    /// Boxes that may be invalid.
    pub suspects: u32,
    pub unused: [u32; 3],
    pub plan: Plan,
}

/// The findings of a submission that have been read so far.
pub(crate) struct Found {
    pub summary: Summary,
    /// The first of the overlapping pairs.
    pub pairs: Vec<Pair>,
    /// The first of the pairs left for the exact stage.
    pub left: Vec<Pair>,
}

/// Returns the number of pairs left for the exact stage, from the counters.
pub(crate) fn left(params: &Params, counters: &Counters) -> u32 {
    match params.has_f64 {
        0 => counters.undecided,
        _ => counters.left,
    }
}
