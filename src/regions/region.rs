//! Regions of space that select bodies.

use crate::base::problem::{BoxProblem, RegionProblem};
use glam::{DVec3, Mat4, Vec4};

use crate::base::error::{Error, Result};
use crate::geometry::aabb::Aabb;
use crate::geometry::rotation::dmat3;
use crate::narrow_phase::obb_obb::separating_axes::ERROR_FACTOR;
use crate::narrow_phase::round::bodies::Core;
use crate::regions::enclosure_cpu::{is_outside, map_valid};
use crate::regions::frame::Frame;
use crate::regions::room::Room;
use crate::shapes::bodies::set::{Bodies, BodyRef};
use crate::shapes::obb::record::Obb;

/// A part of space that selects the bodies that matter.
///
/// A box, a capsule or a sphere is *active* in a region unless it lies wholly outside. For
/// [`Aabb`]s, [`Obb`]s and [`Room`]s this is exact: a body is active if and only if it shares a
/// point with the region, as closed solids, without rounding. For a [`Frustum`] it is conservative:
/// a body is inactive only if it lies wholly on the outer side of one of the planes, so some bodies
/// near an edge of the frustum are active without meeting it. The answers are the same on every
/// machine.
///
/// ```
/// use obbligato::{glam::Vec3, region::Region, shape::Aabb, Obb};
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
    /// The inside of an axis-aligned box, which may be flat.
    Aabb(Aabb),
    /// The inside of an oriented box, which may be flat; its groups are ignored.
    Obb(Obb),
    /// The inside of a room.
    Room(Room),
    /// The view volume of a camera, or the intersection of any six half-spaces.
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
    /// Returns, for each body in order, `true` if it is active. O(n), on all cores with the feature
    /// `rayon`.
    ///
    /// The bodies are a slice, an array or a vector of one kind, or [`Bodies`].
    ///
    /// # Errors
    /// [`Error::InvalidBox`] names the first bad body and the number of bad bodies;
    /// [`Error::InvalidRegion`] if the region is an invalid box.
    pub fn active<'a>(&self, bodies: impl Into<Bodies<'a>>) -> Result<Vec<bool>> {
        let bodies = bodies.into();
        let room = match self {
            Self::Aabb(bounds) => expect(bounds.problem()).map(|()| Room::of_aabb(bounds))?,
            Self::Obb(solid) => expect(solid.problem()).map(|()| Room::of_obb(solid))?,
            Self::Room(room) => *room,
            Self::Frustum(frustum) => return map_valid(bodies, |body| !frustum.excludes(body)),
        };
        let frame = Frame::new(&room);
        map_valid(bodies, |body| !is_outside(&room, &frame, body))
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

/// Six half-spaces whose intersection is the view volume of a camera: a convex set.
///
/// Planes from a matrix are numbered left, right, bottom, top, near, far, from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frustum {
    planes: [Plane; 6],
}

/// The points p with `normal . p + offset >= 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Plane {
    /// The inward normal, of any length.
    normal: DVec3,
    offset: f64,
}

impl Frustum {
    /// Creates a frustum of the points `p` for which each plane has
    /// `x p.x + y p.y + z p.z + w >= 0`, in world space and the caller's unit. Normals point
    /// inwards and may have any length. A zero normal with `w >= 0` bounds nothing; use it for
    /// frusta with fewer planes.
    ///
    /// # Errors
    /// [`Error::InvalidRegion`] if a plane has a number that is not finite, or nothing on its inner
    /// side.
    pub fn from_planes(planes: [Vec4; 6]) -> Result<Self> {
        let planes = planes.map(|plane| Plane {
            normal: plane.truncate().as_dvec3(),
            offset: plane.w.into(),
        });
        Self::new(planes)
    }

    /// Creates the view volume of a camera, from the matrix that takes world points to clip space
    /// (projection times view, for column vectors): the points with `-w <= x <= w`, `-w <= y <= w`
    /// and `0 <= z <= w` there.
    ///
    /// These are the clip conventions of wgpu, Vulkan, Metal and Direct3D, and of the `directx` and
    /// `vulkan` functions in glam's [`camera`](glam::camera): of either handedness, reversed, and
    /// also without a far plane. OpenGL's `-w <= z <= w` would lose its near part: use a matrix for
    /// 0 to w, or [`Frustum::from_planes`]. The planes are sums of the matrix's rows (Gribb and
    /// Hartmann, "Fast Extraction of Viewing Frustum Planes from the World-View-Projection Matrix",
    /// 2001).
    ///
    /// ```
    /// use obbligato::glam::camera::rh::{proj::directx::perspective, view::look_at_mat4};
    /// use obbligato::{glam::Vec3, region::{Frustum, Region}, Obb};
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
    /// Those of [`Frustum::from_planes`].
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

    /// Returns `true` if a valid body certainly lies wholly on the outer side of one plane.
    ///
    /// All terms are scaled by |q|² to avoid division. The quaternion's matrix is off by less than
    /// 8 times the error of one rounding, 2^-53, its product with a normal by 3 times more,
    /// everything else by less: 48 times 2^-52 is ample.
    fn excludes(&self, body: BodyRef<'_>) -> bool {
        match Core::from(body) {
            Core::Box(obb) => {
                let (axes, n) = dmat3(obb.rotation.as_dquat());
                let (center, h) = (obb.center.as_dvec3(), obb.half_extents.as_dvec3());
                let extent = |normal: DVec3| (axes.transpose() * normal).abs().dot(h);
                self.excludes_solid(center, n, h.element_sum(), extent)
            }
            Core::Round(round) => {
                let (core, radius) = (round.segment(), f64::from(round.radius));
                let half = core.half * core.along;
                let extent = |normal: DVec3| normal.dot(half).abs() + radius * normal.length();
                self.excludes_solid(core.middle, 1.0, half.abs().element_sum() + radius, extent)
            }
        }
    }

    /// [`excludes`](Self::excludes) for a solid that reaches `extent` from its center along a
    /// normal, times `n`, and nowhere further than `size`.
    fn excludes_solid(&self, center: DVec3, n: f64, size: f64, extent: impl Fn(DVec3) -> f64) -> bool {
        let reach = center.abs().element_sum() + size;
        self.planes.iter().any(|&Plane { normal, offset }| {
            let highest = n * (normal.dot(center) + offset) + extent(normal);
            let size = normal.abs().element_sum() * reach + offset.abs();
            highest < -(ERROR_FACTOR * f64::EPSILON * size)
        })
    }
}
