//! The distance and closest points of upright cuboids, in space and in plan.
//!
//! In plan, two disjoint convex polygons are closest at a corner of one of them: its distance from
//! the other rectangle is the distance to an edge if it projects onto that edge, otherwise the
//! distance to a corner. Clamping in the frame of the rectangle distinguishes the two. In space a
//! cuboid is the product of its rectangle and its interval, so the two gaps are the legs of a right
//! triangle.

use glam::{DVec2, DVec3};

use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::shapes::upright::record::{Upright, scale_of_squares};

impl Upright {
    /// Returns the distance between the two solids, including the gap in z; 0 if they collide.
    ///
    /// The error is at most about 1e-15 of the sum of the centers' distance and all half extents,
    /// so solids that just touch may have a distance of that size. O(1).
    ///
    /// ```
    /// use obbligato::{glam::DVec2, shape::Upright};
    /// # fn main() -> Result<(), obbligato::error::UprightProblem> {
    /// let table = Upright::new(DVec2::ZERO, DVec2::ONE, DVec2::X, [0.0, 1.0])?;
    /// let lamp = Upright::new(DVec2::new(4.0, 0.0), DVec2::ONE, DVec2::X, [2.5, 3.0])?;
    /// assert_eq!(table.plan_distance(&lamp), 2.0);
    /// assert_eq!(table.distance(&lamp), 2.5);
    /// # Ok(())
    /// # }
    /// ```
    pub fn distance(&self, other: &Self) -> f64 {
        hypotenuse(self.plan_distance(other), self.z_gap(other))
    }

    /// Returns the distance, and a point of each cuboid at that distance. If the cuboids collide,
    /// both are one point that they share.
    pub fn closest_points(&self, other: &Self) -> ClosestPoints {
        let [plan_a, plan_b] = self.plan_closest_points(other);
        let (z_a, z_b) = if self.z_max < other.z_min {
            (self.z_max, other.z_min)
        } else if other.z_max < self.z_min {
            (self.z_min, other.z_max)
        } else {
            let shared = self.z_min.max(other.z_min);
            (shared, shared)
        };
        ClosestPoints {
            distance: self.distance(other),
            on_a: DVec3::new(plan_a.x, plan_a.y, z_a),
            on_b: DVec3::new(plan_b.x, plan_b.y, z_b),
        }
    }

    /// Returns the distance between the rectangles in plan, regardless of height; 0 if they share a
    /// point.
    pub fn plan_distance(&self, other: &Self) -> f64 {
        if self.plan_gap(other) <= 0.0 {
            return 0.0;
        }
        let [a, b] = self.nearest_corner(other);
        hypotenuse(b.x - a.x, b.y - a.y)
    }

    /// Returns a point of each rectangle in plan, [`plan_distance`](Self::plan_distance) apart; the
    /// same point twice if they share one.
    pub fn plan_closest_points(&self, other: &Self) -> [DVec2; 2] {
        let points = if self.plan_gap(other) <= 0.0 {
            [self.shared_plan_point(other); 2]
        } else {
            self.nearest_corner(other)
        };
        points.map(|point| self.center + point)
    }

    /// Returns the gap between the z intervals; 0 if they share a point.
    fn z_gap(&self, other: &Self) -> f64 {
        (other.z_min - self.z_max).max(self.z_min - other.z_max).max(0.0)
    }

    /// Returns the closest pair of a corner and the other rectangle's nearest point to it, relative
    /// to the center of A.
    fn nearest_corner(&self, other: &Self) -> [DVec2; 2] {
        let origin = self.center;
        let of_a = self
            .corners_from(origin)
            .map(|corner| [corner, other.nearest_to(corner, origin)]);
        let of_b = other
            .corners_from(origin)
            .map(|corner| [self.nearest_to(corner, origin), corner]);
        let apart = (other.center - self.center).abs();
        let scale = scale_of_squares((apart + self.half_extents + other.half_extents).max_element());
        let squared = |[a, b]: [DVec2; 2]| ((a - b) * scale).length_squared();
        let mut nearest = of_a[0];
        for pair in of_a.into_iter().skip(1).chain(of_b) {
            if squared(pair) < squared(nearest) {
                nearest = pair;
            }
        }
        nearest
    }

    /// Returns the point of the rectangle nearest to `point`; both are relative to `origin`.
    fn nearest_to(&self, point: DVec2, origin: DVec2) -> DVec2 {
        let (axes, center) = (self.axes(), self.center - origin);
        let local = axes.transpose() * (point - center);
        if local.abs().cmple(self.half_extents).all() {
            return point;
        }
        center + axes * local.clamp(-self.half_extents, self.half_extents)
    }

    /// Returns a point in the middle of the rectangles' intersection, relative to the center of A:
    /// B clipped by the four sides of A (Sutherland and Hodgman, "Reentrant Polygon Clipping",
    /// 1974).
    fn shared_plan_point(&self, other: &Self) -> DVec2 {
        let axes = self.axes();
        let mut polygon = other.corners_from(self.center).to_vec();
        for (normal, reach) in [
            (axes.x_axis, self.half_extents.x),
            (-axes.x_axis, self.half_extents.x),
            (axes.y_axis, self.half_extents.y),
            (-axes.y_axis, self.half_extents.y),
        ] {
            // Rounding may have moved all of a flat rectangle beyond one side or the other.
            polygon = cut(&polygon, normal, reach + self.tolerance(other));
        }
        if polygon.is_empty() {
            return self.nearest_corner(other)[0];
        }
        let middle = polygon.iter().sum::<DVec2>() / polygon.len() as f64;
        self.nearest_to(middle, self.center)
    }
}

/// Returns the part of a convex polygon that extends at most `reach` along `normal`.
fn cut(polygon: &[DVec2], normal: DVec2, reach: f64) -> Vec<DVec2> {
    let mut kept = Vec::with_capacity(8);
    for (k, &start) in polygon.iter().enumerate() {
        let end = polygon[(k + 1) % polygon.len()];
        let beyond = [start, end].map(|point| normal.dot(point) - reach);
        if beyond[0] <= 0.0 {
            kept.push(start);
        }
        if (beyond[0] < 0.0 && beyond[1] > 0.0) || (beyond[0] > 0.0 && beyond[1] < 0.0) {
            kept.push(start.lerp(end, beyond[0] / (beyond[0] - beyond[1])));
        }
    }
    kept
}

/// Returns the length of a vector, without functions whose results differ between machines; exact
/// if one leg is zero.
fn hypotenuse(a: f64, b: f64) -> f64 {
    match (a == 0.0, b == 0.0) {
        (true, _) => b.abs(),
        (_, true) => a.abs(),
        _ => {
            let scale = scale_of_squares(a.abs().max(b.abs()));
            let [a, b] = [a * scale, b * scale];
            (a * a + b * b).sqrt() / scale
        }
    }
}
