//! Spheres.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use crate::base::problem::{BoxProblem, COORDINATE_LIMIT};

/// A solid sphere: all points within `radius` of `center`. A radius of 0 is a point.
///
/// The numbers must be finite and at most 2^60 in magnitude, and the radius must not be negative;
/// otherwise answers about the sphere are arbitrary, and checks return an error. The record is 16
/// bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Sphere {
    /// The center, in the world.
    pub center: Vec3,
    /// The radius, in the caller's unit.
    pub radius: f32,
}

impl Sphere {
    /// The record in WGSL, to prepend to a shader that reads or writes spheres; see
    /// [`gpu`](crate::gpu#records-in-your-shaders).
    #[cfg(feature = "gpu")]
    pub const WGSL: &'static str = crate::base::shader::shader!("shapes/round/sphere.wgsl");

    /// Creates a sphere around a center.
    pub const fn new(center: Vec3, radius: f32) -> Self {
        Self { center, radius }
    }

    /// Creates a sphere from the numbers of any library, as
    /// [`Obb::from_arrays`](crate::Obb::from_arrays) does.
    pub fn from_arrays(center: impl Into<[f32; 3]>, radius: f32) -> Self {
        Self::new(Vec3::from_array(center.into()), radius)
    }

    /// Returns center and radius: the arguments of [`Sphere::from_arrays`].
    pub const fn to_arrays(&self) -> ([f32; 3], f32) {
        (self.center.to_array(), self.radius)
    }

    /// Returns the problem with the sphere, or `None` if it is valid. Checks return such a problem
    /// as an error.
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
