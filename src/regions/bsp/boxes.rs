//! Boxes against planes and triangles in f64, conservatively: what is reported as apart is apart.

use glam::{DMat3, DVec3};

use crate::geometry::aabb::Aabb;
use crate::geometry::rotation::dmat3;
use crate::regions::bsp::tree::Split;
use crate::shapes::obb::record::Obb;
use crate::shapes::triangle::record::Triangle;

/// The fraction of a sum of magnitudes that covers its rounding, and that of its terms: a few dozen
/// operations at 2^-53 each.
const ROUNDING: f64 = 1e-13;

/// A box with its axes.
pub(super) struct BoxFrame {
    center: DVec3,
    half_extents: DVec3,
    /// The box's axes, as columns.
    axes: DMat3,
}

impl BoxFrame {
    pub fn new(obb: &Obb) -> Self {
        let (axes, length) = dmat3(obb.rotation.as_dquat());
        Self {
            center: obb.center.as_dvec3(),
            half_extents: obb.half_extents.as_dvec3(),
            axes: axes * (1.0 / length),
        }
    }

    /// Returns the box between two corners.
    pub fn of_bounds(bounds: &Aabb) -> Self {
        let [low, high] = [bounds.min, bounds.max].map(|corner| corner.as_dvec3());
        Self {
            center: (low + high) / 2.0,
            half_extents: (high - low) / 2.0,
            axes: DMat3::IDENTITY,
        }
    }

    /// Returns two flags: whether the box may reach the front of a plane, and the back.
    pub fn reaches(&self, split: &Split) -> [bool; 2] {
        let (normal, magnitude, from) = match *split {
            Split::Axis(axis, at) => (DVec3::AXES[axis], DVec3::AXES[axis], DVec3::AXES[axis] * f64::from(at)),
            Split::Plane(corners) => {
                let [a, b, c] = corners.map(|corner| corner.as_dvec3());
                let (u, v) = (b - a, c - a);
                (u.cross(v), crossed_magnitudes(u, v), a)
            }
        };
        let way = self.center - from;
        let reach = self.half_extents.dot((self.axes.transpose() * normal).abs());
        let error = ROUNDING * magnitude.dot(way.abs() + self.half_extents.element_sum());
        let height = normal.dot(way);
        [height + reach + error >= 0.0, height - reach - error <= 0.0]
    }

    /// Returns `true` if it may share a point with a triangle: no plane parallel to a face of
    /// either, or to an edge of each, is seen between them (Akenine-Möller, "Fast 3D Triangle-Box
    /// Overlap Testing", 2001).
    pub fn may_meet(&self, triangle: &Triangle) -> bool {
        let turned = self.axes.transpose();
        let corners = triangle
            .corners
            .map(|corner| turned * (corner.as_dvec3() - self.center));
        let size = triangle
            .corners
            .iter()
            .fold(self.half_extents.max_element(), |size, corner| {
                size.max((corner.abs().as_dvec3() + self.center.abs()).max_element())
            });
        let edges = [0, 1, 2].map(|k: usize| corners[(k + 1) % 3] - corners[k]);
        // Corners are off by about 2^-52 of the size, and an axis by at most `off` in its
        // coordinates.
        let is_between = |axis: DVec3, off: f64| {
            let heights = corners.map(|corner| axis.dot(corner));
            let error = size * (ROUNDING * axis.abs().element_sum() + off);
            let reach = self.half_extents.dot(axis.abs()) + error;
            heights.iter().all(|&height| height > reach) || heights.iter().all(|&height| height < -reach)
        };
        let normal = edges[0].cross(edges[1]);
        let off = ROUNDING * size;
        let lengths = (edges[0].abs() + edges[1].abs()).element_sum();
        let edge_axes = |axis: DVec3| edges.iter().any(|&edge| is_between(axis.cross(edge), off));
        let is_apart = DVec3::AXES.into_iter().any(|axis| is_between(axis, 0.0))
            || is_between(normal, off * lengths)
            || DVec3::AXES.into_iter().any(edge_axes);
        !is_apart
    }
}

/// Returns the sums of the magnitudes of the terms of a cross product.
fn crossed_magnitudes(u: DVec3, v: DVec3) -> DVec3 {
    let (u, v) = (u.abs(), v.abs());
    DVec3::new(u.y * v.z + u.z * v.y, u.z * v.x + u.x * v.z, u.x * v.y + u.y * v.x)
}
