//! Triangles as parts of a body that a tree of volumes is built over.

use glam::Vec3;

use crate::base::error::Error;
use crate::base::problem::BoxProblem;
use crate::broad_phase::volumes::part::{Corners, Part};
use crate::shapes::triangle::record::Triangle;

impl Part for Triangle {
    fn corners(&self) -> Corners {
        Corners::new(&self.corners.map(Vec3::as_dvec3))
    }

    fn problem(&self) -> Option<BoxProblem> {
        self.problem()
    }

    fn error(index: usize, problem: BoxProblem, count: usize) -> Error {
        Error::InvalidTriangle { index, problem, count }
    }
}
