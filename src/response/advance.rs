//! Motion of boxes through a step, from impact to impact.
//!
//! A sweep finds all impacts in the rest of the step. Everything moves on to the first of them, the
//! two boxes get new motions, and the rest of the step is swept again: a box that has turned round
//! may hit something that it would not have met otherwise.
//!
//! Boxes are placed in `f32`, so at an impact they could overlap by a rounding error. Therefore
//! they stay a skin apart: at an impact they are moved to where, at the speed at which they close,
//! the skin is still between them. Each new placement is checked. If boxes collide nevertheless
//! (which turning boxes may), all go half as far.

use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::checker::Checker;
use crate::engine::query::sets::Set;
use crate::engine::sweep::MovingSet;
use crate::narrow_phase::moving_moving::time_of_impact::ImpactState;
use crate::outputs::impacts::Impact;
use crate::outputs::report::Report;
use crate::questions::sweep::Sweep;
use crate::response::mass::velocity_of;
use crate::response::moved::{moved, velocity_at};
use crate::rules::model::Rules;
use crate::shapes::moving::motion::Motion;
use crate::shapes::moving::step::Step;
use crate::shapes::obb::record::Obb;

/// Label for out-of-memory errors.
const WHAT: &str = "the boxes that move on";

/// The tolerance of sweeps, as a fraction of the skin: boxes that have just parted, a skin from
/// each other, do not count as meeting again.
const TOLERANCE_OF_SKIN: f64 = 0.125;

/// The number of times that a move is halved: what is left after that is less than rounding.
const HALVINGS: i32 = 24;

/// The parameters of [`advance`].
#[derive(Clone, Copy, Debug)]
pub struct Advance<'a> {
    /// The length of the step in seconds.
    pub dt: f64,
    /// The distance at which boxes are kept from each other, in the caller's unit: finite and
    /// above 0. It should be more than the rounding of coordinates, about 1e-7 of the largest, and
    /// much less than a box.
    pub skin: f64,
    /// The largest number of sweeps in a step. If more are needed, the rest of the step is left
    /// out.
    pub limit: usize,
    /// The rules about the boxes.
    pub rules: Rules<'a>,
}

/// The outcome of [`advance`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Advanced {
    /// The number of impacts that were answered.
    pub impacts: usize,
    /// The number of sweeps that were needed.
    pub sweeps: usize,
    /// The number of times that boxes went less far than to the next impact, because they would
    /// have collided there.
    pub shortened: usize,
    /// The seconds that were left out because [`Advance::limit`] was reached.
    pub left: f64,
}

/// Moves boxes through a step. At each impact the two boxes get the motions that `respond` returns,
/// such as those of [`bounce`](crate::response::bounce) or [`stop`](crate::response::stop).
/// `respond` gets the boxes where they meet, and their motions there.
///
/// No pair collides at the end that did not at the start, whatever `respond` does, and none passes
/// through another on the way. At the end, `motions` are those from that moment on.
///
/// Costs a sweep and a check for every moment at which boxes meet. Pairs that meet at the same time
/// are answered together if they share no box.
///
/// # Errors
/// As [`Sweep`](crate::query::Sweep); [`Error::InvalidStep`] for a skin that is not finite and
/// above 0. The boxes are then partway through the step, and do not collide.
pub fn advance(
    checker: &mut Checker,
    boxes: &mut [Obb],
    motions: &mut [Motion],
    step: &Advance<'_>,
    mut respond: impl FnMut(&Impact, [(&Obb, &Motion); 2]) -> [Motion; 2],
) -> Result<Advanced> {
    let mut done = Advanced {
        left: step.dt,
        ..Advanced::default()
    };
    let mut busy = memory::filled(boxes.len(), false, WHAT)?;
    while done.sweeps < step.limit.max(1) {
        let sweep = Step::new(done.left).with_tolerance(step.skin * TOLERANCE_OF_SKIN);
        let set = MovingSet::new(&*boxes, motions).with(step.rules);
        let impacts = checker
            .check(Sweep::new(set, &sweep))
            .map_err(|error| name_skin(error, step.skin))?
            .impacts;
        done.sweeps += 1;
        let dues = memory::collect(
            impacts.iter().map(|impact| due(impact, boxes, motions, step.skin)),
            WHAT,
        )?;
        let until = dues.iter().map(|due| due.time).fold(done.left, f64::min);

        // Records where they meet before the boxes move there.
        busy.fill(false);
        let mut meetings = Vec::new();
        for (impact, due) in impacts.iter().zip(&dues) {
            let ids = [impact.pair.a, impact.pair.b].map(|id| id as usize);
            if due.is_impact && due.time <= until && !ids.iter().any(|&id| busy[id]) {
                ids.iter().for_each(|&id| busy[id] = true);
                let there = ids.map(|id| moved(&boxes[id], &motions[id], impact.first.time));
                memory::push(&mut meetings, (impact, ids, there), WHAT)?;
            }
        }
        let gone = go(checker, boxes, motions, until, &impacts, step.rules)?;
        done.left -= gone;
        done.shortened += usize::from(gone < until);
        // Boxes that have not reached the place where they meet wait for the next sweep, unless
        // they cannot move there at all.
        if gone == until || gone == 0.0 {
            for (impact, [a, b], there) in meetings {
                [motions[a], motions[b]] = respond(impact, [(&there[0], &motions[a]), (&there[1], &motions[b])]);
                done.impacts += 1;
            }
        }
        if done.left <= 0.0 {
            break;
        }
    }
    Ok(done)
}

/// The time until which the boxes of an impact may move on.
struct Due {
    time: f64,
    /// `true` if they meet then. Otherwise they part, and another sweep must follow soon.
    is_impact: bool,
}

fn due(impact: &Impact, boxes: &[Obb], motions: &[Motion], skin: f64) -> Due {
    let first = &impact.first;
    let ids = [impact.pair.a, impact.pair.b].map(|id| id as usize);
    let [a, b] = ids.map(|id| {
        let there = moved(&boxes[id], &motions[id], first.time);
        velocity_of(
            &velocity_at(&motions[id], first.time),
            first.point - there.center.as_dvec3(),
        )
    });
    let closing = (a - b).dot(first.normal);
    if closing > 0.0 {
        return Due {
            time: f64::max(first.time - skin / closing, 0.0),
            is_impact: true,
        };
    }
    // They part. A sweep returns only the first impact of a pair, so another sweep must come before
    // they can meet again in earnest: until then none of their points moves further than half the
    // way through the thinner one.
    let thinner = ids.map(|id| f64::from(boxes[id].half_extents.min_element()));
    let way = f64::max(0.5 * thinner[0].min(thinner[1]), 0.5 * skin);
    let speed: f64 = ids
        .map(|id| {
            let Motion {
                velocity,
                angular_velocity,
                ..
            } = velocity_at(&motions[id], first.time);
            let reach = boxes[id].half_extents.as_dvec3().length();
            velocity.as_dvec3().length() + angular_velocity.as_dvec3().length() * reach
        })
        .iter()
        .sum();
    Due {
        time: first.time + way / speed,
        is_impact: false,
    }
}

/// Moves everything on by `time`. If boxes would collide there that do not collide now, tries half
/// of it, and so on, or does not move at all. Returns the time moved. `impacts` are those of a
/// sweep from here on.
fn go(
    checker: &mut Checker,
    boxes: &mut [Obb],
    motions: &mut [Motion],
    time: f64,
    impacts: &[Impact],
    rules: Rules<'_>,
) -> Result<f64> {
    let collides_now = |impact: &&Impact| impact.first.state == ImpactState::Start;
    let colliding = impacts.iter().filter(collides_now).count();
    let mut now = Vec::new();
    memory::reserve(&mut now, colliding, WHAT)?;
    now.extend(impacts.iter().filter(collides_now).map(|impact| impact.pair));
    now.sort_unstable();
    let mut wanted = memory::collect(boxes.iter().copied(), WHAT)?;
    let mut report = Report::default();
    for halvings in 0..HALVINGS {
        let part = time * 0.5f64.powi(halvings);
        if part == 0.0 {
            break;
        }
        for (place, (obb, motion)) in wanted.iter_mut().zip(boxes.iter().zip(&*motions)) {
            *place = moved(obb, motion, part);
        }
        checker.check_into(Set::from(&wanted).with(rules), &mut report)?;
        if report.pairs()?.iter().all(|pair| now.binary_search(pair).is_ok()) {
            boxes.copy_from_slice(&wanted);
            motions
                .iter_mut()
                .for_each(|motion| *motion = velocity_at(motion, part));
            return Ok(part);
        }
    }
    Ok(0.0)
}

/// Names the skin in an error about the tolerance, because the caller gave only the skin.
fn name_skin(error: Error, skin: f64) -> Error {
    match error {
        Error::InvalidStep {
            what: "tolerance",
            wanted,
            ..
        } => Error::InvalidStep {
            what: "skin",
            value: skin,
            wanted,
        },
        error => error,
    }
}
