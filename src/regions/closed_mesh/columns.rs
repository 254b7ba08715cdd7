//! Columns of triangles: a point tests only the triangles around it in its column.
//!
//! Seen along the rays, the mesh is divided into cells of a grid. The triangles over a cell form
//! *runs*: those of one run overlap along the ray, and between two runs is a gap. No triangle
//! reaches into a gap, so the winding number is constant there and known beforehand. Above the last
//! run it is that above the grid. Below a run it is that above the run plus the crossings of the
//! run's triangles with the line through any point of the cell. So a point in a gap, as most are,
//! tests no triangle, and any other point tests those of its run.
//!
//! A run of many triangles has a grid of its own over its cell (`building.rs`). So crowds of small
//! triangles are separated wherever they are, and large ones above or below them do not take part.

use glam::Vec3;

use crate::regions::closed_mesh::crossing::{Found, found};
use crate::regions::closed_mesh::state::{InsideRule, PointState};
use crate::shapes::triangle::record::Triangle;

/// A grid of cells in y and z. Points outside it belong to the outermost cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    pub low: [f32; 2],
    /// The number of cells per unit of length.
    pub scale: [f32; 2],
    pub counts: [u32; 2],
    /// The position of its first cell.
    pub first: u32,
    /// The winding number of the gap above its runs.
    pub above: i32,
}

impl Grid {
    /// Returns the cell of a coordinate along y or z. It is monotonic in the coordinate, whatever
    /// is rounded, so anything between two coordinates is in a cell between theirs.
    pub fn place(&self, axis: usize, coordinate: f32) -> u32 {
        // The cast of a number below 0, or of NaN, is 0.
        let place = ((coordinate - self.low[axis]) * self.scale[axis]) as u32;
        place.min(self.counts[axis] - 1)
    }

    pub fn cell(&self, [y, z]: [u32; 2]) -> usize {
        self.first as usize + (z * self.counts[0] + y) as usize
    }
}

/// The triangles of a cell that overlap along the ray.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub low: f32,
    pub high: f32,
    /// Its first member, or its grid.
    pub first: u32,
    /// The number of its members, or [`DIVIDED`].
    pub count: u32,
    /// The winding numbers of the gaps below and above it.
    pub below: i32,
    pub above: i32,
}

/// Marks a run that has a grid.
pub(super) const DIVIDED: u32 = u32::MAX;

/// All grids of a mesh, the first of which covers the whole mesh.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    pub grids: Vec<Grid>,
    /// The positions where the runs of each cell begin and end.
    pub cells: Vec<[u32; 2]>,
    /// The runs of a cell, ascending.
    pub runs: Vec<Run>,
    /// The triangles of runs.
    pub members: Vec<u32>,
}

impl Columns {
    /// Returns the position of a point within the bounds of the mesh.
    pub fn locate(&self, triangles: &[Triangle], point: Vec3, rule: InsideRule) -> PointState {
        let mut grid = &self.grids[0];
        loop {
            let cell = grid.cell([grid.place(0, point.y), grid.place(1, point.z)]);
            let [first, end] = self.cells[cell];
            let runs = &self.runs[first as usize..end as usize];
            let Some(run) = run_at(runs, point.x) else {
                return rule.state(grid.above);
            };
            if point.x < run.low {
                return rule.state(run.below);
            }
            if run.count == DIVIDED {
                grid = &self.grids[run.first as usize];
                continue;
            }
            let members = &self.members[run.first as usize..][..run.count as usize];
            let mut turns = run.above;
            for &member in members {
                match found(&triangles[member as usize], point) {
                    Found::Surface => return PointState::Surface,
                    Found::Crossing(sign) => turns += sign,
                    Found::Nothing => {}
                }
            }
            return rule.state(turns);
        }
    }
}

/// Returns the first run that ends at `x` or above.
fn run_at(runs: &[Run], x: f32) -> Option<&Run> {
    const FEW: usize = 8;
    match runs.len() {
        0..=FEW => runs.iter().find(|run| run.high >= x),
        _ => runs.get(runs.partition_point(|run| run.high < x)),
    }
}
