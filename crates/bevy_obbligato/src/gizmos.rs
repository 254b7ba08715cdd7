//! Colliders and contacts as lines, to look for mistakes.

use bevy_app::{App, Plugin, PostUpdate};
use bevy_color::Color;
use bevy_color::palettes::tailwind;
use bevy_ecs::prelude::{IntoScheduleConfigs, Res};
use bevy_gizmos::AppGizmoBuilder;
use bevy_gizmos::config::GizmoConfigGroup;
use bevy_gizmos::gizmos::{GizmoBuffer, Gizmos};
use bevy_gizmos::primitives::dim3::GizmoPrimitive3d;
use bevy_math::{Isometry3d, Quat, Vec3};
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;
use bevy_shape::Capsule3d;
use bevy_transform::components::Transform;
use obbligato::shape::BodyRef;

use crate::plugin::CollisionSystems;
use crate::world::CollisionWorld;

/// Draws all colliders, where the last update had them, and their contacts: with the feature
/// `gizmos`.
///
/// Add it beside [`CollisionPlugin`](crate::CollisionPlugin), in an app with Bevy's `GizmoPlugin`,
/// which `DefaultPlugins` has. Colors and lengths are those of [`CollisionGizmos`]; the line width
/// and whether anything is drawn are in Bevy's `GizmoConfig` of that group.
///
/// ```
/// use bevy_app::prelude::*;
/// use bevy_ecs::prelude::*;
/// use bevy_gizmos::config::GizmoConfigStore;
/// use bevy_obbligato::prelude::*;
///
/// fn add_to(app: &mut App) {
///     app.add_plugins((CollisionPlugin::default(), CollisionGizmosPlugin)).add_systems(Startup, hide);
/// }
///
/// // Not before a key shows them.
/// fn hide(mut store: ResMut<GizmoConfigStore>) {
///     store.config_mut::<CollisionGizmos>().0.enabled = false;
/// }
/// # let _ = add_to;
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CollisionGizmosPlugin;

impl Plugin for CollisionGizmosPlugin {
    fn build(&self, app: &mut App) {
        app.init_gizmo_group::<CollisionGizmos>()
            .add_systems(PostUpdate, draw_collisions.after(CollisionSystems::Update));
    }
}

/// The group of gizmos that [`CollisionGizmosPlugin`] draws. What has no color is not drawn.
#[derive(Clone, Copy, Debug, PartialEq, Reflect, GizmoConfigGroup)]
#[reflect(Clone, Debug, Default, PartialEq)]
pub struct CollisionGizmos {
    /// The color of colliders.
    pub collider_color: Option<Color>,
    /// The color of those that are [static](crate::StaticCollider).
    pub static_color: Option<Color>,
    /// The color of [sensors](crate::Sensor).
    pub sensor_color: Option<Color>,
    /// The color of contacts.
    pub contact_color: Option<Color>,
    /// The length of the arrow from a contact along its normal, in the unit of the world.
    pub contact_length: f32,
}

impl Default for CollisionGizmos {
    fn default() -> Self {
        Self {
            collider_color: Some(tailwind::SKY_400.into()),
            static_color: Some(tailwind::SLATE_400.into()),
            sensor_color: Some(tailwind::VIOLET_400.into()),
            contact_color: Some(tailwind::ORANGE_500.into()),
            contact_length: 0.3,
        }
    }
}

fn draw_collisions(world: Res<CollisionWorld>, mut gizmos: Gizmos<CollisionGizmos>) {
    if gizmos.config.enabled {
        let colors = *gizmos.config_ext;
        draw(&world, &colors, &mut gizmos);
    }
}

fn draw<G: GizmoConfigGroup>(world: &CollisionWorld, look: &CollisionGizmos, gizmos: &mut GizmoBuffer<G, ()>) {
    for (position, id) in (0..).zip(world.bodies.ids()) {
        let given = world.bodies.given(*id);
        let color = match (given.is_sensor, given.is_static) {
            (true, _) => look.sensor_color,
            (false, true) => look.static_color,
            (false, false) => look.collider_color,
        };
        if let Some(color) = color {
            draw_body(world.bodies.shapes().at(position), color, gizmos);
        }
    }
    let Some(color) = look.contact_color else {
        return;
    };
    for collision in world.collisions() {
        for contact in collision.points() {
            gizmos.arrow(
                contact.point,
                contact.point + look.contact_length * contact.normal,
                color,
            );
        }
    }
}

fn draw_body<G: GizmoConfigGroup>(body: BodyRef<'_>, color: Color, gizmos: &mut GizmoBuffer<G, ()>) {
    match body {
        BodyRef::Box(obb) => {
            let place = Transform::from_translation(obb.center).with_rotation(obb.rotation);
            gizmos.cube(place.with_scale(2.0 * obb.half_extents), color);
        }
        BodyRef::Capsule(capsule) => {
            // The engine's are along z, Bevy's along y.
            let rotation = capsule.rotation * Quat::from_rotation_arc(Vec3::Y, Vec3::Z);
            let shape = Capsule3d::new(capsule.radius, 2.0 * capsule.half_length);
            gizmos.primitive_3d(&shape, Isometry3d::new(capsule.center, rotation), color);
        }
        BodyRef::Sphere(sphere) => {
            gizmos.sphere(Isometry3d::from_translation(sphere.center), sphere.radius, color);
        }
    }
}

#[cfg(test)]
mod tests {
    use bevy_gizmos::config::DefaultGizmoConfigGroup;
    use bevy_transform::TransformPlugin;

    use super::*;
    use crate::prelude::*;

    type Buffer = GizmoBuffer<DefaultGizmoConfigGroup, ()>;

    /// A wall, a person who stands in it, and a zone far away.
    fn drawn(look: &CollisionGizmos) -> Buffer {
        let mut app = App::new();
        app.add_plugins((TransformPlugin, CollisionPlugin::default()));
        let tilted = Transform::from_xyz(1.0, 0.0, 0.0).with_rotation(Quat::from_rotation_z(0.5));
        app.world_mut().spawn((Collider::cuboid(4.0, 3.0, 0.2), StaticCollider));
        app.world_mut().spawn((Collider::capsule(0.3, 1.2), tilted));
        app.world_mut()
            .spawn((Collider::sphere(2.0), Sensor, Transform::from_xyz(0.0, 0.0, 50.0)));
        app.update();
        let mut buffer = Buffer::new();
        draw(app.world().resource::<CollisionWorld>(), look, &mut buffer);
        buffer
    }

    fn points(buffer: &Buffer) -> Vec<Vec3> {
        let all = buffer.list_positions.iter().chain(&buffer.strip_positions);
        all.copied().filter(|point| point.is_finite()).collect()
    }

    const NOTHING: CollisionGizmos = CollisionGizmos {
        collider_color: None,
        static_color: None,
        sensor_color: None,
        contact_color: None,
        contact_length: 0.5,
    };

    #[test]
    fn lines_are_on_the_surfaces_of_their_colliders() {
        let color = Some(Color::WHITE);
        assert!(points(&drawn(&NOTHING)).is_empty());
        let walls = points(&drawn(&CollisionGizmos {
            static_color: color,
            ..NOTHING
        }));
        assert!(!walls.is_empty());
        assert!(
            walls
                .iter()
                .all(|point| point.abs().distance(Vec3::new(2.0, 1.5, 0.1)) < 1e-6)
        );
        let people = points(&drawn(&CollisionGizmos {
            collider_color: color,
            ..NOTHING
        }));
        assert!(!people.is_empty());
        let axis = Quat::from_rotation_z(0.5) * Vec3::Y;
        for point in people {
            let to = point - Vec3::X;
            let away = (to - axis * to.dot(axis).clamp(-0.6, 0.6)).length();
            assert!((away - 0.3).abs() < 1e-5, "{point}: {away}");
        }
        let zones = points(&drawn(&CollisionGizmos {
            sensor_color: color,
            ..NOTHING
        }));
        assert!(!zones.is_empty());
        assert!(
            zones
                .iter()
                .all(|point| (point.distance(Vec3::new(0.0, 0.0, 50.0)) - 2.0).abs() < 1e-5)
        );
    }

    #[test]
    fn contacts_are_arrows_along_their_normals() {
        let color = Some(Color::WHITE);
        let arrows = points(&drawn(&CollisionGizmos {
            contact_color: color,
            ..NOTHING
        }));
        let along = arrows[1] - arrows[0];
        assert!((along.length() - 0.5).abs() < 1e-6 && along.z.abs() > 0.49, "{along}");
    }
}
