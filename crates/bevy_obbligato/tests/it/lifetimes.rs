//! Entities that come, go, and change what they are.

use bevy_app::{App, Update};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_obbligato::ColliderProblem;
use bevy_obbligato::prelude::*;
use bevy_transform::TransformPlugin;
use bevy_transform::components::{GlobalTransform, Transform};

use crate::support::{Followed, Reader, app, pair};

fn ball(x: f32) -> (Collider, Transform) {
    (Collider::sphere(1.0), Transform::from_xyz(x, 0.0, 0.0))
}

/// One that comes in the update in which another goes, at its place, is another entity.
#[test]
fn an_entity_in_the_place_of_another_begins_its_own_pairs() {
    let mut app = app();
    let (a, b) = (
        app.world_mut().spawn(ball(0.0)).id(),
        app.world_mut().spawn(ball(1.0)).id(),
    );
    app.update();
    app.world_mut().despawn(b);
    let mut again = (0..10_000).map(|_| {
        let c = app.world_mut().spawn(ball(1.0)).id();
        (c.index() == b.index()).then_some(c).or_else(|| {
            app.world_mut().despawn(c);
            None
        })
    });
    let c = again.find_map(|c| c).expect("the index of b is used again");
    let (mut began, mut ended) = (Reader::<CollisionBegan>::new(), Reader::<CollisionEnded>::new());
    began.read(&app);
    app.update();
    let began: Vec<_> = began.read(&app).iter().map(|found| pair(found.a, found.b)).collect();
    let ended: Vec<_> = ended.read(&app).iter().map(|found| pair(found.a, found.b)).collect();
    assert_eq!((began, ended), (vec![pair(a, c)], vec![pair(a, b)]));
    assert_eq!(c.index(), b.index());
    app.update();
    let mut followed = Reader::<CollisionEnded>::new();
    let ended = followed
        .read(&app)
        .iter()
        .filter(|found| pair(found.a, found.b) == pair(a, c))
        .count();
    assert_eq!(ended, 0, "it goes on");
}

/// Each change ends or begins the pair, and what changes nothing keeps it.
#[test]
fn pairs_follow_the_components() {
    let (mut app, mut followed) = (app(), Followed::new());
    let (a, b) = (
        app.world_mut().spawn(ball(0.0)).id(),
        app.world_mut().spawn(ball(1.0)).id(),
    );
    let mut expect = |app: &mut App, count: usize| {
        app.update();
        followed.read(app);
        assert_eq!(followed.pairs.len(), count);
    };
    expect(&mut app, 1);
    app.world_mut().entity_mut(a).insert(StaticCollider);
    expect(&mut app, 1);
    app.world_mut().entity_mut(b).insert(StaticCollider);
    expect(&mut app, 0);
    app.world_mut().entity_mut(a).remove::<StaticCollider>();
    expect(&mut app, 1);
    app.world_mut().entity_mut(a).insert(CollisionGroups::new(1, 2));
    expect(&mut app, 1);
    app.world_mut().entity_mut(b).insert(CollisionGroups::new(1, 2));
    expect(&mut app, 0);
    app.world_mut().entity_mut(b).remove::<CollisionGroups>();
    expect(&mut app, 1);
    app.world_mut().entity_mut(b).insert(Disabled);
    expect(&mut app, 0);
    app.world_mut().entity_mut(b).remove::<Disabled>();
    expect(&mut app, 1);
    app.world_mut().entity_mut(b).insert(Collider::cuboid(0.5, 0.5, 0.5));
    expect(&mut app, 1);
    app.world_mut().entity_mut(b).remove::<Collider>();
    expect(&mut app, 0);
}

/// One that has moved while it was disabled comes back where it is.
#[test]
fn colliders_that_come_back_are_where_they_have_moved() {
    let mut app = app();
    app.world_mut().spawn(ball(0.0));
    let b = app.world_mut().spawn(ball(1.0)).id();
    app.update();
    app.world_mut().entity_mut(b).insert(Disabled);
    app.update();
    let at = Transform::from_xyz(5.0, 0.0, 0.0);
    app.world_mut().entity_mut(b).insert((at, GlobalTransform::from(at)));
    app.update();
    app.world_mut().entity_mut(b).remove::<Disabled>();
    app.update();
    assert_eq!(app.world().resource::<CollisionWorld>().len(), 0);
}

#[derive(Resource, Default)]
struct Seen(Vec<(Entity, Vec3, f32, usize, bool)>);

#[derive(Component)]
struct Me;

fn look(me: Single<Entity, With<Me>>, collisions: Collisions, mut seen: ResMut<Seen>) {
    let me = *me;
    seen.0 = collisions
        .of(me)
        .map(|found| {
            assert_eq!(found.a, me);
            let other_way = collisions.between(found.b, me).expect("the same pair");
            assert_eq!(
                (other_way.a, other_way.b, other_way.normal),
                (found.b, me, -found.normal)
            );
            (
                found.b,
                found.normal,
                found.depth,
                found.points().len(),
                found.is_sensor,
            )
        })
        .collect();
    assert_eq!(collisions.iter().count(), collisions.len());
    assert!(collisions.between(me, me).is_none());
}

/// All pairs of an entity, whichever of the two it is in each.
#[test]
fn collisions_of_an_entity_point_away_from_it() {
    let mut app = app();
    app.init_resource::<Seen>().add_systems(bevy_app::Last, look);
    let before = app.world_mut().spawn(ball(-1.5)).id();
    app.world_mut().spawn((ball(0.0), Me));
    let after = app.world_mut().spawn((ball(1.75), Sensor)).id();
    app.world_mut().spawn(ball(9.0));
    app.update();
    let seen = std::mem::take(&mut app.world_mut().resource_mut::<Seen>().0);
    let expected = [(before, Vec3::NEG_X, 0.5, 1, false), (after, Vec3::X, 0.25, 1, true)];
    assert_eq!(seen.len(), 2);
    assert!(expected.iter().all(|found| seen.contains(found)), "{seen:?}");
}

/// The plugin in a schedule of its own sees what a system there has written.
#[test]
fn the_plugin_runs_in_the_schedule_that_it_is_given() {
    let mut app = App::new();
    app.add_plugins((TransformPlugin, CollisionPlugin::new(Update)));
    let follow = |mut all: Query<(&Transform, &mut GlobalTransform)>| {
        all.iter_mut()
            .for_each(|(transform, mut global)| *global = (*transform).into());
    };
    app.add_systems(Update, follow.before(CollisionSystems::Update));
    app.world_mut().spawn_batch([ball(0.0), ball(2.0), ball(4.5)]);
    app.update();
    assert_eq!(app.world().resource::<CollisionWorld>().len(), 1);
}

/// One that only moves has the contacts of one that is new there. Where it cannot be, it is
/// reported, and it comes back.
#[test]
fn colliders_that_only_move_are_placed_as_new_ones() {
    let turned = |x| Transform::from_xyz(x, 0.5, 0.0).with_rotation(Quat::from_rotation_z(0.5));
    let shapes = [
        Collider::cuboid(2.0, 1.0, 1.0),
        Collider::capsule(0.5, 1.0),
        Collider::sphere(0.75),
    ];
    for shape in shapes {
        let (mut moved, mut refused) = (app(), Reader::<ColliderRefused>::new());
        moved.world_mut().spawn(ball(0.0));
        let body = moved.world_mut().spawn((shape, turned(9.0))).id();
        moved.update();
        for x in [-9.0, 1.0, 2f32.powi(61), f32::NAN, 0.75] {
            moved
                .world_mut()
                .entity_mut(body)
                .get_mut::<Transform>()
                .expect("it has one")
                .translation
                .x = x;
            moved.update();
            let mut fresh = app();
            fresh.world_mut().spawn(ball(0.0));
            fresh.world_mut().spawn((shape, turned(x)));
            fresh.update();
            let [found, expected] = [&moved, &fresh].map(|app| {
                let began = app.world().resource::<Messages<CollisionBegan>>();
                began
                    .iter_current_update_messages()
                    .map(|began| began.contact)
                    .collect::<Vec<_>>()
            });
            assert_eq!(found, expected, "{shape:?} at {x}");
            assert_eq!(expected.len(), usize::from([1.0, 0.75].contains(&x)));
        }
        let problems: Vec<_> = refused.read(&moved).iter().map(|refused| refused.problem).collect();
        assert_eq!(problems, [ColliderProblem::NotFinite], "those of the last two updates");
    }
}
