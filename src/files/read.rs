//! Reading scenes.

use std::path::Path;

use crate::base::error::Result;
use crate::files::format::Format;
use crate::files::problem::{problem, unreadable};
use crate::files::scene::SceneFile;
use crate::files::{csv, npy};

/// Reads a scene; `-` is CSV from stdin. `frame` picks one frame of a file with a `frame` column, and the others are
/// ignored. O(n).
///
/// # Errors
/// [`Error::File`](crate::Error::File) for a file that cannot be read or has an unknown extension; for missing or
/// duplicate columns, a wrong shape, order or type, or truncated data; for rows with too few or too many columns, invalid
/// numbers, boxes that [`Obb::problem`](crate::Obb::problem) rejects, cuboids that [`Upright`](crate::Upright) rejects,
/// and ids that repeat within the frame; for several frames if none is picked, and for a frame that does not exist.
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory) if the boxes do not fit.
pub fn read_scene(path: &Path, frame: Option<i64>) -> Result<SceneFile> {
    if path == Path::new("-") {
        return csv::read(std::io::stdin().lock(), Path::new("stdin"), frame);
    }
    let format = Format::of(path)?;
    let file = std::fs::File::open(path).map_err(|error| unreadable(path, &error))?;
    match format {
        Format::Csv => csv::read(file, path, frame),
        Format::Npy if frame.is_some() => Err(problem(path, "is an NPY file and has no frames: leave --frame out")),
        Format::Npy => npy::read(file, path),
    }
}
