//! Clashes of elements as topics of a BCF archive.

use std::path::PathBuf;

use obbligato::glam::{DVec3, Vec3};
use obbligato::shape::{Aabb, Triangle};
use obbligato::{Backend, Config, Error as EngineError, Pair};
use obbligato_files::{BcfCamera, BcfCounts, BcfFile, BcfTopic, BcfVersion, Error, Kind, bcf_priority, is_ifc_guid};
use obbligato_render::close_up::{FIELD_OF_VIEW, MeshClash, MeshCloseUps, SIZE};
use obbligato_render::{Mark, Renderer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::bodies::Listed;
use crate::errors::{own_class, raise};
use crate::files::raise_file;
use crate::mesh_scene::triangles_of;
use crate::threads::detached;

/// A topic, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Topic {
    /// The texts that identify it, and the GUIDs of its elements.
    key: Vec<String>,
    title: String,
    kind: String,
    description: String,
    /// The positions of both meshes.
    pair: [u32; 2],
    depth: Option<f64>,
    /// Relative to the origin.
    point: Option<[f32; 3]>,
    normal: Option<[f32; 3]>,
}

impl Topic {
    fn kind(&self) -> PyResult<Kind> {
        let found = Kind::ALL.into_iter().find(|kind| kind.name() == self.kind);
        found.ok_or_else(|| PyValueError::new_err(format!("there is no kind {:?}", self.kind)))
    }

    fn clash(&self, kind: Kind) -> MeshClash {
        let place = self.point.map(Vec3::from);
        MeshClash {
            pair: Pair {
                a: self.pair[0],
                b: self.pair[1],
            },
            place: place.map(|point| [Aabb::new(point, point); 2]),
            mark: match kind {
                Kind::Touch | Kind::Near => Mark::Touching,
                _ => Mark::Overlapping,
            },
            is_nested: kind == Kind::Contain,
            normal: self.normal.map_or(Vec3::ZERO, Vec3::from),
        }
    }
}

/// An archive to be written.
struct Job {
    path: PathBuf,
    triangles: Listed,
    starts: Vec<usize>,
    origin: DVec3,
    topics: Vec<(Topic, Kind)>,
    date: String,
    version: Option<BcfVersion>,
}

/// Writes clashes as topics of a BCF archive, or updates one, and returns the numbers of new,
/// changed, unchanged and closed topics. `starts` has the first triangle of each mesh, and their
/// number at its end; triangles are relative to `origin`, with z up, in metres.
#[pyfunction]
#[pyo3(signature = (path, triangles, starts, origin, topics, date, version=None))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn write_bcf(
    py: Python<'_>,
    path: PathBuf,
    triangles: &Bound<'_, PyAny>,
    starts: Vec<usize>,
    origin: [f64; 3],
    topics: Vec<Topic>,
    date: String,
    version: Option<&str>,
) -> PyResult<[u64; 4]> {
    let version = match version {
        None => None,
        Some("2.1") => Some(BcfVersion::V2_1),
        Some("3.0") => Some(BcfVersion::V3_0),
        Some(other) => return Err(PyValueError::new_err(format!("version is {other:?}: give 2.1 or 3.0"))),
    };
    if let Some(other) = topics
        .iter()
        .flat_map(|topic| &topic.key)
        .find(|guid| !is_ifc_guid(guid))
    {
        let what = format!("BCF needs IFC GUIDs of 22 characters, but {other} is not one: export the model again");
        return Err(own_class(py, "InvalidInput", "InvalidGuid", &what));
    }
    let triangles = triangles_of("triangles", triangles)?;
    let count = triangles.len();
    let are_sorted = starts.is_sorted() && starts.first() == Some(&0) && starts.last() == Some(&count);
    if !are_sorted
        || topics
            .iter()
            .flat_map(|topic| topic.pair)
            .any(|mesh| mesh as usize + 1 >= starts.len())
    {
        return Err(PyValueError::new_err("starts do not fit the triangles and the pairs"));
    }
    let kinds = topics.iter().map(Topic::kind).collect::<PyResult<Vec<_>>>()?;
    let job = Job {
        path,
        triangles,
        starts,
        origin: origin.into(),
        topics: topics.into_iter().zip(kinds).collect(),
        date,
        version,
    };
    let counts = detached(py, usize::MAX, move || Ok::<_, EngineError>(job.write()))?.map_err(raise_own)?;
    Ok([counts.new, counts.changed, counts.unchanged, counts.closed])
}

/// An error about the archive or a picture in it.
enum Problem {
    File(Error),
    Picture(obbligato_render::Error),
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self::File(error)
    }
}

impl From<obbligato_render::Error> for Problem {
    fn from(error: obbligato_render::Error) -> Self {
        Self::Picture(error)
    }
}

fn raise_own(problem: Problem) -> PyErr {
    match problem {
        Problem::File(error) => raise_file(error),
        Problem::Picture(obbligato_render::Error::Engine(error)) => raise(error),
        Problem::Picture(other) => PyValueError::new_err(other.to_string()),
    }
}

impl Job {
    fn write(self) -> Result<BcfCounts, Problem> {
        let mut file = BcfFile::begin(&self.path, self.date, self.version)?;
        let config = Config {
            backend: Backend::Cpu,
            ..Config::default()
        };
        let mut renderer = Renderer::new(&config)?;
        let all = self.triangles.triangles().unwrap_or_default();
        let meshes: Vec<&[Triangle]> = self.starts.windows(2).map(|ends| &all[ends[0]..ends[1]]).collect();
        let clashes: Vec<MeshClash> = self.topics.iter().map(|(topic, kind)| topic.clash(*kind)).collect();
        let close_ups = MeshCloseUps::new(&meshes, &clashes)?;
        for (number, (topic, kind)) in self.topics.iter().enumerate() {
            let camera = close_ups.camera(number);
            let [eye, target] = [camera.position, camera.target].map(|place| place + self.origin);
            let mut components: Vec<&str> = topic.key.iter().map(String::as_str).collect();
            components.dedup();
            let topic = BcfTopic {
                key: topic.key.iter().map(String::as_str).collect(),
                title: topic.title.clone(),
                kind: *kind,
                rule: None,
                priority: bcf_priority(*kind, topic.depth),
                description: topic.description.clone(),
                components,
                colour: clashes[number].mark.colour(),
                camera: BcfCamera::looking(eye, target, FIELD_OF_VIEW, SIZE),
            };
            let snapshot = || Ok::<_, Problem>(close_ups.draw(number, &mut renderer, SIZE)?.png()?);
            file.topic(&topic, snapshot)?;
        }
        Ok(file.finish()?)
    }
}
