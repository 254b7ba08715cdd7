//! Lower bounds of the gap of two boxes along an axis while they move.
//!
//! # The gap as a function of time
//!
//! The unit axis at a time is n, and from then on (and before) it turns with angular velocity w:
//! not at all ([`Carrier::World`]), or with one of the boxes, so that the axis of a face stays that
//! face's. For a point at `x` from its box's center, which turns with W, the coordinate along the
//! axis is `n·x` at first. With `Ω = W - w` its derivatives are
//!
//! ```text
//! first    n · (Ω × x)                            = (n × Ω) · x
//! second   n · (Ω × (W × x)) - n · (w × (Ω × x))  = ((n × Ω) × W - (n × w) × Ω) · x
//! ```
//!
//! and the third is at most `J |x|`. If `w = 0`, `J |x| = |W × n| |W| |W × x|`: only the part of n
//! perpendicular to W and the distance from the axis of rotation count, so that a box that turns
//! about n or about its own long axis sweeps nothing. Otherwise `J = |w × Ω| (|w| + 3 |Ω|) + |Ω|³`,
//! from the derivatives of Ω in the turning frame. J vanishes if a box turns with the axis, and if
//! both boxes and the axis turn together. The derivatives of the offset of the centers D, which
//! turns with nothing, are
//!
//! ```text
//! first    n · D' + (w × n) · D
//! second   n · D" + 2 (w × n) · D' + (w × (w × n)) · D
//! third    at most |w × n| (|w|² |D| + 3 |w| |D'| + 3 |D"|)
//! ```
//!
//! where only the parts of D, D' and D" perpendicular to w count, because the part of n along w
//! does not turn: for boxes that turn together above one another nothing remains.
//!
//! Boxes also meet at two edges. The axis perpendicular to both ([`Carrier::Edges`]) has its bounds
//! in [`across`].
//!
//! # The farthest corner
//!
//! A box reaches as far along the axis as its farthest corner: `Σ |n · x_i|` over its three half
//! edges. By Taylor's theorem, the gap τ later is at least
//!
//! ```text
//! F(τ, τ²) - (sum of the bounds of third derivatives) |τ|³ / 6
//! ```
//!
//! where F is a linear function of τ and τ² less six absolute values of such functions: a concave
//! function of the two.
//!
//! # Over an interval
//!
//! For τ from -p to s the points (τ, τ²) lie in the trapezoid between the chord of the parabola and
//! its tangents at the ends and at 0, with the corners (-p, p²), (-p/2, 0), (s/2, 0), (s, s²). A
//! concave function has its minimum at one of these. So four values bound the gap over the whole
//! interval, and three from the moment on: (0, 0), (s/2, 0), (s, s²). If the gap shrinks faster and
//! faster, the bound is attained at an end; otherwise it loses an eighth of the second derivative
//! times the square of the interval.
//!
//! This replaces the bound of speed in conservative advancement (B. Mirtich, "Impulse-based dynamic
//! simulation of rigid body systems", 1996, section 2.3), and its forms along a direction (X.
//! Zhang, M. Lee and Y. Kim, "Interactive continuous collision detection for non-convex polyhedra",
//! 2006, section 4; M. Tang, Y. Kim and D. Manocha, "C²A", 2009, section 4), which are of first
//! order.
//!
//! If a box turns by more than [`FAR`](reach), the bound above is weak. Along an axis that stays
//! fixed in the world, the box remains within the cylinder and the sphere that it turns in, and the
//! smaller of their reaches is used instead.

mod across;
pub(super) mod extend;
mod reach;
#[cfg(test)]
mod tests;

use glam::DVec3;
use wide::{f64x2, f64x4};

use crate::narrow_phase::moving_moving::advancement::axes::{Axis, Carrier};
use crate::narrow_phase::moving_moving::advancement::clearance::reach::{Jet, Reach, lesser};
use crate::narrow_phase::moving_moving::advancement::course::Moment;

/// A lower bound of the gap along an axis around a moment.
pub(super) struct Clearance {
    offset: Jet,
    /// The bound of the third derivative of the offset, as a polynomial in time.
    third: Jet,
    reaches: [Reach; 2],
    /// The time span for which any of this holds.
    span: f64,
    /// The time span for which all of it holds, and the gap at the moment.
    near: f64,
    start: f64,
    /// The length of the axis, which is the unit of the gap.
    size: f64,
}

impl Clearance {
    /// Returns the bound along an axis that turns with its carrier.
    #[inline(always)]
    pub fn new(moment: &Moment, axis: &Axis, carrier: Carrier) -> Self {
        let n = axis.normal;
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
        let into_b = |v: DVec3| moment.c.mul_transpose_vec3(v);
        let (w, speed) = match carrier {
            Carrier::World => {
                let reaches = [Reach::in_world(a, n), Reach::in_world(b, into_b(n))];
                return Self::of(still, [0.0; 3], reaches, f64::INFINITY);
            }
            Carrier::A => (turns[0], a.speed),
            Carrier::B => (turns[1], b.speed),
            Carrier::Edges(edges) => return Self::across(moment, edges),
        };
        let across = w.cross(n);
        let size = across.length();
        let [d, v, g] = [offset, velocity, acceleration].map(|vector| w.cross(vector).length() / speed);
        let (turn, twice) = (size * speed, size * speed * speed);
        let reaches = [
            Reach::turning(a, n, w, turns[0], carrier == Carrier::A, |v| v),
            Reach::turning(b, n, w, turns[1], carrier == Carrier::B, into_b),
        ];
        let offset = [
            still[0],
            still[1] + across.dot(offset),
            still[2] + 2.0 * across.dot(velocity) + w.cross(across).dot(offset),
        ];
        let third = [
            twice * d + 3.0 * (turn * v + size * g),
            twice * v + 3.0 * turn * g,
            0.5 * twice * g,
        ];
        Self::of(offset, third, reaches, 1.0 / speed)
    }

    #[inline(always)]
    fn of(offset: Jet, third: Jet, reaches: [Reach; 2], span: f64) -> Self {
        Self {
            near: lesser(span, lesser(reaches[0].span, reaches[1].span)),
            start: offset[0] - reaches[0].now() - reaches[1].now(),
            offset,
            third,
            reaches,
            span,
            size: 1.0,
        }
    }

    /// Returns a lower bound of the gap, without the error, from `back` before the moment to
    /// `ahead` after it.
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
        for reach in self.reaches.iter().filter(|reach| span <= reach.span) {
            for edge in reach.edges {
                gap -= at(edge).abs();
            }
        }
        let [first, second, third, last] = gap.to_array();
        let [beside, most] = self.beside(span);
        f64::min(first.min(second), third.min(last)) - beside - most
    }

    /// Returns the same bound from the moment to `ahead` after it.
    #[inline(always)]
    pub fn least_ahead(&self, ahead: f64) -> f64 {
        if ahead > self.near {
            return self.least_far_ahead(ahead);
        }
        let [of_a, of_b] = &self.reaches;
        let ends = self.ends(ahead, [true; 2]);
        let third = self.third[0] + of_a.third + of_b.third + ahead * (self.third[1] + ahead * self.third[2]);
        // The terms that grow with time take nothing from the gap at the start.
        lesser(self.start, ends - third * (ahead * ahead * ahead * (1.0 / 6.0)))
    }

    /// [`least_ahead`](Self::least_ahead) for a box, or an axis, that turns by more than a radian.
    #[inline(always)]
    fn least_far_ahead(&self, ahead: f64) -> f64 {
        if ahead > self.span {
            return f64::NEG_INFINITY;
        }
        let [of_a, of_b] = &self.reaches;
        let holds = [ahead <= of_a.span, ahead <= of_b.span];
        let mut start = self.offset[0];
        if holds[0] {
            start -= of_a.now();
        }
        if holds[1] {
            start -= of_b.now();
        }
        let [third, most] = self.beside(ahead);
        lesser(start, self.ends(ahead, holds) - third) - most
    }

    /// Returns the smaller of the gaps halfway ahead, to first order, and at the end, to second
    /// order. `holds` selects the boxes that are included.
    #[inline(always)]
    fn ends(&self, ahead: f64, holds: [bool; 2]) -> f64 {
        let time = f64x2::new([0.5 * ahead, ahead]);
        let squares = f64x2::new([0.0, 0.5 * ahead * ahead]);
        let at = |[f0, f1, f2]: Jet| time * f1 + squares * f2 + f0;
        let edges = |[x, y, z]: [Jet; 3]| at(x).abs() + at(y).abs() + at(z).abs();
        let mut gap = at(self.offset);
        if holds[0] {
            gap -= edges(self.reaches[0].edges);
        }
        if holds[1] {
            gap -= edges(self.reaches[1].edges);
        }
        let [middle, last] = gap.to_array();
        lesser(middle, last)
    }

    /// Returns the parts of the gap taken by third derivatives, and by boxes that turn by more than
    /// a radian.
    #[inline(always)]
    fn beside(&self, span: f64) -> [f64; 2] {
        let mut third = self.third[0] + span * (self.third[1] + span * self.third[2]);
        let mut most = 0.0;
        let [of_a, of_b] = &self.reaches;
        let mut add = |reach: &Reach| match span <= reach.span {
            true => third += reach.third,
            false => most += reach.most,
        };
        add(of_a);
        add(of_b);
        [third * (span * span * span / 6.0), most]
    }
}
