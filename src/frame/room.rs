//! The capacities that a frame needs.

/// The capacities of a frame. Its buffers are declared in terms of these.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Room {
    pub boxes: u64,
    /// Boxes that are uploaded; 0 if they are in a buffer of the caller.
    pub uploaded: u64,
    /// Candidate pairs.
    pub candidates: u64,
    /// Overlapping pairs.
    pub pairs: u64,
    /// Pairs that `f32` cannot decide.
    pub undecided: u64,
    /// Set if the boxes are moving, and their impacts stay on the device.
    pub sweeps: bool,
    /// Set if degrees are requested.
    pub degrees: bool,
    /// Words of the rules that are uploaded.
    pub rules: u64,
    /// The size of the largest possible buffer in bytes.
    pub max_buffer_bytes: u64,
}
