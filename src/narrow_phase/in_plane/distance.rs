//! Distances and closest points in the plane: those of the cores, less the radii.

use crate::narrow_phase::in_plane::pair::PlanePair;
use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::narrow_phase::round::distance::{gap, middle_of_common};

impl PlanePair<'_> {
    /// Returns the distance of the bodies, and their closest points; a common point if they
    /// collide.
    pub fn closest_points(&self) -> ClosestPoints {
        let (two, swapped) = self.figures();
        let best = two.best_axis();
        let nearest = two.nearest();
        let way = nearest.way();
        let (towards, length) = match way.length() {
            length if best.gap > 0.0 && length > 0.0 => (way / length, length),
            _ => (best.normal, best.gap),
        };
        let [a, b] = [two.0[0].radius, two.0[1].radius];
        let found = gap(length, two.reach(), two.error(), self.collide);
        let [on_a, on_b] = match found {
            Some(_) => [nearest.points[0] + a * towards, nearest.points[1] - b * towards],
            None if best.gap > 0.0 => [nearest.points[0] + middle_of_common(length, [a, b]) * towards; 2],
            None => [two.common_point(); 2],
        };
        let in_world = |point: glam::DVec2| (self.origin(swapped) + point).extend(0.0);
        let closest = ClosestPoints {
            distance: found.unwrap_or(0.0),
            on_a: in_world(on_a),
            on_b: in_world(on_b),
        };
        if swapped { closest.swapped() } else { closest }
    }
}
