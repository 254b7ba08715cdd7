//! Reads scenes and pairs.

use std::io::Read;
use std::path::Path;

use glam::{DVec3, Vec3};

use crate::coordinates::Places;
use crate::csv::table::CsvTable;
use crate::error::Result;
use crate::format::{IN_MEMORY, InputFormat, SCENES, TABLES};
use crate::named_pairs::NamedPairs;
use crate::options::ReadOptions;
#[cfg(feature = "parquet")]
use crate::parquet::plain;
#[cfg(feature = "parquet")]
use crate::parquet::table::ParquetTable;
use crate::points::{Origins, PointGroups};
use crate::problem::problem;
use crate::scene::SceneFile;
use crate::scene_rows::form::COLUMNS;
use crate::scene_rows::read as scene;
use crate::source::{STDIN, gunzip, open};
use crate::{npy, pair_rows, point_rows};

/// Reads a scene; `-` is CSV from stdin. `frame` picks one frame of a file with a `frame` column,
/// and the others are ignored. O(n).
///
/// # Errors
/// [`Error::File`](crate::Error::File) for a file that cannot be read or has an unknown extension;
/// for missing or duplicate columns, a wrong shape, order or type, or truncated data; for rows with
/// too few or too many columns, invalid numbers, unknown shapes, motions that are read and not
/// finite, bodies that [`Obb::problem`](obbligato::Obb::problem) and its counterparts reject,
/// cuboids that [`Upright`](obbligato::shape::Upright) rejects, and ids that are empty or repeat
/// within the frame; for several frames if none is picked, and for a frame that does not exist.
/// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory) if the boxes do not fit.
pub fn read_scene(path: &Path, frame: Option<i64>) -> Result<SceneFile> {
    read_scene_with(
        path,
        &ReadOptions {
            frame,
            ..ReadOptions::default()
        },
    )
}

/// Reads a scene as [`read_scene`] does, with more options.
///
/// # Errors
/// See [`read_scene`]; also [`Error::NoColumn`](crate::Error::NoColumn) if a column that
/// [`ReadOptions::columns`] names does not exist.
pub fn read_scene_with(path: &Path, options: &ReadOptions) -> Result<SceneFile> {
    match Input::open(path, &COLUMNS.join(","), SCENES)? {
        Input::Csv(table, name) => scene::read(*table, name, options),
        #[cfg(feature = "parquet")]
        Input::Parquet(table) => match plain::read(path, options) {
            Some(scene) => Ok(scene),
            None => scene::read(*table, path, options),
        },
        Input::Npy if options.frame.is_some() => Err(no_frames(path)),
        Input::Npy => {
            check_no_columns(path, options)?;
            npy::read(npy::Source::File(open(path)?), path, options)
        }
    }
}

/// Reads a scene as [`read_scene_with`] does from what a file contains: a CSV file, compressed if
/// its `name` ends in `.gz`, or an NPY file.
///
/// # Errors
/// See [`read_scene_with`]. Errors call the file by its name. Other formats are an error.
pub fn read_scene_from(name: &Path, contents: impl Read + Send + 'static, options: &ReadOptions) -> Result<SceneFile> {
    let input: Box<dyn Read> = match InputFormat::of(name, IN_MEMORY)? {
        InputFormat::Csv => Box::new(contents),
        InputFormat::CsvGz => Box::new(gunzip(contents)),
        InputFormat::Npy if options.frame.is_some() => return Err(no_frames(name)),
        InputFormat::Npy => {
            check_no_columns(name, options)?;
            return npy::read(npy::Source::Stream(Box::new(contents)), name, options);
        }
        #[cfg(feature = "parquet")]
        InputFormat::Parquet => return Err(problem(name, format!("cannot be read here: give {IN_MEMORY}"))),
    };
    scene::read(CsvTable::open(input, name, &COLUMNS.join(","))?, name, options)
}

/// Reads every frame of a table with a column `frame`, in ascending order of their numbers. The id
/// of a box without one is its row in the file, as in [`read_scene`] of one frame. `options.frame`
/// is ignored.
///
/// # Errors
/// See [`read_scene_with`]; also for a file without the column.
pub fn read_frames(path: &Path, options: &ReadOptions) -> Result<Vec<(i64, SceneFile)>> {
    match Input::open(path, &COLUMNS.join(","), TABLES)? {
        Input::Csv(table, name) => scene::read_frames(*table, name, options),
        #[cfg(feature = "parquet")]
        Input::Parquet(table) => scene::read_frames(*table, path, options),
        Input::Npy => Err(problem(
            path,
            "is an NPY file and has no frames: give the scene as .csv with a column frame",
        )),
    }
}

/// Reads pairs of ids from a table with columns `a` and `b`, and optionally `frame` and `reason`;
/// others are only named. `-` is CSV from stdin.
///
/// # Errors
/// [`Error::File`](crate::Error::File) for a file that cannot be read or is not a table, for
/// missing columns, and for rows with too few or too many columns or without a frame.
/// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory).
pub fn read_pairs(path: &Path) -> Result<NamedPairs> {
    match Input::open(path, "a,b", TABLES)? {
        Input::Csv(table, name) => pair_rows::read_pairs(*table, name),
        #[cfg(feature = "parquet")]
        Input::Parquet(table) => pair_rows::read_pairs(*table, path),
        Input::Npy => Err(problem(path, "is an NPY file: give pairs as .csv with columns a and b")),
    }
}

/// Reads points by their ids from a table with columns `id` (another one if `id_column` is given),
/// `x`, `y` and `z`; others are ignored. `-` is CSV from stdin. Rows may be in any order.
/// Coordinates are rounded once to `f32`: directly or, far from the origin of coordinates, after
/// subtracting an origin common to all groups ([`PointGroups::origins`]). O(n).
///
/// # Errors
/// [`Error::File`](crate::Error::File) for a file that cannot be read or is not a table, for
/// missing or duplicate columns, and for rows with too few or too many columns, without an id, or
/// with coordinates that are not numbers, not finite or beyond
/// [`COORDINATE_LIMIT`](obbligato::shape::COORDINATE_LIMIT).
/// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory).
pub fn read_points(path: &Path, id_column: Option<&str>) -> Result<PointGroups> {
    let points = read_points_about(path, id_column, Origins::Common)?;
    match points.in_plane {
        true => Err(problem(path, "has no column z: add it")),
        false => Ok(points),
    }
}

/// Reads points as [`read_points`] does. Far from the origin of coordinates, each group may have an
/// origin of its own. Without a column `z` the points are in the plane z = 0.
///
/// # Errors
/// See [`read_points`].
pub fn read_points_about(path: &Path, id_column: Option<&str>, origins: Origins) -> Result<PointGroups> {
    match Input::open(path, "id,x,y,z", TABLES)? {
        Input::Csv(table, name) => point_rows::read_points(*table, name, id_column, origins),
        #[cfg(feature = "parquet")]
        Input::Parquet(table) => point_rows::read_points(*table, path, id_column, origins),
        Input::Npy => Err(problem(
            path,
            "is an NPY file: give points as .csv with columns id, x, y and z",
        )),
    }
}

/// Reads points from a table with columns `x`, `y` and `z`; others are ignored. `-` is CSV from
/// stdin. They are numbered by their rows, from 0, and rounded directly to `f32`. For points to be
/// located in a mesh, use [`read_mesh_and_points`](crate::read_mesh_and_points). O(n).
///
/// # Errors
/// See [`read_points`], except those about ids.
pub fn read_point_list(path: &Path) -> Result<Vec<Vec3>> {
    let points = read_places(path)?.relative_to(DVec3::ZERO, "the points of a table")?;
    Ok(bytemuck::cast_vec(points))
}

/// Reads the points of [`read_point_list`] before they are rounded.
pub(super) fn read_places(path: &Path) -> Result<Places<1>> {
    match Input::open(path, "x,y,z", TABLES)? {
        Input::Csv(table, name) => point_rows::read_places(*table, name),
        #[cfg(feature = "parquet")]
        Input::Parquet(table) => point_rows::read_places(*table, path),
        Input::Npy => Err(problem(
            path,
            "is an NPY file: give points as .csv with columns x, y and z",
        )),
    }
}

/// An input, already open if it is a table.
enum Input<'a> {
    /// A text, and its name for errors.
    Csv(Box<CsvTable<'a, Box<dyn Read>>>, &'a Path),
    #[cfg(feature = "parquet")]
    Parquet(Box<ParquetTable>),
    Npy,
}

impl<'a> Input<'a> {
    /// Opens an input. `example` is a header row, for the error of an empty CSV file; `endings` are
    /// the accepted extensions.
    fn open(path: &'a Path, example: &str, endings: &str) -> Result<Self> {
        let csv = |input: Box<dyn Read>, name| Ok(Self::Csv(Box::new(CsvTable::open(input, name, example)?), name));
        if path == Path::new(STDIN) {
            return csv(Box::new(std::io::stdin().lock()), Path::new("stdin"));
        }
        match InputFormat::of(path, endings)? {
            InputFormat::Csv => csv(Box::new(open(path)?), path),
            InputFormat::CsvGz => csv(Box::new(gunzip(open(path)?)), path),
            #[cfg(feature = "parquet")]
            InputFormat::Parquet => Ok(Self::Parquet(Box::new(ParquetTable::open(path)?))),
            InputFormat::Npy => Ok(Self::Npy),
        }
    }
}

fn no_frames(path: &Path) -> crate::error::Error {
    problem(path, "is an NPY file and has no frames: leave --frame out")
}

/// Returns an error if columns are requested of a file that has none.
fn check_no_columns(path: &Path, options: &ReadOptions) -> Result<()> {
    match options.id_column.iter().chain(&options.columns).next() {
        Some(name) => Err(problem(
            path,
            format!("is an NPY file and has no column {name}: give the scene as .csv"),
        )),
        None => Ok(()),
    }
}
