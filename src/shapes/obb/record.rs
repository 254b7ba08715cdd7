//! The records that cross to the GPU, and what makes a box valid.

use crate::base::problem::{BoxProblem, COORDINATE_LIMIT, ROTATION_LENGTH_TOLERANCE};
use bytemuck::{Pod, Zeroable};
use glam::{Quat, Vec3};

/// An oriented box: the solid `{ center + R (half_extents * s) : s in [-1, 1]^3 }`, boundary included.
///
/// All lengths are in the caller's unit, all vectors in one right-handed world frame. Zero extents are allowed: plates,
/// rods and points are boxes. Two boxes that share a single point collide.
///
/// The record is 48 bytes without padding, aligned to 16 where `glam` uses SIMD, and is uploaded unchanged
/// (`shaders/shared/common.wgsl` declares the same layout; a test compares the two).
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Obb {
    /// Rotation from the box's frame to the world: a unit quaternion, stored x, y, z, w.
    ///
    /// Its length may differ from 1 by [`ROTATION_LENGTH_TOLERANCE`]. It is not normalised: the box is defined with
    /// `R = M(q) / |q|^2`, `M` being the usual quaternion matrix with homogeneous diagonal, which is a rotation for
    /// every `q` except zero.
    pub rotation: Quat,
    /// Center of the box in the world.
    pub center: Vec3,
    /// Half of the box's size along each of its own axes, each >= 0.
    pub half_extents: Vec3,
    /// The groups this box belongs to, one bit each.
    pub memberships: u32,
    /// The groups this box can collide with, one bit each.
    ///
    /// A pair is reported only if each box is in a group that the other's filter includes:
    /// `a.memberships & b.filter != 0 && b.memberships & a.filter != 0`.
    pub filter: u32,
}

impl Obb {
    /// A box that can collide with every other.
    ///
    /// ```
    /// use obbligato::{Obb, glam::{Quat, Vec3}};
    /// let turned = Obb::new(Vec3::ZERO, Vec3::new(2.0, 1.0, 0.5), Quat::from_rotation_z(0.3));
    /// assert!(turned.problem().is_none());
    /// ```
    pub const fn new(center: Vec3, half_extents: Vec3, rotation: Quat) -> Self {
        Self {
            rotation,
            center,
            half_extents,
            memberships: u32::MAX,
            filter: u32::MAX,
        }
    }

    /// A box aligned with the world's axes.
    pub const fn axis_aligned(center: Vec3, half_extents: Vec3) -> Self {
        Self::new(center, half_extents, Quat::IDENTITY)
    }

    /// The same box with different groups; see [`Obb::memberships`] and [`Obb::filter`].
    pub const fn with_groups(mut self, memberships: u32, filter: u32) -> Self {
        self.memberships = memberships;
        self.filter = filter;
        self
    }

    /// Whether the groups of both boxes allow the pair to be reported.
    pub const fn groups_meet(&self, other: &Self) -> bool {
        self.memberships & other.filter != 0 && other.memberships & self.filter != 0
    }

    /// What is wrong with the box, or `None` if it is valid input.
    pub fn problem(&self) -> Option<BoxProblem> {
        let length_squared = self.rotation.length_squared();
        let (lowest, highest) = rotation_length_squared_range();
        if !self.center.is_finite() || !self.half_extents.is_finite() || !self.rotation.is_finite() {
            Some(BoxProblem::NotFinite)
        } else if self.half_extents.min_element() < 0.0 {
            Some(BoxProblem::NegativeExtent)
        } else if !(lowest..=highest).contains(&length_squared) {
            Some(BoxProblem::Rotation)
        } else if self.center.abs().max_element() > COORDINATE_LIMIT
            || self.half_extents.max_element() > COORDINATE_LIMIT
        {
            Some(BoxProblem::TooLarge)
        } else {
            None
        }
    }
}

/// The lowest and highest accepted squared length of a quaternion.
pub(crate) const fn rotation_length_squared_range() -> (f32, f32) {
    let (low, high) = (1.0 - ROTATION_LENGTH_TOLERANCE, 1.0 + ROTATION_LENGTH_TOLERANCE);
    (low * low, high * high)
}
