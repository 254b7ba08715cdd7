//! Upright cuboids from their four corners in plan, in any order.

use glam::DVec2;

use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::base::problem::{COORDINATE_LIMIT, UprightProblem};
use crate::shapes::upright::record::Upright;

/// The largest accepted distance of the given corners from those of the fitted rectangle: a
/// thousandth of its diagonal, plus 2^-22 of the largest coordinate, which is four times the error
/// of coordinates in `f32`.
///
/// A smaller tolerance would reject furniture whose corners are written to the millimetre; a larger
/// one would accept quadrilaterals never meant as rectangles.
pub const CORNER_TOLERANCE: f64 = 1e-3;

/// The part of the tolerance that covers coordinates in `f32`.
const COORDINATE_TOLERANCE: f64 = 1.0 / (1u64 << 22) as f64;

impl Upright {
    /// Creates the cuboid over four corners in plan, in any order, from `z_min` to `z_max`.
    ///
    /// The corners are sorted counter-clockwise. The rectangle has their center, the direction of
    /// its longer sides, and the mean lengths of its sides. Corners that form a rectangle except
    /// for rounding give that rectangle; others differ from it by at most [`CORNER_TOLERANCE`].
    /// Corners on one line, or all at one point, are allowed.
    ///
    /// # Errors
    /// [`UprightProblem`]: NaN or infinite numbers, `z_min` above `z_max`, no rectangle, or
    /// coordinates that are too large.
    ///
    /// ```
    /// use obbligato::{error::UprightProblem, shape::Upright};
    /// let diamond = Upright::from_corners([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]], 0.0, 2.0);
    /// assert!((diamond.unwrap().half_extents().x - 0.5f64.sqrt()).abs() < 1e-15);
    /// let kite = Upright::from_corners([[1.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0]], 0.0, 2.0);
    /// assert!(matches!(kite, Err(UprightProblem::NoRectangle { .. })));
    /// ```
    pub fn from_corners(corners: [[f64; 2]; 4], z_min: f64, z_max: f64) -> Result<Self, UprightProblem> {
        let corners = corners.map(DVec2::from);
        let finite = corners.iter().all(|corner| corner.is_finite()) && z_min.is_finite() && z_max.is_finite();
        let largest = corners
            .iter()
            .map(|corner| corner.abs().max_element())
            .fold(0.0, f64::max);
        if !finite {
            return Err(UprightProblem::NotFinite);
        }
        if z_min > z_max {
            return Err(UprightProblem::Inverted);
        }
        if largest.max(-z_min).max(z_max) > f64::from(COORDINATE_LIMIT) {
            return Err(UprightProblem::TooLarge);
        }
        // Using the first corner as the origin preserves the precision of distant cuboids.
        let origin = corners[0];
        let ordered = counter_clockwise(corners.map(|corner| corner - origin));
        let rectangle = fitted(&ordered);
        if rectangle.half_extents.max_element() > f64::from(COORDINATE_LIMIT) {
            return Err(UprightProblem::TooLarge);
        }
        let fit = rectangle.corners_from(DVec2::ZERO);
        let off = ordered
            .iter()
            .zip(fit)
            .map(|(given, fit)| given.distance(fit))
            .fold(0.0, f64::max);
        let diagonal = 2.0 * rectangle.half_extents.length();
        let tolerance = CORNER_TOLERANCE * diagonal + COORDINATE_TOLERANCE * largest;
        if off > tolerance {
            return Err(UprightProblem::NoRectangle { off, tolerance });
        }
        Ok(Self {
            center: origin + rectangle.center,
            z_min,
            z_max,
            ..rectangle
        })
    }

    /// Creates cuboids from rows of ten numbers: four corners in plan, x and y each, in any order,
    /// `z_min` and `z_max`; see [`Upright::from_corners`]. O(n).
    ///
    /// # Errors
    /// [`Error::InvalidUpright`] names the first invalid cuboid and the number of invalid ones;
    /// [`Error::OutOfMemory`].
    pub fn from_rows(rows: &[[f64; 10]]) -> Result<Vec<Self>> {
        let mut first = None;
        let mut count = 0;
        let mut cuboids = Vec::new();
        memory::reserve(&mut cuboids, rows.len(), "upright cuboids")?;
        for (index, &[x0, y0, x1, y1, x2, y2, x3, y3, z_min, z_max]) in rows.iter().enumerate() {
            match Self::from_corners([[x0, y0], [x1, y1], [x2, y2], [x3, y3]], z_min, z_max) {
                Ok(cuboid) => cuboids.push(cuboid),
                Err(problem) => {
                    first.get_or_insert((index, problem));
                    count += 1;
                }
            }
        }
        match first {
            Some((index, problem)) => Err(Error::InvalidUpright { index, problem, count }),
            None => Ok(cuboids),
        }
    }

    /// Returns the corners in plan, counter-clockwise seen from above, rounded to `f64`.
    pub fn corners(&self) -> [[f64; 2]; 4] {
        let corners = self.corners_from(self.center);
        corners.map(|corner| (self.center + corner).into())
    }
}

/// Sorts the corners of a rectangle counter-clockwise: a chain from neighbour to neighbour, then
/// the sign of the area.
///
/// The second corner is the one nearest to the first, the end of a shorter side. The third would be
/// the one nearest to the second; but a long side may be only minimally shorter than the diagonal,
/// so the third is the one that leaves opposite sides equal.
fn counter_clockwise([first, p, q, r]: [DVec2; 4]) -> [DVec2; 4] {
    let near = |corner: DVec2| corner.distance_squared(first);
    let (second, p, q) = if near(p) <= near(q) && near(p) <= near(r) {
        (p, q, r)
    } else if near(q) <= near(r) {
        (q, r, p)
    } else {
        (r, p, q)
    };
    let unequal = |third: DVec2, fourth: DVec2| ((third - second) - (fourth - first)).length_squared();
    let (third, fourth) = if unequal(p, q) <= unequal(q, p) { (p, q) } else { (q, p) };
    let doubled_area = (third - first).perp_dot(fourth - second);
    if doubled_area < 0.0 {
        [first, fourth, third, second]
    } else {
        [first, second, third, fourth]
    }
}

/// Returns the rectangle with the center, direction and mean side lengths of counter-clockwise
/// corners, with zero height. Its corners come in the same order.
fn fitted([a, b, c, d]: &[DVec2; 4]) -> Upright {
    let x = 0.25 * ((b - a) + (c - d));
    let y = 0.25 * ((d - a) + (c - b));
    let along = if x.length_squared() >= y.length_squared() {
        x
    } else {
        -y.perp()
    };
    let direction = along.normalize_or(DVec2::X);
    Upright {
        center: 0.25 * (a + b + c + d),
        half_extents: DVec2::new(x.dot(direction), y.dot(direction.perp())).max(DVec2::ZERO),
        direction,
        z_min: 0.0,
        z_max: 0.0,
    }
}
