//! The errors of the crate, each in one line: the place, the problem and what to do.

use obbligato::error::BoxProblem;

/// The result of this crate's functions.
pub type Result<T> = std::result::Result<T, Error>;

/// The ways in which a robot can be refused, or a question about it fail.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read.
    #[error("{file}: not read ({reason}): check the path of the {kind} file")]
    Io {
        /// The file.
        file: String,
        /// "URDF" or "SRDF".
        kind: &'static str,
        /// The system's message.
        reason: String,
    },
    /// A text is not URDF or SRDF.
    #[error("{file}: not read as {kind} ({reason}): fix it")]
    Parse {
        /// The file, or "the text".
        file: String,
        /// "URDF" or "SRDF".
        kind: &'static str,
        /// The parser's message.
        reason: String,
    },
    /// A URDF file has no links.
    #[error("{file}: the robot has no links: name another file, or add a link element")]
    NoLinks {
        /// The file, or "the text".
        file: String,
    },
    /// A mesh of the robot cannot be read.
    #[error("link {link:?}: mesh {mesh:?}: {source}")]
    Mesh {
        /// The link.
        link: String,
        /// The name of the mesh in the file.
        mesh: String,
        /// The problem.
        source: obbligato_files::Error,
    },
    /// A mesh has no triangles to put a box around.
    #[error("link {link:?}: mesh {mesh:?} has no triangles: name another file, or remove the collision element")]
    EmptyMesh {
        /// The link.
        link: String,
        /// The name of the mesh in the file.
        mesh: String,
    },
    /// A joint or an SRDF file names a link that the robot does not have.
    #[error("{place} names the link {link:?}, which the robot does not have: fix the name")]
    UnknownLink {
        /// The joint or the file.
        place: String,
        /// The name.
        link: String,
    },
    /// A joint mimics one that does not exist or does not move.
    #[error("joint {joint:?} mimics {mimicked:?}, which is not a joint that moves by itself: fix the name")]
    UnknownJoint {
        /// The joint.
        joint: String,
        /// The joint that it names.
        mimicked: String,
    },
    /// Two links or two joints have one name.
    #[error("two {kind}s are named {name:?}: rename one")]
    Duplicate {
        /// "link" or "joint".
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// The joints do not make a tree.
    #[error("joint {joint:?}: {problem}: give each link one parent, from which a chain leads to the root")]
    NotATree {
        /// The joint.
        joint: String,
        /// The problem.
        problem: &'static str,
    },
    /// A joint cannot be used.
    #[error("joint {joint:?} {problem}")]
    Joint {
        /// The joint.
        joint: String,
        /// The problem.
        problem: JointProblem,
    },
    /// A body of a link is not valid.
    #[error("link {link:?}: collision element {element} (a {kind}) {problem}: fix it")]
    Body {
        /// The link.
        link: String,
        /// The position among the collision elements of the link, from 0.
        element: usize,
        /// "box", "capsule" or "sphere".
        kind: &'static str,
        /// The problem.
        problem: BoxProblem,
    },
    /// A configuration has another number of values than the robot has joints.
    #[error("configuration {index} has {count} values: give {expected}, one for each of {joints:?}")]
    WrongCount {
        /// Position of the first such configuration.
        index: usize,
        /// The number of its values.
        count: usize,
        /// The number of joints that move.
        expected: usize,
        /// Their names.
        joints: Vec<String>,
    },
    /// A configuration has a value that is not finite.
    #[error("configuration {index} has {value} for joint {joint:?}: give a finite number, or remove the configuration")]
    NotFinite {
        /// Position of the first such configuration.
        index: usize,
        /// The joint.
        joint: String,
        /// The value.
        value: f64,
    },
    /// A distance or tolerance is out of range.
    #[error("{name} is {value}: give a finite number {range}")]
    OutOfRange {
        /// The argument.
        name: &'static str,
        /// The value.
        value: f64,
        /// The range.
        range: &'static str,
    },
    /// The engine's error.
    #[error(transparent)]
    Engine(#[from] obbligato::Error),
}

/// The reasons why a joint cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JointProblem {
    /// Its type has more than one degree of freedom.
    #[error("is floating, planar or spherical: make it fixed, or replace it by revolute and prismatic joints")]
    Unsupported,
    /// Its axis has no direction.
    #[error("has an axis of length 0: give it a direction")]
    NoAxis,
    /// One of its numbers is not finite.
    #[error("has a number that is not finite: fix its origin, axis or mimic element")]
    NotFinite,
    /// Its lower limit is above the upper one, or one of them is NaN.
    #[error("has limits that contain no value: give a lower limit that is at most the upper one")]
    EmptyLimits,
    /// It slides without limits, so that no random value can be drawn.
    #[error("slides without limits: give it a lower and an upper limit")]
    Unlimited,
}

/// Returns a message of another library in one line.
pub(crate) fn in_one_line(error: impl std::fmt::Display) -> String {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}
