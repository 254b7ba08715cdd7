//! The components of an entity that collides, and its shape in the world.

use bevy_ecs::prelude::{Component, ReflectComponent};
use bevy_math::{DMat3, DQuat, DVec3, Vec3};
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;
use bevy_transform::components::{GlobalTransform, Transform};
use obbligato::error::BoxProblem;
use obbligato::shape::{Aabb, BodyRef, COORDINATE_LIMIT};
use obbligato::{Capsule, Obb, Sphere};

/// The shape of an entity, around the origin of its [`Transform`].
///
/// All shapes are solid and closed: entities that share a single point collide. Lengths are in the
/// entity's own unit and are multiplied by the scale of its [`GlobalTransform`]. A box takes any
/// scale along its own axes. Capsules and spheres take a uniform one; a capsule has no other shape
/// under it. A collider with another scale, or one that shears, is left out, and reported as
/// [`ColliderRefused`](crate::ColliderRefused).
///
/// ```
/// use bevy_obbligato::prelude::*;
/// // One meter wide; and a person who is 1.8 m high.
/// let crate_ = Collider::cuboid(1.0, 1.0, 1.0);
/// let person = Collider::capsule(0.3, 1.2);
/// # let _ = (crate_, person);
/// ```
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(Transform)]
pub enum Collider {
    /// A box.
    Cuboid {
        /// Half of its size along each of its own axes, each at least 0.
        half_size: Vec3,
    },
    /// All points within `radius` of a segment along the entity's own y axis.
    Capsule {
        /// The radius around the segment, at least 0.
        radius: f32,
        /// Half of the segment's length, at least 0.
        half_length: f32,
    },
    /// A sphere.
    Sphere {
        /// The radius, at least 0.
        radius: f32,
    },
}

impl Collider {
    /// Creates a box of these full lengths, as Bevy's `Cuboid::new` does.
    pub const fn cuboid(x_length: f32, y_length: f32, z_length: f32) -> Self {
        let half_size = Vec3::new(0.5 * x_length, 0.5 * y_length, 0.5 * z_length);
        Self::Cuboid { half_size }
    }

    /// Creates a capsule along y, as Bevy's `Capsule3d::new` does: `length` is that of the segment,
    /// without the caps, so the capsule is `length + 2 * radius` high.
    pub const fn capsule(radius: f32, length: f32) -> Self {
        let half_length = 0.5 * length;
        Self::Capsule { radius, half_length }
    }

    /// Creates a sphere.
    pub const fn sphere(radius: f32) -> Self {
        Self::Sphere { radius }
    }

    /// Returns the shape in the world of an entity with this transform.
    ///
    /// # Errors
    /// The [`ColliderProblem`], if there is no such shape or it is invalid.
    pub(crate) fn placed(&self, transform: &GlobalTransform) -> Result<Body, ColliderProblem> {
        let frame = Frame::new(transform)?;
        let body = match *self {
            Self::Cuboid { half_size } => {
                let half_size = half_size.as_dvec3() * frame.scale;
                Body::Box(Obb::new(frame.center, half_size.as_vec3(), frame.rotation.as_quat()))
            }
            Self::Capsule { radius, half_length } => {
                let scale = frame.uniform_scale()?;
                let [radius, half_length] = [radius, half_length].map(|length| (f64::from(length) * scale) as f32);
                Body::Capsule(Capsule::along_y(
                    frame.center,
                    half_length,
                    frame.rotation.as_quat(),
                    radius,
                ))
            }
            Self::Sphere { radius } => {
                let radius = (f64::from(radius) * frame.uniform_scale()?) as f32;
                Body::Sphere(Sphere::new(frame.center, radius))
            }
        };
        body.checked()
    }
}

/// The frame of an entity: its transform without the scale, and the scale.
struct Frame {
    center: Vec3,
    rotation: DQuat,
    /// The factors along the entity's own axes, above 0.
    scale: DVec3,
}

impl Frame {
    /// The largest cosine of two axes that counts as a right angle, and the largest relative
    /// difference of factors that counts as none: 1e-4. The product of twenty rotations in `f32` is
    /// off by 1e-5 at most, and a rotation whose length is off by 1e-4, which Bevy accepts, by as
    /// much.
    const TOLERANCE: f64 = 1e-4;

    /// The largest difference of axes, by their products, from perpendicular unit vectors that
    /// counts as none: 1e-6, a few roundings of an `f32`. The scale is then 1.
    const ROUNDING: f64 = 1e-6;

    fn new(transform: &GlobalTransform) -> Result<Self, ColliderProblem> {
        let affine = transform.affine();
        let axes = DMat3::from_cols(
            affine.matrix3.x_axis.as_dvec3(),
            affine.matrix3.y_axis.as_dvec3(),
            affine.matrix3.z_axis.as_dvec3(),
        );
        let center = Vec3::from(affine.translation);
        if !axes.is_finite() || !center.is_finite() {
            return Err(ColliderProblem::NotFinite);
        }
        if let Some(rotation) = Self::rotation_alone(&axes) {
            return Ok(Self {
                center,
                rotation,
                scale: DVec3::ONE,
            });
        }
        let scale = DVec3::new(axes.x_axis.length(), axes.y_axis.length(), axes.z_axis.length());
        if scale.min_element() == 0.0 {
            return Err(ColliderProblem::ZeroScale);
        }
        let [x, y, mut z] = [axes.x_axis / scale.x, axes.y_axis / scale.y, axes.z_axis / scale.z];
        let skew = x.dot(y).abs().max(y.dot(z).abs()).max(z.dot(x).abs());
        if skew > Self::TOLERANCE {
            return Err(ColliderProblem::Sheared);
        }
        // All shapes are their own mirror images.
        if x.cross(y).dot(z) < 0.0 {
            z = -z;
        }
        Ok(Self {
            center,
            rotation: DQuat::from_mat3(&DMat3::from_cols(x, y, z)).normalize(),
            scale,
        })
    }

    /// Returns the rotation of an entity without a scale, which most are: for a small part of the
    /// square roots and divisions.
    fn rotation_alone(axes: &DMat3) -> Option<DQuat> {
        let [x, y, z] = [axes.x_axis, axes.y_axis, axes.z_axis];
        let squares = DVec3::new(x.dot(x), y.dot(y), z.dot(z)) - DVec3::ONE;
        let cosines = DVec3::new(x.dot(y), y.dot(z), z.dot(x));
        let farthest = squares.abs().max(cosines.abs()).max_element();
        if farthest > Self::ROUNDING || x.cross(y).dot(z) < 0.0 {
            return None;
        }
        let rotation = DQuat::from_mat3(axes);
        // A step of Newton's method, from within 1e-6.
        Some(rotation * (1.5 - 0.5 * rotation.length_squared()))
    }

    fn uniform_scale(&self) -> Result<f64, ColliderProblem> {
        let (least, most) = (self.scale.min_element(), self.scale.max_element());
        match most - least <= Self::TOLERANCE * most {
            true => Ok(self.scale.element_sum() / 3.0),
            false => Err(ColliderProblem::UnevenScale),
        }
    }
}

/// A collider in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Body {
    Box(Obb),
    Capsule(Capsule),
    Sphere(Sphere),
}

impl Body {
    pub fn as_ref(&self) -> BodyRef<'_> {
        match self {
            Self::Box(obb) => BodyRef::Box(obb),
            Self::Capsule(capsule) => BodyRef::Capsule(capsule),
            Self::Sphere(sphere) => BodyRef::Sphere(sphere),
        }
    }

    pub fn bounds(&self) -> Aabb {
        match self {
            Self::Box(obb) => obb.bounds(),
            Self::Capsule(capsule) => capsule.bounds(),
            Self::Sphere(sphere) => sphere.bounds(),
        }
    }

    /// Moves it, which is valid, to another center.
    ///
    /// # Errors
    /// The [`ColliderProblem`], if it is invalid there.
    pub fn move_to(&mut self, center: Vec3) -> Result<(), ColliderProblem> {
        match self {
            Self::Box(obb) => obb.center = center,
            Self::Capsule(capsule) => capsule.center = center,
            Self::Sphere(sphere) => sphere.center = center,
        }
        // A comparison with NaN is false.
        match center.abs().cmple(Vec3::splat(COORDINATE_LIMIT)).all() {
            true => Ok(()),
            false => self.checked().map(|_| ()),
        }
    }

    fn checked(self) -> Result<Self, ColliderProblem> {
        let problem = match &self {
            Self::Box(obb) => obb.problem(),
            Self::Capsule(capsule) => capsule.problem(),
            Self::Sphere(sphere) => sphere.problem(),
        };
        match problem {
            None => Ok(self),
            Some(BoxProblem::NegativeExtent | BoxProblem::NegativeRadius) => Err(ColliderProblem::NegativeSize),
            Some(BoxProblem::TooLarge) => Err(ColliderProblem::TooLarge),
            Some(_) => Err(ColliderProblem::NotFinite),
        }
    }
}

/// The reason why a collider takes no part in collisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Reflect, thiserror::Error)]
#[reflect(Clone, Debug, PartialEq, Hash)]
pub enum ColliderProblem {
    /// A number of the shape or of the transform is infinite or not a number.
    #[error("a number of its shape or of its transform is not finite")]
    NotFinite,
    /// A length of the shape is negative.
    #[error("a length of its shape is negative")]
    NegativeSize,
    /// A coordinate or a length is beyond 2^60.
    #[error("a coordinate or a length is beyond 2^60")]
    TooLarge,
    /// The scale is 0 along an axis.
    #[error("its scale is 0 along an axis; remove its Collider to take it out")]
    ZeroScale,
    /// The axes are not perpendicular: a parent with a scale that is not uniform has a child that
    /// is rotated.
    #[error("it is sheared: a parent scales it along axes that are not its own; scale the child instead, or uniformly")]
    Sheared,
    /// The scale of a capsule or a sphere is not uniform.
    #[error("its scale is not uniform, which only a cuboid allows; change the lengths of its shape instead")]
    UnevenScale,
}

/// Marks a collider that does not move, such as a wall. Two static colliders never make a pair.
///
/// It may still be moved: the mark is a rule about pairs, not about transforms.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct StaticCollider;

/// Marks a collider that only senses, such as a trigger zone: its pairs have
/// [`is_sensor`](crate::Collision::is_sensor) set, so that what pushes things apart can leave them
/// out.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct Sensor;

/// The groups of a collider, one bit each. Without this component it is in all groups and collides
/// with all.
///
/// Two colliders make a pair only if each is in a group that the other's filter has:
/// `a.memberships & b.filter != 0 && b.memberships & a.filter != 0`.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct CollisionGroups {
    /// The groups that it is in.
    pub memberships: u32,
    /// The groups that it collides with.
    pub filter: u32,
}

impl CollisionGroups {
    /// All groups.
    pub const ALL: Self = Self::new(u32::MAX, u32::MAX);

    /// Creates groups from two sets of bits.
    pub const fn new(memberships: u32, filter: u32) -> Self {
        Self { memberships, filter }
    }
}

impl Default for CollisionGroups {
    fn default() -> Self {
        Self::ALL
    }
}
