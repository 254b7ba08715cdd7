//! The one error type: what went wrong, where, and what to do about it.

use crate::base::problem::{BoxProblem, COORDINATE_LIMIT, RegionProblem, UprightProblem};

/// Everything that can keep a check from its answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input has boxes that are no boxes.
    #[error("box {index} {problem} ({count} bad boxes in all): mend or remove it")]
    InvalidBox {
        /// Position of the first bad box in the caller's slice.
        index: usize,
        /// What is wrong with it.
        problem: BoxProblem,
        /// How many boxes are bad.
        count: usize,
    },
    /// The input has upright cuboids that are none.
    #[error("cuboid {index} {problem} ({count} bad cuboids in all): mend or remove it")]
    InvalidUpright {
        /// Position of the first bad cuboid in the caller's slice.
        index: usize,
        /// What is wrong with it.
        problem: UprightProblem,
        /// How many cuboids are bad.
        count: usize,
    },
    /// [`Config::margin`](crate::Config::margin) is no distance.
    #[error("the margin {margin} is no distance: give a number from 0 to {COORDINATE_LIMIT:e}")]
    InvalidMargin {
        /// The margin.
        margin: f32,
    },
    /// A pair to check names a box that is not there.
    #[error("pair {index} names box {named}, but there are {boxes} boxes, counted from 0")]
    InvalidPair {
        /// Position of the pair in the caller's slice.
        index: usize,
        /// The larger of its two positions.
        named: u32,
        /// Boxes given.
        boxes: usize,
    },
    /// A room, or a region to pick boxes by, is none.
    #[error("the {what} {problem}: mend it")]
    InvalidRegion {
        /// "room", "region" or "frustum".
        what: &'static str,
        /// What is wrong with it.
        problem: RegionProblem,
    },
    /// A rule does not fit the boxes.
    #[error("the rule `{rule}` {problem}")]
    InvalidRule {
        /// The rule: a field of [`Rules`](crate::Rules).
        rule: &'static str,
        /// What is wrong with it, and what to do.
        problem: String,
    },
    /// A buffer of the caller's cannot hold the boxes of a recorded frame.
    #[error("the caller's buffer cannot be used: {reason}")]
    InvalidBuffer {
        /// What is wrong with it.
        reason: String,
    },
    /// A result form that cannot be made from what was asked for.
    #[error("{what} cannot be had here: {hint}")]
    Unavailable {
        /// The form.
        what: &'static str,
        /// Why, and what to change.
        hint: &'static str,
    },
    /// More boxes than 32-bit positions can tell apart.
    #[error("{boxes} boxes are more than the {limit} that one check can number: split the scene")]
    TooManyBoxes {
        /// Boxes given.
        boxes: usize,
        /// Most that can be checked.
        limit: usize,
    },
    /// A prepared scene is not where the checker runs.
    #[error("the scene was prepared on {prepared}, where this checker does not run: prepare it with this checker")]
    ForeignScene {
        /// Where it was prepared.
        prepared: String,
    },
    /// No adapter fits what was asked for.
    #[error(
        "no GPU adapter for {wanted} (found: {found}): install a Vulkan, Metal or DX12 driver, choose another adapter, or use the CPU backend"
    )]
    NoAdapter {
        /// What was asked for.
        wanted: String,
        /// The adapters there are, or "none".
        found: String,
    },
    /// The adapter refused a device, or the caller's device lacks something.
    #[error("adapter {adapter} gives no usable device: {reason}")]
    Device {
        /// The adapter's name.
        adapter: String,
        /// The driver's words, or what is lacking.
        reason: String,
    },
    /// The device was lost: removed, reset by the driver, or destroyed.
    #[error(
        "the GPU device was lost ({reason}): make a new checker; if it happens again, lower the load or use the CPU backend"
    )]
    DeviceLost {
        /// The driver's words.
        reason: String,
    },
    /// The device has no memory left for a buffer.
    #[error("the GPU has no {needed} bytes for {what}: check fewer boxes at once, or use the CPU backend")]
    OutOfDeviceMemory {
        /// The buffer's label.
        what: String,
        /// Its size in bytes.
        needed: u64,
    },
    /// The host has no memory left: for what any check of so many boxes takes, before it starts, or for its pairs.
    #[error(
        "no {needed} bytes of memory for {what}: check fewer boxes at once, or ask for degrees or counts only if the pairs are many"
    )]
    OutOfMemory {
        /// What the memory was for.
        what: &'static str,
        /// Bytes asked for.
        needed: u64,
    },
    /// A limit of the device or of the configuration rules the work out, even in parts.
    #[error("{what} needs {needed} but the limit is {available}: {hint}")]
    LimitExceeded {
        /// What is too large.
        what: String,
        /// What it needs.
        needed: u64,
        /// What the limit allows.
        available: u64,
        /// What to raise or change.
        hint: &'static str,
    },
    /// The device did not finish in time.
    #[error("the GPU did not finish within {seconds} s: raise `GpuConfig::timeout`, or check fewer boxes at once")]
    Timeout {
        /// The configured time.
        seconds: f64,
    },
    /// wgpu rejected a call. This is a defect of obbligato or of the driver.
    #[error("wgpu rejected {what}: {reason}; please report this")]
    Gpu {
        /// The call or object.
        what: String,
        /// wgpu's words.
        reason: String,
    },
    /// A file cannot be read, written or understood.
    #[error("{path}: {problem}")]
    File {
        /// The file, or "stdin".
        path: String,
        /// What is wrong, where in the file, how many rows are bad, and what to do.
        problem: String,
    },
}

/// The result of everything that can fail here.
pub type Result<T, E = Error> = std::result::Result<T, E>;
