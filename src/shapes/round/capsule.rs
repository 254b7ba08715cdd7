//! Capsules.

use std::f32::consts::FRAC_1_SQRT_2;

use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Quat, Vec2, Vec3};

use crate::base::problem::{BoxProblem, COORDINATE_LIMIT};
use crate::geometry::rotation::{dmat3, turned_to};
use crate::shapes::obb::record::rotation_length_squared_range;

/// All points within `radius` of a segment: `center ± half_length` times its own z axis.
///
/// The rotation is like that of an [`Obb`](crate::Obb): a unit quaternion that rotates the
/// capsule's axes into the world's, used without normalisation within the tolerance. A half length
/// of 0 is a sphere, a radius of 0 a segment. The record is 48 bytes, with the layout of a box's,
/// so that both fit in one list.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "Written", into = "Written"))]
#[repr(C)]
pub struct Capsule {
    /// The rotation from the capsule's frame to the world. That of [`Capsule::in_plane`] has the
    /// length 1/√2.
    pub rotation: Quat,
    /// The middle of the segment, in the world.
    pub center: Vec3,
    /// Half of the segment's length, in the caller's unit, at least 0.
    pub half_length: f32,
    /// The radius around the segment, in the caller's unit, at least 0.
    pub radius: f32,
    pub(crate) unused: u32,
    /// The groups this capsule belongs to, one bit each; see
    /// [`Obb::memberships`](crate::Obb::memberships).
    pub memberships: u32,
    /// The groups this capsule can collide with.
    pub filter: u32,
}

impl Capsule {
    /// The record in WGSL, to prepend to a shader that reads or writes capsules; see
    /// [`gpu`](crate::gpu#records-in-your-shaders).
    #[cfg(feature = "gpu")]
    pub const WGSL: &'static str = crate::base::shader::shader!("shapes/round/capsule.wgsl");

    /// Creates a capsule in all groups.
    pub const fn new(center: Vec3, half_length: f32, rotation: Quat, radius: f32) -> Self {
        Self {
            rotation,
            center,
            half_length,
            radius,
            unused: 0,
            memberships: u32::MAX,
            filter: u32::MAX,
        }
    }

    /// Creates a capsule from the numbers of any library, as
    /// [`Obb::from_arrays`](crate::Obb::from_arrays) does.
    pub fn from_arrays(
        center: impl Into<[f32; 3]>,
        half_length: f32,
        rotation: impl Into<[f32; 4]>,
        radius: f32,
    ) -> Self {
        let (center, rotation) = (Vec3::from_array(center.into()), Quat::from_array(rotation.into()));
        Self::new(center, half_length, rotation, radius)
    }

    /// Returns center, half length, rotation and radius: the arguments of
    /// [`Capsule::from_arrays`].
    pub const fn to_arrays(&self) -> ([f32; 3], f32, [f32; 4], f32) {
        let (center, rotation) = (self.center.to_array(), self.rotation.to_array());
        (center, self.half_length, rotation, self.radius)
    }

    /// Creates a capsule in all groups whose segment is `center ± half_length` times its own y
    /// axis, as those of Bevy, Rapier and Parry are.
    ///
    /// The stored rotation is `rotation` after a quarter turn about x, which takes the capsule's
    /// own z axis to y. Without a rotation, and with one about y, the segment points exactly along
    /// y; with others it is off by about 1e-7.
    ///
    /// ```
    /// use obbligato::{Capsule, glam::{Quat, Vec3}};
    /// // A person who stands at the origin, where y is up: 1.75 m high, 50 cm wide.
    /// let person = Capsule::along_y(Vec3::Y * 0.875, 0.625, Quat::from_rotation_y(0.3), 0.25);
    /// assert_eq!(person.ends(), [Vec3::Y * 0.25, Vec3::Y * 1.5]);
    /// ```
    pub fn along_y(center: Vec3, half_length: f32, rotation: Quat, radius: f32) -> Self {
        const QUARTER_TURN: Quat = Quat::from_xyzw(-FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2);
        Self::new(center, half_length, rotation * QUARTER_TURN, radius)
    }

    /// Returns the ends of the segment, computed in `f64` and rounded to `f32`: the points that
    /// [`Capsule::from_ends`] takes.
    pub fn ends(&self) -> [Vec3; 2] {
        let (axes, n) = dmat3(self.rotation.as_dquat());
        let half = axes.z_axis * (f64::from(self.half_length) / n);
        let center = self.center.as_dvec3();
        [(center - half).as_vec3(), (center + half).as_vec3()]
    }

    /// Creates the capsule around the segment from `a` to `b`, in all groups: all points within
    /// `radius` of it.
    ///
    /// Center, half length and rotation are computed in `f64` and rounded to `f32`, so the ends of
    /// the stored segment are off by about 1e-7 of the coordinates and the length. Equal ends make
    /// a sphere. Numbers that are not finite make a capsule with a [`problem`](Self::problem).
    ///
    /// ```
    /// use obbligato::{Capsule, glam::Vec3};
    /// let forearm = Capsule::from_ends(Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 1.0, 0.5), 0.04);
    /// assert_eq!((forearm.center, forearm.half_length), (Vec3::new(0.0, 1.0, 0.25), 0.25));
    /// ```
    pub fn from_ends(a: Vec3, b: Vec3, radius: f32) -> Self {
        let [a, b] = [a, b].map(Vec3::as_dvec3);
        let half = 0.5 * (b - a);
        let rotation = turned_to(DVec3::Z, half);
        Self::new((0.5 * (a + b)).as_vec3(), half.length() as f32, rotation, radius)
    }

    /// Creates a capsule in the plane z = 0, in all groups: all points within `radius` of the
    /// segment `center ± half_length` times the x axis that `turn` rotates about z.
    ///
    /// `turn` is a unit quaternion (0, 0, z, w), such as [`yaw`](crate::shape::yaw) returns. The
    /// segment has exactly its direction: the rotation is turn (0, 1/2, 0, 1/2), or
    /// (-z, w, z, w) / 2, which takes the capsule's own z axis to it. Its length is 1/√2, because
    /// √2 is no `f32`; halves are exact from 2^-125 on. A turn about another axis, or one that is
    /// not of length 1, makes a capsule with a [`problem`](Self::problem).
    ///
    /// ```
    /// use obbligato::{Capsule, glam::{Quat, Vec2, Vec3}};
    /// let plank = Capsule::in_plane(Vec2::new(3.0, 1.0), 2.0, Quat::IDENTITY, 0.5);
    /// assert!(plank.problem().is_none());
    /// let bounds = plank.bounds();
    /// assert!(bounds.max.x >= 5.5 && bounds.max.x < 5.501 && bounds.max.y < 1.501);
    /// ```
    pub fn in_plane(center: Vec2, half_length: f32, turn: Quat, radius: f32) -> Self {
        let [x, y, z, w] = turn.to_array();
        let (lowest, highest) = rotation_length_squared_range();
        let is_turn = x == 0.0 && y == 0.0 && (lowest..=highest).contains(&turn.length_squared());
        let rotation = match is_turn {
            true => Quat::from_xyzw(-0.5 * z, 0.5 * w, 0.5 * z, 0.5 * w),
            // No rotation, and still not finite if the turn is not.
            false => turn * 0.0,
        };
        Self::new(center.extend(0.0), half_length, rotation, radius)
    }

    /// Returns the square of the rotation's length; twice that if it is one of
    /// [`in_plane`](Self::in_plane).
    fn length_squared(&self) -> f32 {
        let [x, y, z, w] = self.rotation.to_array().map(f32::to_bits);
        let is_turned = x ^ z == 1 << 31 && y == w;
        let square = self.rotation.length_squared();
        if is_turned && square < 0.75 {
            2.0 * square
        } else {
            square
        }
    }

    /// Returns the same capsule in these groups; see [`Obb::with_groups`](crate::Obb::with_groups).
    #[must_use]
    pub const fn with_groups(mut self, memberships: u32, filter: u32) -> Self {
        self.memberships = memberships;
        self.filter = filter;
        self
    }

    /// Returns the problem with the capsule, or `None` if it is valid. Checks return such a problem
    /// as an error.
    pub fn problem(&self) -> Option<BoxProblem> {
        let length_squared = self.length_squared();
        let (lowest, highest) = rotation_length_squared_range();
        let lengths = [self.half_length, self.radius];
        if !self.center.is_finite() || !self.rotation.is_finite() || !lengths.iter().all(|length| length.is_finite()) {
            Some(BoxProblem::NotFinite)
        } else if self.half_length < 0.0 {
            Some(BoxProblem::NegativeExtent)
        } else if self.radius < 0.0 {
            Some(BoxProblem::NegativeRadius)
        } else if !(lowest..=highest).contains(&length_squared) {
            Some(BoxProblem::Rotation)
        } else if self.center.abs().max_element().max(self.half_length).max(self.radius) > COORDINATE_LIMIT {
            Some(BoxProblem::TooLarge)
        } else {
            None
        }
    }
}

/// The serialised form, without the padding of the record.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Capsule", deny_unknown_fields)]
struct Written {
    rotation: Quat,
    center: Vec3,
    half_length: f32,
    radius: f32,
    #[serde(default = "all_groups")]
    memberships: u32,
    #[serde(default = "all_groups")]
    filter: u32,
}

#[cfg(feature = "serde")]
const fn all_groups() -> u32 {
    u32::MAX
}

#[cfg(feature = "serde")]
impl From<Written> for Capsule {
    fn from(written: Written) -> Self {
        Self::new(written.center, written.half_length, written.rotation, written.radius)
            .with_groups(written.memberships, written.filter)
    }
}

#[cfg(feature = "serde")]
impl From<Capsule> for Written {
    fn from(capsule: Capsule) -> Self {
        Self {
            rotation: capsule.rotation,
            center: capsule.center,
            half_length: capsule.half_length,
            radius: capsule.radius,
            memberships: capsule.memberships,
            filter: capsule.filter,
        }
    }
}
