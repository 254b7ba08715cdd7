//! Writes a failing scene or pair to a file.

use std::path::Path;

use obbligato::{Obb, files};

/// The default file for a failing scene, and the one if some box is not in all groups: NPY files cannot hold groups.
const REPLAY: &str = "obbligato-failure.npy";
const REPLAY_WITH_GROUPS: &str = "obbligato-failure.csv";

/// Writes the failing scene and says how to replay it.
pub fn write(path: Option<&Path>, boxes: &[Obb]) -> String {
    let groups = boxes.iter().any(|obb| obb.memberships & obb.filter != u32::MAX);
    let path = path.unwrap_or(Path::new(if groups { REPLAY_WITH_GROUPS } else { REPLAY }));
    match files::write_scene(path, boxes) {
        Ok(()) => format!(
            "the scene is in {0}: replay it with `obbligato verify {0}`",
            path.display()
        ),
        Err(error) => format!("cannot write the scene for replay: {error}"),
    }
}
