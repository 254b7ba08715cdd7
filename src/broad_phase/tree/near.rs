//! Queries by points: the boxes within a distance, and the nearest boxes.

use glam::Vec3;

use crate::base::error::{Error, Result};
use crate::base::lanes::{self, dispatch};
use crate::base::memory;
use crate::base::problem::COORDINATE_LIMIT;
use crate::broad_phase::tree::bvh::{Bvh, of_each, validate_point, validate_points};
use crate::broad_phase::tree::hit::around;
use crate::broad_phase::tree::lists::{FOUND, Lists, answer_each};

/// A box near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearBox {
    /// The box's position in the caller's slice.
    pub index: u32,
    /// Its distance from the point; 0 if the box contains the point.
    pub distance: f32,
}

impl NearBox {
    fn new((square, index): (f64, u32)) -> Self {
        Self {
            index,
            distance: square.sqrt() as f32,
        }
    }
}

impl Bvh {
    /// Finds the boxes within a distance of a point, ascending.
    ///
    /// Distances are computed in `f64`, with a relative error of at most 2^-50.
    ///
    /// # Errors
    /// If the point or the distance is invalid, or memory runs out.
    pub fn within(&self, point: Vec3, distance: f32) -> Result<Vec<u32>> {
        validate_point(point, 0)?;
        let most = square_of(distance)?;
        let mut boxes = Vec::new();
        self.add_within(point, most, &mut boxes)?;
        Ok(boxes)
    }

    /// Performs [`within`](Self::within) for many points, on all cores with the feature `rayon`.
    ///
    /// # Errors
    /// If a point or the distance is invalid, or memory runs out.
    pub fn within_each(&self, points: &[Vec3], distance: f32) -> Result<Lists<u32>> {
        validate_points(points)?;
        let most = square_of(distance)?;
        let answer = |(): &mut (), k: usize, boxes: &mut Vec<u32>| self.add_within(points[k], most, boxes);
        answer_each(&self.nodes, points.len(), |k| points[k], answer)
    }

    /// Appends the boxes whose squared distance from a point is at most `most`, ascending.
    fn add_within(&self, point: Vec3, most: f64, boxes: &mut Vec<u32>) -> Result<()> {
        let (first, mut outcome) = (boxes.len(), Ok(()));
        let found = |record: usize, square: f64| {
            if square <= most {
                self.keep(record, boxes, &mut outcome);
            }
            most
        };
        dispatch!(lanes::level(), simd => around(simd, &self.nodes, point, most, found));
        outcome?;
        boxes[first..].sort_unstable();
        Ok(())
    }

    /// Finds the box nearest to a point, or `None` if there are no boxes. Of boxes at the same
    /// distance, computed in `f64`, the first is returned.
    ///
    /// # Errors
    /// If the point is invalid.
    pub fn nearest(&self, point: Vec3) -> Result<Option<NearBox>> {
        validate_point(point, 0)?;
        Ok(self.nearest_to(point))
    }

    /// Performs [`nearest`](Self::nearest) for many points, on all cores with the feature `rayon`.
    ///
    /// # Errors
    /// If a point is invalid, or memory runs out.
    pub fn nearest_each(&self, points: &[Vec3]) -> Result<Vec<Option<NearBox>>> {
        validate_points(points)?;
        of_each(points, |point| self.nearest_to(*point))
    }

    fn nearest_to(&self, point: Vec3) -> Option<NearBox> {
        let mut best = (f64::INFINITY, u32::MAX);
        let found = |record: usize, square: f64| {
            if square <= best.0 {
                let here = (square, self.records[record].id);
                best = if here < best { here } else { best };
            }
            best.0
        };
        dispatch!(lanes::level(), simd => around(simd, &self.nodes, point, f64::INFINITY, found));
        best.0.is_finite().then(|| NearBox::new(best))
    }

    /// Finds the `count` boxes nearest to a point, or all if there are fewer, the nearest first.
    /// Boxes at the same distance, computed in `f64`, are in ascending order.
    ///
    /// # Errors
    /// If the point is invalid, or memory runs out.
    pub fn nearest_few(&self, point: Vec3, count: usize) -> Result<Vec<NearBox>> {
        validate_point(point, 0)?;
        let mut boxes = Vec::new();
        self.add_nearest(point, count, &mut Few::default(), &mut boxes)?;
        Ok(boxes)
    }

    /// Performs [`nearest_few`](Self::nearest_few) for many points, on all cores with the feature
    /// `rayon`.
    ///
    /// ```
    /// use obbligato::glam::Vec3;
    /// use obbligato::{shape::Aabb, tree::{Bvh, NearBox}};
    ///
    /// # fn main() -> obbligato::Result<()> {
    /// let unit = |x: f32| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0));
    /// let tree = Bvh::new(&[0.0, 3.0, 7.0].map(unit))?;
    /// let near = tree.nearest_few_each(&[Vec3::ZERO, Vec3::X * 6.0], 2)?;
    /// assert_eq!(near[1], [NearBox { index: 2, distance: 1.0 }, NearBox { index: 1, distance: 2.0 }]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If a point is invalid, or memory runs out.
    pub fn nearest_few_each(&self, points: &[Vec3], count: usize) -> Result<Lists<NearBox>> {
        validate_points(points)?;
        let answer = |few: &mut Few, k: usize, boxes: &mut Vec<NearBox>| self.add_nearest(points[k], count, few, boxes);
        answer_each(&self.nodes, points.len(), |k| points[k], answer)
    }

    /// Appends the boxes nearest to a point. `few` contains the boxes nearest to the previous
    /// point, if there was one.
    fn add_nearest(&self, point: Vec3, count: usize, few: &mut Few, boxes: &mut Vec<NearBox>) -> Result<()> {
        let count = count.min(self.len());
        if count == 0 {
            return Ok(());
        }
        let limit = few.limit(point, count);
        few.point = point;
        few.nearest.clear();
        memory::reserve(&mut few.nearest, count, FOUND)?;
        memory::reserve(boxes, count, FOUND)?;
        let nearest = &mut few.nearest;
        let found = |record: usize, square: f64| {
            if square <= limit {
                insert(nearest, (square, self.records[record].id), count);
            }
            // A list with fewer boxes gives no limit for the others.
            if nearest.len() == count {
                nearest[count - 1].0
            } else {
                limit
            }
        };
        dispatch!(lanes::level(), simd => around(simd, &self.nodes, point, limit, found));
        boxes.extend(nearest.iter().map(|&near| NearBox::new(near)));
        Ok(())
    }
}

/// Some boxes nearest to a point: their squared distances and positions, the nearest first.
#[derive(Default)]
struct Few {
    point: Vec3,
    nearest: Vec<(f64, u32)>,
}

impl Few {
    /// Returns a squared distance from another point within which there are `count` boxes: the
    /// square of the farthest box's distance plus the distance between the two points.
    fn limit(&self, point: Vec3, count: usize) -> f64 {
        // More than the error of rounding.
        const ROUNDING: f64 = 1.0 + 1e-12;
        match self.nearest.get(count - 1) {
            Some((square, _)) => {
                let way = point.as_dvec3().distance(self.point.as_dvec3());
                ((square.sqrt() + way) * ROUNDING).powi(2) * ROUNDING
            }
            None => f64::INFINITY,
        }
    }
}

/// Inserts an entry into a sorted list of at most `most` entries.
#[inline(always)]
fn insert(nearest: &mut Vec<(f64, u32)>, here: (f64, u32), most: usize) {
    if nearest.len() == most {
        if nearest[most - 1] <= here {
            return;
        }
        nearest.pop();
    }
    nearest.push(here);
    let mut at = nearest.len() - 1;
    while at > 0 && here < nearest[at - 1] {
        nearest[at] = nearest[at - 1];
        at -= 1;
    }
    nearest[at] = here;
}

/// Returns the square of a valid distance, or an error.
fn square_of(distance: f32) -> Result<f64> {
    match (0.0..=COORDINATE_LIMIT).contains(&distance) {
        true => Ok(f64::from(distance).powi(2)),
        false => Err(Error::InvalidMargin {
            margin: distance.into(),
        }),
    }
}
