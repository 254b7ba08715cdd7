//! The interval test without rounding.
//!
//! Along an axis, `D' - R`, `D' + R` and `|V|` (named in [`intervals`](super::intervals)), times
//! `s = |qA|² |qB|²`, are polynomials of degree 4 in the quaternions and 1 in lengths or
//! velocities, as in [`wide_sat`](crate::narrow_phase::obb_obb::exact::wide_sat). They are whole
//! numbers once quaternions, lengths and velocities are each scaled by a power of two. Times of two
//! axes are compared by multiplying crosswise. They are compared likewise with dt, itself a whole
//! number times a power of two, if both have equally many digits.
//!
//! Boxes slide in exact contact, or stop at it, only if their numbers have few digits. So
//! quaternions are mostly multiples of 2^-14, and all but the last products are machine numbers
//! ([`digits`](crate::narrow_phase::obb_obb::exact::digits)).

use crate::base::arrays::Mapped;
use std::cmp::Ordering;

use glam::{DVec3, Vec3};

use crate::narrow_phase::moving_moving::straight::intervals::Entry;
use crate::narrow_phase::obb_obb::exact::algebra::subtract;
use crate::narrow_phase::obb_obb::exact::apart::{Apart, grain_of};
use crate::narrow_phase::obb_obb::exact::digits::{Digits, Long, Short, Tiny, Turned, Whole};
use crate::narrow_phase::obb_obb::exact::same_rotation;
use crate::narrow_phase::obb_obb::exact::scale::{Grain, Grain64, ShortLengths, short_difference, short_turns};
use crate::narrow_phase::obb_obb::exact::wide::Wide;
use crate::narrow_phase::obb_obb::exact::wide_sat::ScaledPair;
use crate::narrow_phase::obb_obb::obb_sat_f64_cpu::Axes;
use crate::shapes::moving::body::Body;

/// Returns the first contact of the boxes until `dt`, which is above 0, given that they are apart
/// at the start; `None` if they do not meet. The time is rounded down. Axes other than `axes` must
/// be known to have an entry before the last of these, and an exit after the first of these or
/// after `dt`.
#[inline(never)]
pub(super) fn search(bodies: [&Body; 2], dt: f64, axes: Axes) -> Option<Entry> {
    let [a, b] = bodies.mapped(|body| body.obb);
    let tiny = short_turns(a, b, Tiny::GRAIN);
    let are_stored = bodies.iter().all(|body| body.moved.is_none());
    if are_stored
        && let Some(lengths) = ShortLengths::of(a, b)
        && let Some(velocity) = short_difference(bodies.mapped(|body| body.motion.velocity.to_array()))
    {
        let axes = asked(bodies, axes);
        if let Some(turns) = tiny {
            return Search::<Tiny>::short(turns, &lengths, velocity).run(dt, axes);
        }
        if let Some(turns) = short_turns(a, b, Short::GRAIN) {
            return Search::<Short>::short(turns, &lengths, velocity).run(dt, axes);
        }
    }
    search_long(bodies, tiny, dt, axes)
}

/// [`search`] for numbers of any length.
#[cold]
#[inline(never)]
fn search_long(bodies: [&Body; 2], tiny: Option<[[i64; 4]; 2]>, dt: f64, axes: Axes) -> Option<Entry> {
    let (grains, axes) = (Grains::of(bodies), asked(bodies, axes));
    if let Some(turns) = tiny {
        return match grains.bits(Tiny::TURNS) {
            ..=256 => Search::<Turned<4>>::turned(bodies, turns, grains).run(dt, axes),
            // As below, 61 + 277 + 58 bits.
            257..=448 => Search::<Turned<7>>::turned(bodies, turns, grains).run(dt, axes),
            // Of images, 61 + 1136 + 5.
            _ => Search::<Turned<19>>::turned(bodies, turns, grains).run(dt, axes),
        };
    }
    match grains.bits(grains.turns()) {
        ..=256 => Search::<Long<4>>::long(bodies, grains).run(dt, axes),
        257..=384 => Search::<Long<6>>::long(bodies, grains).run(dt, axes),
        // Quaternions have at most 149 bits, lengths 210, velocities 277: 4 * 149 + 277 + 58 = 931
        // bits.
        385..=960 => Search::<Long<15>>::long(bodies, grains).run(dt, axes),
        // Lengths between images are multiples of 2^-1074 and below 2^62: 4 * 149 + 1136 + 5.
        _ => Search::<Long<28>>::long(bodies, grains).run(dt, axes),
    }
}

/// Returns the direction, of length 1 up to rounding, of an axis that is not zero. It is exact even
/// if nearly parallel edges leave nothing of it in f64.
#[cold]
#[inline(never)]
pub(super) fn direction(bodies: [&Body; 2], axis: usize) -> DVec3 {
    let grains = Grains::of(bodies);
    match grains.turns() + grains.lengths.bits() + 5 {
        ..=192 => rounded(Search::<Long<3>>::long(bodies, grains).pair.direction(axis)),
        193..=832 => rounded(Search::<Long<13>>::long(bodies, grains).pair.direction(axis)),
        _ => rounded(Search::<Long<28>>::long(bodies, grains).pair.direction(axis)),
    }
}

/// Returns the axes to test. Boxes with equal rotations have three, those of the faces of one.
fn asked([a, b]: [&Body; 2], axes: Axes) -> Axes {
    match same_rotation(a.obb, b.obb) {
        true => Axes(axes.0 & 0b111),
        false => axes,
    }
}

/// The powers of two that turn a pair in motion into whole numbers.
#[derive(Clone, Copy)]
struct Grains {
    rotations: [Grain; 2],
    lengths: Grain64,
    velocities: Grain,
}

impl Grains {
    fn of([a, b]: [&Body; 2]) -> Self {
        let [[ax, ay, az], [bx, by, bz]] = [a, b].mapped(|body| body.motion.velocity.to_array());
        Self {
            rotations: [a, b].mapped(|body| Grain::of_rotation(body.obb)),
            lengths: grain_of(a.obb, b.obb, &Apart::of_bodies(a, b)),
            velocities: Grain::of([ax, ay, az, bx, by, bz]),
        }
    }

    /// Returns the number of bits of s.
    fn turns(&self) -> i32 {
        -2 * (self.rotations[0].exponent + self.rotations[1].exponent)
    }

    /// Returns the number of bits of all computed numbers, given that of s. As in `wide_sat`, a sum
    /// of distances and radii has at most as many as s and a length, 4 more, and a sign. The same
    /// holds with a velocity, and products of that with a dt have 53 more.
    fn bits(&self, turns: i32) -> i32 {
        turns + i32::max(self.lengths.bits() + 5, self.velocities.bits() + 58)
    }

    fn lengths<const N: usize>(&self, bodies: [&Body; 2]) -> Lengths<N> {
        let lengths = |v: Vec3| v.to_array().mapped(|length| self.lengths.apply(f64::from(length)));
        let [before, after] = bodies.mapped(|body| self.velocities.apply(body.motion.velocity.to_array()));
        Lengths {
            d: Apart::of_bodies(bodies[0], bodies[1]).apply(self.lengths),
            half_extents: bodies.mapped(|body| lengths(body.obb.half_extents)),
            velocity: subtract(after, before),
            exponent: self.lengths.exponent - self.velocities.exponent,
        }
    }
}

/// The lengths and velocities of a pair, and the unit of times.
struct Lengths<const N: usize> {
    d: [Wide<N>; 3],
    half_extents: [[Wide<N>; 3]; 2],
    velocity: [Wide<N>; 3],
    exponent: i32,
}

/// A time: a length divided by a velocity above 0.
#[derive(Clone, Copy)]
struct Time<P> {
    way: P,
    speed: P,
}

/// Lengths and velocities times s, the parts of times.
trait Quantity: Whole {
    /// Compares two times that are not below 0.
    fn compare(one: Time<Self>, other: Time<Self>) -> Ordering;
    /// See [`is_until`].
    fn is_until(time: Time<Self>, exponent: i32, dt: f64) -> bool;
    /// See [`rounded_down`].
    fn rounded_down(time: Time<Self>, exponent: i32) -> f64;
}

impl<const N: usize> Quantity for Wide<N> {
    fn compare(one: Time<Self>, other: Time<Self>) -> Ordering {
        Self::compare_products([one.way, other.speed], [other.way, one.speed])
    }

    fn is_until(time: Time<Self>, exponent: i32, dt: f64) -> bool {
        is_until(time, exponent, dt)
    }

    fn rounded_down(time: Time<Self>, exponent: i32) -> f64 {
        rounded_down(time, exponent)
    }
}

impl Quantity for i128 {
    fn compare(one: Time<Self>, other: Time<Self>) -> Ordering {
        Wide::<2>::compare_products(
            [one.way, other.speed].mapped(Wide::from),
            [other.way, one.speed].mapped(Wide::from),
        )
    }

    fn is_until(time: Time<Self>, exponent: i32, dt: f64) -> bool {
        is_until(time.longer(), exponent, dt)
    }

    fn rounded_down(time: Time<Self>, exponent: i32) -> f64 {
        rounded_down(time.longer(), exponent)
    }
}

impl Time<i128> {
    /// Returns the time with room for products with a dt: 125 bits and 53 more.
    fn longer(self) -> Time<Wide<4>> {
        Time {
            way: self.way.into(),
            speed: self.speed.into(),
        }
    }
}

struct Search<D: Digits> {
    pair: ScaledPair<D>,
    velocity: [D::Length; 3],
    /// The exponent of the unit of times, a power of two.
    exponent: i32,
}

impl<D: Digits<Length = i64, Turn: From<i64>>> Search<D> {
    #[inline(always)]
    fn short(turns: [[i64; 4]; 2], lengths: &ShortLengths, (velocity, unit): ([i64; 3], i32)) -> Self {
        Self {
            pair: ScaledPair::short(turns, lengths),
            velocity,
            exponent: lengths.exponent - unit,
        }
    }
}

impl<const N: usize> Search<Turned<N>> {
    fn turned(bodies: [&Body; 2], turns: [[i64; 4]; 2], grains: Grains) -> Self {
        let lengths = grains.lengths(bodies);
        Self {
            pair: ScaledPair::of(turns, lengths.d, lengths.half_extents),
            velocity: lengths.velocity,
            exponent: lengths.exponent,
        }
    }
}

impl<const N: usize> Search<Long<N>> {
    fn long(bodies: [&Body; 2], grains: Grains) -> Self {
        let [a, b] = bodies.mapped(|body| body.obb.rotation.to_array());
        let turns = [grains.rotations[0].apply(a), grains.rotations[1].apply(b)];
        let lengths = grains.lengths(bodies);
        Self {
            pair: ScaledPair::of(turns, lengths.d, lengths.half_extents),
            velocity: lengths.velocity,
            exponent: lengths.exponent,
        }
    }
}

impl<D: Digits<Product: Quantity>> Search<D> {
    fn run(&self, dt: f64, axes: Axes) -> Option<Entry> {
        let mut last: Option<(Time<D::Product>, usize, bool)> = None;
        let mut first_exit: Option<Time<D::Product>> = None;
        for axis in axes.iter() {
            let Some(direction) = self.pair.direction(axis) else {
                continue;
            };
            let radius = self.pair.radius(axis);
            let distance = D::dot(direction, self.pair.d);
            let speed = D::dot(direction, self.velocity);
            let to_go = match speed.sign() {
                Ordering::Equal if (distance.abs() - radius).sign() == Ordering::Greater => return None,
                Ordering::Equal => continue,
                Ordering::Less => distance,
                Ordering::Greater => -distance,
            };
            let positive = speed.sign() == Ordering::Less;
            let [entry, exit] = [to_go - radius, to_go + radius].mapped(|way| Time {
                way,
                speed: speed.abs(),
            });
            if exit.way.sign() == Ordering::Less {
                return None;
            }
            if first_exit.is_none_or(|first| Quantity::compare(exit, first) == Ordering::Less) {
                first_exit = Some(exit);
            }
            // The axes of faces come first, so they win ties.
            let is_later = last.is_none_or(|(last, ..)| Quantity::compare(entry, last) == Ordering::Greater);
            if entry.way.sign() == Ordering::Greater && is_later {
                last = Some((entry, axis, positive));
            }
        }
        let (entry, axis, positive) = last?;
        let is_inside = first_exit.is_none_or(|exit| Quantity::compare(entry, exit) != Ordering::Greater);
        let in_time = is_inside && Quantity::is_until(entry, self.exponent, dt);
        in_time.then(|| Entry {
            time: Quantity::rounded_down(entry, self.exponent),
            axis,
            positive,
        })
    }
}

/// Returns `true` if a time above 0, in units of `2^exponent`, is not after `dt`, which is above 0.
fn is_until<const N: usize>(time: Time<Wide<N>>, exponent: i32, dt: f64) -> bool {
    let (whole, power) = split(dt);
    let (ours, theirs) = (time.way, time.speed.times(whole as i64));
    let excess = exponent - power;
    match (ours.bits() as i32 + excess).cmp(&(theirs.bits() as i32)) {
        // Equally many digits: scaling one of them makes the exponents equal.
        Ordering::Equal => {
            let more = excess.unsigned_abs();
            let (ours, theirs) = match excess >= 0 {
                true => (ours.scaled(more), theirs),
                false => (ours, theirs.scaled(more)),
            };
            (ours - theirs).sign() != Ordering::Greater
        }
        order => order == Ordering::Less,
    }
}

/// Returns a time above 0, in units of `2^exponent`, as an f64: not later, and earlier by less than
/// 2^-52 of it or than 2^-1074.
fn rounded_down<const N: usize>(time: Time<Wide<N>>, exponent: i32) -> f64 {
    let (way, way_power, _) = time.way.leading();
    let (speed, speed_power, rest) = time.speed.leading();
    let quotient = (u128::from(way) << 64) / (u128::from(speed) + u128::from(rest));
    let excess = 75 - quotient.leading_zeros() as i32;
    let power = excess + way_power - speed_power - 64 + exponent;
    let digits = (quotient >> excess) as u64;
    match power {
        -1074.. => digits as f64 * power_of_two(power),
        _ => (digits >> (-1074 - power).min(63)) as f64 * power_of_two(-1074),
    }
}

/// Splits a positive number into a whole number and the exponent of a power of two.
fn split(number: f64) -> (u64, i32) {
    let (exponent, fraction) = ((number.to_bits() >> 52) as i32, number.to_bits() & ((1 << 52) - 1));
    match exponent {
        0 => (fraction, -1074),
        _ => (fraction | 1 << 52, exponent - 1075),
    }
}

/// Returns `2^exponent`, for exponents from -1074 to 1023.
fn power_of_two(exponent: i32) -> f64 {
    match exponent {
        ..-1022 => f64::from_bits(1 << (exponent + 1074)),
        _ => f64::from_bits(((exponent + 1023) as u64) << 52),
    }
}

/// Returns a vector of length 1 in this direction; zero for `None`.
fn rounded<const N: usize>(direction: Option<[Wide<N>; 3]>) -> DVec3 {
    let Some(direction) = direction else {
        return DVec3::ZERO;
    };
    let longest = direction.iter().map(|part| part.abs().bits()).max().unwrap_or(0) as i32;
    let parts = direction.mapped(|part| {
        let (leading, power, _) = part.abs().leading();
        let size = leading as f64 * power_of_two((power - longest).max(-1000));
        if part.sign() == Ordering::Less { -size } else { size }
    });
    DVec3::from_array(parts).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up::straight_pair;
    use crate::narrow_phase::obb_obb::exact::classify;
    use crate::shapes::moving::motion::Motion;

    fn time(way: u64, speed: u64) -> Time<Wide<4>> {
        Time {
            way: i128::from(way).into(),
            speed: i128::from(speed).into(),
        }
    }

    /// Numbers of few digits give the results of numbers of any length, and decide most of the
    /// pairs that must be decided without rounding.
    #[test]
    fn short_and_long_integers_agree() {
        let (mut tiny, mut short, mut turned, mut long) = (0, 0, 0, 0);
        for index in 0..40_000 {
            let made = straight_pair(index, 11);
            let motions = made.velocities.map(Motion::linear);
            let [a, b] = [0, 1].map(|k| Body::new(&made.boxes[k], &motions[k]));
            if made.velocities[0] == made.velocities[1] || classify(a.obb, b.obb).collides() {
                continue;
            }
            let bodies = [&a, &b];
            let longest = Search::<Long<15>>::long(bodies, Grains::of(bodies)).run(made.dt, asked(bodies, Axes::ALL));
            let expected = longest.map(|entry| (entry.time, entry.axis, entry.positive));
            let found = search(bodies, made.dt, Axes::ALL).map(|entry| (entry.time, entry.axis, entry.positive));
            assert_eq!(found, expected, "{bodies:?} {}", made.dt);
            let is_short = ShortLengths::of(a.obb, b.obb).is_some()
                && short_difference(motions.map(|motion| motion.velocity.to_array())).is_some();
            let has = |grain: i32| short_turns(a.obb, b.obb, grain).is_some();
            match (is_short, has(Tiny::GRAIN), has(Short::GRAIN)) {
                (true, true, _) => tiny += 1,
                (true, false, true) => short += 1,
                (false, true, _) => {
                    turned += 1;
                    let forced = Search::<Turned<7>>::turned(
                        bodies,
                        short_turns(a.obb, b.obb, Tiny::GRAIN).expect("it has"),
                        Grains::of(bodies),
                    );
                    let found = forced.run(made.dt, asked(bodies, Axes::ALL));
                    assert_eq!(found.map(|entry| (entry.time, entry.axis, entry.positive)), expected);
                }
                _ => long += 1,
            }
        }
        let counts = [tiny, short, turned, long];
        assert!(counts.iter().all(|&count| count > 500), "{counts:?}");
    }

    #[test]
    fn times_are_rounded_down() {
        let tiny = f64::from_bits(1);
        let cases = [
            (time(3, 4), 0, 0.75),
            (time(1, 3), 0, 1.0 / 3.0),
            (time(1, 10), 0, 0.1f64.next_down()),
            (time(u64::MAX, 1), 0, 64f64.exp2().next_down()),
            (time(7, 7), 300, 300f64.exp2()),
            (time(1, 1), -1074, tiny),
            (time(3, 2), -1074, tiny),
            (time(1, 2), -1074, 0.0),
            (time(5, 1), -1075, 2.0 * tiny),
        ];
        for (time, exponent, expected) in cases {
            assert_eq!(rounded_down(time, exponent), expected);
        }
    }

    #[test]
    fn times_are_compared_with_dt() {
        let tiny = f64::from_bits(1);
        let cases = [
            (time(3, 4), 0, 0.75, true),
            (time(3, 4), 0, 0.75f64.next_down(), false),
            // The nearest f64 is below 1/3, and above 1/10.
            (time(1, 3), 0, 1.0 / 3.0, false),
            (time(1, 3), 0, (1.0f64 / 3.0).next_up(), true),
            (time(1, 10), 0, 0.1, true),
            (time(1, 10), 0, 0.1f64.next_down(), false),
            (time(1, 1), -1074, tiny, true),
            (time(3, 2), -1074, tiny, false),
            (time(1, 1), 209, f64::MAX, true),
            (time(1, 1), 209, tiny, false),
            (time(3, 1), 200, 3.0 * 200f64.exp2(), true),
            (time(3, 1), 200, (3.0 * 200f64.exp2()).next_down(), false),
        ];
        for (time, exponent, dt, expected) in cases {
            assert_eq!(is_until(time, exponent, dt), expected, "{dt:e}");
        }
    }
}
