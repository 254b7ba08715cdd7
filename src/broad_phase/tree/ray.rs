//! Rays, and the exact test if and where they enter a box.
//!
//! Along each axis where it moves, a ray is between the planes of a box from `t = n / d` to
//! `t = f / d`: `n` and `f` are the planes' distances from the origin in the ray's direction, and
//! `d > 0` is its speed along the axis. The ray meets the box if every `n / d` is at most every
//! `f / d`, every `f / d` is at least 0, and every `n / d` is at most the limit. These are compared
//! as products: in `f64` if that decides, else as sums of up to eight `f64` that represent them
//! exactly (Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric
//! predicates", 1997). No number is beyond 2^190 or, except 0, below 2^-404, so none of them
//! overflows or loses bits.

use std::cmp::Ordering;

use glam::Vec3;

use crate::base::error::{Error, Result};
use crate::base::problem::{COORDINATE_LIMIT, RayProblem};
use crate::broad_phase::tree::node::Extent;

/// A half line, or a part of it: the points `origin + t * direction` with `t` from 0 to `limit`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Ray {
    /// The start of the ray.
    pub origin: Vec3,
    /// The direction of the ray, of any length but 0. `t` is in units of this length.
    pub direction: Vec3,
    /// The largest `t`: 0 or more, infinite for a half line.
    pub limit: f32,
}

impl Ray {
    /// Creates a half line.
    pub const fn new(origin: Vec3, direction: Vec3) -> Self {
        Self {
            origin,
            direction,
            limit: f32::INFINITY,
        }
    }

    /// Returns the same ray, no further than `t = limit`.
    pub const fn up_to(self, limit: f32) -> Self {
        Self { limit, ..self }
    }

    /// Returns the point at `t`, rounded.
    pub fn at(&self, t: f32) -> Vec3 {
        self.origin + t * self.direction
    }

    /// Returns the problem of an invalid ray, or `None` if it is valid.
    pub fn problem(&self) -> Option<RayProblem> {
        if !self.origin.is_finite() || !self.direction.is_finite() {
            Some(RayProblem::NotFinite)
        } else if self.origin.abs().max_element() > COORDINATE_LIMIT {
            Some(RayProblem::TooFar)
        } else if self.direction == Vec3::ZERO {
            Some(RayProblem::NoDirection)
        } else if self.limit.is_nan() || self.limit < 0.0 {
            Some(RayProblem::Limit(self.limit))
        } else {
            None
        }
    }

    /// Returns an error if the ray, which is at this position in its list, is invalid.
    pub(crate) fn validate(&self, index: usize) -> Result<()> {
        match self.problem() {
            Some(problem) => Err(Error::InvalidRay { index, problem }),
            None => Ok(()),
        }
    }

    /// Returns the `t` at which the ray enters a box, 0 if it begins there, or `None` if they share
    /// no point. The test is exact, and the number has a relative error of at most 2^-51.
    pub(crate) fn enters(&self, extent: Extent) -> Option<f64> {
        let mut spans = [Span::default(); 3];
        let mut moving = 0;
        let mut entry = 0.0f64;
        for axis in 0..3 {
            let (origin, direction) = (self.origin[axis], self.direction[axis]);
            let (low, high) = (extent.low[axis], extent.high[axis]);
            let (near, far) = match direction.partial_cmp(&0.0)? {
                Ordering::Greater => (Distance::new(low, origin), Distance::new(high, origin)),
                Ordering::Less => (Distance::new(origin, high), Distance::new(origin, low)),
                Ordering::Equal if low <= origin && origin <= high => continue,
                Ordering::Equal => return None,
            };
            if far.rounded < 0.0 {
                return None;
            }
            let along = f64::from(direction.abs());
            entry = entry.max(near.rounded / along);
            spans[moving] = Span { near, far, along };
            moving += 1;
        }
        let spans = &spans[..moving];
        let in_time = |span: &Span| {
            self.limit.is_infinite() || at_most(span.near, 1.0, Distance::of(self.limit.into()), span.along)
        };
        let meet = |a: &Span| spans.iter().all(|b| at_most(a.near, b.along, b.far, a.along));
        spans
            .iter()
            .all(|span| span.near.rounded <= 0.0 || (in_time(span) && meet(span)))
            .then_some(entry)
    }
}

/// The distances to the two planes of a box along an axis, in the direction of a ray.
#[derive(Clone, Copy, Default)]
struct Span {
    near: Distance,
    far: Distance,
    /// The movement of the ray along the axis per unit of `t`.
    along: f64,
}

/// A difference, rounded, and its rounding error.
#[derive(Clone, Copy, Default)]
struct Distance {
    rounded: f64,
    rest: f64,
}

impl Distance {
    const fn of(rounded: f64) -> Self {
        Self { rounded, rest: 0.0 }
    }

    fn new(to: f32, from: f32) -> Self {
        let (rounded, rest) = sum(f64::from(to), -f64::from(from));
        Self { rounded, rest }
    }
}

/// Returns `true` if `a * by <= b * times`. All must be 0 or more.
fn at_most(a: Distance, by: f64, b: Distance, times: f64) -> bool {
    // Each has a relative error of 2^-52, and a little more.
    const ERROR: f64 = 1.0 / (1u64 << 50) as f64;
    let (left, right) = (a.rounded * by, b.rounded * times);
    if (left - right).abs() > ERROR * (left + right) {
        return left < right;
    }
    let terms = [(a.rounded, by), (a.rest, by), (b.rounded, -times), (b.rest, -times)];
    let mut parts = [0.0; 8];
    for (k, (x, y)) in terms.into_iter().enumerate() {
        parts[2 * k] = x * y;
        parts[2 * k + 1] = x.mul_add(y, -(x * y));
    }
    sign(parts) != Ordering::Greater
}

/// Returns a sum, rounded, and its rounding error (Knuth).
fn sum(a: f64, b: f64) -> (f64, f64) {
    let rounded = a + b;
    let added = rounded - a;
    (rounded, (a - (rounded - added)) + (b - added))
}

/// Returns the sign of a sum.
fn sign(terms: [f64; 8]) -> Ordering {
    // The parts do not overlap and ascend, so the largest that is not 0 has the sign of the sum.
    let mut parts = [0.0; 8];
    for (k, term) in terms.into_iter().enumerate() {
        let mut carried = term;
        for part in &mut parts[..k] {
            (carried, *part) = sum(carried, *part);
        }
        parts[k] = carried;
    }
    let greatest = parts.iter().rev().find(|part| **part != 0.0);
    greatest.map_or(Ordering::Equal, |part| part.total_cmp(&0.0))
}
