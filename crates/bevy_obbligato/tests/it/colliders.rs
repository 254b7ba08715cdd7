//! Scales, and colliders that are left out.

use bevy_app::App;
use bevy_ecs::entity::Entity;
use bevy_ecs::hierarchy::ChildOf;
use bevy_math::{Quat, Vec3};
use bevy_obbligato::prelude::*;
use bevy_obbligato::{ColliderProblem, Contact};
use bevy_transform::components::Transform;

use crate::support::{Followed, Reader, app};

/// A scale of 3 makes a cube of 1 m reach 1.5 m, whatever its sign.
#[test]
fn scales_apply_to_shapes() {
    let mut app = app();
    let probe = |y: f32| (Collider::sphere(0.125), Transform::from_xyz(0.0, y, 0.0));
    let scaled = Transform::from_scale(Vec3::new(1.0, -3.0, 1.0)).with_rotation(Quat::from_rotation_y(0.4));
    app.world_mut().spawn((Collider::cuboid(1.0, 1.0, 1.0), scaled));
    let [touches, _misses] = [1.625, -1.6251].map(|y| app.world_mut().spawn(probe(y)).id());
    let twice = Transform::from_xyz(50.0, 0.0, 0.0).with_scale(Vec3::splat(2.0));
    app.world_mut().spawn((Collider::capsule(0.25, 1.0), twice));
    let beside = Transform::from_xyz(50.0, 1.5, 0.0);
    app.world_mut().spawn((Collider::sphere(0.25), beside));
    app.update();

    let mut began = Reader::<CollisionBegan>::new();
    let found = began.read(&app);
    assert_eq!(found.len(), 2, "{found:?}");
    let of_touching = found
        .iter()
        .find(|found| found.a == touches || found.b == touches)
        .expect("they touch");
    assert_eq!(of_touching.contact.depth, 0.0);
    assert_eq!(of_touching.contact.normal.abs(), Vec3::Y);
    let other = found
        .iter()
        .find(|found| found.contact.depth > 0.0)
        .expect("the capsule");
    let Contact { normal, depth, point } = other.contact;
    // The capsule ends at 1.5, the sphere begins at 1.25.
    assert_eq!((normal.y.abs(), depth), (1.0, 0.25));
    assert!(point.distance(Vec3::new(50.0, 1.375, 0.0)) < 1e-5, "{point}");
}

/// An app with a collider for each problem, and two cubes that collide.
fn app_with_problems() -> (App, [(Entity, ColliderProblem); 8]) {
    let mut app = app();
    let (ball, cube) = (Collider::sphere(1.0), Collider::cuboid(1.0, 1.0, 1.0));
    let stretched = Transform::from_scale(Vec3::new(1.0, 2.0, 1.0));
    let turned = Transform::from_rotation(Quat::from_rotation_z(0.5));
    let world = app.world_mut();
    let parent = world.spawn(stretched).id();
    let child = world.spawn((cube, turned, ChildOf(parent))).id();
    let mut with = |collider, transform| world.spawn((collider, transform)).id();
    let capsule = Collider::capsule(1.0, 1.0);
    let cases = [
        (with(ball, stretched), ColliderProblem::UnevenScale),
        (with(capsule, stretched), ColliderProblem::UnevenScale),
        (child, ColliderProblem::Sheared),
        (
            with(cube, Transform::from_scale(Vec3::ZERO)),
            ColliderProblem::ZeroScale,
        ),
        (with(Collider::sphere(-1.0), turned), ColliderProblem::NegativeSize),
        (
            with(ball, Transform::from_xyz(f32::NAN, 0.0, 0.0)),
            ColliderProblem::NotFinite,
        ),
        (
            with(Collider::sphere(f32::INFINITY), turned),
            ColliderProblem::NotFinite,
        ),
        (
            with(ball, Transform::from_xyz(2e18, 0.0, 0.0)),
            ColliderProblem::TooLarge,
        ),
    ];
    with(cube, turned);
    with(cube, turned);
    (app, cases)
}

/// Colliders next to them still collide.
#[test]
fn colliders_without_a_shape_are_reported_once() {
    let (mut app, cases) = app_with_problems();
    let mut refused = Reader::<ColliderRefused>::new();
    app.update();
    assert_eq!(app.world().resource::<CollisionWorld>().len(), 1);
    let found = refused.read(&app);
    assert_eq!(found.len(), cases.len(), "{found:?}");
    for (entity, problem) in cases {
        assert!(
            found.contains(&ColliderRefused { entity, problem }),
            "{problem} in {found:?}"
        );
    }
    let text = found
        .iter()
        .map(ToString::to_string)
        .find(|text| text.contains("not uniform"));
    let text = text.expect("the ball");
    assert!(
        text.starts_with("the collider of entity ") && text.contains(" is left out: its scale"),
        "{text}"
    );
    app.update();
    assert_eq!(refused.read(&app), []);
}

#[test]
fn colliders_that_are_mended_collide() {
    let (mut app, cases) = app_with_problems();
    let (mut refused, mut followed) = (Reader::<ColliderRefused>::new(), Followed::new());
    app.update();
    followed.read(&app);
    refused.read(&app);
    // Mended, another problem, and gone.
    let [(ball, _), (capsule, _), (child, _), ..] = cases;
    app.world_mut().entity_mut(ball).insert(Transform::IDENTITY);
    app.world_mut()
        .entity_mut(capsule)
        .insert(Transform::from_scale(Vec3::ZERO));
    app.world_mut().despawn(child);
    app.update();
    followed.read(&app);
    assert_eq!(followed.pairs.len(), 3);
    let expected = ColliderRefused {
        entity: capsule,
        problem: ColliderProblem::ZeroScale,
    };
    assert_eq!(refused.read(&app), [expected]);
}

/// A child that only turns under a uniform scale is no problem, however deep.
#[test]
fn deep_hierarchies_are_not_sheared() {
    let mut app = app();
    let step = Transform::from_xyz(0.1, 0.2, 0.3)
        .with_rotation(Quat::from_euler(bevy_math::EulerRot::XYZ, 0.7, 1.1, -0.4))
        .with_scale(Vec3::splat(1.1));
    let mut last = app.world_mut().spawn(step).id();
    for _ in 0..30 {
        last = app.world_mut().spawn((step, Collider::sphere(0.2), ChildOf(last))).id();
    }
    app.update();
    assert_eq!(Reader::<ColliderRefused>::new().read(&app), []);
    assert!(!app.world().resource::<CollisionWorld>().is_empty());
}
