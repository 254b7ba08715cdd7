//! Rectangles in plan by the separating-axis test: the sides of both are the only directions in which convex polygons with these
//! sides can be apart (Gottschalk, Lin and Manocha, "OBBTree", 1996, section 5, for two dimensions).

use glam::DVec2;

use super::Upright;

impl Upright {
    /// Whether the rectangles in plan share a point, by the four axes of their sides. See
    /// [`PLAN_TOLERANCE`](super::PLAN_TOLERANCE).
    ///
    /// With z ([`Upright::overlaps`]) these are the five axes that take the place of fifteen. O(1).
    pub fn plan_overlaps(&self, other: &Self) -> bool {
        self.plan_gap(other) <= self.tolerance(other)
    }

    /// The largest gap along the four axes: above zero it separates; else it is minus the least overlap.
    pub(super) fn plan_gap(&self, other: &Self) -> f64 {
        let (a, b) = (self.axes(), other.axes());
        let apart = other.center - self.center;
        // Column j has the coordinates of axis j of B in the frame of A.
        let turn = (a.transpose() * b).abs();
        let of_a = (a.transpose() * apart).abs() - self.half_extents - turn * other.half_extents;
        let of_b = (b.transpose() * apart).abs() - other.half_extents - turn.transpose() * self.half_extents;
        DVec2::max(of_a, of_b).max_element()
    }
}
