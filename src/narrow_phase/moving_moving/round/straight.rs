//! Decides in `f64` whether two bodies that move straight, one of them round, meet. The answer is
//! certain, or left to whole numbers.
//!
//! # Method
//!
//! Seen from the first body, the other's core, a segment or a point, moves straight, and the
//! distance of the cores is a convex function of time. The closest points at a time t establish two
//! facts:
//!
//! - If their distance is within the sum of the radii, the bodies share a point at t.
//! - The direction from one to the other is an axis. The gap along it is a linear function of time,
//!   a tangent of the distance: while it is above the error the bodies share no point.
//!
//! So each look at a time removes a part of the step, before the contact or after it. The remaining
//! part begins with a time until which the bodies certainly do not meet. Once they are found to
//! meet at a time within the precision of that, it is the answer. Once nothing remains, they never
//! meet.
//!
//! Newton's method would look next at the zero of the tangent. But the closest parts of two cores
//! are planes, lines or points, whose distance is the square root of a quadratic function of time.
//! As long as the same parts are closest, the contact is when that distance equals the sum of the
//! radii. So the search looks there next, slightly later, where the bodies share a point if the
//! prediction is right. Usually three looks are enough.
//!
//! # The error
//!
//! The error is that of lengths along an axis, [`ERROR`], for bodies that do not turn: gaps and
//! distances are sums of the same products. Neither bound requires the points to be the closest
//! ones.

use glam::{DMat3, DVec3};

use crate::base::lanes::Simd;
use crate::narrow_phase::moving_moving::advancement::course::ERROR;
use crate::narrow_phase::moving_moving::advancement::{KNOWN, LEAST_TOLERANCE};
use crate::narrow_phase::moving_moving::cores::{Block, Line, Nearest, Still};
use crate::narrow_phase::moving_moving::time_of_impact::{ImpactState, TimeOfImpact};
use crate::narrow_phase::round::closest::Segment;
use crate::shapes::bodies::core::Core;
use crate::shapes::moving::body::MovingCore;
use crate::shapes::obb::parts::rotation;

/// The maximum number of looks at a time, after which whole numbers decide. Bodies that just graze
/// each other would need more.
const MOST_LOOKS: usize = 20;

/// The result of the search in `f64`.
pub(super) enum Found {
    /// They do not meet.
    Apart,
    /// They meet in this impact.
    Meets(TimeOfImpact),
    /// They share a point at the start, and so do their cores, or nearly: another test determines
    /// the overlap.
    Overlaps,
    /// `f64` cannot decide.
    Unclear,
}

/// Two cores in the frame of the first, which stays.
struct Cores<A> {
    still: A,
    moving: Segment,
    velocity: DVec3,
    radii: [f64; 2],
    error: f64,
}

/// Returns whether and when the two meet during a step of `dt`, to within the fraction `part` of it
/// and within `tolerance`. The second one's core must be a segment or a point.
#[inline(always)]
pub(super) fn search<S: Simd>(simd: S, cores: &[MovingCore; 2], dt: f64, [part, tolerance]: [f64; 2]) -> Found {
    let [a, b] = cores;
    let offset = a.body().to(&b.body());
    let velocity = b.motion.velocity.as_dvec3() - a.motion.velocity.as_dvec3();
    let radii = [a, b].map(|body| f64::from(body.core.radius));
    let halves = [a, b].map(|body| body.core.obb.half_extents.as_dvec3());
    let lengths = halves.map(DVec3::length);
    let sizes = lengths[0] + lengths[1] + radii[0] + radii[1];
    let error = ERROR * (offset.abs().element_sum() + velocity.abs().element_sum() * dt + sizes);
    // The spheres around both pass each other, even if the motion went on forever.
    let reach = sizes + error;
    if offset.cross(velocity).length_squared() > reach * reach * velocity.length_squared() * PASSING {
        return Found::Apart;
    }
    let tolerance = f64::max(tolerance, LEAST_TOLERANCE * error);
    let until = Until {
        dt,
        precise: f64::max(f64::min(part * dt, 0.25 * tolerance / velocity.length()), FINEST * dt),
        tolerance,
    };
    let along = |core: &Core| match core.is_point() {
        true => DVec3::ZERO,
        false => rotation(&core.obb).z_axis,
    };
    let (found, frame) = match a.core.is_line() {
        true => {
            let still = Line(segment(DVec3::ZERO, along(&a.core), halves[0].z));
            let moving = segment(offset, along(&b.core), halves[1].z);
            let cores = Cores {
                still,
                moving,
                velocity,
                radii,
                error,
            };
            (cores.search(simd, &until), DMat3::IDENTITY)
        }
        false => {
            let axes = rotation(&a.core.obb);
            let to_box = axes.transpose();
            let moving = segment(to_box * offset, to_box * along(&b.core), halves[1].z);
            let still = Block::new(halves[0], &moving);
            let cores = Cores {
                still,
                moving,
                velocity: to_box * velocity,
                radii,
                error,
            };
            (cores.search(simd, &until), axes)
        }
    };
    match found {
        Ok(None) => Found::Apart,
        Err(Unknown::How) => Found::Overlaps,
        Err(Unknown::Whether) => Found::Unclear,
        Ok(Some(meeting)) => Found::Meets(in_the_world(&meeting, a, frame)),
    }
}

/// Returns a meeting in the frame of `a` as an impact in the world.
#[inline(always)]
fn in_the_world(meeting: &Meeting, a: &MovingCore, frame: DMat3) -> TimeOfImpact {
    TimeOfImpact {
        time: meeting.time,
        state: meeting.state,
        normal: (frame * meeting.normal).normalize(),
        point: a.body().center(meeting.time) + frame * meeting.point,
        is_resolved: true,
    }
}

/// A factor above the rounding of a product of lengths.
const PASSING: f64 = 1.0 + ERROR;

/// The finest precision of a time, as a fraction of a step.
const FINEST: f64 = 1.0 / (1u64 << 50) as f64;

fn segment(middle: DVec3, along: DVec3, half: f64) -> Segment {
    Segment { middle, along, half }
}

/// The length of the step, and the precision of the answer.
struct Until {
    dt: f64,
    precise: f64,
    tolerance: f64,
}

/// The question that `f64` leaves open.
enum Unknown {
    /// It is open whether or when they meet: whole numbers must decide.
    Whether,
    /// The overlap at the start is open: their cores are too close.
    How,
}

/// The first contact of two bodies, in the frame of the first.
struct Meeting {
    time: f64,
    state: ImpactState,
    normal: DVec3,
    point: DVec3,
}

/// The times at which the bodies may share a point for the first time.
struct Open {
    /// They share no point before this time.
    first: f64,
    /// They share no point after this time.
    last: f64,
    /// They certainly share a point at this time.
    met: f64,
}

/// The cores at a time.
struct Look {
    time: f64,
    nearest: Nearest,
    way: DVec3,
    distance: f64,
    /// The direction from the first to the second; NaN if they share a point.
    normal: DVec3,
}

impl<A: Still> Cores<A> {
    #[inline(always)]
    fn reach(&self) -> f64 {
        self.radii[0] + self.radii[1]
    }

    #[inline(always)]
    fn at<S: Simd>(&self, simd: S, time: f64) -> Look {
        let moved = Segment {
            middle: self.moving.middle + self.velocity * time,
            ..self.moving
        };
        let nearest = self.still.closest(simd, &moved, self.velocity);
        let way = nearest.way();
        let distance = way.length();
        Look {
            time,
            nearest,
            way,
            distance,
            normal: way / distance,
        }
    }

    /// Returns the gap of the bodies along a direction at a time; a gap above the error is certain.
    #[inline(always)]
    fn gap_along(&self, direction: DVec3, time: f64) -> f64 {
        let middle = self.moving.middle + self.velocity * time;
        let cores = self.still.reach(direction) + self.moving.along.dot(direction).abs() * self.moving.half;
        direction.dot(middle) - cores - self.reach()
    }

    /// Returns the first contact of the bodies, if they meet.
    #[inline(always)]
    fn search<S: Simd>(&self, simd: S, until: &Until) -> Result<Option<Meeting>, Unknown> {
        if until.dt == 0.0 {
            return self.at_start(simd, until);
        }
        let mut open = Open {
            first: 0.0,
            last: until.dt,
            met: f64::INFINITY,
        };
        let soon = 0.5 * until.precise;
        let mut time = self.nearest_centers(until.dt);
        for _ in 0..MOST_LOOKS {
            let look = self.at(simd, time);
            if self.narrow(&look, &mut open) {
                return Ok(None);
            }
            if open.met - open.first <= until.precise && open.first > 0.0 {
                return self.meeting(&look, open.first, ImpactState::Impact, until);
            }
            if time == 0.0 && open.first == 0.0 {
                return match open.met == 0.0 {
                    true => self.meeting(&look, 0.0, ImpactState::Start, until),
                    false => Err(Unknown::Whether),
                };
            }
            let next = self.contact_of_parts(&look) + soon;
            let is_open = next > open.first + soon && next < f64::min(open.last, open.met);
            let next = match is_open && next != time {
                true => next,
                // It must be known whether they meet at the start.
                false if open.first == 0.0 => 0.0,
                false => f64::min(open.first + soon, until.dt),
            };
            if next == time {
                break;
            }
            time = next;
        }
        Err(Unknown::Whether)
    }

    /// Returns the overlap at the start: a single look decides.
    #[inline(always)]
    fn at_start<S: Simd>(&self, simd: S, until: &Until) -> Result<Option<Meeting>, Unknown> {
        let look = self.at(simd, 0.0);
        if look.distance + self.error <= self.reach() {
            return self.meeting(&look, 0.0, ImpactState::Start, until);
        }
        // The gap is NaN if the cores share a point.
        match self.gap_along(look.normal, 0.0) > 2.0 * self.error {
            true => Ok(None),
            false => Err(Unknown::Whether),
        }
    }

    /// Returns when the centers are closest to each other.
    #[inline(always)]
    fn nearest_centers(&self, dt: f64) -> f64 {
        let time = -self.moving.middle.dot(self.velocity) / self.velocity.length_squared();
        // NaN if they do not move.
        if time > 0.0 { f64::min(time, dt) } else { 0.0 }
    }

    /// Removes from the open times those that a look excludes. Returns `true` if the bodies never
    /// meet.
    #[inline(always)]
    fn narrow(&self, look: &Look, open: &mut Open) -> bool {
        if look.distance + self.error <= self.reach() {
            open.met = f64::min(open.met, look.time);
        }
        // If the direction is NaN, no comparison below is true.
        let gap = self.gap_along(look.normal, look.time) - 2.0 * self.error;
        let speed = look.normal.dot(self.velocity);
        let at = |time: f64| gap + speed * (time - look.time);
        if at(open.first) > 0.0 && at(open.last) > 0.0 {
            return true;
        }
        let end = look.time - gap / speed;
        if speed < 0.0 && end > open.first {
            open.first = end;
        }
        if speed > 0.0 && end < open.last {
            open.last = end;
        }
        open.first > open.last
    }

    /// Returns when the closest parts of the cores, as they approach, are as far apart as the sum
    /// of the radii, or when they are closest to each other.
    #[inline(always)]
    fn contact_of_parts(&self, look: &Look) -> f64 {
        let (way, drift, reach) = (look.way, look.nearest.drift, self.reach());
        let closing = -way.dot(drift);
        let square = drift.length_squared();
        let beyond = (look.distance - reach) * (look.distance + reach);
        let root = closing * closing - square * beyond;
        let later = match root >= 0.0 {
            true if closing > 0.0 => beyond / (closing + root.sqrt()),
            true => (closing - root.sqrt()) / square,
            false => closing / square,
        };
        look.time + later
    }

    /// Returns the contact of the bodies at `time`, given a look slightly later.
    #[inline(always)]
    fn meeting(&self, look: &Look, time: f64, state: ImpactState, until: &Until) -> Result<Option<Meeting>, Unknown> {
        let soon = look.time - time;
        // Limits on how much closer they come in between, and on how precise the normal is.
        let is_close = soon >= 0.0 && self.velocity.length() * soon <= 0.5 * until.tolerance;
        let is_known = look.distance > KNOWN * self.error;
        match state {
            ImpactState::Start if !is_known => return Err(Unknown::How),
            ImpactState::Impact if !is_known || !is_close => return Err(Unknown::Whether),
            _ => {}
        }
        let [r_a, r_b] = self.radii;
        let on_moving = look.nearest.on_moving - self.velocity * soon;
        let middle = match state {
            // Halfway between the surfaces.
            ImpactState::Impact => {
                let [on_a, on_b] = [look.nearest.on_still + look.normal * r_a, on_moving - look.normal * r_b];
                0.5 * (on_a + on_b)
            }
            // The middle of the intersection, on the line through the closest points, of the
            // spheres around these.
            ImpactState::Start => {
                let shared = f64::max(look.distance - r_b, -r_a) + f64::min(r_a, look.distance + r_b);
                look.nearest.on_still + look.normal * (0.5 * shared)
            }
        };
        Ok(Some(Meeting {
            time,
            state,
            normal: look.normal,
            point: middle,
        }))
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::base::lanes::{self, dispatch};
    use crate::base::split_mix::SplitMix;
    use crate::made_up;
    use crate::narrow_phase::obb_obb::exact::apart::Apart;
    use crate::narrow_phase::round::straight::meet_until;
    use crate::shapes::bodies::set::BodyRef;
    use crate::shapes::moving::motion::Motion;
    use crate::shapes::obb::record::Obb;
    use crate::shapes::round::capsule::Capsule;
    use crate::shapes::round::sphere::Sphere;

    /// The promised precision of times, in steps.
    const PROMISED: f64 = 1.0 / (1u64 << 20) as f64;

    fn found(cores: &[MovingCore; 2], dt: f64) -> Found {
        let tolerance = 1e-4
            * cores
                .map(|moving| f64::from(moving.core.largest()))
                .into_iter()
                .fold(1e30, f64::min);
        dispatch!(lanes::level(), simd => search(simd, cores, dt, [0.5 * PROMISED, tolerance]))
    }

    /// Compares the result with whole numbers. Returns `false` if `f64` did not decide.
    fn hold(cores: &[MovingCore; 2], dt: f64, what: &str) -> bool {
        let until = |time: f64| {
            let velocities = cores.map(|moving| moving.motion.velocity);
            let apart = Apart::of_bodies(&cores[0].body(), &cores[1].body());
            meet_until([&cores[0].core, &cores[1].core], &apart, velocities, time)
        };
        match found(cores, dt) {
            Found::Unclear => return false,
            Found::Overlaps => assert!(until(0.0), "{what}"),
            Found::Apart => assert!(!until(dt), "{what}: missed"),
            Found::Meets(impact) if impact.state == ImpactState::Start => assert!(until(0.0), "{what}"),
            Found::Meets(impact) => {
                assert!(!until(impact.time), "{what}: late, {impact:?}");
                assert!(
                    until(f64::min(impact.time + PROMISED * dt, dt)),
                    "{what}: early, {impact:?}"
                );
            }
        }
        true
    }

    /// Returns the two, the one whose core is not a line first.
    fn ordered(bodies: [BodyRef<'_>; 2], motions: [Motion; 2]) -> [MovingCore; 2] {
        let [a, b] = [0, 1].map(|k| MovingCore::new(bodies[k], &motions[k]));
        if b.core.is_line() { [a, b] } else { [b, a] }
    }

    /// The decisions of `f64` agree with whole numbers, even if bodies graze each other, and `f64`
    /// decides many pairs.
    #[test]
    fn f64_agrees_with_integer_arithmetic() {
        let (mut decided, mut unclear) = (0, 0);
        for index in 0..8_000 {
            let pair = made_up::straight_round(index, 9);
            let bodies = pair.bodies.each_ref().map(|solid| solid.body());
            let cores = ordered(bodies, pair.motions);
            if cores.iter().all(|moving| moving.core.radius == 0.0) {
                continue;
            }
            match hold(&cores, pair.dt, &format!("{index} {pair:?}")) {
                true => decided += 1,
                false => unclear += 1,
            }
            hold(&cores, 0.0, &format!("{index} at the start {pair:?}"));
        }
        assert!(decided > 2_000 && unclear > 100, "{decided} decided, {unclear} not");
    }

    /// Pairs of any two kinds that are not constructed close to a contact need no whole numbers.
    #[test]
    fn ordinary_pairs_are_decided_in_f64() {
        let mut random = SplitMix(3);
        let mut within = move |low: f64, high: f64| (low + (high - low) * random.unit()) as f32;
        for kinds in [[0, 1], [0, 2], [1, 1], [1, 2], [2, 2], [3, 1], [3, 2]] {
            for (apart, speed) in [(1.5, 10.0), (4.0, 100.0), (0.3, 10.0), (2.0, 0.0)] {
                let (mut unclear, count) = (0, 2_000);
                for index in 0..count {
                    let mut vector = |size: f64| Vec3::from([0; 3].map(|_| within(-size, size)));
                    let motions = [0; 2].map(|_| Motion::linear(vector(speed)));
                    let centers = [vector(1.0), vector(apart)];
                    let turns = [0; 2].map(|_| Quat::from_scaled_axis(vector(3.0)));
                    let half = [0; 2].map(|_| Vec3::from([0; 3].map(|_| within(0.1, 0.5))));
                    let obb = |k: usize| match kinds[k] {
                        3 => Obb::new(centers[k], Vec3::new(8.0, 2.0, 0.1), turns[k]),
                        _ => Obb::new(centers[k], half[k], turns[k]),
                    };
                    let boxes = [obb(0), obb(1)];
                    let capsules = [0, 1].map(|k| Capsule::new(centers[k], half[k].z, turns[k], half[k].x));
                    let balls = [0, 1].map(|k| Sphere::new(centers[k], half[k].x));
                    let body = |k: usize| match kinds[k] {
                        1 => BodyRef::Capsule(&capsules[k]),
                        2 => BodyRef::Sphere(&balls[k]),
                        _ => BodyRef::Box(&boxes[k]),
                    };
                    let cores = ordered([body(0), body(1)], motions);
                    let what = format!("{kinds:?}, {apart} apart, at {speed}, {index}");
                    match index % 10 {
                        0 => unclear += usize::from(!hold(&cores, 0.0625, &what)),
                        _ => unclear += usize::from(matches!(found(&cores, 0.0625), Found::Unclear)),
                    }
                }
                assert!(unclear * 500 < count, "{kinds:?} at {speed}: {unclear} of {count}");
            }
        }
    }
}
