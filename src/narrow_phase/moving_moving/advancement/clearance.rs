//! How wide the gap of two boxes along an axis certainly stays while they move.
//!
//! # The gap as a function of time
//!
//! Let n be the unit axis at a time, from which on (and before which) it turns with angular velocity w: not at all
//! ([`Carrier::World`]), or with one of the boxes, so that the axis of a face stays that face's. Of a point at `x` from its box's
//! center, which turns with W, the coordinate along the axis is `n·x` at first. With `Ω = W - w` its derivatives are
//!
//! ```text
//! first    n · (Ω × x)                            = (n × Ω) · x
//! second   n · (Ω × (W × x)) - n · (w × (Ω × x))  = ((n × Ω) × W - (n × w) × Ω) · x
//! ```
//!
//! and the third is at most `J |x|`: with `w = 0`, `J |x| = |W × n| |W| |W × x|`, where only the part of n across W and only the distance
//! from the axis of rotation count, so that a box that turns about n or about its own long axis sweeps nothing; else
//! `J = |w × Ω| (|w| + 3 |Ω|) + |Ω|³`, from the derivatives of Ω in the turning frame. It vanishes where a box turns with the axis, and
//! where both boxes and the axis turn together. For the offset of the centers D, which turns with nothing, they are
//!
//! ```text
//! first    n · D' + (w × n) · D
//! second   n · D" + 2 (w × n) · D' + (w × (w × n)) · D
//! third    at most |w × n| (|w|² |D| + 3 |w| |D'| + 3 |D"|)
//! ```
//!
//! A box reaches as far along the axis as the farthest of its corners: `Σ |n · x_i|` over its three half edges. By Taylor's theorem, τ later the gap is at least
//!
//! ```text
//! F(τ, τ²) - (sum of the bounds of third derivatives) |τ|³ / 6
//! ```
//!
//! where F is a linear function of τ and τ² less six absolute values of such: a concave function of the two.
//!
//! # Over an interval
//!
//! For τ from -p to s the points (τ, τ²) lie in the trapezoid between the chord of the parabola and its tangents at the ends and at 0,
//! with the corners (-p, p²), (-p/2, 0), (s/2, 0), (s, s²). A concave function has its least value at one of these. So four values
//! bound the gap over the whole interval. Where the gap shrinks faster and faster, the bound is attained at an end; elsewhere it
//! loses an eighth of the second derivative times the square of the interval. This takes the place of the bound of
//! speed in conservative advancement (B. Mirtich, "Impulse-based dynamic simulation of rigid body systems", 1996, section 2.3), and
//! of its forms along a direction (X. Zhang, M. Lee and Y. Kim, "Interactive continuous collision detection for non-convex
//! polyhedra", 2006, section 4; M. Tang, Y. Kim and D. Manocha, "C²A", 2009, section 4): those are of first order.
//!
//! Where a box turns by more than a radian, the bound above says little. With an axis that stays in the world the box remains in the
//! cylinder and in the sphere that it turns in, and the lesser of their reaches is taken instead.

use glam::DVec3;
use wide::f64x4;

use crate::narrow_phase::moving_moving::advancement::course::{Moment, Spin};

/// What an axis turns with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carrier {
    World,
    A,
    B,
}

impl Carrier {
    pub const ALL: [Self; 3] = [Self::World, Self::A, Self::B];

    /// Whether it is the world, or turns.
    #[inline(always)]
    pub fn turns(self, [a, b]: &[Spin; 2]) -> bool {
        match self {
            Self::World => true,
            Self::A => a.speed > 0.0,
            Self::B => b.speed > 0.0,
        }
    }
}

/// A quantity with its first two derivatives.
type Jet = [f64; 3];

/// How far a box reaches along the axis, to one side.
struct Reach {
    /// Of its half edges.
    edges: [Jet; 3],
    /// A bound of third derivatives.
    third: f64,
    /// How far in time these hold.
    span: f64,
    /// How far the box ever reaches.
    most: f64,
}

/// A lower bound of the gap along an axis around a moment.
pub(super) struct Clearance {
    offset: Jet,
    /// The bound of the third derivative of the offset, as a polynomial in time.
    third: Jet,
    reaches: [Reach; 2],
    /// How far in time any of this holds.
    span: f64,
}

impl Clearance {
    /// Along an axis that begins as `n` and turns with its carrier.
    #[inline(always)]
    pub fn new(moment: &Moment, n: DVec3, carrier: Carrier) -> Self {
        let Moment {
            offset,
            velocity,
            acceleration,
            turns,
            ..
        } = *moment;
        let [a, b] = &moment.course.spins;
        let e = moment.course.drift.e;
        let still = [
            n.dot(offset) - moment.margin,
            n.dot(velocity) - e * moment.time,
            n.dot(acceleration) - e,
        ];
        let into_b = |v: DVec3| moment.c.transpose_mul_vec3(v);
        let (w, speed) = match carrier {
            Carrier::World => {
                return Self {
                    offset: still,
                    third: [0.0; 3],
                    reaches: [
                        Reach::in_world(a, n, turns[0], |v| v),
                        Reach::in_world(b, n, turns[1], into_b),
                    ],
                    span: f64::INFINITY,
                };
            }
            Carrier::A => (turns[0], a.speed),
            Carrier::B => (turns[1], b.speed),
        };
        let across = w.cross(n);
        let (size, d, v, g) = (
            across.length(),
            offset.length(),
            velocity.length(),
            acceleration.length(),
        );
        let (turn, twice) = (size * speed, size * speed * speed);
        let reach_a = Reach::turning(a, n, w, turns[0], carrier == Carrier::A, |v| v);
        let reach_b = Reach::turning(b, n, w, turns[1], carrier == Carrier::B, into_b);
        Self {
            offset: [
                still[0],
                still[1] + across.dot(offset),
                still[2] + 2.0 * across.dot(velocity) + w.cross(across).dot(offset),
            ],
            third: [
                twice * d + 3.0 * (turn * v + size * g),
                twice * v + 3.0 * turn * g,
                0.5 * twice * g,
            ],
            reaches: [reach_a, reach_b],
            span: 1.0 / speed,
        }
    }

    /// A lower bound of the gap, but for the error, from `back` before the moment to `ahead` after it.
    #[inline(always)]
    pub fn least(&self, back: f64, ahead: f64) -> f64 {
        let span = f64::max(back, ahead);
        if span > self.span {
            return f64::NEG_INFINITY;
        }
        let time = f64x4::new([-back, -0.5 * back, 0.5 * ahead, ahead]);
        let squares = f64x4::new([0.5 * back * back, 0.0, 0.0, 0.5 * ahead * ahead]);
        let at = |[f0, f1, f2]: Jet| time * f1 + squares * f2 + f0;
        let mut gap = at(self.offset);
        let mut third = self.third[0] + span * (self.third[1] + span * self.third[2]);
        let mut most = 0.0;
        for reach in &self.reaches {
            if span > reach.span {
                most += reach.most;
                continue;
            }
            third += reach.third;
            for edge in reach.edges {
                gap -= at(edge).abs();
            }
        }
        let [first, second, third_gap, last] = gap.to_array();
        let least = first.min(second).min(third_gap.min(last));
        least - most - third * (span * span * span / 6.0)
    }

    /// How long after the moment the gap stays as wide as `floor`, found within a tenth, if that is longer than `known`; else `known`.
    /// Until `end` it is at least `last`, which is less than the floor.
    #[inline(always)]
    pub fn extend(&self, known: f64, [end, last]: [f64; 2], floor: f64) -> f64 {
        let (mut low, mut high) = (known, end);
        let (mut above, mut below) = (self.least(0.0, low) - floor, last - floor);
        // NaN ends here too.
        if !(above >= 0.0 && low < high) {
            return known;
        }
        for round in 0..MOST_ROUNDS {
            if above <= floor || high - low <= 0.1 * low {
                break;
            }
            // Where a straight line is as wide as half of the floor again, and in turn a quarter of the way: bounds of third order are
            // no straight lines.
            let part = match round % 2 {
                0 if below > f64::NEG_INFINITY => (above - 0.5 * floor) / (above - below),
                _ => 0.25,
            };
            let middle = low + part.clamp(0.0, 0.9) * (high - low);
            let gap = self.least(0.0, middle) - floor;
            match gap >= 0.0 {
                true => (low, above) = (middle, gap),
                false => (high, below) = (middle, gap),
            }
        }
        low
    }
}

/// How often an interval is narrowed.
const MOST_ROUNDS: usize = 12;

impl Reach {
    /// Along an axis that stays. `to_own` turns a vector into the frame of the box.
    #[inline(always)]
    fn in_world(spin: &Spin, n: DVec3, turn: DVec3, to_own: impl Fn(DVec3) -> DVec3) -> Self {
        let n_own = spin.half * to_own(n);
        if spin.speed == 0.0 {
            return Self::constant(n_own.abs().element_sum());
        }
        let first = n.cross(turn);
        let second = first.cross(turn);
        let (first_own, second_own) = (spin.half * to_own(first), spin.half * to_own(second));
        // |W × x| is at most |W| times the distance from the axis of rotation.
        let across = first.length();
        let along = n.dot(turn).abs();
        let cylinder = (along * spin.along + across * spin.across) / spin.speed;
        Self {
            edges: jets(n_own, first_own, second_own),
            third: across * spin.speed * spin.speed * spin.across,
            span: 1.0 / spin.speed,
            most: cylinder.min(spin.reach),
        }
    }

    /// Along an axis that turns with `w`; `is_own` if that is the box's own.
    #[inline(always)]
    fn turning(spin: &Spin, n: DVec3, w: DVec3, turn: DVec3, is_own: bool, to_own: impl Fn(DVec3) -> DVec3) -> Self {
        let n_own = spin.half * to_own(n);
        let relative = turn - w;
        if is_own || relative == DVec3::ZERO {
            return Self::constant(n_own.abs().element_sum());
        }
        let first = n.cross(relative);
        let second = first.cross(turn) - n.cross(w).cross(relative);
        let (first_own, second_own) = (spin.half * to_own(first), spin.half * to_own(second));
        let speed = relative.length();
        let mixed = w.cross(relative).length() * (w.length() + 3.0 * speed);
        Self {
            edges: jets(n_own, first_own, second_own),
            third: (mixed + speed * speed * speed) * spin.reach,
            span: 1.0 / speed,
            most: spin.reach,
        }
    }

    /// Of a box that does not turn, seen from the axis.
    fn constant(most: f64) -> Self {
        Self {
            edges: [[0.0; 3]; 3],
            third: 0.0,
            span: -1.0,
            most,
        }
    }
}

#[inline(always)]
fn jets(value: DVec3, first: DVec3, second: DVec3) -> [Jet; 3] {
    [0, 1, 2].map(|axis: usize| [value[axis], first[axis], second[axis]])
}
