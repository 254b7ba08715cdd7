//! The plugins, their system, and its settings.

use bevy_app::{App, Plugin, PluginGroup, PluginGroupBuilder, PostUpdate};
use bevy_ecs::change_detection::Ref;
use bevy_ecs::entity::Entity;
use bevy_ecs::intern::Interned;
use bevy_ecs::message::MessageWriter;
use bevy_ecs::prelude::{IntoScheduleConfigs, ReflectResource, Resource, SystemSet};
use bevy_ecs::query::Has;
use bevy_ecs::schedule::ScheduleLabel;
use bevy_ecs::system::{Query, Res, ResMut, SystemParam};
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;
use bevy_transform::TransformSystems;
use bevy_transform::components::GlobalTransform;

use crate::bodies::Given;
use crate::collider::{Collider, CollisionGroups, Sensor, StaticCollider};
use crate::messages::{ColliderRefused, CollisionBegan, CollisionEnded, CollisionPersisted};
use crate::world::CollisionWorld;

/// Finds the collisions of all entities with a [`Collider`], once in each run of a schedule.
///
/// The schedule is [`PostUpdate`], after transforms are propagated, unless
/// [`CollisionPlugin::new`] names another. [`GlobalTransform`]s are taken as they are then: in a
/// schedule that runs before they are propagated, such as `FixedUpdate`, they are those of the last
/// propagation.
///
/// ```
/// use bevy_app::prelude::*;
/// use bevy_ecs::prelude::*;
/// use bevy_obbligato::prelude::*;
/// use bevy_transform::prelude::*;
///
/// fn greet(mut began: MessageReader<CollisionBegan>) {
///     for CollisionBegan { a, b, contact, .. } in began.read() {
///         println!("{a} meets {b}, {} deep", contact.depth);
///     }
/// }
///
/// let mut app = App::new();
/// app.add_plugins((TransformPlugin, CollisionPlugin::default())).add_systems(Update, greet);
/// app.world_mut().spawn((Collider::cuboid(4.0, 3.0, 0.2), StaticCollider));
/// app.world_mut().spawn((Collider::capsule(0.3, 1.2), Transform::from_xyz(1.0, 0.0, 0.25)));
/// app.update();
/// assert_eq!(app.world().resource::<CollisionWorld>().len(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct CollisionPlugin {
    schedule: Interned<dyn ScheduleLabel>,
}

impl CollisionPlugin {
    /// Creates the plugin for a schedule.
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self {
            schedule: schedule.intern(),
        }
    }
}

impl Default for CollisionPlugin {
    fn default() -> Self {
        Self::new(PostUpdate)
    }
}

impl Plugin for CollisionPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<Collider>()
            .register_type::<StaticCollider>()
            .register_type::<Sensor>()
            .register_type::<CollisionGroups>()
            .register_type::<CollisionSettings>()
            .init_resource::<CollisionSettings>()
            .init_resource::<CollisionWorld>()
            .add_message::<CollisionBegan>()
            .add_message::<CollisionPersisted>()
            .add_message::<CollisionEnded>()
            .add_message::<ColliderRefused>()
            .configure_sets(
                self.schedule,
                CollisionSystems::Update.after(TransformSystems::Propagate),
            )
            .add_systems(self.schedule, update_collisions.in_set(CollisionSystems::Update));
    }
}

/// All plugins of this crate: [`CollisionPlugin`], and with the feature `gizmos`
/// `CollisionGizmosPlugin`.
///
/// ```
/// use bevy_app::prelude::*;
/// use bevy_obbligato::prelude::*;
///
/// # let mut app = App::new();
/// // In the schedule of fixed steps.
/// app.add_plugins(CollisionPlugins.set(CollisionPlugin::new(FixedPostUpdate)));
/// # assert!(app.is_plugin_added::<CollisionPlugin>());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CollisionPlugins;

impl PluginGroup for CollisionPlugins {
    fn build(self) -> PluginGroupBuilder {
        let group = PluginGroupBuilder::start::<Self>().add(CollisionPlugin::default());
        #[cfg(feature = "gizmos")]
        let group = group.add(crate::gizmos::CollisionGizmosPlugin);
        group
    }
}

/// The sets of the plugin's systems. Systems after [`CollisionSystems::Update`] see the collisions
/// of the same frame.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CollisionSystems {
    /// Finds the collisions, and writes the messages.
    Update,
}

/// The settings of all updates.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource, Default, Clone, Debug, PartialEq)]
pub struct CollisionSettings {
    /// Set to write [`CollisionPersisted`] for each pair that collides still.
    /// [`Collisions`](crate::Collisions) has those pairs in any case.
    pub persisting: bool,
}

/// The messages of an update.
#[derive(SystemParam)]
struct Messages<'w> {
    began: MessageWriter<'w, CollisionBegan>,
    persisted: MessageWriter<'w, CollisionPersisted>,
    ended: MessageWriter<'w, CollisionEnded>,
    refused: MessageWriter<'w, ColliderRefused>,
}

type Colliders<'w> = (
    Entity,
    Ref<'w, Collider>,
    Ref<'w, GlobalTransform>,
    Option<&'w CollisionGroups>,
    Has<StaticCollider>,
    Has<Sensor>,
);

fn update_collisions(
    colliders: Query<Colliders<'static>>,
    settings: Res<CollisionSettings>,
    mut world: ResMut<CollisionWorld>,
    mut messages: Messages,
) {
    let world = &mut *world;
    world.bodies.begin();
    for (entity, collider, transform, groups, is_static, is_sensor) in &colliders {
        let given = Given {
            groups: groups.copied().unwrap_or_default(),
            is_static,
            is_sensor,
        };
        if let Some(problem) = world.bodies.add(entity, given, &collider, &transform) {
            messages.refused.write(ColliderRefused { entity, problem });
        }
    }
    world.update();
    for (a, b) in world.ended() {
        messages.ended.write(CollisionEnded { a, b });
    }
    for (collision, is_new) in world.collisions_with_news(settings.persisting) {
        let (a, b, is_sensor) = (collision.a, collision.b, collision.is_sensor);
        let contact = collision.contact();
        if is_new {
            messages.began.write(CollisionBegan {
                a,
                b,
                contact,
                is_sensor,
            });
        } else {
            messages.persisted.write(CollisionPersisted {
                a,
                b,
                contact,
                is_sensor,
            });
        }
    }
}
