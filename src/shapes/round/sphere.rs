//! Balls.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use crate::base::problem::{BoxProblem, COORDINATE_LIMIT};

/// All points within `radius` of `center`: a closed ball. A radius of 0 is a point.
///
/// Its numbers are finite, of 2^60 at most in magnitude, and the radius is not negative; else answers about it are arbitrary, and checks
/// return an error. The record is 16 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Sphere {
    /// Its center, in the world.
    pub center: Vec3,
    /// Its radius, in the caller's unit.
    pub radius: f32,
}

impl Sphere {
    /// The record in WGSL, to be put before a shader that reads or writes balls; see [`gpu`](crate::gpu#records-in-your-shaders).
    #[cfg(feature = "gpu")]
    pub const WGSL: &'static str = crate::base::shader::shader!("shapes/round/sphere.wgsl");

    /// A ball about a center.
    pub const fn new(center: Vec3, radius: f32) -> Self {
        Self { center, radius }
    }

    /// The ball of numbers from any library, as [`Obb::from_arrays`](crate::Obb::from_arrays) takes them.
    pub fn from_arrays(center: impl Into<[f32; 3]>, radius: f32) -> Self {
        Self::new(Vec3::from_array(center.into()), radius)
    }

    /// What makes the ball invalid, or `None` if it is valid. Checks return such a problem as an error.
    pub fn problem(&self) -> Option<BoxProblem> {
        if !self.center.is_finite() || !self.radius.is_finite() {
            Some(BoxProblem::NotFinite)
        } else if self.radius < 0.0 {
            Some(BoxProblem::NegativeRadius)
        } else if self.center.abs().max_element().max(self.radius) > COORDINATE_LIMIT {
            Some(BoxProblem::TooLarge)
        } else {
            None
        }
    }
}
