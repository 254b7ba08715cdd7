//! Scenes and results as files: CSV and NPY.

use std::path::Path;

use crate::{Obb, Pair, Result};

/// The boxes of a file and their ids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneFile {
    /// The boxes, in the file's order.
    pub boxes: Vec<Obb>,
    /// The id of each box where the file has an `id` column; else a box's id is its row number, from 0.
    pub ids: Option<Vec<u32>>,
}

/// Reads a scene; `-` is CSV from stdin. `frame` picks one frame of a file with several.
pub fn read_scene(path: &Path, frame: Option<i64>) -> Result<SceneFile> {
    let _ = (path, frame);
    Ok(SceneFile::default())
}

/// Writes a scene.
pub fn write_scene(path: &Path, boxes: &[Obb]) -> Result<()> {
    let _ = (path, boxes);
    Ok(())
}

/// Writes colliding pairs, given and written in ids.
pub fn write_pairs(path: &Path, pairs: &[Pair]) -> Result<()> {
    let _ = (path, pairs);
    Ok(())
}

/// Writes every box's degree.
pub fn write_degrees(path: &Path, ids: Option<&[u32]>, degrees: &[u32]) -> Result<()> {
    let _ = (path, ids, degrees);
    Ok(())
}
