//! Exact test of whether two triangles share a point.
//!
//! If the planes of two triangles cross, each triangle that reaches the other's plane meets the
//! line of intersection in an interval, and the triangles share a point if the intervals overlap.
//! Two volumes decide this, as in [`filter`](super::filter), but for closed intervals: those that
//! touch, and corners that touch, count.
//!
//! Otherwise both triangles lie in one plane, or one is a segment or a point. Two closed triangles,
//! these among them, share a point if and only if an edge of one meets the other: their
//! intersection is flat or part of one line, and its ends lie on edges. So edges are tested against
//! triangles.

use glam::Vec3;

use crate::narrow_phase::triangle_triangle::measures::{SIGN, area, volume};
use crate::shapes::triangle::point::edges;
use crate::shapes::triangle::record::Triangle;
use crate::shapes::triangle::set::{Neighbours, Triangles};

impl Triangle {
    /// Returns `true` if the two share a point, exactly; touching counts. Takes the signs of eight
    /// volumes, except for triangles in one plane and those whose corners are on one line.
    ///
    /// ```
    /// use obbligato::{glam::Vec3, shape::Triangle};
    /// let floor = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y);
    /// // The tip of the other lies on its longest edge.
    /// let tip = Vec3::new(0.5, 0.5, 0.0);
    /// assert!(floor.meets(&Triangle::new(tip, tip + Vec3::Z, tip + Vec3::ONE)));
    /// assert!(!floor.meets(&Triangle::new(tip + Vec3::Z, tip + Vec3::ONE, Vec3::ONE)));
    /// ```
    pub fn meets(&self, other: &Self) -> bool {
        if !self.bounds().overlaps(&other.bounds()) {
            return false;
        }
        let of_self = heights(self, other);
        if are_on_one_side(of_self) {
            return false;
        }
        // All heights are 0 if both are in one plane, but also if `other` is a segment or a point.
        let is_flat = of_self == [0.0; 3] && Normal::of(other).is_some();
        let of_other = if is_flat { [0.0; 3] } else { heights(other, self) };
        if are_on_one_side(of_other) {
            return false;
        }
        match (FromLone::of(self, of_self), FromLone::of(other, of_other)) {
            (Some(a), Some(b)) => intervals_meet(&a, &b),
            _ => edges_meet(self, other, of_self) || edges_meet(other, self, of_other),
        }
    }

    /// Returns `true` if all corners are on one line, exactly: the triangle is then a segment or a
    /// point.
    pub fn is_degenerate(&self) -> bool {
        Normal::of(self).is_none()
    }
}

impl Triangles<'_> {
    /// Returns `true` if the pair of the triangles at these positions counts.
    pub(crate) fn meet(self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.list[a], &self.list[b]);
        match self.neighbours {
            Neighbours::All => a.meets(b),
            Neighbours::Crossing => a.meets_in_mesh(b),
            Neighbours::None => !a.have_common_corner(b) && a.meets(b),
        }
    }
}

/// Returns a volume with its sign.
pub(super) fn above(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> f64 {
    volume([a, b, c, d], SIGN)
}

/// Returns the side of the plane of `b` on which each corner of `a` is, as a sign. All are 0 if `b`
/// has no plane.
pub(super) fn heights(a: &Triangle, b: &Triangle) -> [f64; 3] {
    let [p, q, r] = b.corners;
    a.corners.map(|corner| above(p, q, r, corner))
}

fn are_on_one_side(heights: [f64; 3]) -> bool {
    heights.iter().all(|&height| height > 0.0) || heights.iter().all(|&height| height < 0.0)
}

/// A triangle with its corners in cyclic order from the lone one. This is either in the plane, with
/// both others on one side of it, or on one side, with the others in the plane or on the other
/// side.
struct FromLone {
    corners: [Vec3; 3],
    /// `true` if the lone corner is above the others.
    is_above: bool,
}

impl FromLone {
    /// Returns `None` if all corners are in the plane. They must not all be on one side.
    fn of(triangle: &Triangle, heights: [f64; 3]) -> Option<Self> {
        (0..3).find_map(|k| {
            let [i, j] = [(k + 1) % 3, (k + 2) % 3];
            let (own, others) = (heights[k], [heights[i], heights[j]]);
            let is_lone = |own: f64, others: [f64; 2]| match own {
                0.0 => others.iter().all(|&other| other < 0.0),
                own => own > 0.0 && others.iter().all(|&other| other <= 0.0),
            };
            let is_above = is_lone(own, others);
            let is_below = is_lone(-own, others.map(|other| -other));
            (is_above || is_below).then(|| Self {
                corners: [k, i, j].map(|place| triangle.corners[place]),
                is_above,
            })
        })
    }
}

/// Returns `true` if the intervals overlap in which two triangles meet the line where their planes
/// cross.
fn intervals_meet(a: &FromLone, b: &FromLone) -> bool {
    let ([p, mut q, mut r], [p_b, mut q_b, mut r_b]) = (a.corners, b.corners);
    if !b.is_above {
        (q, r) = (r, q);
    }
    if !a.is_above {
        (q_b, r_b) = (r_b, q_b);
    }
    above(p, q, p_b, q_b) <= 0.0 && above(p, r, p_b, r_b) >= 0.0
}

/// Returns `true` if an edge of `a` shares a point with `b`, given the heights of the corners of
/// `a` over the plane of `b`.
fn edges_meet(a: &Triangle, b: &Triangle, heights: [f64; 3]) -> bool {
    let Some(normal) = Normal::of(b) else {
        return edges(a)
            .into_iter()
            .any(|edge| edges(b).into_iter().any(|other| segments_meet(edge, other)));
    };
    (0..3).any(|k| {
        let (next, edge) = ((k + 1) % 3, [a.corners[k], a.corners[(k + 1) % 3]]);
        match (heights[k], heights[next]) {
            (0.0, 0.0) => meets_in_plane(edge, b, normal),
            (from, to) if are_apart(from, to) => false,
            _ => line_meets(edge, b),
        }
    })
}

/// Returns `true` if both distances have the same sign and neither is 0. Their product may be too
/// small for `f64`.
pub(super) fn are_apart(a: f64, b: f64) -> bool {
    (a > 0.0 && b > 0.0) || (a < 0.0 && b < 0.0)
}

/// An axis along which a triangle is not seen edge on. The triangle turns counter-clockwise there
/// if `is_positive`.
#[derive(Clone, Copy)]
pub(super) struct Normal {
    pub axis: usize,
    pub is_positive: bool,
}

impl Normal {
    /// Returns `None` if all corners are on one line.
    pub fn of(triangle: &Triangle) -> Option<Self> {
        let [a, b, c] = triangle.corners;
        (0..3).find_map(|axis| {
            let area = area(axis, [a, b, c], SIGN);
            (area != 0.0).then_some(Self {
                axis,
                is_positive: area > 0.0,
            })
        })
    }

    /// Returns `true` if a triangle with this normal contains a point of its plane.
    pub fn sees_inside(self, corners: &[Vec3; 3], point: Vec3) -> bool {
        (0..3).all(|k| {
            let area = area(self.axis, [corners[k], corners[(k + 1) % 3], point], SIGN);
            if self.is_positive { area >= 0.0 } else { area <= 0.0 }
        })
    }
}

/// Returns `true` if the line of an edge passes through a triangle: if it does not pass two edges
/// on different sides. The ends of the edge must not be on one side of the triangle's plane, nor
/// both in it.
fn line_meets([p, q]: [Vec3; 2], triangle: &Triangle) -> bool {
    let [a, b, c] = triangle.corners;
    let sides = [above(p, q, a, b), above(p, q, b, c), above(p, q, c, a)];
    sides.iter().all(|&side| side >= 0.0) || sides.iter().all(|&side| side <= 0.0)
}

/// Returns `true` if an edge in the plane of a triangle meets it: it begins inside, or crosses an
/// edge.
fn meets_in_plane(edge: [Vec3; 2], triangle: &Triangle, normal: Normal) -> bool {
    normal.sees_inside(&triangle.corners, edge[0])
        || edges(triangle)
            .into_iter()
            .any(|other| cross_seen_along(normal.axis, edge, other))
}

/// Returns `true` if two segments share a point.
fn segments_meet([p, q]: [Vec3; 2], [r, s]: [Vec3; 2]) -> bool {
    if above(p, q, r, s) != 0.0 {
        return false;
    }
    // They are seen along an axis for which their plane is not edge on.
    let corners = [[p, q, r], [p, q, s], [r, s, p], [r, s, q]];
    let axis = (0..3).find(|&axis| corners.iter().any(|&corners| area(axis, corners, SIGN) != 0.0));
    match axis {
        Some(axis) => cross_seen_along(axis, [p, q], [r, s]),
        None => spans_meet([p, q], [r, s], 0..3),
    }
}

/// Returns `true` if two segments of one plane share a point, seen along an axis for which the
/// plane is not edge on.
fn cross_seen_along(axis: usize, [p, q]: [Vec3; 2], [r, s]: [Vec3; 2]) -> bool {
    let [from_r, from_s] = [r, s].map(|corner| area(axis, [p, q, corner], SIGN));
    let [from_p, from_q] = [p, q].map(|corner| area(axis, [r, s, corner], SIGN));
    let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
    !are_apart(from_r, from_s) && !are_apart(from_p, from_q) && spans_meet([p, q], [r, s], [u, v])
}

/// Returns `true` if the intervals that two segments cover along these axes overlap. For segments
/// on one line, this means that the segments overlap.
fn spans_meet([p, q]: [Vec3; 2], [r, s]: [Vec3; 2], axes: impl IntoIterator<Item = usize>) -> bool {
    axes.into_iter().all(|axis| {
        let ([p, q], [r, s]) = ([p[axis], q[axis]], [r[axis], s[axis]]);
        p.min(q) <= r.max(s) && r.min(s) <= p.max(q)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::split_mix::SplitMix;

    #[test]
    fn degenerate_triangles_meet_where_they_share_a_point() {
        let at = |x: i32, y: i32, z: i32| Vec3::new(x as f32, y as f32, z as f32);
        let floor = Triangle::new(at(0, 0, 0), at(4, 0, 0), at(0, 4, 0));
        let point = |p| Triangle::new(p, p, p);
        let segment = |p: Vec3, q| Triangle::new(p, (p + q) / 2.0, q);
        let cases = [
            (point(at(1, 1, 0)), true),
            (point(at(2, 2, 0)), true),
            (point(at(3, 2, 0)), false),
            (point(at(1, 1, 1)), false),
            (segment(at(1, 1, -1), at(1, 1, 1)), true),
            (segment(at(3, 3, -1), at(1, 1, 1)), true),
            (segment(at(3, 3, 0), at(-1, 5, 0)), false),
            (segment(at(-1, 2, 0), at(5, 2, 0)), true),
            (Triangle::new(at(0, 0, 0), at(-1, 0, 0), at(0, -1, 5)), true),
            (Triangle::new(at(1, 1, 0), at(2, 1, 0), at(1, 2, 0)), true),
            (Triangle::new(at(-9, -9, 0), at(30, -9, 0), at(-9, 30, 0)), true),
        ];
        for (other, expected) in cases {
            for turn in 0..3 {
                let mut turned = other;
                turned.corners.rotate_left(turn);
                assert_eq!(
                    (floor.meets(&turned), turned.meets(&floor)),
                    (expected, expected),
                    "{turned:?}"
                );
            }
        }
        assert!(segment(at(0, 0, 0), at(4, 4, 4)).meets(&segment(at(4, 0, 0), at(0, 4, 4))));
        assert!(!segment(at(0, 0, 0), at(4, 4, 4)).meets(&segment(at(5, 5, 5), at(6, 6, 6))));
        assert!(point(at(2, 2, 2)).meets(&segment(at(0, 0, 0), at(4, 4, 4))));
    }

    #[test]
    fn the_order_of_corners_and_of_triangles_does_not_matter() {
        let mut random = SplitMix(7);
        let mut met = 0;
        for _ in 0..20_000 {
            let mut corner = || Vec3::from(std::array::from_fn(|_| (random.next() % 4) as f32));
            let [a, b] = std::array::from_fn(|_| Triangle::new(corner(), corner(), corner()));
            let expected = a.meets(&b);
            let [p, q, r] = b.corners;
            for other in [Triangle::new(q, r, p), Triangle::new(r, q, p)] {
                assert_eq!((a.meets(&other), other.meets(&a)), (expected, expected), "{a:?} {b:?}");
            }
            met += usize::from(expected);
        }
        assert!((5_000..15_000).contains(&met), "{met}");
    }
}
