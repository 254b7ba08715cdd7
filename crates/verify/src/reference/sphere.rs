//! Bounding spheres, which save the test of bodies far apart.

use glam::DVec3;

use obbligato::shape::BodyRef;

/// Widens the squared reach of the bounding spheres, so that rounding never loses a pair before its
/// test.
const SPHERE_MARGIN: f64 = 1.0 + 1e-12;

/// A sphere that contains a body.
pub(super) struct Sphere {
    center: DVec3,
    radius: f64,
}

impl Sphere {
    pub(super) fn around(body: BodyRef<'_>) -> Self {
        let (center, radius) = match body {
            BodyRef::Box(obb) => (obb.center, obb.half_extents.as_dvec3().length()),
            BodyRef::Capsule(capsule) => (
                capsule.center,
                f64::from(capsule.half_length) + f64::from(capsule.radius),
            ),
            BodyRef::Sphere(sphere) => (sphere.center, sphere.radius.into()),
        };
        Self {
            center: center.as_dvec3(),
            radius,
        }
    }

    /// Returns `false` only if the bodies inside are certainly apart.
    pub(super) fn reaches(&self, other: &Self) -> bool {
        let reach = self.radius + other.radius;
        self.center.distance_squared(other.center) <= reach * reach * SPHERE_MARGIN
    }
}
