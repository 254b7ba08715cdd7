//! Boxes that neither turn nor accelerate: along each of the fifteen axes they overlap during an interval of time, and they share
//! a point whenever they overlap along all of them.

use glam::DVec3;

use crate::narrow_phase::moving_moving::time_of_impact::{ImpactState, TimeOfImpact};
use crate::shapes::moving::body::Body;
use crate::shapes::obb::parts::rotation;

/// When the two meet during a step of `dt`.
pub(crate) fn impact(a: &Body, b: &Body, dt: f64) -> Option<TimeOfImpact> {
    let d = b.obb.center.as_dvec3() - a.obb.center.as_dvec3();
    let v = b.motion.velocity.as_dvec3() - a.motion.velocity.as_dvec3();
    let (axes_a, axes_b) = (rotation(a.obb), rotation(b.obb));
    let (h_a, h_b) = (a.obb.half_extents.as_dvec3(), b.obb.half_extents.as_dvec3());
    let faces = (0..3).flat_map(|i| [axes_a.col(i), axes_b.col(i)]);
    let edges = (0..9).map(|k| axes_a.col(k / 3).cross(axes_b.col(k % 3)));
    let (mut entry, mut exit, mut normal) = (0.0, dt, None);
    for axis in faces.chain(edges) {
        let length = axis.length();
        if length < 1e-9 {
            continue;
        }
        let axis = axis / length;
        let radius = (axes_a.transpose() * axis).abs().dot(h_a) + (axes_b.transpose() * axis).abs().dot(h_b);
        let (distance, speed) = (axis.dot(d), axis.dot(v));
        if speed == 0.0 {
            if distance.abs() > radius {
                return None;
            }
            continue;
        }
        let sign = speed.signum();
        let [from, to] = [-sign * radius, sign * radius].map(|at| (at - distance) / speed);
        if from > entry {
            (entry, normal) = (from, Some(-sign * axis));
        }
        exit = f64::min(exit, to);
    }
    if entry > exit {
        return None;
    }
    let state = match normal {
        None => ImpactState::Start,
        Some(_) => ImpactState::Impact,
    };
    let normal = normal.unwrap_or_else(|| d.try_normalize().unwrap_or(DVec3::X));
    Some(TimeOfImpact {
        time: entry,
        state,
        normal,
        point: a.center(entry) + normal * (axes_a.transpose() * normal).abs().dot(h_a),
        is_resolved: true,
    })
}
