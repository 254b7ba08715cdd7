//! The distance and closest points of two boxes in f64; the method, its proof and its error bound for all stages.
//!
//! # Which features are closest
//!
//! Let A and B be disjoint, and let `w` be the vector from a point of A to a closest point of B: it is the same for all
//! closest pairs. These are the pairs `(p, p + w)` with p in `A ∩ (B - w)`, a polytope in the plane H normal to w. Take
//! a corner p of this polytope. It lies in the relative interior of one face F of A and of one face G of `B - w` (a
//! face being a corner, an edge or a rectangle), both of which lie in H, because A is on one side of H and `B - w` on
//! the other; and F and G intersect only in p, so their dimensions add up to at most two. The distance is therefore
//! attained in one of these ways, plates, rods and points included:
//!
//! - F or G is a corner: **a corner of one box and the nearest point of the other**, 16 cases of clamping;
//! - F and G are edges that are not parallel: **points within two edges whose common normal `u = a_i × b_j` is parallel
//!   to w**. Then `D = |w|` is the gap of the boxes along u, and as no gap along any axis is larger than the distance,
//!   it is the largest of the gaps along all fifteen axes of the separating-axis test. Moreover A's edge is furthest
//!   along w, and B's least far, among the four with their direction: the signs of `u·d`, `u·a_k` and `u·b_k` (k the
//!   other axes) determine the edges. A zero sign determines nothing: a box may have a rectangle in H, with two such
//!   edges. These are different candidates, and the wrong one may be off by as much as the size of the box (a rod that
//!   lies over the corner of a cube's face ends beyond it and passes over two edges, and only the pairs with them
//!   attain the distance).
//!
//! The distance is thus the least over the 16 corners and, for every axis of edges whose gap is the largest up to
//! rounding, the pair of edges that the signs determine, with both signs tried where rounding may have changed one.
//! Every candidate is a distance between points of the two boxes, so one too many does no harm.
//!
//! # Its error
//!
//! Everything is computed in the frame of A, in which B has the center `t = R(qA)ᵀ (cB - cA)` and the axes
//! `C = R(conj(qA) qB)`, which preserves precision far from the origin. Let `Z = |t|_1 + |hA|_1 + |hB|_1`, and u the
//! relative error of an operation, as for the [separating-axis test](super::separating_axes), from which these figures come:
//!
//! - t errs by 15 u |t| before its division by `|qA|²`, and by 23 u |t| after it. The relative quaternion errs by 8 u
//!   of its length, which turns B by at most 16 u; evaluating its matrix and dividing it by its squared length adds 12
//!   u to an entry, 21 u to a column. So the box that the numbers describe is within `23 u |t| + 37 u |hB|_1` of the
//!   true B, and its distance from A is as close to the true distance.
//! - Corners of B: four operations per coordinate, a difference, the length: 7 u Z more. Corners of A are transformed
//!   into B's frame with the transpose of C, which is not quite its inverse: 54 u Z in total.
//! - Edges: let θ be the sine of their angle, taken from the two entries of C that vanish with it. The position on B's
//!   edge errs by 12 u Z / θ, which is large where θ is small, but moves the two points along together: within the
//!   edges, `D² = |w|² + (θ times the offset)²`, which leaves 12 u Z. Clamping the position on A's edge and then
//!   recomputing and clamping the one on B's keeps this true near the ends. The total is at most 60 u Z. Edges with
//!   `θ <= 8 u` are not tried: moving along both until one ends leads to a corner and adds at most
//!   `θ min(2 hA_i, 2 hB_j) <= 8 u Z`.
//! - Gaps: `θ` times the gap errs by less than 64 u Z, θ by 40 u, signs by 96 u of the quantity they belong to.
//!
//! `ERROR_FACTOR` is twice that: `|computed - true| <= K u Z`. It also serves as the tolerance for signs and for the
//! choice of axes. In f32 squares may underflow, which adds `FLUSH_ERROR_F32`.
//!
//! Distances never decide whether boxes collide: [`Obb::contact`] does, without rounding.

use crate::shapes::obb::parts::{rotation, rotation_of};
use glam::{DMat3, DQuat, DVec3};
use wide::f64x4;

use crate::geometry::rotation::others;
use crate::narrow_phase::obb_obb::exact::classify;
use crate::shapes::obb::record::Obb;

/// K on the CPU: the error of a computed distance in units of u Z, u being 2^-24 in f32 and 2^-52 in f64.
/// Nothing is proved below 64; twice that costs a few more pairs that f32 cannot decide. See the [module](self).
pub(crate) const ERROR_FACTOR: f64 = 128.0;

/// Edges at an angle of this sine or less, in units of u, count as parallel. See the [module](self).
pub(crate) const PARALLEL_FACTOR: f64 = 8.0;

/// What flushing squares below 2^-126 to zero can add to the error of a distance in f32: each of three squares loses
/// less than 2^-126, so the length errs by less than 2^-62; nothing else loses as much.
pub(crate) const FLUSH_ERROR_F32: f32 = 1.0 / (1u64 << 60) as f32;

/// K of shaders, in units of u Z with u = 2^-23. Compilers with fast math may rewrite the formulas (`src/base/rewriting.rs`), but
/// for what is fenced: d, t, the relative quaternion and C, the error, and differences before they are squared. Then t errs by
/// `14 * 3 + 8 = 50` u of its length instead of 23 (12 monomials of degree 4, one of them 1 / |q|²), which adds 27 to each of
/// the figures above; sums that are written out, and a root within 6 u, add at most 20 more. Nothing is proved below 112.
#[cfg_attr(not(test), expect(dead_code, reason = "a test holds it against the shader"))]
pub(crate) const SHADER_ERROR_FACTOR: f64 = 192.0;

const ERROR: f64 = ERROR_FACTOR * f64::EPSILON;
const PARALLEL: f64 = PARALLEL_FACTOR * f64::EPSILON;

/// The distance and closest points of two bodies. See [`Obb::closest_points`] and [`BodyRef::closest_points`](crate::BodyRef::closest_points).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ClosestPoints {
    /// The distance, in the caller's unit; 0 if the bodies collide.
    pub distance: f64,
    /// A point of the first body, in the world. In f64, because far from the origin the error of an f32 may exceed the
    /// distance.
    pub on_a: DVec3,
    /// A point of the second body, in the world, `distance` away from `on_a`.
    pub on_b: DVec3,
}

impl ClosestPoints {
    /// The same for the bodies in the other order.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self {
            on_a: self.on_b,
            on_b: self.on_a,
            ..self
        }
    }
}

impl Obb {
    /// The distance of the two boxes as closed solids, in the caller's unit: 0 if and only if they collide
    /// ([`Obb::contact`]), unless the gap is too small to survive rounding.
    ///
    /// The error is at most 3e-14 of the sum of the centers' distance and all half extents, typically some 1e-16 of it.
    /// The result depends neither on the order of the boxes nor on the machine. Groups are ignored; if a box has a
    /// [`problem`](Obb::problem), the result is arbitrary. O(1).
    ///
    /// ```
    /// use obbligato::{Obb, glam::{Quat, Vec3}};
    /// let cube = Obb::axis_aligned(Vec3::ZERO, Vec3::ONE);
    /// let edge_on = Obb::new(Vec3::new(4.0, 0.0, 0.0), Vec3::ONE, Quat::from_rotation_z(std::f32::consts::FRAC_PI_4));
    /// assert!((cube.distance(&edge_on) - (3.0 - 2f64.sqrt())).abs() < 1e-6);
    /// assert_eq!(cube.distance(&cube), 0.0);
    /// ```
    pub fn distance(&self, other: &Self) -> f64 {
        let (a, b, _) = ordered(self, other);
        Frame::new(a, b)
            .closest_if_apart(a, b)
            .map_or(0.0, |closest| closest.squared.sqrt())
    }

    /// The [distance](Obb::distance) of the two boxes, and a point of each where they are closest.
    ///
    /// Where faces or edges are parallel there are many such points, and rounding determines which are returned. Both
    /// lie in their box within the error of the distance. A sideways shift by some 1e-8 of the distance does not affect
    /// it, so the direction between the points is no more accurate than that. If the boxes collide, both are one point
    /// that the boxes share, anywhere in their intersection.
    ///
    /// ```
    /// use obbligato::{Obb, glam::{DVec3, Vec3}};
    /// let cube = Obb::axis_aligned(Vec3::ZERO, Vec3::ONE);
    /// let rod = Obb::axis_aligned(Vec3::new(5.0, 4.0, 0.5), Vec3::new(1.0, 0.0, 0.0));
    /// let closest = cube.closest_points(&rod);
    /// assert_eq!(closest.distance, 18f64.sqrt());
    /// assert_eq!((closest.on_a, closest.on_b), (DVec3::new(1.0, 1.0, 0.5), DVec3::new(4.0, 4.0, 0.5)));
    /// ```
    pub fn closest_points(&self, other: &Self) -> ClosestPoints {
        let (a, b, swapped) = ordered(self, other);
        let frame = Frame::new(a, b);
        let closest = frame.closest_if_apart(a, b).unwrap_or_else(|| frame.common_point());
        let to_world = |p: DVec3| a.center.as_dvec3() + frame.axes * p;
        let closest = ClosestPoints {
            distance: closest.squared.sqrt(),
            on_a: to_world(closest.on_a),
            on_b: to_world(closest.on_b),
        };
        if swapped { closest.swapped() } else { closest }
    }
}

/// The distance of two boxes that do not collide.
pub(crate) fn distance_apart(a: &Obb, b: &Obb) -> f64 {
    let (a, b, _) = ordered(a, b);
    let frame = Frame::new(a, b);
    frame.closest(&frame.gaps()).squared.sqrt()
}

/// Whether two boxes that do not collide are at most `margin` apart; always false if it is 0.
pub(crate) fn within(a: &Obb, b: &Obb, margin: f32) -> bool {
    margin > 0.0 && distance_apart(a, b) <= f64::from(margin)
}

/// The boxes in a canonical order, so that rounding does not depend on the caller's; and whether they were swapped.
pub(crate) fn ordered<'a>(a: &'a Obb, b: &'a Obb) -> (&'a Obb, &'a Obb, bool) {
    let key = |obb: &Obb| {
        let [x, y, z, w] = obb.rotation.to_array();
        let ([cx, cy, cz], [hx, hy, hz]) = (obb.center.to_array(), obb.half_extents.to_array());
        [cx, cy, cz, hx, hy, hz, x, y, z, w].map(f32::to_bits)
    };
    match key(a) > key(b) {
        true => (b, a, true),
        false => (a, b, false),
    }
}

/// Two points in the frame of A.
#[derive(Clone, Copy)]
struct Closest {
    squared: f64,
    on_a: DVec3,
    on_b: DVec3,
}

impl Closest {
    const NONE: Self = Self {
        squared: f64::INFINITY,
        on_a: DVec3::ZERO,
        on_b: DVec3::ZERO,
    };

    /// Keeps a point of each box if they are closer than those so far.
    fn offer(&mut self, on_a: DVec3, on_b: DVec3) {
        let squared = on_a.distance_squared(on_b);
        if squared < self.squared {
            *self = Self { squared, on_a, on_b };
        }
    }
}

/// Both boxes in the frame of A, with A's center as the origin; see the [module](self).
pub(crate) struct Frame {
    /// The axes of A in the world, as columns.
    pub axes: DMat3,
    /// The center of B.
    pub t: DVec3,
    /// The axes of B, as columns.
    pub c: DMat3,
    /// The half extents.
    pub h_a: DVec3,
    pub h_b: DVec3,
    /// The error of lengths.
    pub error: f64,
}

impl Frame {
    pub fn new(a: &Obb, b: &Obb) -> Self {
        let d = b.center.as_dvec3() - a.center.as_dvec3();
        let axes = rotation(a);
        let c = rotation_of(relative(a.rotation.as_dquat(), b.rotation.as_dquat()));
        let half_extents = [a, b].map(|obb| obb.half_extents.as_dvec3());
        Self::of(axes, axes.transpose() * d, c, half_extents)
    }

    /// The frame of boxes that are known in `f64`.
    pub fn of(axes: DMat3, t: DVec3, c: DMat3, [h_a, h_b]: [DVec3; 2]) -> Self {
        Self {
            axes,
            t,
            c,
            h_a,
            h_b,
            error: ERROR * (t.abs() + h_a + h_b).element_sum(),
        }
    }

    /// Closest points of boxes that do not collide, in the frame of A.
    pub fn closest_points(&self) -> [DVec3; 2] {
        let closest = self.closest(&self.gaps());
        [closest.on_a, closest.on_b]
    }

    /// Converts a point to the frame of B.
    fn to_b(&self, point: DVec3) -> DVec3 {
        self.c.transpose() * (point - self.t)
    }

    /// Converts a point from the frame of B.
    pub fn to_a(&self, point: DVec3) -> DVec3 {
        self.t + self.c * point
    }

    /// The same seen from B, up to rounding.
    pub fn swapped(&self) -> Self {
        Self {
            axes: self.axes * self.c,
            t: -(self.c.transpose() * self.t),
            c: self.c.transpose(),
            h_a: self.h_b,
            h_b: self.h_a,
            error: self.error,
        }
    }

    /// A point in or on both of two colliding boxes.
    pub fn shared_point(&self) -> DVec3 {
        self.common_point().on_b
    }

    /// A point of A that is closest to B, if the boxes are apart or only touch.
    pub fn closest_to_b(&self) -> DVec3 {
        self.closest(&self.gaps()).on_a
    }

    /// Closest points of the boxes, or `None` if they collide.
    fn closest_if_apart(&self, a: &Obb, b: &Obb) -> Option<Closest> {
        let gaps = self.gaps();
        // A gap larger than its error needs no exact answer.
        let apart = gaps.lower > 0.0 || !classify(a, b).collides();
        apart.then(|| self.closest(&gaps))
    }

    /// Closest points of boxes that do not collide.
    fn closest(&self, gaps: &Gaps) -> Closest {
        let mut closest = self.corners();
        // Nothing is closer than this, apart from rounding.
        if gaps.faces > 0.0 && closest.squared <= gaps.faces * gaps.faces {
            return closest;
        }
        for (i, [gap, sine]) in gaps.edges.iter().enumerate() {
            for j in 0..3 {
                if sine[j] > PARALLEL && gap[j] + 2.0 * self.error >= gaps.lower * sine[j] {
                    self.offer_edges([i, j], sine[j], &mut closest);
                }
            }
        }
        closest
    }

    /// The corner closest to the other box, and that box's nearest point.
    fn corners(&self) -> Closest {
        let [x, y, z] = [0, 1, 2].map(|axis| self.c.col(axis));
        let rows = self.c.transpose();
        let columns = [x * self.h_b.x, y * self.h_b.y, z * self.h_b.z];
        let rows = [0, 1, 2].map(|axis| rows.col(axis) * self.h_a[axis]);
        let of_b = squares_outside(self.t, columns, self.h_a);
        let of_a = squares_outside(self.to_b(DVec3::ZERO), rows, self.h_b);
        let mut closest = Closest::NONE;
        let ((corner_b, least_b), (corner_a, least_a)) = (least(of_b), least(of_a));
        if least_b <= least_a {
            let on_b = self.to_a(signed(self.h_b, corner_b));
            closest.offer(on_b.clamp(-self.h_a, self.h_a), on_b);
        } else {
            let on_a = signed(self.h_a, corner_a);
            closest.offer(on_a, self.to_a(self.to_b(on_a).clamp(-self.h_b, self.h_b)));
        }
        closest
    }

    /// The gaps along the fifteen axes.
    fn gaps(&self) -> Gaps {
        let c = self.c.to_cols_array_2d();
        let (t, h_a, h_b) = (self.t.to_array(), self.h_a.to_array(), self.h_b.to_array());
        let c_abs = self.c.abs();
        let face_a = self.t.abs() - self.h_a - c_abs * self.h_b;
        let face_b = (self.c.transpose() * self.t).abs() - self.h_b - c_abs.transpose() * self.h_a;
        let faces = face_a.max(face_b).max_element();
        let mut lower = f64x4::splat(faces - self.error);
        // For each axis of A, its products with the three axes of B; the fourth lane is unused.
        let rows = [0, 1, 2].map(|i| f64x4::new([c[0][i], c[1][i], c[2][i], 0.0]));
        let edges = [0, 1, 2].map(|i| {
            let [k, l] = others(i);
            let sine = (rows[k] * rows[k] + rows[l] * rows[l]).sqrt();
            let offset = rows[k] * t[l] - rows[l] * t[k];
            let next = f64x4::new([c[1][i] * h_b[2], c[2][i] * h_b[0], c[0][i] * h_b[1], 0.0]).abs();
            let last = f64x4::new([c[2][i] * h_b[1], c[0][i] * h_b[2], c[1][i] * h_b[0], f64::INFINITY]).abs();
            let gap = offset.abs() - (rows[l].abs() * h_a[k] + rows[k].abs() * h_a[l] + next + last);
            lower = lower.fast_max((gap - self.error) / (sine + ERROR));
            [gap.to_array(), sine.to_array()]
        });
        let [x, y, z, _] = lower.to_array();
        Gaps {
            faces,
            edges,
            lower: x.max(y).max(z),
        }
    }

    /// Offers the closest points of edges along axis i of A and axis j of B that face each other along their normal.
    fn offer_edges(&self, [i, j]: [usize; 2], sine: f64, closest: &mut Closest) {
        let ([k, l], [m, n]) = (others(i), others(j));
        let c = self.c.to_cols_array_2d();
        // Products of a_i × b_j with the offset of the centers, and with the other axes of A and B.
        let offset = c[j][k] * self.t[l] - c[j][l] * self.t[k];
        let towards_b = match offset.abs() > ERROR * self.t.abs().element_sum() {
            true => offset.signum(),
            false => 0.0,
        };
        let sides = [-c[j][l], c[j][k], -c[n][i], c[m][i]].map(|product| signs(towards_b * product));
        let (h_a, h_b) = (self.h_a, self.h_b);
        for on_k in sides[0] {
            for on_l in sides[1] {
                let mut on_a = DVec3::ZERO;
                (on_a[k], on_a[l]) = (on_k * h_a[k], on_l * h_a[l]);
                for on_m in sides[2] {
                    for on_n in sides[3] {
                        let mut of_b = DVec3::ZERO;
                        (of_b[m], of_b[n]) = (on_m * h_b[m], on_n * h_b[n]);
                        self.offer_lines([i, j], sine, [on_a, self.to_a(of_b)], closest);
                    }
                }
            }
        }
    }

    /// Offers the closest points of the two edges with these midpoints (Ericson, *Real-Time Collision Detection*,
    /// section 5.1.9).
    fn offer_lines(&self, [i, j]: [usize; 2], sine: f64, [mut on_a, from]: [DVec3; 2], closest: &mut Closest) {
        let direction = self.c.col(j);
        let [k, l] = others(i);
        let apart = on_a - from;
        let within = |place: f64, half: f64| place.max(-half).min(half);
        let along = |place: f64| within(place, self.h_b[j]);
        let first = along((apart[k] * direction[k] + apart[l] * direction[l]) / (sine * sine));
        on_a[i] = within(from[i] + first * direction[i], self.h_a[i]);
        let last = along(direction.dot(on_a - from));
        closest.offer(on_a, from + last * direction);
    }

    /// A point that colliding boxes share. Their intersection has corners where an edge of one box enters the other:
    /// the middle of the part inside is safe from rounding.
    fn common_point(&self) -> Closest {
        let shared = |point: DVec3| Closest {
            squared: 0.0,
            on_a: point,
            on_b: point,
        };
        // Usually the point nearest to the other center is in the other box.
        let next_to_b = self.t.clamp(-self.h_a, self.h_a);
        if self.to_b(next_to_b).abs().cmple(self.h_b).all() {
            return shared(next_to_b);
        }
        let next_to_a = self.to_a(self.to_b(DVec3::ZERO).clamp(-self.h_b, self.h_b));
        if next_to_a.abs().cmple(self.h_a).all() {
            return shared(next_to_a);
        }
        let mut closest = Closest::NONE;
        // Larger by the error, so that rounding does not decide where edges in touching faces are cut.
        let (h_a, h_b) = (self.h_a + self.error, self.h_b + self.error);
        for axis in 0..3 {
            for corner in 0..8 {
                let (on_a, on_b) = (signed(self.h_a, corner), signed(self.h_b, corner));
                let of_b = middle_inside(self.to_a(on_b), self.c.col(axis) * (-2.0 * on_b[axis]), h_a);
                closest.offer(of_b.clamp(-self.h_a, self.h_a), of_b);
                let along = DVec3::AXES[axis] * (-2.0 * on_a[axis]);
                let of_a = middle_inside(self.to_b(on_a), self.c.transpose() * along, h_b);
                let [of_a, inside] = [of_a, of_a.clamp(-self.h_b, self.h_b)].map(|point| self.to_a(point));
                closest.offer(of_a, inside);
            }
        }
        shared(closest.on_a)
    }
}

/// The gaps of two boxes along the axes of the separating-axis test.
struct Gaps {
    /// The largest gap along the six face axes.
    faces: f64,
    /// For each axis of A, the gaps along its cross products with those of B, times the sines of the angles; and the
    /// sines.
    edges: [[[f64; 4]; 2]; 3],
    /// A lower bound on the distance: the largest gap, less its error.
    lower: f64,
}

/// The squared distances of the eight corners `center ± x ± y ± z` from the box with these half extents at the origin.
/// Bits 0 and 1 of a corner's number select the lane, bit 2 the half; a set bit is a minus.
fn squares_outside(center: DVec3, [x, y, z]: [DVec3; 3], half: DVec3) -> [f64x4; 2] {
    let mut squares = [f64x4::ZERO; 2];
    for axis in 0..3 {
        let (plus, minus) = (x[axis] + y[axis], x[axis] - y[axis]);
        let middle = f64x4::new([plus, -minus, minus, -plus]) + center[axis];
        for (squares, z) in squares.iter_mut().zip([z[axis], -z[axis]]) {
            let outside = ((middle + z).abs() - half[axis]).fast_max(f64x4::ZERO);
            *squares += outside * outside;
        }
    }
    squares
}

/// The number of the corner with the least square, and the square; the first of equal ones.
fn least(squares: [f64x4; 2]) -> (usize, f64) {
    let [first, second] = squares.map(f64x4::to_array);
    let all = first.into_iter().chain(second).enumerate();
    all.fold(
        (0, f64::INFINITY),
        |best, next| if next.1 < best.1 { next } else { best },
    )
}

/// The possible signs of a coordinate given by the sign of a product: both where the product may be zero.
fn signs(product: f64) -> &'static [f64] {
    match product {
        _ if product > ERROR => &[1.0],
        _ if product < -ERROR => &[-1.0],
        _ => &[1.0, -1.0],
    }
}

/// The middle of the part inside `-half..half` of the line from a point along a vector, or a nearby point if no part is
/// inside.
fn middle_inside(from: DVec3, along: DVec3, half: DVec3) -> DVec3 {
    let (mut first, mut last) = (0f64, 1f64);
    for axis in 0..3 {
        let ends = [-half[axis], half[axis]].map(|side| (side - from[axis]) / along[axis]);
        // Parallel to the sides, the ends are NaN or infinite and do not limit a line inside the box.
        if ends.iter().all(|end| end.is_finite()) {
            first = first.max(ends[0].min(ends[1]));
            last = last.min(ends[0].max(ends[1]));
        }
    }
    from + along * (0.5 * (first + last)).clamp(0.0, 1.0)
}

/// The vector with the signs given by bits: 1 is negative.
fn signed(v: DVec3, signs: usize) -> DVec3 {
    let sign = |axis: usize| if signs >> axis & 1 == 0 { 1.0 } else { -1.0 };
    v * DVec3::new(sign(0), sign(1), sign(2))
}

/// `conj(a) b`.
fn relative(a: DQuat, b: DQuat) -> DQuat {
    let (a_v, b_v) = (a.xyz(), b.xyz());
    let v = a.w * b_v - b.w * a_v - a_v.cross(b_v);
    DQuat::from_xyzw(v.x, v.y, v.z, a.w * b.w + a_v.dot(b_v))
}
