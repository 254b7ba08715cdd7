//! A scene or a pair that failed, as a file.

use std::path::Path;

use obbligato::{Obb, files};

/// Where a failing scene goes if nothing else is said, and where it goes if some box is not in all groups: NPY files have
/// no place for groups.
const REPLAY: &str = "obbligato-failure.npy";
const REPLAY_WITH_GROUPS: &str = "obbligato-failure.csv";

/// Writes the scene that failed and says how to look at it again.
pub fn write(path: Option<&Path>, boxes: &[Obb]) -> String {
    let groups = boxes.iter().any(|obb| obb.memberships & obb.filter != u32::MAX);
    let path = path.unwrap_or(Path::new(if groups { REPLAY_WITH_GROUPS } else { REPLAY }));
    match files::write_scene(path, boxes) {
        Ok(()) => format!(
            "the scene is in {0}: replay it with `obbligato verify {0}`",
            path.display()
        ),
        Err(error) => format!("the scene could not be written for replay: {error}"),
    }
}
