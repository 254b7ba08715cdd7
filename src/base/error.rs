//! The one error type: what went wrong, where, and what to do about it.

use crate::base::excerpt::excerpt;
use crate::base::memory;
use crate::base::plural::plural;
use crate::base::problem::{
    BoxProblem, COORDINATE_LIMIT, MotionProblem, RayProblem, RegionProblem, SolidProblem, UprightProblem,
};

/// Every way a check can fail.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input has invalid boxes.
    #[error("box {index} {problem} {}", how_many(.count, "box", "boxes"))]
    InvalidBox {
        /// Position of the first invalid box in the caller's slice.
        index: usize,
        /// What is wrong with it.
        problem: BoxProblem,
        /// How many boxes are invalid.
        count: usize,
    },
    /// The input has invalid capsules or spheres.
    #[error("body {index} (a {kind}) {problem} {}", how_many_bodies(.count, .kind))]
    InvalidBody {
        /// Position of the first one among all bodies: boxes come first, then capsules, then spheres.
        index: usize,
        /// "capsule" or "sphere".
        kind: &'static str,
        /// What is wrong with it.
        problem: BoxProblem,
        /// How many of this kind are invalid.
        count: usize,
    },
    /// The input has invalid upright cuboids.
    #[error("cuboid {index} {problem} {}", how_many(.count, "cuboid", "cuboids"))]
    InvalidUpright {
        /// Position of the first invalid cuboid in the caller's slice.
        index: usize,
        /// What is wrong with it.
        problem: UprightProblem,
        /// How many cuboids are invalid.
        count: usize,
    },
    /// The input has invalid triangles.
    #[error("triangle {index} {problem} {}", how_many(.count, "triangle", "triangles"))]
    InvalidTriangle {
        /// Position of the first invalid triangle in the caller's slice; of two lists, those of the second go on from the first.
        index: usize,
        /// What is wrong with it.
        problem: BoxProblem,
        /// How many triangles are invalid.
        count: usize,
    },
    /// A mesh that is to have an inside is open.
    #[error("the mesh has {edges} open {}, with an odd number of triangles: close it", plural(*.edges, "edge", "edges"))]
    OpenMesh {
        /// How many edges have an odd number of triangles: [`open_edges`](crate::open_edges).
        edges: u64,
    },
    /// A mesh is to wind around points, and triangles of it are turned different ways.
    #[error("triangles are turned different ways at {edges} {}, so it is not certain how often the mesh winds around a point: turn them alike, or take parity", plural(*.edges, "edge", "edges"))]
    UnlikeFaces {
        /// How many edges triangles do not pass as often one way as the other.
        edges: u64,
    },
    /// An upright cuboid that was to be made is invalid: what `?` turns an [`UprightProblem`] into.
    #[error("the upright cuboid {problem}: fix it")]
    InvalidCuboid {
        /// What is wrong with it.
        problem: UprightProblem,
    },
    /// There is nothing to put a box or a ball around.
    #[error("there are no points{}: give at least one", of_group(.group))]
    NoPoints {
        /// Position of the first such group, if there are several groups.
        group: Option<usize>,
    },
    /// The points to put a box or a ball around are invalid.
    #[error("point {index}{} {problem} {}", of_group(.group), how_many(.count, "point", "points"))]
    InvalidPoint {
        /// Position of the first invalid point in its group.
        index: usize,
        /// Position of the group, if there are several groups.
        group: Option<usize>,
        /// What is wrong with it.
        problem: BoxProblem,
        /// How many points of the group are invalid.
        count: usize,
    },
    /// A solid that was to be made is invalid.
    #[error("the solid {0}: fix its points")]
    InvalidSolid(#[from] SolidProblem),
    /// [`Config::margin`](crate::Config::margin) is not a valid distance.
    #[error("the margin {margin} is not a valid distance: give a number from 0 to {COORDINATE_LIMIT:e}")]
    InvalidMargin {
        /// The margin.
        margin: f64,
    },
    /// The input has invalid motions.
    #[error("the motion of body {index} {problem} {}", how_many(.count, "motion", "motions"))]
    InvalidMotion {
        /// Position of the first invalid motion in the caller's slice.
        index: usize,
        /// What is wrong with it.
        problem: MotionProblem,
        /// How many motions are invalid.
        count: usize,
    },
    /// The input has an invalid ray.
    #[error("ray {index} {problem}: fix or remove it")]
    InvalidRay {
        /// Position of the first invalid ray in the caller's slice; 0 of a single one.
        index: usize,
        /// What is wrong with it.
        problem: RayProblem,
    },
    /// A tree is to take other boxes than it was built from.
    #[error("there are {boxes} boxes but the tree has {held}: give as many, or build a new tree")]
    MissingBoxes {
        /// Boxes given.
        boxes: usize,
        /// Boxes of the tree.
        held: usize,
    },
    /// There is not one motion for each body.
    #[error("there are {boxes} bodies but {motions} motions: give one for each body")]
    MissingMotions {
        /// Bodies given.
        boxes: usize,
        /// Motions given.
        motions: usize,
    },
    /// A number of a [`Step`](crate::Step) is not valid.
    #[error("the step's {what} is {value}: give a number that is {wanted}")]
    InvalidStep {
        /// The field.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it should be.
        wanted: &'static str,
    },
    /// An id names two bodies of one frame.
    #[error("the id {id} names bodies {first} and {second}: give each body of a frame an id of its own")]
    DuplicateId {
        /// The id.
        id: u32,
        /// Position of the first body with it.
        first: usize,
        /// Position of another one.
        second: usize,
    },
    /// There is not one id for each body.
    #[error("there are {boxes} bodies but {ids} ids: give one for each body")]
    MissingIds {
        /// Bodies given.
        boxes: usize,
        /// Ids given.
        ids: usize,
    },
    /// A pair names a body that does not exist.
    #[error("pair {index} names body {named} of {boxes}, counted from 0: fix or remove the pair")]
    InvalidPair {
        /// Position of the pair in the caller's slice.
        index: usize,
        /// The larger of its two positions.
        named: u32,
        /// Bodies given.
        boxes: usize,
    },
    /// A room, or a region to pick boxes by, is invalid.
    #[error("the {what} {problem}: fix it")]
    InvalidRegion {
        /// "room", "region" or "frustum".
        what: &'static str,
        /// What is wrong with it.
        problem: RegionProblem,
    },
    /// A rule does not fit the boxes.
    #[error("the rule `{rule}` {problem}")]
    InvalidRule {
        /// The rule: a field of [`Rules`](crate::Rules), or "FrameRules" for all rules of a recorded frame.
        rule: &'static str,
        /// What is wrong with it, and what to do.
        problem: String,
    },
    /// The caller's buffer cannot hold the boxes of a recorded frame.
    #[error("cannot use the caller's buffer: {reason}")]
    InvalidBuffer {
        /// What is wrong with it.
        reason: String,
    },
    /// The configuration or the input does not allow this form of result.
    #[error("cannot compute {what}: {hint}")]
    Unavailable {
        /// The form.
        what: &'static str,
        /// Why, and what to change.
        hint: &'static str,
    },
    /// More bodies than 32-bit positions can number.
    #[error("{boxes} bodies exceed the limit of {limit} bodies per check: split the scene")]
    TooManyBoxes {
        /// Bodies given.
        boxes: usize,
        /// Most bodies per check.
        limit: usize,
    },
    /// A scene was prepared on another device than the checker runs on.
    #[error("the scene was prepared on {prepared}, but this checker runs elsewhere: prepare it with this checker")]
    ForeignScene {
        /// Where it was prepared.
        prepared: String,
    },
    /// No adapter matches the request.
    #[error(
        "no GPU adapter for {} (found: {found}): install a Vulkan, Metal or DX12 driver, choose another adapter, or use the CPU backend",
        excerpt(.wanted)
    )]
    NoAdapter {
        /// The request.
        wanted: String,
        /// The adapters found, or "none".
        found: String,
    },
    /// The adapter refused a device, or the caller's device lacks something.
    #[error("adapter {adapter} provides no usable device: {reason}")]
    Device {
        /// The adapter's name.
        adapter: String,
        /// The driver's message, or what is missing.
        reason: String,
    },
    /// The device was lost: removed, reset by the driver, or destroyed.
    #[error(
        "the GPU device was lost ({reason}): make a new checker; if it happens again, reduce the load or use the CPU backend"
    )]
    DeviceLost {
        /// The driver's message.
        reason: String,
    },
    /// The device has no memory left for a buffer.
    #[error("the GPU cannot allocate {needed} bytes for {what}: check fewer boxes at once, or use the CPU backend")]
    OutOfDeviceMemory {
        /// The buffer's label.
        what: String,
        /// Its size in bytes.
        needed: u64,
    },
    /// The host has no memory left: for any check of this many boxes (found before it starts), or for its pairs.
    #[error(
        "cannot allocate {needed} bytes for {what}: check fewer boxes at once, or if there are many pairs, ask only for degrees or counts"
    )]
    OutOfMemory {
        /// What the memory was for.
        what: &'static str,
        /// Bytes requested.
        needed: u64,
    },
    /// The work exceeds a limit of the device or of the configuration, even in parts.
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
    /// wgpu rejected a call. This is a bug in obbligato or in the driver.
    #[error("wgpu rejected {what}: {reason}; please report this")]
    Gpu {
        /// The call or object.
        what: String,
        /// wgpu's message.
        reason: String,
    },
    /// [`Config::stop`](crate::Config::stop) asked the call to end.
    #[error("the call was stopped: clear `Config::stop` before the next one")]
    Stopped,
}

impl From<memory::OutOfMemory> for Error {
    fn from(memory::OutOfMemory { what, needed }: memory::OutOfMemory) -> Self {
        Self::OutOfMemory { what, needed }
    }
}

impl From<UprightProblem> for Error {
    fn from(problem: UprightProblem) -> Self {
        Self::InvalidCuboid { problem }
    }
}

/// The result of everything that can fail here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The group that points are of, if there are several groups.
fn of_group(group: &Option<usize>) -> String {
    group.map_or(String::new(), |group| format!(" of group {group}"))
}

/// [`how_many`] of a kind of body.
fn how_many_bodies(count: &usize, kind: &str) -> String {
    how_many(count, kind, &format!("{kind}s"))
}

/// How many items are invalid, and what to do about them.
fn how_many(count: &usize, one: &str, many: &str) -> String {
    let count = *count as u64;
    let (items, them) = (plural(count, one, many), plural(count, "it", "them"));
    format!("({count} invalid {items} in all): fix or remove {them}")
}
