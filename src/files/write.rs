//! Writing scenes and results.

use std::path::Path;

use crate::base::error::Result;
use crate::engine::query::BoxSet;
use crate::files::format::Format;
use crate::files::output::{Staged, stage};
use crate::files::problem::problem;
use crate::files::scene::{SceneFile, needs_csv};
use crate::files::{csv, npy, output, rows};
use crate::geometry::pair::Pair;
use crate::narrow_phase::obb_obb::contacts::Contacts;
use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::outputs::adjacency_cpu::Adjacency;
use crate::regions::room::Enclosure;
use crate::shapes::obb::record::Obb;

/// Checks whether results can be written to a path; call it before the work that computes them. The extension must be
/// `.csv` or `.npy`, the folder must exist and take new files, and the path must not be a folder itself. Temporary files
/// that ended processes left in the folder are removed.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if not.
pub fn check_output_path(path: &Path) -> Result<()> {
    Format::of(path)?;
    output::check_place(path).map(drop)
}

/// [`check_output_path`] for [`write_rows`], which adds the extensions itself.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if the folder does not exist, or one of the two files is a folder.
pub fn check_rows_path(path: &Path) -> Result<()> {
    rows::paths(path)
        .iter()
        .try_for_each(|path| output::check_place(path).map(drop))
}

/// Writes a scene. Reading it back gives the same boxes to the last bit. A CSV file has the columns `memberships` and
/// `filter` if some box is not in all groups.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if the file cannot be written, or if it is `.npy`, which cannot hold
/// groups, and some box is not in all groups.
pub fn write_scene(path: &Path, boxes: &[Obb]) -> Result<()> {
    write_set(path, &BoxSet::new(boxes), None)
}

/// Writes a scene with its ids, groups and rules. Reading it back gives the same scene.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if the file cannot be written, or if it is `.npy` and the scene
/// [needs CSV](SceneFile::needs_csv), or if a list of the scene has not one entry per box.
pub fn write_scene_file(path: &Path, scene: &SceneFile) -> Result<()> {
    if let Some((list, length)) = scene.wrong_length() {
        let boxes = scene.boxes.len();
        return Err(problem(
            path,
            format!(
                "cannot be written: {list} has length {length} but the number of boxes is {boxes}: give one entry per box"
            ),
        ));
    }
    write_set(path, &scene.set(), scene.ids.as_deref())
}

/// [`check_output_path`] for [`write_scene_file`], which puts more than the numbers of the boxes into CSV only.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if not.
pub fn check_scene_path(path: &Path, scene: &SceneFile) -> Result<()> {
    scene_format(path, &scene.set(), scene.ids.as_deref())?;
    output::check_place(path).map(drop)
}

fn scene_format(path: &Path, set: &BoxSet, ids: Option<&[u32]>) -> Result<Format> {
    match Format::of(path)? {
        Format::Npy if needs_csv(set, ids) => Err(problem(
            path,
            "cannot hold the ids, groups and rules of the boxes: name it .csv",
        )),
        format => Ok(format),
    }
}

fn write_set(path: &Path, set: &BoxSet, ids: Option<&[u32]>) -> Result<()> {
    match scene_format(path, set, ids)? {
        Format::Csv => stage(path, |out| csv::write_scene(out, set, ids)),
        Format::Npy => stage(path, |out| npy::write_scene(out, set.boxes)),
    }
    .and_then(Staged::commit)
}

/// Writes pairs of ids in the given order: CSV with the header `a,b`, or NPY `uint32` of shape (P, 2).
///
/// # Errors
/// [`Error::File`](crate::Error::File) if the file cannot be written or has an unknown extension.
pub fn write_pairs(path: &Path, pairs: &[Pair]) -> Result<()> {
    match Format::of(path)? {
        Format::Csv => stage(path, |out| csv::write_pairs(out, pairs)),
        Format::Npy => stage(path, |out| npy::write_pairs(out, pairs)),
    }
    .and_then(Staged::commit)
}

/// Writes pairs of ids with their distances and closest points, in the given order: CSV with the header
/// `a,b,distance,pax,pay,paz,pbx,pby,pbz`. Numbers have as many digits as it takes to read the same `f64` back.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if the file cannot be written or is not `.csv`.
pub fn write_distances(path: &Path, rows: &[(Pair, ClosestPoints)]) -> Result<()> {
    check_distances_path(path)?;
    stage(path, |out| csv::write_distances(out, rows)).and_then(Staged::commit)
}

/// Writes the contacts of pairs of ids, one row per point: CSV with the header
/// `a,b,point,nx,ny,nz,depth,pax,pay,paz,pbx,pby,pbz,feature_a,feature_b`. Points count from 0 in each pair; for how
/// features are written, see [`Feature`](crate::Feature). Numbers have as many digits as it takes to read the same
/// `f64` back.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if the file cannot be written or is not `.csv`.
pub fn write_contacts(path: &Path, pairs: &[Pair], contacts: &Contacts) -> Result<()> {
    check_contacts_path(path)?;
    stage(path, |out| csv::write_contacts(out, pairs, contacts)).and_then(Staged::commit)
}

/// [`check_output_path`] for [`write_contacts`], which writes CSV only.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if not.
pub fn check_contacts_path(path: &Path) -> Result<()> {
    match Format::of(path)? {
        Format::Csv => output::check_place(path).map(drop),
        Format::Npy => Err(problem(path, "cannot hold contacts: name it .csv")),
    }
}

/// [`check_output_path`] for [`write_distances`], which writes CSV only.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if not.
pub fn check_distances_path(path: &Path) -> Result<()> {
    match Format::of(path)? {
        Format::Csv => output::check_place(path).map(drop),
        Format::Npy => Err(problem(path, "cannot hold distances: name it .csv")),
    }
}

/// Writes every box's degree: CSV with the header `id,degree`, where the id is the position if there are no `ids`; or
/// NPY `uint32` of shape (N), in the order of the boxes.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if the file cannot be written or has an unknown extension.
pub fn write_degrees(path: &Path, ids: Option<&[u32]>, degrees: &[u32]) -> Result<()> {
    match Format::of(path)? {
        Format::Csv => stage(path, |out| csv::write_degrees(out, ids, degrees)),
        Format::Npy => stage(path, |out| npy::write_numbers(out, degrees)),
    }
    .and_then(Staged::commit)
}

/// Writes every box's position relative to a room: CSV with the header `id,state,walls`, where the id is the position
/// in the list if there are no `ids`, and the state is `inside`, `crossing` or `outside`.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if the file cannot be written or is not `.csv`.
pub fn write_enclosures(path: &Path, ids: Option<&[u32]>, enclosures: &[Enclosure]) -> Result<()> {
    match Format::of(path)? {
        Format::Csv => stage(path, |out| csv::write_enclosures(out, ids, enclosures))?.commit(),
        Format::Npy => Err(problem(path, "cannot hold states as text: write a .csv file")),
    }
}

/// Writes the partners of every box as two NPY files, named by adding `.offsets.npy` and `.neighbours.npy` to the path.
///
/// The partners of the box at position `i` are `neighbours[offsets[i]..offsets[i + 1]]`, as positions, ascending.
/// Neighbours are `uint32`; the N + 1 offsets are `uint32` too, or `uint64` if there are more than 2^32 - 1 neighbours.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if a file cannot be written.
pub fn write_rows(path: &Path, adjacency: &Adjacency) -> Result<()> {
    let [offsets_path, neighbours_path] = rows::paths(path);
    let short = rows::short_offsets(adjacency)?;
    let offsets = stage(&offsets_path, |out| match &short {
        Some(offsets) => npy::write_numbers(out, offsets),
        None => npy::write_numbers(out, adjacency.offsets()),
    })?;
    let neighbours = stage(&neighbours_path, |out| npy::write_numbers(out, adjacency.neighbours()))?;
    offsets.commit()?;
    neighbours.commit()
}
