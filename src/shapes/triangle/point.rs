//! The test of points on triangles, without rounding.

use glam::Vec3;

use crate::geometry::aabb::Aabb;
use crate::geometry::orientation::{above, area, areas};
use crate::shapes::triangle::record::Triangle;

impl Triangle {
    /// Returns `true` if a point is on the triangle, exactly; corners and edges belong to it. For a
    /// triangle whose corners are on one line, returns `true` if the point is on the segment.
    ///
    /// ```
    /// use obbligato::{glam::Vec3, shape::Triangle};
    /// let floor = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y);
    /// assert!(floor.contains(Vec3::new(0.5, 0.5, 0.0)));
    /// assert!(!floor.contains(Vec3::new(0.5, 0.5f32.next_up(), 0.0)));
    /// ```
    pub fn contains(&self, point: Vec3) -> bool {
        let [a, b, c] = self.corners;
        if !has_point(&self.bounds(), point) || above(a, b, c, point) != 0.0 {
            return false;
        }
        let seen = areas(a, b, c);
        let Some(axis) = (0..3).find(|&axis| seen[axis] != 0.0) else {
            return edges(self)
                .into_iter()
                .any(|[from, to]| segment_contains(from, to, point));
        };
        let turns = edges(self).map(|[from, to]| area(axis, from, to, point));
        turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0)
    }
}

/// Returns the edges of a triangle, in the order of its corners.
pub(crate) fn edges(triangle: &Triangle) -> [[Vec3; 2]; 3] {
    let [a, b, c] = triangle.corners;
    [[a, b], [b, c], [c, a]]
}

fn segment_contains(from: Vec3, to: Vec3, point: Vec3) -> bool {
    has_point(&Aabb::new(from.min(to), from.max(to)), point) && areas(from, to, point) == [0.0; 3]
}

/// Returns `true` if a point is in the closed box.
pub(crate) fn has_point(bounds: &Aabb, point: Vec3) -> bool {
    bounds.min.cmple(point).all() && point.cmple(bounds.max).all()
}
