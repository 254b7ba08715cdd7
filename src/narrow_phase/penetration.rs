//! Along which axis two boxes overlap least.
//!
//! The separating-axis test with lengths: of the six face normals and the nine `a_i × b_j`, the one along which B must be
//! moved least to be clear of A (Gottschalk, Lin and Manocha, "OBBTree", SIGGRAPH 1996, section 5, for the axes; Ericson,
//! *Real-Time Collision Detection*, section 5.5, for the depth). All in f64, in the frame of A; see
//! [`distance`](super::distance) for the errors.
//!
//! # What does not flicker
//!
//! Boxes at rest overlap equally along several axes, and noise must not choose among them. So there is an order of
//! preference: the faces of A, those of B, edges; an axis takes the place of a preferred one only if its overlap is less by
//! the *slop*, a 10,000th of the smaller box ([`SLOP`]), and that of a face only if less by another hundredth ([`PREFERENCE`]). So the depth is the least overlap
//! or larger by no more than that. The same slop decides signs, supporting features and what lies within a face: it is the one
//! tolerance, and it scales with the boxes.
//!
//! A is the box with the larger half extents, compared one after the other, which noise does not change. Between boxes of one
//! size it is the one with the smaller coordinate along the world's axis on which the centers are furthest apart. So the
//! result is the same, mirrored, if the boxes change places.
//!
//! # Parallel edges
//!
//! `a_i × b_j` vanishes with the sine of their angle. Up to a sine of [`PARALLEL`] no such axis is looked at: its overlap is
//! less than that of the best face by no more than about the sine times the boxes' size (see [`KAPPA`](super::KAPPA)). Above
//! it, an overlap errs by the error of lengths over the sine. Both are less than `frame.error * 4 / PARALLEL`, some 1e-6 of
//! the boxes' size. Boxes that overlap or are apart by more do so certainly; all others are decided without rounding.

use glam::DVec3;

use super::distance::{Frame, others};
use super::exact::classify;
use crate::Obb;

/// An axis must have an overlap less by this part to take the place of a face. Smaller, and noise chooses
/// among nearly equal axes; larger, and depths are too large by more.
pub(crate) const PREFERENCE: f64 = 0.01;

/// The slop of a pair, in units of the largest half extent of the smaller box: what noise between frames may amount to.
pub(crate) const SLOP: f64 = 1e-4;

/// Edges at an angle of this sine or less have no axis.
const PARALLEL: f64 = 1e-7;

/// What an axis belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Axis {
    FaceOfA(usize),
    FaceOfB(usize),
    /// Along axis i of A and axis j of B.
    Edges(usize, usize),
}

/// The axis along which two boxes overlap least.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeastOverlap {
    pub axis: Axis,
    /// Along the axis, from A to B, in the frame of A; of unit length.
    pub normal: DVec3,
    /// How far B has to be moved along the normal, 0 or more.
    pub depth: f64,
}

/// The tolerance of a pair, in the caller's unit.
pub(crate) fn slop(frame: &Frame) -> f64 {
    SLOP * frame.h_a.max_element().min(frame.h_b.max_element()) + frame.error
}

/// The axis of least overlap, or `None` if the boxes do not collide.
pub(crate) fn least_overlap(a: &Obb, b: &Obb, frame: &Frame, slop: f64) -> Option<LeastOverlap> {
    let clear = frame.error * (4.0 / PARALLEL);
    let mut search = Search {
        slop,
        clear,
        depth: f64::INFINITY,
        axis: Axis::FaceOfA(0),
        sign: 1.0,
    };
    let certainly_apart = search.faces(frame) || search.edges(frame);
    if certainly_apart || (search.to_beat() <= clear && !classify(a, b).collides()) {
        return None;
    }
    let normal = match search.axis {
        Axis::FaceOfA(i) => DVec3::AXES[i],
        Axis::FaceOfB(j) => frame.c.col(j),
        Axis::Edges(i, j) => across(frame, i, j).normalize(),
    };
    Some(LeastOverlap {
        axis: search.axis,
        normal: search.sign * normal,
        depth: search.depth.max(0.0),
    })
}

/// `a_i × b_j`.
fn across(frame: &Frame, i: usize, j: usize) -> DVec3 {
    let ([k, l], direction) = (others(i), frame.c.col(j));
    let mut axis = DVec3::ZERO;
    (axis[k], axis[l]) = (-direction[l], direction[k]);
    axis
}

struct Search {
    slop: f64,
    clear: f64,
    depth: f64,
    axis: Axis,
    sign: f64,
}

impl Search {
    /// The overlap below which an axis takes the place of the present one.
    fn to_beat(&self) -> f64 {
        let part = if matches!(self.axis, Axis::Edges(..)) {
            0.0
        } else {
            PREFERENCE
        };
        self.depth * (1.0 - part) - self.slop
    }

    /// Looks at a face axis with the centers so far apart along it, and the radii together; says whether it separates for
    /// certain.
    #[inline(always)]
    fn face(&mut self, axis: Axis, offset: f64, radius: f64) -> bool {
        let sign = if offset < -self.slop { -1.0 } else { 1.0 };
        let depth = radius - sign * offset;
        if depth < self.to_beat() {
            (self.depth, self.axis, self.sign) = (depth, axis, sign);
        }
        radius - offset.abs() < -self.clear
    }

    fn faces(&mut self, frame: &Frame) -> bool {
        let c_abs = frame.c.abs();
        let radius = frame.h_a + c_abs * frame.h_b;
        for i in 0..3 {
            if self.face(Axis::FaceOfA(i), frame.t[i], radius[i]) {
                return true;
            }
        }
        let offset = frame.c.transpose() * frame.t;
        let radius = frame.h_b + c_abs.transpose() * frame.h_a;
        (0..3).any(|j| self.face(Axis::FaceOfB(j), offset[j], radius[j]))
    }

    /// The axes of edges, times the sines of their angles.
    fn edges(&mut self, frame: &Frame) -> bool {
        let (t, h_a, h_b) = (frame.t.to_array(), frame.h_a.to_array(), frame.h_b.to_array());
        let c = frame.c.to_cols_array_2d();
        let mut apart = false;
        for j in 0..3 {
            let [m, n] = others(j);
            for i in 0..3 {
                let [k, l] = others(i);
                let squared_sine = c[j][k] * c[j][k] + c[j][l] * c[j][l];
                let offset = t[l] * c[j][k] - t[k] * c[j][l];
                let radius =
                    h_a[k] * c[j][l].abs() + h_a[l] * c[j][k].abs() + h_b[m] * c[n][i].abs() + h_b[n] * c[m][i].abs();
                let overlap = radius - offset.abs();
                let least = self.to_beat();
                // Squares in place of roots: few axes come further.
                let less = overlap < 0.0 || overlap * overlap < least * least * squared_sine;
                if !less || squared_sine <= PARALLEL * PARALLEL {
                    continue;
                }
                let sine = squared_sine.sqrt();
                apart |= overlap < -self.clear * sine;
                let sign = if offset < -self.slop * sine { -1.0 } else { 1.0 };
                let depth = (radius - sign * offset) / sine;
                if depth < least {
                    (self.depth, self.axis, self.sign) = (depth, Axis::Edges(i, j), sign);
                }
            }
        }
        apart
    }
}

/// Whether the boxes change places, so that what is preferred does not depend on which comes first; see the [module](self).
pub(crate) fn comes_after(a: &Obb, b: &Obb) -> bool {
    let extents = |obb: &Obb| obb.half_extents.to_array().map(f32::to_bits);
    if extents(a) != extents(b) {
        return extents(a) < extents(b);
    }
    let d = b.center.as_dvec3() - a.center.as_dvec3();
    let further = |i: usize, j: usize| if d[j].abs() > d[i].abs() { j } else { i };
    let along = d[further(further(0, 1), 2)];
    match along == 0.0 {
        true => a.rotation.to_array().map(f32::to_bits) > b.rotation.to_array().map(f32::to_bits),
        false => along < 0.0,
    }
}
