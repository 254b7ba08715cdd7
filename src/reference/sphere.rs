//! Bounding spheres, which spare the test of boxes far apart.

use glam::DVec3;

use crate::shapes::obb::record::Obb;

/// Widens the squared reach of the bounding spheres, so that rounding never loses a pair before its test.
const SPHERE_MARGIN: f64 = 1.0 + 1e-12;

/// A ball that contains a box.
pub(super) struct Sphere {
    center: DVec3,
    radius: f64,
}

impl Sphere {
    pub(super) fn around(solid: &Obb) -> Self {
        Self {
            center: solid.center.as_dvec3(),
            radius: solid.half_extents.as_dvec3().length(),
        }
    }

    /// False only if the boxes inside are certainly apart.
    pub(super) fn reaches(&self, other: &Self) -> bool {
        let reach = self.radius + other.radius;
        self.center.distance_squared(other.center) <= reach * reach * SPHERE_MARGIN
    }
}
