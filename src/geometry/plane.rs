//! Planes.

use glam::DVec3;

/// A plane in the world, given by a point on it and its normal.
///
/// It stores a point rather than an offset, so that planes far from the origin keep their
/// precision.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Plane {
    /// A point on the plane, in the world.
    pub point: DVec3,
    /// The unit normal, in the world.
    pub normal: DVec3,
}

impl Plane {
    /// Creates the plane through a point, across a unit normal.
    pub const fn new(point: DVec3, normal: DVec3) -> Self {
        Self { point, normal }
    }

    /// Returns the height of a point above the plane along the normal, in the caller's unit;
    /// negative if it is below.
    pub fn signed_distance(&self, point: DVec3) -> f64 {
        self.normal.dot(point - self.point)
    }

    /// Returns the point where the segment between two points meets the plane: the first such point
    /// if the segment lies in the plane, `None` if both ends are on one side. An end on the plane
    /// counts as meeting it.
    ///
    /// ```
    /// use obbligato::{glam::DVec3, region::Plane};
    /// let floor = Plane::new(DVec3::ZERO, DVec3::Z);
    /// let crossing = floor.crossing(DVec3::new(2.0, 0.0, 3.0), DVec3::new(6.0, 0.0, -1.0));
    /// assert_eq!(crossing, Some(DVec3::new(5.0, 0.0, 0.0)));
    /// assert_eq!(floor.crossing(DVec3::Z, 2.0 * DVec3::Z), None);
    /// ```
    pub fn crossing(&self, from: DVec3, to: DVec3) -> Option<DVec3> {
        let (first, last) = (self.signed_distance(from), self.signed_distance(to));
        if first == 0.0 {
            return Some(from);
        }
        // The two distances differ, so this never divides by zero.
        let apart = (first > 0.0) != (last > 0.0) || last == 0.0;
        apart.then(|| from.lerp(to, first / (first - last)))
    }
}
