//! The system parameter for the collisions of the last update.

use bevy_ecs::entity::Entity;
use bevy_ecs::system::{Res, SystemParam};

use crate::world::{Collision, CollisionWorld};

/// All collisions of the last update, in a system.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_obbligato::prelude::*;
/// use bevy_transform::prelude::*;
///
/// // Each moves half of the way.
/// fn push_apart(collisions: Collisions, mut colliders: Query<(Entity, &mut Transform)>) {
///     for (entity, mut transform) in &mut colliders {
///         for collision in collisions.of(entity).filter(|collision| !collision.is_sensor) {
///             transform.translation -= 0.5 * collision.depth * collision.normal;
///         }
///     }
/// }
/// # bevy_ecs::system::assert_is_system(push_apart);
/// ```
#[derive(SystemParam)]
pub struct Collisions<'w> {
    world: Res<'w, CollisionWorld>,
}

impl Collisions<'_> {
    /// Returns all collisions, each pair once. O(1) per pair.
    pub fn iter(&self) -> impl Iterator<Item = Collision<'_>> {
        self.world.collisions()
    }

    /// Returns the collisions of an entity, which is [`Collision::a`] in each: normals point away
    /// from it. None if it is not a collider. O(1), and O(1) per pair.
    pub fn of(&self, entity: Entity) -> impl Iterator<Item = Collision<'_>> {
        self.world.collisions_of(entity)
    }

    /// Returns the collision of two entities, in this order; `None` if they do not collide.
    /// O(log pairs).
    pub fn between(&self, a: Entity, b: Entity) -> Option<Collision<'_>> {
        self.world.collision_between(a, b)
    }

    /// Returns the number of colliding pairs.
    pub fn len(&self) -> usize {
        self.world.len()
    }

    /// Returns `true` if no colliders collide.
    pub fn is_empty(&self) -> bool {
        self.world.is_empty()
    }
}
