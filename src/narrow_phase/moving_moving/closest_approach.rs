//! When two bodies in motion are nearest to each other during a step, and how near.

use glam::DVec3;

use crate::geometry::period::Moved;
use crate::narrow_phase::moving_moving::advancement::Search;
use crate::narrow_phase::moving_moving::impact::{impact_of_image, straight_spheres};
use crate::narrow_phase::moving_moving::straight_approach::Straight;
use crate::narrow_phase::moving_moving::time_of_impact::TimeOfImpact;
use crate::narrow_phase::round::spheres::Relative;
use crate::shapes::bodies::set::BodyRef;
use crate::shapes::moving::body::MovingCore;
use crate::shapes::moving::motion::Motion;
use crate::shapes::moving::step::Step;

/// The relative error of distances of bodies that neither turn nor accelerate, with room.
const ERROR: f64 = 1e-13;

/// The moment at which two bodies are nearest to each other during a step.
///
/// If neither body turns or accelerates, the time is within `1e-9 dt`, and the distance within 1e-9
/// of the bodies' sizes, distance and paths. Otherwise the distance is within the step's tolerance,
/// and at that time the bodies are that near.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClosestApproach {
    /// The first time at which they are nearest, in seconds from 0 to `dt`. If they meet, that of
    /// their first contact.
    pub time: f64,
    /// Their distance at that time, in the caller's unit: 0 if they meet, otherwise above 0. Bodies
    /// that turn or accelerate count as meeting if they come within the tolerance. The distance of
    /// bodies with an [uncertain](Motion::uncertainty) motion is the least possible one.
    pub distance: f64,
    /// `false` if the search ran out of steps: the bodies may be nearer at another time.
    pub is_resolved: bool,
}

/// Returns when two bodies in motion are nearest to each other during a step, and how near. The
/// bodies are two boxes, two spheres, or any two [`BodyRef`]s.
///
/// Groups are ignored. If a body, a motion or the step is invalid, the result is arbitrary. For all
/// pairs of a scene that come within a distance, see
/// [`ApproachQuery`](crate::query::ApproachQuery).
///
/// ```
/// use obbligato::{glam::Vec3, motion::{closest_approach, Motion, Step}, Sphere};
/// let ship = Sphere::new(Vec3::new(-10.0, 3.0, 0.0), 1.0);
/// let buoy = Sphere::new(Vec3::ZERO, 0.5);
/// let sails = Motion::linear(Vec3::new(4.0, 0.0, 0.0));
/// let nearest = closest_approach([&ship, &buoy], [&sails, &Motion::REST], &Step::new(5.0));
/// assert_eq!((nearest.time, nearest.distance), (2.5, 1.5));
/// ```
pub fn closest_approach<'a>(
    bodies: [impl Into<BodyRef<'a>>; 2],
    motions: [&Motion; 2],
    step: &Step,
) -> ClosestApproach {
    approach_of_image(bodies.map(Into::into), motions, None, step)
}

/// Returns [`closest_approach`] of the first body and an image of the second, which is moved by
/// this vector, if it is moved.
#[inline(always)]
pub(crate) fn approach_of_image(
    bodies: [BodyRef<'_>; 2],
    motions: [&Motion; 2],
    moved: Option<Moved>,
    step: &Step,
) -> ClosestApproach {
    let cores = || MovingCore::of_image(bodies, motions, moved);
    let spheres = straight_spheres(bodies, motions).map(|balls| {
        let apart = match moved {
            None => balls[1].center.as_dvec3() - balls[0].center.as_dvec3(),
            Some(_) => {
                let [a, b] = cores();
                a.body().to(&b.body())
            }
        };
        Relative::new(balls, motions.map(|of| of.velocity), apart)
    });
    if let Some((time, distance)) = spheres.as_ref().and_then(|spheres| spheres.nearest(step.dt)) {
        return ClosestApproach {
            time,
            distance,
            is_resolved: true,
        };
    }
    let cores = cores();
    let is_straight = step.dt == 0.0 || cores.iter().all(|moving| moving.motion.is_straight());
    if let Some(impact) = impact_of_image(bodies, motions, moved, step) {
        return meeting(&impact, || match is_straight {
            true => Straight::new(&cores, step.dt).meeting_from(impact.time),
            false => impact.time,
        });
    }
    let (time, distance, is_resolved) = match is_straight {
        true => {
            let (time, distance) = Straight::new(&cores, step.dt).nearest();
            (time, distance, true)
        }
        false => {
            let [a, b] = [cores[0].body(), cores[1].body()];
            let radii = [f64::from(cores[0].core.radius), f64::from(cores[1].core.radius)];
            let tolerance = step.tolerance_for(cores.map(|moving| moving.core.largest_around()));
            Search::of([&a, &b], radii, step.dt, tolerance).least_distance()
        }
    };
    ClosestApproach {
        time,
        // Bodies that do not meet are not at a distance of 0, however near they are.
        distance: distance.max(f64::MIN_POSITIVE),
        is_resolved,
    }
}

/// Returns the approach of bodies that meet, given a function that improves the time of the impact.
#[inline(always)]
fn meeting(impact: &TimeOfImpact, improved: impl FnOnce() -> f64) -> ClosestApproach {
    ClosestApproach {
        time: match impact.time > 0.0 {
            true => improved(),
            false => impact.time,
        },
        distance: 0.0,
        is_resolved: impact.is_resolved,
    }
}

/// Returns [`closest_approach`] if the bodies come within a distance of each other. Those whose
/// distance is larger by no more than its error count as within.
pub(crate) fn approach_within(
    bodies: [BodyRef<'_>; 2],
    motions: [&Motion; 2],
    step: &Step,
    within: f64,
) -> Option<ClosestApproach> {
    let found = closest_approach(bodies, motions, step);
    let is_within =
        found.distance <= within || found.distance <= within + error_of_approach(bodies, motions, None, step);
    is_within.then_some(found)
}

/// Returns the error of the distance that [`approach_of_image`] finds.
pub(crate) fn error_of_approach(
    bodies: [BodyRef<'_>; 2],
    motions: [&Motion; 2],
    moved: Option<Moved>,
    step: &Step,
) -> f64 {
    let length = |start: DVec3, motion: &Motion, largest: f32| {
        let path = motion.velocity.as_dvec3().abs().element_sum() * step.dt;
        start.abs().element_sum() + path + 3.0 * f64::from(largest)
    };
    if let (None, Some(balls)) = (moved, straight_spheres(bodies, motions)) {
        let length = |k: usize| length(balls[k].center.as_dvec3(), motions[k], balls[k].radius);
        return ERROR * (length(0) + length(1));
    }
    let cores = MovingCore::of_image(bodies, motions, moved);
    if cores.iter().any(|moving| !moving.motion.is_straight()) {
        return step.tolerance_for(cores.map(|moving| moving.core.largest_around()));
    }
    let [first, second] = cores
        .each_ref()
        .map(|moving| length(moving.body().start(), &moving.motion, moving.core.largest()));
    ERROR * (first + second)
}
