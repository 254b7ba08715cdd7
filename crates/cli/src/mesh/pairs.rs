//! The pairs of triangles that meet.

use std::path::Path;
use std::time::Instant;

use obbligato::{Checker, Query, Report};
use obbligato_files::{MeshFile, ResultFile, Table};
use serde_json::{Value, json};

use crate::{
    args::mesh::{MeshArguments, Neighbours},
    engine,
    failure::Failure,
    json,
    mesh::shared::{begin, degenerate, read_all, triangles_in_words},
    output,
    progress::Progress,
    table::{facts, grouped},
};

pub fn run(arguments: &MeshArguments) -> Result<(), Failure> {
    let config = arguments.search.config()?;
    let inputs: Vec<&Path> = [Some(&arguments.file), arguments.other.as_ref()]
        .into_iter()
        .flatten()
        .map(|path| &**path)
        .collect();
    let path = arguments.pairs.as_deref();
    let mut out = begin(arguments, path, Table::Pairs, &inputs)?;

    let progress = Progress::spinner("reading");
    let start = Instant::now();
    let meshes = read_all(&inputs)?;
    let load = start.elapsed().as_secs_f64() * 1e3;
    progress.stage("checking");
    let mut checker = Checker::new(config)?;
    let triangles = &meshes[0].triangles;
    let report = checker.check(match (meshes.get(1), arguments.neighbours) {
        (Some(other), _) => Query::between(triangles, &other.triangles),
        (None, Neighbours::Crossing) => Query::mesh(triangles),
        (None, Neighbours::None) => Query::mesh_without_neighbours(triangles),
    })?;
    engine::warn(&checker);
    progress.stage("writing");
    if let Some(out) = &mut out {
        out.pairs_of_positions(report.pairs()?)?;
    }
    out.map_or(Ok(()), ResultFile::finish)?;
    let found = Found {
        sum: report.checksum()?,
        meshes,
        report,
        load,
    };
    drop(progress);
    output::show_beside(path, arguments.json.as_ref(), || found.json(), || found.text())
}

/// The data of the report.
struct Found {
    meshes: Vec<MeshFile>,
    report: Report,
    sum: u64,
    /// Milliseconds to read the files.
    load: f64,
}

impl Found {
    /// Returns the report as text.
    fn text(&self) -> String {
        let report = &self.report;
        let triangles: Vec<String> = self.meshes.iter().map(triangles_in_words).collect();
        let time = report.timings.total;
        let lines = [
            ("device", engine::describe(&report.engine)),
            ("triangles", triangles.join(" against ")),
            ("candidate pairs", grouped(report.candidate_pairs)),
            ("colliding pairs", grouped(report.colliding_pairs)),
            ("checksum", format!("{:016x}", self.sum)),
            ("time", format!("{time:.3} ms, and {:.3} ms to read", self.load)),
        ];
        facts(&lines)
    }

    /// Returns the report as JSON.
    fn json(&self) -> Value {
        let report = &self.report;
        let triangles: Vec<usize> = self.meshes.iter().map(|mesh| mesh.triangles.len()).collect();
        let degenerate: Vec<u64> = self.meshes.iter().map(degenerate).collect();
        json!({
            "triangles": triangles,
            "degenerate_triangles": degenerate,
            "candidate_pairs": report.candidate_pairs,
            "colliding_pairs": report.colliding_pairs,
            "checksum": json::checksum(self.sum),
            "complete": report.complete,
            "backend": engine::backend(&report.engine),
            "adapter": engine::adapter(&report.engine),
            "driver": engine::driver(&report.engine),
            "broad_phase": json::broad_phase(report.broad_phase),
            "timings_ms": json::steps(self.load, &report.timings),
        })
    }
}
