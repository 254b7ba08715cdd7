//! Rooms: the walls that each box reaches, and its state: inside, crossing or outside.

use glam::{Quat, Vec3};

use crate::base::error::{Error, Result};
use crate::base::problem::{BoxProblem, RegionProblem};
use crate::geometry::aabb::Aabb;
use crate::shapes::obb::record::Obb;

/// A room with six walls, axis-aligned or rotated, against which boxes, capsules and spheres are
/// tested.
///
/// # Results
///
/// Room and box, or other body, are closed solids. Along each axis of the room, the room extends
/// from min to max, and the box from lo to hi.
///
/// - **Walls** ([`Enclosure::walls`]): the wall at min is *reached* if lo <= min, the wall at max
///   if hi >= max: some point of the box is on the plane of the wall or beyond it. The mask of a
///   box that meets the room thus names the walls that it touches or crosses, and the mask of a box
///   outside those that it is beyond, even partly. All 64 masks occur; a box around the whole room
///   reaches all six walls.
/// - **State** ([`EnclosureState`]): *inside* if no wall is reached, so a box that touches a wall
///   is no longer inside; *outside* if box and room share no point; *crossing* otherwise: such a
///   box shares a point with at least one wall.
///
#[cfg_attr(doc, doc = include_str!("../../docs/src/images/room.svg"))]
///
/// A wall counts as its plane, which has no edges. A box that crosses the room near an edge may
/// reach the plane of a second wall only beyond the end of that wall; this takes a rotated box or
/// room. [`Obb::contact`] with a flat box determines whether the box meets a particular rectangle.
/// A box is outside by the definition for solids, not for planes.
///
/// # Exactness
///
/// The answer is exact for the stored numbers, without rounding, for aligned and rotated rooms, on
/// every device: see [`exactness`](crate::exactness). A room from min to max has exactly these two
/// corners, and turns about the exact midpoint between them.
///
/// ```
/// use obbligato::{glam::{Quat, Vec3}, region::{EnclosureState, Room}, Obb};
/// # fn main() -> obbligato::Result<()> {
/// let room = Room::new(Vec3::ZERO, Vec3::new(6.0, 4.0, 2.5))?;
/// let on_the_floor = Obb::axis_aligned(Vec3::new(3.0, 2.0, 0.5), Vec3::splat(0.5));
/// let found = room.enclosure(&on_the_floor);
/// assert_eq!(found.state, EnclosureState::Crossing);
/// assert_eq!(found.walls, Room::MIN_Z);
///
/// let tilted = Obb::new(Vec3::new(5.5, 2.0, 1.0), Vec3::splat(0.5), Quat::from_rotation_z(0.1));
/// assert_eq!(room.enclosure(&tilted).walls, Room::MAX_X);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Room {
    /// The center is half the sum of these two, in the world, to avoid rounding.
    pub(crate) center: [Vec3; 2],
    /// The half extents are half the sum of these two.
    pub(crate) half_extents: [Vec3; 2],
    /// The rotation from the room's frame to the world.
    pub(crate) rotation: Quat,
}

impl Room {
    /// Returns two points, in the world, whose half sum is the center, because the center itself
    /// may not be an `f32`.
    pub const fn centers(&self) -> [Vec3; 2] {
        self.center
    }

    /// Returns two vectors, in the room's frame, whose half sum is the half extents.
    pub const fn half_extents(&self) -> [Vec3; 2] {
        self.half_extents
    }

    /// The rotation from the room's frame to the world.
    pub const fn rotation(&self) -> Quat {
        self.rotation
    }

    /// The bit of the wall at the smallest x, in the room's own axes.
    pub const MIN_X: u8 = 1;
    /// The bit of the wall at the largest x, in the room's own axes.
    pub const MAX_X: u8 = 2;
    /// The bit of the wall at the smallest y, in the room's own axes.
    pub const MIN_Y: u8 = 4;
    /// The bit of the wall at the largest y, in the room's own axes.
    pub const MAX_Y: u8 = 8;
    /// The bit of the wall at the smallest z, in the room's own axes.
    pub const MIN_Z: u8 = 16;
    /// The bit of the wall at the largest z, in the room's own axes.
    pub const MAX_Z: u8 = 32;

    /// Creates the axis-aligned room from `min` to `max`, in world space and the caller's unit.
    ///
    /// # Errors
    /// [`Error::InvalidRegion`] if a number is not finite or beyond
    /// [`COORDINATE_LIMIT`](crate::shape::COORDINATE_LIMIT), if `min` is above `max`, or if the two
    /// are equal in a coordinate: a room without depth has no inside.
    pub fn new(min: Vec3, max: Vec3) -> Result<Self> {
        let bounds = Aabb::new(min, max);
        expect(bounds.problem(), min.cmpeq(max).any())?;
        Ok(Self::of_aabb(&bounds))
    }

    /// Creates a room of any orientation, from its center in world space, half of its size along
    /// each of its own axes, and the rotation from its frame to the world, interpreted like that of
    /// a box ([`Obb::rotation`]).
    ///
    /// # Errors
    /// [`Error::InvalidRegion`] if these make an invalid box ([`Obb::problem`]), or if a half
    /// extent is zero.
    pub fn oriented(center: Vec3, half_extents: Vec3, rotation: Quat) -> Result<Self> {
        let solid = Obb::new(center, half_extents, rotation);
        expect(solid.problem(), half_extents.cmpeq(Vec3::ZERO).any())?;
        Ok(Self::of_obb(&solid))
    }

    /// Turns the room about its center: its own axes become the columns of `rotation`'s matrix.
    ///
    /// # Errors
    /// [`Error::InvalidRegion`] if the quaternion is not finite, or its length is not 1
    /// ([`BoxProblem::Rotation`]).
    pub fn turned(self, rotation: Quat) -> Result<Self> {
        expect(Obb::new(Vec3::ZERO, Vec3::ONE, rotation).problem(), false)?;
        Ok(Self { rotation, ..self })
    }

    /// Returns the room from min to max, flat or not.
    pub(crate) fn of_aabb(bounds: &Aabb) -> Self {
        Self {
            center: [bounds.min, bounds.max],
            half_extents: [bounds.max, -bounds.min],
            rotation: Quat::IDENTITY,
        }
    }

    /// Returns the solid of a box, flat or not.
    pub(crate) fn of_obb(obb: &Obb) -> Self {
        Self {
            center: [obb.center; 2],
            half_extents: [obb.half_extents; 2],
            rotation: obb.rotation,
        }
    }
}

/// Returns the bit of the wall at the lower (0) or upper (1) end of an axis.
pub(crate) const fn wall(axis: usize, side: usize) -> u8 {
    1 << (2 * axis + side)
}

/// Returns an error if a room has a problem, or is flat.
fn expect(problem: Option<BoxProblem>, flat: bool) -> Result<()> {
    let problem = match (problem, flat) {
        (Some(problem), _) => RegionProblem::Solid(problem),
        (None, true) => RegionProblem::Flat,
        (None, false) => return Ok(()),
    };
    Err(Error::InvalidRegion { what: "room", problem })
}

/// The position of a box relative to a room; see [`Room`] for the definitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum EnclosureState {
    /// It reaches no wall: it lies entirely in the interior of the room.
    #[default]
    Inside,
    /// It shares a point with the room and with at least one wall.
    Crossing,
    /// It shares no point with the room.
    Outside,
}

impl EnclosureState {
    /// Returns "inside", "crossing" or "outside".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inside => "inside",
            Self::Crossing => "crossing",
            Self::Outside => "outside",
        }
    }
}

/// The relation of a box to a room, in two bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Enclosure {
    /// Inside, crossing or outside.
    pub state: EnclosureState,
    /// The walls reached: [`Room::MIN_X`] and so on.
    pub walls: u8,
}

impl Enclosure {
    /// Set in the `u32` of a recorded frame if `f32` could not decide: the mask then includes walls
    /// possibly reached, and the body counts as crossing unless it is certainly outside.
    pub const UNDECIDED: u32 = 1 << 10;
    /// Set in the `u32` of a recorded frame if the body is invalid; all other bits are then
    /// meaningless.
    pub const INVALID: u32 = 1 << 11;
    /// The position of the state in the `u32`: 0 inside, 1 crossing, 2 outside.
    pub(crate) const STATE_SHIFT: u32 = 8;

    /// Decodes a `u32` written by
    /// [`EnclosuresOf`](crate::gpu::EnclosuresOf).
    ///
    /// The walls are in bits 0 to 5, the state in bits 8 and 9.
    pub const fn from_bits(bits: u32) -> Self {
        let state = match bits >> Self::STATE_SHIFT & 3 {
            0 => EnclosureState::Inside,
            1 => EnclosureState::Crossing,
            _ => EnclosureState::Outside,
        };
        Self {
            state,
            walls: bits as u8 & 0x3F,
        }
    }

    pub(crate) const fn new(walls: u8, outside: bool) -> Self {
        let state = match (outside, walls) {
            (true, _) => EnclosureState::Outside,
            (false, 0) => EnclosureState::Inside,
            (false, _) => EnclosureState::Crossing,
        };
        Self { state, walls }
    }
}
