//! The motion of a box during a step.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use crate::base::shader::shader;

/// The motion of a box from time 0: at time `t`, in seconds, its center is `c + v t + a t² / 2` and
/// its rotation `exp(w t) q`.
///
/// All vectors are in the world frame, in the caller's unit of length. `Motion::default()` is rest.
///
/// The record is 48 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
#[repr(C)]
pub struct Motion {
    /// The velocity `v` of the center at time 0, per second.
    pub velocity: Vec3,
    /// The largest possible deviation `e` of the center's acceleration from `acceleration`, in any
    /// direction and at any time, per second squared; 0 if the motion is known. At time `t` the
    /// center is then somewhere within `e t² / 2` of its expected position.
    pub uncertainty: f32,
    /// The constant angular velocity `w`, in radians per second about its own direction through the
    /// center.
    pub angular_velocity: Vec3,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) reserved: u32,
    /// The acceleration `a` of the center, per second squared.
    pub acceleration: Vec3,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) reserved_too: u32,
}

impl Motion {
    /// The record in WGSL, to prepend to a shader that reads or writes motions; see
    /// [`gpu`](crate::gpu#records-in-your-shaders).
    pub const WGSL: &'static str = shader!("shapes/moving/motion.wgsl");

    /// No motion.
    pub const REST: Self = Self {
        velocity: Vec3::ZERO,
        uncertainty: 0.0,
        angular_velocity: Vec3::ZERO,
        reserved: 0,
        acceleration: Vec3::ZERO,
        reserved_too: 0,
    };

    /// Returns a straight motion at this velocity, without rotation.
    pub const fn linear(velocity: Vec3) -> Self {
        Self { velocity, ..Self::REST }
    }

    /// Creates a motion from the numbers of any library, as
    /// [`Obb::from_arrays`](crate::Obb::from_arrays) does: velocity, angular velocity and
    /// acceleration.
    pub fn from_arrays(
        velocity: impl Into<[f32; 3]>,
        angular_velocity: impl Into<[f32; 3]>,
        acceleration: impl Into<[f32; 3]>,
    ) -> Self {
        Self::linear(Vec3::from_array(velocity.into()))
            .turning(Vec3::from_array(angular_velocity.into()))
            .accelerated(Vec3::from_array(acceleration.into()))
    }

    /// Returns velocity, angular velocity and acceleration: the arguments of
    /// [`Motion::from_arrays`].
    pub const fn to_arrays(&self) -> [[f32; 3]; 3] {
        let (velocity, angular_velocity) = (self.velocity.to_array(), self.angular_velocity.to_array());
        [velocity, angular_velocity, self.acceleration.to_array()]
    }

    /// Returns the same motion with an angular velocity.
    #[must_use]
    pub const fn turning(self, angular_velocity: Vec3) -> Self {
        Self {
            angular_velocity,
            ..self
        }
    }

    /// Returns the same motion with an acceleration.
    #[must_use]
    pub const fn accelerated(self, acceleration: Vec3) -> Self {
        Self { acceleration, ..self }
    }

    /// Returns the same motion with an acceleration known only to within this amount; see
    /// [`Motion::uncertainty`].
    #[must_use]
    pub const fn uncertain(self, uncertainty: f32) -> Self {
        Self { uncertainty, ..self }
    }

    /// Returns `true` if the box neither turns nor accelerates, not even by its uncertainty.
    pub fn is_straight(&self) -> bool {
        self.angular_velocity == Vec3::ZERO && self.acceleration == Vec3::ZERO && self.uncertainty == 0.0
    }
}
