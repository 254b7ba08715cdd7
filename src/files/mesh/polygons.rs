//! Polygons of numbered vertices, as they become triangles: fans from their first corners.

use bytemuck::Zeroable;
use glam::Vec3;

use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::shapes::triangle::record::Triangle;

/// What memory is for.
const VERTICES: &str = "the vertices of a mesh file";
const TRIANGLES: &str = "the triangles of a mesh file";

/// Vertices, and the triangles of polygons, whose vertices may come later in the file.
#[derive(Default)]
pub(super) struct Polygons {
    vertices: Vec<Vec3>,
    triangles: Vec<Triangle>,
    later: Vec<Later>,
}

/// A corner that was not there yet.
struct Later {
    triangle: usize,
    corner: usize,
    named: Named,
}

/// A vertex by its number, from 0, and where in the file it is named: a line, or a position.
#[derive(Clone, Copy)]
pub(super) struct Named {
    pub vertex: u64,
    pub place: u64,
}

/// The polygon at hand.
#[derive(Default)]
pub(super) struct Fan {
    first: Option<Named>,
    last: Option<Named>,
    pub corners: u64,
}

impl Polygons {
    /// How many vertices there are so far.
    pub fn vertices(&self) -> u64 {
        self.vertices.len() as u64
    }

    pub fn add_vertex(&mut self, vertex: Vec3) -> Result<()> {
        memory::push(&mut self.vertices, vertex, VERTICES)
    }

    /// Adds a corner to a polygon, and from the third on a triangle.
    pub fn add_corner(&mut self, fan: &mut Fan, named: Named) -> Result<()> {
        fan.corners += 1;
        let Some(first) = fan.first else {
            fan.first = Some(named);
            return Ok(());
        };
        match fan.last.replace(named) {
            Some(last) => self.add_triangle([first, last, named]),
            None => Ok(()),
        }
    }

    fn add_triangle(&mut self, corners: [Named; 3]) -> Result<()> {
        let mut triangle = Triangle::zeroed();
        for (corner, named) in corners.into_iter().enumerate() {
            match self.vertex(named) {
                Some(vertex) => triangle.corners[corner] = vertex,
                None => {
                    let triangle = self.triangles.len();
                    let later = Later {
                        triangle,
                        corner,
                        named,
                    };
                    memory::push(&mut self.later, later, TRIANGLES)?;
                }
            }
        }
        memory::push(&mut self.triangles, triangle, TRIANGLES)
    }

    fn vertex(&self, named: Named) -> Option<Vec3> {
        let position = usize::try_from(named.vertex).ok()?;
        self.vertices.get(position).copied()
    }

    /// The triangles, now that all vertices are there. `missing` is the error for one that is not.
    pub fn finish(mut self, missing: impl FnOnce(Named, u64) -> Error) -> Result<Vec<Triangle>> {
        for later in std::mem::take(&mut self.later) {
            match self.vertex(later.named) {
                Some(vertex) => self.triangles[later.triangle].corners[later.corner] = vertex,
                None => return Err(missing(later.named, self.vertices())),
            }
        }
        Ok(self.triangles)
    }
}
