//! The elements of several mesh files that overlap, touch, contain one another or are near.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    time::Instant,
};

use obbligato::{
    Checker, Config,
    glam::DVec3,
    mesh::{MeshBody, MeshPair, MeshRelation, MeshScene},
    report::Engine,
    shape::{Pose, Triangle},
};
use obbligato_files::{BcfCounts, Kind, MeshClash, MeshFile, MeshPart, ResultFile, Table, output::is_stdout};
use serde_json::{Value, json};

use crate::{
    args::mesh::MeshArguments,
    check::summary::{topics, topics_in_words},
    engine,
    failure::{Failure, note},
    json,
    mesh::{
        bcf::{Bcf, Elements, expect_guids},
        shared::{begin, read_all, triangles_in_words},
    },
    output::{self, shown},
    progress::Progress,
    table::{facts, grouped},
};

/// The kinds of clashes, in the order of the report.
const KINDS: [Kind; 4] = [Kind::Overlap, Kind::Touch, Kind::Contain, Kind::Near];

pub fn run(arguments: &MeshArguments) -> Result<(), Failure> {
    let config = Config {
        margin: arguments.clearance,
        ..arguments.search.config()?
    };
    let first = [Some(&arguments.file), arguments.other.as_ref()].into_iter().flatten();
    let inputs = files(first.chain(&arguments.more))?;
    let inputs: Vec<&Path> = inputs.iter().map(|path| &**path).collect();
    let path = arguments.clashes.as_deref();
    let mut out = begin(arguments, path, Table::MeshClashes, &inputs)?;
    let bcf = Bcf::new(arguments, inputs[0])?;

    let progress = Progress::spinner("reading");
    let start = Instant::now();
    let files = read_all(&inputs)?;
    let load = start.elapsed().as_secs_f64() * 1e3;
    progress.stage("building");
    let elements = elements(&inputs, &files);
    let empty = tell_empty(&elements);
    if bcf.is_some() {
        expect_guids(&elements)?;
    }
    let bodies: Vec<MeshBody> = elements.iter().map(Element::body).collect::<Result<_, _>>()?;
    let build = start.elapsed().as_secs_f64() * 1e3 - load;
    progress.stage("checking");
    let scene: Vec<_> = bodies.iter().map(|body| body.at(Pose::IDENTITY)).collect();
    let mut checker = Checker::new(config)?;
    let found = checker.check(MeshScene::new(&scene))?;
    let check = start.elapsed().as_secs_f64() * 1e3 - load - build;
    engine::warn(&checker);
    progress.stage("writing");
    let shown = Elements {
        all: &elements,
        bodies: &bodies,
        origin: files.first().map_or(DVec3::ZERO, |file| file.origin),
    };
    let topics = bcf.map(|bcf| bcf.write(shown, &found)).transpose()?;
    let clashes = clashes(&elements, &found);
    if let Some(out) = &mut out {
        out.mesh_clashes(&clashes)?;
    }
    out.map_or(Ok(()), ResultFile::finish)?;
    drop(progress);
    let report = Report {
        files: &files,
        open: bodies.iter().filter(|body| !body.is_closed()).count() as u64 - empty,
        empty,
        elements: elements.len() as u64,
        kinds: KINDS.map(|kind| clashes.iter().filter(|clash| clash.kind == kind).count() as u64),
        topics,
        clearance: arguments.clearance,
        engine: checker.engine_for(scene.len()),
        times: [("load", load), ("build", build), ("check", check)],
    };
    let outputs = [path, arguments.bcf.as_deref()].into_iter().flatten();
    let on_stdout = outputs.into_iter().find(|path| is_stdout(path));
    output::show_beside(on_stdout, arguments.json.as_ref(), || report.json(), || report.text())
}

/// A part of a file that is checked against the others.
pub struct Element<'a> {
    pub name: String,
    file: &'a MeshFile,
    part: MeshPart,
}

impl Element<'_> {
    /// Returns its name in the file.
    pub fn part_name(&self) -> &str {
        &self.part.name
    }

    fn body(&self) -> Result<MeshBody, Failure> {
        let ranges = self.part.triangles.iter().cloned();
        let triangles: Vec<Triangle> = ranges
            .flat_map(|range| self.file.triangles[range].iter().copied())
            .collect();
        Ok(MeshBody::new(&triangles)?)
    }

    /// Returns the position in the file of a triangle of the element.
    fn in_file(&self, triangle: u32) -> usize {
        let mut left = triangle as usize;
        for range in &self.part.triangles {
            if left < range.len() {
                return range.start + left;
            }
            left -= range.len();
        }
        left
    }
}

/// Returns the files of a scene: a folder stands for the meshes in it, sorted by name.
fn files<'a>(given: impl Iterator<Item = &'a PathBuf>) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in given {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let failed = |error| {
            Failure::Input(format!(
                "{}: cannot be read ({error}): check its permissions",
                shown(path)
            ))
        };
        let entries = std::fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let paths = entries.map_err(failed)?.into_iter().map(|entry| entry.path());
        let mut meshes: Vec<PathBuf> = paths.filter(|path| is_mesh(path)).collect();
        if meshes.is_empty() {
            return Err(Failure::Input(format!(
                "{}: is a folder without meshes: give one with .obj, .stl, .ply, .glb or .gltf files",
                shown(path)
            )));
        }
        meshes.sort();
        files.extend(meshes);
    }
    Ok(files)
}

fn is_mesh(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default();
    let endings = ["obj", "stl", "ply", "glb", "gltf"];
    endings.iter().any(|name| ending.eq_ignore_ascii_case(name))
}

/// Notes on stderr that some elements have no triangles, and returns their number.
fn tell_empty(elements: &[Element<'_>]) -> u64 {
    let is_empty = |element: &&Element<'_>| element.part.triangles.iter().all(std::ops::Range::is_empty);
    let mut empty = elements.iter().filter(is_empty);
    let Some(first) = empty.next() else { return 0 };
    let count = 1 + empty.count() as u64;
    note(&format!(
        "{} has no triangles and meets nothing ({count} such in all): export it again if it should have a surface",
        first.name
    ));
    count
}

/// Returns the elements of all files. Names are distinct: an object of an OBJ file may be in
/// several pieces, and other names that are already in use get a number.
fn elements<'a>(paths: &[&Path], files: &'a [MeshFile]) -> Vec<Element<'a>> {
    let mut elements: Vec<Element<'a>> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (path, file) in paths.iter().zip(files) {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let whole = || MeshPart {
            name: String::new(),
            triangles: std::iter::once(0..file.triangles.len()).collect(),
        };
        let parts = if file.parts.is_empty() {
            vec![whole()]
        } else {
            file.parts.clone()
        };
        let is_obj = path
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("obj"));
        let first = elements.len();
        for part in parts {
            let name = match (paths.len(), &*part.name) {
                (_, "") => stem.clone().into_owned(),
                (1, name) => name.to_owned(),
                (_, name) => format!("{stem}:{name}"),
            };
            match places.get(&name) {
                Some(&place) if is_obj && place >= first => elements[place].part.triangles.extend(part.triangles),
                _ => {
                    let name = distinct(&name, &places);
                    places.insert(name.clone(), elements.len());
                    elements.push(Element { name, file, part });
                }
            }
        }
    }
    elements
}

/// Returns a name, with a number if it is already in use.
fn distinct(name: &str, places: &HashMap<String, usize>) -> String {
    let numbered = (2..).map(|number| format!("{name} ({number})"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !places.contains_key(name)).unwrap_or_default()
}

/// Returns the rows of the table, sorted by names.
fn clashes<'a>(elements: &'a [Element<'_>], found: &[MeshPair]) -> Vec<MeshClash<'a>> {
    let mut clashes: Vec<MeshClash<'a>> = found.iter().map(|found| clash(elements, found)).collect();
    clashes.sort_by_key(|clash| clash.names);
    clashes
}

fn clash<'a>(elements: &'a [Element<'_>], found: &MeshPair) -> MeshClash<'a> {
    let mut both = [found.pair.a, found.pair.b].map(|element| &elements[element as usize]);
    let mut triangles = found
        .triangles
        .map(|pair| [both[0].in_file(pair.a), both[1].in_file(pair.b)]);
    let mut inner = match found.relation {
        MeshRelation::AContainsB => "b",
        MeshRelation::BContainsA => "a",
        _ => "",
    };
    if both[1].name < both[0].name {
        both.reverse();
        triangles.iter_mut().for_each(|triangles| triangles.reverse());
        inner = match inner {
            "a" => "b",
            "b" => "a",
            none => none,
        };
    }
    MeshClash {
        names: both.map(|element| element.name.as_str()),
        kind: kind_of(found.relation),
        inner,
        distance: (found.triangles.is_some()).then_some(found.distance),
        triangles,
    }
}

/// Returns the kind of a clash.
pub fn kind_of(relation: MeshRelation) -> Kind {
    match relation {
        MeshRelation::Overlap => Kind::Overlap,
        MeshRelation::Touch => Kind::Touch,
        MeshRelation::AContainsB | MeshRelation::BContainsA => Kind::Contain,
        MeshRelation::Near => Kind::Near,
    }
}

/// The data of the report.
struct Report<'a> {
    files: &'a [MeshFile],
    elements: u64,
    /// The number of elements with open edges.
    open: u64,
    /// The number of elements without triangles.
    empty: u64,
    kinds: [u64; 4],
    topics: Option<BcfCounts>,
    clearance: f64,
    engine: Engine,
    times: [(&'static str, f64); 3],
}

impl Report<'_> {
    fn text(&self) -> String {
        let triangles: Vec<String> = self.files.iter().map(triangles_in_words).collect();
        let kinds = KINDS
            .iter()
            .zip(self.kinds)
            .map(|(kind, count)| (kind.name(), grouped(count)));
        let topics = self.topics.map(|topics| ("topics", topics_in_words(topics)));
        let times = self.times.map(|(step, time)| format!("{time:.3} ms to {step}"));
        let elements = format!("{}, {} of them open", grouped(self.elements), grouped(self.open));
        let lines: Vec<_> = [
            ("device", engine::describe(&self.engine)),
            ("triangles", triangles.join(" and ")),
            (
                "elements",
                match self.empty {
                    0 => elements,
                    empty => format!("{elements}, {} without triangles", grouped(empty)),
                },
            ),
        ]
        .into_iter()
        .chain(kinds)
        .chain(topics)
        .chain([("time", times.join(", "))])
        .collect();
        facts(&lines)
    }

    fn json(&self) -> Value {
        let triangles: Vec<usize> = self.files.iter().map(|file| file.triangles.len()).collect();
        let total: f64 = self.times.iter().map(|(_, time)| time).sum();
        let times = self.times.iter().copied().chain([("total", total)]);
        let times: Value = times
            .map(|(step, time)| (step.to_owned(), json::milliseconds(time)))
            .collect();
        let [overlap, touch, contain, near] = self.kinds;
        json!({
            "triangles": triangles,
            "elements": self.elements,
            "open_elements": self.open,
            "empty_elements": self.empty,
            "clearance": self.clearance,
            "overlap": overlap,
            "touch": touch,
            "contain": contain,
            "near": near,
            "topics": self.topics.map(topics),
            "backend": engine::backend(&self.engine),
            "adapter": engine::adapter(&self.engine),
            "driver": engine::driver(&self.engine),
            "timings_ms": times,
        })
    }
}
