//! The stored box: its numbers are `f32`s, and it contains every point without rounding.
//!
//! First its rotation and its center are rounded. Then each half extent is the smallest `f32` that
//! suffices for the box with exactly these numbers ([`Obb::rotation`]). f64 decides this, except
//! for points that are within its error of a face; those are tested without rounding.

use glam::{DMat3, DQuat, DVec3, Quat, Vec3};

use crate::base::parallel;
use crate::base::problem::COORDINATE_LIMIT;
use crate::fitting::cloud::Cloud;
use crate::geometry::aabb::Aabb;
use crate::geometry::rotation::dmat3;
use crate::geometry::rounding::{above, above_difference};
use crate::shapes::obb::record::Obb;
use crate::shapes::round::sphere::Sphere;

/// A bound above the rounding error of a sum of three products in f64, of differences that are
/// rounded too: the error is 5 u of the sum of their magnitudes, for u = half of [`f64::EPSILON`].
const ERROR: f64 = 4.0 * f64::EPSILON;

/// Returns the box with axes near these around all points; the one along the axes of the world if
/// it would reach beyond the valid range.
pub(super) fn enclose(cloud: &Cloud, axes: &DMat3) -> Obb {
    let rotation = stored_rotation(axes);
    if rotation == Quat::IDENTITY {
        return aligned(&cloud.bounds);
    }
    let (turn, square) = dmat3(rotation.as_dquat());
    // Both are times the square of the quaternion's length.
    let middle = cloud.extents(&turn).middle() / (square * square);
    let center = (cloud.middle().as_dvec3() + turn * middle).as_vec3();
    let mut obb = Obb::new(center, Vec3::ZERO, rotation);
    extend(&mut obb, cloud);
    match obb.problem() {
        None => obb,
        Some(_) => aligned(&cloud.bounds),
    }
}

/// Returns the box along the axes of the world: its only loss is the rounding of the center.
pub(super) fn aligned(bounds: &Aabb) -> Obb {
    let Aabb { min, max } = *bounds;
    let center = (0.5 * (min.as_dvec3() + max.as_dvec3())).as_vec3();
    let half = |k: usize| above_difference(max[k], center[k]).max(above_difference(center[k], min[k]));
    Obb::axis_aligned(center, Vec3::new(half(0), half(1), half(2)))
}

/// Returns the quaternion of the smallest rotation that takes the world's axes to those of the box,
/// in any order. Its numbers are multiples of 2^-26, and of 2^-24 if they are large, so that the
/// entries of its matrix are exact in f64.
fn stored_rotation(axes: &DMat3) -> Quat {
    const STEP: f64 = 1.0 / (1u32 << 26) as f64;
    let q = DQuat::from_mat3(&upright(axes));
    let q = if q.w < 0.0 { -q } else { q };
    let part = |x: f64| ((f64::from(x as f32) / STEP).round() * STEP) as f32;
    Quat::from_array(q.normalize().to_array().map(part))
}

/// Returns the same axes in the order and directions in which they are nearest to the world's.
fn upright(axes: &DMat3) -> DMat3 {
    let columns = [axes.x_axis, axes.y_axis, axes.z_axis];
    let all = (0..9).map(|k| (k / 3, k % 3));
    let size = |&(axis, column): &(usize, usize)| columns[column][axis].abs();
    let by_size = |a: &(usize, usize), b: &(usize, usize)| size(a).total_cmp(&size(b));
    let towards = |(axis, column): (usize, usize)| columns[column] * columns[column][axis].signum();
    let first = all.clone().max_by(by_size).unwrap_or_default();
    let others = all.filter(|&(axis, column)| axis != first.0 && column != first.1);
    let second = others.max_by(by_size).unwrap_or_default();
    let mut sorted = [DVec3::ZERO; 3];
    (sorted[first.0], sorted[second.0]) = (towards(first), towards(second));
    let third = 3 - first.0 - second.0;
    sorted[third] = sorted[(third + 1) % 3].cross(sorted[(third + 2) % 3]);
    DMat3::from_cols(sorted[0], sorted[1], sorted[2])
}

/// Sets the half extents of a box to the smallest that contain all points.
fn extend(obb: &mut Obb, cloud: &Cloud) {
    let frame = Frame::new(obb, cloud);
    let parts = cloud.map_ranges(|range| {
        let places = cloud.points[range].iter().map(|&point| frame.place(point));
        places.fold(DVec3::ZERO, DVec3::max)
    });
    let largest = parts.into_iter().fold(DVec3::ZERO, DVec3::max);
    // A lower bound; only points that f64 cannot decide need more.
    let least = (largest - frame.error).max(DVec3::ZERO) / frame.square * (1.0 - f64::EPSILON);
    obb.half_extents = Vec3::from_array(least.to_array().map(above));
    loop {
        let short = frame.short(obb, cloud);
        if short == [false; 3] {
            return;
        }
        for axis in (0..3).filter(|&axis| short[axis]) {
            obb.half_extents[axis] = obb.half_extents[axis].next_up();
        }
    }
}

/// The frame of a box, in which all lengths are times the square of its quaternion's length.
struct Frame {
    to_box: DMat3,
    square: f64,
    center: DVec3,
    /// The maximum error of points along each axis.
    error: DVec3,
}

impl Frame {
    fn new(obb: &Obb, cloud: &Cloud) -> Self {
        let (turn, square) = dmat3(obb.rotation.as_dquat());
        let center = obb.center.as_dvec3();
        let Aabb { min, max } = cloud.bounds;
        let farthest = (max.as_dvec3() - center).abs().max((min.as_dvec3() - center).abs());
        let sum = |axis: DVec3| axis.abs().dot(farthest);
        Self {
            to_box: turn.transpose(),
            square,
            center,
            error: ERROR * DVec3::new(sum(turn.x_axis), sum(turn.y_axis), sum(turn.z_axis)),
        }
    }

    /// Returns the distance of a point from the center along each axis.
    fn place(&self, point: Vec3) -> DVec3 {
        (self.to_box * (point.as_dvec3() - self.center)).abs()
    }

    /// Returns the axes along which some point is outside the box.
    fn short(&self, obb: &Obb, cloud: &Cloud) -> [bool; 3] {
        let half = obb.half_extents.as_dvec3() * self.square * (1.0 - f64::EPSILON);
        let certain = half - self.error;
        let either = |a: [bool; 3], b: [bool; 3]| [0, 1, 2].map(|k| a[k] | b[k]);
        let work = |range: std::ops::Range<usize>| {
            let mut short = [false; 3];
            for &point in &cloud.points[range] {
                let place = self.place(point);
                let doubtful = place.cmpgt(certain);
                for axis in (0..3).filter(|&axis| doubtful.test(axis)) {
                    // A slab that is bounded by the box along this axis alone.
                    let mut slab = *obb;
                    slab.half_extents = Vec3::splat(COORDINATE_LIMIT);
                    slab.half_extents[axis] = obb.half_extents[axis];
                    short[axis] |= !Sphere::new(point, 0.0).contact_box(&slab).collides();
                }
            }
            short
        };
        parallel::fold_ranges(cloud.points.len(), || [false; 3], work, either)
    }
}
