//! `obbligato mesh`: the intersections of triangles of meshes, the clashes of meshes in a scene,
//! and the points in a mesh.

mod bcf;
mod inside;
mod overlaps;
mod pairs;
mod scene;
pub mod shared;

use crate::{args::mesh::MeshArguments, failure::Failure};

pub fn run(arguments: &MeshArguments) -> Result<(), Failure> {
    match (&arguments.inside, &arguments.out) {
        (Some(points), Some(out)) => inside::run(arguments, points, out),
        _ if arguments.scene => scene::run(arguments),
        _ => pairs::run(arguments),
    }
}
