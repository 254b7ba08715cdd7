//! Scenes and results as files: CSV and NPY, chosen by the file's ending.
//!
//! A scene is a table of boxes with the columns `cx cy cz` (center), `hx hy hz` (half extents) and `qx qy qz qw`
//! (rotation), all `f32`.
//!
//! - `.npy`: `float32` of shape (N, 10) in C order, the columns in the order above.
//! - `.csv`: a header row names the columns, in any order. `id`, `frame` and the rules `memberships`, `filter`, `owner`,
//!   `world` and `static` are used where they are there; other columns are ignored.
//! - `.csv` of upright cuboids: `x0 y0 x1 y1 x2 y2 x3 y3 z_min z_max` in the place of those columns: the corners in plan, in
//!   any order, as [`Upright::from_corners`](crate::Upright::from_corners) takes them. They are read in `f64`, and become a box whose
//!   numbers are rounded to `f32` once (`Obb::from`), so that surfaces may move by some 1e-7 of the size and the coordinates.
//!
//! Every error is an [`Error::File`] of one line: the file, what is wrong, the first bad row (its line
//! in a CSV file, its index from 0 in an NPY file), how many rows are bad, and what to do.
//!
//! Files are written beside their final place and renamed when they are complete, so that nobody ever sees a part of one.

mod csv;
mod form;
mod npy;
mod output;
mod rows;

use std::path::Path;

use crate::base::error::{Error, Result};
use crate::files::output::{Staged, stage};
use crate::geometry::pair::Pair;
use crate::narrow_phase::obb_obb::contacts::Contacts;
use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::outputs::adjacency_cpu::Adjacency;
use crate::regions::room::Enclosure;
use crate::rules::model::{BoxSet, Rules};
use crate::shapes::obb::record::Obb;

/// The columns of a box, in the order of an NPY row.
const COLUMNS: [&str; 10] = ["cx", "cy", "cz", "hx", "hy", "hz", "qx", "qy", "qz", "qw"];

/// The columns of an upright cuboid, in CSV files.
const UPRIGHT_COLUMNS: [&str; 10] = ["x0", "y0", "x1", "y1", "x2", "y2", "x3", "y3", "z_min", "z_max"];

/// The numbers of a box, in the order of [`COLUMNS`].
fn numbers_of(obb: &Obb) -> [f32; 10] {
    let ([cx, cy, cz], [hx, hy, hz]) = (obb.center.to_array(), obb.half_extents.to_array());
    let [qx, qy, qz, qw] = obb.rotation.to_array();
    [cx, cy, cz, hx, hy, hz, qx, qy, qz, qw]
}

/// The boxes of a file and their ids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneFile {
    /// The boxes, in the file's order.
    pub boxes: Vec<Obb>,
    /// The id of each box where the file has an `id` column; else a box's id is its row number, from 0.
    pub ids: Option<Vec<u32>>,
    /// The owner of each box where the file has an `owner` column; a field that is empty is [`NO_OWNER`](crate::NO_OWNER).
    pub owners: Option<Vec<u32>>,
    /// The world of each box where the file has a `world` column.
    pub worlds: Option<Vec<u32>>,
    /// Whether each box is static, where the file has a `static` column of 0 and 1.
    pub statics: Option<Vec<bool>>,
}

impl SceneFile {
    /// The boxes with the rules that the file has about them.
    pub fn set(&self) -> BoxSet<'_> {
        BoxSet::new(&self.boxes).with(Rules {
            owners: self.owners.as_deref(),
            worlds: self.worlds.as_deref(),
            statics: self.statics.as_deref(),
            ..Rules::default()
        })
    }

    /// The id of the box at a position of [`SceneFile::boxes`].
    ///
    /// # Panics
    /// If there is no box at `index`.
    pub fn id_of(&self, index: usize) -> u32 {
        match &self.ids {
            Some(ids) => ids[index],
            None => {
                assert!(index < self.boxes.len(), "box {index} of {}", self.boxes.len());
                index as u32
            }
        }
    }

    /// Pairs of a position in this file and one in another, as pairs of ids, sorted.
    /// O(p log p) if one of the files has ids.
    ///
    /// # Panics
    /// If a pair names a box that is not there.
    pub fn pairs_of_ids_with(&self, other: &Self, pairs: &[Pair]) -> Vec<Pair> {
        let id_pair = |pair: &Pair| Pair {
            a: self.id_of(pair.a as usize),
            b: other.id_of(pair.b as usize),
        };
        let mut pairs: Vec<Pair> = pairs.iter().map(id_pair).collect();
        pairs.sort_unstable();
        pairs
    }

    /// Pairs of positions, such as [`Report::pairs`](crate::Report::pairs), as pairs of ids: the smaller id first, sorted.
    /// O(p log p) if the file has ids.
    ///
    /// # Panics
    /// If a pair names a box that is not there.
    pub fn pairs_of_ids(&self, pairs: &[Pair]) -> Vec<Pair> {
        let id_pair = |pair: &Pair| Pair::new(self.id_of(pair.a as usize), self.id_of(pair.b as usize));
        let mut pairs: Vec<Pair> = pairs.iter().map(id_pair).collect();
        pairs.sort_unstable();
        pairs
    }
}

/// The kinds of files, by their endings.
#[derive(Clone, Copy)]
enum Format {
    Csv,
    Npy,
}

impl Format {
    fn of(path: &Path) -> Result<Self> {
        let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
        match ending.to_str() {
            Some("csv") => Ok(Self::Csv),
            Some("npy") => Ok(Self::Npy),
            _ => Err(problem(path, "has no known ending: name it .csv or .npy")),
        }
    }
}

/// An error about a file.
fn problem(path: &Path, problem: impl Into<String>) -> Error {
    Error::File {
        path: path.display().to_string(),
        problem: problem.into(),
    }
}

/// A file that the system does not let us read.
fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    problem(
        path,
        format!("cannot be read ({error}): check the path and its permissions"),
    )
}

/// The bad rows of a file: the first in words, and how many there are.
#[derive(Default)]
struct BadRows {
    first: Option<String>,
    count: usize,
}

impl BadRows {
    /// Counts a bad row; `describe` says which row it is and what is wrong, and is called for the first only.
    fn add(&mut self, describe: impl FnOnce() -> String) {
        self.count += 1;
        self.first.get_or_insert_with(describe);
    }

    /// The error that the bad rows make, if there are any.
    fn check(self, path: &Path) -> Result<()> {
        match (self.first, self.count) {
            (None, _) => Ok(()),
            (Some(first), 1) => Err(problem(path, format!("{first} (1 bad row in all): mend or remove it"))),
            (Some(first), count) => Err(problem(
                path,
                format!("{first} ({count} bad rows in all): mend or remove them"),
            )),
        }
    }
}

/// Reads a scene; `-` is CSV from stdin. `frame` picks one frame of a file with a `frame` column; other frames are then
/// not looked at. O(n).
///
/// # Errors
/// [`Error::File`] for a file that cannot be read or has an unknown ending; for missing or doubled
/// columns, a wrong shape, order or type, data that is cut off; for rows with too few or too many columns, numbers that are
/// none, boxes that [`Obb::problem`] and cuboids that [`Upright`](crate::Upright) rejects, and ids seen before in the frame; for several frames where none is picked, and
/// for a frame that is not there. [`Error::OutOfMemory`] if an NPY file's boxes do not fit.
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

/// Whether results can be written to a path, to be asked before the work that makes them: its ending is `.csv` or `.npy`,
/// its folder is there, and it is no folder itself.
///
/// # Errors
/// [`Error::File`] if not.
pub fn check_output_path(path: &Path) -> Result<()> {
    Format::of(path)?;
    output::check_place(path)
}

/// [`check_output_path`] for [`write_rows`], which adds the endings itself.
///
/// # Errors
/// [`Error::File`] if the folder is not there, or one of the two files is a folder.
pub fn check_rows_path(path: &Path) -> Result<()> {
    rows::paths(path).iter().try_for_each(|path| output::check_place(path))
}

/// Writes a scene, so that reading it gives the same boxes to the last bit. A CSV file has the columns `memberships` and
/// `filter` if some box is not in all groups.
///
/// # Errors
/// [`Error::File`] if the file cannot be written, or is to be `.npy`, which has no place for groups,
/// and some box is not in all groups.
pub fn write_scene(path: &Path, boxes: &[Obb]) -> Result<()> {
    let grouped = boxes.iter().any(|obb| obb.memberships & obb.filter != u32::MAX);
    match Format::of(path)? {
        Format::Csv => stage(path, |out| csv::write_scene(out, boxes, grouped)),
        Format::Npy if grouped => Err(problem(path, "cannot hold the groups of the boxes: write a .csv file")),
        Format::Npy => stage(path, |out| npy::write_scene(out, boxes)),
    }
    .and_then(Staged::commit)
}

/// Writes pairs as they are given, in ids: CSV with the header `a,b`, or NPY `uint32` of shape (P, 2).
///
/// # Errors
/// [`Error::File`] if the file cannot be written or has an unknown ending.
pub fn write_pairs(path: &Path, pairs: &[Pair]) -> Result<()> {
    match Format::of(path)? {
        Format::Csv => stage(path, |out| csv::write_pairs(out, pairs)),
        Format::Npy => stage(path, |out| npy::write_pairs(out, pairs)),
    }
    .and_then(Staged::commit)
}

/// Writes pairs with their distances and closest points, as they are given, in ids: CSV with the header
/// `a,b,distance,pax,pay,paz,pbx,pby,pbz`. Numbers are written with as many digits as it takes to read the same `f64`.
///
/// # Errors
/// [`Error::File`] if the file cannot be written, or is not to be `.csv`.
pub fn write_distances(path: &Path, rows: &[(Pair, ClosestPoints)]) -> Result<()> {
    check_distances_path(path)?;
    stage(path, |out| csv::write_distances(out, rows)).and_then(Staged::commit)
}

/// Writes the contacts of pairs, which are given in ids, a row a point: CSV with the header
/// `a,b,point,nx,ny,nz,depth,pax,pay,paz,pbx,pby,pbz,feature_a,feature_b`. Points count from 0 in each pair; features are written
/// as [`Feature`](crate::Feature) says. Numbers are written with as many digits as it takes to read the same `f64`.
///
/// # Errors
/// [`Error::File`] if the file cannot be written, or is not to be `.csv`.
pub fn write_contacts(path: &Path, pairs: &[Pair], contacts: &Contacts) -> Result<()> {
    check_contacts_path(path)?;
    stage(path, |out| csv::write_contacts(out, pairs, contacts)).and_then(Staged::commit)
}

/// [`check_output_path`] for [`write_contacts`], which writes CSV only.
///
/// # Errors
/// [`Error::File`] if not.
pub fn check_contacts_path(path: &Path) -> Result<()> {
    match Format::of(path)? {
        Format::Csv => output::check_place(path),
        Format::Npy => Err(problem(path, "cannot hold contacts: name it .csv")),
    }
}

/// [`check_output_path`] for [`write_distances`], which writes CSV only.
///
/// # Errors
/// [`Error::File`] if not.
pub fn check_distances_path(path: &Path) -> Result<()> {
    match Format::of(path)? {
        Format::Csv => output::check_place(path),
        Format::Npy => Err(problem(path, "cannot hold distances: name it .csv")),
    }
}

/// Writes every box's degree: CSV with the header `id,degree`, an id being the position where there are no `ids`; or NPY
/// `uint32` of shape (N), in the order of the boxes.
///
/// # Errors
/// [`Error::File`] if the file cannot be written or has an unknown ending.
pub fn write_degrees(path: &Path, ids: Option<&[u32]>, degrees: &[u32]) -> Result<()> {
    match Format::of(path)? {
        Format::Csv => stage(path, |out| csv::write_degrees(out, ids, degrees)),
        Format::Npy => stage(path, |out| npy::write_numbers(out, degrees)),
    }
    .and_then(Staged::commit)
}

/// Writes how every box lies to a room: CSV with the header `id,state,walls`, an id being the position where there are no
/// `ids`, and the state one of `inside`, `crossing` and `outside`.
///
/// # Errors
/// [`Error::File`] if the file cannot be written, or is no `.csv`.
pub fn write_enclosures(path: &Path, ids: Option<&[u32]>, enclosures: &[Enclosure]) -> Result<()> {
    match Format::of(path)? {
        Format::Csv => stage(path, |out| csv::write_enclosures(out, ids, enclosures))?.commit(),
        Format::Npy => Err(problem(path, "cannot hold states as words: write a .csv file")),
    }
}

/// Writes the partners of every box as two NPY files, named by adding `.offsets.npy` and `.neighbours.npy` to the path.
///
/// The partners of the box at position `i` are `neighbours[offsets[i]..offsets[i + 1]]`, as positions, ascending.
/// Neighbours are `uint32`; the N + 1 offsets are `uint32` too, or `uint64` where the neighbours are more than 2^32 - 1.
///
/// # Errors
/// [`Error::File`] if a file cannot be written.
pub fn write_rows(path: &Path, adjacency: &Adjacency) -> Result<()> {
    let [offsets_path, neighbours_path] = rows::paths(path);
    let offsets = stage(&offsets_path, |out| match rows::short_offsets(adjacency) {
        Some(offsets) => npy::write_numbers(out, &offsets),
        None => npy::write_numbers(out, adjacency.offsets()),
    })?;
    let neighbours = stage(&neighbours_path, |out| npy::write_numbers(out, adjacency.neighbours()))?;
    offsets.commit()?;
    neighbours.commit()
}
