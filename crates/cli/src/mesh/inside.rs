//! The points in a mesh.

use std::path::Path;
use std::time::Instant;

use obbligato::{
    Error,
    region::{ClosedMesh, PointState},
    shape::Triangle,
};
use obbligato_files::{ResultFile, Table};
use serde_json::{Value, json};

use crate::{
    args::mesh::MeshArguments,
    failure::Failure,
    json,
    mesh::{
        overlaps::Overlaps,
        shared::{begin, degenerate, read_with_points, triangles_in_words},
    },
    output::{self, shown},
    progress::Progress,
    table::{facts, grouped},
};

pub fn run(arguments: &MeshArguments, points: &Path, path: &Path) -> Result<(), Failure> {
    // The result needs no device; contradictory options are still an error.
    arguments.search.config()?;
    let mut out = begin(arguments, Some(path), Table::PointStates, &[&arguments.file, points])?;
    let mut times = Times::new();
    let progress = Progress::spinner("reading");
    let (mesh, points) = read_with_points(&arguments.file, points)?;
    times.end("load");
    progress.stage("building");
    let closed = closed(arguments, &mesh.triangles)?;
    times.end("build");
    progress.stage("checking");
    let overlaps = Overlaps::of(&mesh.triangles)?;
    times.end("check");
    progress.stage("locating");
    let states = closed.locate_all(&points)?;
    times.end("locate");
    progress.stage("writing");
    if let Some(out) = &mut out {
        out.point_states(&states)?;
    }
    out.map_or(Ok(()), ResultFile::finish)?;
    drop(progress);
    overlaps.tell(&arguments.file);

    let count = |wanted| states.iter().filter(|state| **state == wanted).count() as u64;
    let counts = [
        ("points", states.len() as u64),
        ("inside", count(PointState::Inside)),
        ("outside", count(PointState::Outside)),
        ("surface", count(PointState::Surface)),
    ];
    let text = || {
        let triangles = [("triangles", triangles_in_words(&mesh))];
        let counts = counts.iter().map(|&(name, count)| (name, grouped(count)));
        let lines: Vec<_> = triangles
            .into_iter()
            .chain(counts)
            .chain([("time", times.in_words())])
            .collect();
        facts(&lines)
    };
    let json = || {
        let [points, inside, outside, surface] = counts.map(|(_, count)| count);
        json!({
            "triangles": [mesh.triangles.len()],
            "degenerate_triangles": [degenerate(&mesh)],
            "doubled_triangles": overlaps.doubled,
            "coinciding_pairs": overlaps.coinciding,
            "crossing_pairs": overlaps.crossing,
            "points": points,
            "inside": inside,
            "outside": outside,
            "surface": surface,
            "backend": "cpu",
            "timings_ms": times.json(),
        })
    };
    output::show_beside(Some(path), arguments.json.as_ref(), json, text)
}

/// Builds the mesh to search.
fn closed(arguments: &MeshArguments, triangles: &[Triangle]) -> Result<ClosedMesh, Failure> {
    ClosedMesh::with_rule(triangles, arguments.inside_rule.rule()).map_err(|error| match error {
        Error::OpenMesh { .. } | Error::UnlikeFaces { .. } => {
            Failure::Input(format!("{}: {error}", shown(&arguments.file)))
        }
        error => error.into(),
    })
}

/// The time of each step, in milliseconds.
struct Times {
    begun: Instant,
    steps: Vec<(&'static str, f64)>,
}

impl Times {
    fn new() -> Self {
        Self {
            begun: Instant::now(),
            steps: Vec::new(),
        }
    }

    /// Ends a step, and begins the next.
    fn end(&mut self, step: &'static str) {
        let time = std::mem::replace(&mut self.begun, Instant::now()).elapsed();
        self.steps.push((step, time.as_secs_f64() * 1e3));
    }

    fn in_words(&self) -> String {
        let steps = self.steps.iter().map(|(step, time)| format!("{time:.3} ms to {step}"));
        steps.collect::<Vec<_>>().join(", ")
    }

    fn json(&self) -> Value {
        let total: f64 = self.steps.iter().map(|(_, time)| time).sum();
        let steps = self.steps.iter().copied().chain([("total", total)]);
        steps
            .map(|(step, time)| (step.to_owned(), json::milliseconds(time)))
            .collect()
    }
}
