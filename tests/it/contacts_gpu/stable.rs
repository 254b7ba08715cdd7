//! Contacts that keep their features: at rest, in motion, and in either order.

use std::collections::BTreeSet;

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::query::ContactQuery;
use obbligato::{Config, Obb, contact::Penetration};

use crate::contacts_gpu::{PREFERENCE, Pairs, random_pairs, tolerance};
use crate::support::cases::Numbers;
use crate::support::gpu::gpu;

#[test]
fn swapped_boxes_mirror_contacts() {
    let pairs = random_pairs(5_000);
    let mirrored = Pairs {
        a: pairs.b.clone(),
        b: pairs.a.clone(),
    };
    let mut checker = gpu(Config::default());
    let found = checker
        .check(ContactQuery::new(pairs.sets(), &pairs.list()))
        .expect("contacts");
    let there = checker
        .check(ContactQuery::new(mirrored.sets(), &pairs.list()))
        .expect("contacts");
    for k in 0..pairs.a.len() {
        let tolerance = tolerance(&pairs.a[k], &pairs.b[k]);
        let (one, other) = (
            found.penetrations()[k],
            there.penetrations()[k].map(Penetration::swapped),
        );
        let parts = |penetration: Penetration| (penetration.feature_a, penetration.feature_b, penetration.reference);
        assert_eq!(one.map(parts), other.map(parts), "{k}");
        let points = found.points_of(k).iter().zip(there.points_of(k));
        assert_eq!(found.points_of(k).len(), there.points_of(k).len());
        for (point, mirrored) in points {
            let mirrored = mirrored.swapped();
            assert_eq!(
                (point.feature_a, point.feature_b),
                (mirrored.feature_a, mirrored.feature_b)
            );
            assert!(
                point.on_a.distance(mirrored.on_a) <= tolerance,
                "{k}: {point:?} {mirrored:?}"
            );
            assert!(
                point.on_b.distance(mirrored.on_b) <= tolerance,
                "{k}: {point:?} {mirrored:?}"
            );
        }
    }
}

/// Moving and rotating boxes together moves and rotates their contacts.
#[test]
fn contacts_move_with_their_boxes() {
    let pairs = random_pairs(5_000);
    let turn = Quat::from_xyzw(0.2, -0.4, 0.1, 0.8).normalize();
    let shift = Vec3::new(4.0, -8.0, 2.0);
    let moved = |solids: &[Obb]| -> Vec<Obb> {
        let one = |solid: &Obb| Obb::new(turn * solid.center + shift, solid.half_extents, turn * solid.rotation);
        solids.iter().map(one).collect()
    };
    let there = Pairs {
        a: moved(&pairs.a),
        b: moved(&pairs.b),
    };
    let mut checker = gpu(Config::default());
    let found = checker
        .check(ContactQuery::new(pairs.sets(), &pairs.list()))
        .expect("contacts");
    let moved = checker
        .check(ContactQuery::new(there.sets(), &pairs.list()))
        .expect("contacts");
    let mut same = 0;
    let mut all = 0;
    for k in 0..pairs.a.len() {
        let (Some(one), Some(other)) = (found.penetrations()[k], moved.penetrations()[k]) else {
            continue;
        };
        all += 1;
        let near = 20.0 * tolerance(&pairs.a[k], &pairs.b[k]);
        assert!(
            (one.depth - other.depth).abs() <= one.depth * 2.0 * PREFERENCE + near,
            "{k}"
        );
        let turned = |v: DVec3| turn.as_dquat() * v;
        if turned(one.normal).distance(other.normal) > 1e-3 || found.points_of(k).len() != moved.points_of(k).len() {
            continue;
        }
        same += 1;
        for point in found.points_of(k) {
            let place = turned(point.on_a) + shift.as_dvec3();
            let nearest = moved
                .points_of(k)
                .iter()
                .map(|point| point.on_a.distance(place))
                .fold(9.0, f64::min);
            assert!(nearest <= near, "{k}: {nearest}");
        }
    }
    assert!(same > all * 97 / 100, "{same} of {all}");
}

/// 1,000 frames of boxes at rest on one another, with noise.
#[test]
fn boxes_at_rest_keep_their_features() {
    let mut numbers = Numbers::new(5);
    let mut noisy = |solid: &Obb| {
        let shift = numbers.point() * 1e-6;
        let by = numbers.point() * 1e-6;
        let turn = Quat::from_xyzw(by.x, by.y, by.z, 1.0);
        Obb::new(
            solid.center + shift,
            solid.half_extents,
            (turn * solid.rotation).normalize(),
        )
    };
    // Deep enough for f32 to decide.
    let at = |x: f32, y: f32, half: [f32; 3], angle: f32| {
        let center = Vec3::new(x, y, 1.0 + half[2] - 2e-3);
        Obb::new(center, half.into(), Quat::from_rotation_z(angle))
    };
    let lower = Obb::axis_aligned(Vec3::ZERO, Vec3::ONE);
    let mut checker = gpu(Config::default());
    for (name, upper, count) in [
        ("the same cube", at(0.0, 0.0, [1.0; 3], 0.0), 4),
        ("a smaller one", at(0.3, -0.2, [0.5; 3], 0.0), 4),
        ("turned", at(0.3, -0.2, [0.5, 0.4, 0.3], 0.4), 4),
        ("an octagon", at(0.0, 0.0, [1.0; 3], 0.8), 8),
        ("over an edge", at(1.0, 0.2, [0.5, 0.5, 2.0], 0.0), 4),
        ("a plate", at(0.1, 0.1, [0.5, 0.7, 0.0], 0.2), 4),
    ] {
        let frames = Pairs {
            a: (0..1_000).map(|_| noisy(&lower)).collect(),
            b: (0..1_000).map(|_| noisy(&upper)).collect(),
        };
        let found = checker
            .check(ContactQuery::new(frames.sets(), &frames.list()))
            .expect("contacts");
        let mut seen = BTreeSet::new();
        for k in 0..1_000 {
            let penetration = found.penetrations()[k].expect("they collide");
            let points: Vec<_> = found.points_of(k).iter().map(|p| (p.feature_a, p.feature_b)).collect();
            assert_eq!(points.len(), count, "{name}");
            assert!(penetration.normal.distance(DVec3::Z) < 1e-5, "{name}: {penetration:?}");
            seen.insert((penetration.feature_a, penetration.feature_b, points));
        }
        assert_eq!(seen.len(), 1, "{name}: {seen:#?}");
    }
}
