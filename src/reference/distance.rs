//! The distance of two boxes from all their features: every corner with every face, every edge with every edge.

use glam::DVec3;

use crate::geometry::pair::Pair;
use crate::reference::{Sphere, columns, contact, corners, frame, gather, normal};
use crate::shapes::obb::record::Obb;

/// Edges with a smaller sine between them are left out: their ends, which are corners, are as close but for this part of
/// their length.
const PARALLEL_SINE: f64 = 1e-14;

/// The distance of the two boxes as closed solids, in the caller's unit; 0 if they collide. Groups play no part.
///
/// The least over 96 pairs of a corner and a face and 144 pairs of edges, none left out for a reason. The error is some 1e-15 of
/// the centers' distance and the half extents together.
pub fn distance(a: &Obb, b: &Obb) -> f64 {
    if contact(a, b).collides() {
        return 0.0;
    }
    // About the midpoint of the centers: far from the origin no digit is lost.
    let half_way = (b.center.as_dvec3() - a.center.as_dvec3()) / 2.0;
    let (a, b) = (Features::new(a, -half_way), Features::new(b, half_way));
    a.corners_to_faces(&b)
        .min(b.corners_to_faces(&a))
        .min(a.edges_to_edges(&b))
}

/// Every pair of boxes no further apart than `margin`, sorted, with its distance; the groups of both boxes must meet.
///
/// O(n^2) pairs, of which only those with bounding spheres so near are looked at closely.
pub fn pairs_within(boxes: &[Obb], margin: f64) -> Vec<(Pair, f64)> {
    let spheres: Vec<Sphere> = boxes
        .iter()
        .map(|solid| Sphere::around(solid).widened(margin / 2.0))
        .collect();
    gather(boxes.len(), |i| {
        (i + 1..boxes.len())
            .filter(|&j| spheres[i].reaches(&spheres[j]) && boxes[i].groups_meet(&boxes[j]))
            .map(|j| (Pair::new(i as u32, j as u32), distance(&boxes[i], &boxes[j])))
            .filter(|&(_, distance)| distance <= margin)
            .collect()
    })
}

/// A box in pieces.
struct Features {
    /// By the signs of their coordinates in the box's frame: bit k is set where coordinate k is positive.
    corners: [DVec3; 8],
    /// The directions of its edges, of length 1.
    axes: [DVec3; 3],
    /// The lengths of its edges.
    lengths: DVec3,
}

impl Features {
    fn new(solid: &Obb, center: DVec3) -> Self {
        let frame = frame(solid);
        Self {
            corners: corners(solid, &frame, center),
            axes: columns(&frame),
            lengths: 2.0 * solid.half_extents.as_dvec3(),
        }
    }

    /// Edges as their beginning and the axis along which they run.
    fn edges(&self) -> impl Iterator<Item = (DVec3, usize)> {
        let begins = |axis: usize| (0..8).filter(move |corner| corner >> axis & 1 == 0);
        (0..3).flat_map(move |axis| begins(axis).map(move |corner| (self.corners[corner], axis)))
    }

    /// Faces as one corner and the two axes along which they extend from there.
    fn faces(&self) -> impl Iterator<Item = (DVec3, [usize; 2])> {
        [(0, [1, 2]), (1, [0, 2]), (2, [0, 1])]
            .into_iter()
            .flat_map(|(axis, sides)| [(0, sides), (1 << axis, sides)])
            .map(|(corner, sides)| (self.corners[corner], sides))
    }

    /// The least distance of a corner from a face of the other.
    fn corners_to_faces(&self, other: &Self) -> f64 {
        let mut least = f64::INFINITY;
        for corner in self.corners {
            for (origin, sides) in other.faces() {
                let nearest = sides.iter().fold(origin, |point, &side| {
                    let along = (corner - origin).dot(other.axes[side]);
                    point + other.axes[side] * along.max(0.0).min(other.lengths[side])
                });
                least = least.min(corner.distance(nearest));
            }
        }
        least
    }

    /// The least distance of the lines of two edges that are closest within both edges.
    fn edges_to_edges(&self, other: &Self) -> f64 {
        let mut least = f64::INFINITY;
        for (own, i) in self.edges() {
            for (its, j) in other.edges() {
                let (u, v) = (self.axes[i], other.axes[j]);
                let (across, sine) = normal(u, v);
                if sine <= PARALLEL_SINE {
                    continue;
                }
                // own + p u + h across = its + q v, by Cramer's rule.
                let apart = its - own;
                let (p, q) = (apart.cross(v).dot(across) / sine, apart.cross(u).dot(across) / sine);
                if (0.0..=self.lengths[i]).contains(&p) && (0.0..=other.lengths[j]).contains(&q) {
                    least = least.min(apart.dot(across).abs());
                }
            }
        }
        least
    }
}
