//! The six face axes alone: a filter that never loses a colliding pair.
//! [`separating_axes`](super::separating_axes) gives the formulas.

use glam::Vec3;

use crate::geometry::rotation::{mat3, relative_quat};
use crate::narrow_phase::obb_obb::separating_axes::{ERROR_PER_DISTANCE, ERROR_PER_RADIUS, FLUSH_ERROR_F32};
use crate::shapes::obb::record::Obb;

impl Obb {
    /// Returns `true` if one of the six face normals of both boxes proves that they are apart.
    ///
    /// This is a conservative filter for callers with their own test. `true` is always right,
    /// because a gap counts only if it exceeds all possible rounding (by the proved bound that the
    /// exact check uses too). `false` says nothing: the boxes may collide, or be apart only along
    /// the normal of two edges, or by no more than a few millionths of their size and distance. The
    /// filter finds most separated boxes with overlapping bounds.
    ///
    /// Both boxes must be valid ([`Obb::problem`]); groups are ignored. Swapping the boxes can
    /// change the answer only by rounding. O(1). [`Checker`](crate::Checker) starts with these axes
    /// itself, so a filter before it gains nothing.
    ///
    /// ```
    /// use obbligato::{Obb, glam::{Quat, Vec3}};
    /// let a = Obb::axis_aligned(Vec3::ZERO, Vec3::ONE);
    /// let b = Obb::new(Vec3::new(2.5, 0.0, 0.0), Vec3::ONE, Quat::from_rotation_z(0.1));
    /// assert!(a.faces_separate(&b));
    /// assert!(!a.faces_separate(&a));
    /// ```
    pub fn faces_separate(&self, other: &Self) -> bool {
        let (axes_a, n) = mat3(self.rotation);
        let t = axes_a.transpose() * (other.center - self.center);
        let (g_a, g_b) = (n * self.half_extents, n * other.half_extents);
        let (c, s) = mat3(relative_quat(self.rotation, other.rotation));
        let c_abs = c.abs();
        let face_a = s * (t.abs() - g_a) - c_abs * g_b;
        let face_b = (c.transpose() * t).abs() - s * g_b - c_abs.transpose() * g_a;

        let (sum_a, sum_b) = (g_a.element_sum(), g_b.element_sum());
        let distance_error = ERROR_PER_DISTANCE * t.abs().element_sum() + FLUSH_ERROR_F32;
        let error = |extents: Vec3| ERROR_PER_RADIUS * extents + distance_error;
        face_a.cmpgt(error(g_a + sum_b)).any() || face_b.cmpgt(error(g_b + sum_a)).any()
    }
}
