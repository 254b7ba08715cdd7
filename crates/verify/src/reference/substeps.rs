//! Samples the motion of boxes at many times. Capsules and spheres are the points within a radius
//! of a box of no width.
//!
//! At each time the boxes are placed by the formulas of [`Motion`] in `f64`, and the corners of
//! both are projected onto each of the fifteen axes, or all their features are compared.

use glam::{DMat3, DVec3};

use crate::reference::distance::{Features, distance_of_features};
use crate::reference::solid::{columns, corners, frame, normal};
use obbligato::{Obb, motion::Motion};

/// Edges count as parallel if the sine of their angle is at most this.
const PARALLEL_SINE: f64 = 1e-12;

/// Boxes share a point if they overlap by this fraction of their size along every axis, so that
/// rounding changes nothing.
const SURE: f64 = 1e-13;

/// Returns the first of `samples + 1` evenly spaced times from 0 to `dt`, both included, at which
/// the two boxes in motion share a point.
///
/// Contacts shallower than 1e-13 of the boxes' size are ignored, as are those between the times:
/// every contact that is found is real, but not every contact is found. Boxes with
/// [uncertainty](Motion::uncertainty) share a point when the distance of the boxes without it is no
/// more than both deviations together.
pub fn first_contact(boxes: [&Obb; 2], motions: [&Motion; 2], dt: f64, samples: u32) -> Option<f64> {
    first_within(boxes, 0.0, motions, dt, samples)
}

/// Returns the [`first_contact`] of the points within radii of two boxes, where the radii add up to
/// `reach`.
pub fn first_within(boxes: [&Obb; 2], reach: f64, motions: [&Motion; 2], dt: f64, samples: u32) -> Option<f64> {
    let time = |k: u32| dt * (f64::from(k) / f64::from(samples.max(1)));
    (0..=samples)
        .map(time)
        .find(|&t| share_a_point_at(boxes, reach, motions, t))
}

/// Returns `true` if they share a point at a time; see [`first_within`].
fn share_a_point_at(boxes: [&Obb; 2], reach: f64, motions: [&Motion; 2], t: f64) -> bool {
    let [a, b] = placed(boxes, motions, t);
    let deviations = motions.map(|motion| 0.5 * f64::from(motion.uncertainty) * t * t);
    let deviation = (deviations[0] + deviations[1] + reach) * (1.0 - SURE);
    let apart = center(&a).distance(center(&b));
    // If the spheres around them are apart, the rest is skipped.
    if apart > 0.5 * (a.lengths.length() + b.lengths.length()) + deviation {
        return false;
    }
    let size = apart + a.lengths.element_sum() + b.lengths.element_sum();
    gap(&a, &b) < -SURE * size || deviation > 0.0 && distance_of_features(&a, &b) < deviation
}

/// Returns the gap along a direction from the first to the second at a time, negative if they
/// overlap.
pub fn gap_along(boxes: [&Obb; 2], motions: [&Motion; 2], t: f64, direction: DVec3) -> f64 {
    let [a, b] = placed(boxes, motions, t).map(|solid| interval(&solid, direction));
    b.0 - a.1
}

/// Returns the distance at a time of boxes that are apart.
pub fn distance_at(boxes: [&Obb; 2], motions: [&Motion; 2], t: f64) -> f64 {
    let [a, b] = placed(boxes, motions, t);
    distance_of_features(&a, &b)
}

/// Returns the distance of a point in the world from each box at a time.
pub fn distances_of_point(boxes: [&Obb; 2], motions: [&Motion; 2], t: f64, point: DVec3) -> [f64; 2] {
    let from_start = point - boxes[0].center.as_dvec3();
    placed(boxes, motions, t).map(|solid| {
        let from = from_start - center(&solid);
        let outside = |axis: usize| (solid.axes[axis].dot(from).abs() - 0.5 * solid.lengths[axis]).max(0.0);
        DVec3::new(outside(0), outside(1), outside(2)).length()
    })
}

/// Returns the boxes at a time, both relative to the start of the first.
fn placed(boxes: [&Obb; 2], motions: [&Motion; 2], t: f64) -> [Features; 2] {
    [0, 1].map(|k| {
        let (obb, motion) = (boxes[k], motions[k]);
        let start = obb.center.as_dvec3() - boxes[0].center.as_dvec3();
        let center = start + motion.velocity.as_dvec3() * t + motion.acceleration.as_dvec3() * t * t / 2.0;
        let turned = turn(motion.angular_velocity.as_dvec3(), t) * frame(obb);
        Features {
            corners: corners(obb, &turned, center),
            axes: columns(&turned),
            lengths: 2.0 * obb.half_extents.as_dvec3(),
        }
    })
}

/// Returns the rotation about `w` by `|w| t`.
fn turn(w: DVec3, t: f64) -> DMat3 {
    match w == DVec3::ZERO {
        true => DMat3::IDENTITY,
        false => DMat3::from_axis_angle(w / w.length(), w.length() * t),
    }
}

fn center(solid: &Features) -> DVec3 {
    (solid.corners[0] + solid.corners[7]) / 2.0
}

/// Returns the lowest and highest projection of the corners.
fn interval(solid: &Features, axis: DVec3) -> (f64, f64) {
    let places = solid.corners.map(|corner| corner.dot(axis));
    (
        places.into_iter().fold(f64::INFINITY, f64::min),
        places.into_iter().fold(f64::NEG_INFINITY, f64::max),
    )
}

/// Returns the widest gap along the fifteen axes: positive if they are apart, negative if they
/// overlap along all axes.
fn gap(a: &Features, b: &Features) -> f64 {
    let edges = (0..9).filter_map(|k| {
        let (axis, sine) = normal(a.axes[k / 3], b.axes[k % 3]);
        (sine > PARALLEL_SINE).then_some(axis)
    });
    let faces = a.axes.into_iter().chain(b.axes);
    let gaps = faces.chain(edges).map(|axis| {
        let ((low_a, high_a), (low_b, high_b)) = (interval(a, axis), interval(b, axis));
        f64::max(low_b - high_a, low_a - high_b)
    });
    gaps.fold(f64::NEG_INFINITY, f64::max)
}
