//! The distance between two boxes from all their features: every corner to every face, every edge
//! to every edge.

use glam::DVec3;

use crate::reference::separation::contact;
use crate::reference::solid::{columns, corners, frame, normal};
use obbligato::Obb;

/// Pairs of edges with at most this sine are skipped: their ends, which are corners, are as close
/// up to this fraction of their length.
const PARALLEL_SINE: f64 = 1e-14;

/// Returns the distance between the two boxes as closed solids, in the caller's unit; 0 if they
/// collide. Ignores groups.
///
/// It is the minimum over all 96 pairs of a corner and a face and all 144 pairs of edges, without
/// shortcuts. The error is about 1e-15 of the sum of the centers' distance and the half extents.
pub fn distance(a: &Obb, b: &Obb) -> f64 {
    if contact(a, b).collides() {
        return 0.0;
    }
    // Center both boxes about the midpoint of their centers, so that no digits are lost far from
    // the origin.
    let half_way = (b.center.as_dvec3() - a.center.as_dvec3()) / 2.0;
    distance_of_features(&Features::new(a, -half_way), &Features::new(b, half_way))
}

/// Returns the distance between two boxes that are apart.
pub(super) fn distance_of_features(a: &Features, b: &Features) -> f64 {
    a.corners_to_faces(b)
        .min(b.corners_to_faces(a))
        .min(a.edges_to_edges(b))
}

/// The corners, edges and faces of a box.
pub(super) struct Features {
    /// Indexed by the signs of their coordinates in the box's frame: bit k is set if coordinate k
    /// is positive.
    pub corners: [DVec3; 8],
    /// The unit directions of its edges.
    pub axes: [DVec3; 3],
    /// The lengths of its edges.
    pub lengths: DVec3,
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

    /// Returns each edge as its start and its axis.
    fn edges(&self) -> impl Iterator<Item = (DVec3, usize)> {
        let begins = |axis: usize| (0..8).filter(move |corner| corner >> axis & 1 == 0);
        (0..3).flat_map(move |axis| begins(axis).map(move |corner| (self.corners[corner], axis)))
    }

    /// Returns each face as one corner and the two axes along which it extends from there.
    fn faces(&self) -> impl Iterator<Item = (DVec3, [usize; 2])> {
        [(0, [1, 2]), (1, [0, 2]), (2, [0, 1])]
            .into_iter()
            .flat_map(|(axis, sides)| [(0, sides), (1 << axis, sides)])
            .map(|(corner, sides)| (self.corners[corner], sides))
    }

    /// Returns the smallest distance from a corner to a face of the other box.
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

    /// Returns the smallest distance between two edges whose lines are closest at points within
    /// both edges.
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
