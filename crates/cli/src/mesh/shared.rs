//! The common parts of both uses of `obbligato mesh`: tables, meshes and their descriptions.

use std::path::Path;

use obbligato::glam::Vec3;
use obbligato_files::{Layout, MeshFile, ResultFile, Table, read_mesh, read_mesh_and_points, read_meshes};

use crate::{
    args::mesh::MeshArguments,
    failure::{Failure, note},
    output::{self, Sink, shown},
    table::grouped,
};

/// Begins the requested table, if any, after checking that all outputs can be written.
pub fn begin(
    arguments: &MeshArguments,
    path: Option<&Path>,
    table: Table,
    inputs: &[&Path],
) -> Result<Option<ResultFile>, Failure> {
    let json = arguments.json.as_ref().map(Sink::target);
    let bcf = arguments.bcf.as_deref();
    let outputs: Vec<&Path> = path.into_iter().chain(bcf).chain(json).collect();
    output::check_paths(&outputs, inputs, &arguments.search.kept())?;
    let layout = Layout {
        unnamed: arguments.format.format(),
        ..Layout::default()
    };
    Ok(path.map(|path| ResultFile::new(path, table, layout)).transpose()?)
}

/// Reads a mesh, and reports its notes on stderr.
pub fn read(path: &Path) -> Result<MeshFile, Failure> {
    let mesh = read_mesh(path)?;
    tell_notes(path, &mesh);
    Ok(mesh)
}

/// Reads meshes that are checked against each other, and reports their notes on stderr.
pub fn read_all(paths: &[&Path]) -> Result<Vec<MeshFile>, Failure> {
    let meshes = read_meshes(paths)?;
    paths
        .iter()
        .zip(&meshes)
        .for_each(|(path, mesh)| tell_notes(path, mesh));
    Ok(meshes)
}

/// Reads a mesh, reports its notes on stderr, and reads the points that are to be located in it.
pub fn read_with_points(path: &Path, points: &Path) -> Result<(MeshFile, Vec<Vec3>), Failure> {
    let (mesh, points) = read_mesh_and_points(path, points)?;
    tell_notes(path, &mesh);
    Ok((mesh, points))
}

fn tell_notes(path: &Path, mesh: &MeshFile) {
    for about in mesh.notes.iter() {
        note(&format!("{}: {about}", shown(path)));
    }
}

/// Describes the number of triangles of a mesh.
pub fn triangles_in_words(mesh: &MeshFile) -> String {
    let all = grouped(mesh.triangles.len() as u64);
    match degenerate(mesh) {
        0 => all,
        count => format!("{all}, {} of them degenerate", grouped(count)),
    }
}

/// Returns the number of triangles with all corners on one line.
pub fn degenerate(mesh: &MeshFile) -> u64 {
    let degenerate = mesh.triangles.iter().filter(|triangle| triangle.is_degenerate());
    degenerate.count() as u64
}
