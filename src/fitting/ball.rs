//! The smallest sphere around points.
//!
//! It is determined by the two to four points on its surface. The point that is farthest outside
//! the smallest sphere of some points is on the surface of the next one, together with some of
//! theirs (Welzl, "Smallest Enclosing Disks", 1991; the farthest point as pivot: Gärtner, "Fast and
//! Robust Smallest Enclosing Balls", 1999). The spheres grow, so this ends, after about ten passes.
//! The smallest sphere of at most five points is the smallest of those through up to four of them
//! that contain the others, even in degenerate cases.

use glam::{DMat3, DVec3, Vec3};

use crate::base::error::Result;
use crate::base::parallel;
use crate::fitting::cloud::Cloud;
use crate::geometry::rounding::above;
use crate::shapes::round::sphere::Sphere;

/// The part of its squared radius by which a sphere's points may be beyond its surface: an `f32`
/// has fewer digits.
const SLACK: f64 = 1e-9;
/// A bound above the relative rounding error of a squared distance in f64, which is 6 u, for u =
/// half of [`f64::EPSILON`].
const ERROR: f64 = 4.0 * f64::EPSILON;

impl Sphere {
    /// Returns the smallest sphere around points, up to the rounding of its numbers.
    ///
    /// Every point is in the sphere without rounding, for exactly the `f32`s of both. O(n) on all
    /// cores, for about ten passes over the points. The radius may exceed
    /// [`COORDINATE_LIMIT`](crate::shape::COORDINATE_LIMIT) if points come close to it.
    ///
    /// # Errors
    /// Those of [`Obb::around`](crate::Obb::around).
    ///
    /// ```
    /// use obbligato::{Sphere, glam::Vec3};
    /// let found = Sphere::around(&[Vec3::X, -Vec3::X, Vec3::Y, Vec3::ZERO])?;
    /// assert_eq!(found, Sphere::new(Vec3::ZERO, 1.0));
    /// # Ok::<(), obbligato::Error>(())
    /// ```
    pub fn around(points: &[Vec3]) -> Result<Self> {
        let cloud = Cloud::new(points, None)?;
        let middle = cloud.middle().as_dvec3();
        let mut ball = Ball::at(cloud.points[0].as_dvec3() - middle);
        loop {
            let (farthest, square) = farthest(&cloud, middle + ball.center);
            if square <= ball.square * (1.0 + SLACK) {
                break;
            }
            let larger = ball.with(farthest - middle);
            // Rounding prevents further growth; the radius is made to fit below.
            if larger.square <= ball.square {
                break;
            }
            ball = larger;
        }
        let center = (middle + ball.center).as_vec3();
        Ok(enclose(&cloud, center))
    }
}

/// Returns the point that is farthest from a center, the first of several, and its squared
/// distance.
fn farthest(cloud: &Cloud, from: DVec3) -> (DVec3, f64) {
    let parts = cloud.map_ranges(|range| {
        let mut farthest = (cloud.points[range.start], -1.0);
        for &point in &cloud.points[range] {
            let square = (point.as_dvec3() - from).length_squared();
            if square > farthest.1 {
                farthest = (point, square);
            }
        }
        farthest
    });
    let farthest = parts.into_iter().reduce(|a, b| if b.1 > a.1 { b } else { a });
    farthest.map_or((from, 0.0), |(point, square)| (point.as_dvec3(), square))
}

/// A sphere, and the points on its surface that make it the smallest around them.
struct Ball {
    center: DVec3,
    /// The squared radius.
    square: f64,
    support: Vec<DVec3>,
}

impl Ball {
    fn at(point: DVec3) -> Self {
        Self {
            center: point,
            square: 0.0,
            support: vec![point],
        }
    }

    /// Returns the smallest sphere around the points on the surface of this one and a point
    /// outside, which is on its surface.
    fn with(&self, outside: DVec3) -> Self {
        let mut least = Self {
            center: self.center,
            square: f64::INFINITY,
            support: Vec::new(),
        };
        for subset in 1..1u32 << self.support.len() {
            let chosen = self.support.iter().enumerate().filter(|(k, _)| subset >> k & 1 == 1);
            let mut support: Vec<DVec3> = chosen.map(|(_, point)| *point).collect();
            support.push(outside);
            let Some((center, square)) = through(&support) else {
                continue;
            };
            let has = |point: &DVec3| point.distance_squared(center) <= square * (1.0 + SLACK);
            if square < least.square && self.support.iter().all(has) {
                least = Self {
                    center,
                    square,
                    support,
                };
            }
        }
        match least.square.is_finite() {
            true => least,
            // Only rounding can cause this.
            false => Self::at(self.center),
        }
    }
}

/// Returns the center and squared radius of the smallest sphere with two to four points on its
/// surface, if there is one.
///
/// Relative to the last point, the center `c` is in the span of the vectors `v` to the others, with
/// `2 v · c = v · v` for each.
fn through(points: &[DVec3]) -> Option<(DVec3, f64)> {
    let (last, others) = points.split_last()?;
    let from_last = match *others {
        [a] => 0.5 * (a - *last),
        [a, b] => {
            let (u, v) = (a - *last, b - *last);
            let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
            (u * (vv * (uu - uv)) + v * (uu * (vv - uv))) / (2.0 * (uu * vv - uv * uv))
        }
        [a, b, c] => {
            let ways = DMat3::from_cols(a - *last, b - *last, c - *last);
            let squares = DVec3::from_array([0, 1, 2].map(|k| ways.col(k).length_squared()));
            ways.transpose().inverse() * (0.5 * squares)
        }
        _ => return None,
    };
    from_last
        .is_finite()
        .then(|| (*last + from_last, from_last.length_squared()))
}

/// Returns the sphere about a center, with the smallest radius that suffices for all points.
fn enclose(cloud: &Cloud, center: Vec3) -> Sphere {
    let (_, square) = farthest(cloud, center.as_dvec3());
    // A lower bound of the radius; only points that f64 cannot decide need more.
    let mut ball = Sphere::new(center, above((square * (1.0 - ERROR)).sqrt() * (1.0 - f64::EPSILON)));
    while !has_all(cloud, &ball) {
        ball.radius = ball.radius.next_up();
    }
    ball
}

/// Returns `true` if all points are in a sphere, without rounding.
fn has_all(cloud: &Cloud, ball: &Sphere) -> bool {
    let (center, radius) = (ball.center.as_dvec3(), f64::from(ball.radius));
    let certain = radius * radius * (1.0 - 2.0 * ERROR);
    let has = |point: &Vec3| {
        let square = (point.as_dvec3() - center).length_squared();
        square <= certain || Sphere::new(*point, 0.0).contact(ball).collides()
    };
    let work = |range: std::ops::Range<usize>| cloud.points[range].iter().all(has);
    parallel::fold_ranges(cloud.points.len(), || true, work, |a, b| a && b)
}
