//! Bounding volumes, and the motion between the frames of two bodies.
//!
//! # Error bounds
//!
//! A volume in `f32` contains its points exactly: it is computed in `f64` around them, and the
//! errors of `f32` and of the roundings in `f64` are added ([`HOLDS`]). Two volumes are separated
//! in `f32`, in the frame of the first. Let `u = 2^-24`, the maximum relative error of a sum or a
//! product; `|v|` the sum of the absolute values of the components of `v`; `c` the centers, `t` the
//! translation between the frames, `s = |c_a| + |c_b| + |t|`; `h` and `g` the half extents. No
//! operations are fused.
//!
//! - The rotation `R` and `t` are computed in `f64` and rounded: each entry of `R` is off by 1.1 u,
//!   `t` by 1.1 u |t|. The vector `d = R c_b + t - c_a` from center to center is therefore off by
//!   (1.1 + 4) u |c_b| + 2.1 u |t| + 1.1 u s < 8 u s along each axis.
//! - For **spheres**, the squared length of d is off by 4 u of it, and the squared reach by 3 u: as
//!   lengths, together by less than 4 u (s + r), and d itself by 14 u s.
//! - The axes `A` and `B` of **boxes** are orthogonal except for `u` in each entry. A box
//!   `c + A [-h, h]` is within one with exactly orthogonal axes whose half extents are larger by
//!   1.8 u |h|. Of d along these axes, `x = A' d`, each component is off by the 8 u s of d, times
//!   √3 at most, by 3 u |d| for the sum, and by u |d| for the axes: 21 u s, because |d| < 1.8 s. An
//!   entry of `M = A' R B` is off by (1.8 + 5.2) u of `R B`, times √3, by 5.2 u for the sum and 3.5
//!   u for both axes: less than 24 u.
//!   - Along an axis of A, `|x_i| > h_i + Σ g_j |M_ij|` is off by 21 u s on the left and by (1.8 +
//!     3.1 + 24 + 9) u (|h| + |g|) on the right.
//!   - Along an axis of B, `|Σ x_i M_ij|` is off by √3 21 u s + 24 u 1.8 s + 6 u s < 86 u s, and
//!     the right side by as much as before.
//!   - Along a product of two axes, `|x_k M_lj - x_l M_kj|` is off by 2 (21 + 24 1.8 + 3) u s < 135
//!     u s, and the four terms of the right side by less than 2 (24 + 1.8 + 5) u (|h| + |g|).
//!
//! [`SLACK`] (s + |h| + |g|) = 256 u (s + |h| + |g|), in sums that are themselves off by a few u of
//! that, is more than any of these. An axis that is nearly 0, because it is a product of parallel
//! ones, separates nothing: both sides are small, and the slack is not.
//!
//! Products below 2^-126 lose up to 2^-150 each: [`FLUSH`] is more than all of them, and its
//! square, with which spheres are compared, is a normal number. Coordinates are at most 2^60, so
//! squares are below 2^127. NaN separates nothing, because comparisons with it fail.

use glam::{DMat3, DVec3, Mat3A, Vec3A};

use crate::geometry::pose::Pose;
use crate::geometry::rotation::dmat3;

/// Relative enlargement of volumes compared with their contents: several hundred roundings of
/// `f64`.
pub(super) const HOLDS: f64 = 1.0 / (1u64 << 44) as f64;
/// Error of a test per unit of its input numbers.
const SLACK: f32 = 1.0 / (1u32 << 16) as f32;
/// Error of a test for arbitrarily small numbers, in the caller's unit: 2^-60.
const FLUSH: f32 = f32::from_bits((127 - 60) << 23);

/// A volume around parts of a body, for a [`VolumeTree`](super::tree::VolumeTree).
pub trait Volume: Copy + Default + Send + Sync {
    /// Returns a volume that contains these points, of which there is at least one, and therefore
    /// their convex hull.
    fn around(points: &[DVec3]) -> Self;

    /// Returns `true` if the volume and another, in its own frame, are certainly apart, and `false`
    /// if that is uncertain.
    fn is_apart(&self, other: &Self, between: &Between) -> bool;

    /// Returns the size of the volume. A walk descends into the larger of two volumes first.
    fn size(&self) -> f32;

    /// Returns `true` if the volume contains a point, up to the rounding of this function, about
    /// 1e-15 of its numbers.
    fn holds(&self, point: DVec3) -> bool;
}

/// The motion from the frame of one body to that of another: a point `p` of the second is at
/// `rotation * p + translation` in the frame of the first.
#[derive(Clone, Copy, Debug)]
pub struct Between {
    rotation: Mat3A,
    translation: Vec3A,
    /// The sum of the absolute coordinates of the translation.
    way: f32,
}

impl Between {
    /// Returns the motion between two bodies in these poses.
    pub fn new([a, b]: [&Pose; 2]) -> Self {
        let rotation = |pose: &Pose| {
            let (matrix, length_squared) = dmat3(pose.rotation.as_dquat());
            matrix * (1.0 / length_squared)
        };
        let back: DMat3 = rotation(a).transpose();
        let way = b.translation.as_dvec3() - a.translation.as_dvec3();
        let translation = (back * way).as_vec3a();
        Self {
            rotation: (back * rotation(b)).as_mat3().into(),
            translation,
            way: sum(translation.abs()),
        }
    }

    /// Returns the rotation, each entry off by at most 1.1 2^-24.
    pub fn rotation(&self) -> Mat3A {
        self.rotation
    }

    /// Returns the translation, each coordinate off by at most 1.1 2^-24 of their sum.
    pub fn translation(&self) -> Vec3A {
        self.translation
    }

    /// Returns the vector from a point `a` in the first frame to a point `b` in the second, in the
    /// first frame.
    #[inline(always)]
    pub(super) fn way(&self, a: Vec3A, b: Vec3A) -> Vec3A {
        self.rotation * b + self.translation - a
    }

    /// Returns the maximum error of a test of volumes with these centers and extents.
    #[inline(always)]
    pub(super) fn slack(&self, centers: [Vec3A; 2], extents: Vec3A) -> f32 {
        let numbers = sum(centers[0].abs() + centers[1].abs() + extents) + self.way;
        SLACK * numbers + FLUSH
    }
}

#[inline(always)]
fn sum(v: Vec3A) -> f32 {
    v.element_sum()
}
