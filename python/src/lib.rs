//! The Python package's native half: converts numpy's arrays to the engine's records and back.
//!
//! Each call keeps its arrays alive, reads their numbers and works without the interpreter's lock.
//! Results hand their memory over to numpy, or expose it. `python/obbligato` has the functions, the
//! exceptions and the types.

mod arrays;
mod bcf;
mod bodies;
mod boxes;
mod bsp;
mod checker;
mod contacts;
mod errors;
mod files;
mod fits;
mod impacts;
mod lists;
mod logs;
mod mesh_scene;
mod motions;
mod pictures;
mod prepared;
mod questions;
mod regions;
mod report;
mod responses;
mod rules;
mod scenes;
mod settings;
mod solids;
mod space;
mod surfaces;
mod threads;
mod tiles;
mod tracker;
mod trees;

use pyo3::prelude::*;

// Free-threaded Python turns the interpreter's lock on for it, without which it is not tested.
#[pymodule(gil_used = true)]
mod _native {
    #[pymodule_export]
    use super::bcf::write_bcf;
    #[pymodule_export]
    use super::bsp::BspTree;
    #[pymodule_export]
    use super::checker::Checker;
    #[pymodule_export]
    use super::contacts::{Contacts, Distances, feature_name};
    #[pymodule_export]
    use super::files::{read_scene, read_triangles, write_bytes, write_pairs, write_scene};
    #[pymodule_export]
    use super::fits::{fit_boxes, fit_spheres};
    #[pymodule_export]
    use super::impacts::Impacts;
    #[pymodule_export]
    use super::mesh_scene::MeshBody;
    #[pymodule_export]
    use super::pictures::{animation, glb, render};
    #[pymodule_export]
    use super::prepared::PreparedScene;
    #[pymodule_export]
    use super::regions::{ClosedMesh, Room};
    #[pymodule_export]
    use super::report::{Adjacency, Report};
    #[pymodule_export]
    use super::rules::BoxSet;
    #[pymodule_export]
    use super::scenes::{adapters, checksum, scene};
    #[pymodule_export]
    use super::solids::Solids;
    #[pymodule_export]
    use super::surfaces::Surfaces;
    #[pymodule_export]
    use super::tiles::{Tiling, tile};
    #[pymodule_export]
    use super::tracker::{Frame, Tracker};
    #[pymodule_export]
    use super::trees::Tree;
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("NO_OWNER", obbligato::query::NO_OWNER)
    }
}
