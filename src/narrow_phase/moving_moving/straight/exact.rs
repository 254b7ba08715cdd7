//! The interval test without rounding.
//!
//! Along an axis, `D' - R`, `D' + R` and `|V|` (named in [`intervals`](super::intervals)), times `s = |qA|² |qB|²`, are
//! polynomials of degree 4 in the quaternions and 1 in lengths or velocities, as in [`wide_sat`](crate::narrow_phase::obb_obb::exact::wide_sat):
//! whole numbers, once quaternions, lengths and velocities are scaled by a power of two each. Times of two axes are compared by multiplying
//! crosswise, and with dt, itself a whole number times a power of two, once it is clear that both have equally many digits.

use std::cmp::Ordering;

use glam::DVec3;

use crate::narrow_phase::moving_moving::straight::intervals::Entry;
use crate::narrow_phase::obb_obb::exact::algebra::{dot, subtract};
use crate::narrow_phase::obb_obb::exact::same_rotation;
use crate::narrow_phase::obb_obb::exact::scale::{Grain, Scale};
use crate::narrow_phase::obb_obb::exact::wide::Wide;
use crate::narrow_phase::obb_obb::exact::wide_sat::ScaledPair;
use crate::narrow_phase::obb_obb::obb_sat_f64_cpu::Axes;
use crate::shapes::moving::body::Body;

/// How the boxes meet until `dt`, which is above 0, given that they are apart at the start; `None` if they do not meet. The time is
/// rounded down. Other axes than these must be known to let the boxes in before the last of them, and to put them out after the first of
/// them or after `dt`.
#[cold]
#[inline(never)]
pub(super) fn search([a, b]: [&Body; 2], dt: f64, axes: Axes) -> Option<Entry> {
    let grains = Grains::of(a, b);
    // As in `wide_sat`, no distance or radius has more bits than s and a length, 4 more, and a sign; with a velocity likewise. A
    // difference of products has one more. Products with dt are shorter: s has 92 bits at least.
    match 2 * grains.turns() + grains.scale.lengths.bits() + grains.velocities.bits() + 10 {
        ..=256 => Search::<4>::new(a, b, grains).run(dt, axes),
        257..=384 => Search::<6>::new(a, b, grains).run(dt, axes),
        385..=640 => Search::<10>::new(a, b, grains).run(dt, axes),
        // Quaternions have at most 149 bits, lengths 210, velocities 277: 4 * 298 + 210 + 277 + 10 = 1689 bits.
        _ => Search::<27>::new(a, b, grains).run(dt, axes),
    }
}

/// The direction, of length 1 up to rounding, of an axis that is not zero: exact where nearly parallel edges leave nothing of it in f64.
#[cold]
#[inline(never)]
pub(super) fn direction([a, b]: [&Body; 2], axis: usize) -> DVec3 {
    let grains = Grains::of(a, b);
    match grains.turns() + grains.scale.lengths.bits() + 5 {
        ..=192 => rounded(Search::<3>::new(a, b, grains).pair.direction(axis)),
        _ => rounded(Search::<13>::new(a, b, grains).pair.direction(axis)),
    }
}

/// The powers of two that turn a pair in motion into whole numbers.
#[derive(Clone, Copy)]
struct Grains {
    scale: Scale,
    velocities: Grain,
}

impl Grains {
    fn of(a: &Body, b: &Body) -> Self {
        let [[ax, ay, az], [bx, by, bz]] = [a, b].map(|body| body.motion.velocity.to_array());
        Self {
            scale: Scale::of(a.obb, b.obb),
            velocities: Grain::of([ax, ay, az, bx, by, bz]),
        }
    }

    /// The number of bits of s.
    fn turns(&self) -> i32 {
        -2 * (self.scale.rotation_a.exponent + self.scale.rotation_b.exponent)
    }
}

/// A time: a length by a velocity above 0.
#[derive(Clone, Copy)]
struct Time<const N: usize> {
    way: Wide<N>,
    speed: Wide<N>,
}

impl<const N: usize> Time<N> {
    fn compare(self, other: Self) -> Ordering {
        (self.way * other.speed - other.way * self.speed).sign()
    }
}

struct Search<const N: usize> {
    pair: ScaledPair<N>,
    velocity: [Wide<N>; 3],
    /// The unit of times is two to this power.
    exponent: i32,
    axes: usize,
}

impl<const N: usize> Search<N> {
    fn new(a: &Body, b: &Body, Grains { scale, velocities }: Grains) -> Self {
        let rotations = [
            scale.rotation_a.apply(a.obb.rotation.to_array()),
            scale.rotation_b.apply(b.obb.rotation.to_array()),
        ];
        let [from, to] = [a, b].map(|body| scale.lengths.apply(body.obb.center.to_array()));
        let half_extents = [a, b].map(|body| scale.lengths.apply(body.obb.half_extents.to_array()));
        let [before, after] = [a, b].map(|body| velocities.apply(body.motion.velocity.to_array()));
        Self {
            pair: ScaledPair::of(rotations, subtract(to, from), half_extents),
            velocity: subtract(after, before),
            exponent: scale.lengths.exponent - velocities.exponent,
            axes: if same_rotation(a.obb, b.obb) { 3 } else { 15 },
        }
    }

    fn run(&self, dt: f64, axes: Axes) -> Option<Entry> {
        let (mut last, mut first_exit): (Option<(Time<N>, usize, bool)>, Option<Time<N>>) = (None, None);
        for axis in axes.iter().filter(|&axis| axis < self.axes) {
            let Some(direction) = self.pair.direction(axis) else {
                continue;
            };
            let radius = self.pair.radius(axis);
            let distance = dot(direction, self.pair.d);
            let speed = dot(direction, self.velocity);
            let to_go = match speed.sign() {
                Ordering::Equal if (distance.abs() - radius).sign() == Ordering::Greater => return None,
                Ordering::Equal => continue,
                Ordering::Less => distance,
                Ordering::Greater => -distance,
            };
            let positive = speed.sign() == Ordering::Less;
            let [entry, exit] = [to_go - radius, to_go + radius].map(|way| Time {
                way,
                speed: speed.abs(),
            });
            if exit.way.sign() == Ordering::Less {
                return None;
            }
            if first_exit.is_none_or(|first| exit.compare(first) == Ordering::Less) {
                first_exit = Some(exit);
            }
            // The axes of faces come first, so they win ties.
            let is_later = last.is_none_or(|(last, ..)| entry.compare(last) == Ordering::Greater);
            if entry.way.sign() == Ordering::Greater && is_later {
                last = Some((entry, axis, positive));
            }
        }
        let (entry, axis, positive) = last?;
        let is_inside = first_exit.is_none_or(|exit| entry.compare(exit) != Ordering::Greater);
        let in_time = is_inside && is_until(entry, self.exponent, dt);
        in_time.then(|| Entry {
            time: rounded_down(entry, self.exponent),
            axis,
            positive,
        })
    }
}

/// Whether a time above 0, in units of two to this power, is not after `dt`, which is above 0.
fn is_until<const N: usize>(time: Time<N>, exponent: i32, dt: f64) -> bool {
    let (whole, power) = split(dt);
    let (ours, theirs) = (time.way, time.speed * Wide::of(whole));
    let excess = exponent - power;
    match (ours.bits() as i32 + excess).cmp(&(theirs.bits() as i32)) {
        // Equally many digits: the shorter number has as many more as the longer one.
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

/// A time above 0, in units of two to this power, as an f64: not later, and earlier by less than 2^-52 of it or than 2^-1074.
fn rounded_down<const N: usize>(time: Time<N>, exponent: i32) -> f64 {
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

/// The whole number and the power of two whose product is a positive number.
fn split(number: f64) -> (u64, i32) {
    let (exponent, fraction) = ((number.to_bits() >> 52) as i32, number.to_bits() & ((1 << 52) - 1));
    match exponent {
        0 => (fraction, -1074),
        _ => (fraction | 1 << 52, exponent - 1075),
    }
}

/// `2^exponent`, for exponents from -1074 to 1023.
fn power_of_two(exponent: i32) -> f64 {
    match exponent {
        ..-1022 => f64::from_bits(1 << (exponent + 1074)),
        _ => f64::from_bits(((exponent + 1023) as u64) << 52),
    }
}

/// A vector of length 1 in this direction; zero for none.
fn rounded<const N: usize>(direction: Option<[Wide<N>; 3]>) -> DVec3 {
    let Some(direction) = direction else {
        return DVec3::ZERO;
    };
    let longest = direction.iter().map(|part| part.abs().bits()).max().unwrap_or(0) as i32;
    let parts = direction.map(|part| {
        let (leading, power, _) = part.abs().leading();
        let size = leading as f64 * power_of_two((power - longest).max(-1000));
        if part.sign() == Ordering::Less { -size } else { size }
    });
    DVec3::from_array(parts).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(way: u64, speed: u64) -> Time<4> {
        Time {
            way: Wide::of(way),
            speed: Wide::of(speed),
        }
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
