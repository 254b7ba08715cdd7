//! The intersection of two triangles: a point, a segment or a convex polygon.
//!
//! It is the convex hull of its extreme points. Such a point is inside one part of either triangle
//! (the whole, an edge or a corner), and the lines and planes of these two parts have no other
//! point in common. So it is a corner of one triangle that lies in the other, or a place where an
//! edge of one passes through the other, or where two edges cross. Signs decide each of these
//! cases, so the set of points is exact; only their coordinates are rounded.

use std::ops::ControlFlow;

use glam::{DVec3, Vec3};

use crate::narrow_phase::triangle_triangle::exact::{Normal, above, are_apart, heights};
use crate::narrow_phase::triangle_triangle::measures::{SIGN, VALUE, area, volume};
use crate::shapes::triangle::record::Triangle;

/// The largest number of corners of the intersection of two triangles.
const MOST: usize = 6;

/// The intersection of two triangles, which is convex: the hull of one to six points, without any
/// that the others imply.
///
/// The set of points is exact. Corners of the triangles are as stored. A point where an edge meets
/// the other triangle is computed in `f64` and rounded once, so each of its coordinates is off by
/// at most half a unit in the last place of an `f32`, plus 2^-34 of the edge's extent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleIntersection {
    points: [Vec3; MOST],
    count: usize,
}

impl TriangleIntersection {
    /// Returns one point; the two ends of a segment; or the corners of a polygon, in the order in
    /// which the first triangle's corners turn.
    pub fn points(&self) -> &[Vec3] {
        &self.points[..self.count]
    }
}

impl Triangle {
    /// Returns the intersection of the two triangles; `None` if and only if they do not
    /// [`meet`](Self::meets). Only coordinates are rounded: see [`TriangleIntersection`]. Triangles
    /// of two planes share a point or a segment.
    ///
    /// ```
    /// use obbligato::{glam::Vec3, shape::Triangle};
    /// let floor = Triangle::new(Vec3::ZERO, 4.0 * Vec3::X, 4.0 * Vec3::Y);
    /// let wall = Triangle::new(Vec3::new(1.0, 1.0, -1.0), Vec3::new(1.0, 9.0, -1.0), Vec3::new(1.0, 1.0, 1.0));
    /// let shared = floor.intersection(&wall).expect("they cross");
    /// assert_eq!(shared.points(), [Vec3::new(1.0, 3.0, 0.0), Vec3::new(1.0, 1.0, 0.0)]);
    /// ```
    pub fn intersection(&self, other: &Self) -> Option<TriangleIntersection> {
        if !self.bounds().overlaps(&other.bounds()) {
            return None;
        }
        let mut found = Found::default();
        let _ = visit_extremes(self, other, |extreme| {
            found.push(match extreme {
                Extreme::Corner(corner) => corner.as_dvec3(),
                Extreme::Crossing(point) => point,
            });
            ControlFlow::Continue(())
        });
        found.around(Normal::of(self))
    }

    /// Returns `true` if the two pass through each other, exactly: each has corners on both sides
    /// of the plane of the other, and they share a segment.
    pub fn passes_through(&self, other: &Self) -> bool {
        let are_on_both_sides = |heights: [f64; 3]| {
            heights.iter().any(|&height| height > 0.0) && heights.iter().any(|&height| height < 0.0)
        };
        are_on_both_sides(heights(self, other))
            && are_on_both_sides(heights(other, self))
            && self
                .intersection(other)
                .is_some_and(|shared| shared.points().len() == 2)
    }
}

/// An extreme point of the intersection of two triangles.
pub(super) enum Extreme {
    /// A corner of one that lies in the other.
    Corner(Vec3),
    /// A point inside an edge, where the edge passes through the inside of the other triangle or of
    /// one of its edges; rounded.
    Crossing(DVec3),
}

/// Calls `visit` once with each extreme point of the intersection of two triangles, until it
/// breaks.
pub(super) fn visit_extremes(
    a: &Triangle,
    b: &Triangle,
    mut visit: impl FnMut(Extreme) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let (a, b) = (Hull::of(a), Hull::of(b));
    let (of_a, of_b) = (a.heights_over(&b), b.heights_over(&a));
    for (k, &corner) in a.corners().iter().enumerate() {
        if b.contains(corner, of_a[k]) {
            visit(Extreme::Corner(corner))?;
        }
    }
    for (k, &corner) in b.corners().iter().enumerate() {
        if !a.corners().contains(&corner) && a.contains(corner, of_b[k]) {
            visit(Extreme::Corner(corner))?;
        }
    }
    for (hull, heights, other) in [(&a, of_a, &b), (&b, of_b, &a)] {
        for [from, to] in hull.edges() {
            if are_apart(heights[from], -heights[to])
                && let Some(point) = passes(hull.edge([from, to]), other)
            {
                visit(Extreme::Crossing(point))?;
            }
        }
    }
    for edge in a.edges() {
        for other in b.edges() {
            if let Some(point) = crossing(a.edge(edge), b.edge(other)) {
                visit(Extreme::Crossing(point))?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// The corners of a triangle, without any that the others imply: three, or fewer if all are on one
/// line.
struct Hull {
    corners: [Vec3; 3],
    count: usize,
    /// The normal, if there are three corners.
    normal: Option<Normal>,
}

impl Hull {
    fn of(triangle: &Triangle) -> Self {
        let mut corners = triangle.corners;
        let normal = Normal::of(triangle);
        let mut count = 3;
        if normal.is_none() {
            // Points of one line are in the same order along each axis on which they differ.
            let axis = (0..3).find(|&axis| corners.iter().any(|corner| corner[axis] != corners[0][axis]));
            if let Some(axis) = axis {
                corners.sort_by(|p, q| p[axis].total_cmp(&q[axis]));
                corners = [corners[0], corners[2], corners[2]];
            }
            count = if axis.is_some() { 2 } else { 1 };
        }
        Self { corners, count, normal }
    }

    fn corners(&self) -> &[Vec3] {
        &self.corners[..self.count]
    }

    /// Returns the indices of the corners of each edge.
    fn edges(&self) -> impl Iterator<Item = [usize; 2]> {
        let count = [0, 1, 3][self.count - 1];
        [[0, 1], [1, 2], [2, 0]].into_iter().take(count)
    }

    fn edge(&self, places: [usize; 2]) -> [Vec3; 2] {
        places.map(|place| self.corners[place])
    }

    /// Returns the side of the plane of the other on which each corner is; 0 if it has no plane.
    fn heights_over(&self, other: &Self) -> [f64; 3] {
        let [p, q, r] = other.corners;
        match other.normal {
            Some(_) => self.corners.map(|corner| above(p, q, r, corner)),
            None => [0.0; 3],
        }
    }

    /// Returns `true` if it contains a point that has this height over its plane.
    fn contains(&self, point: Vec3, height: f64) -> bool {
        match (self.normal, self.corners()) {
            (Some(normal), _) => height == 0.0 && normal.sees_inside(&self.corners, point),
            (None, &[p, q]) => {
                let is_within =
                    |axis: usize| p[axis].min(q[axis]) <= point[axis] && point[axis] <= p[axis].max(q[axis]);
                (0..3).all(|axis| is_within(axis) && area(axis, [p, q, point], SIGN) == 0.0)
            }
            (None, _) => self.corners[0] == point,
        }
    }
}

/// Returns the place where an edge, whose ends are on different sides of a plane, passes through
/// the inside of a triangle of that plane.
fn passes([p, q]: [Vec3; 2], triangle: &Hull) -> Option<DVec3> {
    triangle.normal?;
    let [a, b, c] = triangle.corners;
    let sides = [above(p, q, a, b), above(p, q, b, c), above(p, q, c, a)];
    let is_inside = sides.iter().all(|&side| side > 0.0) || sides.iter().all(|&side| side < 0.0);
    is_inside.then(|| between([p, q], [p, q].map(|end| volume([a, b, c, end], VALUE))))
}

/// Returns the place where two segments cross, if it is between the ends of each.
fn crossing([p, q]: [Vec3; 2], [r, s]: [Vec3; 2]) -> Option<DVec3> {
    if above(p, q, r, s) != 0.0 {
        return None;
    }
    // If they cross, no end is on the other's line, seen along an axis for which their plane is not
    // edge on.
    let axis = (0..3).find(|&axis| area(axis, [r, s, p], SIGN) != 0.0)?;
    let are_parted = |[p, q]: [Vec3; 2], [r, s]: [Vec3; 2]| {
        let [p, q] = [p, q].map(|end| area(axis, [r, s, end], SIGN));
        are_apart(p, -q)
    };
    let cross = are_parted([p, q], [r, s]) && are_parted([r, s], [p, q]);
    cross.then(|| between([p, q], [p, q].map(|end| area(axis, [r, s, end], VALUE))))
}

/// Returns the point of a segment at which a distance is 0, given the distances of its ends, which
/// have different signs.
fn between([p, q]: [Vec3; 2], [of_p, of_q]: [f64; 2]) -> DVec3 {
    // Starts from the nearer end.
    let (p, q, near, far) = match of_p.abs() <= of_q.abs() {
        true => (p.as_dvec3(), q.as_dvec3(), of_p, of_q),
        false => (q.as_dvec3(), p.as_dvec3(), of_q, of_p),
    };
    p + (q - p) * (near / (near - far))
}

/// The points found.
#[derive(Default)]
struct Found {
    points: [DVec3; MOST],
    count: usize,
}

impl Found {
    fn push(&mut self, point: DVec3) {
        if let Some(place) = self.points.get_mut(self.count) {
            *place = point;
            self.count += 1;
        }
    }

    /// Returns the points in order around their middle, as a triangle with this normal turns.
    fn around(mut self, normal: Option<Normal>) -> Option<TriangleIntersection> {
        let points = &mut self.points[..self.count];
        if let (3.., Some(normal)) = (points.len(), normal) {
            let (j, k) = ((normal.axis + 1) % 3, (normal.axis + 2) % 3);
            let middle = points.iter().sum::<DVec3>() / points.len() as f64;
            let sign = if normal.is_positive { 1.0 } else { -1.0 };
            let angle = |point: &DVec3| sign * (point[k] - middle[k]).atan2(point[j] - middle[j]);
            points.sort_by(|p, q| angle(p).total_cmp(&angle(q)));
        }
        (self.count > 0).then_some(TriangleIntersection {
            points: self.points.map(|point| point.as_vec3()),
            count: self.count,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::split_mix::SplitMix;

    #[test]
    fn intersections_exist_for_colliding_triangles_and_lie_in_both() {
        let mut random = SplitMix(3);
        let mut counts = [0; MOST + 1];
        for round in 0..60_000 {
            let size = [1, 2, 3, 5][round % 4];
            let flat = round / 4 % 2;
            let mut at = |flat: usize| match flat {
                0 => (random.next() % (size + 1)) as f32,
                _ => 0.0,
            };
            let mut corner = || Vec3::new(at(0), at(0), at(flat));
            let [a, b] = std::array::from_fn(|_| Triangle::new(corner(), corner(), corner()));
            let shared = a.intersection(&b);
            assert_eq!(shared.is_some(), a.meets(&b), "{a:?} {b:?}");
            let Some(shared) = shared else {
                counts[0] += 1;
                continue;
            };
            let points = shared.points();
            counts[points.len()] += 1;
            let turned = Triangle::new(b.corners[2], b.corners[1], b.corners[0]);
            let other = turned.intersection(&a).expect("they meet");
            assert_eq!(points.len(), other.points().len(), "{a:?} {b:?}");
            for point in points {
                let near = |other: &&Vec3| (*point - **other).abs().max_element() < 1e-6;
                assert!(other.points().iter().any(|other| near(&other)), "{a:?} {b:?}");
                for triangle in [a, b] {
                    let bounds = triangle.bounds();
                    assert_eq!(point.clamp(bounds.min, bounds.max), *point, "{triangle:?} {point}");
                }
            }
            for k in 0..points.len() * usize::from(points.len() > 2) {
                let at = |step: usize| points[(k + step) % points.len()];
                let turn = (at(1) - at(0)).cross(at(2) - at(1));
                let own = (a.corners[1] - a.corners[0]).cross(a.corners[2] - a.corners[0]);
                assert!(turn.dot(own) > 0.0, "{a:?} {b:?} {points:?}");
            }
        }
        assert!(counts.iter().all(|&count| count > 5), "{counts:?}");
    }
}
