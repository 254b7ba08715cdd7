//! Balls in motion against each other, in closed form.
//!
//! With `d` from one center to the other, `r` the sum of the radii and `u` the way of one as the other sees it, they share a point at
//! the part `τ` of the step if `q(τ) = |d + u τ|² - r² = A τ² + 2 B τ + C <= 0`. They do at the start if `C <= 0`. Otherwise they have to
//! approach, `B < 0`, and reach each other, `B² - A C >= 0`, soon enough: the lowest point of the parabola, `-B / A`, is within the step,
//! or `q(1) <= 0`. Then they meet first at `τ = C / (sqrt(B² - A C) - B)`, where nothing cancels.

use std::cmp::Ordering;

use glam::{DVec3, Vec3};

use crate::narrow_phase::moving_moving::time_of_impact::{ImpactState, TimeOfImpact};
use crate::narrow_phase::obb_obb::exact::scale::Grain;
use crate::narrow_phase::obb_obb::exact::wide::Wide;
use crate::narrow_phase::round::real::{Near, Real, Vector, dot, minus, whole, with_words};
use crate::shapes::round::sphere::Sphere;

/// How far the time may be from the true one, as a part of the step, before more digits are asked for.
const PRECISE: f64 = 1.0 / (1 << 24) as f64;

/// Keeps times from being late: more than the last steps of their computation round by, and far less than [`PRECISE`].
const EARLY: f64 = 1.0 - 1.0 / (1u64 << 40) as f64;

/// The bits of an `f64`'s digits.
const DIGITS: u32 = f64::MANTISSA_DIGITS;

impl Sphere {
    /// When two balls at constant velocities meet first within `dt` seconds; `None` if they do not.
    ///
    /// Whether they do is decided without error, for the stored numbers and for `dt` as the number it is: balls that graze each other
    /// in a single point meet. The time is never later than the true one, and within `2^-20 dt` of it. The normal points from this
    /// ball to the other. `dt` is finite and not negative, and the ways are of 2^60 at most.
    ///
    /// ```
    /// use obbligato::{Sphere, glam::Vec3};
    /// let balls = [Sphere::new(Vec3::ZERO, 2.0), Sphere::new(Vec3::new(10.0, 5.0, 0.0), 3.0)];
    /// let towards = [Vec3::X * 3.0, Vec3::X * -1.0];
    /// let grazing = balls[0].impact(&balls[1], towards, 4.0).expect("they touch");
    /// assert!((grazing.time - 2.5).abs() < 1e-6);
    /// let wider = Sphere::new(Vec3::new(10.0, 5.000001, 0.0), 3.0);
    /// assert!(balls[0].impact(&wider, towards, 4.0).is_none());
    /// ```
    pub fn impact(&self, other: &Self, velocities: [Vec3; 2], dt: f64) -> Option<TimeOfImpact> {
        let (state, part) = part_of_step([self, other], velocities, dt)?;
        let time = (dt * part * EARLY).next_down().max(0.0);
        let [a, b] = [(self, velocities[0]), (other, velocities[1])]
            .map(|(ball, velocity)| ball.center.as_dvec3() + velocity.as_dvec3() * time);
        let towards = velocities[0].as_dvec3() - velocities[1].as_dvec3();
        let normal = (b - a).try_normalize().or_else(|| towards.try_normalize());
        let normal = normal.unwrap_or(DVec3::X);
        // The middle of what the balls have in common on the line through their centers.
        let (distance, [r_a, r_b]) = ((b - a).length(), [self, other].map(|ball| f64::from(ball.radius)));
        let common = f64::max(distance - r_b, -r_a) + f64::min(r_a, distance + r_b);
        Some(TimeOfImpact {
            time,
            state,
            normal,
            point: a + normal * (0.5 * common),
            is_resolved: true,
        })
    }
}

/// The lower half of them: whole numbers are made of `i32`s.
const LOW: u32 = 27;

/// The parabola's `-B`, `C` and `B² - A C`.
struct Parabola<T> {
    towards: T,
    c: T,
    discriminant: T,
}

/// What becomes of two balls.
enum Course<T> {
    Apart,
    Start,
    Meet(Parabola<T>),
}

/// How they meet, and after which part of the step, not too late.
fn part_of_step(balls: [&Sphere; 2], velocities: [Vec3; 2], dt: f64) -> Option<(ImpactState, f64)> {
    let mut lengths = [0.0; 8];
    for (place, ball) in lengths.chunks_exact_mut(4).zip(balls) {
        place.copy_from_slice(&[ball.center.x, ball.center.y, ball.center.z, ball.radius]);
    }
    let speeds = [velocities[0].to_array(), velocities[1].to_array()];
    let ways = [0, 1, 2].map(|k| (Near::exact(speeds[1][k]) - Near::exact(speeds[0][k])) * Near::exact(dt));
    match course(lengths.map(Near::exact), ways) {
        Some(Course::Apart) => return None,
        Some(Course::Start) => return Some((ImpactState::Start, 0.0)),
        Some(Course::Meet(parabola)) => {
            if let Some(part) = near_part(&parabola) {
                return Some((ImpactState::Impact, part));
            }
        }
        None => {}
    }
    let whole = WholeStep::new(lengths, speeds, dt);
    with_words!(whole.bits(), exact_part(&whole))
}

fn course<T: Real>(lengths: [T; 8], way: Vector<T>) -> Option<Course<T>> {
    let center = |k: usize| [lengths[k], lengths[k + 1], lengths[k + 2]];
    let (apart, reach) = (minus(center(4), center(0)), lengths[3] + lengths[7]);
    let c = dot(apart, apart) - reach * reach;
    if c.sign()?.is_le() {
        return Some(Course::Start);
    }
    let towards = -dot(apart, way);
    if towards.sign()?.is_le() {
        return Some(Course::Apart);
    }
    let a = dot(way, way);
    let discriminant = towards * towards - a * c;
    if discriminant.sign()?.is_lt() {
        return Some(Course::Apart);
    }
    let in_time = match towards.compare(a)? {
        Ordering::Greater => (a + c).compare(towards + towards)?.is_le(),
        _ => true,
    };
    Some(match in_time {
        true => Course::Meet(Parabola {
            towards,
            c,
            discriminant,
        }),
        false => Course::Apart,
    })
}

/// The least that the part may be, if it is known well enough.
fn near_part(parabola: &Parabola<Near>) -> Option<f64> {
    let [towards, c, discriminant] = [parabola.towards, parabola.c, parabola.discriminant].map(Near::range);
    let part = |c: f64, towards: f64, discriminant: f64| c / (towards + discriminant.max(0.0).sqrt());
    let least = part(c[0], towards[1], discriminant[1]);
    let most = part(c[1], towards[0], discriminant[0]);
    (most - least < PRECISE).then_some(least)
}

/// A step in whole numbers: lengths and ways are multiples of one power of two.
struct WholeStep {
    lengths: ([f32; 8], Grain),
    speeds: ([[f32; 3]; 2], Grain),
    /// The digits of the step's length.
    digits: u64,
    /// By how many powers of two lengths and ways are magnified.
    shifts: [u32; 2],
}

impl WholeStep {
    fn new(lengths: [f32; 8], speeds: [[f32; 3]; 2], dt: f64) -> Self {
        let [[x0, y0, z0], [x1, y1, z1]] = speeds;
        let grains = [Grain::of(lengths), Grain::of([x0, y0, z0, x1, y1, z1])];
        let (digits, exponent) = split(dt);
        let exponents = match digits == 0 || grains[1].bits() == 0 {
            // There is no way.
            true => [grains[0].exponent; 2],
            false => [grains[0].exponent, grains[1].exponent + exponent],
        };
        let least = exponents[0].min(exponents[1]);
        Self {
            lengths: (lengths, grains[0]),
            speeds: (speeds, grains[1]),
            digits,
            shifts: exponents.map(|exponent| (exponent - least) as u32),
        }
    }

    /// How many bits the discriminant takes, of degree 4 in differences of numbers.
    fn bits(&self) -> i32 {
        let length = self.lengths.1.bits() + self.shifts[0] as i32;
        let way = self.speeds.1.bits() + DIGITS as i32 + self.shifts[1] as i32;
        4 * (length.max(way) + 2) + 8
    }
}

/// The digits of a number that is not negative, and the power of two by which to multiply them.
fn split(number: f64) -> (u64, i32) {
    let bits = number.to_bits();
    let (exponent, fraction) = ((bits >> (DIGITS - 1)) as i32, bits & ((1 << (DIGITS - 1)) - 1));
    let digits = fraction | u64::from(exponent != 0) << (DIGITS - 1);
    if digits == 0 {
        return (0, 0);
    }
    let zeros = digits.trailing_zeros();
    (digits >> zeros, exponent.max(1) - 1075 + zeros as i32)
}

fn exact_part<const N: usize>(step: &WholeStep) -> Option<(ImpactState, f64)> {
    let shifted = |number: Wide<N>, shift: u32| number * Wide::shifted(1, shift);
    let lengths = whole::<8, N>(step.lengths.1, step.lengths.0).map(|length| shifted(length, step.shifts[0]));

    let low = (step.digits & ((1 << LOW) - 1)) as i32;
    let digits = Wide::shifted((step.digits >> LOW) as i32, LOW) + Wide::shifted(low, 0);
    let [from, to] = step.speeds.0.map(|speed| whole::<3, N>(step.speeds.1, speed));
    let way = minus(to, from).map(|speed| shifted(speed * digits, step.shifts[1]));
    match course(lengths, way)? {
        Course::Apart => None,
        Course::Start => Some((ImpactState::Start, 0.0)),
        Course::Meet(parabola) => {
            // All of degree 2, the root too. The exponents are multiples of 64.
            let (c, c_exponent) = parabola.c.rounded();
            let (towards, exponent) = parabola.towards.rounded();
            let (discriminant, root_exponent) = parabola.discriminant.rounded();
            let both = towards + discriminant.sqrt() * power(root_exponent / 2 - exponent);
            let part = c / both * power(c_exponent - exponent);
            Some((ImpactState::Impact, part.min(1.0)))
        }
    }
}

/// A power of two, 0 where it is below all numbers.
fn power(exponent: i32) -> f64 {
    2f64.powi(exponent)
}
