//! The messages of an update.

use bevy_ecs::entity::Entity;
use bevy_ecs::prelude::Message;
use bevy_math::Vec3;
use bevy_reflect::Reflect;

use crate::collider::ColliderProblem;

/// The contact of two colliders: the depth of one in the other, and a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Clone, Debug, PartialEq)]
pub struct Contact {
    /// The direction in which to move the second collider to separate the two: a unit vector from
    /// the first to the second, in the world.
    pub normal: Vec3,
    /// The distance to move it, in the unit of the world; 0 if they only touch.
    pub depth: f32,
    /// The middle of the deepest contact point, in the world.
    pub point: Vec3,
}

/// Two colliders share a point, and did not in the previous update.
#[derive(Message, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Clone, Debug, PartialEq)]
pub struct CollisionBegan {
    /// The first collider.
    pub a: Entity,
    /// The second collider.
    pub b: Entity,
    /// The contact; its normal points from `a` to `b`.
    pub contact: Contact,
    /// `true` if one of the two is a [`Sensor`](crate::Sensor).
    pub is_sensor: bool,
}

/// Two colliders share a point, as in the previous update. Written only with
/// [`CollisionSettings::persisting`](crate::CollisionSettings::persisting).
#[derive(Message, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Clone, Debug, PartialEq)]
pub struct CollisionPersisted {
    /// The first collider.
    pub a: Entity,
    /// The second collider.
    pub b: Entity,
    /// The contact; its normal points from `a` to `b`.
    pub contact: Contact,
    /// `true` if one of the two is a [`Sensor`](crate::Sensor).
    pub is_sensor: bool,
}

/// Two colliders shared a point in the previous update and no longer do, or may no longer make a
/// pair, or one of them is gone: it may be an entity that exists no more.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
#[reflect(Clone, Debug, PartialEq)]
pub struct CollisionEnded {
    /// The first collider.
    pub a: Entity,
    /// The second collider.
    pub b: Entity,
}

/// A collider takes no part in collisions, because of a problem with its shape or its transform.
/// Written once when it begins to, and when the problem becomes another.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq, Reflect, thiserror::Error)]
#[reflect(Clone, Debug, PartialEq)]
#[error("the collider of entity {entity} is left out: {problem}")]
pub struct ColliderRefused {
    /// The entity.
    pub entity: Entity,
    /// The problem.
    pub problem: ColliderProblem,
}
