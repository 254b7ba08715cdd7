//! Capsules and spheres in motion, against each other and against boxes.
//!
//! 1. Two spheres that move straight have a closed form: see
//!    [`spheres`](crate::narrow_phase::round::spheres).
//! 2. If neither turns or accelerates, [`straight`] decides in `f64` whether and when they meet,
//!    for all pairs except those that are too close to tell. For other motions it decides likewise
//!    whether they share a point at the start.
//! 3. Pairs that `f64` cannot decide are decided without error: whether they share a point at the
//!    start and, if they move straight, whether they share one until any given time
//!    ([`meet_until`]). Tangents lead to a time until which they certainly do not meet. If they
//!    meet until slightly later, that is the answer; otherwise it is found by bisection.
//! 4. All others advance conservatively, as boxes do. Before that, bounding spheres in their own
//!    motion, or an axis, rule out most pairs that never meet; see [`advancement`].
//!
//! [`advancement`]: crate::narrow_phase::moving_moving::advancement

mod straight;

use crate::base::lanes::{self, dispatch};
use crate::narrow_phase::moving_moving::advancement::Search;
use crate::narrow_phase::moving_moving::round::straight::Found;
use crate::narrow_phase::moving_moving::start::{are_close, at_start};
use crate::narrow_phase::moving_moving::time_of_impact::TimeOfImpact;
use crate::narrow_phase::obb_obb::exact::Tally;
use crate::narrow_phase::obb_obb::exact::apart::Apart;
use crate::narrow_phase::round::bodies::{Core, compare};
use crate::narrow_phase::round::straight::meet_until;
use crate::shapes::bodies::set::BodyRef;
use crate::shapes::moving::body::{Body, MovingCore};
use crate::shapes::moving::step::Step;

/// The greatest error of a time, as a fraction of the step: half of the promised bound.
const PRECISE: f64 = 1.0 / (1 << 21) as f64;

/// The smallest interval that bisection reaches, as a fraction of the step.
const FINEST: f64 = 1.0 / (1u64 << 50) as f64;

/// Returns when the two, one of which has a radius above 0, first meet during a step.
pub(super) fn impact([a, b]: [BodyRef<'_>; 2], cores: &[MovingCore; 2], step: &Step) -> Option<TimeOfImpact> {
    // The body whose core is not a segment or point comes first.
    match b.is_line() {
        true => ordered([a, b], cores, step),
        false => ordered([b, a], &[cores[1], cores[0]], step).map(|impact| TimeOfImpact {
            normal: -impact.normal,
            ..impact
        }),
    }
}

/// [`impact`] of two bodies, where the second one's core is a segment or a point.
fn ordered(bodies: [BodyRef<'_>; 2], cores: &[MovingCore; 2], step: &Step) -> Option<TimeOfImpact> {
    let is_straight = step.dt == 0.0 || cores.iter().all(|moving| moving.motion.is_straight());
    let [a, b] = [cores[0].body(), cores[1].body()];
    let radii = [f64::from(cores[0].core.radius), f64::from(cores[1].core.radius)];
    let tolerance = step.tolerance_for([cores[0].core.largest_around(), cores[1].core.largest_around()]);
    let until = |dt: f64| dispatch!(lanes::level(), simd => straight::search(simd, cores, dt, [PRECISE, tolerance]));
    let overlap = || at_start(&a, &b).or_else(|| Some(Search::new([&a, &b], radii, 0.0, tolerance)?.start()));
    let start = || match until(0.0) {
        Found::Apart => None,
        Found::Meets(impact) => Some(impact),
        Found::Overlaps => overlap(),
        Found::Unclear => collide(bodies, [&a, &b]).then(overlap)?,
    };
    if is_straight {
        match until(step.dt) {
            Found::Apart => return None,
            Found::Meets(impact) => return Some(impact),
            Found::Overlaps => return overlap(),
            Found::Unclear => {}
        }
    }
    // Bodies that are close may share a point at the start. Most others never meet, and are ruled
    // out first.
    let is_close = are_close([&a, &b], radii);
    if is_close && let Some(start) = start() {
        return Some(start);
    }
    let search = Search::new([&a, &b], radii, step.dt, tolerance)?;
    if dispatch!(lanes::level(), simd => search.never_meets(simd)) {
        return None;
    }
    if !is_close && let Some(start) = start() {
        return Some(start);
    }
    match is_straight {
        true => exact(&search, cores, step.dt),
        false => dispatch!(lanes::level(), simd => search.first(simd)),
    }
}

/// Returns `true` if the two, whose cores move so, share a point at the start.
fn collide(bodies: [BodyRef<'_>; 2], [a, b]: [&Body; 2]) -> bool {
    match (a.moved, b.moved) {
        (None, None) => bodies[0].contact(bodies[1]).collides(),
        _ => {
            let apart = Apart::of_bodies(a, b);
            compare(bodies.map(Core::from), apart.parts(), 0.0, &mut Tally::default()).is_le()
        }
    }
}

/// Returns the answer for bodies that move straight and are apart at the start, decided in whole
/// numbers.
fn exact(search: &Search, [a, b]: &[MovingCore; 2], dt: f64) -> Option<TimeOfImpact> {
    let velocities = [a, b].map(|moving| moving.motion.velocity);
    let apart = Apart::of_bodies(&a.body(), &b.body());
    let until = |time: f64| meet_until([&a.core, &b.core], &apart, velocities, time);
    if dt == 0.0 {
        return None;
    }
    let speed = (velocities[1].as_dvec3() - velocities[0].as_dvec3()).length();
    let precise = f64::min(PRECISE * dt, 0.25 * search.tolerance / speed).max(FINEST * dt);
    // They do not meet until `early`, and do until `late`.
    let mut early = search.tangents();
    let mut late = f64::min(early + precise, dt);
    if !until(late) {
        if late == dt || !until(dt) {
            return None;
        }
        (early, late) = (late, dt);
    }
    // Bodies that just graze each other need bisection.
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
