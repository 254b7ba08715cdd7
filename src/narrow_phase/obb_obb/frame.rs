//! Two oriented boxes in the frame of the first.

use glam::{DMat3, DQuat, DVec3};

use crate::narrow_phase::obb_obb::distance_error::ERROR;
use crate::shapes::obb::parts::{rotation, rotation_of};
use crate::shapes::obb::record::Obb;

/// Both boxes in the frame of A, with A's center as the origin. See
/// [`distance_error`](super::distance_error) for its error.
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
    /// The error bound of lengths.
    pub error: f64,
}

impl Frame {
    pub fn new(a: &Obb, b: &Obb) -> Self {
        Self::apart(a, b, b.center.as_dvec3() - a.center.as_dvec3())
    }

    /// Returns the frame of boxes whose centers differ by `d`, wherever they are.
    pub fn apart(a: &Obb, b: &Obb, d: DVec3) -> Self {
        let axes = rotation(a);
        let c = rotation_of(relative(a.rotation.as_dquat(), b.rotation.as_dquat()));
        let half_extents = [a, b].map(|obb| obb.half_extents.as_dvec3());
        Self::of(axes, axes.transpose() * d, c, half_extents)
    }

    /// Returns the frame of boxes that are known in `f64`.
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

    /// Converts a point to the frame of B.
    pub fn to_b(&self, point: DVec3) -> DVec3 {
        self.c.transpose() * (point - self.t)
    }

    /// Converts a point from the frame of B.
    pub fn to_a(&self, point: DVec3) -> DVec3 {
        self.t + self.c * point
    }

    /// Returns the frame as seen from B, up to rounding.
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
}

/// Computes `conj(a) b`.
fn relative(a: DQuat, b: DQuat) -> DQuat {
    let (a_v, b_v) = (a.xyz(), b.xyz());
    let v = a.w * b_v - b.w * a_v - a_v.cross(b_v);
    DQuat::from_xyzw(v.x, v.y, v.z, a.w * b.w + a_v.dot(b_v))
}
