//! Elementary tests: bounding spheres, axis-aligned boxes, and each of them against oriented boxes.
//!
//! Callers with their own broad phase run one of these before an expensive test.
//! `benches/elementary.rs` prints the share that each rejects on the named scenes, and its cost.
//! Touching counts in all of them. Tests between two axis-aligned boxes, and between an
//! axis-aligned and an oriented box, are exact. Tests with a sphere are conservative: they never
//! miss a contact, but report solids as touching that are apart by less than about 1e-14 of their
//! size and distance.

use glam::{DVec3, Vec3};

use crate::geometry::aabb::Aabb;
use crate::geometry::rotation::dmat3;
use crate::geometry::rounding::above;
use crate::narrow_phase::obb_obb::separating_axes::ERROR_FACTOR;
use crate::regions::enclosure_cpu::is_outside;
use crate::regions::frame::Frame;
use crate::regions::room::Room;
use crate::shapes::obb::record::Obb;

/// A factor on squared distances that covers their rounding in f64, about 4 times 2^-52.
const WIDER: f64 = 1.0 + 16.0 * f64::EPSILON;

/// A solid sphere in world space: the points at most `radius` from `center`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct BoundingSphere {
    /// The center, in the caller's unit.
    pub center: Vec3,
    /// The radius, >= 0.
    pub radius: f32,
}

impl BoundingSphere {
    /// Creates the sphere with this center and radius, which must not be negative.
    pub const fn new(center: Vec3, radius: f32) -> Self {
        Self { center, radius }
    }

    /// Creates a sphere from the numbers of any library, as [`Obb::from_arrays`] does.
    pub fn from_arrays(center: impl Into<[f32; 3]>, radius: f32) -> Self {
        Self::new(Vec3::from_array(center.into()), radius)
    }

    /// Returns center and radius: the arguments of [`BoundingSphere::from_arrays`].
    pub const fn to_arrays(&self) -> ([f32; 3], f32) {
        (self.center.to_array(), self.radius)
    }

    /// Returns `true` if the two spheres share a point.
    ///
    /// Conservative: `false` is always right. O(1), without a square root.
    ///
    /// ```
    /// use obbligato::{glam::Vec3, shape::BoundingSphere};
    /// let [a, b] = [0.0, 3.0].map(|x| BoundingSphere::new(Vec3::new(x, 0.0, 0.0), 1.5));
    /// assert!(a.overlaps(&b));
    /// ```
    pub fn overlaps(&self, other: &Self) -> bool {
        let d = other.center.as_dvec3() - self.center.as_dvec3();
        let reach = f64::from(self.radius) + f64::from(other.radius);
        d.length_squared() <= reach * reach * WIDER
    }

    /// Returns `true` if the sphere and an axis-aligned box share a point: if the box's nearest
    /// point to the center is near enough (Arvo, "A Simple Method for Box-Sphere Intersection
    /// Testing", Graphics Gems, 1990).
    ///
    /// Conservative: `false` is always right. O(1).
    pub fn overlaps_aabb(&self, bounds: &Aabb) -> bool {
        let center = self.center.as_dvec3();
        let beyond = (bounds.min.as_dvec3() - center)
            .max(center - bounds.max.as_dvec3())
            .max(DVec3::ZERO);
        let radius = f64::from(self.radius);
        beyond.length_squared() <= radius * radius * WIDER
    }

    /// Returns `true` if the sphere and an oriented box share a point:
    /// [`BoundingSphere::overlaps_aabb`] in the frame of the box.
    ///
    /// Conservative: `false` is always right if the box is valid ([`Obb::problem`]). O(1).
    pub fn overlaps_obb(&self, obb: &Obb) -> bool {
        let (axes, n) = dmat3(obb.rotation.as_dquat());
        let h = obb.half_extents.as_dvec3();
        let t = axes.transpose() * (self.center.as_dvec3() - obb.center.as_dvec3());
        // All lengths are |q|² times too long. The bound is that of the narrow phase, which has
        // more operations.
        let error = ERROR_FACTOR * f64::EPSILON * (t.abs().element_sum() + h.element_sum());
        let beyond = (t.abs() - n * h - error).max(DVec3::ZERO);
        let radius = n * f64::from(self.radius);
        beyond.length_squared() <= radius * radius * WIDER
    }
}

impl Obb {
    /// Returns the sphere around the box, centered on it; the radius is rounded up.
    pub fn bounding_sphere(&self) -> BoundingSphere {
        let radius = above(self.half_extents.as_dvec3().length() * WIDER);
        BoundingSphere::new(self.center, radius)
    }
}

impl Aabb {
    /// [`Aabb::overlaps`] by six successive comparisons that stop at the first failure.
    ///
    /// Exact. Faster if most pairs are apart along the first axes and the processor predicts it;
    /// otherwise the branchless [`Aabb::overlaps`] is faster.
    pub fn overlaps_early_exit(&self, other: &Self) -> bool {
        self.min.x <= other.max.x
            && other.min.x <= self.max.x
            && self.min.y <= other.max.y
            && other.min.y <= self.max.y
            && self.min.z <= other.max.z
            && other.min.z <= self.max.z
    }

    /// Returns `true` if this box and an oriented box share a point, by all fifteen axes.
    ///
    /// Exact if both are valid ([`Aabb::problem`], [`Obb::problem`]): this box has exactly its two
    /// stored corners, and nothing is rounded. O(1). For one box against many,
    /// [`Region::active`](crate::region::Region::active) is faster.
    ///
    /// ```
    /// use obbligato::{glam::{Quat, Vec3}, shape::Aabb, Obb};
    /// let bounds = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// let turned = Obb::new(Vec3::new(1.9, 1.9, 0.5), Vec3::ONE, Quat::from_rotation_z(0.785));
    /// assert!(bounds.overlaps(&turned.bounds()));
    /// assert!(!bounds.overlaps_obb(&turned));
    /// ```
    pub fn overlaps_obb(&self, obb: &Obb) -> bool {
        let room = Room::of_aabb(self);
        !is_outside(&room, &Frame::new(&room), obb.into())
    }
}
