//! Boxes whose motion is any function of time.
//!
//! The guarantee depends on what is known of the motion:
//!
//! - If the distance of the boxes is known to shrink by at most a given speed, time advances by the
//!   distance over that speed (conservative advancement; B. Mirtich, 1996): no contact is missed.
//! - If nothing is known, the boxes are tested at 2^depth + 1 evenly spaced times. Between the
//!   first time at which they share a point and the previous one, bisection narrows the moment.
//!   Contacts that last less than `dt / 2^depth` may be missed, and so may the first of several.

use crate::base::error::{Error, Result};
use crate::narrow_phase::moving_moving::start::at_start;
use crate::narrow_phase::moving_moving::time_of_impact::{ImpactState, TimeOfImpact};
use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::shapes::moving::body::Body;
use crate::shapes::moving::motion::Motion;
use crate::shapes::moving::step::Step;
use crate::shapes::obb::record::Obb;

/// The maximum number of advancement steps; after these, the time reached is the answer.
const MOST_STEPS: usize = 1 << 16;

/// The greatest `depth` of [`Approach::Unknown`].
const MOST_DEPTH: u32 = 30;

/// A bound on the motion of two boxes whose placement is a function of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Approach {
    /// The distance of the boxes shrinks by at most this much per second, in the caller's unit: the
    /// difference of the velocities plus, for each box, the angular speed times the length of its
    /// half extents. Nothing is missed.
    AtMost(f64),
    /// No bound is known. The boxes are tested at `2^depth + 1` times; contacts that last less than
    /// `dt / 2^depth` may be missed.
    Unknown {
        /// The number of halvings of the step, at most 30.
        depth: u32,
    },
}

/// Returns when two boxes first meet during a step; `None` if they do not. The placement of each
/// box is a function of the time in seconds, from 0 to `dt`.
///
/// The functions return the intended placements with every number rounded to `f32`. With
/// [`Approach::AtMost`] every contact of the intended placements is found: the time is never late,
/// and the distance of the boxes is then within the tolerance plus the rounding of the placements
/// (about 2^-22 of the boxes' coordinates and extents). With [`Approach::Unknown`] the answer is
/// about the boxes as returned, at the times tested. Groups are ignored; the result for an invalid
/// box is arbitrary.
///
/// ```
/// use obbligato::{glam::{Quat, Vec3}, motion::{time_of_impact_along, Approach, Step}, Obb};
/// # fn main() -> obbligato::Result<()> {
/// // A door that opens with a spring, and a stop behind it.
/// let door = |t: f64| {
///     let turn = Quat::from_rotation_z((1.0 - (-2.0 * t).exp()) as f32);
///     Obb::new(turn * Vec3::new(0.5, 0.0, 1.0), Vec3::new(0.5, 0.02, 1.0), turn)
/// };
/// let stop = |_| Obb::axis_aligned(Vec3::new(0.6, 0.6, 0.1), Vec3::splat(0.05));
/// // The hinge turns by at most 2 radians a second, and the door reaches 1.5 from it.
/// let impact = time_of_impact_along([&door, &stop], Approach::AtMost(3.0), &Step::new(2.0))?.expect("it hits");
/// assert!((0.5..0.6).contains(&impact.time));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::InvalidStep`] if a number of the step, the speed or the depth is not valid.
pub fn time_of_impact_along(
    paths: [&dyn Fn(f64) -> Obb; 2],
    approach: Approach,
    step: &Step,
) -> Result<Option<TimeOfImpact>> {
    step.validate()?;
    let invalid = |what, value, wanted| Err(Error::InvalidStep { what, value, wanted });
    let [a, b] = paths.map(|path| path(0.0));
    let search = Search {
        paths,
        dt: step.dt,
        tolerance: step.tolerance_of(&a, &b),
    };
    match approach {
        Approach::AtMost(speed) if !(speed.is_finite() && speed >= 0.0) => {
            invalid("speed of approach", speed, "finite and not negative")
        }
        Approach::Unknown { depth } if depth > MOST_DEPTH => invalid("depth", f64::from(depth), "at most 30"),
        _ if a.contact(&b).collides() => Ok(at_rest([&a, &b])),
        Approach::AtMost(speed) => Ok(search.advance(speed)),
        Approach::Unknown { depth } => Ok(search.bisect(depth)),
    }
}

struct Search<'a> {
    paths: [&'a dyn Fn(f64) -> Obb; 2],
    dt: f64,
    tolerance: f64,
}

/// Returns a bound on the displacement of a box by rounding to `f32`: each coordinate by 2^-24 of
/// itself, and the rotation by 2^-23 radians plus the contribution of the quaternion's components.
fn rounding(obb: &Obb) -> f64 {
    let [center, half] = [obb.center, obb.half_extents].map(|vector| f64::from(vector.abs().element_sum()));
    (0.25 * center + half) / f64::from(1 << 22)
}

impl Search<'_> {
    fn boxes(&self, time: f64) -> [Obb; 2] {
        self.paths.map(|path| path(time))
    }

    /// Searches by conservative advancement, for boxes whose distance shrinks by at most `speed`.
    fn advance(&self, speed: f64) -> Option<TimeOfImpact> {
        let mut time = 0.0;
        for _ in 0..MOST_STEPS {
            let boxes = self.boxes(time);
            let [a, b] = &boxes;
            let closest = a.closest_points(b);
            let rounded = rounding(a) + rounding(b);
            let tolerance = f64::max(self.tolerance, 8.0 * rounded);
            if closest.distance <= 0.5 * tolerance {
                return Some(answer(time, &boxes, &closest, true));
            }
            let next = time + (closest.distance - rounded - 0.25 * tolerance) / speed;
            if next > self.dt {
                return None;
            }
            if next <= time {
                return Some(answer(time, &boxes, &closest, false));
            }
            time = next;
        }
        let boxes = self.boxes(time);
        Some(answer(time, &boxes, &boxes[0].closest_points(&boxes[1]), false))
    }

    /// Searches by sampling and bisection, for boxes that are apart at time 0.
    fn bisect(&self, depth: u32) -> Option<TimeOfImpact> {
        let count = 1u32 << depth;
        let time = |k: u32| self.dt * (f64::from(k) / f64::from(count));
        let meet = |time: f64| {
            let [a, b] = self.boxes(time);
            a.contact(&b).collides()
        };
        let first = (1..=count).find(|&k| meet(time(k)))?;
        let (mut apart, mut together) = (time(first - 1), time(first));
        loop {
            let boxes = self.boxes(apart);
            let closest = boxes[0].closest_points(&boxes[1]);
            let middle = 0.5 * (apart + together);
            let is_near = closest.distance <= self.tolerance;
            if is_near || middle <= apart || middle >= together {
                return Some(answer(apart, &boxes, &closest, is_near));
            }
            // Bisection continues until it finds a time at which they are apart, but closer.
            match meet(middle) {
                true => together = middle,
                false => apart = middle,
            }
        }
    }
}

/// Returns the overlap of boxes that do not move.
fn at_rest(boxes: [&Obb; 2]) -> Option<TimeOfImpact> {
    let [a, b] = boxes.map(|obb| Body::new(obb, &Motion::REST));
    at_start(&a, &b)
}

/// Returns the answer for boxes that meet after `time`.
fn answer(time: f64, [a, b]: &[Obb; 2], closest: &ClosestPoints, is_resolved: bool) -> TimeOfImpact {
    let direction = (closest.on_b - closest.on_a).try_normalize();
    let normal = direction.or_else(|| at_rest([a, b]).map(|start| start.normal));
    TimeOfImpact {
        time,
        state: ImpactState::Impact,
        normal: normal.unwrap_or(glam::DVec3::X),
        point: 0.5 * (closest.on_a + closest.on_b),
        is_resolved,
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::narrow_phase::moving_moving::impact::time_of_impact;

    const BULLET: Obb = Obb::axis_aligned(Vec3::new(-10.0, 0.0, 0.0), Vec3::splat(0.005));
    const PLATE: Obb = Obb::axis_aligned(Vec3::ZERO, Vec3::new(0.0005, 1.0, 1.0));

    fn flight(t: f64) -> Obb {
        Obb {
            center: Vec3::new((-10.0 + 1000.0 * t) as f32, 0.0, 0.0),
            ..BULLET
        }
    }

    #[test]
    fn a_known_speed_misses_no_contact() {
        let step = Step::new(1.0 / 60.0);
        let paths: [&dyn Fn(f64) -> Obb; 2] = [&flight, &|_| PLATE];
        let impact = time_of_impact_along(paths, Approach::AtMost(1000.0), &step)
            .unwrap()
            .expect("it hits");
        assert!(
            impact.is_resolved && (9.9944e-3..=9.9945e-3).contains(&impact.time),
            "{impact:?}"
        );
        assert!(impact.normal.distance(glam::DVec3::X) < 1e-12, "{impact:?}");
        let other = time_of_impact_along(paths, Approach::AtMost(1000.0), &Step::new(0.0099)).unwrap();
        assert_eq!(other, None);
    }

    #[test]
    fn an_unknown_speed_may_miss_short_contacts() {
        let step = Step::new(1.0 / 60.0);
        let paths: [&dyn Fn(f64) -> Obb; 2] = [&flight, &|_| PLATE];
        let at = |depth| time_of_impact_along(paths, Approach::Unknown { depth }, &step).unwrap();
        // The contact lasts 11 microseconds.
        assert_eq!(at(4), None);
        let impact = at(11).expect("2^11 times are close enough");
        assert!(
            impact.is_resolved && (9.9944e-3..=9.9945e-3).contains(&impact.time),
            "{impact:?}"
        );
    }

    #[test]
    fn paths_and_motions_give_the_same_impact() {
        let rod = Obb::axis_aligned(Vec3::new(0.0, 0.0, 0.7), Vec3::new(1.0, 0.05, 0.05));
        let floor = Obb::axis_aligned(Vec3::ZERO, Vec3::new(5.0, 5.0, 0.1));
        let motion = Motion::REST.turning(Vec3::new(0.0, 3.0, 0.0));
        let path = |t: f64| Obb {
            rotation: Quat::from_rotation_y((3.0 * t) as f32),
            ..rod
        };
        let step = Step::new(1.0);
        let known = time_of_impact([&rod, &floor], [&motion, &Motion::REST], &step).expect("it hits");
        for approach in [Approach::AtMost(3.1), Approach::Unknown { depth: 6 }] {
            let found = time_of_impact_along([&path, &|_| floor], approach, &step)
                .unwrap()
                .expect("it hits");
            assert!(
                (found.time - known.time).abs() < 1e-4,
                "{approach:?}: {found:?} {known:?}"
            );
            assert!(
                found.normal.distance(known.normal) < 1e-2,
                "{approach:?}: {found:?} {known:?}"
            );
        }
    }

    #[test]
    fn initial_contacts_and_bad_numbers_are_handled() {
        let paths: [&dyn Fn(f64) -> Obb; 2] = [&|_| PLATE, &|_| PLATE];
        let step = Step::new(1.0);
        let start = time_of_impact_along(paths, Approach::AtMost(0.0), &step)
            .unwrap()
            .expect("it starts so");
        assert_eq!((start.state, start.time), (ImpactState::Start, 0.0));
        let far = |_| Obb::axis_aligned(Vec3::splat(9.0), Vec3::ONE);
        let still = time_of_impact_along([&far, &|_| PLATE], Approach::AtMost(0.0), &step);
        assert_eq!(still.unwrap(), None);
        for approach in [
            Approach::AtMost(-1.0),
            Approach::AtMost(f64::NAN),
            Approach::Unknown { depth: 31 },
        ] {
            assert!(time_of_impact_along(paths, approach, &step).is_err(), "{approach:?}");
        }
        assert!(time_of_impact_along(paths, Approach::AtMost(1.0), &Step::new(-1.0)).is_err());
    }
}
