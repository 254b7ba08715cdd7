//! What a frame needs room for.

/// How much of everything: the buffers of a frame are declared in terms of these.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Room {
    pub boxes: u64,
    /// Boxes that are uploaded; 0 if they are in a buffer of the caller's.
    pub uploaded: u64,
    /// Candidate pairs.
    pub candidates: u64,
    /// Overlapping pairs.
    pub pairs: u64,
    /// Pairs that f32 cannot decide.
    pub undecided: u64,
    /// Boxes are in motion, and their impacts stay on the device.
    pub sweeps: bool,
    /// Degrees are asked for.
    pub degrees: bool,
    /// Words of the rules that are uploaded.
    pub rules: u64,
    /// The largest buffer.
    pub max_buffer_bytes: u64,
}
