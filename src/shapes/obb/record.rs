//! The record of a box that crosses to the GPU, and its validation.

use crate::base::problem::{BoxProblem, COORDINATE_LIMIT, ROTATION_LENGTH_TOLERANCE};
use crate::base::shader::shader;
use bytemuck::{Pod, Zeroable};
use glam::{DMat3, DVec3, Quat, Vec2, Vec3};

/// An oriented box: the solid `{ center + R (half_extents * s) : s in [-1, 1]^3 }`, boundary
/// included.
///
/// All lengths are in the caller's unit, all vectors in one right-handed world frame. Zero extents
/// are allowed: plates, rods and points are boxes. Two boxes that share a single point collide.
///
/// The record is 48 bytes without padding, aligned to 16 where `glam` uses SIMD, and is uploaded
/// unchanged ([`Obb::WGSL`] declares the same layout; a test compares the two).
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[repr(C)]
pub struct Obb {
    /// The rotation from the box's frame to the world: a unit quaternion, stored x, y, z, w.
    ///
    /// Its length may differ from 1 by [`ROTATION_LENGTH_TOLERANCE`]. It is not normalised: the box
    /// is defined with `R = M(q) / |q|^2`, where `M` is the usual quaternion matrix with
    /// homogeneous diagonal. This is a rotation for every `q` except zero.
    pub rotation: Quat,
    /// Center of the box in the world.
    pub center: Vec3,
    /// Half of the box's size along each of its own axes, each >= 0.
    pub half_extents: Vec3,
    /// The groups this box belongs to, one bit each.
    #[cfg_attr(feature = "serde", serde(default = "all_groups"))]
    pub memberships: u32,
    /// The groups this box can collide with, one bit each.
    ///
    /// A pair is reported only if each box is in a group that the other's filter includes:
    /// `a.memberships & b.filter != 0 && b.memberships & a.filter != 0`.
    #[cfg_attr(feature = "serde", serde(default = "all_groups"))]
    pub filter: u32,
}

impl Obb {
    /// The record in WGSL, to prepend to a shader that reads or writes boxes; see
    /// [`gpu`](crate::gpu#records-in-your-shaders).
    pub const WGSL: &'static str = shader!("shared/obb.wgsl");

    /// Creates a box that can collide with every other.
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

    /// Creates a box aligned with the world's axes.
    pub const fn axis_aligned(center: Vec3, half_extents: Vec3) -> Self {
        Self::new(center, half_extents, Quat::IDENTITY)
    }

    /// Creates a rectangle in the plane z = 0, in all groups: a box with these half extents along x
    /// and y, which `turn` rotates about z, and a 64th of the larger of the two along z.
    ///
    /// `turn` is a unit quaternion (0, 0, z, w), such as [`yaw`](crate::shape::yaw) returns. Two
    /// such boxes share a point if and only if the rectangles do, because all contain the same
    /// plane and are upright on it.
    ///
    /// ```
    /// use obbligato::{Obb, glam::{Vec2, Vec3}, shape::yaw};
    /// let door = Obb::in_plane(Vec2::new(3.0, 1.0), Vec2::new(0.5, 0.0625), yaw(0.25));
    /// assert_eq!((door.center.z, door.half_extents), (0.0, Vec3::new(0.5, 0.0625, 0.0078125)));
    /// ```
    pub fn in_plane(center: Vec2, half_extents: Vec2, turn: Quat) -> Self {
        Self::new(center.extend(0.0), half_extents.extend(height(half_extents)), turn)
    }

    /// Creates a box from the numbers of any library: from anything that converts into arrays, such
    /// as the vectors and quaternions of mint or of another version of glam. The rotation is x, y,
    /// z, w.
    ///
    /// ```
    /// use obbligato::{Obb, glam::Vec3};
    /// let unit = Obb::from_arrays([0.0; 3], [0.5; 3], [0.0, 0.0, 0.0, 1.0]);
    /// assert_eq!(unit, Obb::axis_aligned(Vec3::ZERO, Vec3::splat(0.5)));
    /// ```
    pub fn from_arrays(
        center: impl Into<[f32; 3]>,
        half_extents: impl Into<[f32; 3]>,
        rotation: impl Into<[f32; 4]>,
    ) -> Self {
        let [center, half_extents] = [center.into(), half_extents.into()].map(Vec3::from_array);
        Self::new(center, half_extents, Quat::from_array(rotation.into()))
    }

    /// Returns center, half extents and rotation (x, y, z, w): the arguments of
    /// [`Obb::from_arrays`], and numbers that any library takes.
    ///
    /// ```
    /// use obbligato::{Obb, glam::Vec3};
    /// let unit = Obb::axis_aligned(Vec3::ZERO, Vec3::splat(0.5));
    /// assert_eq!(unit.to_arrays(), ([0.0; 3], [0.5; 3], [0.0, 0.0, 0.0, 1.0]));
    /// ```
    pub const fn to_arrays(&self) -> ([f32; 3], [f32; 3], [f32; 4]) {
        (
            self.center.to_array(),
            self.half_extents.to_array(),
            self.rotation.to_array(),
        )
    }

    /// Creates a wall on the segment from `a` to `b`, in all groups: a box that stands on it, `up`
    /// high and `thickness` wide.
    ///
    /// `a` and `b` are the ends of the middle line of its foot. `up` points from the foot to the
    /// top, in any direction, because worlds have either y or z up; its component along the segment
    /// is ignored. The box's own x axis is along the segment and its z axis along `up`. Numbers are
    /// computed in `f64` and rounded to `f32`, so its faces are off by about 1e-7 of the
    /// coordinates and the size. Equal ends make a post. Numbers that are not finite, and a
    /// negative thickness, make a box with a [`problem`](Self::problem).
    ///
    /// ```
    /// use obbligato::{Obb, glam::Vec3};
    /// // 4 m long, 3 m high and 20 cm thick, where y is up.
    /// let wall = Obb::wall(Vec3::new(1.0, 0.0, 2.0), Vec3::new(5.0, 0.0, 2.0), Vec3::Y * 3.0, 0.2);
    /// assert_eq!((wall.center, wall.half_extents), (Vec3::new(3.0, 1.5, 2.0), Vec3::new(2.0, 0.1, 1.5)));
    /// ```
    pub fn wall(a: Vec3, b: Vec3, up: Vec3, thickness: f32) -> Self {
        let [a, b, up] = [a, b, up].map(Vec3::as_dvec3);
        let along = b - a;
        let (up, x) = match along.try_normalize() {
            Some(x) => {
                let rise = up - up.dot(x) * x;
                // A remainder due only to rounding has no direction.
                let is_flat = rise.length() <= 1e-12 * up.length();
                (if is_flat { DVec3::ZERO } else { rise }, x)
            }
            // The rotation of a post about its axis is arbitrary.
            None => (
                up,
                up.try_normalize().map_or(DVec3::X, |up| up.any_orthonormal_vector()),
            ),
        };
        let z = up.try_normalize().unwrap_or_else(|| x.any_orthonormal_vector());
        let rotation = glam::DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z)).normalize();
        let half_extents = 0.5 * DVec3::new(along.length(), f64::from(thickness), up.length());
        Self::new(
            (0.5 * (a + b + up)).as_vec3(),
            half_extents.as_vec3(),
            rotation.as_quat(),
        )
    }

    /// Returns the same box with different groups; see [`Obb::memberships`] and [`Obb::filter`].
    pub const fn with_groups(mut self, memberships: u32, filter: u32) -> Self {
        self.memberships = memberships;
        self.filter = filter;
        self
    }

    /// Returns `true` if the groups of both boxes allow the pair to be reported.
    pub const fn groups_meet(&self, other: &Self) -> bool {
        self.memberships & other.filter != 0 && other.memberships & self.filter != 0
    }

    /// Returns the problem with the box, or `None` if it is valid input.
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

/// Returns the half extent along z of a rectangle in the plane: small, so that a scene of many
/// sizes is one cell high, and far above what rounding may hide. It is 0 only for a point.
pub(crate) fn height(half_extents: Vec2) -> f32 {
    const SHARE: f32 = 1.0 / 64.0;
    let longest = half_extents.max_element();
    (SHARE * longest).max(longest.min(f32::from_bits(1)))
}

/// Returns the default groups of a box.
#[cfg(feature = "serde")]
const fn all_groups() -> u32 {
    u32::MAX
}

/// Returns the lowest and highest accepted squared length of a quaternion.
pub(crate) const fn rotation_length_squared_range() -> (f32, f32) {
    let (low, high) = (1.0 - ROTATION_LENGTH_TOLERANCE, 1.0 + ROTATION_LENGTH_TOLERANCE);
    (low * low, high * high)
}
