//! Reading meshes: lists of triangles, chosen by the file's extension.

mod gltf;
mod input;
mod obj;
mod ply;
mod polygons;
mod stl;

use std::path::Path;

use crate::base::error::Result;
use crate::files::format::ending;
use crate::files::mesh::input::Input;
use crate::files::problem::problem;
use crate::shapes::triangle::record::Triangle;

/// The triangles of a mesh file, and how much there is beside them. From [`read_mesh`].
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MeshFile {
    /// The triangles in the order of the file, degenerate ones among them.
    pub triangles: Vec<Triangle>,
    /// Points that are drawn as such. Vertices that nothing uses do not count.
    pub points: u64,
    /// Lines from point to point.
    pub lines: u64,
    /// Meshes of a glTF file that no node places anywhere.
    pub unplaced: u64,
}

/// Reads a mesh: `.obj`, `.stl`, `.ply`, `.glb` or `.gltf`. O(n).
///
/// Units and axes are those of the file. Text is rounded once to `f32`, as are numbers of double precision.
///
/// - OBJ: a polygon becomes a fan of triangles from its first corner. Negative numbers of vertices count from the last vertex so far,
///   positive ones may name vertices that come later. A fourth number of a vertex and what follows it are ignored. `#` begins a comment,
///   a backslash at the end of a line joins it with the next.
/// - STL: text and binary; a binary file may begin with `solid`. Normals are ignored.
/// - PLY: text, and binary of both byte orders. Elements `vertex` (`x y z`, of any type) and `face` (`vertex_indices` or `vertex_index`);
///   polygons become fans as in OBJ. Other elements and properties are passed over.
/// - glTF: each node with a mesh, in the order of the nodes, whatever the scenes, and its primitives in their order. Transforms of nodes are
///   applied in `f64`, and each coordinate is rounded once; a rotation is that of its quaternion, whatever its length within a thousandth of 1.
///   Strips and fans become triangles; sparse accessors and quantized positions are read. Buffers are in the file, or in files beside it.
///   Skins, morphs and animations do not move anything.
///
/// ```no_run
/// use obbligato::{Checker, Config, Query, files::read_mesh};
/// # fn main() -> obbligato::Result<()> {
/// let mesh = read_mesh("hull.stl".as_ref())?;
/// let report = Checker::new(Config::default())?.check(Query::mesh(&mesh.triangles))?;
/// println!("{} triangles, {} crossings", mesh.triangles.len(), report.colliding_pairs);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::File`](crate::Error::File) for a file that cannot be read, has an unknown extension or is cut short, for numbers of vertices out of
/// range, for coordinates that are not finite in `f32` or beyond [`COORDINATE_LIMIT`](crate::COORDINATE_LIMIT), for counts that differ from
/// what is there, and for extensions of glTF that would change the triangles. It names the line, or the element.
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory). Memory grows with what has been read, not with what a file announces.
pub fn read_mesh(path: &Path) -> Result<MeshFile> {
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
    let mesh = read(Input::open(path)?)?;
    check(&mesh.triangles, path)?;
    Ok(mesh)
}

/// An error that names the first bad triangle.
fn check(triangles: &[Triangle], path: &Path) -> Result<()> {
    let mut problems = triangles.iter().enumerate();
    let bad = problems.find_map(|(number, triangle)| Some((number, triangle.problem()?)));
    match bad {
        Some((number, words)) => Err(problem(
            path,
            format!("triangle {number}, from 0, {words}: move or scale the mesh"),
        )),
        None => Ok(()),
    }
}
