//! The error type of pictures.

use obbligato_support::memory::OutOfMemory;

use crate::camera::CameraProblem;

/// Every way that drawing can fail.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The number of marks is neither 0 nor the number of bodies, triangles or ghosts.
    #[error("there are {count} {what} but {marks} marks: give one for each, or none")]
    MissingMarks {
        /// "bodies", "triangles", "ghosts" or "transparent triangles".
        what: &'static str,
        /// The number of these.
        count: usize,
        /// The number of marks given.
        marks: usize,
    },
    /// A picture cannot have this size.
    #[error("a picture cannot have {side} pixels on a side: give from 1 to {most}")]
    InvalidPicture {
        /// The requested number of pixels on a side.
        side: u32,
        /// The maximum number of pixels on a side.
        most: u32,
    },
    /// A picture cannot be drawn with this camera.
    #[error("the camera {problem}")]
    InvalidCamera {
        /// The problem with the camera, and what to do.
        problem: CameraProblem,
    },
    /// The device failed, or memory ran out.
    #[error(transparent)]
    Engine(#[from] obbligato::Error),
}

impl From<OutOfMemory> for Error {
    fn from(refused: OutOfMemory) -> Self {
        Self::Engine(refused.into())
    }
}

/// The result of drawing.
pub type Result<T, E = Error> = std::result::Result<T, E>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_their_messages() {
        let marks = Error::MissingMarks {
            what: "bodies",
            count: 5,
            marks: 4,
        };
        assert_eq!(
            marks.to_string(),
            "there are 5 bodies but 4 marks: give one for each, or none"
        );
        let picture = Error::InvalidPicture { side: 0, most: 32768 };
        assert_eq!(
            picture.to_string(),
            "a picture cannot have 0 pixels on a side: give from 1 to 32768"
        );
        let camera = |problem| Error::InvalidCamera { problem }.to_string();
        assert_eq!(
            camera(CameraProblem::NotFinite),
            "the camera has a number that is NaN, infinite or too large: give finite ones"
        );
        assert_eq!(
            camera(CameraProblem::NoDirection),
            "the camera has its target at its own position: move it, or give it another target"
        );
        assert_eq!(
            camera(CameraProblem::FieldOfView(3.5)),
            "the camera has a field of view of 3.5: give radians above 0 and below pi"
        );
    }
}
