//! Bounds of all places that a box comes to during a step.

use glam::{DVec3, Vec3};

use crate::geometry::aabb::Aabb;
use crate::shapes::moving::body::Body;
use crate::shapes::obb::parts::rotation;

/// Axis-aligned bounds of a box in motion during a step of `dt`; they contain it despite rounding.
pub(crate) fn swept_bounds(body: &Body, dt: f64) -> Aabb {
    let (obb, motion) = (body.obb, body.motion);
    let half = obb.half_extents.as_dvec3();
    let extent = match motion.angular_velocity == Vec3::ZERO {
        true => {
            let axes = rotation(obb);
            let [x, y, z] = [axes.x_axis, axes.y_axis, axes.z_axis].map(DVec3::abs);
            x * half.x + y * half.y + z * half.z
        }
        false => DVec3::splat(half.length()),
    };
    let (start, end) = (body.center(0.0), body.center(dt));
    let (mut low, mut high) = (start.min(end), start.max(end));
    let (v, a) = (motion.velocity.as_dvec3(), motion.acceleration.as_dvec3());
    for axis in 0..3 {
        // Where the parabola turns back.
        let turn = -v[axis] / a[axis];
        if turn > 0.0 && turn < dt {
            let there = body.center(turn)[axis];
            low[axis] = low[axis].min(there);
            high[axis] = high[axis].max(there);
        }
    }
    let spread = 0.5 * f64::from(motion.uncertainty) * dt * dt;
    let error = (low.abs().max(high.abs()) + extent + spread) * 1e-14;
    let around = extent + DVec3::splat(spread) + error;
    Aabb {
        min: below(low - around),
        max: -below(-(high + around)),
    }
}

/// The next `f32`s below.
fn below(v: DVec3) -> Vec3 {
    Vec3::from_array(v.to_array().map(|x| {
        let rounded = x as f32;
        match f64::from(rounded) > x {
            true => rounded.next_down(),
            false => rounded,
        }
    }))
}
