//! Impacts of two moving spheres, in closed form.
//!
//! `d` is the vector from one center to the other, `r` the sum of the radii, and `u` the
//! displacement of one as seen from the other. The spheres share a point at the fraction `τ` of the
//! step if `q(τ) = |d + u τ|² - r² = A τ² + 2 B τ + C <= 0`. They do at the start if `C <= 0`.
//! Otherwise they must approach, `B < 0`, and reach each other, `B² - A C >= 0`, soon enough: the
//! lowest point of the parabola, `-B / A`, is within the step, or `q(1) <= 0`. Then they first meet
//! at `τ = C / (sqrt(B² - A C) - B)`, where nothing cancels.

use std::cmp::Ordering;

use glam::{DVec3, Vec3};

use crate::narrow_phase::moving_moving::time_of_impact::{ImpactState, TimeOfImpact};
use crate::narrow_phase::round::real::{Near, Real, Vector, dot, minus, with_words};
use crate::narrow_phase::round::whole_step::{WholeStep, near_way};
use crate::shapes::round::sphere::Sphere;

/// The largest error of the time, as a fraction of the step, before more digits are used.
const PRECISE: f64 = 1.0 / (1 << 24) as f64;

/// The factor that keeps times from being late: it takes off more than the rounding of the last
/// steps of their computation, and far less than [`PRECISE`].
const EARLY: f64 = 1.0 - 1.0 / (1u64 << 40) as f64;

impl Sphere {
    /// Returns the first impact of two spheres at constant velocities within `dt` seconds; `None`
    /// if they do not meet.
    ///
    /// The decision whether they meet is exact, for the stored numbers and for `dt` as stored:
    /// spheres that graze each other in a single point meet. The time is never later than the true
    /// one, and within `2^-20 dt` of it. The normal points from this sphere to the other. `dt` must
    /// be finite and not negative, and displacements at most 2^60.
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
        impact([self, other], velocities, dt).map(|(found, _)| found)
    }
}

/// Returns the first impact of two spheres, and how far apart they are at its time. Less than 0 is
/// an overlap.
#[inline(always)]
pub(crate) fn impact(balls: [&Sphere; 2], velocities: [Vec3; 2], dt: f64) -> Option<(TimeOfImpact, f64)> {
    let (state, part) = part_of_step(balls, velocities, dt)?;
    let time = (dt * part * EARLY).next_down().max(0.0);
    let [from, to] = balls.map(|ball| ball.center.as_dvec3());
    let [of_a, of_b] = velocities.map(|velocity| velocity.as_dvec3());
    let way = to - from + (of_b - of_a) * time;
    let distance = way.length();
    let normal = match distance > LEAST_DISTANCE {
        true => way * (1.0 / distance),
        false => (of_a - of_b).try_normalize().unwrap_or(DVec3::X),
    };
    // The middle of the part that the spheres have in common of the line through their centers.
    let [r_a, r_b] = balls.map(|ball| f64::from(ball.radius));
    let common = greater(distance - r_b, -r_a) + lesser(r_a, distance + r_b);
    let found = TimeOfImpact {
        time,
        state,
        normal,
        point: from + of_a * time + normal * (0.5 * common),
        is_resolved: true,
    };
    Some((found, distance - r_a - r_b))
}

/// The distance of centers at or below which they have no direction: 2^-500. Squares of such
/// distances lose digits.
const LEAST_DISTANCE: f64 = f64::from_bits((1023 - 500) << 52);

/// The parabola's `-B`, `C` and `B² - A C`.
struct Parabola<T> {
    towards: T,
    c: T,
    discriminant: T,
}

/// The outcome for two spheres, with data of those that meet.
enum Course<T> {
    Apart,
    Start,
    Meet(T),
}

/// Returns the state in which they meet and the fraction of the step after which they do, which is
/// never too late.
#[inline(always)]
fn part_of_step(balls: [&Sphere; 2], velocities: [Vec3; 2], dt: f64) -> Option<(ImpactState, f64)> {
    match in_f64(balls, velocities, dt) {
        Some(Course::Apart) => None,
        Some(Course::Start) => Some((ImpactState::Start, 0.0)),
        Some(Course::Meet(part)) => Some((ImpactState::Impact, part)),
        None => exactly(balls, velocities, dt),
    }
}

/// Returns the decision of `f64` about two spheres, if it is certain: those that meet do so after
/// this fraction of the step, or a little later.
///
/// # The error
///
/// With `u = 2^-53`, each component of d errs by u of itself, each of the displacement by 2 u, and
/// r by u. So the errors of A, B and C are below `8 u |u|²`, `8 u |d| |u|` and `8 u (d² + r²)`,
/// sums included. That of `B² - A C` is below `32 u |u|² (d² + r²)`, and those of `A + B` and
/// `A + 2 B + C` below `32 u (|u|² + d² + r²)`, because `2 |d| |u| <= d² + |u|²`: [`ERROR`] is
/// 64 u. B is compared by its square, which needs no root.
///
/// Let x be the bound of the error of C, in units of C, and y that of the discriminant D. Then the
/// root errs by less than y of itself. So does B: it is at least the root, and `64 u <= y`, so that
/// `8 u |d| |u| / √D <= √(u y) <= y / 8`. The fraction of the step errs by less than x + y of
/// itself, and half of that is left for the roundings here.
#[inline(always)]
fn in_f64([a, b]: [&Sphere; 2], velocities: [Vec3; 2], dt: f64) -> Option<Course<f64>> {
    let apart = b.center.as_dvec3() - a.center.as_dvec3();
    let velocity = velocities[1].as_dvec3() - velocities[0].as_dvec3();
    let (way, reach) = (velocity * dt, f64::from(a.radius) + f64::from(b.radius));
    let (squares, square) = (apart.length_squared() + reach * reach, way.length_squared());
    // Squares of numbers above 2^-150 are above 2^-300, and products of two of them above 2^-600:
    // only displacements may vanish.
    let c = apart.length_squared() - reach * reach;
    let c_error = ERROR * squares;
    if c < -c_error {
        return Some(Course::Start);
    }
    let towards = -apart.dot(way);
    let towards_squared = towards * towards.abs();
    let towards_error = ERROR * ERROR * (square * squares);
    let discriminant = towards * towards - square * c;
    let error = ERROR * (square * squares);
    // The lowest point is at `beyond` after the end of the step, in units of A.
    let (beyond, last) = (towards - square, square - 2.0 * towards + c);
    let last_error = ERROR * (square + squares);
    // Without branches: nothing predicts which of these it is.
    let (is_outside, is_known) = (c > c_error, square > LEAST_SQUARE);
    let passes =
        (towards_squared < -towards_error) | (discriminant < -error) | ((last > last_error) & (beyond > last_error));
    if is_outside & is_known & passes {
        return Some(Course::Apart);
    }
    let in_time = (last < -last_error) | (beyond < -last_error);
    if is_outside & is_known & in_time & (towards_squared > towards_error) & (discriminant > error) {
        let off = c_error / c + error / discriminant;
        let part = c / (towards + discriminant.sqrt());
        return (off <= 0.25 * PRECISE).then_some(Course::Meet(part - part * off));
    }
    let is_at_rest = velocity == DVec3::ZERO || dt == 0.0;
    (is_outside & is_at_rest).then_some(Course::Apart)
}

/// The error of squares of lengths, as a fraction of those that go into them: see [`in_f64`].
const ERROR: f64 = 64.0 / (1u64 << 53) as f64;

/// The square below which squares of displacements may have lost digits to underflow: 2^-600.
const LEAST_SQUARE: f64 = f64::from_bits((1023 - 600) << 52);

/// [`part_of_step`] by sums whose errors are known exactly, or else by integers.
#[cold]
fn exactly(balls: [&Sphere; 2], velocities: [Vec3; 2], dt: f64) -> Option<(ImpactState, f64)> {
    let mut lengths = [0.0; 8];
    for (place, ball) in lengths.chunks_exact_mut(4).zip(balls) {
        place.copy_from_slice(&[ball.center.x, ball.center.y, ball.center.z, ball.radius]);
    }
    let speeds = [velocities[0].to_array(), velocities[1].to_array()];
    match course(lengths.map(Near::exact), near_way(speeds, dt)) {
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
    // The discriminant is of degree 4 in differences of numbers.
    with_words!(4 * (whole.bits() + 2) + 8, exact_part(&whole))
}

fn course<T: Real>(lengths: [T; 8], way: Vector<T>) -> Option<Course<Parabola<T>>> {
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

/// Returns the smallest possible fraction of the step, if it is known well enough.
fn near_part(parabola: &Parabola<Near>) -> Option<f64> {
    let [towards, c, discriminant] = [parabola.towards, parabola.c, parabola.discriminant].map(Near::range);
    let part = |c: f64, towards: f64, discriminant: f64| c / (towards + discriminant.max(0.0).sqrt());
    let least = part(c[0], towards[1], discriminant[1]);
    let most = part(c[1], towards[0], discriminant[0]);
    (most - least < PRECISE).then_some(least)
}

fn exact_part<const N: usize>(step: &WholeStep<8>) -> Option<(ImpactState, f64)> {
    let (lengths, way) = step.numbers::<N>();
    match course(lengths, way)? {
        Course::Apart => None,
        Course::Start => Some((ImpactState::Start, 0.0)),
        Course::Meet(parabola) => {
            // All are of degree 2, the root too. The exponents are multiples of 64.
            let (c, c_exponent) = parabola.c.rounded();
            let (towards, exponent) = parabola.towards.rounded();
            let (discriminant, root_exponent) = parabola.discriminant.rounded();
            let both = towards + discriminant.sqrt() * power(root_exponent / 2 - exponent);
            let part = c / both * power(c_exponent - exponent);
            Some((ImpactState::Impact, part.min(1.0)))
        }
    }
}

/// Returns the greater of two numbers, neither of them NaN.
#[inline(always)]
fn greater(x: f64, y: f64) -> f64 {
    if x > y { x } else { y }
}

/// Returns the lesser of two numbers, neither of them NaN.
#[inline(always)]
fn lesser(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}

/// Returns a power of two, or 0 if it is below all numbers.
fn power(exponent: i32) -> f64 {
    2f64.powi(exponent)
}
