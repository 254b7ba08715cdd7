//! Impacts of two moving spheres, in closed form.
//!
//! `d` is the vector from one center to the other, `r` the sum of the radii, and `u` the
//! displacement of one as seen from the other. The spheres share a point at the fraction `τ` of the
//! step if `q(τ) = |d + u τ|² - r² = A τ² + 2 B τ + C <= 0`. They do at the start if `C <= 0`.
//! Otherwise they must approach, `B < 0`, and reach each other, `B² - A C >= 0`, soon enough: the
//! lowest point of the parabola, `-B / A`, is within the step, or `q(1) <= 0`. Then they first meet
//! at `τ = C / (sqrt(B² - A C) - B)`, where nothing cancels.
//!
//! [`in_f64`] decides nearly all pairs; it takes the velocity for `u`, and so a time for `τ`. The
//! others are decided without error: [`exactly`].

use crate::base::arrays::Mapped;
use std::cmp::Ordering;

use glam::{DVec3, Vec3};

use crate::narrow_phase::moving_moving::time_of_impact::{ImpactState, TimeOfImpact};
use crate::narrow_phase::round::real::{Lengths, Near, Real, Vector, dot, with_words};
use crate::narrow_phase::round::whole_step::{WholeStep, near_way};
use crate::shapes::round::sphere::Sphere;

/// The largest error of the time, as a fraction of the step, before more digits are used.
const PRECISE: f64 = 1.0 / (1 << 24) as f64;

/// [`PRECISE`] for times of closest approach: half of their promised error.
const NANO: f64 = 0.5e-9;

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
        let (balls, velocities) = ([self, other], velocities.each_ref());
        impact(balls, velocities, dt, f64::INFINITY, |decided| {
            impact_at_length(balls, velocities, dt, decided).map(|(found, _)| found)
        })
    }
}

/// Returns the first impact of two spheres that move straight. Calls `otherwise` with the decision
/// of `f64` if there is none, if the normal needs a root, or if the spheres would be further apart
/// than `slop` at the impact.
///
/// At the time of impact the distance is r, or a little more. So Newton's method for the inverse
/// root gives its inverse to the last digits in one step from 1 / r.
#[inline(always)]
pub(crate) fn impact(
    balls: [&Sphere; 2],
    velocities: [&Vec3; 2],
    dt: f64,
    slop: f64,
    otherwise: impl FnOnce(Option<Course<f64>>) -> Option<TimeOfImpact>,
) -> Option<TimeOfImpact> {
    let (from, of_a) = (balls[0].center.as_dvec3(), velocities[0].as_dvec3());
    let (apart, velocity) = (balls[1].center.as_dvec3() - from, velocities[1].as_dvec3() - of_a);
    let radii = balls.mapped(|ball| f64::from(ball.radius));
    let decided = in_f64(apart, radii[0] + radii[1], velocity, (dt, PRECISE));
    match decided {
        Some(Course::Apart) => return None,
        Some(Course::Start) => {
            let distance = apart.length();
            if distance > LEAST_DISTANCE {
                let normal = apart * (1.0 / distance);
                return Some(TimeOfImpact {
                    time: 0.0,
                    state: ImpactState::Start,
                    normal,
                    point: from + normal * middle(radii, distance),
                    is_resolved: true,
                });
            }
        }
        Some(Course::Meet(time)) => {
            let (way, reach) = (apart + velocity * time, radii[0] + radii[1]);
            let inverse = 1.0 / reach;
            let beyond = way.length_squared() * (0.5 * inverse * inverse) - 0.5;
            // The square root is concave, so the gap is at most `beyond * reach`. Without radii,
            // `beyond` is no number, or infinite.
            if beyond.abs() <= NEARLY && beyond * reach <= slop {
                let normal = way * (inverse * (1.0 - beyond));
                return Some(TimeOfImpact {
                    time,
                    state: ImpactState::Impact,
                    normal,
                    point: from + of_a * time + normal * radii[0],
                    is_resolved: true,
                });
            }
        }
        None => {}
    }
    otherwise(decided)
}

/// Returns the [`impact`] in all cases, given what is decided, and how far apart the spheres are at
/// its time.
#[cold]
#[inline(never)]
pub(crate) fn impact_at_length(
    balls: [&Sphere; 2],
    velocities: [&Vec3; 2],
    dt: f64,
    decided: Option<Course<f64>>,
) -> Option<(TimeOfImpact, f64)> {
    let (state, time) = match decided {
        Some(Course::Apart) => return None,
        Some(Course::Start) => (ImpactState::Start, 0.0),
        Some(Course::Meet(time)) => (ImpactState::Impact, time),
        None => {
            let (state, part) = exactly(balls, velocities, dt)?;
            (state, (dt * part * EARLY).next_down().max(0.0))
        }
    };
    let [from, to] = balls.mapped(|ball| ball.center.as_dvec3());
    let [of_a, of_b] = velocities.mapped(|velocity| velocity.as_dvec3());
    let way = to - from + (of_b - of_a) * time;
    let distance = way.length();
    let normal = match distance > LEAST_DISTANCE {
        true => way * (1.0 / distance),
        false => (of_a - of_b).try_normalize().unwrap_or(DVec3::X),
    };
    let radii = balls.mapped(|ball| f64::from(ball.radius));
    let found = TimeOfImpact {
        time,
        state,
        normal,
        point: from + of_a * time + normal * middle(radii, distance),
        is_resolved: true,
    };
    Some((found, distance - radii[0] - radii[1]))
}

/// Returns how far from the first center the middle is of the part that the spheres have in common
/// of the line through their centers.
#[inline(always)]
fn middle([r_a, r_b]: [f64; 2], distance: f64) -> f64 {
    0.5 * (greater(distance - r_b, -r_a) + lesser(r_a, distance + r_b))
}

/// The distance of half of a square from a half up to which one step of Newton's method suffices:
/// its error is 3/2 of the square of that.
const NEARLY: f64 = 1.0 / (1u64 << 28) as f64;

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
#[derive(Clone, Copy)]
pub(crate) enum Course<T> {
    Apart,
    Start,
    Meet(T),
}

/// Returns the decision of `f64` about two spheres during a step of `dt`, if it is certain, with
/// the time at which they meet, or less by no more than the fraction `precise` of the step.
///
/// # The error
///
/// With `u = 2^-53`, each component of d and of the velocity v errs by u of itself, and r by u. So
/// the errors of A, B and C are below `8 u |v|²`, `8 u |d| |v|` and `8 u (d² + r²)`, sums included,
/// and that of `B² - A C` is below `32 u |v|² (d² + r²)`. With T for the length of the step, those
/// of `(A T + B) T` and `A T² + 2 B T + C` are below `32 u (|v|² T² + d² + r²)`, because
/// `2 |d| |v| T <= d² + |v|² T²`: [`ERROR`] is 64 u. If the discriminant is above its error and C
/// above 0, B² is above that error too, so that the sign of B is certain.
///
/// Let x be the bound of the error of C, in units of C, and y that of the discriminant D. Then the
/// root errs by less than y of itself. So does B: it is at least the root, and `64 u <= y`, so that
/// `8 u |d| |v| / √D <= √(u y) <= y / 8`. The time errs by less than x + y of itself, and as much
/// is left for the roundings here: see [`above_quotient`]. It is above 2^-605 for all `f32`s.
#[inline(always)]
fn in_f64(apart: DVec3, reach: f64, velocity: DVec3, (dt, precise): (f64, f64)) -> Option<Course<f64>> {
    let (distance_squared, speed_squared) = (apart.length_squared(), velocity.length_squared());
    let squares = distance_squared + reach * reach;
    let (c, c_error) = (distance_squared - reach * reach, ERROR * squares);
    if c < -c_error {
        return Some(Course::Start);
    }
    let towards = -apart.dot(velocity);
    let (discriminant, error) = (towards * towards - speed_squared * c, ERROR * (speed_squared * squares));
    // The lowest point is after the end of the step if the first is above 0, and they are apart at
    // the end if the second is.
    let (first, second) = (towards * dt, speed_squared * dt * dt);
    let end = lesser(first - second, second - 2.0 * first + c);
    let is_known = (c > c_error) & (discriminant.abs() > error) & (end.abs() > ERROR * (second + squares));
    if !is_known {
        let is_at_rest = speed_squared == 0.0 || dt == 0.0;
        return (c > c_error && is_at_rest).then_some(Course::Apart);
    }
    if (discriminant < 0.0) | (towards < 0.0) | (end > 0.0) {
        return Some(Course::Apart);
    }
    let off = above_quotient(c_error, c) + above_quotient(error, discriminant);
    let time = c * (EARLY - off) / (towards + discriminant.sqrt());
    (off <= 0.25 * precise).then_some(Course::Meet(time))
}

/// Returns a number that is 1.8 to 2.3 times the quotient of two positive numbers, in less time
/// than a division: the bits of a number are about its logarithm, to within 0.09 of a power of two.
#[inline(always)]
fn above_quotient(x: f64, y: f64) -> f64 {
    f64::from_bits(x.to_bits().wrapping_sub(y.to_bits()).wrapping_add(2f64.to_bits()))
}

/// The error of squares of lengths, as a fraction of those that go into them: see [`in_f64`].
const ERROR: f64 = 64.0 / (1u64 << 53) as f64;

/// Returns the state in which they meet and the fraction of the step after which they do, which is
/// never too late. Sums whose errors are known exactly decide, or else integers.
fn exactly(balls: [&Sphere; 2], velocities: [&Vec3; 2], dt: f64) -> Option<(ImpactState, f64)> {
    let [from, to] = balls.mapped(|ball| ball.center.as_dvec3());
    let lengths = Lengths {
        apart: &[to, -from],
        others: balls.mapped(|ball| f64::from(ball.radius)),
    };
    let speeds = [velocities[0].to_array(), velocities[1].to_array()];
    match course(lengths.near(), near_way(speeds, dt)) {
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

fn course<T: Real>((apart, radii): (Vector<T>, [T; 2]), way: Vector<T>) -> Option<Course<Parabola<T>>> {
    let reach = radii[0] + radii[1];
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
    let [towards, c, discriminant] = [parabola.towards, parabola.c, parabola.discriminant].mapped(Near::range);
    let part = |c: f64, towards: f64, discriminant: f64| c / (towards + discriminant.max(0.0).sqrt());
    let least = part(c[0], towards[1], discriminant[1]);
    let most = part(c[1], towards[0], discriminant[0]);
    (most - least < PRECISE).then_some(least)
}

fn exact_part<const N: usize>(step: &WholeStep<'_, 2>) -> Option<(ImpactState, f64)> {
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

/// Two spheres that move straight, seen from the first.
pub(crate) struct Relative {
    /// The vector from the first center to the second at the start.
    pub apart: DVec3,
    /// The velocity of the second.
    pub velocity: DVec3,
    /// The sum of the radii.
    pub reach: f64,
}

impl Relative {
    pub fn new(balls: [&Sphere; 2], velocities: [Vec3; 2], apart: DVec3) -> Self {
        Self {
            apart,
            velocity: velocities[1].as_dvec3() - velocities[0].as_dvec3(),
            reach: f64::from(balls[0].radius) + f64::from(balls[1].radius),
        }
    }

    /// Returns when they are nearest to each other during a step of `dt`, and their distance then,
    /// or when they first meet, and 0; `None` unless it is certain whether they meet and the time
    /// is precise to `1e-9 dt`.
    ///
    /// Spheres that do not meet are nearest at the lowest point of the parabola, or at the end of
    /// the step that is nearest to it. With `u = 2^-53`, `d·v` errs by less than `8 u |d| |v|`, sums
    /// included, and so the time of the lowest point by less than `8 u |d| / |v|`: 2^-30 of a step
    /// in which the way is at least 2^-20 of d.
    #[inline(always)]
    pub fn nearest(&self, dt: f64) -> Option<(f64, f64)> {
        match in_f64(self.apart, self.reach, self.velocity, (dt, NANO))? {
            Course::Start => return Some((0.0, 0.0)),
            Course::Meet(time) => return Some((time, 0.0)),
            Course::Apart => {}
        }
        let speed_squared = self.velocity.length_squared();
        let is_at_rest = speed_squared == 0.0 || dt == 0.0;
        let towards = -self.apart.dot(self.velocity);
        let time = match towards > 0.0 && !is_at_rest {
            true => lesser(towards / speed_squared, dt),
            false => 0.0,
        };
        let is_precise = is_at_rest || speed_squared * dt * dt >= self.apart.length_squared() * LEAST_WAY_SQUARED;
        let gap = (self.apart + self.velocity * time).length() - self.reach;
        // They are apart, however the gap is rounded.
        is_precise.then_some((time, greater(gap, f64::MIN_POSITIVE)))
    }
}

/// The square of the least way in a step, as a fraction of the distance: see
/// [`Relative::nearest`].
const LEAST_WAY_SQUARED: f64 = 1.0 / (1u64 << 40) as f64;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::split_mix::SplitMix;

    #[test]
    fn quotients_are_bounded_from_above() {
        let mut random = SplitMix(7);
        for _ in 0..10_000 {
            let [x, y] = [0; 2].map(|_| (random.unit() + 1e-9) * f64::exp2(200.0 * random.unit() - 100.0));
            let times = above_quotient(x, y) / (x / y);
            assert!((1.8..2.3).contains(&times), "{x} / {y}: {times}");
        }
    }

    /// `f64` and sums without error agree about spheres that nearly touch, graze each other, or
    /// reach each other as the step ends.
    #[test]
    fn f64_agrees_with_exact_sums() {
        let mut random = SplitMix(5);
        let (mut counts, dt) = ([0; 4], 0.5);
        for index in 0..20_000 {
            let mut vector = |size: f64| Vec3::from([0; 3].map(|_| ((2.0 * random.unit() - 1.0) * size) as f32));
            let (center, way, side) = (vector(3.0), vector(4.0), vector(1.0));
            let near = f64::exp2(-f64::from(index % 50)) as f32;
            let across = way.cross(side).normalize();
            let [a, b] = [0.5, 0.75].map(|radius| Sphere::new(center, radius));
            let apart = match index % 3 {
                0 => across * 1.25 * (1.0 + near * side.x.signum()),
                1 => across * 1.25 * (1.0 + near * side.x) - way * 0.25,
                _ => across * side.x - way * 0.5 + way.normalize() * (1.25 + near * side.y),
            };
            let b = Sphere {
                center: center + apart,
                ..b
            };
            let velocities = [Vec3::ZERO, way];
            let between = b.center.as_dvec3() - a.center.as_dvec3();
            let fast = in_f64(between, 1.25, way.as_dvec3(), (dt, PRECISE));
            let exact = exactly([&a, &b], velocities.each_ref(), dt);
            let what = format!("{index}: {a:?} {b:?} {way}, {exact:?}");
            match (fast, exact) {
                (None, _) => counts[0] += 1,
                (Some(Course::Apart), None) => counts[1] += 1,
                (Some(Course::Start), Some((ImpactState::Start, _))) => counts[2] += 1,
                (Some(Course::Meet(time)), Some((ImpactState::Impact, part))) => {
                    let off = time / dt - part;
                    assert!((-PRECISE..=PRECISE).contains(&off), "off by {off}: {what}");
                    counts[3] += 1;
                }
                _ => panic!("{what}"),
            }
        }
        assert!(counts.iter().all(|&count| count > 500), "{counts:?}");
    }
}
