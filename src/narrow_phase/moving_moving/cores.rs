//! The cores of two bodies at a moment, the second of which is a segment or a point: their closest
//! points, and how their distance changes while the first stays.
//!
//! [`Still::closest`] gives points of both cores. They are the closest ones up to rounding, and
//! correctness does not depend on that: the caller has an upper bound of the distance from the
//! points, and a lower bound from any direction, by [`Still::reach`].
//!
//! # A box and a segment
//!
//! As in [`closest`](crate::narrow_phase::round::closest), the closest position on the segment is
//! where the slope of the squared distance is zero, and that slope is linear between the planes of
//! the faces. Here the six planes and the two ends are the eight lanes of two vectors. Because the
//! slope grows along the segment, the last position where it is negative and the first position
//! where it is not are the neighbours of its zero.

use fearless_simd::f64x4;
use fearless_simd::prelude::*;
use glam::DVec3;

use crate::base::lanes::Simd;
use crate::narrow_phase::round::closest::{Segment, between_segments};

/// The closest points of two cores, relative to the center of the first.
#[derive(Clone, Copy)]
pub(super) struct Nearest {
    pub on_still: DVec3,
    pub on_moving: DVec3,
    /// The rate of change of the vector between the points while the same features of the cores
    /// remain closest.
    pub drift: DVec3,
}

impl Nearest {
    /// The vector from the first to the second.
    #[inline(always)]
    pub fn way(&self) -> DVec3 {
        self.on_moving - self.on_still
    }
}

/// The core of the body that stays, in whose frame everything is expressed.
pub(super) trait Still {
    /// Returns the closest points of the segment and this core, if the segment moves at `velocity`.
    fn closest<S: Simd>(&self, simd: S, moving: &Segment, velocity: DVec3) -> Nearest;

    /// Returns the extent of the core along a direction, to either side.
    fn reach(&self, direction: DVec3) -> f64;
}

/// A segment or a point centered at the origin.
pub(super) struct Line(pub Segment);

impl Still for Line {
    #[inline(always)]
    fn closest<S: Simd>(&self, _: S, moving: &Segment, velocity: DVec3) -> Nearest {
        let found = between_segments(&self.0, moving);
        let free = [
            self.0.is_inner(found.places[0]).then_some(self.0.along),
            moving.is_inner(found.places[1]).then_some(moving.along),
        ];
        let drift = match free {
            [None, None] => velocity,
            [Some(along), None] | [None, Some(along)] => velocity - along * along.dot(velocity),
            [Some(u), Some(v)] => {
                let across = u.cross(v);
                across * (across.dot(velocity) / across.length_squared())
            }
        };
        Nearest {
            on_still: found.on_a,
            on_moving: found.on_b,
            drift,
        }
    }

    #[inline(always)]
    fn reach(&self, direction: DVec3) -> f64 {
        self.0.along.dot(direction).abs() * self.0.half
    }
}

/// A box centered at the origin, tested against a segment that does not turn.
pub(super) struct Block {
    pub half: DVec3,
    /// The reciprocals of the components of the segment's direction.
    inverse: DVec3,
}

impl Block {
    #[inline(always)]
    pub fn new(half: DVec3, segment: &Segment) -> Self {
        Self {
            half,
            inverse: 1.0 / segment.along,
        }
    }

    /// Returns the position on the segment that is closest to the box.
    #[inline(always)]
    fn place<S: Simd>(&self, simd: S, segment: &Segment) -> f64 {
        let (half, c, end) = (self.half, segment.middle, segment.half);
        // The planes of the three axes, and an end: first on the negative sides, then on the
        // positive ones.
        let halves: f64x4<S> = [half.x, half.y, half.z, end].simd_into(simd);
        let centers: f64x4<S> = [c.x, c.y, c.z, 0.0].simd_into(simd);
        let inverses: f64x4<S> = [self.inverse.x, self.inverse.y, self.inverse.z, 1.0].simd_into(simd);
        let negative = (-halves - centers) * inverses;
        let positive = (halves - centers) * inverses;
        let of_negative = self.slope(negative, segment);
        let of_positive = self.slope(positive, segment);
        let (nowhere, zero) = (f64x4::splat(simd, f64::NEG_INFINITY), f64x4::splat(simd, 0.0));
        // A plane parallel to the segment has no position on it: it is NaN or infinite.
        let (on_negative, on_positive) = (negative.abs().simd_le(end), positive.abs().simd_le(end));
        let falls = [
            on_negative & of_negative.simd_lt(zero),
            on_positive & of_positive.simd_lt(zero),
        ];
        let rises = [
            on_negative & of_negative.simd_ge(zero),
            on_positive & of_positive.simd_ge(zero),
        ];
        let low = greatest(
            falls[0]
                .select(negative, nowhere)
                .max(falls[1].select(positive, nowhere)),
        );
        let high = -greatest(
            rises[0]
                .select(-negative, nowhere)
                .max(rises[1].select(-positive, nowhere)),
        );
        if low == f64::NEG_INFINITY {
            return -end;
        }
        if high == f64::INFINITY {
            return end;
        }
        let fall = greatest(
            falls[0]
                .select(of_negative, nowhere)
                .max(falls[1].select(of_positive, nowhere)),
        );
        let rise = -greatest(
            rises[0]
                .select(-of_negative, nowhere)
                .max(rises[1].select(-of_positive, nowhere)),
        );
        low + (high - low) * (fall / (fall - rise))
    }

    /// Returns half the derivative of the squared distance at positions on a segment.
    #[inline(always)]
    fn slope<S: Simd>(&self, places: f64x4<S>, segment: &Segment) -> f64x4<S> {
        let (half, c, u) = (self.half, segment.middle, segment.along);
        beyond(places * u.x + c.x, half.x) * u.x
            + beyond(places * u.y + c.y, half.y) * u.y
            + beyond(places * u.z + c.z, half.z) * u.z
    }
}

/// Returns how far coordinates are beyond a side of the box.
#[inline(always)]
fn beyond<S: Simd>(coordinates: f64x4<S>, half: f64) -> f64x4<S> {
    coordinates - coordinates.max(-half).min(half)
}

impl Still for Block {
    #[inline(always)]
    fn closest<S: Simd>(&self, simd: S, moving: &Segment, velocity: DVec3) -> Nearest {
        let (place, u) = match moving.half > 0.0 {
            true => (self.place(simd, moving), moving.along),
            false => (0.0, DVec3::ZERO),
        };
        let on_moving = moving.middle + u * place;
        let on_still = on_moving.max(-self.half).min(self.half);
        // Along the other axes the closest point of the box follows the segment.
        let beyond = (on_moving - on_still).abs().cmpgt(DVec3::ZERO);
        let only = |vector: DVec3| DVec3::select(beyond, vector, DVec3::ZERO);
        let mut drift = only(velocity);
        if moving.is_inner(place) {
            let along = only(u);
            drift -= along * (along.dot(velocity) / along.length_squared());
        }
        Nearest {
            on_still,
            on_moving,
            drift,
        }
    }

    #[inline(always)]
    fn reach(&self, direction: DVec3) -> f64 {
        direction.abs().dot(self.half)
    }
}

#[inline(always)]
fn greatest<S: Simd>(numbers: f64x4<S>) -> f64 {
    let greater = |x: f64, y: f64| if x > y { x } else { y };
    let [x, y, z, w] = numbers.into();
    greater(greater(x, y), greater(z, w))
}
