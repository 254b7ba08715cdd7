//! The error type of pictures.

use obbligato_support::memory::OutOfMemory;

use crate::camera::CameraProblem;

/// Every way that drawing can fail.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The number of marks is neither 0 nor that of bodies.
    #[error("there are {count} {what} but {marks} marks: give one for each, or none")]
    MissingMarks {
        /// "bodies", "triangles" or "ghosts".
        what: &'static str,
        /// How many there are.
        count: usize,
        /// Marks given.
        marks: usize,
    },
    /// A picture cannot have this size.
    #[error("a picture cannot have {side} pixels on a side: give from 1 to {most}")]
    InvalidPicture {
        /// The side.
        side: u32,
        /// The most pixels.
        most: u32,
    },
    /// A picture cannot be drawn as this camera has it.
    #[error("the camera {problem}")]
    InvalidCamera {
        /// What is wrong with it, and what to do.
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

/// The result of everything that can fail here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages() {
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
            "the camera looks at the place where it is: move it, or give it another target"
        );
        assert_eq!(
            camera(CameraProblem::FieldOfView(3.5)),
            "the camera has an angle of view of 3.5: give radians above 0 and below pi"
        );
    }
}
