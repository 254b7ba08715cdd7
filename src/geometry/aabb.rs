//! Axis-aligned boxes.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use crate::base::problem::{BoxProblem, COORDINATE_LIMIT};
use crate::base::shader::shader;

/// An axis-aligned box in the world: the points `p` with `min <= p <= max` in every coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[repr(C)]
pub struct Aabb {
    /// The corner with the smallest coordinates.
    pub min: Vec3,
    /// The corner with the largest coordinates.
    pub max: Vec3,
}

impl Aabb {
    /// The record in WGSL, to be prepended to a shader that reads or writes bounds; see
    /// [`gpu`](crate::gpu#records-in-your-shaders).
    pub const WGSL: &'static str = shader!("shapes/aabb/aabb.wgsl");

    /// Creates the box from `min` to `max`; no coordinate of `max` may be below that of `min`.
    pub const fn new(min: Vec3, max: Vec3) -> Self {
        Self { min, max }
    }

    /// Creates the box from numbers of any library, like
    /// [`Obb::from_arrays`](crate::Obb::from_arrays).
    pub fn from_arrays(min: impl Into<[f32; 3]>, max: impl Into<[f32; 3]>) -> Self {
        Self::new(Vec3::from_array(min.into()), Vec3::from_array(max.into()))
    }

    /// Returns both corners: the arguments of [`Aabb::from_arrays`].
    pub const fn to_arrays(&self) -> [[f32; 3]; 2] {
        [self.min.to_array(), self.max.to_array()]
    }

    /// Returns the problem with the box, or `None` if it is valid input. Zero extents are allowed.
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

    /// Returns `true` if the two boxes share a point; touching counts.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }
}
