//! Bodies as the points within a radius of a box. The segment of a capsule and the center of a
//! sphere are boxes too.

use glam::{Quat, Vec3};

use crate::shapes::bodies::set::BodyRef;
use crate::shapes::obb::record::Obb;

/// All points within `radius` of a box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Core {
    /// The box itself, or a rod for a capsule and a point for a sphere, without width.
    pub obb: Obb,
    /// 0 for a box.
    pub radius: f32,
}

impl Core {
    /// Returns `true` if the body is all points within the radius of a point.
    pub fn is_point(&self) -> bool {
        self.obb.half_extents == Vec3::ZERO
    }

    /// Returns `true` if the body is all points within the radius of a segment.
    pub fn is_line(&self) -> bool {
        self.obb.half_extents.truncate() == glam::Vec2::ZERO
    }

    /// Returns the tight box around the body in its own frame: the cube around a sphere, and around
    /// a capsule a box with its rotation.
    pub fn around(&self) -> Obb {
        let half = self.obb.half_extents;
        let sum = f64::from(half.z) + f64::from(self.radius);
        let rounded = sum as f32;
        let above = if f64::from(rounded) < sum {
            rounded.next_up()
        } else {
            rounded
        };
        Obb {
            // Along x and y, one of the two numbers is 0.
            half_extents: Vec3::new(half.x + self.radius, half.y + self.radius, above),
            ..self.obb
        }
    }

    /// Returns the largest of its lengths.
    pub fn largest(&self) -> f32 {
        self.obb.half_extents.max_element().max(self.radius)
    }
}

impl From<BodyRef<'_>> for Core {
    fn from(body: BodyRef<'_>) -> Self {
        let point = |center| Obb::new(center, Vec3::ZERO, Quat::IDENTITY);
        match body {
            BodyRef::Box(obb) => Self { obb: *obb, radius: 0.0 },
            BodyRef::Capsule(capsule) => Self {
                obb: match capsule.half_length > 0.0 {
                    true => Obb::new(capsule.center, Vec3::Z * capsule.half_length, capsule.rotation),
                    false => point(capsule.center),
                }
                .with_groups(capsule.memberships, capsule.filter),
                radius: capsule.radius,
            },
            BodyRef::Sphere(sphere) => Self {
                obb: point(sphere.center),
                radius: sphere.radius,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::round::capsule::Capsule;
    use crate::shapes::round::sphere::Sphere;

    #[test]
    fn boxes_around_bodies_contain_them() {
        let capsule = Capsule::new(Vec3::X, 1.0, Quat::from_xyzw(0.0, 0.6, 0.0, 0.8), 1e-9).with_groups(2, 4);
        let around = Core::from(BodyRef::Capsule(&capsule)).around();
        assert_eq!(around.half_extents, Vec3::new(1e-9, 1e-9, 1f32.next_up()));
        assert_eq!(
            (around.rotation, around.memberships, around.filter),
            (capsule.rotation, 2, 4)
        );
        let ball = Sphere::new(Vec3::Y, 3.0);
        let around = Core::from(BodyRef::Sphere(&ball)).around();
        assert_eq!(around, Obb::axis_aligned(Vec3::Y, Vec3::splat(3.0)));
        let short = Capsule::new(Vec3::X, 0.0, capsule.rotation, 1.0);
        assert!(Core::from(BodyRef::Capsule(&short)).is_point());
    }
}
