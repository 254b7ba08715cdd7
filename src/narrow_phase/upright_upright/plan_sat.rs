//! Rectangles in plan by the separating-axis test: the sides of both are the only directions that
//! can separate convex polygons with these sides (Gottschalk, Lin and Manocha, "OBBTree", 1996,
//! section 5, for two dimensions).

use glam::DVec2;

use crate::shapes::upright::record::Upright;

impl Upright {
    /// Returns `true` if the rectangles in plan share a point, by the four axes of their sides. See
    /// [`PLAN_TOLERANCE`](crate::shape::PLAN_TOLERANCE).
    ///
    /// Together with z ([`Upright::overlaps`]) these are the five axes that replace fifteen. O(1).
    pub fn plan_overlaps(&self, other: &Self) -> bool {
        self.plan_gap(other) <= self.tolerance(other)
    }

    /// Returns the largest gap along the four axes: it separates if above zero; otherwise it is
    /// minus the smallest overlap.
    pub(super) fn plan_gap(&self, other: &Self) -> f64 {
        let (a, b) = (self.axes(), other.axes());
        let apart = other.center - self.center;
        // Column j holds axis j of B in the frame of A.
        let turn = (a.transpose() * b).abs();
        let of_a = (a.transpose() * apart).abs() - self.half_extents - turn * other.half_extents;
        let of_b = (b.transpose() * apart).abs() - other.half_extents - turn.transpose() * self.half_extents;
        DVec2::max(of_a, of_b).max_element()
    }
}
