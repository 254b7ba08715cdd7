//! Reading scenes and pairs.

use std::io::Read;
use std::path::Path;

use glam::Vec3;

use crate::base::error::Result;
use crate::files::csv::{pairs, points, scene};
use crate::files::format::InputFormat;
use crate::files::named_pairs::NamedPairs;
use crate::files::npy;
use crate::files::options::ReadOptions;
use crate::files::points::PointGroups;
use crate::files::problem::problem;
use crate::files::scene::SceneFile;
use crate::files::source::{STDIN, gunzip, open};

/// Reads a scene; `-` is CSV from stdin. `frame` picks one frame of a file with a `frame` column, and the others are
/// ignored. O(n).
///
/// # Errors
/// [`Error::File`](crate::Error::File) for a file that cannot be read or has an unknown extension; for missing or
/// duplicate columns, a wrong shape, order or type, or truncated data; for rows with too few or too many columns, invalid
/// numbers, unknown shapes, motions that are not finite if they are asked for, bodies that [`Obb::problem`](crate::Obb::problem) and its
/// like reject, cuboids that [`Upright`](crate::Upright) rejects,
/// and ids that are empty or repeat within the frame; for several frames if none is picked, and for a frame that does not
/// exist. [`Error::OutOfMemory`](crate::Error::OutOfMemory) if the boxes do not fit.
pub fn read_scene(path: &Path, frame: Option<i64>) -> Result<SceneFile> {
    read_scene_with(
        path,
        &ReadOptions {
            frame,
            ..ReadOptions::default()
        },
    )
}

/// Reads a scene as [`read_scene`] does, with more to say about what to read.
///
/// # Errors
/// As of [`read_scene`]; also for columns that are named here and not there.
pub fn read_scene_with(path: &Path, options: &ReadOptions) -> Result<SceneFile> {
    match open_input(path)? {
        Input::Csv(input, name) => scene::read(input, name, options),
        Input::Npy if options.frame.is_some() => Err(no_frames(path)),
        Input::Npy => {
            check_no_columns(path, options)?;
            npy::read(open(path)?, path, options)
        }
    }
}

/// Reads every frame of a CSV file with a column `frame`, in ascending order of their numbers. A box without an id goes by
/// its row in the file, as in [`read_scene`] of one frame. `options.frame` is ignored.
///
/// # Errors
/// As of [`read_scene_with`]; also for a file without the column.
pub fn read_frames(path: &Path, options: &ReadOptions) -> Result<Vec<(i64, SceneFile)>> {
    match open_input(path)? {
        Input::Csv(input, name) => scene::read_frames(input, name, options),
        Input::Npy => Err(problem(
            path,
            "is an NPY file and has no frames: give the scene as .csv with a column frame",
        )),
    }
}

/// Reads pairs of ids from a CSV file with columns `a` and `b`, and perhaps `frame`; others are ignored. `-` is stdin.
///
/// # Errors
/// [`Error::File`](crate::Error::File) for a file that cannot be read or is not CSV, for missing columns, and for rows with
/// too few or too many columns or without a frame. [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub fn read_pairs(path: &Path) -> Result<NamedPairs> {
    match open_input(path)? {
        Input::Csv(input, name) => pairs::read_pairs(input, name),
        Input::Npy => Err(problem(path, "is an NPY file: give pairs as .csv with columns a and b")),
    }
}

/// Reads points by their ids from a CSV file with columns `id` (another one if `id_column` is given), `x`, `y` and `z`; others are
/// ignored. `-` is stdin. Rows may come in any order. O(n).
///
/// # Errors
/// [`Error::File`](crate::Error::File) for a file that cannot be read or is not CSV, for missing or duplicate columns, and for
/// rows with too few or too many columns, without an id, or with coordinates that are no numbers, not finite or beyond
/// [`COORDINATE_LIMIT`](crate::COORDINATE_LIMIT). [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub fn read_points(path: &Path, id_column: Option<&str>) -> Result<PointGroups> {
    match open_input(path)? {
        Input::Csv(input, name) => points::read_points(input, name, id_column),
        Input::Npy => Err(problem(
            path,
            "is an NPY file: give points as .csv with columns id, x, y and z",
        )),
    }
}

/// Reads points from a CSV file with columns `x`, `y` and `z`; others are ignored. `-` is stdin. They are numbered as their rows, from 0. O(n).
///
/// # Errors
/// As of [`read_points`], but for ids.
pub fn read_point_list(path: &Path) -> Result<Vec<Vec3>> {
    match open_input(path)? {
        Input::Csv(input, name) => points::read_point_list(input, name),
        Input::Npy => Err(problem(
            path,
            "is an NPY file: give points as .csv with columns x, y and z",
        )),
    }
}

/// An input, opened if it is text.
enum Input<'a> {
    /// Text, and its name for errors.
    Csv(Box<dyn Read>, &'a Path),
    Npy,
}

fn open_input(path: &Path) -> Result<Input<'_>> {
    if path == Path::new(STDIN) {
        return Ok(Input::Csv(Box::new(std::io::stdin().lock()), Path::new("stdin")));
    }
    Ok(match InputFormat::of(path)? {
        InputFormat::Csv => Input::Csv(Box::new(open(path)?), path),
        InputFormat::CsvGz => Input::Csv(Box::new(gunzip(open(path)?)), path),
        InputFormat::Npy => Input::Npy,
    })
}

fn no_frames(path: &Path) -> crate::base::error::Error {
    problem(path, "is an NPY file and has no frames: leave --frame out")
}

/// Returns an error if columns are wanted of a file that has none.
fn check_no_columns(path: &Path, options: &ReadOptions) -> Result<()> {
    match options.id_column.iter().chain(&options.columns).next() {
        Some(name) => Err(problem(
            path,
            format!("is an NPY file and has no column {name}: give the scene as .csv"),
        )),
        None => Ok(()),
    }
}
