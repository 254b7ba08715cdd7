//! Colliders that move, compared with the roots of quadratic equations.

use std::collections::BTreeMap;

use bevy_app::Last;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_obbligato::QueryError;
use bevy_obbligato::obbligato::motion::Motion;
use bevy_obbligato::prelude::*;
use bevy_transform::components::Transform;

use crate::support::{Random, app, pair};

#[derive(Clone, Copy)]
struct Ball {
    center: Vec3,
    radius: f32,
    velocity: Vec3,
    is_static: bool,
}

/// Runs a system once on two hundred balls that move, some of them marked as static.
fn on_balls(mut ask: impl FnMut(&SpatialQuery, &BTreeMap<Entity, Ball>) + Send + Sync + 'static) {
    let (mut app, mut random) = (app(), Random(5));
    let balls: BTreeMap<Entity, Ball> = (0..200)
        .map(|_| {
            let ball = Ball {
                center: random.vector(4.0),
                radius: random.between(0.1, 0.5),
                velocity: random.vector(6.0),
                is_static: random.chance(20),
            };
            let at = Transform::from_translation(ball.center);
            let mut entity = app.world_mut().spawn((Collider::sphere(ball.radius), at));
            if ball.is_static {
                entity.insert(StaticCollider);
            }
            (entity.id(), ball)
        })
        .collect();
    app.add_systems(Last, move |query: SpatialQuery| ask(&query, &balls));
    app.update();
}

/// The first time at which two balls touch, if there is one.
fn first(a: &Ball, b: &Ball) -> Option<f64> {
    let from = b.center.as_dvec3() - a.center.as_dvec3();
    let speed = b.velocity.as_dvec3() - a.velocity.as_dvec3();
    let reach = f64::from(a.radius) + f64::from(b.radius);
    let (half, outside) = (from.dot(speed), from.length_squared() - reach * reach);
    if outside <= 0.0 {
        return Some(0.0);
    }
    let root = half * half - speed.length_squared() * outside;
    (root >= 0.0 && half < 0.0).then(|| (-half - root.sqrt()) / speed.length_squared())
}

const SECONDS: f32 = 1.5;
/// The difference of times that precision allows, and of a time from the end of the sweep.
const TOLERANCE: f64 = 1e-3;

#[test]
fn sweeps_find_when_balls_meet() {
    on_balls(|query, balls| {
        let found = query.sweep(SECONDS, |entity| Motion::linear(balls[&entity].velocity));
        let found = found.expect("valid motions");
        assert!(found.is_sorted_by_key(|meeting| meeting.time));
        let by_pair: BTreeMap<_, _> = found
            .iter()
            .map(|meeting| (pair(meeting.a, meeting.b), meeting))
            .collect();
        assert_eq!(by_pair.len(), found.len());
        let mut met = 0;
        for (a, of_a) in balls {
            for (b, of_b) in balls.range(..a) {
                let time = first(of_a, of_b).filter(|_| !(of_a.is_static && of_b.is_static));
                match (by_pair.get(&pair(*a, *b)), time) {
                    (Some(meeting), Some(time)) => {
                        met += 1;
                        assert!(meeting.is_resolved && (f64::from(meeting.time) - time).abs() < TOLERANCE);
                        let [a, b] = [meeting.a, meeting.b].map(|entity| &balls[&entity]);
                        let apart = (b.center + meeting.time * b.velocity) - (a.center + meeting.time * a.velocity);
                        assert!(meeting.normal.dot(apart.normalize()) > 0.999, "{meeting:?}");
                    }
                    (None, Some(time)) => assert!(time > f64::from(SECONDS) - TOLERANCE, "{a}, {b}: {time}"),
                    (Some(meeting), None) => panic!("{meeting:?}"),
                    (None, None) => {}
                }
            }
        }
        assert!(met > 50, "{met}");
    });
}

#[test]
fn a_moving_shape_meets_the_first_of_those_that_it_may_find() {
    on_balls(|query, balls| {
        let mut met = 0;
        for (me, ball) in balls {
            let motion_of = |entity| (entity != *me).then(|| Motion::linear(balls[&entity].velocity));
            let at = Transform::from_translation(ball.center);
            let motion = Motion::linear(ball.velocity);
            let hit = query.cast_moving(&Collider::sphere(ball.radius), &at, motion, SECONDS, motion_of);
            let hit = hit.expect("valid motions");
            let others = balls.iter().filter(|(other, _)| *other != me);
            let times = others.filter_map(|(_, other)| first(ball, other));
            let time = times.fold(f64::INFINITY, f64::min);
            match hit {
                Some(hit) => {
                    met += 1;
                    assert_ne!(hit.entity, *me);
                    assert!((f64::from(hit.time) - time).abs() < TOLERANCE, "{hit:?}, {time}");
                    let other = &balls[&hit.entity];
                    let away = (ball.center + hit.time * ball.velocity) - (other.center + hit.time * other.velocity);
                    assert!(hit.normal.dot(away.normalize()) > 0.999, "{hit:?}");
                }
                None => assert!(time > f64::from(SECONDS) - TOLERANCE, "{time}"),
            }
        }
        assert!(met > 30, "{met}");
    });
}

#[test]
fn what_is_wrong_with_a_sweep_is_named() {
    on_balls(|query, balls| {
        let bad = *balls.keys().nth(7).expect("a ball");
        let motion = |entity| Motion::linear(Vec3::splat(if entity == bad { f32::NAN } else { 0.0 }));
        match query.sweep(1.0, motion) {
            Err(QueryError::Motion { entity, .. }) => assert_eq!(entity, bad),
            other => panic!("{other:?}"),
        }
        assert!(matches!(
            query.sweep(-1.0, |_| Motion::REST),
            Err(QueryError::Number { .. })
        ));
        let (ball, nowhere) = (Collider::sphere(1.0), Transform::IDENTITY);
        let fast = Motion::linear(Vec3::INFINITY);
        let error = query.cast_moving(&ball, &nowhere, fast, 1.0, |_| Some(Motion::REST));
        assert!(matches!(error, Err(QueryError::ShapeMotion(_))), "{error:?}");
        let error = query.cast_moving(&ball, &nowhere, Motion::REST, 1.0, |entity| Some(motion(entity)));
        assert!(
            matches!(error, Err(QueryError::Motion { entity, .. }) if entity == bad),
            "{error:?}"
        );
    });
}
