//! Capsules and balls in motion, against each other and against boxes.
//!
//! 1. Two balls that move straight have a closed form.
//! 2. Spheres around both in their own motion, or an axis, tell most pairs that never meet; see [`advancement`].
//! 3. Whether they share a point at the start is decided without error.
//! 4. If neither turns or accelerates, so is whether they meet until any time ([`meet_until`]). Tangents lead to a time until which they
//!    certainly do not meet. If they do until a little later, that is the answer; or else it is found by halving.
//! 5. All others advance conservatively, as boxes do.
//!
//! [`advancement`]: crate::narrow_phase::moving_moving::advancement

use crate::base::lanes::{self, dispatch};
use crate::narrow_phase::moving_moving::advancement::Search;
use crate::narrow_phase::moving_moving::start::at_start;
use crate::narrow_phase::moving_moving::time_of_impact::{ImpactState, TimeOfImpact};
use crate::narrow_phase::round::straight::meet_until;
use crate::shapes::bodies::set::BodyRef;
use crate::shapes::moving::body::MovingCore;
use crate::shapes::moving::step::Step;
use crate::shapes::round::sphere::Sphere;

/// How far a time may be from the true one, as a part of the step: half of what is promised.
const PRECISE: f64 = 1.0 / (1 << 21) as f64;

/// No halving goes further.
const FINEST: f64 = 1.0 / (1u64 << 50) as f64;

/// When the two, one of which has a radius above 0, meet during a step.
pub(super) fn impact(bodies: [BodyRef<'_>; 2], cores: &[MovingCore; 2], step: &Step) -> Option<TimeOfImpact> {
    let [a, b] = cores.each_ref().map(MovingCore::body);
    let radii = cores.map(|moving| f64::from(moving.core.radius));
    let [around_a, around_b] = cores.map(|moving| moving.core.around());
    let tolerance = step.tolerance_of(&around_a, &around_b);
    let is_straight = step.dt == 0.0 || cores.iter().all(|moving| moving.motion.is_straight());
    if is_straight && let Some(decided) = of_balls(cores, step.dt, tolerance) {
        return decided;
    }
    let search = Search::new([&a, &b], radii, step.dt, tolerance)?;
    if dispatch!(lanes::level(), simd => search.never_meets(simd)) {
        return None;
    }
    if bodies[0].contact(bodies[1]).collides() {
        return Some(at_start(a.obb, b.obb).unwrap_or_else(|| search.start()));
    }
    match is_straight {
        true => straight(&search, cores, step.dt),
        false => dispatch!(lanes::level(), simd => search.first(simd)),
    }
}

/// The answer about two balls that move straight, if the closed form is precise enough.
fn of_balls(cores: &[MovingCore; 2], dt: f64, tolerance: f64) -> Option<Option<TimeOfImpact>> {
    if !cores.iter().all(|moving| moving.core.is_point()) {
        return None;
    }
    let [a, b] = cores
        .each_ref()
        .map(|moving| Sphere::new(moving.core.obb.center, moving.core.radius));
    let velocities = cores.each_ref().map(|moving| moving.motion.velocity);
    let Some(found) = a.impact(&b, velocities, dt) else {
        return Some(None);
    };
    let [at_a, at_b] = cores.each_ref().map(|moving| moving.body().center(found.time));
    let gap = at_a.distance(at_b) - f64::from(a.radius) - f64::from(b.radius);
    let is_close = found.state == ImpactState::Start || gap <= 0.5 * tolerance;
    is_close.then_some(Some(found))
}

/// The answer about bodies that move straight, and are apart at the start.
fn straight(search: &Search, [a, b]: &[MovingCore; 2], dt: f64) -> Option<TimeOfImpact> {
    let velocities = [a, b].map(|moving| moving.motion.velocity);
    let until = |time: f64| meet_until([&a.core, &b.core], velocities, time);
    if dt == 0.0 {
        return None;
    }
    let speed = (velocities[1].as_dvec3() - velocities[0].as_dvec3()).length();
    let precise = f64::min(PRECISE * dt, 0.25 * search.tolerance / speed).max(FINEST * dt);
    // They do not meet until the one, and do until the other.
    let mut early = search.tangents();
    let mut late = f64::min(early + precise, dt);
    if !until(late) {
        if late == dt || !until(dt) {
            return None;
        }
        (early, late) = (late, dt);
    }
    // Two that just graze each other.
    while late - early > precise && !(late - early <= PRECISE * dt && search.distance(early) <= 0.5 * search.tolerance)
    {
        let middle = 0.5 * (early + late);
        if middle <= early || middle >= late {
            break;
        }
        match until(middle) {
            true => late = middle,
            false => early = middle,
        }
    }
    Some(search.meeting_at(early))
}
