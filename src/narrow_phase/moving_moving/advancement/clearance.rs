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
//! # Perpendicular to two edges
//!
//! Boxes meet at two edges along an axis that turns with both. Along any other axis the far ends of
//! the edges soon swing over the gap, and only a fraction of it remains after a step: long rods
//! would need dozens of steps to come within the tolerance. So the third kind of axis is
//! `m(t) = a(t) × b(t)`, of an edge of each box ([`Carrier::Edges`]). Its length is the sine of the
//! edges' angle, never above 1, so a gap that is wider than the error along it is also wider along
//! the unit axis. In the frame of A, in which a is fixed, the angular velocity of B is Ω, with
//! `Ω' = W_B × W_A`. Then
//!
//! ```text
//! b' = Ω × b                      b" = Ω' × b + Ω × b'
//! D' = V - W_A × D                D" = G - W_A × (V + D')
//! gap · |m| = |a · (b × D)| - Σ |a_k · b| h_l - Σ |a · b_k| h_l
//! ```
//!
//! where V and G are the velocity and the acceleration in the world, and k and l the two other axes
//! of each box. The first term is a product of three vectors, whose third derivative is the same in
//! any frame: at most `T₃ |D| + 3 T₂ |V| + 3 T₁ |G|` with those in the world, where
//! `α = |W_A × a|`, `β = |W_B × b|`, and
//!
//! ```text
//! T₁ = α + β,   T₂ = α |W_A| + 2 α β + β |W_B|,   T₃ = α |W_A| (|W_A| + 3 β) + β |W_B| (|W_B| + 3 α)
//! ```
//!
//! A product of axes of the boxes has a third derivative of at most `|Ω'| (|W_A| + 3 |Ω|) + |Ω|³`.
//! So when edges meet, the part of the gap that a step leaves is proportional to the third power of
//! time.
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
//! If a box turns by more than [`FAR`], the bound above is weak. Along an axis that stays fixed in
//! the world, the box remains within the cylinder and the sphere that it turns in, and the lesser
//! of their reaches is used instead.

use glam::DVec3;
use wide::{f64x2, f64x4};

use crate::geometry::rotation::others;
use crate::narrow_phase::moving_moving::advancement::axes::{Axis, Carrier};
use crate::narrow_phase::moving_moving::advancement::course::{Moment, Spin};

/// A quantity with its first two derivatives.
type Jet = [f64; 3];

/// The extent of a box along the axis, to one side.
struct Reach {
    /// The contributions of its half edges.
    edges: [Jet; 3],
    /// A bound of the third derivatives.
    third: f64,
    /// The time span for which these hold.
    span: f64,
    /// A bound of the extent at any time.
    most: f64,
}

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
        let into_b = |v: DVec3| moment.c.transpose_mul_vec3(v);
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

    /// Returns the bound along the axis `m`, which stays perpendicular to edge i of A and edge j of
    /// B.
    #[inline(always)]
    fn across(moment: &Moment, [i, j]: [usize; 2]) -> Self {
        let Moment {
            offset: d,
            velocity,
            acceleration,
            turns: [w, w_b],
            ..
        } = *moment;
        let [a, b] = &moment.course.spins;
        let [j_next, j_last] = others(j);
        // The edge of B and the offset, as they move in the axes of A, and B's axes as seen from
        // the edge of A.
        let (relative, bent) = (w_b - w, w_b.cross(w));
        let edge = moment.c.col(j);
        let edge_1 = relative.cross(edge);
        let edge_2 = relative.cross(edge_1) + bent.cross(edge);
        let turned = w.cross(d);
        let d_1 = velocity - turned;
        let d_2 = acceleration - w.cross(velocity + d_1);
        let seen_1 = DVec3::AXES[i].cross(relative);
        let seen_2 = seen_1.cross(relative) + DVec3::AXES[i].cross(bent);
        let [k, l] = others(i);
        let across = |x: DVec3, y: DVec3| x[k] * y[l] - x[l] * y[k];
        let mut offset = [
            across(edge, d),
            across(edge_1, d) + across(edge, d_1),
            across(edge_2, d) + 2.0 * across(edge_1, d_1) + across(edge, d_2),
        ];
        if offset[0] < 0.0 {
            offset = offset.map(|part| -part);
        }
        let e = moment.course.drift.e;
        let margin = [moment.margin, e * moment.time, e];
        let offset = [0, 1, 2].map(|order: usize| offset[order] - margin[order]);
        // The speeds of the edges due to rotation, and bounds of the derivatives of their product.
        let [alpha, beta] = [w.cross(DVec3::AXES[i]).length(), w_b.cross(edge).length()];
        let first = alpha + beta;
        let second = alpha * a.speed + 2.0 * alpha * beta + beta * b.speed;
        let third = alpha * a.speed * (a.speed + 3.0 * beta) + beta * b.speed * (b.speed + 3.0 * alpha);
        let [d, v, g] = [d, velocity, acceleration].map(DVec3::length);
        let third = [
            third * d + 3.0 * (second * v + first * g),
            third * v + 3.0 * second * g,
            0.5 * third * g,
        ];
        let speed = relative.length();
        let of_angles = bent.length() * (a.speed + 3.0 * speed) + speed * speed * speed;
        let of_a = |axis: usize, half: f64| [edge[axis], edge_1[axis], edge_2[axis]].map(|part| part * half);
        let of_b = |axis: usize, half: f64| {
            let axis = moment.c.col(axis);
            [axis[i], axis.dot(seen_1), axis.dot(seen_2)].map(|part| part * half)
        };
        let reach = |edges: [Jet; 2], half: f64| Reach {
            edges: [edges[0], edges[1], [0.0; 3]],
            third: of_angles * half,
            span: f64::INFINITY,
            most: 0.0,
        };
        let reaches = [
            reach([of_a(l, a.half[k]), of_a(k, a.half[l])], a.half[k] + a.half[l]),
            reach(
                [of_b(j_last, b.half[j_next]), of_b(j_next, b.half[j_last])],
                b.half[j_next] + b.half[j_last],
            ),
        ];
        let size = (edge[k] * edge[k] + edge[l] * edge[l]).sqrt();
        Self {
            size,
            ..Self::of(offset, third, reaches, 1.0 / (a.speed + b.speed))
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

    /// Returns the lesser of the gaps halfway ahead, to first order, and at the end, to second
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

    /// Returns `true` if the gap has been as wide as `floor` for a time of `back`.
    #[inline(always)]
    pub fn was_wide(&self, back: f64, [floor, error]: [f64; 2]) -> bool {
        self.least(back, 0.0) >= self.width(floor, error)
    }

    /// Returns the width along the axis of a gap that is `floor` wide along one of length 1. Along
    /// a short axis all lengths shrink except the error.
    #[inline(always)]
    fn width(&self, floor: f64, error: f64) -> f64 {
        f64::max(floor * self.size, error)
    }

    /// Returns how long after the moment the gap stays as wide as `floor`, to within a fifth, if
    /// that is longer than `known` by as much; else `known`. Returns `None` if it stays wider than
    /// `error` until `end`. `guess` is tried first.
    #[inline(always)]
    pub fn extend(&self, known: f64, guess: f64, end: f64, [floor, error]: [f64; 2]) -> Option<f64> {
        let floor = self.width(floor, error);
        let start = self.start - floor;
        let (mut low, mut above) = (0.0, start);
        // A gap that does not last longer than `known` does not last until the end.
        if known > 0.0 {
            low = lesser((1.0 + CLOSE) * known, end);
            above = self.least_ahead(low) - floor;
            if above <= 0.0 {
                return Some(known);
            }
        }
        let last = self.least_ahead(end);
        if last > error {
            return None;
        }
        // The time, less a small margin, at which a gap that shrinks with the square of time
        // vanishes, if it is `gap` at `time`.
        let gone = |time: f64, gap: f64| 0.92 * time * (start / (start - gap)).sqrt();
        let mut high = end;
        let mut next = match known > 0.0 {
            true => gone(low, above),
            false => lesser(guess, gone(end, last - floor)),
        };
        for _ in 0..MOST_ROUNDS {
            // The bound is a concave function, or nearly so: the rest of it vanishes as fast as the
            // part already gone. NaN also ends the loop.
            if !(above > floor && above > CLOSE * start && high - low > CLOSE * low) {
                break;
            }
            if !(next > low && next < high) {
                next = match low < self.near && self.near < high {
                    true => self.near,
                    false => low + 0.25 * (high - low),
                };
            }
            let gap = self.least_ahead(next) - floor;
            let gone = gone(next, gap);
            match gap >= 0.0 {
                true => {
                    (low, above) = (next, gap);
                    next = lesser(f64::max(gone, (1.0 + CLOSE) * low), 4.0 * low);
                }
                false => (high, next) = (next, gone),
            }
        }
        Some(low)
    }
}

/// The greatest turn of a box, in radians, for which its derivatives are useful along a fixed axis.
const FAR: f64 = 1.25;

/// The relative precision to which a time is found.
pub(super) const CLOSE: f64 = 0.2;

/// The maximum number of times an interval is narrowed.
const MOST_ROUNDS: usize = 48;

impl Reach {
    /// Returns the reach along an axis fixed in the world; `n` is the axis in the box's own frame.
    #[inline(always)]
    fn in_world(spin: &Spin, n: DVec3) -> Self {
        if spin.speed == 0.0 {
            return Self::constant(spin.half * n);
        }
        let first = n.cross(spin.own);
        let second = first.cross(spin.own);
        // |W × x| is at most |W| times the distance from the axis of rotation.
        let across = first.length();
        let along = n.dot(spin.own).abs();
        let cylinder = (along * spin.along + across * spin.across) * spin.radian;
        Self {
            edges: jets(spin.half * n, spin.half * first, spin.half * second),
            third: across * spin.speed * spin.speed * spin.across,
            span: FAR * spin.radian,
            most: lesser(cylinder, spin.reach),
        }
    }

    /// Returns the reach along an axis that turns with `w`; `is_own` is set if the axis is the
    /// box's own.
    #[inline(always)]
    fn turning(spin: &Spin, n: DVec3, w: DVec3, turn: DVec3, is_own: bool, to_own: impl Fn(DVec3) -> DVec3) -> Self {
        let n_own = spin.half * to_own(n);
        let relative = turn - w;
        if is_own || relative == DVec3::ZERO {
            return Self::constant(n_own);
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

    /// Returns the reach at the moment.
    #[inline(always)]
    fn now(&self) -> f64 {
        let [x, y, z] = &self.edges;
        x[0].abs() + y[0].abs() + z[0].abs()
    }

    /// Returns the reach of a box that does not turn as seen from the axis.
    #[inline(always)]
    fn constant(n_own: DVec3) -> Self {
        Self {
            edges: jets(n_own, DVec3::ZERO, DVec3::ZERO),
            third: 0.0,
            span: f64::INFINITY,
            most: 0.0,
        }
    }
}

/// Returns the lesser of two numbers, neither of them NaN.
#[inline(always)]
fn lesser(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}

#[inline(always)]
fn jets(value: DVec3, first: DVec3, second: DVec3) -> [Jet; 3] {
    [0, 1, 2].map(|axis: usize| [value[axis], first[axis], second[axis]])
}

#[cfg(test)]
mod tests {
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
        let [a, b] = [0, 1].map(|k: usize| Body {
            obb: &pair.boxes[k],
            motion: &pair.motions[k],
        });
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
                    axes_of::<1>(&moment, false, widest - slack).wide
                        && !axes_of::<1>(&moment, false, widest + slack).wide
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
}
