//! Writes a failing scene or pair to a file.

use std::path::Path;

use obbligato_files as files;
use obbligato_files::SceneFile;

use super::failure::Failure;

/// The default file for a failing scene, and the one for ids, groups and rules, which NPY files
/// cannot hold.
const REPLAY: &str = "obbligato-failure.npy";
const REPLAY_IN_CSV: &str = "obbligato-failure.csv";

/// Checks, before the work, that the requested file can hold the scene.
pub fn check(path: Option<&Path>, scene: &SceneFile) -> Result<(), Failure> {
    match path {
        Some(path) => Ok(files::check_scene_path(path, scene)?),
        None => Ok(()),
    }
}

/// Writes the failing scene and returns instructions to replay it.
pub fn write(path: Option<&Path>, scene: &SceneFile) -> String {
    let default = if scene.needs_csv() { REPLAY_IN_CSV } else { REPLAY };
    let path = path.unwrap_or(Path::new(default));
    match files::write_scene_file(path, scene) {
        Ok(()) => format!(
            "the scene is in {0}: replay it with `obbligato verify {f64}{0}`",
            path.display(),
            f64 = if scene.centers.is_some() { "--f64 " } else { "" },
        ),
        Err(error) => format!("cannot write the scene for replay: {error}"),
    }
}
