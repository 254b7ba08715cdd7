//! The first moment at which two bodies in motion meet, and the contact.

use glam::Vec3;

use crate::geometry::period::Moved;
use crate::narrow_phase::moving_moving::time_of_impact::{ImpactState, TimeOfImpact};
use crate::narrow_phase::moving_moving::{advancement, round, straight};
use crate::narrow_phase::round::spheres::{self, impact_at_length};
use crate::shapes::bodies::set::BodyRef;
use crate::shapes::moving::body::{Body, MovingCore};
use crate::shapes::moving::motion::Motion;
use crate::shapes::moving::step::Step;
use crate::shapes::round::sphere::Sphere;

/// Returns when two bodies in motion first meet during a step; `None` if they do not. The bodies
/// are two boxes, two spheres, or any two [`BodyRef`]s.
///
/// Groups are ignored. If a body, a motion or the step is invalid, the result is arbitrary.
///
/// ```
/// use obbligato::{glam::Vec3, motion::{time_of_impact, Motion, Step}, Obb};
/// let bullet = Obb::axis_aligned(Vec3::new(-10.0, 0.0, 0.0), Vec3::splat(0.005));
/// let plate = Obb::axis_aligned(Vec3::ZERO, Vec3::new(0.0005, 1.0, 1.0));
/// let fast = Motion::linear(Vec3::new(1000.0, 0.0, 0.0));
/// let impact = time_of_impact([&bullet, &plate], [&fast, &Motion::REST], &Step::new(1.0 / 60.0)).expect("it hits");
/// assert!((impact.time - 9.9945e-3).abs() < 1e-7);
/// ```
pub fn time_of_impact<'a>(
    bodies: [impl Into<BodyRef<'a>>; 2],
    motions: [&Motion; 2],
    step: &Step,
) -> Option<TimeOfImpact> {
    let bodies = bodies.map(Into::into);
    if let Some(balls) = straight_spheres(bodies, motions) {
        return impact_of_spheres(balls, motions, step);
    }
    match bodies {
        [BodyRef::Box(a), BodyRef::Box(b)] => {
            let [a, b] = [(a, motions[0]), (b, motions[1])].map(|(obb, motion)| Body::new(obb, motion));
            impact_of(&a, &b, step)
        }
        bodies => impact_of_bodies(bodies, motions, step),
    }
}

/// Returns two spheres if they move straight. Their rotation makes no difference.
pub(crate) fn straight_spheres<'a>(bodies: [BodyRef<'a>; 2], motions: [&Motion; 2]) -> Option<[&'a Sphere; 2]> {
    let is_straight = |motion: &Motion| motion.acceleration == Vec3::ZERO && motion.uncertainty == 0.0;
    match bodies {
        [BodyRef::Sphere(a), BodyRef::Sphere(b)] => motions.into_iter().all(is_straight).then_some([a, b]),
        _ => None,
    }
}

/// [`time_of_impact`] of two spheres that move straight: in closed form if that is precise enough.
fn impact_of_spheres(balls: [&Sphere; 2], motions: [&Motion; 2], step: &Step) -> Option<TimeOfImpact> {
    let bodies = [balls[0].into(), balls[1].into()];
    let velocities = [&motions[0].velocity, &motions[1].velocity];
    let slop = 0.5 * step.tolerance_for([balls[0].radius, balls[1].radius]);
    spheres::impact(balls, velocities, step.dt, slop, |decided| {
        match impact_at_length(balls, velocities, step.dt, decided) {
            Some((found, gap)) if found.state == ImpactState::Impact && gap > slop => {
                impact_of_bodies(bodies, motions, step)
            }
            decided => decided.map(|(found, _)| found),
        }
    })
}

/// [`time_of_impact`] of any two bodies.
fn impact_of_bodies(bodies: [BodyRef<'_>; 2], motions: [&Motion; 2], step: &Step) -> Option<TimeOfImpact> {
    impact_of_cores(bodies, &[0, 1].map(|k| MovingCore::new(bodies[k], motions[k])), step)
}

/// Returns [`time_of_impact`] of the first body and an image of the second, which is moved by this
/// vector, if it is moved.
pub(crate) fn impact_of_image(
    bodies: [BodyRef<'_>; 2],
    motions: [&Motion; 2],
    moved: Option<Moved>,
    step: &Step,
) -> Option<TimeOfImpact> {
    match moved {
        None => time_of_impact(bodies, motions, step),
        Some(_) => impact_of_cores(bodies, &MovingCore::of_image(bodies, motions, moved), step),
    }
}

/// [`time_of_impact`] of any two bodies, given their cores.
fn impact_of_cores(bodies: [BodyRef<'_>; 2], cores: &[MovingCore; 2], step: &Step) -> Option<TimeOfImpact> {
    match bodies.iter().any(|body| body.radius() > 0.0) {
        true => round::impact(bodies, cores, step),
        // Without radii they are boxes, some of them points or rods.
        false => impact_of(&cores[0].body(), &cores[1].body(), step),
    }
}

/// [`time_of_impact`] of boxes.
pub(crate) fn impact_of(a: &Body, b: &Body, step: &Step) -> Option<TimeOfImpact> {
    match step.dt == 0.0 || a.motion.is_straight() && b.motion.is_straight() {
        true => straight::impact(a, b, step),
        false => advancement::impact(a, b, step),
    }
}
