//! `obbligato mesh`: where triangles of meshes meet, and which points are in a mesh.

mod inside;
mod pairs;

use std::path::Path;

use obbligato::files::{Layout, MeshFile, ResultFile, Table, read_mesh};
use obbligato::unstable::plural::plural;

use crate::cli::{
    args::mesh::MeshArguments,
    failure::{Failure, note},
    output::{self, Sink, shown},
    table::grouped,
};

pub fn run(arguments: &MeshArguments) -> Result<(), Failure> {
    match (&arguments.inside, &arguments.out) {
        (Some(points), Some(out)) => inside::run(arguments, points, out),
        _ => pairs::run(arguments),
    }
}

/// The table that is asked for, if any: checks, before the work, that everything can be written.
fn begin(
    arguments: &MeshArguments,
    path: Option<&Path>,
    table: Table,
    inputs: &[&Path],
) -> Result<Option<ResultFile>, Failure> {
    let json = arguments.json.as_ref().map(Sink::target);
    let outputs: Vec<&Path> = path.into_iter().chain(json).collect();
    output::check_paths(&outputs, inputs)?;
    let layout = Layout {
        unnamed: arguments.format.format(),
        ..Layout::default()
    };
    Ok(path.map(|path| ResultFile::new(path, table, layout)).transpose()?)
}

/// Reads a mesh, and says what of the file is not in it.
fn read(path: &Path) -> Result<MeshFile, Failure> {
    let mesh = read_mesh(path)?;
    let beside = [
        (mesh.points, "point", "points"),
        (mesh.lines, "line", "lines"),
        (mesh.unplaced, "mesh without a node", "meshes without nodes"),
    ];
    let beside = beside.into_iter().filter(|(count, ..)| *count > 0);
    let beside: Vec<String> = beside
        .map(|(count, one, many)| format!("{} {}", grouped(count), plural(count, one, many)))
        .collect();
    if !beside.is_empty() {
        note(&format!(
            "{}: {} beside the triangles are left out",
            shown(path),
            beside.join(", ")
        ));
    }
    Ok(mesh)
}

/// How many triangles a mesh has, in words.
fn triangles_in_words(mesh: &MeshFile) -> String {
    let all = grouped(mesh.triangles.len() as u64);
    match degenerate(mesh) {
        0 => all,
        count => format!("{all}, {} of them degenerate", grouped(count)),
    }
}

/// How many triangles have all corners on one line.
fn degenerate(mesh: &MeshFile) -> u64 {
    let degenerate = mesh.triangles.iter().filter(|triangle| triangle.is_degenerate());
    degenerate.count() as u64
}
