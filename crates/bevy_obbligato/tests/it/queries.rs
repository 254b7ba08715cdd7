//! Queries, compared with Parry's answer for each collider.

use bevy_app::Last;
use bevy_ecs::prelude::*;
use bevy_math::{Dir3, Quat, Vec3};
use bevy_obbligato::prelude::*;
use bevy_obbligato::{NearestCollider, QueryError};
use bevy_transform::components::Transform;
use parry3d::math::Pose3;
use parry3d::query::Ray;
use parry3d::shape::{Ball, Capsule, Cuboid, Shape};

use crate::support::{Random, app};

const QUERIES: usize = 2000;

struct Peer {
    entity: Entity,
    shape: Box<dyn Shape>,
    pose: Pose3,
}

fn peer(entity: Entity, collider: &Collider, transform: &Transform) -> Peer {
    let shape: Box<dyn Shape> = match *collider {
        Collider::Cuboid { half_size } => Box::new(Cuboid::new(half_size)),
        Collider::Capsule { radius, half_length } => Box::new(Capsule::new_y(half_length, radius)),
        Collider::Sphere { radius } => Box::new(Ball::new(radius)),
    };
    let pose = Pose3::from_parts(transform.translation, transform.rotation);
    Peer { entity, shape, pose }
}

/// Runs a system once on a scene of a hundred colliders, after its update.
fn on_a_scene(mut ask: impl FnMut(&SpatialQuery, &[Peer], &mut Random) + Send + Sync + 'static) {
    let (mut app, mut random) = (app(), Random(3));
    let peers: Vec<Peer> = (0..100)
        .map(|_| {
            let (collider, transform) = (random.collider(), random.transform(6.0));
            peer(app.world_mut().spawn((collider, transform)).id(), &collider, &transform)
        })
        .collect();
    app.add_systems(Last, move |query: SpatialQuery| ask(&query, &peers, &mut random));
    app.update();
}

fn direction(random: &mut Random) -> Dir3 {
    Dir3::new(random.vector(1.0)).unwrap_or(Dir3::X)
}

#[test]
fn rays_meet_what_parrys_meet() {
    on_a_scene(|query, peers, random| {
        let mut hits = 0;
        for _ in 0..QUERIES {
            let (origin, direction) = (random.vector(8.0), direction(random));
            let limit = if random.chance(50) {
                f32::INFINITY
            } else {
                random.between(0.0, 6.0)
            };
            let banned = peers[random.below(peers.len())].entity;
            let found = query
                .cast_ray(origin, direction, limit, |entity| entity != banned)
                .expect("a valid ray");
            let ray = Ray::new(origin, *direction);
            let cast = |peer: &Peer| Some((peer.shape.cast_ray(&peer.pose, &ray, 100.0, true)?, peer.entity));
            let allowed = peers.iter().filter(|peer| peer.entity != banned);
            let expected = allowed
                .filter_map(cast)
                .filter(|hit| hit.0 <= limit)
                .min_by(|a, b| a.0.total_cmp(&b.0));
            match (found, expected) {
                (Some(found), Some((distance, entity))) => {
                    // Two may be equally far: at 0 for instance.
                    assert!((found.distance - distance).abs() < 1e-3, "{found:?} {distance}");
                    assert!(found.entity == entity || (found.distance - distance).abs() < 1e-3);
                    let way = origin + found.distance * *direction;
                    assert!(found.point.distance(way) < 1e-3, "{found:?} {way}");
                    assert!(
                        found.distance == 0.0 || found.normal.dot(*direction) < 1e-3,
                        "{found:?}"
                    );
                    hits += 1;
                }
                (None, None) => {}
                // At the very end of a ray, or along a surface.
                (Some(found), None) => assert!((found.distance - limit).abs() < 1e-3 || limit > 1e3, "{found:?}"),
                (None, Some((distance, _))) => assert!((distance - limit).abs() < 1e-3, "{distance} {limit}"),
            }
        }
        assert!(hits > QUERIES / 10, "{hits}");
    });
}

#[test]
fn the_nearest_is_parrys() {
    on_a_scene(|query, peers, random| {
        for _ in 0..QUERIES {
            let point = random.vector(12.0);
            let banned = peers[random.below(peers.len())].entity;
            let nearest = query
                .nearest(point, f32::INFINITY, |entity| entity != banned)
                .expect("a valid point");
            let NearestCollider {
                entity,
                distance,
                point: on,
                ..
            } = nearest.expect("a collider");
            let far = |peer: &Peer| peer.shape.distance_to_point(&peer.pose, point, true);
            let allowed = peers.iter().filter(|peer| peer.entity != banned);
            let expected = allowed.map(far).min_by(f32::total_cmp).expect("a collider");
            assert!((distance - expected).abs() < 1e-4, "{distance} {expected}");
            let own = peers.iter().find(|peer| peer.entity == entity).expect("a collider");
            assert!((far(own) - expected).abs() < 1e-4 && (on.distance(point) - distance).abs() < 1e-4);
            let limit = 0.99 * distance - 1e-3;
            if limit > 0.0 {
                assert_eq!(
                    query
                        .nearest(point, limit, |entity| entity != banned)
                        .expect("a valid point"),
                    None
                );
            }
        }
    });
}

#[test]
fn shapes_overlap_and_meet_what_parrys_do() {
    on_a_scene(|query, peers, random| {
        let mut met = 0;
        for _ in 0..QUERIES {
            let (shape, at, direction) = (random.collider(), random.transform(8.0), direction(random));
            let own = peer(Entity::PLACEHOLDER, &shape, &at);
            // Of the two answers of Parry, each errs now and then: neither is believed alone.
            let depth = |peer: &Peer, by: f32| {
                let mut pose = own.pose;
                pose.translation += by * *direction;
                let (poses, shapes) = ([&pose, &peer.pose], [&*own.shape, &*peer.shape]);
                let apart = parry3d::query::distance(poses[0], shapes[0], poses[1], shapes[1]);
                let contact = parry3d::query::contact(poses[0], shapes[0], poses[1], shapes[1], 0.1);
                let depth = contact.expect("known shapes").map_or(0.0, |contact| -contact.dist);
                match apart.expect("known shapes").distance {
                    0.0 => depth.max(0.0),
                    apart => -apart,
                }
            };
            let surely_meets = |peer: &Peer, by: f32| depth(peer, by) > 1e-3;
            let may_meet = |peer: &Peer, by: f32| depth(peer, by) > -1e-3;
            let overlapping = query.overlapping(&shape, &at, |_| true).expect("a valid shape");
            for peer in peers {
                let is_found = overlapping.contains(&peer.entity);
                assert!(if is_found {
                    may_meet(peer, 0.0)
                } else {
                    !surely_meets(peer, 0.0)
                });
            }
            let hit = query
                .cast_shape(&shape, &at, direction, 5.0, |_| true)
                .expect("a valid shape");
            let way = hit.map_or(5.0, |hit| hit.distance);
            // Free on the whole way, and in contact at its end.
            for part in [0.0, 0.3, 0.7, 0.99] {
                assert!(
                    hit.is_some_and(|hit| hit.distance == 0.0)
                        || !peers.iter().any(|peer| surely_meets(peer, part * way))
                );
            }
            if let Some(hit) = hit {
                let other = peers.iter().find(|peer| peer.entity == hit.entity).expect("a collider");
                assert!(may_meet(other, way), "{hit:?}");
                met += 1;
            }
        }
        assert!(met > QUERIES / 10, "{met}");
    });
}

#[test]
fn invalid_queries_are_errors() {
    on_a_scene(|query, _, _| {
        let all = |_| true;
        for (error, text) in [
            (
                query.cast_ray(Vec3::NAN, Dir3::X, 1.0, all).err(),
                "the origin of the query, NaN: it must be finite",
            ),
            (
                query.cast_ray(Vec3::ZERO, Dir3::X, -1.0, all).err(),
                "the distance of the query, -1: it must be not negative",
            ),
            (
                query.nearest(Vec3::INFINITY, 1.0, all).err(),
                "the point of the query, inf: it must be finite",
            ),
            (
                query
                    .overlapping(&Collider::sphere(-1.0), &Transform::IDENTITY, all)
                    .err(),
                "the shape of the query: a length of its shape is negative",
            ),
        ] {
            assert_eq!(error.expect("an error").to_string(), text);
        }
        let far = query.cast_ray(Vec3::splat(1e30), Dir3::X, 1.0, all);
        assert!(
            matches!(far, Err(QueryError::Search(_) | QueryError::Shape(_))),
            "{far:?}"
        );
    });
}

/// Without colliders there is nothing to find, and no error.
#[test]
fn empty_worlds_have_answers() {
    let mut app = app();
    app.add_systems(Last, |query: SpatialQuery, collisions: Collisions| {
        let turned = Transform::from_rotation(Quat::from_rotation_x(1.0));
        assert!(
            query
                .cast_ray(Vec3::ZERO, Dir3::X, f32::INFINITY, |_| true)
                .expect("a valid ray")
                .is_none()
        );
        assert!(
            query
                .nearest(Vec3::ZERO, f32::INFINITY, |_| true)
                .expect("a valid point")
                .is_none()
        );
        let ball = Collider::sphere(1.0);
        assert!(
            query
                .overlapping(&ball, &turned, |_| true)
                .expect("a valid shape")
                .is_empty()
        );
        assert!(
            query
                .cast_shape(&ball, &turned, Dir3::Y, 1.0, |_| true)
                .expect("a valid shape")
                .is_none()
        );
        assert!(collisions.is_empty() && collisions.of(Entity::PLACEHOLDER).next().is_none());
    });
    app.update();
    app.update();
}
