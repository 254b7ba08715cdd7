//! What a row of the benchmark is about.

use std::path::PathBuf;

use obbligato_files as files;
use obbligato_files::SceneFile;
use obbligato_verify::scenes::BodyScene;

use crate::{failure::Failure, generate, output};

/// What is timed.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A named scene of so many bodies, with its seed.
    Named(BodyScene, usize, u64),
    /// A file, or one frame of it.
    File(PathBuf, Option<i64>),
}

impl Subject {
    /// The scene's name, or the file's.
    pub fn name(&self) -> String {
        match self {
            Self::Named(scene, ..) => scene.name().to_owned(),
            Self::File(path, None) => path.display().to_string(),
            Self::File(path, Some(frame)) => format!("{} frame {frame}", path.display()),
        }
    }

    /// The seed, if it was generated.
    pub fn seed(&self) -> Option<u64> {
        match self {
            Self::Named(_, _, seed) => Some(*seed),
            Self::File(..) => None,
        }
    }

    /// What [`load`](Self::load) does, in a word.
    pub const fn loading(&self) -> &'static str {
        match self {
            Self::Named(..) => "generating",
            Self::File(..) => "reading",
        }
    }

    /// The bodies.
    pub fn load(&self) -> Result<SceneFile, Failure> {
        match self {
            Self::Named(scene, count, seed) => Ok(generate::scene(*scene, *count, *seed)?),
            Self::File(path, frame) => Ok(files::read_scene(path, *frame)?),
        }
    }

    /// The command that verifies it in detail.
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
