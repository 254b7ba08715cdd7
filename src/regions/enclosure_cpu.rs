//! Twin of `shaders/regions/enclosure.wgsl`, in f64: the position of boxes relative to a room, with
//! three answers.
//!
//! Unlike the shader it tests the bounding sphere first, which suffices for most boxes, and names
//! the walls that it could not judge.
//!
//! # Computation
//!
//! In the frame of the room the room is an interval with half extents H. With r the room's unit
//! axes, M(q) and n = |q|² those of the stored quaternion q of the box as in the [narrow phase],
//! and c_R the center of the room:
//!
//! ```text
//! d = c - c_R,  t_k = r_k . d,  C_kj = r_k . (column j of M),  R_k = |C_k0| h_0 + |C_k1| h_1 + |C_k2| h_2
//!
//! wall at min of axis k is reached:    n (H_k + t_k) - R_k <= 0
//! wall at max of axis k is reached:    n (H_k - t_k) - R_k <= 0
//! outside: some axis has F > 0
//!     face k of the room:              F = n (|t_k| - H_k) - R_k
//!     face j of the box:               F = |t . C_j| - n h_j - (|C_0j| H_0 + |C_1j| H_1 + |C_2j| H_2)
//!     edges k, j:                      F = |t_(k+2) C_(k+1)j - t_(k+1) C_(k+2)j| - (H_(k+1) |C_(k+2)j|
//!                                          + H_(k+2) |C_(k+1)j| + h_(j+1) |C_k(j+2)| + h_(j+2) |C_k(j+1)|)
//! ```
//!
//! All terms carry the factor n. `shaders/regions/enclosure.wgsl` computes them in `f32`, this file
//! in `f64`, each with three answers, from axes, half extents and center that the host computed in
//! `f64`. Undecided cases are decided in whole numbers ([`wide_room`]), or as intervals for upright
//! boxes.
//!
//! # The error bound
//!
//! `E = K u Z + slack`, with `Z = |t|_1 + |H|_1 + |h|_1`, K = [`ERROR_FACTOR`] = 48 and u as in the
//! narrow phase: twice the error of rounding to nearest, for operations in any order, fused or not.
//! To first order, in units of u:
//!
//! - r: each vector is off by less than 4 u' from the quaternion's length, 9 u' from its matrix and
//!   1 u' from the division, u' = 2^-53. This is 7 u in `f64`, and 1 u after rounding to `f32`. H,
//!   and d apart from the slack: 1.
//! - t: 3 for the sum, 7 for r, 1 for d, on a length of at most |d|: 11 |d| per component.
//! - C: 3 for the sum, 7 for r, 5 for a column of M (its errors are 4, 2 and 2): 15 n. n itself: 4
//!   n.
//! - Walls and faces of the room: 11 + 4 + 3 on t, 4 + 1 + 3 on H, 15 + 4 on h.
//! - Faces of the box: 11 sqrt(3) + 15 + 4 < 39 on t, 15 + 1 + 4 on H, 4 + 3 on h.
//! - Edges: 11 sqrt(2) + 15 + 4 < 35 on t, 15 + 1 + 4 on H, 15 + 4 on h.
//!
//! 48 leaves room for n <= 1.0021, for second-order terms and the rounding of E, on the CPU. The
//! shader has [`SHADER_ERROR_FACTOR`] = 72, because compilers with fast math may rewrite it
//! (`src/base/rewriting.rs`), except for fenced terms: d, (t, n), C, E and F_max. t: 4 + 7 +
//! 1 = 12. C: 12 monomials of degree 3, 13 sqrt(3), and 7 for r: 30 n. Walls: 5 additions. Faces of
//! the box: 12 sqrt(3) + 30 + 3 + 5 = 59 on t, the most of all. Parallel edges: 30 sqrt(2) KAPPA
//! for the sine and 23 for the rule's own sum, with F_max 131 < 2 * 72.
//!
//! The rule for nearly parallel edges is that of the narrow phase ([`KAPPA`]); there the sine is
//! off by 15 sqrt(2) u, which adds less than 25 u Z and so keeps the sum below 2 E.
//!
//! The room's center is half the sum of two `f32`. As an `f64` it is exact, unless one of the two
//! is so much larger that the half extent is as long as the center is far away; then its rounding
//! error is less than u |H|_1 / 2. As an `f32` it is off by much more if the room is far from the
//! origin: the slack is four times the sum of the coordinates' errors, which is weighted by the
//! length of t alone. On the CPU there is no slack; on the GPU [`FLUSH_ERROR_F32`] is added, which
//! was derived for more operations than these.
//!
//! [narrow phase]: crate::narrow_phase::obb_obb::separating_axes
//! [`FLUSH_ERROR_F32`]: crate::narrow_phase::obb_obb::separating_axes::FLUSH_ERROR_F32

use glam::{DMat3, DVec3};

use crate::base::error::Result;
use crate::base::problem::BoxProblem;
use crate::base::{memory, parallel};
use crate::geometry::rotation::dmat3;
use crate::narrow_phase::obb_obb::separating_axes::{ERROR_FACTOR, KAPPA};
use crate::narrow_phase::round::bodies::Core;
use crate::regions::findings::Findings;
use crate::regions::frame::Frame;
use crate::regions::room::{Enclosure, EnclosureState, Room, wall};
use crate::regions::{round_room, wide_room};
use crate::shapes::bodies::set::{Bodies, BodyRef};
use crate::shapes::obb::record::Obb;
use crate::shapes::round::capsule::Capsule;
use crate::shapes::round::sphere::Sphere;

/// K of the shader, in units of 2^-23 Z: see above.
#[cfg_attr(not(test), expect(dead_code, reason = "a test holds it against the shader"))]
pub(crate) const SHADER_ERROR_FACTOR: f64 = 72.0;

impl Frame {
    /// Returns the decisions of f64 about a valid box.
    pub fn test(&self, obb: &Obb) -> Findings {
        let h = obb.half_extents.as_dvec3();
        let t = self.axes.transpose() * (obb.center.as_dvec3() - self.center);
        let size = t.abs().element_sum() + self.half_extents.element_sum() + h.element_sum();
        let error = ERROR_FACTOR * f64::EPSILON * size;

        // No corner is further from the center than the sum of the half extents.
        let radius = DVec3::splat(h.element_sum());
        if let Some(found) = self.slabs(t, 1.0, [DVec3::ZERO, radius], error).settled() {
            return found;
        }
        let (m, n) = dmat3(obb.rotation.as_dquat());
        let c = self.axes.transpose() * m;
        let c_abs = c.abs();
        let extent = c_abs * h;
        let found = self.slabs(t, n, [extent, extent], error);
        if let Some(found) = found.settled() {
            return found;
        }
        let has_center = n * (self.half_extents - t.abs()).min_element() > error;
        let outside = match has_center {
            true => Some(false),
            false => self.outside(
                Terms {
                    t,
                    n,
                    c,
                    c_abs,
                    h,
                    size,
                },
                error,
            ),
        };
        Findings { outside, ..found }
    }

    /// Tests the six walls, for a box whose reach from its center along each axis of the room is
    /// between `least` and `most`, all times n.
    pub fn slabs(&self, t: DVec3, n: f64, [least, most]: [DVec3; 2], error: f64) -> Findings {
        let mut found = Findings::default();
        for axis in 0..3 {
            for (side, within) in [t[axis], -t[axis]].into_iter().enumerate() {
                // The distance of the center from the wall, towards the room's inside.
                let distance = n * (self.half_extents[axis] + within);
                if distance - least[axis] < -error {
                    found.walls |= wall(axis, side);
                    if distance + most[axis] < -error {
                        found.outside = Some(true);
                    }
                } else if distance - most[axis] <= error {
                    found.open |= wall(axis, side);
                }
            }
        }
        found
    }

    /// Returns `Some(true)` if one of the fifteen axes separates the box from the room,
    /// `Some(false)` if none does, `None` if f64 cannot decide.
    fn outside(
        &self,
        Terms {
            t,
            n,
            c,
            c_abs,
            h,
            size,
        }: Terms,
        error: f64,
    ) -> Option<bool> {
        let half = self.half_extents;
        let faces = n * (t.abs() - half) - c_abs * h;
        let box_faces = (c.transpose() * t).abs() - n * h - c_abs.transpose() * half;
        let face = faces.max(box_faces).max_element();
        if face > error {
            return Some(true);
        }
        let mut shares = face < -error;
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let (column, sines) = (c.col(j), c_abs.col(j));
            for k in 0..3 {
                let (k1, k2) = ((k + 1) % 3, (k + 2) % 3);
                let radius =
                    half[k1] * sines[k2] + half[k2] * sines[k1] + h[j1] * c_abs.col(j2)[k] + h[j2] * c_abs.col(j1)[k];
                let edge = (t[k2] * column[k1] - t[k1] * column[k2]).abs() - radius;
                if edge > error {
                    return Some(true);
                }
                let sine = sines[k1] + sines[k2];
                let parallel = sine < 0.5 && face < -(KAPPA * sine * size + 2.0 * error);
                shares &= edge < -error || parallel;
            }
        }
        shares.then_some(false)
    }
}

/// The common terms of the axes, with the names above.
struct Terms {
    t: DVec3,
    n: f64,
    c: DMat3,
    c_abs: DMat3,
    h: DVec3,
    size: f64,
}

impl Room {
    /// Returns the exact position of one box, capsule or sphere relative to the room. The body must
    /// be valid ([`Obb::problem`]), or the answer is arbitrary.
    ///
    /// For many bodies [`Room::enclosures`] is faster.
    ///
    /// ```
    /// use obbligato::{glam::Vec3, region::{EnclosureState, Room}, Sphere};
    /// # fn main() -> obbligato::Result<()> {
    /// let room = Room::new(Vec3::ZERO, Vec3::new(6.0, 4.0, 2.5))?;
    /// let beyond_the_corner = Sphere::new(Vec3::new(9.0, 8.0, 1.0), 5.0);
    /// assert_eq!(room.enclosure(&beyond_the_corner).state, EnclosureState::Crossing);
    /// assert_eq!(room.enclosure(&Sphere::new(Vec3::new(9.0, 8.0, 1.0), 4.99)).state, EnclosureState::Outside);
    /// # Ok(())
    /// # }
    /// ```
    pub fn enclosure<'a>(&self, body: impl Into<BodyRef<'a>>) -> Enclosure {
        enclosure_of(self, &Frame::new(self), body.into())
    }

    /// Returns the exact position of each body relative to the room, on the CPU, on all cores with
    /// the feature `rayon`. O(n).
    ///
    /// The bodies are a slice, an array or a vector of one kind, or [`Bodies`].
    /// [`Containment`](crate::query::Containment) does this on the checker's backend.
    ///
    /// # Errors
    /// [`Error::InvalidBox`](crate::Error::InvalidBox) names the first bad body and the number of
    /// bad bodies.
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn enclosures<'a>(&self, bodies: impl Into<Bodies<'a>>) -> Result<Vec<Enclosure>> {
        let frame = Frame::new(self);
        map_valid(bodies.into(), |body| enclosure_of(self, &frame, body))
    }
}

/// Returns the position of a valid body relative to the room with this frame.
#[inline]
pub(crate) fn enclosure_of(room: &Room, frame: &Frame, body: BodyRef<'_>) -> Enclosure {
    match Core::from(body) {
        Core::Box(obb) => enclosure(room, frame, obb),
        Core::Round(round) => match round_room::test(frame, &round) {
            Findings {
                walls,
                open: 0,
                outside: Some(outside),
            } => Enclosure::new(walls, outside),
            found => round_room::decide(room, &round, found),
        },
    }
}

/// [`enclosure_of`] for a box.
fn enclosure(room: &Room, frame: &Frame, obb: &Obb) -> Enclosure {
    match frame.test(obb) {
        Findings {
            walls,
            open: 0,
            outside: Some(outside),
        } => Enclosure::new(walls, outside),
        found => wide_room::decide(room, obb, found),
    }
}

/// Returns `true` if a valid body shares no point with the room.
#[inline]
pub(crate) fn is_outside(room: &Room, frame: &Frame, body: BodyRef<'_>) -> bool {
    let decided = match Core::from(body) {
        Core::Box(obb) => match frame.test(obb) {
            Findings {
                outside: Some(outside), ..
            } => return outside,
            found => wide_room::decide(room, obb, found),
        },
        Core::Round(round) => match round_room::test(frame, &round) {
            Findings {
                outside: Some(outside), ..
            } => return outside,
            found => round_room::decide(room, &round, found),
        },
    };
    decided.state == EnclosureState::Outside
}

/// Applies `value` to every body, if all are valid: one pass over memory, on all cores.
pub(crate) fn map_valid<T: Default + Clone + Send>(
    bodies: Bodies<'_>,
    value: impl Fn(BodyRef<'_>) -> T + Sync + Send,
) -> Result<Vec<T>> {
    let mut values = memory::filled(bodies.len(), T::default(), "a finding for each body")?;
    let (of_boxes, others) = values.split_at_mut(bodies.boxes.len());
    let (of_capsules, of_spheres) = others.split_at_mut(bodies.capsules.len());
    let valid = [
        map_kind(bodies.boxes, of_boxes, Obb::problem, |obb| value(obb.into())),
        map_kind(bodies.capsules, of_capsules, Capsule::problem, |capsule| {
            value(capsule.into())
        }),
        map_kind(bodies.spheres, of_spheres, Sphere::problem, |sphere| {
            value(sphere.into())
        }),
    ];
    if valid != [true; 3] {
        bodies.validate()?;
    }
    Ok(values)
}

/// [`map_valid`] for one kind. Returns `true` if all bodies were valid.
fn map_kind<B: Sync, T: Send>(
    bodies: &[B],
    values: &mut [T],
    problem: impl Fn(&B) -> Option<BoxProblem> + Sync + Send,
    value: impl Fn(&B) -> T + Sync + Send,
) -> bool {
    let valid = parallel::map_chunks(values, |first, values| {
        let bodies = &bodies[first..first + values.len()];
        let valid = bodies.iter().all(|body| problem(body).is_none());
        if valid {
            bodies.iter().zip(values).for_each(|(body, found)| *found = value(body));
        }
        valid
    });
    valid.into_iter().all(|valid| valid)
}
