//! Triangles.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use crate::base::problem::{BoxProblem, COORDINATE_LIMIT};
use crate::geometry::aabb::Aabb;

/// A closed triangle: all convex combinations of three points. If corners are equal or on one line,
/// it is a segment or a point.
///
/// A mesh is a list of triangles; corners are identical if their coordinates are equal as numbers.
/// Coordinates must be finite and at most 2^60 in magnitude; otherwise answers about the triangle
/// are arbitrary, and checks return an error. They are `f32` numbers in one right-handed world
/// frame and the caller's unit, taken as exact real numbers. The order of the corners does not
/// affect which triangles meet. The record is 36 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Triangle {
    /// The corners, in the world.
    pub corners: [Vec3; 3],
}

impl Triangle {
    /// The record in WGSL, to prepend to a shader that reads or writes triangles; see
    /// [`gpu`](crate::gpu#records-in-your-shaders).
    #[cfg(feature = "gpu")]
    pub const WGSL: &'static str = crate::base::shader::shader!("shapes/triangle/triangle.wgsl");

    /// Creates a triangle from three corners.
    pub const fn new(a: Vec3, b: Vec3, c: Vec3) -> Self {
        Self { corners: [a, b, c] }
    }

    /// Creates a triangle from the numbers of any library, as
    /// [`Obb::from_arrays`](crate::Obb::from_arrays) does.
    pub fn from_arrays(a: impl Into<[f32; 3]>, b: impl Into<[f32; 3]>, c: impl Into<[f32; 3]>) -> Self {
        Self::new(
            Vec3::from_array(a.into()),
            Vec3::from_array(b.into()),
            Vec3::from_array(c.into()),
        )
    }

    /// Returns the corners: the arguments of [`Triangle::from_arrays`].
    pub fn to_arrays(&self) -> [[f32; 3]; 3] {
        self.corners.map(|corner| corner.to_array())
    }

    /// Returns the problem with the triangle, or `None` if it is valid. Checks return such a
    /// problem as an error.
    pub fn problem(&self) -> Option<BoxProblem> {
        if !self.corners.iter().all(|corner| corner.is_finite()) {
            return Some(BoxProblem::NotFinite);
        }
        let largest = |corner: &Vec3| corner.abs().max_element();
        let too_large = self.corners.iter().any(|corner| largest(corner) > COORDINATE_LIMIT);
        too_large.then_some(BoxProblem::TooLarge)
    }

    /// Returns the exact smallest axis-aligned box around it.
    pub fn bounds(&self) -> Aabb {
        let [a, b, c] = self.corners;
        Aabb::new(a.min(b).min(c), a.max(b).max(c))
    }

    /// Returns `true` if the two triangles have a corner in common: equal as numbers, so 0 equals
    /// -0.
    pub fn have_common_corner(&self, other: &Self) -> bool {
        self.corners.iter().any(|corner| other.corners.contains(corner))
    }
}
