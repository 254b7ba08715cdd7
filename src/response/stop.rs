//! Stopping at an impact.

use glam::DVec3;

use crate::narrow_phase::moving_moving::time_of_impact::TimeOfImpact;
use crate::response::mass::velocity_of;
use crate::shapes::bodies::set::BodyRef;
use crate::shapes::moving::motion::Motion;

/// Returns the motions of two bodies after an impact that stops them. A body that moves into the
/// other comes to rest, immediately and completely; a body that moves away from the other
/// continues. The bodies are where they are at the impact, and the motions are from there on.
///
/// ```
/// use obbligato::glam::Vec3;
/// use obbligato::glam::Quat;
/// use obbligato::motion::{time_of_impact, Motion, Step};
/// use obbligato::response::stop;
/// use obbligato::shape::BodyRef;
/// use obbligato::{Capsule, Sphere};
/// let post = Capsule::new(Vec3::X * 3.0, 2.0, Quat::IDENTITY, 0.5);
/// let ball = Sphere::new(Vec3::ZERO, 0.5);
/// let motions = [Motion::linear(Vec3::X), Motion::REST];
/// let bodies = [BodyRef::from(&ball), BodyRef::from(&post)];
/// let impact = time_of_impact(bodies, [&motions[0], &motions[1]], &Step::new(9.0)).expect("they meet");
/// assert_eq!(stop([(bodies[0], &motions[0]), (bodies[1], &motions[1])], &impact), [Motion::REST; 2]);
/// ```
pub fn stop<'a, B: Into<BodyRef<'a>>>([a, b]: [(B, &Motion); 2], impact: &TimeOfImpact) -> [Motion; 2] {
    let stopped = |(body, motion): (B, &Motion), towards: DVec3| {
        let arm = impact.point - body.into().center().as_dvec3();
        match velocity_of(motion, arm).dot(towards) > 0.0 {
            true => Motion::REST,
            false => *motion,
        }
    };
    [stopped(a, impact.normal), stopped(b, -impact.normal)]
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::narrow_phase::moving_moving::time_of_impact::ImpactState;
    use crate::shapes::obb::record::Obb;

    #[test]
    fn a_body_that_is_run_into_keeps_moving() {
        let impact = TimeOfImpact {
            time: 0.0,
            state: ImpactState::Impact,
            normal: DVec3::X,
            point: DVec3::X,
            is_resolved: true,
        };
        let [left, right] = [0.0, 2.0].map(|x| Obb::axis_aligned(Vec3::X * x, Vec3::ONE));
        let [slow, fast] = [1.0, 2.0].map(|speed| Motion::linear(Vec3::X * speed));
        let both = |a, b| stop([(&left, a), (&right, b)], &impact);
        assert_eq!(both(&fast, &slow), [Motion::REST, slow]);
        let back = Motion::linear(-Vec3::X);
        assert_eq!(both(&back, &back), [back, Motion::REST]);
        assert_eq!(both(&slow, &back), [Motion::REST; 2]);
        // The body only turns: the point of contact moves up, or towards the other.
        let spin = Motion::REST.turning(Vec3::Z);
        assert_eq!(both(&spin, &Motion::REST)[0], spin);
        let high = TimeOfImpact {
            point: DVec3::new(1.0, -1.0, 0.0),
            ..impact
        };
        assert_eq!(stop([(&left, &spin), (&right, &Motion::REST)], &high)[0], Motion::REST);
    }
}
