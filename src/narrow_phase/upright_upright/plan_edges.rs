//! Rectangles in plan by their edges: they share a point if an edge of one meets an edge of the
//! other, or if one contains the other. The signed distances of the corners of one from the edges
//! of the other decide that.

use glam::DVec2;

use crate::shapes::upright::record::Upright;

impl Upright {
    /// Returns `true` if the rectangles in plan share a point. Tests edges against edges, including
    /// parallel and collinear ones, then corners against edges, for rectangles inside one another.
    ///
    /// Agrees with [`Upright::plan_overlaps`], which is several times as fast, except for
    /// rectangles at most a few times the [tolerance](crate::shape::PLAN_TOLERANCE) apart: both
    /// detect longer gaps. O(1), 16 pairs of edges and 8 corners.
    pub fn plan_overlaps_by_edges(&self, other: &Self) -> bool {
        let tolerance = self.tolerance(other);
        let (a, b) = (self.corners_from(self.center), other.corners_from(self.center));
        let edges = [edges(&a, self.direction), edges(&b, other.direction)];
        let crossing = edges[0].iter().any(|p| edges[1].iter().any(|q| p.meets(q, tolerance)));
        let within = |corners: &[DVec2; 4], edges: &[Edge; 4]| {
            let inside = |corner: &DVec2| edges.iter().all(|edge| edge.side(*corner) >= -tolerance);
            corners.iter().any(inside)
        };
        crossing || within(&b, &edges[0]) || within(&a, &edges[1])
    }
}

/// An edge of a rectangle that lies on its left.
struct Edge {
    start: DVec2,
    end: DVec2,
    /// From start to end, of length 1, even for edges of zero length.
    direction: DVec2,
}

/// Returns the edges of a rectangle between counter-clockwise corners, the first along `direction`.
fn edges(corners: &[DVec2; 4], direction: DVec2) -> [Edge; 4] {
    let directions = [direction, direction.perp(), -direction, -direction.perp()];
    std::array::from_fn(|k| Edge {
        start: corners[k],
        end: corners[(k + 1) % 4],
        direction: directions[k],
    })
}

impl Edge {
    /// Returns the signed distance of a point from the edge's line, positive on its left, where the
    /// rectangle is.
    fn side(&self, point: DVec2) -> f64 {
        self.direction.perp_dot(point - self.start)
    }

    /// Returns `true` if the other edge reaches this one's line and, projected onto the line, this
    /// edge.
    fn reaches(&self, other: &Self, tolerance: f64) -> bool {
        let sides = [self.side(other.start), self.side(other.end)];
        let along = [other.start, other.end, self.end].map(|point| self.direction.dot(point - self.start));
        let [from, to, length] = along;
        let across = sides[0].min(sides[1]) <= tolerance && sides[0].max(sides[1]) >= -tolerance;
        across && from.min(to) <= length + tolerance && from.max(to) >= -tolerance
    }

    /// Returns `true` if two edges share a point: each reaches the other's line. For parallel lines
    /// this means that the lines coincide, and the positions along the line decide; for all others
    /// these conditions are implied.
    fn meets(&self, other: &Self, tolerance: f64) -> bool {
        self.reaches(other, tolerance) && other.reaches(self, tolerance)
    }
}
