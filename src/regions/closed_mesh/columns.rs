//! What a point has to ask: the triangles around it in its column.
//!
//! Seen along the rays, the mesh is divided into cells of a grid. The triangles over a cell fall into *runs*: those of one run overlap along the
//! ray, and between two runs is a gap. No triangle comes into a gap, so the mesh winds around all of it as often, and how often is known beforehand: above the last run
//! as often as above the grid, and below a run as often as above it and as the line through any point of the cell crosses its triangles. So a point in a gap, as most are,
//! looks at no triangle, and another one at those of its run.
//!
//! A run of many triangles has a grid of its own over its cell (`building.rs`). So crowds of small triangles are told apart wherever they are, and large
//! ones above or below them take no part in it.

use glam::Vec3;

use crate::regions::closed_mesh::crossing::{Found, found};
use crate::regions::closed_mesh::state::{InsideRule, PointState};
use crate::shapes::triangle::record::Triangle;

/// Cells in y and z. What is beside them belongs to the outermost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    pub low: [f32; 2],
    /// Cells a unit of length.
    pub scale: [f32; 2],
    pub counts: [u32; 2],
    /// Where its cells begin.
    pub first: u32,
    /// How often the mesh winds around the gap above its runs.
    pub above: i32,
}

impl Grid {
    /// The place of a coordinate along y or z. It grows with the coordinate, whatever is rounded, so what is between two coordinates is in a place between theirs.
    pub fn place(&self, axis: usize, coordinate: f32) -> u32 {
        // A cast of what is below 0, or no number, is 0.
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
    /// How many members it has, or [`DIVIDED`].
    pub count: u32,
    /// How often the mesh winds around the gaps below and above it.
    pub below: i32,
    pub above: i32,
}

/// The run has a grid.
pub(super) const DIVIDED: u32 = u32::MAX;

/// All grids of a mesh, the first of which has all of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    pub grids: Vec<Grid>,
    /// Where the runs of each cell begin and end.
    pub cells: Vec<[u32; 2]>,
    /// The runs of a cell, ascending.
    pub runs: Vec<Run>,
    /// The triangles of runs.
    pub members: Vec<u32>,
}

impl Columns {
    /// Where a point within the bounds of the mesh is.
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

/// The first run that ends at `x` or above.
fn run_at(runs: &[Run], x: f32) -> Option<&Run> {
    const FEW: usize = 8;
    match runs.len() {
        0..=FEW => runs.iter().find(|run| run.high >= x),
        _ => runs.get(runs.partition_point(|run| run.high < x)),
    }
}
