//! The position and rotation of a rigid body.

use glam::{Quat, Vec3};

/// A rigid motion: a point `p` of a body is at `rotation * p + translation` in the world.
///
/// The quaternion (x, y, z, w) may be off unit length: it stands for the rotation of the quaternion
/// divided by its length.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Pose {
    /// The position of the body's origin, in the caller's unit.
    pub translation: Vec3,
    /// The rotation of the body about its origin.
    pub rotation: Quat,
}

impl Pose {
    /// The pose in which the body was made.
    pub const IDENTITY: Self = Self::new(Vec3::ZERO, Quat::IDENTITY);

    /// Creates the pose with this translation and rotation.
    pub const fn new(translation: Vec3, rotation: Quat) -> Self {
        Self { translation, rotation }
    }

    /// Creates a pose from the numbers of any library, as
    /// [`Obb::from_arrays`](crate::Obb::from_arrays) does.
    pub fn from_arrays(translation: impl Into<[f32; 3]>, rotation: impl Into<[f32; 4]>) -> Self {
        Self::new(Vec3::from_array(translation.into()), Quat::from_array(rotation.into()))
    }

    /// Returns translation and rotation: the arguments of [`Pose::from_arrays`].
    pub const fn to_arrays(&self) -> ([f32; 3], [f32; 4]) {
        (self.translation.to_array(), self.rotation.to_array())
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}
