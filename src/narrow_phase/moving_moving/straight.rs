//! Boxes that neither turn nor accelerate: along each of the fifteen axes they overlap during an
//! interval of time, and they share a point whenever they overlap along all of them.
//!
//! # Guarantee
//!
//! The centers, half extents, velocities and quaternions (which are not normalised) are the stored
//! `f32`, and the length of the step is the given `f64`; all are taken as exact real numbers.
//! [`impact`] finds an impact if and only if the boxes share a point at some time in `[0, dt]`, 0
//! and dt included. The time is never later than that of the first contact, and earlier by at most
//! `2^-20 dt` (or 2^-1074). It is 0 with [`ImpactState::Start`] if and only if they share a point
//! at time 0. The result does not depend on the machine, nor on the order of the boxes, except for
//! the direction of the normal.
//!
//! # Why the axes suffice
//!
//! At any single time the boxes share a point if and only if no axis separates them: see
//! [`exact`](crate::narrow_phase::obb_obb::exact), for plates, rods and points as well. Along an
//! axis L they overlap while `|L·d + t L·v| <= r`, where `r` is the sum of the radii: during a
//! closed interval, always, or never. They meet if and only if the latest of all entries and 0 is
//! not after the earliest of all exits and dt. An axis of zero length, that of parallel edges, has
//! no interval.
//!
//! # Method
//!
//! 1. Two tests come first: spheres around the boxes, which may pass each other, and f64 with
//!    bounds on its errors ([`intervals`]). They decide that the boxes are apart, or that they meet
//!    at a time between two close bounds, of which the lower one is the answer. They also decide
//!    which pairs are apart at the start.
//! 2. The other pairs are tested without rounding for a point that they share at the start, as any
//!    pair of boxes is.
//! 3. The rest, mostly boxes that slide past each other in contact or meet just at the end, is
//!    decided in whole numbers ([`exact`]).
//!
//! The boxes of each pair are put in a canonical order, so that rounding does not depend on the
//! caller's.
//!
//! # Normal and point
//!
//! At an impact the normal is the axis of the last entry. Between a face and an axis of edges that
//! f64 cannot distinguish, the face is preferred, because the cross product of nearly parallel
//! edges is imprecise. If such edges are the last, their product is computed in whole numbers and
//! rounded. The point is the middle of the region shared with a face, so that boxes which meet face
//! to face do not appear to meet at a corner. Otherwise it is that corner, or the place where two
//! edges cross, if that place agrees with the time. Otherwise it is any closest point of the boxes
//! at that time.

mod exact;
mod intervals;

use glam::DVec3;

use crate::base::lanes::{self, Simd, dispatch};
use crate::geometry::rotation::others;
use crate::narrow_phase::moving_moving::start::at_start;
use crate::narrow_phase::moving_moving::straight::intervals::{Entry, Found, Pair};
use crate::narrow_phase::moving_moving::time_of_impact::{ImpactState, TimeOfImpact};
use crate::narrow_phase::obb_obb::distance::ordered;
use crate::narrow_phase::obb_obb::frame::Frame;
use crate::narrow_phase::obb_obb::manifold::middle_on_face;
use crate::narrow_phase::obb_obb::penetration::across;
use crate::shapes::moving::body::Body;
use crate::shapes::moving::step::Step;

/// The fraction of the tolerance reserved for the time; the rest is for the point and the normal.
const PART: f64 = 0.125;

/// The sine of the angle of two edges above which f64 knows their product precisely enough for a
/// normal.
const WELL_KNOWN: f64 = 1e-2;

/// Returns when the two meet during a step.
pub(crate) fn impact(a: &Body, b: &Body, step: &Step) -> Option<TimeOfImpact> {
    if step.dt == 0.0 || a.motion.velocity == b.motion.velocity {
        return at_start(a, b);
    }
    if intervals::pass_by(a, b) {
        return None;
    }
    dispatch!(lanes::level(), simd => search(simd, a, b, step))
}

/// [`impact`] of bodies that come close and have different velocities, compiled for each set of
/// vector instructions.
#[inline(always)]
fn search<S: Simd>(simd: S, a: &Body, b: &Body, step: &Step) -> Option<TimeOfImpact> {
    let swapped = ordered(a.obb, b.obb).2;
    let bodies = if swapped { [b, a] } else { [a, b] };
    let tolerance = step.tolerance_of(a.obb, b.obb);
    let pair = Pair::new(bodies);
    let entry = match intervals::search(simd, &pair, step.dt, PART * tolerance) {
        Found::Apart => return None,
        Found::Meets(entry) => entry,
        Found::PerhapsAtStart(axes) => match at_start(a, b) {
            None => exact::search(bodies, step.dt, axes)?,
            start => return start,
        },
        Found::Unclear(axes) => exact::search(bodies, step.dt, axes)?,
    };
    let impact = at_entry(bodies, &pair.frame(bodies, entry.time), entry, tolerance);
    let normal = if swapped { -impact.normal } else { impact.normal };
    Some(TimeOfImpact { normal, ..impact })
}

/// Returns the impact at a known time.
#[inline(never)]
fn at_entry([a, b]: [&Body; 2], frame: &Frame, entry: Entry, tolerance: f64) -> TimeOfImpact {
    let sign = if entry.positive { 1.0 } else { -1.0 };
    let (normal, point) = match entry.axis {
        i @ 0..3 => (frame.axes.col(i) * sign, on_face(frame, i, sign, tolerance)),
        axis @ 3..6 => {
            let (seen_from_b, j) = (frame.swapped(), axis - 3);
            let point = on_face(&seen_from_b, j, -sign, tolerance).map(|point| frame.to_a(point));
            (seen_from_b.axes.col(j) * sign, point)
        }
        axis => {
            let (i, j) = ((axis - 6) / 3, (axis - 6) % 3);
            let product = across(frame, i, j);
            let sine = product.length();
            if sine > WELL_KNOWN {
                let normal = product * (sign / sine);
                (frame.axes * normal, crossing(frame, [i, j], sine, normal, tolerance))
            } else {
                (exact::direction([a, b], axis) * sign, None)
            }
        }
    };
    let point = point.unwrap_or_else(|| frame.closest_to_b());
    TimeOfImpact {
        time: entry.time,
        state: ImpactState::Impact,
        normal,
        point: a.center(entry.time) + frame.axes * point,
        is_resolved: true,
    }
}

/// Returns the point where B first touches A's face on the side given by `sign`: the middle of the
/// contact, or a corner.
fn on_face(frame: &Frame, i: usize, sign: f64, tolerance: f64) -> Option<DVec3> {
    middle_on_face(frame, i, sign > 0.0, PART * tolerance).or_else(|| corner_on_face(frame, i, sign, tolerance))
}

/// Returns the corner of B that first touches A's face on the side given by `sign`, if it is on
/// that face.
fn corner_on_face(frame: &Frame, i: usize, sign: f64, tolerance: f64) -> Option<DVec3> {
    let mut corner = frame.t;
    for j in 0..3 {
        let axis = frame.c.col(j);
        let towards_a = if axis[i] * sign > 0.0 { -1.0 } else { 1.0 };
        corner += axis * (towards_a * frame.h_b[j]);
    }
    let on_a = corner.clamp(-frame.h_a, frame.h_a);
    (on_a.distance_squared(corner) <= PART * tolerance * (PART * tolerance)).then_some(on_a)
}

/// Returns the point where two edges cross, if they do.
fn crossing(frame: &Frame, [i, j]: [usize; 2], sine: f64, normal: DVec3, tolerance: f64) -> Option<DVec3> {
    let on_side = |half: f64, along: f64| if along < 0.0 { -half } else { half };
    let ([k, l], [m, n]) = (others(i), others(j));
    let mut of_a = DVec3::ZERO;
    (of_a[k], of_a[l]) = (on_side(frame.h_a[k], normal[k]), on_side(frame.h_a[l], normal[l]));
    let mut on_b = frame.t;
    for axis in [m, n] {
        let direction = frame.c.col(axis);
        on_b -= direction * on_side(frame.h_b[axis], direction.dot(normal));
    }
    let direction = frame.c.col(j);
    let apart = of_a - on_b;
    let along = (apart[k] * direction[k] + apart[l] * direction[l]) / (sine * sine);
    on_b += direction * along.clamp(-frame.h_b[j], frame.h_b[j]);
    of_a[i] = on_b[i].clamp(-frame.h_a[i], frame.h_a[i]);
    (of_a.distance_squared(on_b) <= PART * tolerance * (PART * tolerance)).then_some(of_a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up::straight_pair;
    use crate::narrow_phase::obb_obb::exact::classify;
    use crate::narrow_phase::obb_obb::obb_sat_f64_cpu::Axes;
    use crate::shapes::moving::motion::Motion;

    fn found(pair: &Pair, dt: f64) -> Found {
        dispatch!(lanes::level(), simd => intervals::search(simd, pair, dt, f64::INFINITY))
    }

    /// Calls `each` with many pairs that are apart at the start and have different velocities, and
    /// their steps.
    fn pairs_apart(count: u64, mut each: impl FnMut([&Body; 2], f64)) {
        for index in 0..count {
            let made = straight_pair(index, 3);
            let motions = made.velocities.map(Motion::linear);
            let [a, b] = [0, 1].map(|k| Body::new(&made.boxes[k], &motions[k]));
            if made.velocities[0] != made.velocities[1] && !classify(a.obb, b.obb).collides() {
                each([&a, &b], made.dt);
            }
        }
    }

    /// The decisions of f64 agree with whole numbers, and f64 decides most pairs.
    #[test]
    fn f64_agrees_with_integer_arithmetic() {
        let (mut decided, mut unclear, mut passing, mut few) = (0, 0, 0, 0);
        pairs_apart(40_000, |bodies, dt| {
            let exact = exact::search(bodies, dt, Axes::ALL);
            if intervals::pass_by(bodies[0], bodies[1]) {
                passing += 1;
                assert!(exact.is_none(), "{bodies:?} {dt}");
            }
            let found = found(&Pair::new(bodies), dt);
            if let Found::PerhapsAtStart(axes) | Found::Unclear(axes) = found {
                few += usize::from(axes.0.count_ones() < 8);
                let decided = exact::search(bodies, dt, axes);
                assert_eq!(
                    decided.map(|entry| entry.time),
                    exact.map(|entry| entry.time),
                    "{axes:?} {bodies:?} {dt}"
                );
            }
            match (found, exact) {
                (Found::Apart, None) => decided += 1,
                (Found::Meets(found), Some(exact)) => {
                    decided += 1;
                    // Both are rounded down.
                    assert!(found.time <= exact.time.next_up(), "{found:?} {exact:?} {bodies:?}");
                    assert!(exact.time <= found.time + dt / 1e6, "{found:?} {exact:?} {bodies:?}");
                }
                (Found::PerhapsAtStart(_) | Found::Unclear(_), _) => unclear += 1,
                (_, exact) => panic!("{exact:?} {bodies:?} {dt}"),
            }
        });
        assert!(passing > 1_000, "{passing}");
        assert!(2 * few > unclear, "{few} of {unclear} by few axes");
        assert!(
            decided > 4 * unclear && unclear > 500,
            "{decided} decided, {unclear} not"
        );
    }

    /// The product of edges at a small angle is as precise as any normal.
    #[test]
    fn normals_of_nearly_parallel_edges() {
        let mut seen = 0;
        pairs_apart(200_000, |bodies, dt| {
            if intervals::pass_by(bodies[0], bodies[1]) {
                return;
            }
            let Found::Meets(Entry { axis: 6.., .. }) = found(&Pair::new(bodies), dt) else {
                return;
            };
            let entry = exact::search(bodies, dt, Axes::ALL).expect("f64 is right");
            let frame = Pair::new(bodies).frame(bodies, entry.time);
            let (i, j) = ((entry.axis - 6) / 3, (entry.axis - 6) % 3);
            if across(&frame, i, j).length() > WELL_KNOWN {
                return;
            }
            seen += 1;
            let normal = frame.axes.transpose() * at_entry(bodies, &frame, entry, 0.0).normal;
            let radius = normal.abs().dot(frame.h_a) + (frame.c.transpose() * normal).abs().dot(frame.h_b);
            let way = bodies.map(|body| body.motion.velocity.as_dvec3().length() * entry.time);
            let lengths = radius + way[0] + way[1] + (frame.h_a + frame.h_b).element_sum();
            assert!(
                (normal.dot(frame.t) - radius).abs() < 1e-13 * lengths,
                "{entry:?} {bodies:?}"
            );
        });
        assert!(seen > 50, "{seen} pairs");
    }
}
