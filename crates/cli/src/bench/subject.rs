//! The subject of a row of the benchmark.

use std::path::PathBuf;

use obbligato_files as files;
use obbligato_files::SceneFile;
use obbligato_verify::scenes::BodyScene;

use crate::{failure::Failure, generate, output};

/// The subject of a measurement.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A named scene with this number of bodies and this seed.
    Named(BodyScene, usize, u64),
    /// A file, or one frame of it.
    File(PathBuf, Option<i64>),
}

impl Subject {
    /// Returns the scene's name, or the file's.
    pub fn name(&self) -> String {
        match self {
            Self::Named(scene, ..) => scene.name().to_owned(),
            Self::File(path, None) => path.display().to_string(),
            Self::File(path, Some(frame)) => format!("{} frame {frame}", path.display()),
        }
    }

    /// Returns the seed, if the scene was generated.
    pub fn seed(&self) -> Option<u64> {
        match self {
            Self::Named(_, _, seed) => Some(*seed),
            Self::File(..) => None,
        }
    }

    /// Names the action of [`load`](Self::load).
    pub const fn loading(&self) -> &'static str {
        match self {
            Self::Named(..) => "generating",
            Self::File(..) => "reading",
        }
    }

    /// Returns the bodies.
    pub fn load(&self) -> Result<SceneFile, Failure> {
        match self {
            Self::Named(scene, count, seed) => Ok(generate::scene(*scene, *count, *seed)?),
            Self::File(path, frame) => Ok(files::read_scene(path, *frame)?),
        }
    }

    /// Returns the command that verifies the subject in detail.
    pub fn verify(&self) -> String {
        match self {
            Self::Named(scene, count, seed) => {
                format!(
                    "obbligato verify --scene {} --count {count} --seed {seed}",
                    scene.name()
                )
            }
            Self::File(path, frame) => {
                let frame = frame.map_or(String::new(), |frame| format!(" --frame {frame}"));
                format!("obbligato verify {}{frame}", output::shown(path))
            }
        }
    }
}
