//! The closest points of two segments, and of a segment and a box, in f64.
//!
//! # Two segments
//!
//! The points of the segments are `s u` and `d + t v`, with u and v of length 1. The closest points
//! are an end of one and a point of the other, or inner points of both. The vector between inner
//! points is perpendicular to both segments: with `n = u × v`, it is at `s = (d × v) · n / n²`
//! (Ericson, *Real-Time Collision Detection*, 2005, section 5.1.9; Eberly, "Robust Computation of
//! Distance Between Line Segments"). On the line of the second segment, the position nearest to s
//! is `t = (s u - d) · v`. If it is beyond an end, that end is the nearest, and s moves to where
//! the first segment is closest to it: the squared distance is convex, so no other position is
//! nearer.
//!
//! The squared distance is `D² + θ² (the offset along both)²`, where θ is the sine of the angle.
//! The errors of d and v turn into an offset of `u D / θ² + u L / θ`, in units of the rounding
//! error u and of the lengths L. The second part makes the distance longer by u L. So does the
//! first if `θ² > u`. Otherwise `D u² / (2 θ²)` exceeds u L only if `D > 2 L θ² / u`, and then the
//! ends, which are at most `θ² L² / (2 D) < u L` further apart than the inner points, are as good.
//! If θ is small, all five cases are therefore tried, the inner points and four ends, and the
//! smallest is kept: each candidate is a vector between points of the two. If a position is within
//! the offset of an end, the decision whether that end is the nearest may be wrong, which makes the
//! distance longer by no more than the offset does.
//!
//! # A segment and a box
//!
//! In the frame of the box, the squared distance of the point `c + s u` to the box is convex in s.
//! It consists of parabolas that meet without a kink where the segment passes the plane of a face.
//! Half its slope, `u · (the vector to the point from the box's nearest point)`, increases along
//! the segment and is linear from one of the six planes to the next. The planes next to its zero
//! are found by its sign, and the zero lies between them in proportion. (Eberly, "Distance from
//! Line Segment to Box", walks from region to region instead.) Only these vectors enter, each with
//! an error of u L, so the error of the zero's position makes the distance longer by as much. The
//! point of a box nearest to a given point is that point with its coordinates clamped (Ericson,
//! section 5.1.3).
//!
//! # The error
//!
//! Errors are relative to the sum Z of |c|, |u|, |v|, the half extents and the radii, coordinate by
//! coordinate, with u = 2^-53:
//!
//! - An entry of a rotation errs by 10 u (products and sums 4, |q|² 4, the division 2), so a core's
//!   direction errs by 18 u. The rotation into the frame of a box errs by 36 u of the length, for a
//!   total of 36 u |c| and 54 u |u|.
//! - What follows: the position 6 u Z, or 26 u Z for a position of two segments, whose directions
//!   are of length 1 up to 20 u; the point 4 u Z, clamping and length 6 u Z, radii 2 u Z.
//!
//! The total is less than 80 u Z; [`ERROR`] is 90 u.

use crate::base::arrays::Mapped;
use glam::{DMat3, DVec3};

/// The error of a distance, as a fraction of the lengths that go into it. See the [module](self).
pub(crate) const ERROR: f64 = 1e-14;

/// The squared sine, 2^-20, below which the ends of two segments are tried in addition to their
/// inner points.
const SMALL_SQUARED_SINE: f64 = 1.0 / (1 << 20) as f64;

/// The points `middle + s along` with s from `-half` to `half`; a single point if `half` is 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub middle: DVec3,
    /// Of length 1, or 0 if the segment is a point.
    pub along: DVec3,
    pub half: f64,
}

impl Segment {
    /// Returns the segment as seen from a point, after a rotation.
    pub fn seen_from(&self, origin: DVec3, turn: &DMat3) -> Self {
        Self {
            middle: *turn * (self.middle - origin),
            along: *turn * self.along,
            half: self.half,
        }
    }

    /// Returns the point at a position.
    pub fn at(&self, place: f64) -> DVec3 {
        self.middle + place * self.along
    }

    /// Returns `true` if a position is between the ends.
    pub fn is_inner(&self, place: f64) -> bool {
        place.abs() < self.half
    }

    /// Returns the position on the segment that is nearest to a position on its line.
    fn nearest(&self, place: f64) -> f64 {
        let place = if place > -self.half { place } else { -self.half };
        if place < self.half { place } else { self.half }
    }
}

/// The closest points of two segments, or of a box and a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closest {
    pub on_a: DVec3,
    pub on_b: DVec3,
    /// Their positions on the segments; 0 for a box.
    pub places: [f64; 2],
}

impl Closest {
    /// Returns the vector from one to the other.
    pub fn way(&self) -> DVec3 {
        self.on_b - self.on_a
    }
}

/// Returns the closest points of two segments, relative to the middle of the first.
#[inline(always)]
pub(crate) fn between_segments(a: &Segment, b: &Segment) -> Closest {
    let (d, u, v) = (b.middle - a.middle, a.along, b.along);
    let at = |[s, t]: [f64; 2]| Closest {
        on_a: s * u,
        on_b: d + t * v,
        places: [s, t],
    };
    let (d_u, d_v, cosine) = (d.dot(u), d.dot(v), u.dot(v));
    let on_a = |t: f64| a.nearest(d_u + t * cosine);
    let on_b = |s: f64| b.nearest(s * cosine - d_v);
    if a.half == 0.0 || b.half == 0.0 {
        return at([on_a(0.0), on_b(0.0)]);
    }
    let n = u.cross(v);
    let squared_sine = n.length_squared();
    // If the segments are parallel, the quotient is NaN, and `nearest` returns an end.
    let t = on_b(a.nearest(d.cross(v).dot(n) / squared_sine));
    let inner = [on_a(t), t];
    if squared_sine > SMALL_SQUARED_SINE {
        return at(inner);
    }
    let ends = [-1.0, 1.0].mapped(|side| {
        [
            [side * a.half, on_b(side * a.half)],
            [on_a(side * b.half), side * b.half],
        ]
    });
    let squared = |places| at(places).way().length_squared();
    let least = ends.as_flattened().iter().fold(inner, |least, &places| {
        if squared(places) < squared(least) {
            places
        } else {
            least
        }
    });
    at(least)
}

/// Returns the closest points of the box with these half extents around the origin and a segment.
pub(crate) fn box_to_segment(half: DVec3, segment: &Segment) -> Closest {
    let (c, u) = (segment.middle, segment.along);
    let nearest = |point: DVec3| point.max(-half).min(half);
    let slope = |s: f64| {
        let point = segment.at(s);
        (point - nearest(point)).dot(u)
    };
    let place = match segment.half > 0.0 {
        true => zero_of(segment.half, slope, |axis, side: f64| {
            (side * half[axis] - c[axis]) / u[axis]
        }),
        false => 0.0,
    };
    let on_b = segment.at(place);
    Closest {
        on_a: nearest(on_b),
        on_b,
        places: [0.0, place],
    }
}

/// Returns the position from `-end` to `end` where an increasing function is zero, or nearest to
/// it. The function must be linear between the planes.
fn zero_of(end: f64, slope: impl Fn(f64) -> f64, plane: impl Fn(usize, f64) -> f64) -> f64 {
    let (mut low, mut high) = ((-end, slope(-end)), (end, slope(end)));
    if low.1 >= 0.0 || high.1 <= 0.0 {
        return if low.1 >= 0.0 { -end } else { end };
    }
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            // NaN or infinite if the segment is parallel to the plane.
            let place = plane(axis, side);
            if place > low.0 && place < high.0 {
                match slope(place) {
                    value if value < 0.0 => low = (place, value),
                    value => high = (place, value),
                }
            }
        }
    }
    low.0 + (high.0 - low.0) * (low.1 / (low.1 - high.1))
}
