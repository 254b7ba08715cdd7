//! Where two segments are closest, and where a segment and a box are, in f64.
//!
//! # Two segments
//!
//! `s u` and `d + t v`, with s and t from -1 to 1. They are closest at an end of one and a point of the other, or else at inner points
//! of both, between which the way is at right angles to both: with `n = u × v`, at `s = (d × v) · n / n²`, `t = (d × u) · n / n²`
//! (Ericson, *Real-Time Collision Detection*, 2005, section 5.1.9; Eberly, "Robust Computation of Distance Between Line Segments"). All
//! five cases are tried and the least is kept, so that a place which rounding has spoilt, as n is short, does no harm: each candidate
//! is the way between points of the two. The inner ones are moved along their segments, one after the other, to where they are
//! closest, which also keeps them on the segments.
//!
//! The squared distance is `D² + θ² (the offset along both)²`, θ being the sine of the angle. The errors of d and v turn into an offset
//! of `u D / θ² + u L / θ`, in units of the rounding error u and of the lengths L. The second part makes the way longer by u L. So does
//! the first if `θ² > u`; and else `D u² / (2 θ²)` exceeds u L only if `D > 2 L θ² / u`, and then the ends, which are at most
//! `θ² L² / (2 D) < u L` further apart than the inner points, are as good.
//!
//! # A segment and a box
//!
//! In the frame of the box, the squared distance of the point `c + s u` to the box is convex in s, and made of parabolas that meet
//! without a kink where the segment passes the plane of a face. Half its slope, `u · (what the point is beyond the box)`, grows along
//! the segment and is straight from one of the six planes to the next: the planes next to its zero are found by its sign, and the zero
//! lies between them in proportion. (Eberly, "Distance from Line Segment to Box", walks from region to region instead.) Only what a
//! point is beyond the box enters, each with an error of u L, so that the zero is missed by a place that makes the way longer by as
//! much. The nearest point of a box to a point is the point with its coordinates clamped (Ericson, section 5.1.3).
//!
//! # The error
//!
//! Lengths are those of the sum Z of |c|, |u|, |v|, the half extents and the radii, coordinate by coordinate, with u = 2^-53:
//!
//! - An entry of a rotation errs by 10 u (products and sums 4, |q|² 4, the division 2), so a core's half by 18 u |u|; the turn into the
//!   frame of a box, 36 u of the length, makes 36 u |c| and 54 u |u| of it;
//! - what follows: the place 6 u Z, the point 4 u Z, clamping and length 6 u Z, radii 2 u Z.
//!
//! Together less than 80 u Z; [`ERROR`] is 90 u.

use glam::DVec3;

/// The error of a distance, as a part of the lengths that go into it. See the [module](self).
pub(crate) const ERROR: f64 = 1e-14;

/// Points where two cores, or a box and a core, are closest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closest {
    pub on_a: DVec3,
    pub on_b: DVec3,
    /// Where they are on the segments, from -1 to 1; 0 for a box.
    pub places: [f64; 2],
}

impl Closest {
    /// The way from one to the other.
    pub fn way(&self) -> DVec3 {
        self.on_b - self.on_a
    }
}

/// The place on a segment from -1 to 1, from products with its half.
fn place(along: f64, squared: f64) -> f64 {
    match squared > 0.0 {
        true => (along / squared).clamp(-1.0, 1.0),
        false => 0.0,
    }
}

/// Where the segments `s u` and `d + t v` are closest.
pub(crate) fn between_segments(d: DVec3, u: DVec3, v: DVec3) -> Closest {
    let (uu, vv) = (u.length_squared(), v.length_squared());
    let at = |s: f64, t: f64| Closest {
        on_a: s * u,
        on_b: d + t * v,
        places: [s, t],
    };
    let on_u = |t: f64| place((d + t * v).dot(u), uu);
    let on_v = |s: f64| place((s * u - d).dot(v), vv);
    match (uu > 0.0, vv > 0.0) {
        (false, false) => return at(0.0, 0.0),
        (false, true) => return at(0.0, on_v(0.0)),
        (true, false) => return at(on_u(0.0), 0.0),
        (true, true) => {}
    }
    let (mut best, mut least) = (at(0.0, 0.0), f64::INFINITY);
    let mut offer = |s: f64, t: f64| {
        let closest = at(s, t);
        let squared = closest.way().length_squared();
        if squared < least {
            (best, least) = (closest, squared);
        }
    };
    let n = u.cross(v);
    let nn = n.length_squared();
    if nn > 0.0 {
        let t = on_v((d.cross(v).dot(n) / nn).clamp(-1.0, 1.0));
        let s = on_u(t);
        offer(s, on_v(s));
    }
    for end in [-1.0, 1.0] {
        offer(end, on_v(end));
        offer(on_u(end), end);
    }
    best
}

/// Where the box with these half extents about the origin and the segment `c + s u` are closest.
pub(crate) fn box_to_segment(half: DVec3, c: DVec3, u: DVec3) -> Closest {
    let nearest = |point: DVec3| point.max(-half).min(half);
    let slope = |s: f64| {
        let point = c + s * u;
        (point - nearest(point)).dot(u)
    };
    let place = match u == DVec3::ZERO {
        true => 0.0,
        false => zero_of(slope, |axis, side: f64| (side * half[axis] - c[axis]) / u[axis]),
    };
    let on_b = c + place * u;
    Closest {
        on_a: nearest(on_b),
        on_b,
        places: [0.0, place],
    }
}

/// The place from -1 to 1 where a function that grows is zero, or nearest to it, if it is straight between the planes.
fn zero_of(slope: impl Fn(f64) -> f64, plane: impl Fn(usize, f64) -> f64) -> f64 {
    let (mut low, mut high) = ((-1.0, slope(-1.0)), (1.0, slope(1.0)));
    if low.1 >= 0.0 || high.1 <= 0.0 {
        return if low.1 >= 0.0 { -1.0 } else { 1.0 };
    }
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            // Not a number, or infinite, if the segment is parallel to the plane.
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
