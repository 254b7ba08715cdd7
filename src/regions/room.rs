//! Rooms: which of six walls each box reaches, and whether it is inside, crossing or outside.
//!
//! # How the answer is computed
//!
//! In the frame of the room, where the room is an interval with half extents H, let r be the room's unit axes, M(q) and
//! n = |q|² those of the stored quaternion q of the box as in the [narrow phase](crate::narrow_phase), and c_R the
//! center of the room:
//!
//! ```text
//! d = c - c_R,  t_k = r_k . d,  C_kj = r_k . (column j of M),  R_k = |C_k0| h_0 + |C_k1| h_1 + |C_k2| h_2
//!
//! wall at min of axis k is reached:    n (H_k + t_k) - R_k <= 0
//! wall at max of axis k is reached:    n (H_k - t_k) - R_k <= 0
//! outside: some axis has F > 0
//!     face k of the room:              F = n (|t_k| - H_k) - R_k
//!     face j of the box:               F = |t . C_j| - n h_j - (|C_0j| H_0 + |C_1j| H_1 + |C_2j| H_2)
//!     edges k, j:                      F = |t_(k+2) C_(k+1)j - t_(k+1) C_(k+2)j| - (H_(k+1) |C_(k+2)j|
//!                                          + H_(k+2) |C_(k+1)j| + h_(j+1) |C_k(j+2)| + h_(j+2) |C_k(j+1)|)
//! ```
//!
//! Everything carries the factor n. `shaders/regions/enclosure.wgsl` computes it in `f32`, [`enclosure_cpu`] in `f64`, each
//! with three answers, from axes, half extents and center that the host computed in `f64`. What they leave undecided is
//! decided in whole numbers ([`wide_room`](crate::narrow_phase::exact::wide_room)), or as intervals for upright boxes.
//!
//! # The error bound
//!
//! `E = K u Z + slack`, with `Z = |t|_1 + |H|_1 + |h|_1`, K = [`ERROR_FACTOR`](crate::narrow_phase::ERROR_FACTOR) = 48
//! and u as in the narrow phase: twice the error of rounding to nearest, for operations in any order, fused or not. To
//! first order, in units of u:
//!
//! - r: each vector is off by less than 4 u' from the quaternion's length, 9 u' from its matrix and 1 u' from the
//!   division, u' = 2^-53. This is 7 u in `f64`, and 1 u after rounding to `f32`. H, and d apart from the slack: 1.
//! - t: 3 for the sum, 7 for r, 1 for d, on a length of at most |d|: 11 |d| per component.
//! - C: 3 for the sum, 7 for r, 5 for a column of M (its errors are 4, 2 and 2): 15 n. n itself: 4 n.
//! - Walls and faces of the room: 11 + 4 + 3 on t, 4 + 1 + 3 on H, 15 + 4 on h.
//! - Faces of the box: 11 sqrt(3) + 15 + 4 < 39 on t, 15 + 1 + 4 on H, 4 + 3 on h.
//! - Edges: 11 sqrt(2) + 15 + 4 < 35 on t, 15 + 1 + 4 on H, 15 + 4 on h.
//!
//! 48 leaves room for n <= 1.0021, for second-order terms and the rounding of E. The rule for nearly parallel edges is
//! that of the narrow phase ([`KAPPA`](crate::narrow_phase::KAPPA)); there the sine is off by 15 sqrt(2) u, which adds
//! less than 25 u Z and so keeps the sum below 2 E.
//!
//! The room's center is half the sum of two `f32`. As an `f64` it is exact, unless one of the two is so much larger
//! that the half extent is as long as the center is far away; then rounding it errs by less than u |H|_1 / 2. As an
//! `f32` it is off by much more where the room is far from the origin: the slack is four times the sum of the
//! coordinates' errors, which is weighted by the length of t alone. On the CPU there is no slack; on the GPU
//! [`FLUSH_ERROR_F32`](crate::narrow_phase::FLUSH_ERROR_F32) is added, which was derived for more operations than
//! these.

use glam::{Quat, Vec3};

use crate::base::error::{Error, Result};
use crate::base::problem::{BoxProblem, RegionProblem};
use crate::geometry::aabb::Aabb;
use crate::regions::enclosure_cpu::Frame;
use crate::shapes::obb::record::Obb;

/// A room with six walls, axis-aligned or turned, against which boxes are tested.
///
/// # What is reported
///
/// Room and box are closed solids. Along each axis of the room, it extends from min to max, and the box from lo to hi.
///
/// - **Walls** ([`Enclosure::walls`]): the wall at min is *reached* if lo <= min, the wall at max if hi >= max: some
///   point of the box is on the plane of the wall or beyond it. The mask of a box that meets the room thus names the
///   walls that it touches or crosses, and the mask of a box outside those that it is beyond, even partly. All 64 masks
///   occur; a box around the whole room reaches all six walls.
/// - **State** ([`EnclosureState`]): *inside* if no wall is reached, so a box that touches a wall is no longer inside;
///   *outside* if box and room share no point; *crossing* otherwise: such a box shares a point with at least one wall.
///
/// A wall counts as its plane, which has no edges. A box that crosses the room near an edge may reach the plane of a
/// second wall only where that wall has ended; this takes a turned box or room. [`Obb::contact`] with a flat box tells
/// whether it meets a particular rectangle. Whether a box is outside is decided for the solids, not for planes.
///
/// # Exactness
///
/// The answer is exact for the stored numbers, without rounding, for aligned and turned rooms, on every device: see
/// [`exactness`](crate::exactness). A room from min to max has exactly these two corners, and turns about the exact
/// midpoint between them.
///
/// ```
/// use obbligato::{EnclosureState, Obb, Room, glam::{Quat, Vec3}};
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
    /// From the room's frame to the world.
    pub(crate) rotation: Quat,
}

impl Room {
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

    /// The axis-aligned room from `min` to `max`, in the world and the caller's unit.
    ///
    /// # Errors
    /// [`Error::InvalidRegion`] if a number is not finite or beyond [`COORDINATE_LIMIT`](crate::COORDINATE_LIMIT), if
    /// `min` is above `max`, or if the two are equal in a coordinate: a room without depth has no inside.
    pub fn new(min: Vec3, max: Vec3) -> Result<Self> {
        let bounds = Aabb::new(min, max);
        expect(bounds.problem(), min.cmpeq(max).any())?;
        Ok(Self::of_aabb(&bounds))
    }

    /// A room of any orientation: its center in the world, half of its size along each of its own axes, and the
    /// rotation from its frame to the world, interpreted like that of a box ([`Obb::rotation`]).
    ///
    /// # Errors
    /// [`Error::InvalidRegion`] if these make an invalid box ([`Obb::problem`]), or if a half extent is zero.
    pub fn oriented(center: Vec3, half_extents: Vec3, rotation: Quat) -> Result<Self> {
        let solid = Obb::new(center, half_extents, rotation);
        expect(solid.problem(), half_extents.cmpeq(Vec3::ZERO).any())?;
        Ok(Self::of_obb(&solid))
    }

    /// The room turned about its center: its own axes become the columns of `rotation`'s matrix.
    ///
    /// # Errors
    /// [`Error::InvalidRegion`] if the quaternion is not finite, or its length is not 1 ([`BoxProblem::Rotation`]).
    pub fn turned(self, rotation: Quat) -> Result<Self> {
        expect(Obb::new(Vec3::ZERO, Vec3::ONE, rotation).problem(), false)?;
        Ok(Self { rotation, ..self })
    }

    /// How one box lies relative to the room, exactly. The box must be valid ([`Obb::problem`]), or the answer is
    /// arbitrary.
    ///
    /// For many boxes [`Room::enclosures`] is faster.
    pub fn enclosure(&self, obb: &Obb) -> Enclosure {
        crate::regions::enclosure_cpu::enclosure(self, &Frame::new(self), obb)
    }

    /// How each of `boxes` lies relative to the room, on the CPU, on all cores with the feature `rayon`. O(n).
    ///
    /// [`Checker::enclosures`](crate::Checker::enclosures) does the same on the checker's backend.
    ///
    /// # Errors
    /// [`Error::InvalidBox`] names the first bad box and how many there are.
    pub fn enclosures(&self, boxes: &[Obb]) -> Result<Vec<Enclosure>> {
        let frame = Frame::new(self);
        crate::regions::enclosure_cpu::map_valid(boxes, |obb| {
            crate::regions::enclosure_cpu::enclosure(self, &frame, obb)
        })
    }

    /// The room from min to max, flat or not.
    pub(crate) fn of_aabb(bounds: &Aabb) -> Self {
        Self {
            center: [bounds.min, bounds.max],
            half_extents: [bounds.max, -bounds.min],
            rotation: Quat::IDENTITY,
        }
    }

    /// The solid of a box, flat or not.
    pub(crate) fn of_obb(obb: &Obb) -> Self {
        Self {
            center: [obb.center; 2],
            half_extents: [obb.half_extents; 2],
            rotation: obb.rotation,
        }
    }
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

/// How a box lies relative to a room; see [`Room`] for the definitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// "inside", "crossing" or "outside".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inside => "inside",
            Self::Crossing => "crossing",
            Self::Outside => "outside",
        }
    }
}

/// The findings about a box in a room: two bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Enclosure {
    /// Inside, crossing or outside.
    pub state: EnclosureState,
    /// The walls reached: [`Room::MIN_X`] and so on.
    pub walls: u8,
}

impl Enclosure {
    /// Set in the `u32` of a recorded frame where `f32` could not decide: the mask then includes walls possibly
    /// reached, and the box counts as crossing unless it is certainly outside.
    pub const UNDECIDED: u32 = 1 << 10;
    /// Set in the `u32` of a recorded frame if the box is invalid; all other bits are then meaningless.
    pub const INVALID: u32 = 1 << 11;
    /// Position of the state in the `u32`: 0 inside, 1 crossing, 2 outside.
    pub(crate) const STATE_SHIFT: u32 = 8;

    /// Decodes a `u32` written by [`GpuChecker::record_enclosures`](crate::GpuChecker::record_enclosures).
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
