//! The placement of two boxes in motion at a time, seen from the first. Capsules and spheres are
//! boxes of no width, the cores, and closer to each other by their radii.
//!
//! # Errors
//!
//! All computations are in `f64`. Let u = 2^-53, T the length of the step, θ the angle by which a
//! box turns in it, h the length of its half extents, and
//! `M = |d|_1 + |v|_1 T + (|a|_1 + e) T² / 2` for the offset d of the centers, their relative
//! velocity, acceleration and uncertainty: no offset during the step is longer, nor any part of its
//! sum.
//!
//! - Each of d, v, a is a difference of two `f32`s, and is off by u of itself; the sum at a time by
//!   6 u M.
//! - `R(q)` is off by 14 u in a column. The angle `|w| t` is off by 3 u of itself, its sine and
//!   cosine by 4 u more, and the rotated columns by `30 u + 3 u θ`. An error of A's frame turns the
//!   offset and B with it, so that it amounts to another rotation of A: it moves A's points by
//!   `3 u θ h`. The deviation of the frame from orthogonality adds 30 u of each length.
//! - A product with a unit vector, which is known within 4 u, and the sums of products along an
//!   axis: 30 u of each length, also of the parts of first and second order in time, because they
//!   are only used for turns of up to a radian and a quarter. For these the angular velocity is
//!   taken along a box's own axes, where it is constant: it is off by 20 u of itself.
//! - The sum of the radii and its difference from a gap: 2 u of each.
//! - Perpendicular to two edges, the offset is multiplied by a product of two axes, in A's turning
//!   frame. The errors of the frames and angular velocities are, as above, other rotations of A and
//!   B. With θ now for the turn of a step, at most a radian for both together, the products of
//!   zeroth, first and second order are at most `D`, `2 D + V τ` and `2 D + 2 V τ + G τ²`, where D,
//!   V and G are the lengths of the offset, its velocity and its acceleration. They are off by 3 u,
//!   12 u and 15 u of that, and their sum by 24 u. Because `D + V τ + G τ² / 2` is at most M, this
//!   is 90 u of M; add 30 u for the axes of B that are not orthogonal, and 6 u for the offset. The
//!   reach of the boxes is off by 30 u of h in the same way, plus 60 u for the rotations and 30 u
//!   for those axes.
//!
//! Together that is less than `130 u (M + (1 + θ_A) h_A + (1 + θ_B) h_B)`, where the h include the
//! radii; [`ERROR`] is nearly twice as much. Numbers are at most 2^60 and at least 2^-149 if not 0,
//! so no product here overflows, nor underflows to anything that matters.

use glam::{DMat3, DVec2, DVec3};

use crate::base::lanes::Simd;
use crate::geometry::sine_cosine::sine_cosine;
use crate::narrow_phase::moving_moving::cores::{Block, Line, Still};
use crate::narrow_phase::obb_obb::frame::Frame;
use crate::narrow_phase::obb_obb::manifold::middle_on_face;
use crate::narrow_phase::round::closest::Segment;
use crate::shapes::moving::body::Body;
use crate::shapes::obb::parts::rotation;

/// The error of lengths along an axis, in units of `M + (1 + θ_A) h_A + (1 + θ_B) h_B`. See the
/// [module](self).
pub(in crate::narrow_phase::moving_moving) const ERROR: f64 = 256.0 / (1u64 << 53) as f64;

/// The motion of B's center relative to A's: `d + v t + a t² / 2`, within `e t² / 2`.
pub(super) struct Drift {
    d: DVec3,
    v: DVec3,
    a: DVec3,
    pub e: f64,
}

impl Drift {
    #[inline(always)]
    pub fn new(a: &Body, b: &Body) -> Self {
        let (from, to) = (a.motion, b.motion);
        Self {
            d: a.to(b),
            v: to.velocity.as_dvec3() - from.velocity.as_dvec3(),
            a: to.acceleration.as_dvec3() - from.acceleration.as_dvec3(),
            e: f64::from(from.uncertainty) + f64::from(to.uncertainty),
        }
    }

    /// Returns `M` of the [module](self) for a step of `dt`.
    #[inline(always)]
    fn size(&self, dt: f64) -> f64 {
        let [d, v, a] = [self.d, self.v, self.a].map(|vector| vector.abs().element_sum());
        d + v * dt + 0.5 * (a + self.e) * dt * dt
    }

    #[inline(always)]
    fn offset(&self, t: f64) -> DVec3 {
        self.d + self.v * t + self.a * (0.5 * t * t)
    }

    /// Returns about when the centers are closest to each other, as if they moved straight.
    #[inline(always)]
    pub fn nearest(&self, dt: f64) -> f64 {
        let v = self.v + self.a * (0.5 * dt);
        let time = -self.d.dot(v) / v.length_squared();
        // NaN if they do not move.
        match time.is_nan() {
            true => 0.5 * dt,
            false => time.clamp(0.0, dt),
        }
    }

    /// Returns `true` if the spheres around the boxes, of radii that add up to `reach`, certainly
    /// stay apart.
    ///
    /// Along the direction in which the centers are closest, the offset is a parabola in time.
    #[inline(always)]
    pub fn keeps_apart(&self, reach: f64, dt: f64) -> bool {
        let nearest = self.offset(self.nearest(dt));
        let axis = nearest / nearest.length();
        let (f0, f1, f2) = (axis.dot(self.d), axis.dot(self.v), axis.dot(self.a) - self.e);
        let end = f0 + dt * (f1 + 0.5 * f2 * dt);
        let turns_back = f1 < 0.0 && f2 > 0.0 && -f1 < f2 * dt;
        let least = match turns_back {
            true => f0 - 0.5 * f1 * f1 / f2,
            false => f0.min(end),
        };
        least > reach + ERROR * (self.size(dt) + reach)
    }
}

/// The rotation of a box over time.
pub(super) struct Spin {
    /// The rotation at a time is `steady + cosine cos(|w| t) + sine sin(|w| t)` (Rodrigues'
    /// formula).
    steady: DMat3,
    cosine: DMat3,
    sine: DMat3,
    /// The angular velocity in the world; along the box's own axes, where it is constant; and its
    /// length.
    w: DVec3,
    pub own: DVec3,
    pub speed: f64,
    /// The time in which the box turns by a radian.
    pub radian: f64,
    pub half: DVec3,
    /// The distance of the corners from the center; the greatest one from the plane through the
    /// center perpendicular to w; and the greatest one from the line through the center along w.
    pub reach: f64,
    pub along: f64,
    pub across: f64,
}

impl Spin {
    #[inline(always)]
    fn new(body: &Body) -> Self {
        let start = rotation(body.obb);
        let half = body.obb.half_extents.as_dvec3();
        let (w, reach) = (body.motion.angular_velocity.as_dvec3(), half.length());
        let still = Self {
            steady: start,
            cosine: DMat3::ZERO,
            sine: DMat3::ZERO,
            w,
            own: DVec3::ZERO,
            speed: 0.0,
            radian: f64::INFINITY,
            half,
            reach,
            along: reach,
            across: reach,
        };
        if w == DVec3::ZERO {
            return still;
        }
        let speed = w.length();
        let axis = w / speed;
        let parts = start.mul_transpose_vec3(axis);
        let steady = DMat3::from_cols(axis * parts.x, axis * parts.y, axis * parts.z);
        let sine = DMat3::from_cols(
            axis.cross(start.x_axis),
            axis.cross(start.y_axis),
            axis.cross(start.z_axis),
        );
        let [x, y, z] = [sine.x_axis * half.x, sine.y_axis * half.y, sine.z_axis * half.z];
        let (plus, minus) = (x + y, x - y);
        let squares = [plus + z, plus - z, minus + z, minus - z].map(DVec3::length_squared);
        Self {
            steady,
            cosine: start - steady,
            sine,
            own: parts * speed,
            speed,
            radian: 1.0 / speed,
            along: parts.abs().dot(half),
            across: squares.into_iter().fold(0.0, f64::max).sqrt(),
            ..still
        }
    }

    /// Returns the box's axes in the world.
    #[inline(always)]
    fn axes(&self, t: f64) -> DMat3 {
        if self.speed == 0.0 {
            return self.steady;
        }
        let [sine, cosine] = sine_cosine(self.speed * t);
        self.steady + self.cosine * cosine + self.sine * sine
    }
}

/// Two bodies in motion during a step.
pub(super) struct Course {
    pub drift: Drift,
    /// The sum of the radii: the bodies are closer than their cores by that.
    pub reach: f64,
    pub spins: [Spin; 2],
    /// The error of lengths along an axis.
    pub error: f64,
}

impl Course {
    #[inline(always)]
    pub fn new(drift: Drift, a: &Body, b: &Body, reach: f64, dt: f64) -> Self {
        let spins = [Spin::new(a), Spin::new(b)];
        let turned = spins.iter().map(|spin| spin.reach * (1.0 + spin.speed * dt));
        let error = ERROR * (drift.size(dt) + turned.sum::<f64>() + reach);
        Self {
            drift,
            reach,
            spins,
            error,
        }
    }

    /// Returns the placement of both at a time.
    #[inline(always)]
    pub fn at(&self, time: f64) -> Moment<'_> {
        let [axes, of_b] = [self.spins[0].axes(time), self.spins[1].axes(time)];
        let to_a = axes.transpose();
        let Drift { v, a, e, .. } = self.drift;
        Moment {
            course: self,
            time,
            axes,
            c: to_a * of_b,
            offset: to_a * self.drift.offset(time),
            velocity: to_a * (v + a * time),
            acceleration: to_a * a,
            turns: [self.spins[0].own, to_a * self.spins[1].w],
            margin: self.reach + 0.5 * e * time * time,
        }
    }
}

/// Two boxes at a time of their course. All vectors are in the axes that A has at that time.
pub(super) struct Moment<'c> {
    pub course: &'c Course,
    pub time: f64,
    /// The axes of A in the world, and those of B as seen from A, as columns.
    pub axes: DMat3,
    pub c: DMat3,
    /// The vector from A's center to B's, and its derivatives.
    pub offset: DVec3,
    pub velocity: DVec3,
    pub acceleration: DVec3,
    /// The angular velocities.
    pub turns: [DVec3; 2],
    /// The total distance by which the bodies may reach beyond their cores: radii and uncertainty.
    pub margin: f64,
}

impl Moment<'_> {
    fn frame(&self) -> Frame {
        let [a, b] = &self.course.spins;
        Frame::of(self.axes, self.offset, self.c, [a.half, b.half])
    }

    /// Returns the closest points of boxes that are apart.
    pub fn closest_points(&self) -> [DVec3; 2] {
        self.frame().closest_points()
    }

    /// Returns the closest points of cores, where B's is a segment or a point: the same, in less
    /// time.
    #[inline(always)]
    pub fn closest_on_line<S: Simd>(&self, simd: S) -> [DVec3; 2] {
        let [a, b] = &self.course.spins;
        let line = |middle: DVec3, along: DVec3, half: f64| Segment { middle, along, half };
        let moving = line(self.offset, self.c.z_axis, b.half.z);
        let nearest = match a.half.truncate() == DVec2::ZERO {
            true => Line(line(DVec3::ZERO, DVec3::Z, a.half.z)).closest(simd, &moving, self.velocity),
            false => Block::new(a.half, &moving).closest(simd, &moving, self.velocity),
        };
        [nearest.on_still, nearest.on_moving]
    }

    /// Returns the middle of the shared region of the boxes, up to `slop`, if the normal is that of
    /// a face and they share more than a corner.
    pub fn middle(&self, normal: DVec3, slop: f64) -> Option<DVec3> {
        let frame = self.frame();
        let of_face = |axes: &DMat3| (0..3).find(|&axis| axes.col(axis).dot(normal).abs() > 1.0 - 1e-12);
        if let Some(axis) = of_face(&DMat3::IDENTITY) {
            return middle_on_face(&frame, axis, normal[axis] > 0.0, slop);
        }
        let axis = of_face(&self.c)?;
        let point = middle_on_face(&frame.swapped(), axis, self.c.col(axis).dot(normal) < 0.0, slop);
        point.map(|point| frame.to_a(point))
    }
}
