//! Where two boxes in motion are at a time, seen from the first, and along which axes they are apart. Capsules and balls are boxes of no
//! width, the cores, and closer to each other by their radii.
//!
//! # Errors
//!
//! All is computed in `f64`. Let u = 2^-53, T the length of the step, θ the angle by which a box turns in it, h the length of its
//! half extents, and `M = |d|_1 + |v|_1 T + (|a|_1 + e) T² / 2` for the offset d of the centers, their relative velocity,
//! acceleration and uncertainty: no offset during the step is longer, nor any part of its sum.
//!
//! - Each of d, v, a is a difference of two `f32`s, and errs by u of itself; the sum at a time by 6 u M.
//! - `R(q)` errs by 14 u in a column. The angle `|w| t` errs by 3 u of itself, its sine and cosine by 4 u more, and the turned
//!   columns by `30 u + 3 u θ`. What A's frame errs by turns the offset and B with it, so that it amounts to another rotation of A:
//!   it moves A's points by `3 u θ h`. What the frame lacks in being orthogonal adds 30 u of each length.
//! - A product with a unit vector, which is known within 4 u, and the sums of products along an axis: 30 u of each length, also of
//!   the parts of first and second order in time, as they are only used for turns of up to a radian. For these the angular velocity is
//!   taken along a box's own axes, where it stays the same: it errs by 20 u of itself.
//!
//! - The sum of the radii and its difference from a gap: 2 u of each.
//!
//! Together less than `100 u (M + (1 + θ_A) h_A + (1 + θ_B) h_B)`, the radii being parts of the h; [`ERROR`] is more than twice that. Numbers are at most 2^60 and at
//! least 2^-149 if not 0, so that no product here overflows, nor underflows to anything that counts.

use fearless_simd::f64x4;
use fearless_simd::prelude::*;
use glam::{DMat3, DVec3};

use crate::base::lanes::{Simd, dispatch, level};
use crate::geometry::rotation::others;
use crate::geometry::sine_cosine::sine_cosine;
use crate::narrow_phase::obb_obb::frame::Frame;
use crate::narrow_phase::obb_obb::manifold::middle_on_face;
use crate::shapes::moving::body::Body;
use crate::shapes::obb::parts::rotation;

/// The error of lengths along an axis, in units of `M + (1 + θ_A) h_A + (1 + θ_B) h_B`. See the [module](self).
pub(super) const ERROR: f64 = 256.0 / (1u64 << 53) as f64;

/// Edges at an angle of this sine or less have no axis: a face axis shows as much, up to the error.
const PARALLEL: f64 = 1e-14;

/// The motion of B's center as seen from A's: `d + v t + a t² / 2`, within `e t² / 2`.
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
            d: b.obb.center.as_dvec3() - a.obb.center.as_dvec3(),
            v: to.velocity.as_dvec3() - from.velocity.as_dvec3(),
            a: to.acceleration.as_dvec3() - from.acceleration.as_dvec3(),
            e: f64::from(from.uncertainty) + f64::from(to.uncertainty),
        }
    }

    /// `M` of the [module](self) for a step of `dt`.
    #[inline(always)]
    fn size(&self, dt: f64) -> f64 {
        let [d, v, a] = [self.d, self.v, self.a].map(|vector| vector.abs().element_sum());
        d + v * dt + 0.5 * (a + self.e) * dt * dt
    }

    #[inline(always)]
    fn offset(&self, t: f64) -> DVec3 {
        self.d + self.v * t + self.a * (0.5 * t * t)
    }

    /// When the centers are closest to each other, about: as if they moved straight.
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

    /// Whether the spheres around the boxes, of radii that add up to `reach`, certainly stay apart.
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

/// How a box turns.
pub(super) struct Spin {
    /// The rotation at a time is `steady + cosine cos(|w| t) + sine sin(|w| t)` (Rodrigues' formula).
    steady: DMat3,
    cosine: DMat3,
    sine: DMat3,
    /// The angular velocity in the world, along the box's own axes, where it stays the same, and its length.
    w: DVec3,
    pub own: DVec3,
    pub speed: f64,
    /// How long it takes to turn by a radian.
    pub radian: f64,
    pub half: DVec3,
    /// How far the corners are from the center, at most from the plane through it across w, and at most from the line along w.
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
        let parts = start.transpose_mul_vec3(axis);
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

    /// The box's axes in the world.
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

    /// Where they are at a time.
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

/// Two boxes at a time of their course. All vectors are along the axes that A has at that time.
pub(super) struct Moment<'c> {
    pub course: &'c Course,
    pub time: f64,
    /// The axes of A in the world, and those of B seen from A, as columns.
    pub axes: DMat3,
    pub c: DMat3,
    /// From A's center to B's, and its derivatives.
    pub offset: DVec3,
    pub velocity: DVec3,
    pub acceleration: DVec3,
    /// The angular velocities.
    pub turns: [DVec3; 2],
    /// How far the bodies may be from where their cores seem to be, together.
    pub margin: f64,
}

/// What an axis turns with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carrier {
    World,
    A,
    B,
}

/// An axis of the separating-axis test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// The gap of the boxes along it, less the margin.
    pub gap: f64,
    /// A unit vector from A to B.
    pub normal: DVec3,
    /// With what it may turn, besides staying as it is.
    carriers: &'static [Carrier],
}

/// The axes along which gaps last longest, the best first: at most N, all with a gap, and with a wide one if there is such.
pub(super) struct Axes<const N: usize> {
    /// Whether a gap is wider than what was asked.
    pub wide: bool,
    lasting: [Axis; N],
    count: usize,
}

impl<const N: usize> Axes<N> {
    pub fn lasting(&self) -> &[Axis] {
        &self.lasting[..self.count]
    }
}

/// Three axes; the last lane is one without a gap. The axes of edges are as long as the sine of the edges' angle, those of faces 1.
struct Group<S: Simd> {
    /// Where B's center is along the axis, as seen from A's.
    along: f64x4<S>,
    sine: f64x4<S>,
    /// The gap along the axis as it is.
    gap: f64x4<S>,
    /// About how long it takes to close the gap.
    lasts: f64x4<S>,
}

/// What the groups share.
struct Terms<S: Simd> {
    simd: S,
    /// The axes of B seen from A.
    c: [[f64; 3]; 3],
    /// For each axis of A, its products with the three axes of B; and their absolute values.
    rows: [f64x4<S>; 3],
    sizes: [f64x4<S>; 3],
    h_a: [f64; 3],
    h_b: [f64; 3],
    /// From A's center to B's, and its derivative.
    t: [f64; 3],
    v: [f64; 3],
    /// Whether time runs in both directions.
    either_way: bool,
    /// How fast turns may close a gap, and by how much it is less than that of the cores.
    spinning: f64,
    margin: f64,
    error: f64,
}

impl<S: Simd> Terms<S> {
    #[inline(always)]
    fn faces_of_a(&self) -> Group<S> {
        let (simd, [x, y, z], h) = (self.simd, self.c, self.h_b);
        let radius = endless(simd, self.h_a)
            + lanes(simd, x).abs() * h[0]
            + lanes(simd, y).abs() * h[1]
            + lanes(simd, z).abs() * h[2];
        let along = lanes(simd, self.t);
        self.group(
            along,
            lanes(simd, self.v),
            along.abs() - radius,
            f64x4::splat(simd, 1.0),
        )
    }

    #[inline(always)]
    fn faces_of_b(&self) -> Group<S> {
        let ([x, y, z], [x_size, y_size, z_size], h) = (self.rows, self.sizes, self.h_a);
        let radius = endless(self.simd, self.h_b) + x_size * h[0] + y_size * h[1] + z_size * h[2];
        let along = x * self.t[0] + y * self.t[1] + z * self.t[2];
        let rate = x * self.v[0] + y * self.v[1] + z * self.v[2];
        self.group(along, rate, along.abs() - radius, f64x4::splat(self.simd, 1.0))
    }

    /// The axes of edge i of A with those of B.
    #[inline(always)]
    fn edges(&self, i: usize) -> Group<S> {
        let Self {
            simd,
            c,
            rows,
            sizes,
            h_a,
            h_b,
            t,
            v,
            ..
        } = self;
        let (simd, [k, l]) = (*simd, others(i));
        let sine = (rows[k] * rows[k] + rows[l] * rows[l]).sqrt();
        let along = rows[k] * t[l] - rows[l] * t[k];
        let rate = rows[k] * v[l] - rows[l] * v[k];
        // The two other axes of B.
        let next = lanes(simd, [c[1][i], c[2][i], c[0][i]]).abs() * lanes(simd, [h_b[2], h_b[0], h_b[1]]);
        let last = lanes(simd, [c[2][i], c[0][i], c[1][i]]).abs() * lanes(simd, [h_b[1], h_b[2], h_b[0]]);
        let gap = along.abs() - (sizes[l] * h_a[k] + sizes[k] * h_a[l] + next + last);
        // Scaled by the sine, gaps are no wider. Edges that are nearly parallel have no axis, nor has the last lane.
        let counts = sine.simd_gt(PARALLEL) & gap.simd_gt(-self.error);
        let gap = counts.select(gap, f64x4::splat(simd, f64::NEG_INFINITY));
        self.group(along, rate, gap, counts.select(sine, f64x4::splat(simd, 1.0)))
    }

    #[inline(always)]
    fn group(&self, along: f64x4<S>, rate: f64x4<S>, gap: f64x4<S>, sine: f64x4<S>) -> Group<S> {
        let gap = gap - sine * self.margin;
        let closing = along.simd_lt(0.0).select(rate, -rate);
        let closing = match self.either_way {
            true => closing.abs(),
            false => closing.max(0.0),
        };
        Group {
            along,
            sine,
            gap,
            lasts: gap / (closing + sine * self.spinning),
        }
    }
}

impl Moment<'_> {
    /// The gaps along the fifteen axes (Gottschalk, Lin and Manocha, "OBBTree", 1996), and whether one is wider than `bound`. If
    /// `either_way`, time runs in both directions.
    #[inline(always)]
    pub fn gaps<S: Simd, const N: usize>(&self, simd: S, either_way: bool, bound: f64) -> Axes<N> {
        let groups = self.groups(simd, either_way);
        let mut lasts = [[0.0; 4]; 5];
        let (mut present, mut wide) = (0u32, 0u32);
        for (number, group) in groups.iter().enumerate() {
            lasts[number] = group.lasts.into();
            present |= (group.gap.simd_gt(0.0).to_bitmask() as u32) << (4 * number);
            wide |= (group.gap.simd_gt(group.sine * bound).to_bitmask() as u32) << (4 * number);
        }
        if wide != 0 {
            present = wide;
        }
        // The places of those that last longest, found without moving axes about.
        let (mut longest, mut best) = ([-1.0; N], [0; N]);
        while present != 0 {
            let mut place = present.trailing_zeros() as usize;
            let mut time = lasts[place / 4][place % 4];
            present &= present - 1;
            for (longest, best) in longest.iter_mut().zip(&mut best) {
                if time > *longest {
                    std::mem::swap(&mut time, longest);
                    std::mem::swap(&mut place, best);
                }
            }
        }
        let count = longest.iter().take_while(|&&time| time >= 0.0).count();
        let nothing = Axis {
            gap: f64::NEG_INFINITY,
            normal: DVec3::X,
            carriers: &[],
        };
        let mut lasting = [nothing; N];
        for (axis, &place) in lasting.iter_mut().zip(&best[..count]) {
            *axis = self.axis(&groups, place);
        }
        Axes {
            wide: wide != 0,
            lasting,
            count,
        }
    }

    /// The axis with the widest gap.
    pub fn widest(&self) -> Axis {
        dispatch!(level(), simd => self.widest_in(simd))
    }

    #[inline(always)]
    fn widest_in<S: Simd>(&self, simd: S) -> Axis {
        let groups = self.groups(simd, false);
        let mut widest = (0, f64::NEG_INFINITY);
        for (number, group) in groups.iter().enumerate() {
            for (lane, gap) in <[f64; 4]>::from(group.gap / group.sine).into_iter().enumerate() {
                if gap > widest.1 {
                    widest = (4 * number + lane, gap);
                }
            }
        }
        self.axis(&groups, widest.0)
    }

    /// The axes of A's faces, of B's, and of each edge of A with those of B.
    #[inline(always)]
    fn groups<S: Simd>(&self, simd: S, either_way: bool) -> [Group<S>; 5] {
        let [a, b] = &self.course.spins;
        let c = self.c.to_cols_array_2d();
        let [x, y, z] = c;
        let rows = [
            lanes(simd, [x[0], y[0], z[0]]),
            lanes(simd, [x[1], y[1], z[1]]),
            lanes(simd, [x[2], y[2], z[2]]),
        ];
        let terms = Terms {
            simd,
            c,
            rows,
            sizes: [rows[0].abs(), rows[1].abs(), rows[2].abs()],
            h_a: a.half.to_array(),
            h_b: b.half.to_array(),
            t: self.offset.to_array(),
            v: self.velocity.to_array(),
            either_way,
            spinning: a.speed * a.across + b.speed * b.across + self.course.drift.e * self.time,
            margin: self.margin,
            error: self.course.error,
        };
        [
            terms.faces_of_a(),
            terms.faces_of_b(),
            terms.edges(0),
            terms.edges(1),
            terms.edges(2),
        ]
    }

    /// The axis at a lane of a group, counted through all groups.
    #[inline(always)]
    fn axis<S: Simd>(&self, groups: &[Group<S>; 5], place: usize) -> Axis {
        let (number, lane) = (place / 4, place % 4);
        let group = &groups[number];
        let sign = 1f64.copysign(group.along[lane]);
        let (mut normal, c) = ([0.0; 3], self.c.to_cols_array_2d());
        let carriers: &[Carrier] = match number {
            0 => {
                normal[lane] = sign;
                &[Carrier::A]
            }
            1 => {
                normal = c[lane].map(|part| part * sign);
                &[Carrier::B]
            }
            _ => {
                let ([k, l], scale) = (others(number - 2), sign / group.sine[lane]);
                (normal[k], normal[l]) = (-c[lane][l] * scale, c[lane][k] * scale);
                // It turns with neither box, and it pays to turn with one only if the other does so too.
                let speed = self.course.spins[0].speed;
                match (self.turns[0] - self.turns[1]).length_squared() < 0.25 * speed * speed {
                    true => &[Carrier::A],
                    false => &[],
                }
            }
        };
        Axis {
            gap: group.gap[lane] / group.sine[lane],
            normal: DVec3::from_array(normal),
            carriers,
        }
    }

    /// With what an axis may turn.
    #[inline(always)]
    pub fn carriers(&self, axis: &Axis) -> impl Iterator<Item = Carrier> {
        let turn = axis.carriers.iter().copied().filter(|&carrier| match carrier {
            Carrier::World => false,
            Carrier::A => self.course.spins[0].speed > 0.0,
            Carrier::B => self.course.spins[1].speed > 0.0,
        });
        std::iter::once(Carrier::World).chain(turn)
    }

    fn frame(&self) -> Frame {
        let [a, b] = &self.course.spins;
        Frame::of(self.axes, self.offset, self.c, [a.half, b.half])
    }

    /// Closest points of boxes that are apart.
    pub fn closest_points(&self) -> [DVec3; 2] {
        self.frame().closest_points()
    }

    /// The middle of what the boxes share, up to `slop`, if the normal is that of a face and more than a corner is there.
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

    /// The axis from one point to the other.
    pub fn between(&self, [on_a, on_b]: [DVec3; 2]) -> Axis {
        let apart = on_b - on_a;
        let distance = apart.length();
        Axis {
            gap: distance - self.margin,
            normal: apart / distance,
            carriers: &[Carrier::A, Carrier::B],
        }
    }
}

#[inline(always)]
fn lanes<S: Simd>(simd: S, [x, y, z]: [f64; 3]) -> f64x4<S> {
    [x, y, z, 0.0].simd_into(simd)
}

/// With a last lane beyond all others.
#[inline(always)]
fn endless<S: Simd>(simd: S, [x, y, z]: [f64; 3]) -> f64x4<S> {
    [x, y, z, f64::INFINITY].simd_into(simd)
}
