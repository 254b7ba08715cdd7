//! The distance and closest points of two boxes in f64: the method and its proof. See
//! [`distance_error`](super::distance_error) for the error bound of all stages.
//!
//! # The closest features
//!
//! Suppose that A and B are disjoint, and let `w` denote the vector from a point of A to a closest
//! point of B: it is the same for all closest pairs. These are the pairs `(p, p + w)` with p in
//! `A ∩ (B - w)`, a polytope in the plane H normal to w. Take a corner p of this polytope. It lies
//! in the relative interior of one face F of A and of one face G of `B - w` (a face being a corner,
//! an edge or a rectangle), both of which lie in H, because A is on one side of H and `B - w` on
//! the other; and F and G intersect only in p, so their dimensions add up to at most two. The
//! distance is therefore attained in one of these ways, plates, rods and points included:
//!
//! - F or G is a corner: **a corner of one box and the nearest point of the other**, 16 cases of
//!   clamping;
//! - F and G are edges that are not parallel: **points within two edges whose common normal
//!   `u = a_i × b_j` is parallel to w**. Then `D = |w|` is the gap of the boxes along u, and
//!   because no gap along any axis is larger than the distance, it is the largest of the gaps along
//!   all fifteen axes of the separating-axis test. Moreover A's edge is furthest along w, and B's
//!   least far, among the four with their direction: the signs of `u·d`, `u·a_k` and `u·b_k` (k the
//!   other axes) determine the edges. A zero sign determines nothing: a box may have a rectangle in
//!   H, with two such edges. These are different candidates, and the wrong one may be off by as
//!   much as the size of the box (a rod that lies over the corner of a cube's face ends beyond it
//!   and passes over two edges, and only the pairs with them attain the distance).
//!
//! The distance is thus the minimum over the 16 corners and, for every axis of edges whose gap is
//! the largest up to rounding, the pair of edges that the signs determine, with both signs tried
//! where rounding may have changed one. Every candidate is a distance between points of the two
//! boxes, so an extra one does no harm.
//!
//! Distances never decide whether boxes collide: [`Obb::contact`] does, without rounding.

use glam::{DVec3, Vec3};
use wide::f64x4;

use crate::geometry::rotation::others;
use crate::narrow_phase::obb_obb::distance_error::{ERROR, PARALLEL};
use crate::narrow_phase::obb_obb::exact::classify;
use crate::narrow_phase::obb_obb::frame::Frame;
use crate::shapes::obb::record::Obb;
use crate::shapes::obb64::record::Obb64;

/// The distance and closest points of two bodies. See [`Obb::closest_points`] and
/// [`BodyRef::closest_points`](crate::shape::BodyRef::closest_points).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ClosestPoints {
    /// The distance, in the caller's unit; 0 if the bodies collide.
    pub distance: f64,
    /// A point of the first body, in the world. In f64, because far from the origin the error of an
    /// f32 may exceed the distance.
    pub on_a: DVec3,
    /// A point of the second body, in the world, `distance` away from `on_a`.
    pub on_b: DVec3,
}

impl ClosestPoints {
    /// Returns the result for the bodies in the other order.
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
    /// Returns the distance between the two boxes as closed solids, in the caller's unit: 0 if and
    /// only if they collide ([`Obb::contact`]), unless the gap is too small to survive rounding.
    ///
    /// The error is at most 3e-14 of the sum of the centers' distance and all half extents,
    /// typically about 1e-16 of it. The result depends neither on the order of the boxes nor on the
    /// machine. Groups are ignored; if a box has a [`problem`](Obb::problem), the result is
    /// arbitrary. O(1).
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
            .closest_unless(|| classify(a, b).collides())
            .map_or(0.0, |closest| closest.squared.sqrt())
    }

    /// Returns the [distance](Obb::distance) between the two boxes, and a point of each where they
    /// are closest.
    ///
    /// If faces or edges are parallel, there are many such points, and rounding determines which
    /// are returned. Both lie in their box within the error of the distance. A sideways shift by
    /// about 1e-8 of the distance does not affect it, so the direction between the points is no
    /// more accurate than that. If the boxes collide, both are the same point, anywhere in their
    /// intersection.
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
        let closest = frame.points_unless(|| classify(a, b).collides(), a.center.as_dvec3());
        if swapped { closest.swapped() } else { closest }
    }
}

impl Obb64 {
    /// Returns the distance between the two boxes; see [`Obb::distance`].
    pub fn distance(&self, other: &Self) -> f64 {
        let (a, b, _) = ordered64(self, other);
        a.frame_with(b)
            .closest_unless(|| a.contact(b).collides())
            .map_or(0.0, |closest| closest.squared.sqrt())
    }

    /// Returns the distance between the two boxes, and a point of each where they are closest; see
    /// [`Obb::closest_points`]. The points are computed relative to a center, and then rounded to
    /// `f64` in world coordinates.
    pub fn closest_points(&self, other: &Self) -> ClosestPoints {
        let (a, b, swapped) = ordered64(self, other);
        let closest = a.frame_with(b).points_unless(|| a.contact(b).collides(), a.center);
        if swapped { closest.swapped() } else { closest }
    }

    /// Returns both boxes in the frame of this one.
    pub(crate) fn frame_with(&self, other: &Self) -> Frame {
        let [a, b] = [self, other].map(|obb| obb.centered_at(Vec3::ZERO));
        Frame::apart(&a, &b, other.center - self.center)
    }
}

/// [`ordered`] for boxes with centers in `f64`.
fn ordered64<'a>(a: &'a Obb64, b: &'a Obb64) -> (&'a Obb64, &'a Obb64, bool) {
    let key = |obb: &Obb64| {
        let ([x, y, z, w], [hx, hy, hz]) = (obb.rotation.to_array(), obb.half_extents.to_array());
        let others = [hx, hy, hz, x, y, z, w].map(f32::to_bits);
        (obb.center.to_array().map(f64::to_bits), others)
    };
    match key(a) > key(b) {
        true => (b, a, true),
        false => (a, b, false),
    }
}

/// Returns the distance between two boxes that do not collide.
#[cfg(test)]
pub(crate) fn distance_apart(a: &Obb, b: &Obb) -> f64 {
    let (a, b, _) = ordered(a, b);
    Frame::new(a, b).distance_apart()
}

/// Returns the boxes in a canonical order, so that rounding does not depend on the caller's, and
/// `true` if they were swapped.
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
pub(super) struct Closest {
    squared: f64,
    pub on_a: DVec3,
    pub on_b: DVec3,
}

impl Closest {
    pub const NONE: Self = Self {
        squared: f64::INFINITY,
        on_a: DVec3::ZERO,
        on_b: DVec3::ZERO,
    };

    /// Returns a point that the boxes share, as both closest points.
    fn at(point: DVec3) -> Self {
        Self {
            squared: 0.0,
            on_a: point,
            on_b: point,
        }
    }

    /// Keeps a point of each box if they are closer than those so far.
    pub fn offer(&mut self, on_a: DVec3, on_b: DVec3) {
        let squared = on_a.distance_squared(on_b);
        if squared < self.squared {
            *self = Self { squared, on_a, on_b };
        }
    }
}

impl Frame {
    /// Returns the distance between boxes that do not collide.
    pub fn distance_apart(&self) -> f64 {
        self.closest(&self.gaps()).squared.sqrt()
    }

    /// Returns closest points of boxes that do not collide, in the frame of A.
    pub fn closest_points(&self) -> [DVec3; 2] {
        let closest = self.closest(&self.gaps());
        [closest.on_a, closest.on_b]
    }

    /// Returns a point of A that is closest to B, if the boxes are apart or only touch.
    pub fn closest_to_b(&self) -> DVec3 {
        self.closest(&self.gaps()).on_a
    }

    /// Returns closest points of the boxes, or `None` if they collide.
    fn closest_unless(&self, collide: impl FnOnce() -> bool) -> Option<Closest> {
        let gaps = self.gaps();
        // A gap larger than its error needs no exact answer.
        let apart = gaps.lower > 0.0 || !collide();
        apart.then(|| self.closest(&gaps))
    }

    /// Returns closest points of the boxes in the world, in which A has this center. If they
    /// collide, both are a point that they share.
    pub(crate) fn points_unless(&self, collide: impl FnOnce() -> bool, center: DVec3) -> ClosestPoints {
        let closest = self
            .closest_unless(collide)
            .unwrap_or_else(|| Closest::at(self.shared_point()));
        let to_world = |p: DVec3| center + self.axes * p;
        ClosestPoints {
            distance: closest.squared.sqrt(),
            on_a: to_world(closest.on_a),
            on_b: to_world(closest.on_b),
        }
    }

    /// Returns closest points of boxes that do not collide.
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

    /// Returns the corner closest to the other box, and that box's nearest point.
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

    /// Returns the gaps along the fifteen axes.
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

    /// Offers the closest points of edges along axis i of A and axis j of B that face each other
    /// along their normal.
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

    /// Offers the closest points of the two edges with these midpoints (Ericson, *Real-Time
    /// Collision Detection*, section 5.1.9).
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
}

/// The gaps of two boxes along the axes of the separating-axis test.
struct Gaps {
    /// The largest gap along the six face axes.
    faces: f64,
    /// For each axis of A: the gaps along its cross products with the axes of B, times the sines of
    /// the angles; and the sines.
    edges: [[[f64; 4]; 2]; 3],
    /// A lower bound on the distance: the largest gap, less its error.
    lower: f64,
}

/// Returns the squared distances of the eight corners `center ± x ± y ± z` from the box with these
/// half extents at the origin. Bits 0 and 1 of a corner's number select the lane, bit 2 the half; a
/// set bit is a minus.
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

/// Returns the number of the corner with the smallest square, and the square; the first of equal
/// ones.
fn least(squares: [f64x4; 2]) -> (usize, f64) {
    let [first, second] = squares.map(f64x4::to_array);
    let all = first.into_iter().chain(second).enumerate();
    all.fold(
        (0, f64::INFINITY),
        |best, next| if next.1 < best.1 { next } else { best },
    )
}

/// Returns the possible signs of a coordinate that has the sign of a product: both if the product
/// may be zero.
fn signs(product: f64) -> &'static [f64] {
    match product {
        _ if product > ERROR => &[1.0],
        _ if product < -ERROR => &[-1.0],
        _ => &[1.0, -1.0],
    }
}

/// Returns the vector with the signs given by bits: 1 is negative.
pub(super) fn signed(v: DVec3, signs: usize) -> DVec3 {
    let sign = |axis: usize| if signs >> axis & 1 == 0 { 1.0 } else { -1.0 };
    v * DVec3::new(sign(0), sign(1), sign(2))
}
