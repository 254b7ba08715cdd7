//! The extent of a box that turns along an axis.

use glam::DVec3;

use crate::narrow_phase::moving_moving::advancement::course::Spin;

/// The greatest turn of a box, in radians, for which its derivatives are useful along a fixed axis.
const FAR: f64 = 1.25;

/// A quantity with its first two derivatives.
pub(super) type Jet = [f64; 3];

/// The extent of a box along the axis, to one side.
pub(super) struct Reach {
    /// The contributions of its half edges.
    pub edges: [Jet; 3],
    /// A bound of the third derivatives.
    pub third: f64,
    /// The time span for which these hold.
    pub span: f64,
    /// A bound of the extent at any time.
    pub most: f64,
}

impl Reach {
    /// Returns the reach along an axis fixed in the world; `n` is the axis in the box's own frame.
    #[inline(always)]
    pub fn in_world(spin: &Spin, n: DVec3) -> Self {
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
    pub fn turning(
        spin: &Spin,
        n: DVec3,
        w: DVec3,
        turn: DVec3,
        is_own: bool,
        to_own: impl Fn(DVec3) -> DVec3,
    ) -> Self {
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
    pub fn now(&self) -> f64 {
        let [x, y, z] = &self.edges;
        x[0].abs() + y[0].abs() + z[0].abs()
    }

    /// Returns the reach of a box that does not turn as seen from the axis.
    #[inline(always)]
    pub fn constant(n_own: DVec3) -> Self {
        Self {
            edges: jets(n_own, DVec3::ZERO, DVec3::ZERO),
            third: 0.0,
            span: f64::INFINITY,
            most: 0.0,
        }
    }
}

#[inline(always)]
fn jets(value: DVec3, first: DVec3, second: DVec3) -> [Jet; 3] {
    [0, 1, 2].map(|axis: usize| [value[axis], first[axis], second[axis]])
}

/// Returns the smaller of two numbers, neither of them NaN.
#[inline(always)]
pub(super) fn lesser(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}
