//! Rectangles in plan by their edges: they share a point if an edge of one meets an edge of the other, or if one holds the other,
//! which signed distances of its corners from the edges of the other tell.

use glam::DVec2;

use super::Upright;

impl Upright {
    /// Whether the rectangles in plan share a point: edges against edges, parallel and collinear ones included, and then corners
    /// against edges, for rectangles within one another.
    ///
    /// The answer is that of [`Upright::plan_overlaps`], which is several times as fast, unless they are apart by no more than a few times
    /// the [tolerance](super::PLAN_TOLERANCE): both see gaps that are longer. O(1), 16 pairs of edges and 8 corners.
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

/// An edge of a rectangle, which is on its left.
struct Edge {
    start: DVec2,
    end: DVec2,
    /// From start to end, of length 1, for edges of no length too.
    direction: DVec2,
}

/// The edges of a rectangle between counter-clockwise corners, the first along `direction`.
fn edges(corners: &[DVec2; 4], direction: DVec2) -> [Edge; 4] {
    let directions = [direction, direction.perp(), -direction, -direction.perp()];
    std::array::from_fn(|k| Edge {
        start: corners[k],
        end: corners[(k + 1) % 4],
        direction: directions[k],
    })
}

impl Edge {
    /// The signed distance of a point from the edge's line, positive on its left, where the rectangle is.
    fn side(&self, point: DVec2) -> f64 {
        self.direction.perp_dot(point - self.start)
    }

    /// Whether the other edge reaches this one's line, and, seen along the line, this edge.
    fn reaches(&self, other: &Self, tolerance: f64) -> bool {
        let sides = [self.side(other.start), self.side(other.end)];
        let along = [other.start, other.end, self.end].map(|point| self.direction.dot(point - self.start));
        let [from, to, length] = along;
        let across = sides[0].min(sides[1]) <= tolerance && sides[0].max(sides[1]) >= -tolerance;
        across && from.min(to) <= length + tolerance && from.max(to) >= -tolerance
    }

    /// Whether two edges share a point: each reaches the other's line. On parallel lines that means that the lines are one, and there
    /// the places along it decide; for all others these are implied.
    fn meets(&self, other: &Self, tolerance: f64) -> bool {
        self.reaches(other, tolerance) && other.reaches(self, tolerance)
    }
}
