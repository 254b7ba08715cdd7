//! Writes scenes and results.

use std::path::Path;

use crate::csv::write_scene;
use crate::error::Result;
use crate::format::{ENDINGS, Format};
use crate::ids::Ids;
use crate::output::{Staged, stage};
use crate::problem::problem;
use crate::result_file::ResultFile;
use crate::result_table::{Layout, Table};
use crate::scene::{Content, SceneFile};
use crate::{npy, output, rows};
use obbligato::{
    Bodies, Pair, Rules,
    region::Enclosure,
    report::{Adjacency, Neighbours},
};
use obbligato_support::memory;

/// Checks that results can be written to a path; call it before computing them. The extension must
/// be `.csv`, `.npy` or, with the feature `parquet`, `.parquet`; the folder must exist and accept
/// new files, and the path must not be a folder itself. Temporary files that ended processes left
/// in the folder are removed.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if not.
pub fn check_output_path(path: &Path) -> Result<()> {
    Format::of_output(path, Format::Csv, ENDINGS)?;
    output::check_place(path).map(drop)
}

/// Checks that the two files of [`write_rows`] can be written, as [`check_output_path`] does. The
/// extensions are added to the path.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if the folder does not exist, or one of the two files is a
/// folder.
pub fn check_rows_path(path: &Path) -> Result<()> {
    rows::paths(path)
        .iter()
        .try_for_each(|path| output::check_place(path).map(drop))
}

/// Writes a scene. Reading it back gives the same bodies to the last bit. A CSV file has the
/// columns `memberships` and `filter` if some body is not in all groups, and `shape` and `radius`
/// unless all are boxes.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if the file cannot be written, or if it is `.npy`, which
/// cannot hold groups, capsules and spheres, and some body is not a box in all groups.
pub fn write_scene<'a>(path: &Path, bodies: impl Into<Bodies<'a>>) -> Result<()> {
    write_scene_as(path, Format::Csv, bodies)
}

/// Writes a scene as [`write_scene`] does. To stdout (`-`), a pipe or a device, it uses the format
/// `unnamed` unless the extension names another one.
///
/// # Errors
/// See [`write_scene`].
pub fn write_scene_as<'a>(path: &Path, unnamed: Format, bodies: impl Into<Bodies<'a>>) -> Result<()> {
    let content = Content {
        in_plane: false,
        bodies: bodies.into(),
        rules: Rules::default(),
        centers: None,
        motions: &[],
        ids: None,
        by_rows: None,
    };
    write_content(path, unnamed, &content)
}

/// Writes a scene with its ids, groups, rules and motions, row by row in the original order.
/// Reading it back gives the same scene, except for its [other columns](SceneFile::columns).
///
/// # Errors
/// [`Error::File`](crate::Error::File) if the file cannot be written, if it is `.npy` and the scene
/// [needs CSV](SceneFile::needs_csv), if a list of the scene does not have one entry per box, or if
/// a motion has an [uncertainty](obbligato::motion::Motion::uncertainty), for which files have no
/// column.
pub fn write_scene_file(path: &Path, scene: &SceneFile) -> Result<()> {
    if let Some((list, length)) = scene.wrong_length() {
        let boxes = scene.len();
        return Err(problem(
            path,
            format!(
                "cannot be written: {list} has length {length} but the number of bodies is {boxes}: give one entry for each"
            ),
        ));
    }
    let by_rows = scene.by_rows()?;
    write_content(path, Format::Csv, &scene.content(by_rows.as_deref()))
}

/// Checks that a scene can be written to a path, as [`check_output_path`] does for results.
/// [`write_scene_file`] writes more than the numbers of the boxes only to CSV.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if not.
pub fn check_scene_path(path: &Path, scene: &SceneFile) -> Result<()> {
    scene_format(path, Format::Csv, &scene.content(None))?;
    output::check_place(path).map(drop)
}

fn scene_format(path: &Path, unnamed: Format, content: &Content) -> Result<Format> {
    match Format::of_output(path, unnamed, ENDINGS)? {
        Format::Npy if content.bodies.only_boxes().is_none() => {
            Err(problem(path, "cannot hold spheres and capsules: name it .csv"))
        }
        Format::Npy if content.needs_csv() => Err(problem(
            path,
            "cannot hold the ids, groups and rules of the boxes, nor accelerations: name it .csv",
        )),
        _ if content.motions.iter().any(|motion| motion.uncertainty != 0.0) => Err(problem(
            path,
            "has no column for the uncertainty of motions: set it to 0",
        )),
        format => Ok(format),
    }
}

fn write_content(path: &Path, unnamed: Format, content: &Content) -> Result<()> {
    match scene_format(path, unnamed, content)? {
        Format::Csv => stage(path, |out| write_scene::write_scene(out, content)),
        Format::Npy => stage(path, |out| npy::write_scene(out, content)),
        #[cfg(feature = "parquet")]
        Format::Parquet => return crate::parquet::scene::write_scene(path, content),
    }
    .and_then(Staged::commit)
}

/// Writes pairs of numbers, such as ids, in the given order: CSV with the header `a,b`, or NPY
/// `uint32` of shape (P, 2). [`ResultFile`] writes those of boxes whose ids are texts.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if the file cannot be written or has an unknown extension.
pub fn write_pairs(path: &Path, pairs: &[Pair]) -> Result<()> {
    let mut file = ResultFile::new(path, Table::Pairs, Layout::default())?;
    file.write_pairs(None, [None; 2], pairs)?;
    file.finish()
}

/// Writes every box's degree: CSV with the header `id,degree`, where the id is the position if
/// there are no `ids`; or NPY `uint32` of shape (N), in the order of the boxes.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if the file cannot be written or has an unknown extension.
pub fn write_degrees(path: &Path, ids: Option<&Ids>, degrees: &[u32]) -> Result<()> {
    let mut file = ResultFile::new(path, Table::Degrees, Layout::default())?;
    file.write_degrees(None, ids, None, degrees)?;
    file.finish()
}

/// Writes every box's position relative to a room: CSV with the header `id,state,walls`, where the
/// id is the position in the list if there are no `ids`, and the state is `inside`, `crossing` or
/// `outside`.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if the file cannot be written or is not `.csv`.
pub fn write_enclosures(path: &Path, ids: Option<&Ids>, enclosures: &[Enclosure]) -> Result<()> {
    let mut file = ResultFile::new(path, Table::Enclosures, Layout::default())?;
    file.write_enclosures(ids, None, enclosures)?;
    file.finish()
}

/// Writes the partners of every box as two NPY files, named by adding `.offsets.npy` and
/// `.neighbours.npy` to the path.
///
/// The partners of the box at position `i` are `neighbours[offsets[i]..offsets[i + 1]]`, as
/// positions, ascending. Neighbours are `uint32`; the N + 1 offsets are `uint32` too, or `uint64`
/// if there are more than 2^32 - 1 neighbours.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if a file cannot be written.
pub fn write_rows(path: &Path, adjacency: &Adjacency) -> Result<()> {
    write_lists(path, adjacency.offsets(), adjacency.neighbours())
}

/// Writes the neighbours of every body of a scene as [`write_rows`] does, the nearest first. Bodies
/// are named and ordered by their rows in the file.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if a file cannot be written.
pub fn write_neighbours(path: &Path, scene: &SceneFile, found: &Neighbours) -> Result<()> {
    let (Some(rows), Some(bodies)) = (&scene.rows, scene.by_rows()?) else {
        return write_lists(path, found.offsets(), found.neighbours());
    };
    let (mut offsets, mut neighbours) = (Vec::new(), Vec::new());
    memory::reserve(&mut offsets, found.offsets().len(), "the neighbours by rows")?;
    memory::reserve(&mut neighbours, found.neighbours().len(), "the neighbours by rows")?;
    offsets.push(0);
    for body in bodies {
        neighbours.extend(found.row(body as usize).iter().map(|&other| rows[other as usize]));
        offsets.push(neighbours.len() as u64);
    }
    write_lists(path, &offsets, &neighbours)
}

fn write_lists(path: &Path, offsets: &[u64], neighbours: &[u32]) -> Result<()> {
    let [offsets_path, neighbours_path] = rows::paths(path);
    let short = rows::short_offsets(offsets)?;
    let offsets = stage(&offsets_path, |out| match &short {
        Some(offsets) => npy::write_numbers(out, offsets),
        None => npy::write_numbers(out, offsets),
    })?;
    let neighbours = stage(&neighbours_path, |out| npy::write_numbers(out, neighbours))?;
    offsets.commit()?;
    neighbours.commit()
}
