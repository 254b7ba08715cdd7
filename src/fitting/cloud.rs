//! A point cloud, and passes over it that give the same result on any number of threads.

use std::ops::Range;

use glam::{DMat3, DVec3, Vec3};

use crate::base::error::{Error, Result};
use crate::base::parallel;
use crate::base::problem::{BoxProblem, COORDINATE_LIMIT};
use crate::geometry::aabb::Aabb;

/// Valid points, at least one.
#[derive(Clone, Copy)]
pub(super) struct Cloud<'a> {
    pub points: &'a [Vec3],
    pub bounds: Aabb,
}

impl<'a> Cloud<'a> {
    /// Validates all points; `group` is the number of the group, if there are several.
    pub fn new(points: &'a [Vec3], group: Option<usize>) -> Result<Self> {
        let parts = parallel::map_ranges(points.len(), |range| {
            let (mut low, mut high, mut valid) = (Vec3::INFINITY, Vec3::NEG_INFINITY, true);
            for &point in &points[range] {
                (low, high) = (low.min(point), high.max(point));
                // A comparison with NaN is false.
                valid &= point.abs().cmple(Vec3::splat(COORDINATE_LIMIT)).all();
            }
            (Aabb::new(low, high), valid)
        });
        if parts.iter().any(|(_, valid)| !valid) {
            return Err(invalid(points, group));
        }
        let bounds = parts.into_iter().map(|(bounds, _)| bounds);
        match bounds.reduce(|a, b| Aabb::new(a.min.min(b.min), a.max.max(b.max))) {
            Some(bounds) => Ok(Self { points, bounds }),
            None => Err(Error::NoPoints { group }),
        }
    }

    /// Returns the middle of the bounds, rounded. Positions are measured from it, so that few
    /// digits are lost.
    pub fn middle(&self) -> Vec3 {
        (0.5 * (self.bounds.min.as_dvec3() + self.bounds.max.as_dvec3())).as_vec3()
    }

    /// Returns the possible effect of rounding on the width of a stored box: its center has 24
    /// binary digits.
    pub fn rounding(&self) -> f64 {
        let largest = self.bounds.min.abs().max(self.bounds.max.abs()).max_element();
        (f64::from(largest) * 2f64.powi(-24)).max(f64::from(f32::from_bits(1)))
    }

    /// Calls `work` on ranges of the points and returns the results in order.
    pub fn map_ranges<T: Send>(&self, work: impl Fn(Range<usize>) -> T + Sync + Send) -> Vec<T> {
        parallel::map_ranges(self.points.len(), work)
    }

    /// Returns the extents of the points along each of three axes.
    pub fn extents(&self, axes: &DMat3) -> Extents {
        let (middle, turn) = (self.middle().as_dvec3(), axes.transpose());
        let parts = self.map_ranges(|range| {
            let mut extents = Extents::default();
            for index in range {
                extents.add(turn * (self.points[index].as_dvec3() - middle), index as u32);
            }
            extents
        });
        parts.into_iter().fold(Extents::default(), Extents::merge)
    }
}

/// Returns the problem with a point, if any.
pub fn problem_of(point: &Vec3) -> Option<BoxProblem> {
    match point.is_finite() {
        false => Some(BoxProblem::NotFinite),
        true => (point.abs().max_element() > COORDINATE_LIMIT).then_some(BoxProblem::TooLarge),
    }
}

/// Returns the error for points of which some are invalid.
fn invalid(points: &[Vec3], group: Option<usize>) -> Error {
    let mut bad = points
        .iter()
        .enumerate()
        .filter_map(|(index, point)| Some((index, problem_of(point)?)));
    let (index, problem) = bad.next().unwrap_or((0, BoxProblem::NotFinite));
    Error::InvalidPoint {
        index,
        group,
        problem,
        count: 1 + bad.count(),
    }
}

/// The extents of points along three axes, relative to a middle, and the points that attain them.
#[derive(Clone, Copy)]
pub(super) struct Extents {
    low: [f64; 3],
    high: [f64; 3],
    /// The farthest points: the first of several.
    lowest: [u32; 3],
    highest: [u32; 3],
}

impl Default for Extents {
    fn default() -> Self {
        Self {
            low: [f64::INFINITY; 3],
            high: [f64::NEG_INFINITY; 3],
            lowest: [0; 3],
            highest: [0; 3],
        }
    }
}

impl Extents {
    fn add(&mut self, place: DVec3, index: u32) {
        for axis in 0..3 {
            if place[axis] < self.low[axis] {
                (self.low[axis], self.lowest[axis]) = (place[axis], index);
            }
            if place[axis] > self.high[axis] {
                (self.high[axis], self.highest[axis]) = (place[axis], index);
            }
        }
    }

    fn merge(mut self, later: Self) -> Self {
        for axis in 0..3 {
            if later.low[axis] < self.low[axis] {
                (self.low[axis], self.lowest[axis]) = (later.low[axis], later.lowest[axis]);
            }
            if later.high[axis] > self.high[axis] {
                (self.high[axis], self.highest[axis]) = (later.high[axis], later.highest[axis]);
            }
        }
        self
    }

    pub fn widths(&self) -> DVec3 {
        DVec3::from(self.high) - DVec3::from(self.low)
    }

    /// Returns the middle of the box, along the axes.
    pub fn middle(&self) -> DVec3 {
        0.5 * (DVec3::from(self.high) + DVec3::from(self.low))
    }

    /// Returns the positions of the farthest points.
    pub fn positions(&self) -> impl Iterator<Item = u32> {
        self.lowest.into_iter().chain(self.highest)
    }
}
