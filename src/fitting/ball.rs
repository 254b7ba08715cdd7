//! The least ball around points.
//!
//! It is known by the two to four points on its surface. Whoever is farthest outside the least ball of some points is on the surface of the
//! next one, together with some of theirs (Welzl, "Smallest Enclosing Disks", 1991; the farthest point as pivot: Gärtner, "Fast and Robust
//! Smallest Enclosing Balls", 1999). The balls grow, so this ends, after some ten passes; the least ball of at most five points
//! is the least of those through up to four of them that has the others, whatever is degenerate among them.

use glam::{DMat3, DVec3, Vec3};

use crate::base::error::Result;
use crate::base::parallel;
use crate::fitting::cloud::Cloud;
use crate::geometry::rounding::above;
use crate::shapes::round::sphere::Sphere;

/// A ball has a point that is beyond its surface by no more than this part of its squared radius: an `f32` has fewer digits.
const SLACK: f64 = 1e-9;
/// What rounding can do to a squared distance in f64, relative to it: 6 u, for u = half of [`f64::EPSILON`].
const ERROR: f64 = 4.0 * f64::EPSILON;

impl Sphere {
    /// The least ball around points, up to the rounding of its numbers.
    ///
    /// Every point is in the ball without rounding, for exactly the `f32`s of both. O(n) on all cores, for some ten passes over the points.
    /// The radius may exceed [`COORDINATE_LIMIT`](crate::COORDINATE_LIMIT) if points come close to it.
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
            // Where rounding has the last word, the radius is made to fit below.
            if larger.square <= ball.square {
                break;
            }
            ball = larger;
        }
        let center = (middle + ball.center).as_vec3();
        Ok(enclose(&cloud, center))
    }
}

/// The point that is farthest from a place, the first of them, and its squared distance.
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

/// A ball, and the points on its surface that make it the least around them.
struct Ball {
    center: DVec3,
    /// Of its radius.
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

    /// The least ball around the points on the surface of this one and a point outside, which is on its surface.
    fn with(&self, outside: DVec3) -> Self {
        let mut least = Self {
            center: self.center,
            square: f64::INFINITY,
            support: Vec::new(),
        };
        for subset in 1..1u32 << self.support.len() {
            let chosen = self.support.iter().enumerate().filter(|(k, _)| subset >> k & 1 == 1);
            let mut support: Vec<DVec3> = chosen.map(|(_, point)| *point).collect();
            if support.len() > 3 {
                continue;
            }
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
            // Nothing but rounding has it so.
            false => Self::at(self.center),
        }
    }
}

/// The center and squared radius of the least ball with two to four points on its surface, if there is one.
///
/// From the last point the center is at the sum of `k_i v_i`, v being the ways to the others, with `2 v_j · Σ k_i v_i = v_j · v_j`.
fn through(points: &[DVec3]) -> Option<(DVec3, f64)> {
    let (last, others) = points.split_last()?;
    let mut ways = [DVec3::ZERO; 3];
    for (way, point) in ways.iter_mut().zip(others) {
        *way = *point - *last;
    }
    let [u, v, w] = ways;
    let n = others.len();
    // In place of ways that are not there: at right angles to the others, and of length 1.
    let (v, w) = match n {
        1 => u.try_normalize()?.any_orthonormal_pair(),
        2 => (v, u.cross(v).try_normalize()?),
        _ => (v, w),
    };
    let system = DMat3::from_cols(u, v, w).transpose();
    let squares = DVec3::new(
        u.length_squared(),
        if n > 1 { v.length_squared() } else { 0.0 },
        if n > 2 { w.length_squared() } else { 0.0 },
    );
    let from_last = system.inverse() * (0.5 * squares);
    from_last
        .is_finite()
        .then(|| (*last + from_last, from_last.length_squared()))
}

/// The ball about a center, with the least radius that is enough for all points.
fn enclose(cloud: &Cloud, center: Vec3) -> Sphere {
    let (_, square) = farthest(cloud, center.as_dvec3());
    // The least that it may be; a point that needs more is one that f64 cannot tell.
    let mut ball = Sphere::new(center, above((square * (1.0 - ERROR)).sqrt() * (1.0 - f64::EPSILON)));
    while !has_all(cloud, &ball) {
        ball.radius = ball.radius.next_up();
    }
    ball
}

/// Whether all points are in a ball, without rounding.
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
