//! The record of an oriented box with its center in `f64`, and its validation.

use glam::{DVec2, DVec3, Quat, Vec2, Vec3};

use crate::base::problem::{BoxProblem, COORDINATE_LIMIT};
use crate::shapes::obb::record::{Obb, height};

/// An oriented box whose center is stored in `f64`: for scenes far from the origin, or as large as
/// a planet, where `f32` is too coarse for positions. Half extents and rotation are those of an
/// [`Obb`], and so is the definition of the solid.
///
/// Results are exact for the stored numbers, as for [`Obb`]s.
/// [`Checker::check`](crate::Checker::check) takes a slice, an array or a vector of them, or a
/// [`Set`](crate::Set) with rules; [`Query::between`](crate::Query::between) takes two sets, of
/// which one may be [`Obb`]s.
///
/// ```
/// use obbligato::contact::Contact;
/// use obbligato::glam::{DVec3, Quat, Vec3};
/// use obbligato::{Backend, Checker, Config, Obb64, Pair};
/// # fn main() -> obbligato::Result<()> {
/// // Bricks 4,000 km from the origin of the coordinates. In f32 a step is half a meter there.
/// let brick = |x: f64| Obb64::axis_aligned(DVec3::new(4e6 + x, 5.5e6, 120.0), Vec3::new(0.125, 0.0625, 0.0625));
/// let wall = [brick(0.0), brick(0.25), brick(0.501)];
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// assert_eq!(checker.check(&wall)?.pairs()?, [Pair::new(0, 1)]);
/// assert_eq!(wall[0].contact(&wall[1]), Contact::Touching);
/// assert_eq!(wall[1].contact(&wall[2]), Contact::Separated);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Obb64 {
    /// Center of the box in the world.
    pub center: DVec3,
    /// Rotation from the box's frame to the world, as in [`Obb::rotation`].
    pub rotation: Quat,
    /// Half of the box's size along each of its own axes, each >= 0.
    pub half_extents: Vec3,
    /// The groups this box belongs to, as in [`Obb::memberships`].
    #[cfg_attr(feature = "serde", serde(default = "all_groups"))]
    pub memberships: u32,
    /// The groups this box can collide with, as in [`Obb::filter`].
    #[cfg_attr(feature = "serde", serde(default = "all_groups"))]
    pub filter: u32,
}

impl Obb64 {
    /// Creates a box that can collide with every other.
    pub const fn new(center: DVec3, half_extents: Vec3, rotation: Quat) -> Self {
        Self {
            center,
            rotation,
            half_extents,
            memberships: u32::MAX,
            filter: u32::MAX,
        }
    }

    /// Creates a box aligned with the world's axes.
    pub const fn axis_aligned(center: DVec3, half_extents: Vec3) -> Self {
        Self::new(center, half_extents, Quat::IDENTITY)
    }

    /// Creates a rectangle in the plane z = 0, as [`Obb::in_plane`] does.
    pub fn in_plane(center: DVec2, half_extents: Vec2, turn: Quat) -> Self {
        Self::new(center.extend(0.0), half_extents.extend(height(half_extents)), turn)
    }

    /// Creates a box from the numbers of any library, as [`Obb::from_arrays`] does.
    pub fn from_arrays(
        center: impl Into<[f64; 3]>,
        half_extents: impl Into<[f32; 3]>,
        rotation: impl Into<[f32; 4]>,
    ) -> Self {
        let (center, half_extents) = (center.into().into(), half_extents.into().into());
        Self::new(center, half_extents, Quat::from_array(rotation.into()))
    }

    /// Returns center, half extents and rotation: the arguments of [`Obb64::from_arrays`].
    pub const fn to_arrays(&self) -> ([f64; 3], [f32; 3], [f32; 4]) {
        (
            self.center.to_array(),
            self.half_extents.to_array(),
            self.rotation.to_array(),
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

    /// Returns the problem with the box, or `None` if it is valid input. The limits are those of an
    /// [`Obb`].
    pub fn problem(&self) -> Option<BoxProblem> {
        if !self.center.is_finite() {
            return Some(BoxProblem::NotFinite);
        }
        let problem = self.centered_at(Vec3::ZERO).problem();
        let is_far = self.center.abs().max_element() > f64::from(COORDINATE_LIMIT);
        problem.or(is_far.then_some(BoxProblem::TooLarge))
    }

    /// Returns the box with a center in `f32`.
    pub const fn centered_at(&self, center: Vec3) -> Obb {
        Obb {
            rotation: self.rotation,
            center,
            half_extents: self.half_extents,
            memberships: self.memberships,
            filter: self.filter,
        }
    }
}

impl From<Obb> for Obb64 {
    /// Returns the same solid.
    fn from(obb: Obb) -> Self {
        Self {
            center: obb.center.as_dvec3(),
            rotation: obb.rotation,
            half_extents: obb.half_extents,
            memberships: obb.memberships,
            filter: obb.filter,
        }
    }
}

/// Returns the default groups of a box.
#[cfg(feature = "serde")]
const fn all_groups() -> u32 {
    u32::MAX
}
