//! Tests of the bounds: against gaps at many times, plain formulas, and boxes in the other order.

use glam::DQuat;

use super::*;
use crate::base::lanes::{dispatch, level};
use crate::base::split_mix::SplitMix;
use crate::made_up::{self, MovingPair};
use crate::narrow_phase::moving_moving::advancement::axes::Axes;
use crate::narrow_phase::moving_moving::advancement::course::{Course, Drift};
use crate::shapes::moving::body::Body;

fn axes_of<const N: usize>(moment: &Moment, either_way: bool, bound: f64) -> Axes<N> {
    dispatch!(level(), simd => moment.gaps::<_, N>(simd, either_way, bound))
}

fn course(pair: &MovingPair) -> Course {
    let [a, b] = [0, 1].map(|k: usize| Body::new(&pair.boxes[k], &pair.motions[k]));
    Course::new(Drift::new(&a, &b), &a, &b, 0.0, pair.dt)
}

#[test]
fn gaps_are_at_least_their_bounds() {
    let mut random = SplitMix(3);
    let (mut bounds, mut tight, mut across) = (0, 0, 0);
    for index in 0..8_000 {
        let pair = made_up::moving_pair(index, 21);
        let course = course(&pair);
        let time = random.unit() * pair.dt;
        let moment = course.at(time);
        let motions = pair.motions.each_ref();
        let e = f64::from(motions[0].uncertainty) + f64::from(motions[1].uncertainty);
        let part = [1.0, 0.1, 0.01][(index % 3) as usize];
        let (back, ahead) = (time * random.unit() * part, (pair.dt - time) * random.unit() * part);
        for axis in axes_of::<3>(&moment, false, 0.0).lasting() {
            for carrier in moment.carriers(axis) {
                let clearance = Clearance::new(&moment, axis, carrier);
                let (bound, forward) = (clearance.least(back, ahead), clearance.least_ahead(ahead));
                let turned =
                    |k: usize, later: f64| DQuat::from_scaled_axis(motions[k].angular_velocity.as_dvec3() * later);
                let b_axes = moment.axes * moment.c;
                let gap = |later: f64| {
                    let n = moment.axes * axis.normal;
                    let n = match carrier {
                        Carrier::World => n,
                        Carrier::A => turned(0, later) * n,
                        Carrier::B => turned(1, later) * n,
                        Carrier::Edges([i, j]) => {
                            let across =
                                (turned(0, later) * moment.axes.col(i)).cross(turned(1, later) * b_axes.col(j));
                            let [sign, size] =
                                [moment.axes.col(i).cross(b_axes.col(j)).dot(n).signum(), across.length()];
                            let gap = made_up::gap_along(&pair, time + later, across * (sign / size));
                            let at = time + later;
                            return (gap - 0.5 * e * at * at) * size;
                        }
                    };
                    let at = time + later;
                    made_up::gap_along(&pair, at, n) - 0.5 * e * at * at
                };
                let mut least = f64::INFINITY;
                for k in 0..=16 {
                    let later = -back + (back + ahead) * f64::from(k) / 16.0;
                    let now = gap(later);
                    let slack = course.error;
                    assert!(
                        bound <= now + slack,
                        "{index} {carrier:?} {later}: {bound} of {now}\n{pair:?}"
                    );
                    assert!(
                        later < 0.0 || forward <= now + slack,
                        "{index} {carrier:?} {later}: {forward} of {now}\n{pair:?}"
                    );
                    least = least.min(now);
                }
                bounds += 1;
                across += usize::from(matches!(carrier, Carrier::Edges(_)) && bound > 0.0);
                tight += usize::from(bound > 0.9 * least && least > 0.0);
            }
        }
    }
    assert!(bounds > 15_000 && tight > bounds / 3, "{tight} of {bounds}");
    assert!(across > 1_000, "{across} across edges");
}

/// The lanes and plain formulas agree on the fifteen axes.
#[test]
fn lanes_match_plain_formulas_on_all_fifteen_axes() {
    let (mut compared, mut apart) = (0, 0);
    for index in 0..6_000 {
        let pair = made_up::moving_pair(index, 23);
        let course = course(&pair);
        let moment = course.at(0.4 * pair.dt);
        let c = [moment.c.x_axis, moment.c.y_axis, moment.c.z_axis];
        let edges = DVec3::AXES.map(|a| c.map(|b| a.cross(b)));
        if edges.as_flattened().iter().any(|edge| edge.length() < 1e-2) {
            continue;
        }
        compared += 1;
        let slack = 100.0 * course.error;
        let gap = |axis: DVec3| {
            let n = moment.axes * axis.normalize();
            let [there, back] = [n, -n].map(|n| made_up::gap_along(&pair, moment.time, n));
            f64::max(there, back) - moment.margin
        };
        let axes = DVec3::AXES
            .into_iter()
            .chain(c)
            .chain(edges.as_flattened().iter().copied());
        let gaps: Vec<f64> = axes.map(gap).collect();
        let widest = gaps.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let found = axes_of::<15>(&moment, false, 0.0);
        for axis in found.lasting() {
            assert!((gap(axis.normal) - axis.gap).abs() < slack, "{index} {axis:?}");
        }
        let is_counted = |bound: f64| {
            let count = |least: f64| gaps.iter().filter(|&&gap| gap > least).count();
            let number = axes_of::<15>(&moment, false, bound).lasting().len();
            (count(bound + slack)..=count(bound - slack)).contains(&number)
        };
        assert!(is_counted(0.0), "{index}: {gaps:?}");
        if widest > 4.0 * slack {
            apart += 1;
            assert!(is_counted(0.5 * widest), "{index}: {gaps:?}");
            assert!(
                axes_of::<1>(&moment, false, widest - slack).wide && !axes_of::<1>(&moment, false, widest + slack).wide
            );
            assert!((moment.widest().gap - widest).abs() < slack, "{index}");
            let first = |axes: &[Axis]| axes[0].normal;
            assert_eq!(
                first(axes_of::<1>(&moment, false, 0.0).lasting()),
                first(found.lasting())
            );
        }
    }
    assert!(compared > 3_000 && apart > 1_500, "{compared} {apart}");
}

#[test]
fn steps_are_as_long_as_the_bound_allows() {
    let mut random = SplitMix(5);
    let (mut steps, mut long, mut until_the_end) = (0, 0, 0);
    for index in 0..8_000 {
        let pair = made_up::moving_pair(index, 24);
        let course = course(&pair);
        let moment = course.at(0.3 * random.unit() * pair.dt);
        let rest = pair.dt - moment.time;
        let guess = rest * random.unit().powi(4);
        for axis in axes_of::<3>(&moment, false, 0.0).lasting() {
            let floor = 0.01 * axis.gap;
            if floor < 16.0 * course.error {
                continue;
            }
            for carrier in moment.carriers(axis) {
                let clearance = Clearance::new(&moment, axis, carrier);
                let Some(ahead) = clearance.extend(0.0, guess, rest, [floor, course.error]) else {
                    until_the_end += 1;
                    assert!(clearance.least_ahead(rest) > course.error, "{index} {axis:?}");
                    continue;
                };
                // The axis is short.
                if floor * clearance.size < 16.0 * course.error {
                    continue;
                }
                let width = clearance.width(floor, course.error);
                // Along a short axis the uncertainty of the motion may take all of the gap.
                if clearance.least_ahead(0.0) < width {
                    assert!(ahead == 0.0 && matches!(carrier, Carrier::Edges(_)), "{index} {axis:?}");
                    continue;
                }
                steps += 1;
                assert!(ahead > 0.0 && clearance.least_ahead(ahead) >= width, "{index} {axis:?}");
                long += usize::from(clearance.least_ahead(lesser(1.5 * ahead, rest)) < width);
                let further = clearance.extend(0.5 * ahead, guess, rest, [floor, course.error]);
                assert!(further.is_none_or(|further| further >= 0.5 * ahead), "{index} {axis:?}");
                let further = further.unwrap_or(rest);
                assert!(
                    further == 0.5 * ahead || clearance.least_ahead(further) >= width,
                    "{index}"
                );
            }
        }
    }
    assert!(steps > 3_000 && until_the_end > 1_000, "{steps} {until_the_end}");
    assert!(long > steps - steps / 10, "{long} of {steps}");
}

/// Swapping the boxes changes all roundings, and nothing else.
#[test]
fn errors_are_within_the_promised_bound() {
    let mut worst = 0f64;
    for index in 0..20_000 {
        let pair = made_up::moving_pair(index, 22);
        let mirrored = MovingPair {
            boxes: [pair.boxes[1], pair.boxes[0]],
            motions: [pair.motions[1], pair.motions[0]],
            ..pair
        };
        let (course, other) = (course(&pair), self::course(&mirrored));
        let (moment, seen) = (course.at(0.7 * pair.dt), other.at(0.7 * pair.dt));
        for axis in axes_of::<3>(&moment, false, 0.0).lasting() {
            let mut opposite = *axis;
            opposite.normal = -(seen.axes.transpose() * (moment.axes * axis.normal));
            let [gap, same] = [(&moment, axis), (&seen, &opposite)]
                .map(|(moment, axis)| Clearance::new(moment, axis, Carrier::World).least(0.0, 0.0));
            worst = worst.max((gap - same).abs() / course.error);
        }
    }
    assert!((1e-3..0.5).contains(&worst), "{worst}");
}
