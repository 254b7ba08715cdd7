//! The error type of the crate: what went wrong, where, and how to fix it.

use crate::base::excerpt::excerpt;
use crate::base::memory;
use crate::base::plural::plural;
use crate::base::problem::{
    BoxProblem, COORDINATE_LIMIT, MotionProblem, PeriodProblem, PlaneProblem, RayProblem, RegionProblem, SolidProblem,
    UprightProblem,
};

/// The ways a check can fail.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input has invalid boxes.
    #[error("box {index} {problem} {}", how_many(.count, "box", "boxes"))]
    InvalidBox {
        /// Position of the first invalid box in the caller's slice; with two lists, positions
        /// continue from the first list into the second.
        index: usize,
        /// The problem.
        problem: BoxProblem,
        /// The number of invalid boxes.
        count: usize,
    },
    /// The input has invalid capsules or spheres.
    #[error("body {index} (a {kind}) {problem} {}", how_many_bodies(.count, .kind))]
    InvalidBody {
        /// Position of the first invalid one among all bodies: boxes come first, then capsules,
        /// then spheres; with two lists, positions continue from the first list into the second.
        index: usize,
        /// "capsule" or "sphere".
        kind: &'static str,
        /// The problem.
        problem: BoxProblem,
        /// The number of invalid bodies of this kind.
        count: usize,
    },
    /// The input has invalid upright cuboids.
    #[error("cuboid {index} {problem} {}", how_many(.count, "cuboid", "cuboids"))]
    InvalidUpright {
        /// Position of the first invalid cuboid in the caller's slice.
        index: usize,
        /// The problem.
        problem: UprightProblem,
        /// The number of invalid cuboids.
        count: usize,
    },
    /// The input has invalid triangles.
    #[error("triangle {index} {problem} {}", how_many(.count, "triangle", "triangles"))]
    InvalidTriangle {
        /// Position of the first invalid triangle in the caller's slice; with two lists, positions
        /// continue from the first list into the second.
        index: usize,
        /// The problem.
        problem: BoxProblem,
        /// The number of invalid triangles.
        count: usize,
    },
    /// A mesh that needs an inside is open.
    #[error("the mesh has {edges} open {}, with an odd number of triangles: close it", plural(*.edges, "edge", "edges"))]
    OpenMesh {
        /// The number of edges with an odd number of triangles; see
        /// [`open_edges`](crate::shape::open_edges).
        edges: u64,
    },
    /// Winding numbers were requested for a mesh with inconsistently oriented triangles.
    #[error("triangles are oriented inconsistently at {edges} {}, so it is ambiguous how often the mesh winds around a point: orient them consistently, or use parity", plural(*.edges, "edge", "edges"))]
    UnlikeFaces {
        /// The number of edges that triangles traverse more often in one direction than in the
        /// other.
        edges: u64,
    },
    /// An upright cuboid could not be constructed: `?` turns an [`UprightProblem`] into this error.
    #[error("the upright cuboid {problem}: fix it")]
    InvalidCuboid {
        /// The problem.
        problem: UprightProblem,
    },
    /// There are no points to put a box or a sphere around.
    #[error("there are no points{}: give at least one", of_group(.group))]
    NoPoints {
        /// Position of the first such group, if there are several groups.
        group: Option<usize>,
    },
    /// The points to put a box or a sphere around are invalid.
    #[error("point {index}{} {problem} {}", of_group(.group), how_many(.count, "point", "points"))]
    InvalidPoint {
        /// Position of the first invalid point in its group.
        index: usize,
        /// Position of the group, if there are several groups.
        group: Option<usize>,
        /// The problem.
        problem: BoxProblem,
        /// The number of invalid points in the group.
        count: usize,
    },
    /// A solid could not be constructed.
    #[error("the solid {0}: fix its points")]
    InvalidSolid(#[from] SolidProblem),
    /// [`Config::margin`](crate::Config::margin) is not a valid distance.
    #[error("the margin {margin} is not a valid distance: give a number from 0 to {COORDINATE_LIMIT:e}")]
    InvalidMargin {
        /// The margin.
        margin: f64,
    },
    /// The length of a [`Period`](crate::Period) is not valid.
    #[error("the period along {axis} is {length:e}: give a finite length of at least 2^-90, or none")]
    InvalidPeriod {
        /// The axis: 'x', 'y' or 'z'.
        axis: char,
        /// The length.
        length: f64,
    },
    /// Some bodies do not fit the [`Period`](crate::Period).
    #[error("body {index} {problem} ({count} such {} in all): give a longer period, or fix or remove {}", plural(*.count as u64, "body", "bodies"), plural(*.count as u64, "it", "them"))]
    OutOfPeriod {
        /// Position of the first such body in the caller's slice; with two lists, positions
        /// continue from the first list into the second.
        index: usize,
        /// The problem.
        problem: PeriodProblem,
        /// The number of bodies with any such problem.
        count: usize,
    },
    /// Some bodies of a scene in the plane are not in it.
    #[error("body {index} {problem} ({count} such {} in all): make {} by `in_plane`, or ask in space", plural(*.count as u64, "body", "bodies"), plural(*.count as u64, "it", "them"))]
    NotInPlane {
        /// Position of the first such body in the caller's slice; with two lists, positions
        /// continue from the first list into the second.
        index: usize,
        /// The problem.
        problem: PlaneProblem,
        /// The number of bodies with any such problem.
        count: usize,
    },
    /// The input has invalid motions.
    #[error("the motion of body {index} {problem} {}", how_many(.count, "motion", "motions"))]
    InvalidMotion {
        /// Position of the first invalid motion in the caller's slice; with two lists, positions
        /// continue from the first list into the second.
        index: usize,
        /// The problem.
        problem: MotionProblem,
        /// The number of invalid motions.
        count: usize,
    },
    /// The input has an invalid ray.
    #[error("ray {index} {problem}: fix or remove it")]
    InvalidRay {
        /// Position of the first invalid ray in the caller's slice; 0 for a single ray.
        index: usize,
        /// The problem.
        problem: RayProblem,
    },
    /// The number of boxes differs from that of the tree.
    #[error("there are {boxes} boxes but the tree has {held}: give as many, or build a new tree")]
    MissingBoxes {
        /// The number of boxes given.
        boxes: usize,
        /// The number of boxes in the tree.
        held: usize,
    },
    /// The number of motions differs from the number of bodies.
    #[error("there are {boxes} bodies but {motions} motions: give one for each body")]
    MissingMotions {
        /// The number of bodies given.
        boxes: usize,
        /// The number of motions given.
        motions: usize,
    },
    /// A number of a [`Step`](crate::motion::Step) is not valid.
    #[error("the step's {what} is {value}: give a number that is {wanted}")]
    InvalidStep {
        /// The field.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The valid values.
        wanted: &'static str,
    },
    /// A number of a [`NeighbourQuery`](crate::query::NeighbourQuery) is not valid.
    #[error("the {what} of neighbours is {value}: give a number that is {wanted}")]
    InvalidSearch {
        /// "number" or "radius".
        what: &'static str,
        /// Its value.
        value: f64,
        /// The valid values.
        wanted: &'static str,
    },
    /// An id names two bodies of one frame.
    #[error("the id {id} names bodies {first} and {second}: give each body of a frame an id of its own")]
    DuplicateId {
        /// The id.
        id: u32,
        /// Position of the first body with it.
        first: usize,
        /// Position of another body with it.
        second: usize,
    },
    /// There is not one id for each body.
    #[error("there are {boxes} bodies but {ids} ids: give one for each body")]
    MissingIds {
        /// The number of bodies given.
        boxes: usize,
        /// The number of ids given.
        ids: usize,
    },
    /// A pair names a body that does not exist.
    #[error("pair {index} names body {named} of {boxes}, counted from 0: fix or remove the pair")]
    InvalidPair {
        /// Position of the pair in the caller's slice.
        index: usize,
        /// The larger of the pair's two positions.
        named: u32,
        /// The number of bodies given.
        boxes: usize,
    },
    /// A room, or a region to select boxes by, is invalid.
    #[error("the {what} {problem}: fix it")]
    InvalidRegion {
        /// "room", "region" or "frustum".
        what: &'static str,
        /// The problem.
        problem: RegionProblem,
    },
    /// A rule does not fit the boxes.
    #[error("the rule `{rule}` {problem}")]
    InvalidRule {
        /// The rule: a field of [`Rules`](crate::Rules), or "FrameRules" for all rules of a
        /// recorded frame.
        rule: &'static str,
        /// The problem, and how to fix it.
        problem: String,
    },
    /// The caller's buffer cannot hold the boxes of a recorded frame.
    #[error("cannot use the caller's buffer: {reason}")]
    InvalidBuffer {
        /// The problem.
        reason: String,
    },
    /// The [`FrameVisitor`](crate::gpu::FrameVisitor) of a recorded frame does not compile, or its
    /// buffers do not fit it.
    #[error("cannot use the visitor{}: {reason}", of_line(.line))]
    InvalidVisitor {
        /// The line of the visitor's WGSL, from 1, if one is to blame.
        line: Option<usize>,
        /// The compiler's message.
        reason: String,
    },
    /// The configuration or the input does not allow this form of result.
    #[error("cannot compute {what}: {hint}")]
    Unavailable {
        /// The form.
        what: &'static str,
        /// The reason, and what to change.
        hint: &'static str,
    },
    /// There are more bodies than 32-bit positions can number.
    #[error("{boxes} bodies exceed the limit of {limit} bodies per check: split the scene")]
    TooManyBoxes {
        /// The number of bodies given.
        boxes: usize,
        /// The maximum number of bodies per check.
        limit: usize,
    },
    /// A scene was prepared on a device other than the checker's.
    #[error("the scene was prepared on {prepared}, but this checker runs elsewhere: prepare it with this checker")]
    ForeignScene {
        /// The device that it was prepared on.
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
    /// The host has too little memory: for any check of this many boxes (found before it starts),
    /// or for its pairs.
    #[error(
        "cannot allocate {needed} bytes for {what}: check fewer boxes at once, or if there are many pairs, ask only for degrees or counts"
    )]
    OutOfMemory {
        /// The purpose of the memory.
        what: &'static str,
        /// Bytes requested.
        needed: u64,
    },
    /// The work exceeds a limit of the device or of the configuration, even in parts.
    #[error("{what} needs {needed} but the limit is {available}: {hint}")]
    LimitExceeded {
        /// The item that is too large.
        what: String,
        /// The amount that it needs.
        needed: u64,
        /// The amount that the limit allows.
        available: u64,
        /// The setting to raise or change.
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

impl Error {
    /// Returns the error about a list that follows another one of this many bodies: positions
    /// continue from the first list to the second.
    pub(crate) fn after(mut self, count: usize) -> Self {
        if let Self::InvalidBox { index, .. } | Self::InvalidBody { index, .. } | Self::InvalidMotion { index, .. } =
            &mut self
        {
            *index += count;
        }
        self
    }
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

/// A `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Names the group of the points, if there are several groups.
fn of_group(group: &Option<usize>) -> String {
    group.map_or(String::new(), |group| format!(" of group {group}"))
}

/// Names the line, if there is one.
fn of_line(line: &Option<usize>) -> String {
    line.map_or(String::new(), |line| format!(" because of line {line} of its WGSL"))
}

/// Returns [`how_many`] for a kind of body.
fn how_many_bodies(count: &usize, kind: &str) -> String {
    how_many(count, kind, &format!("{kind}s"))
}

/// Formats the number of invalid items and how to fix them.
fn how_many(count: &usize, one: &str, many: &str) -> String {
    let count = *count as u64;
    let (items, them) = (plural(count, one, many), plural(count, "it", "them"));
    format!("({count} invalid {items} in all): fix or remove {them}")
}
