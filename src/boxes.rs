//! The records that cross to the GPU, and what makes a box valid.

use bytemuck::{Pod, Zeroable};
use glam::{Quat, Vec3};

use crate::bounds::{Bounds, obb_bounds_cpu::bounds_of};
use crate::{Error, Result};

/// Largest accepted distance of a quaternion's length from 1.
///
/// A rotation further off is rejected as bad input ([`BoxProblem::Rotation`]): it is a mistake more often than a
/// rounding error. Inside the tolerance nothing is normalised; see [`Obb::rotation`].
pub const ROTATION_LENGTH_TOLERANCE: f32 = 1e-3;

/// Largest accepted absolute coordinate or half extent: 2^60, about 1.15e18.
///
/// Up to here no sum or product of the bounds, the grid and the separating-axis test comes near the largest `f32`, which
/// the proofs of their error bounds rest on. A box further out is rejected as bad input ([`BoxProblem::TooLarge`]) rather
/// than answered wrongly.
pub const COORDINATE_LIMIT: f32 = (1u64 << 60) as f32;

/// An oriented box: the solid `{ center + R (half_extents * s) : s in [-1, 1]^3 }`, boundary included.
///
/// All lengths are in the caller's unit, all vectors in one right-handed world frame. Zero extents are allowed: plates,
/// rods and points are boxes. Two boxes that share a single point collide.
///
/// The record is 48 bytes without padding, aligned to 16 where `glam` uses SIMD, and is uploaded as it is
/// (`shaders/common.wgsl` declares the same layout; `src/gpu/shader_tests.rs` holds the two against each other).
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Obb {
    /// Rotation from the box's frame to the world: a unit quaternion, stored x, y, z, w.
    ///
    /// Its length may be off 1 by [`ROTATION_LENGTH_TOLERANCE`]. It is not normalised: the box is defined with
    /// `R = M(q) / |q|^2`, `M` being the usual quaternion matrix with homogeneous diagonal, which is a rotation for
    /// every `q` except zero.
    pub rotation: Quat,
    /// Center of the box in the world.
    pub center: Vec3,
    /// Half of the box's size along each of its own axes, each >= 0.
    pub half_extents: Vec3,
    /// The groups this box is a member of, one bit each.
    pub memberships: u32,
    /// The groups this box can collide with, one bit each.
    ///
    /// A pair is reported only if each box is in a group of the other's filter:
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

    /// A box whose axes are the world's.
    pub const fn axis_aligned(center: Vec3, half_extents: Vec3) -> Self {
        Self::new(center, half_extents, Quat::IDENTITY)
    }

    /// The same box in other groups; see [`Obb::memberships`] and [`Obb::filter`].
    pub const fn with_groups(mut self, memberships: u32, filter: u32) -> Self {
        self.memberships = memberships;
        self.filter = filter;
        self
    }

    /// Whether the groups of both boxes let the pair be reported.
    pub const fn groups_meet(&self, other: &Self) -> bool {
        self.memberships & other.filter != 0 && other.memberships & self.filter != 0
    }

    /// Axis-aligned bounds that contain the box whatever the rounding: wider than the box by at most some 1e-5 of its size
    /// and 1e-6 of its coordinates.
    pub fn bounds(&self) -> Aabb {
        let Bounds { low, high, .. } = bounds_of(self, 0.0, 0);
        Aabb { min: low, max: high }
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

/// The squared quaternion lengths that are accepted, lowest and highest.
pub(crate) const fn rotation_length_squared_range() -> (f32, f32) {
    let (low, high) = (1.0 - ROTATION_LENGTH_TOLERANCE, 1.0 + ROTATION_LENGTH_TOLERANCE);
    (low * low, high * high)
}

/// What is wrong with a box; the order is that in which the checks are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BoxProblem {
    /// A NaN or an infinity among center, half extents and rotation.
    #[error("has a number that is NaN or infinite")]
    NotFinite,
    /// A half extent below zero.
    #[error("has a negative half extent")]
    NegativeExtent,
    /// A coordinate of `min` above that of `max`; see [`Aabb`].
    #[error("has a min above its max")]
    Inverted,
    /// A quaternion whose length is off 1 by more than [`ROTATION_LENGTH_TOLERANCE`].
    #[error("has a rotation whose length is not 1 (within {ROTATION_LENGTH_TOLERANCE})")]
    Rotation,
    /// A coordinate or half extent beyond [`COORDINATE_LIMIT`].
    #[error("has a coordinate beyond {COORDINATE_LIMIT:e}")]
    TooLarge,
}

/// An axis-aligned box in the world: the points `p` with `min <= p <= max` in every coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Aabb {
    /// The corner with the smallest coordinates.
    pub min: Vec3,
    /// The corner with the largest coordinates.
    pub max: Vec3,
}

impl Aabb {
    /// The points from `min` to `max`, which must not be below `min` in any coordinate.
    pub const fn new(min: Vec3, max: Vec3) -> Self {
        Self { min, max }
    }

    /// What is wrong with the box, or `None` if it is valid input. Zero extents are fine.
    pub fn problem(&self) -> Option<BoxProblem> {
        if !self.min.is_finite() || !self.max.is_finite() {
            Some(BoxProblem::NotFinite)
        } else if self.min.cmpgt(self.max).any() {
            Some(BoxProblem::Inverted)
        } else if self.min.abs().max(self.max.abs()).max_element() > COORDINATE_LIMIT {
            Some(BoxProblem::TooLarge)
        } else {
            None
        }
    }

    /// Whether the two boxes share a point; touching counts.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }
}

/// Two boxes that collide, as positions in the caller's slices.
///
/// A pair within one set of boxes has `a < b`. A pair of a box at rest and a mover
/// ([`Checker::check_against`](crate::Checker::check_against)) has the box's position in the scene in `a` and the mover's
/// in `b`, and either may be the larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct Pair {
    /// The smaller position; or that of the box at rest.
    pub a: u32,
    /// The larger position; or that of the mover.
    pub b: u32,
}

impl Pair {
    /// The pair of two different boxes of one set, in either order.
    pub const fn new(i: u32, j: u32) -> Self {
        if i < j {
            Self { a: i, b: j }
        } else {
            Self { a: j, b: i }
        }
    }

    /// `a` and `b` in one number that sorts as the pair does.
    pub const fn key(self) -> u64 {
        (self.a as u64) << 32 | self.b as u64
    }
}

/// An error if a pair names none of so many boxes.
pub(crate) fn validate_pairs(boxes: usize, pairs: &[Pair]) -> Result<()> {
    let named = |pair: &Pair| pair.a.max(pair.b);
    match pairs.iter().position(|pair| named(pair) as usize >= boxes) {
        Some(index) => Err(Error::InvalidPair {
            index,
            named: named(&pairs[index]),
            boxes,
        }),
        None => Ok(()),
    }
}
