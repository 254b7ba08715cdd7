//! Regions: which boxes matter.

use glam::{DVec3, Mat4, Vec4};

use crate::narrow_phase::ERROR_FACTOR;
use crate::room::Room;
use crate::room::enclosure_cpu::{Frame, is_outside, map_valid, matrix};
use crate::{Aabb, BoxProblem, Error, Obb, Result};

/// A part of space, to pick the boxes that matter by.
///
/// A box is *active* in a region unless it lies wholly outside. For [`Aabb`]s, [`Obb`]s and [`Room`]s that is exact: a box is
/// active if and only if it shares a point with the region, as closed solids, without rounding. For a [`Frustum`] it is
/// conservative: a box is inactive only if it lies wholly on the outer side of one of the planes, so some boxes near an
/// edge of the frustum are active though they do not meet it. The answers are the same on every machine.
///
/// ```
/// use obbligato::{Aabb, Obb, Region, glam::Vec3};
/// # fn main() -> obbligato::Result<()> {
/// let boxes = [0.0, 3.0, 9.0].map(|x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE));
/// let near = Region::from(Aabb::new(Vec3::ZERO, Vec3::splat(2.0)));
/// // The second box touches the region.
/// assert_eq!(near.active(&boxes)?, [true, true, false]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Region {
    /// What is within an axis-aligned box, which may be flat.
    Aabb(Aabb),
    /// What is within an oriented box, which may be flat; its groups are not looked at.
    Obb(Obb),
    /// What is within a room.
    Room(Room),
    /// What a camera sees, or what is within any six half-spaces.
    Frustum(Frustum),
}

impl From<Aabb> for Region {
    fn from(bounds: Aabb) -> Self {
        Self::Aabb(bounds)
    }
}

impl From<Obb> for Region {
    fn from(solid: Obb) -> Self {
        Self::Obb(solid)
    }
}

impl From<Room> for Region {
    fn from(room: Room) -> Self {
        Self::Room(room)
    }
}

impl From<Frustum> for Region {
    fn from(frustum: Frustum) -> Self {
        Self::Frustum(frustum)
    }
}

impl Region {
    /// Whether each of `boxes` is active, in their order. O(n), on all cores with the feature `rayon`.
    ///
    /// # Errors
    /// [`Error::InvalidBox`] names the first bad box and says how many there are; [`Error::InvalidRegion`] if the region is a
    /// box that is none.
    pub fn active(&self, boxes: &[Obb]) -> Result<Vec<bool>> {
        let room = match self {
            Self::Aabb(bounds) => expect(bounds.problem()).map(|()| Room::of_aabb(bounds))?,
            Self::Obb(solid) => expect(solid.problem()).map(|()| Room::of_obb(solid))?,
            Self::Room(room) => *room,
            Self::Frustum(frustum) => return map_valid(boxes, |obb| !frustum.excludes(obb)),
        };
        let frame = Frame::new(&room);
        map_valid(boxes, |obb| !is_outside(&room, &frame, obb))
    }
}

fn expect(problem: Option<BoxProblem>) -> Result<()> {
    match problem {
        Some(problem) => Err(Error::InvalidRegion {
            what: "region",
            problem: problem.into(),
        }),
        None => Ok(()),
    }
}

/// What is wrong with a room or a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegionProblem {
    /// It is a box with this problem.
    #[error(transparent)]
    Solid(#[from] BoxProblem),
    /// A room that has no extent along one of its axes, and so no inside.
    #[error("has no extent along one of its axes")]
    Flat,
    /// A plane of a frustum with a NaN or an infinity in it.
    #[error("has a number that is NaN or infinite in plane {0}")]
    NotFinite(usize),
    /// A plane of a frustum with all space on its outer side: a normal of zero with a negative offset.
    #[error("has nothing on the inner side of plane {0}")]
    Empty(usize),
}

/// Six half-spaces whose common part is what a camera sees: a convex set.
///
/// Planes are numbered left, right, bottom, top, near, far, from 0, where they come from a matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frustum {
    planes: [Plane; 6],
}

/// The points p with `normal . p + offset >= 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Plane {
    /// Inwards, of any length.
    normal: DVec3,
    offset: f64,
}

impl Frustum {
    /// The points `p` for which each plane has `x p.x + y p.y + z p.z + w >= 0`, in the world and the caller's unit. So
    /// normals point inwards; they may have any length. A normal of zero with `w >= 0` bounds nothing, which makes frusta of
    /// fewer planes.
    ///
    /// # Errors
    /// [`Error::InvalidRegion`] if a plane has a number that is not finite, or nothing on its inner side.
    pub fn from_planes(planes: [Vec4; 6]) -> Result<Self> {
        let planes = planes.map(|plane| Plane {
            normal: plane.truncate().as_dvec3(),
            offset: plane.w.into(),
        });
        Self::new(planes)
    }

    /// What a camera sees, from the matrix that takes points of the world to clip space (projection times view, for
    /// columns): the points with `-w <= x <= w`, `-w <= y <= w` and `0 <= z <= w` there.
    ///
    /// These are the clip conventions of wgpu, Vulkan, Metal and Direct3D, and of the functions in glam's
    /// [`camera`](glam::camera) for `directx` and `vulkan`: of either hand, reversed, and without a far plane too. For OpenGL's
    /// `-w <= z <= w` the near part is cut off: use a matrix for 0 to w, or [`Frustum::from_planes`]. The planes are sums of the matrix's rows (Gribb and Hartmann,
    /// "Fast Extraction of Viewing Frustum Planes from the World-View-Projection Matrix", 2001).
    ///
    /// ```
    /// use obbligato::glam::camera::rh::{proj::directx::perspective, view::look_at_mat4};
    /// use obbligato::{Frustum, Obb, Region, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let view = look_at_mat4(Vec3::new(0.0, -10.0, 2.0), Vec3::ZERO, Vec3::Z);
    /// let projection = perspective(1.0, 16.0 / 9.0, 0.1, 100.0);
    /// let seen = Region::from(Frustum::from_view_projection(projection * view)?);
    /// let boxes = [0.0, -30.0, 200.0].map(|y| Obb::axis_aligned(Vec3::new(0.0, y, 0.0), Vec3::ONE));
    /// assert_eq!(seen.active(&boxes)?, [true, false, false]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Frustum::from_planes`].
    pub fn from_view_projection(matrix: Mat4) -> Result<Self> {
        let [x, y, z, w] = [0, 1, 2, 3].map(|k| matrix.row(k).as_dvec4());
        let planes = [w + x, w - x, w + y, w - y, z, w - z].map(|plane| Plane {
            normal: plane.truncate(),
            offset: plane.w,
        });
        Self::new(planes)
    }

    fn new(planes: [Plane; 6]) -> Result<Self> {
        for (index, Plane { normal, offset }) in planes.iter().enumerate() {
            let problem = if !normal.is_finite() || !offset.is_finite() {
                RegionProblem::NotFinite(index)
            } else if *normal == DVec3::ZERO && *offset < 0.0 {
                RegionProblem::Empty(index)
            } else {
                continue;
            };
            return Err(Error::InvalidRegion {
                what: "frustum",
                problem,
            });
        }
        Ok(Self { planes })
    }

    /// Whether a valid box lies wholly on the outer side of one plane, for sure.
    ///
    /// Times |q|², so that nothing is divided. The quaternion's matrix is off by less than 8 times the error of one
    /// rounding, 2^-53, its product with a normal by 3 times more, all else by less: 48 times 2^-52 is ample.
    fn excludes(&self, obb: &Obb) -> bool {
        let (axes, n) = matrix(obb.rotation);
        let (center, h) = (obb.center.as_dvec3(), obb.half_extents.as_dvec3());
        let reach = center.abs().element_sum() + h.element_sum();
        self.planes.iter().any(|&Plane { normal, offset }| {
            let highest = n * (normal.dot(center) + offset) + (axes.transpose() * normal).abs().dot(h);
            let size = normal.abs().element_sum() * reach + offset.abs();
            highest < -(ERROR_FACTOR * f64::EPSILON * size)
        })
    }
}
