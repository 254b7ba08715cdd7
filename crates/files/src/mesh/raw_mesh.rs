//! A mesh file that has been read, before its coordinates are rounded.

use std::path::Path;

use glam::DVec3;

use crate::coordinates::{Extent, Places, moved};
use crate::error::Result;
use crate::mesh::mesh_file::{MeshFile, MeshPart};
use crate::mesh::notes::{NoteKind, Notes};
use crate::mesh::polygons::Polygons;
use crate::problem::problem;
use obbligato::{
    error::BoxProblem,
    shape::{COORDINATE_LIMIT, Triangle},
};

/// Label for out-of-memory errors.
pub(super) const TRIANGLES: &str = "the triangles of a mesh file";

/// The triangles of a file, or its polygons.
#[derive(Default)]
pub(super) struct RawMesh {
    pub triangles: Places<3>,
    pub polygons: Polygons,
    pub notes: Notes,
    /// The name of each part, and the number of triangles before it.
    pub parts: Vec<(String, usize)>,
}

impl RawMesh {
    /// Returns `true` if all coordinates are `f32` numbers.
    pub fn are_single(&self) -> bool {
        self.triangles.are_single() && self.polygons.are_single()
    }

    /// Returns the origin to round it about.
    pub fn origin(&self) -> DVec3 {
        match self.are_single() {
            true => DVec3::ZERO,
            false => self.extent().origin(),
        }
    }

    /// Returns the extent of all triangles and polygons.
    pub fn extent(&self) -> Extent {
        self.triangles.extent().with(Extent::of(self.polygons.corners()))
    }

    /// Rounds the mesh relative to an origin.
    ///
    /// # Errors
    /// If a coordinate is too large or memory runs out.
    pub fn at(mut self, origin: DVec3, path: &Path) -> Result<MeshFile> {
        if origin != DVec3::ZERO || !self.are_single() {
            let extent = self.extent();
            let soup = (0..self.triangles.len()).flat_map(|position| self.triangles.get(position));
            let rough = soup
                .chain(self.polygons.corners())
                .filter(|&corner| extent.is_rough(moved(corner, origin)))
                .count();
            self.notes.add(NoteKind::CornersRounded, rough as u64);
        }
        let triangles = self.triangles.relative_to(origin, TRIANGLES)?;
        let mut mesh = MeshFile {
            triangles: bytemuck::cast_vec(triangles),
            notes: self.notes,
            origin,
            parts: Vec::new(),
        };
        self.polygons.triangulate(&mut mesh)?;
        mesh.parts = parts(self.parts, mesh.triangles.len());
        check(&mesh, path)?;
        Ok(mesh)
    }
}

/// Returns the parts that have triangles, of `count` in total. Triangles before the first part have
/// no name.
fn parts(begun: Vec<(String, usize)>, count: usize) -> Vec<MeshPart> {
    let unnamed = begun.first().is_some_and(|(_, first)| *first > 0);
    let unnamed = unnamed.then(|| (String::new(), 0));
    let begun: Vec<(String, usize)> = unnamed.into_iter().chain(begun).collect();
    let ends: Vec<usize> = begun.iter().skip(1).map(|(_, first)| *first).chain([count]).collect();
    let parts = begun.into_iter().zip(ends).map(|((name, first), end)| MeshPart {
        name,
        triangles: std::iter::once(first..end).collect(),
    });
    parts.filter(|part| !part.triangles[0].is_empty()).collect()
}

/// Returns an error that names the first invalid triangle.
fn check(mesh: &MeshFile, path: &Path) -> Result<()> {
    let limit = f64::from(COORDINATE_LIMIT);
    let is_far = |triangle: &Triangle| {
        let corners = triangle.corners.map(|corner| corner.as_dvec3() + mesh.origin);
        corners.iter().any(|corner| corner.abs().max_element() > limit)
    };
    let mut problems = mesh.triangles.iter().enumerate();
    let bad = problems.find_map(|(number, triangle)| {
        let far = (mesh.origin != DVec3::ZERO && is_far(triangle)).then_some(BoxProblem::TooLarge);
        Some((number, triangle.problem().or(far)?))
    });
    match bad {
        Some((number, words)) => Err(problem(
            path,
            format!("triangle {number}, from 0, {words}: move or scale the mesh"),
        )),
        None => Ok(()),
    }
}
