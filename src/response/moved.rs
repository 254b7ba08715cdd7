//! The placement of a moving box after some time.

use glam::{DQuat, Quat, Vec3};

use crate::shapes::moving::body::Body;
use crate::shapes::moving::motion::Motion;
use crate::shapes::obb::record::Obb;

/// Returns the box at time `t`: its center and rotation rounded once to `f32`. A box that does not
/// turn keeps its exact rotation.
///
/// ```
/// use obbligato::{glam::Vec3, motion::Motion, response::moved, Obb};
/// let thrown = Motion::linear(Vec3::X).accelerated(Vec3::new(0.0, 0.0, -10.0));
/// let there = moved(&Obb::axis_aligned(Vec3::ZERO, Vec3::ONE), &thrown, 2.0);
/// assert_eq!(there.center, Vec3::new(2.0, 0.0, -20.0));
/// ```
pub fn moved(obb: &Obb, motion: &Motion, t: f64) -> Obb {
    let rotation = match motion.angular_velocity == Vec3::ZERO {
        true => obb.rotation,
        false => {
            let turn = DQuat::from_scaled_axis(motion.angular_velocity.as_dvec3() * t);
            let rotation = (turn * obb.rotation.as_dquat()).normalize();
            Quat::from_array(rotation.to_array().map(|x| x as f32))
        }
    };
    Obb {
        center: Body::new(obb, motion).center(t).as_vec3(),
        rotation,
        ..*obb
    }
}

/// Returns the motion as it goes on from time `t`: its velocity has grown by `a t`.
pub fn velocity_at(motion: &Motion, t: f64) -> Motion {
    let velocity = motion.velocity.as_dvec3() + motion.acceleration.as_dvec3() * t;
    Motion {
        velocity: velocity.as_vec3(),
        ..*motion
    }
}
