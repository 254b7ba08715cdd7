//! Triangles that are checked together.

use bytemuck::Zeroable;
use glam::Vec3;

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::shapes::rescaled::Rescaling;
use crate::shapes::triangle::record::Triangle;

/// The neighbours that count. Neighbours are pairs of triangles with a corner in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Neighbours {
    /// None of them.
    #[default]
    None = 0,
    /// Those that share more than their common corner or edge.
    Crossing = 1,
    /// All of them.
    All = 2,
}

/// A list of triangles, and which of its pairs count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangles<'a> {
    pub list: &'a [Triangle],
    pub neighbours: Neighbours,
}

/// [`Triangles`] that own their memory.
#[derive(Debug, Default)]
pub(crate) struct OwnedTriangles {
    pub list: Vec<Triangle>,
    pub neighbours: Neighbours,
}

impl OwnedTriangles {
    /// Returns the whole list.
    pub fn all(&self) -> Triangles<'_> {
        Triangles {
            list: &self.list,
            neighbours: self.neighbours,
        }
    }
}

impl Triangles<'_> {
    /// Returns the number of triangles.
    pub fn len(self) -> usize {
        self.list.len()
    }

    /// Copies the triangles at these positions.
    pub fn select(self, ids: &[u32]) -> Result<OwnedTriangles> {
        let those = ids.iter().map(|&id| self.list[id as usize]);
        Ok(OwnedTriangles {
            list: memory::collect(those, "a part of the triangles")?,
            neighbours: self.neighbours,
        })
    }

    /// Returns a rescaled copy to check instead of the triangles, if their numbers are tiny.
    pub fn rescaled(self) -> Result<Option<(Rescaling, OwnedTriangles)>> {
        let largest = |k: usize| match self.list[k].problem() {
            None => f64::from(
                self.list[k]
                    .corners
                    .map(|corner| corner.abs().max_element())
                    .into_iter()
                    .fold(0.0, f32::max),
            ),
            Some(_) => f64::INFINITY,
        };
        let Some(rescaling) = Rescaling::by_largest(self.list.len(), largest) else {
            return Ok(None);
        };
        let mut list = memory::filled(self.list.len(), Triangle::zeroed(), "the rescaled triangles")?;
        let times = |corner: Vec3| (corner.as_dvec3() * rescaling.times()).as_vec3();
        parallel::fill(&mut list, |k| Triangle {
            corners: self.list[k].corners.map(times),
        });
        let neighbours = self.neighbours;
        Ok(Some((rescaling, OwnedTriangles { list, neighbours })))
    }
}
