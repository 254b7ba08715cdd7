//! Polygons of numbered vertices, and their triangulation.

use glam::DVec3;

use crate::coordinates::{Places, relative};
use crate::error::{Error, Result};
use crate::mesh::mesh_file::MeshFile;
use crate::mesh::notes::NoteKind;
use crate::mesh::triangulation::{Cover, Triangulator};
use obbligato::shape::Triangle;
use obbligato_support::memory;

/// Labels for out-of-memory errors.
const VERTICES: &str = "the vertices of a mesh file";
const CORNERS: &str = "the corners of a mesh file";
const TRIANGLES: &str = "the triangles of a mesh file";

/// Vertices and polygons. Polygons may use vertices that come later in the file.
#[derive(Default)]
pub(super) struct Polygons {
    vertices: Places<1>,
    /// The vertices of all polygons, one polygon after the other.
    corners: Vec<u32>,
    /// Runs of polygons with equal numbers of corners: that number, and the number of polygons in
    /// the run.
    runs: Vec<(u64, u64)>,
    /// Vertices that were not yet present when they were named.
    later: Vec<Named>,
    triangles: u64,
}

/// A vertex by its number, from 0, and the place in the file that names it: a line or a position.
#[derive(Clone, Copy)]
pub(super) struct Named {
    pub vertex: u64,
    pub place: u64,
}

impl Polygons {
    /// Returns the number of vertices so far.
    pub fn vertices(&self) -> u64 {
        self.vertices.len() as u64
    }

    /// Returns the number of triangles that the polygons become.
    pub fn triangles(&self) -> usize {
        self.triangles as usize
    }

    /// Returns `true` if there are no polygons.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    pub fn add_vertex(&mut self, vertex: DVec3) -> Result<()> {
        self.vertices.push([vertex], VERTICES)
    }

    /// Adds a corner to the polygon that [`Polygons::end`] ends.
    pub fn add_corner(&mut self, named: Named) -> Result<()> {
        if named.vertex >= self.vertices() || named.vertex > u32::MAX.into() {
            memory::push(&mut self.later, named, CORNERS)?;
        }
        // A number that is too large is of no vertex, and an error at the end.
        Ok(memory::push(&mut self.corners, named.vertex as u32, CORNERS)?)
    }

    /// Ends a polygon of `corners` corners, three or more.
    pub fn end(&mut self, corners: u64) -> Result<()> {
        self.triangles += corners - 2;
        match self.runs.last_mut() {
            Some((alike, count)) if *alike == corners => {
                *count += 1;
                Ok(())
            }
            _ => Ok(memory::push(&mut self.runs, (corners, 1), CORNERS)?),
        }
    }

    /// Checks that all named vertices exist. `missing` makes the error for one that does not.
    pub fn finished(self, missing: impl FnOnce(Named, u64) -> Error) -> Result<Self> {
        let vertices = self.vertices();
        let is_missing = |named: &&Named| named.vertex >= vertices || named.vertex > u32::MAX.into();
        if let Some(named) = self.later.iter().find(is_missing) {
            return Err(missing(*named, vertices));
        }
        Ok(self)
    }

    /// Returns `true` if all coordinates are `f32` numbers.
    pub fn are_single(&self) -> bool {
        self.vertices.are_single()
    }

    /// Returns the corners of all polygons.
    pub fn corners(&self) -> impl Iterator<Item = DVec3> {
        self.corners.iter().map(|&vertex| {
            let [place] = self.vertices.get(vertex as usize);
            place
        })
    }

    /// Adds the triangles to those of a mesh, relative to its origin.
    pub fn triangulate(self, mesh: &mut MeshFile) -> Result<()> {
        memory::reserve(&mut mesh.triangles, self.triangles as usize, TRIANGLES)?;
        let mut triangulator = Triangulator::default();
        let (mut polygon, mut rest) = (Vec::new(), &self.corners[..]);
        for (corners, count) in self.runs {
            for _ in 0..count {
                let own;
                (own, rest) = rest.split_at(corners as usize);
                polygon.clear();
                memory::reserve(&mut polygon, own.len(), CORNERS)?;
                polygon.extend(own.iter().map(|&vertex| {
                    let [place] = self.vertices.get(vertex as usize);
                    relative(place, mesh.origin)
                }));
                match triangulator.triangulate(&polygon)? {
                    Cover::Exact => {}
                    Cover::NotFlat => mesh.notes.add(NoteKind::PolygonsNotFlat, 1),
                    Cover::Crossing => mesh.notes.add(NoteKind::PolygonsCrossing, 1),
                }
                let triangles = triangulator.triangles.iter().map(|corners| Triangle {
                    corners: corners.map(|corner| polygon[corner as usize]),
                });
                mesh.triangles.extend(triangles);
            }
        }
        Ok(())
    }
}
