//! Boxes that turn or accelerate: conservative advancement (B. Mirtich, "Impulse-based dynamic simulation of rigid body systems",
//! 1996). The boxes cannot meet before the distance between them is used up at the greatest speed at which it can shrink.

use glam::{DQuat, DVec3, Quat};

use crate::narrow_phase::moving_moving::time_of_impact::{ImpactState, TimeOfImpact};
use crate::shapes::moving::body::Body;
use crate::shapes::moving::step::Step;
use crate::shapes::obb::record::Obb;

/// The box at a time, rounded.
fn placed(body: &Body, t: f64) -> Obb {
    let turn = DQuat::from_scaled_axis(body.motion.angular_velocity.as_dvec3() * t);
    let rotation = (turn * body.obb.rotation.as_dquat()).normalize();
    Obb {
        center: body.center(t).as_vec3(),
        rotation: Quat::from_array(rotation.to_array().map(|x| x as f32)),
        ..*body.obb
    }
}

/// When the two come within the tolerance of each other during a step.
pub(crate) fn impact(a: &Body, b: &Body, step: &Step) -> Option<TimeOfImpact> {
    let size = |body: &Body| f64::from(body.obb.half_extents.max_element());
    let scale = match size(a).min(size(b)) {
        0.0 => size(a).max(size(b)),
        least => least,
    };
    let tolerance = step.tolerance.unwrap_or(1e-4 * scale);
    let speed = |body: &Body| {
        let motion = body.motion;
        let turning = motion.angular_velocity.as_dvec3().length() * body.obb.half_extents.as_dvec3().length();
        let gained = (motion.acceleration.as_dvec3().length() + f64::from(motion.uncertainty)) * step.dt;
        turning + gained
    };
    let v = b.motion.velocity.as_dvec3() - a.motion.velocity.as_dvec3();
    let fastest = v.length() + speed(a) + speed(b);
    let mut time = 0.0;
    while time <= step.dt {
        let (at_a, at_b) = (placed(a, time), placed(b, time));
        let closest = at_a.closest_points(&at_b);
        if closest.distance <= 0.5 * tolerance {
            let to_b = (closest.on_b - closest.on_a).try_normalize();
            return Some(TimeOfImpact {
                time,
                state: if time == 0.0 && closest.distance == 0.0 {
                    ImpactState::Start
                } else {
                    ImpactState::Impact
                },
                normal: to_b.unwrap_or_else(|| v.try_normalize().map_or(DVec3::X, |v| -v)),
                point: closest.on_a,
                is_resolved: true,
            });
        }
        time += f64::max(closest.distance - 0.25 * tolerance, 0.25 * tolerance) / fastest;
    }
    None
}
