//! Bounding volumes, and the motion between the frames of two bodies.
//!
//! # What is proved
//!
//! A volume in `f32` holds its points exactly: it is made in `f64` around them, and what `f32` and the roundings of `f64` take is added
//! ([`HOLDS`]). Two volumes are told apart in `f32`, in the frame of the first. Let `u = 2^-24`, by which a sum or a product is off, at most;
//! `|v|` the sum of the components of `v`; `c` the centers, `t` the translation between the frames, `s = |c_a| + |c_b| + |t|`; `h` and `g` the
//! half extents. Nothing is fused.
//!
//! - The rotation `R` and `t` are made in `f64` and rounded: each entry of `R` is off by 1.1 u, `t` by 1.1 u |t|. So the way
//!   `d = R c_b + t - c_a` from center to center is off by (1.1 + 4) u |c_b| + 2.1 u |t| + 1.1 u s < 8 u s along each axis.
//! - Of **balls** the squared length of d is off by 4 u of it, and the squared reach by 3 u: as lengths by less than 4 u (s + r) together, and
//!   d itself by 14 u s.
//! - The axes `A` and `B` of **boxes** are orthogonal but for `u` in each entry. A box `c + A [-h, h]` is within one of exactly
//!   orthogonal axes whose half extents are larger by 1.8 u |h|. Of d along these axes, `x = A' d`, each component is off by the 8 u s of
//!   d, times √3 at most, by 3 u |d| for the sum, and by u |d| for the axes: 21 u s, as |d| < 1.8 s. An entry of `M = A' R B` is off by
//!   (1.8 + 5.2) u of `R B`, times √3, by 5.2 u for the sum and 3.5 u for both axes: less than 24 u.
//!   - Along an axis of A, `|x_i| > h_i + Σ g_j |M_ij|` is off by 21 u s on the left and by (1.8 + 3.1 + 24 + 9) u (|h| + |g|) on the right.
//!   - Along one of B, `|Σ x_i M_ij|` is off by √3 21 u s + 24 u 1.8 s + 6 u s < 86 u s, and the right side by as much as before.
//!   - Along a product of two, `|x_k M_lj - x_l M_kj|` is off by 2 (21 + 24 1.8 + 3) u s < 135 u s, and the four terms of the right side by less
//!     than 2 (24 + 1.8 + 5) u (|h| + |g|).
//!
//! [`SLACK`] (s + |h| + |g|) = 256 u (s + |h| + |g|), in sums that are off by a few u of that themselves, is more than any of these. An axis that is
//! nearly 0, being a product of parallel ones, tells nothing apart: both sides are small, and the slack is not.
//!
//! Products below 2^-126 lose up to 2^-150 each: [`FLUSH`] is more than all of them, and its square, which balls are compared with, is a normal
//! number. Coordinates are of 2^60 at most, and so squares below 2^127. Whatever is not a number tells nothing apart, as comparisons with it fail.

use glam::{DMat3, DVec3, Mat3A, Vec3A};

use crate::geometry::pose::Pose;
use crate::geometry::rotation::dmat3;

/// By which factor volumes are larger than what they hold: some hundred roundings of `f64`.
pub(super) const HOLDS: f64 = 1.0 / (1u64 << 44) as f64;
/// The error of a test per unit of the numbers that it sees.
const SLACK: f32 = 1.0 / (1u32 << 16) as f32;
/// The error of a test of whatever small numbers, in the caller's unit: 2^-60.
const FLUSH: f32 = f32::from_bits((127 - 60) << 23);

/// A volume around parts of a body, for a [`VolumeTree`](super::tree::VolumeTree).
pub trait Volume: Copy + Default + Send + Sync {
    /// A volume that holds these points, of which there is at least one, and so their convex hull.
    fn around(points: &[DVec3]) -> Self;

    /// Whether the volume and another, in its own frame, are certainly apart. Anything that is not certain is `false`.
    fn is_apart(&self, other: &Self, between: &Between) -> bool;

    /// The larger of two volumes is the one that a walk goes into first.
    fn size(&self) -> f32;

    /// Whether the volume holds a point, but for the rounding of this function, some 1e-15 of its numbers.
    fn holds(&self, point: DVec3) -> bool;
}

/// The motion from the frame of one body to that of another: a point `p` of the second is at `rotation * p + translation` in the
/// frame of the first.
#[derive(Clone, Copy, Debug)]
pub struct Between {
    rotation: Mat3A,
    translation: Vec3A,
    /// The sum of the coordinates of the translation, without their signs.
    way: f32,
}

impl Between {
    /// The motion between two bodies in these poses.
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

    /// The rotation, each entry off by 1.1 2^-24 at most.
    pub fn rotation(&self) -> Mat3A {
        self.rotation
    }

    /// The translation, each coordinate off by 1.1 2^-24 of their sum at most.
    pub fn translation(&self) -> Vec3A {
        self.translation
    }

    /// The way from a point `a` in the first frame to a point `b` in the second, in the first.
    #[inline(always)]
    pub(super) fn way(&self, a: Vec3A, b: Vec3A) -> Vec3A {
        self.rotation * b + self.translation - a
    }

    /// The error of a test of volumes with these centers and extents.
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
