//! The time at which two boxes that move straight share their first point, as a ratio of integers:
//! no code or formula in common with the narrow phase.
//!
//! Seen from A, B's center moves along a line, and the boxes share a point while it is in a
//! zonotope: the Minkowski sum of both boxes about the origin, spanned by the six half edges `e` of
//! both. Each face of the zonotope is parallel to two of them. Its outer normals are therefore the
//! products L of any two edges' directions, and their opposites; the zonotope is the set of x with
//! `x·L <= sum of |e·L|` for all of these. The line is clipped by these half-spaces one after the
//! other (Cyrus and Beck, 1978), and the time of each cut is a fraction.

use std::cmp::Ordering;

use glam::Vec3;
use num_bigint::BigInt;

use crate::reference::oracle::{Scaled, Vector, cross, dot, frame, scale, scaled};
use crate::reference::whole::Whole;
use obbligato::Obb;

/// A time in seconds, 0 or later, without rounding.
#[derive(Clone, Debug)]
pub struct ExactTime {
    numerator: BigInt,
    /// Above 0.
    denominator: BigInt,
}

impl ExactTime {
    /// Compares the time with another one, which must be finite.
    pub fn compare(&self, seconds: f64) -> Ordering {
        self.order(&Self::new(seconds))
    }

    fn new(seconds: f64) -> Self {
        let (bits, exponent) = (
            seconds.to_bits() & ((1 << 52) - 1),
            (seconds.to_bits() >> 52 & 0x7FF) as i32,
        );
        let whole = if exponent == 0 { bits } else { bits | 1 << 52 } as i64;
        let whole = if seconds < 0.0 { -whole } else { whole };
        let time = Self {
            numerator: BigInt::from(whole),
            denominator: BigInt::from(1),
        };
        time.times_two_to(exponent.max(1) - 1075)
    }

    fn times_two_to(self, power: i32) -> Self {
        let doublings = power.unsigned_abs();
        match power >= 0 {
            true => Self {
                numerator: self.numerator << doublings,
                ..self
            },
            false => Self {
                denominator: self.denominator << doublings,
                ..self
            },
        }
    }

    fn order(&self, other: &Self) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

/// Returns the first time in `[0, dt]` at which two boxes that move straight at these velocities
/// share a point, if there is one. The boxes, the velocities and dt are taken as exact numbers; dt
/// must be finite and not negative.
///
/// ```
/// use std::cmp::Ordering;
/// use obbligato::{Obb, glam::Vec3};
/// use obbligato_verify::reference::first_contact;
/// let [a, b] = [0.0, 5.0].map(|x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE));
/// let time = first_contact([&a, &b], [Vec3::new(4.0, 0.0, 0.0), Vec3::ZERO], 1.0).expect("they meet");
/// assert_eq!(time.compare(0.75), Ordering::Equal);
/// assert!(first_contact([&a, &b], [Vec3::ZERO; 2], 1.0).is_none());
/// ```
pub fn first_contact([a, b]: [&Obb; 2], velocities: [Vec3; 2], dt: f64) -> Option<ExactTime> {
    let (lengths, turns) = scaled(a, b);
    let speeds = Scaled::new([
        velocities[0].x,
        velocities[0].y,
        velocities[0].z,
        velocities[1].x,
        velocities[1].y,
        velocities[1].z,
    ]);
    let unit = lengths.lowest as i32 - speeds.lowest as i32;
    let (lengths, speeds): ([BigInt; 12], [BigInt; 6]) = (lengths.numbers(), speeds.numbers());
    let [(axes_a, norm_a), (axes_b, norm_b)] = turns.map(|turn| frame::<BigInt>(turn.numbers()));
    let both = &norm_a * &norm_b;
    let relative = |of: &dyn Fn(usize) -> [BigInt; 2]| -> Vector<BigInt> {
        std::array::from_fn(|k| {
            let [from, to] = of(k);
            (to - from) * &both
        })
    };
    let place = relative(&|k| [lengths[k].clone(), lengths[6 + k].clone()]);
    let velocity = relative(&|k| [speeds[k].clone(), speeds[3 + k].clone()]);
    let edges_a = (0..3).map(|k| scale(&axes_a[k], &(&lengths[3 + k] * &norm_b)));
    let edges_b = (0..3).map(|k| scale(&axes_b[k], &(&lengths[9 + k] * &norm_a)));
    let edges: Vec<Vector<BigInt>> = edges_a.chain(edges_b).collect();

    let directions: Vec<&Vector<BigInt>> = axes_a.iter().chain(&axes_b).collect();
    let mut inside = [ExactTime::new(0.0), ExactTime::new(dt).times_two_to(-unit)];
    for (place_of_u, u) in directions.iter().enumerate() {
        for v in &directions[place_of_u + 1..] {
            let normal = cross(u, v);
            let reach: BigInt = edges.iter().map(|edge| dot(edge, &normal).size()).sum();
            let (at, along) = (dot(&place, &normal), dot(&velocity, &normal));
            clip(&mut inside, &reach - &at, along.clone())?;
            clip(&mut inside, reach + at, -along)?;
        }
    }
    let [first, last] = inside;
    (first.order(&last) != Ordering::Greater).then(|| first.times_two_to(unit))
}

/// Restricts the times to those at which `speed * time <= room`. Returns `None` if there is none,
/// as far as that is known without comparing times.
fn clip([first, last]: &mut [ExactTime; 2], room: BigInt, speed: BigInt) -> Option<()> {
    let cut = |numerator: BigInt, denominator: BigInt| ExactTime { numerator, denominator };
    match Whole::sign(&speed) {
        Ordering::Equal if Whole::sign(&room) == Ordering::Less => return None,
        Ordering::Equal => {}
        Ordering::Greater => {
            let cut = cut(room, speed);
            if cut.order(last) == Ordering::Less {
                *last = cut;
            }
        }
        Ordering::Less => {
            let cut = cut(-room, -speed);
            if cut.order(first) == Ordering::Greater {
                *first = cut;
            }
        }
    }
    Some(())
}
