//! The parts that a tree of volumes is built over.

use glam::{DVec3, Vec3};

use crate::base::error::Error;
use crate::base::problem::{BoxProblem, COORDINATE_LIMIT};
use crate::geometry::aabb::Aabb;

/// Maximum number of corners of a part.
pub(crate) const CORNERS: usize = 8;

/// A part of a rigid body, in the body's frame: triangles, boxes of any kind, points.
pub trait Part: Sync {
    /// Returns up to eight points whose convex hull contains the part.
    fn corners(&self) -> Corners;

    /// Returns the problem of an invalid part, or `None` if it is valid.
    fn problem(&self) -> Option<BoxProblem>;

    /// Returns the error for `count` invalid parts, the first of which has the position `index` and
    /// this problem.
    fn error(index: usize, problem: BoxProblem, count: usize) -> Error {
        Error::InvalidBox { index, problem, count }
    }
}

/// Up to eight points, the result of [`Part::corners`].
#[derive(Clone, Copy, Debug)]
pub struct Corners {
    points: [DVec3; CORNERS],
    count: usize,
}

impl Corners {
    /// Creates a list of these points. Points after the eighth are ignored.
    pub fn new(corners: &[DVec3]) -> Self {
        let mut points = [DVec3::ZERO; CORNERS];
        let count = corners.len().min(CORNERS);
        points[..count].copy_from_slice(&corners[..count]);
        Self { points, count }
    }

    /// Returns the points.
    pub fn points(&self) -> &[DVec3] {
        &self.points[..self.count]
    }
}

impl Part for Aabb {
    fn corners(&self) -> Corners {
        let (min, max) = (self.min.as_dvec3(), self.max.as_dvec3());
        let side = |corner: usize, axis: usize| if corner >> axis & 1 == 0 { min[axis] } else { max[axis] };
        let corner = |corner: usize| DVec3::new(side(corner, 0), side(corner, 1), side(corner, 2));
        Corners::new(&std::array::from_fn::<_, CORNERS, _>(corner))
    }

    fn problem(&self) -> Option<BoxProblem> {
        self.problem()
    }
}

impl Part for Vec3 {
    fn corners(&self) -> Corners {
        Corners::new(&[self.as_dvec3()])
    }

    fn problem(&self) -> Option<BoxProblem> {
        match (self.is_finite(), self.abs().max_element() <= COORDINATE_LIMIT) {
            (false, _) => Some(BoxProblem::NotFinite),
            (true, false) => Some(BoxProblem::TooLarge),
            (true, true) => None,
        }
    }

    fn error(index: usize, problem: BoxProblem, count: usize) -> Error {
        Error::InvalidPoint {
            index,
            group: None,
            problem,
            count,
        }
    }
}
