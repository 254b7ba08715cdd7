//! Scenes and meshes as files.

use std::path::PathBuf;

use numpy::IntoPyArray;
use obbligato::motion::Motion;
use obbligato::{Bodies, Error as EngineError};
use obbligato_files::{Error, Id, Ids, ReadOptions, SceneFile, Texts};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{pairs_of, rows_of_two, table};
use crate::bodies::{Centers, Room, capsule_rows, sphere_rows};
use crate::boxes::{rows, rows64};
use crate::errors::{own_class, raise};
use crate::motions::motions as motions_of;
use crate::rules::Held;
use crate::threads::detached;

/// The exception for an error about a file.
pub fn raise_file(error: Error) -> PyErr {
    match error {
        Error::Engine(error) => raise(error),
        other => Python::attach(|py| own_class(py, "FileError", "File", &other.to_string())),
    }
}

/// Runs `work` as [`detached`] does.
fn on_files<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> obbligato_files::Result<T> + Send + 'static,
) -> PyResult<T> {
    detached(py, usize::MAX, || Ok::<_, EngineError>(work()))?.map_err(raise_file)
}

/// Reads a scene: a dictionary of the arrays that `obbligato.read` makes bodies of.
#[pyfunction]
#[pyo3(signature = (path, frame=None, id_column=None, motions=false, double=false))]
pub fn read_scene(
    py: Python<'_>,
    path: PathBuf,
    frame: Option<i64>,
    id_column: Option<String>,
    motions: bool,
    double: bool,
) -> PyResult<Bound<'_, PyDict>> {
    let options = ReadOptions {
        frame,
        id_column,
        motions,
        f64: double,
        ..ReadOptions::default()
    };
    let scene = on_files(py, move || obbligato_files::read_scene_with(&path, &options))?;
    let fields = PyDict::new(py);
    match &scene.centers {
        Some(_) => fields.set_item("boxes", table(py, rows64(&scene.boxes64().map_err(raise_file)?))?)?,
        None => fields.set_item("boxes", table(py, rows(&scene.boxes))?)?,
    }
    fields.set_item("capsules", table(py, capsule_rows(&scene.capsules))?)?;
    fields.set_item("spheres", table(py, sphere_rows(&scene.spheres))?)?;
    set_ids(&fields, &scene)?;
    fields.set_item("rules", rules_of(py, &scene)?)?;
    if let Some(motions) = &scene.motions {
        fields.set_item("motions", table(py, motions.iter().map(row_of_motion).collect())?)?;
    }
    fields.set_item("in_plane", scene.in_plane)?;
    Ok(fields)
}

/// Sets the ids of a scene whose ids are not positions.
fn set_ids(fields: &Bound<'_, PyDict>, scene: &SceneFile) -> PyResult<()> {
    if scene.ids.is_none() && scene.rows.is_none() {
        return Ok(());
    }
    let ids = (0..scene.len()).map(|k| scene.id_of(k));
    let numbers: Option<Vec<u32>> = ids
        .clone()
        .map(|id| match id {
            Id::Number(number) => Some(number),
            Id::Text(_) => None,
        })
        .collect();
    match numbers {
        Some(numbers) => fields.set_item("ids", numbers.into_pyarray(fields.py())),
        None => fields.set_item("ids", ids.map(|id| id.to_string()).collect::<Vec<_>>()),
    }
}

/// The rules of a scene, by name.
fn rules_of<'py>(py: Python<'py>, scene: &SceneFile) -> PyResult<Bound<'py, PyDict>> {
    let rules = PyDict::new(py);
    let lists = [("owners", &scene.owners), ("worlds", &scene.worlds)];
    for (name, list) in lists {
        if let Some(list) = list {
            rules.set_item(name, list.clone().into_pyarray(py))?;
        }
    }
    if let Some(statics) = &scene.statics {
        rules.set_item("statics", statics.clone().into_pyarray(py))?;
    }
    let groups = |scene: &SceneFile| -> Vec<[u32; 2]> {
        let bodies = scene.bodies();
        (0..bodies.len() as u32).map(|k| bodies.at(k).groups()).collect()
    };
    let groups = scene.groups.clone().unwrap_or_else(|| groups(scene));
    if groups.iter().any(|&group| group != [u32::MAX; 2]) {
        rules.set_item("groups", table(py, groups)?)?;
    }
    Ok(rules)
}

/// The numbers of a motion as a row.
pub fn row_of_motion(motion: &Motion) -> [f32; 10] {
    let three = [motion.velocity, motion.angular_velocity, motion.acceleration].map(|vector| vector.to_array());
    let [[vx, vy, vz], [wx, wy, wz], [ax, ay, az]] = three;
    [vx, vy, vz, wx, wy, wz, ax, ay, az, motion.uncertainty]
}

/// Reads a mesh: (N, 9) float32, the corners of its triangles, the origin that was subtracted from
/// them, and notes on other contents.
#[pyfunction]
pub fn read_triangles(py: Python<'_>, path: PathBuf) -> PyResult<(Bound<'_, PyAny>, [f64; 3], Vec<String>)> {
    let mesh = on_files(py, move || obbligato_files::read_mesh(&path))?;
    let notes = mesh.notes.iter().map(|note| note.to_string()).collect();
    let corners = bytemuck::cast_vec::<_, [f32; 9]>(mesh.triangles);
    Ok((table(py, corners)?.into_any(), mesh.origin.to_array(), notes))
}

/// Writes bodies with ids, rules and motions.
#[pyfunction]
#[pyo3(signature = (path, bodies, motions=None))]
pub fn write_scene(
    py: Python<'_>,
    path: PathBuf,
    bodies: &Bound<'_, PyAny>,
    motions: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let mut held = Held::new("bodies", bodies, None, Centers::F64Too)?;
    let moves = motions.map(|motions| motions_of("motions", motions)).transpose()?;
    let ids = held.ids.take().map(|ids| ids_of(ids.bind(py))).transpose()?;
    on_files(py, move || {
        let centers = held.shapes.centers();
        let mut room = Room::default();
        let Bodies {
            boxes,
            capsules,
            spheres,
        } = held.shapes.bodies(&mut room)?;
        let rules = held.rules();
        let scene = SceneFile {
            boxes: boxes.to_vec(),
            centers,
            capsules: capsules.to_vec(),
            spheres: spheres.to_vec(),
            ids,
            groups: rules.groups.map(<[_]>::to_vec),
            owners: rules.owners.map(<[_]>::to_vec),
            worlds: rules.worlds.map(<[_]>::to_vec),
            statics: rules.statics.map(<[_]>::to_vec),
            motions: moves,
            ..SceneFile::default()
        };
        obbligato_files::write_scene_file(&path, &scene)
    })
}

/// Ids of whole numbers or texts.
fn ids_of(ids: &Bound<'_, PyAny>) -> PyResult<Ids> {
    let list = ids.call_method0("tolist")?;
    if let Ok(numbers) = list.extract::<Vec<u32>>() {
        return Ok(Ids::Numbers(numbers));
    }
    let mut texts = Texts::default();
    for id in list.try_iter()? {
        texts.push(&id?.str()?.to_string()).map_err(raise_file)?;
    }
    Ok(Ids::Texts(texts))
}

/// Writes bytes as a file, whole or not at all.
#[pyfunction]
pub fn write_bytes(py: Python<'_>, path: PathBuf, bytes: &[u8]) -> PyResult<()> {
    let bytes = bytes.to_vec();
    on_files(py, move || obbligato_files::output::write_bytes(&path, &bytes))
}

/// Writes pairs.
#[pyfunction]
pub fn write_pairs(py: Python<'_>, path: PathBuf, pairs: &Bound<'_, PyAny>) -> PyResult<()> {
    let pairs = rows_of_two("pairs", pairs)?;
    on_files(py, move || obbligato_files::write_pairs(&path, pairs_of(&pairs)))
}
