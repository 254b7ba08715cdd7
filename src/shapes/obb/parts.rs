//! The corners, faces and axes of an oriented box, in `f64`.

use glam::{DMat3, DQuat, DVec3};

use crate::geometry::feature::on_sides;
use crate::geometry::plane::Plane;
use crate::geometry::rotation::dmat3;
use crate::shapes::obb::record::Obb;

impl Obb {
    /// Returns the eight corners in the world, in the order of
    /// [`Feature::Corner`](crate::contact::Feature::Corner).
    ///
    /// ```
    /// use obbligato::{Obb, glam::{DVec3, Vec3}};
    /// let corners = Obb::axis_aligned(Vec3::ZERO, Vec3::new(3.0, 2.0, 1.0)).corners();
    /// assert_eq!(corners[0], DVec3::new(-3.0, -2.0, -1.0));
    /// assert_eq!(corners[5], DVec3::new(3.0, -2.0, 1.0));
    /// ```
    pub fn corners(&self) -> [DVec3; 8] {
        let (axes, half) = (rotation(self), self.half_extents.as_dvec3());
        let center = self.center.as_dvec3();
        std::array::from_fn(|corner| center + axes * on_sides(half, corner as u8))
    }

    /// Returns the outward unit normals of the six faces, in the world, in the order of
    /// [`Feature::Face`](crate::contact::Feature::Face).
    pub fn face_normals(&self) -> [DVec3; 6] {
        let axes = rotation(self);
        std::array::from_fn(|face| match face % 2 {
            0 => -axes.col(face / 2),
            _ => axes.col(face / 2),
        })
    }

    /// Returns the planes of the six faces, with outward normals, in the order of
    /// [`Feature::Face`](crate::contact::Feature::Face). The box is the set of points below all of
    /// them.
    ///
    /// ```
    /// use obbligato::{Obb, glam::{DVec3, Vec3}};
    /// let slab = Obb::axis_aligned(Vec3::ZERO, Vec3::new(3.0, 2.0, 1.0));
    /// let heights = slab.face_planes().map(|plane| plane.signed_distance(DVec3::new(4.0, 0.0, 0.0)));
    /// assert_eq!(heights, [-7.0, 1.0, -2.0, -2.0, -1.0, -1.0]);
    /// ```
    pub fn face_planes(&self) -> [Plane; 6] {
        let (center, half) = (self.center.as_dvec3(), self.half_extents.as_dvec3());
        let normals = self.face_normals();
        std::array::from_fn(|face| Plane::new(center + half[face / 2] * normals[face], normals[face]))
    }
}

/// Returns the rotation from the frame of a box to the world.
pub(crate) fn rotation(obb: &Obb) -> DMat3 {
    rotation_of(obb.rotation.as_dquat())
}

/// Returns `M(q) / |q|²`.
pub(crate) fn rotation_of(q: DQuat) -> DMat3 {
    let (matrix, length_squared) = dmat3(q);
    matrix * (1.0 / length_squared)
}
