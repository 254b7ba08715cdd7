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
    #[inline(always)]
    pub fn is_point(&self) -> bool {
        self.obb.half_extents == Vec3::ZERO
    }

    /// Returns `true` if the body is all points within the radius of a segment.
    #[inline(always)]
    pub fn is_line(&self) -> bool {
        self.obb.half_extents.truncate() == glam::Vec2::ZERO
    }

    /// Returns the tight box around the body in its own frame: the cube around a sphere, and around
    /// a capsule a box with its rotation. A [capsule in the plane](crate::Capsule::in_plane) has a
    /// rotation that is too short for a box; it is made longer, and the box larger by what rounding
    /// may turn it.
    pub fn around(&self) -> Obb {
        const ROUNDING: f32 = 1.0 / (1u32 << 20) as f32;
        let (half, rotation) = (self.obb.half_extents, self.obb.rotation);
        // Along x and y, one of the two numbers is 0.
        let half = Vec3::new(half.x + self.radius, half.y + self.radius, above(half.z, self.radius));
        let is_short = rotation.length_squared() < 0.75;
        Obb {
            half_extents: if is_short { half + ROUNDING * half.z } else { half },
            rotation: if is_short { rotation.normalize() } else { rotation },
            ..self.obb
        }
    }

    /// Returns the largest half extent of [`around`](Self::around).
    #[inline(always)]
    pub fn largest_around(&self) -> f32 {
        let half = self.obb.half_extents;
        match self.radius == 0.0 {
            true => half.max_element(),
            false => above(half.z, self.radius),
        }
    }

    /// Returns the largest of its lengths.
    pub fn largest(&self) -> f32 {
        self.obb.half_extents.max_element().max(self.radius)
    }
}

/// Returns the sum of two numbers, rounded up.
fn above(x: f32, y: f32) -> f32 {
    let sum = f64::from(x) + f64::from(y);
    let rounded = sum as f32;
    if f64::from(rounded) < sum {
        rounded.next_up()
    } else {
        rounded
    }
}

impl BodyRef<'_> {
    /// Returns the radius of its [`Core`]: 0 for a box.
    #[inline(always)]
    pub(crate) fn radius(self) -> f32 {
        match self {
            Self::Box(_) => 0.0,
            Self::Capsule(capsule) => capsule.radius,
            Self::Sphere(sphere) => sphere.radius,
        }
    }

    /// Returns `true` if its core is a segment or a point.
    #[inline(always)]
    pub(crate) fn is_line(self) -> bool {
        match self {
            Self::Box(obb) => obb.half_extents.truncate() == glam::Vec2::ZERO,
            Self::Capsule(_) | Self::Sphere(_) => true,
        }
    }
}

impl From<BodyRef<'_>> for Core {
    #[inline(always)]
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
        assert_eq!(Core::from(BodyRef::Capsule(&capsule)).largest_around(), 1f32.next_up());
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
