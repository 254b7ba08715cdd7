//! Reads meshes as lists of triangles. The file's extension selects the format.

mod gltf;
mod input;
pub(super) mod mesh_file;
pub(super) mod notes;
mod obj;
mod ply;
mod polygons;
mod raw_mesh;
mod stl;
mod triangulation;

use std::path::Path;

use glam::{DVec3, Vec3};

use crate::coordinates::Extent;
use crate::error::Result;
use crate::format::ending;
use crate::mesh::input::Input;
use crate::mesh::mesh_file::MeshFile;
use crate::mesh::raw_mesh::RawMesh;
use crate::problem::problem;
use crate::read::read_places;

/// Reads a mesh: `.obj`, `.stl`, `.ply`, `.glb` or `.gltf`. O(n).
///
/// Units and axes are those of the file. Numbers in text are rounded once to `f32`, as are
/// double-precision numbers: directly or, far from the origin of coordinates, after subtracting
/// [`MeshFile::origin`].
///
/// - OBJ: a polygon of n corners becomes n - 2 triangles that cover it. It may be concave, or have
///   a hole that a pair of opposite edges joins to its outline. If a fan from its first corner
///   covers it, as it does a convex one, that fan is used; otherwise ears are cut off. A polygon
///   whose edges cross, or whose corners are further from one plane than a hundredth of its extent,
///   also becomes such a fan, with a [note](crate::NoteKind). Negative vertex numbers count
///   back from the last vertex so far; positive ones may name vertices that come later. A vertex
///   may have a fourth number, a colour, or both, which are ignored. `#` begins a comment; a
///   backslash at the end of a line joins it with the next.
/// - STL: text and binary; a binary file may begin with `solid`. Normals, colours and attributes
///   are ignored. A text may have any line breaks, comments, and `end solid` for `endsolid`.
/// - PLY: text, and binary of both byte orders. Elements `vertex` (`x y z`, of any type) and `face`
///   (`vertex_indices` or `vertex_index`); polygons become triangles as in OBJ. Other elements and
///   properties are skipped.
/// - glTF: each node with a mesh that is in the default scene (the first if none is named; all
///   nodes if there are no scenes), in the order of the nodes, then of its instances, then of its
///   primitives. Morph targets are applied with their default weights, then the joints of a skin,
///   which override the node, or else the transforms of the instance and the node: in `f64`, with
///   each coordinate rounded once. A rotation is that of its quaternion, whose length may differ
///   from 1 by up to a thousandth. Strips and fans become triangles; sparse accessors and quantized
///   positions are read. Buffers are in the file, or in files of its folder or below. Animations do
///   not move anything.
///
/// A line of a text ends with LF, CR LF or CR. [`MeshFile::notes`] reports what is left out, and
/// what is read although it deviates from the format: everything that a file announces must be
/// present, but more may follow.
///
/// ```no_run
/// use obbligato::{Checker, Config, Query};
/// use obbligato_files::read_mesh;
/// # fn main() -> obbligato_files::Result<()> {
/// let mesh = read_mesh("hull.stl".as_ref())?;
/// let report = Checker::new(Config::default())?.check(Query::mesh(&mesh.triangles))?;
/// println!("{} triangles, {} crossings", mesh.triangles.len(), report.colliding_pairs);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::File`](crate::Error::File) for a file that cannot be read, has an unknown extension or
/// is cut short, for vertex numbers out of range, for coordinates that are not finite in `f32` or
/// beyond [`COORDINATE_LIMIT`](obbligato::shape::COORDINATE_LIMIT), for counts of more than the
/// file holds, for glTF buffers that are not files on disk, and for glTF extensions that would
/// change the triangles. It names the line or the element.
/// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory). Memory grows with what has been read, not
/// with what a file announces.
pub fn read_mesh(path: &Path) -> Result<MeshFile> {
    let raw = read_raw(path, Input::open)?;
    let origin = raw.origin();
    raw.at(origin, path)
}

/// Reads a mesh as [`read_mesh`] does from the bytes of a file, whose extension is that of `name`.
///
/// # Errors
/// See [`read_mesh`]. Errors call the file by its name. glTF with buffers in other files is an
/// error.
pub fn read_mesh_from(name: &Path, contents: &[u8]) -> Result<MeshFile> {
    let raw = read_raw(name, |name| Input::of_bytes(name, contents))?;
    let origin = raw.origin();
    raw.at(origin, name)
}

/// Reads meshes that are to be checked against each other, each as [`read_mesh`] does, with one
/// common origin. Their triangles therefore keep their relative positions.
///
/// # Errors
/// The same as [`read_mesh`].
pub fn read_meshes(paths: &[&Path]) -> Result<Vec<MeshFile>> {
    let raw: Vec<RawMesh> = paths
        .iter()
        .map(|path| read_raw(path, Input::open))
        .collect::<Result<_>>()?;
    let origin = match raw.iter().all(RawMesh::are_single) {
        true => DVec3::ZERO,
        false => raw
            .iter()
            .map(RawMesh::extent)
            .fold(Extent::NONE, Extent::with)
            .origin(),
    };
    let meshes = raw.into_iter().zip(paths);
    meshes.map(|(raw, path)| raw.at(origin, path)).collect()
}

/// Reads a mesh as [`read_mesh`] does, and points to be located in it as
/// [`read_point_list`](crate::read_point_list) does, with one common origin, that of the
/// mesh.
///
/// # Errors
/// The same as both.
pub fn read_mesh_and_points(mesh: &Path, points: &Path) -> Result<(MeshFile, Vec<Vec3>)> {
    let raw = read_raw(mesh, Input::open)?;
    let places = read_places(points)?;
    let origin = match raw.are_single() && places.are_single() {
        true => DVec3::ZERO,
        false => raw.extent().about(places.extent()).origin(),
    };
    let points = places.relative_to(origin, "the points of a table")?;
    Ok((raw.at(origin, mesh)?, bytemuck::cast_vec(points)))
}

/// Reads a mesh from the input that `open` opens.
fn read_raw<'a>(path: &'a Path, open: impl FnOnce(&'a Path) -> Result<Input<'a>>) -> Result<RawMesh> {
    let read = match ending(path).as_str() {
        "obj" => obj::read,
        "stl" => stl::read,
        "ply" => ply::read,
        "glb" | "gltf" => gltf::read,
        _ => {
            return Err(problem(
                path,
                "has an unknown extension: name it .obj, .stl, .ply, .glb or .gltf",
            ));
        }
    };
    read(open(path)?)
}
