//! Distances and contacts of bodies against parry.

use obbligato::glam::{DVec3, Quat, Vec3};
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query;
use parry3d::shape::{Ball, Cuboid, Shape};

use crate::body_contacts::{Body, PREFERENCE, Random, overlap, size};

/// The pose and the shape of a body.
fn shape(body: &Body) -> (Pose, Box<dyn Shape>) {
    let vector = |v: Vec3| Vector::from_array(v.to_array());
    let turn = |rotation: Quat| Rotation::from_array(rotation.normalize().to_array());
    match body {
        Body::Box(obb) => (
            Pose::from_parts(vector(obb.center), turn(obb.rotation)),
            Box::new(Cuboid::new(vector(obb.half_extents))),
        ),
        Body::Capsule(capsule) => (
            Pose::from_parts(vector(capsule.center), turn(capsule.rotation)),
            Box::new(parry3d::shape::Capsule::new_z(capsule.half_length, capsule.radius)),
        ),
        Body::Sphere(sphere) => (
            Pose::from_parts(vector(sphere.center), Rotation::IDENTITY),
            Box::new(Ball::new(sphere.radius)),
        ),
    }
}

#[test]
fn parry_agrees_about_bodies() {
    let (mut apart, mut touching, mut wrong) = (0, 0, 0);
    for case in 0..10_000 {
        // Without tiny, huge or distant bodies: parry computes in f32 with absolute tolerances, and
        // misclassifies short capsules.
        let case = 35 * case + [2, 3, 4, 9, 11, 12, 16, 17, 18, 19][case as usize % 10];
        let [a, b] = Random::new(case).pair();
        let is_short = |body: &Body| matches!(body, Body::Capsule(capsule) if capsule.half_length < 0.1);
        if a.size().min(b.size()) < 0.1 || is_short(&a) || is_short(&b) {
            continue;
        }
        let ((pose_a, shape_a), (pose_b, shape_b)) = (shape(&a), shape(&b));
        let tolerance = 1e-3 * size(&a, &b);
        let ours = a.of().distance(b.of());
        let theirs = query::distance(&pose_a, &*shape_a, &pose_b, &*shape_b).expect("known shapes");
        let theirs = theirs.distance;
        assert!(
            (ours - f64::from(theirs)).abs() <= tolerance,
            "{case}: {theirs}, {ours} {a:?} {b:?}"
        );
        apart += usize::from(ours > tolerance);
        let Some(manifold) = a.of().manifold(b.of()) else {
            continue;
        };
        let Ok(Some(theirs)) = query::contact(&pose_a, &*shape_a, &pose_b, &*shape_b, 0.01) else {
            continue;
        };
        // Their normal need not be the direction of least depth; and it does not separate the
        // bodies if they overlap more along it.
        let depth = manifold.penetration().depth;
        let normal = DVec3::from_array(theirs.normal1.to_array().map(f64::from));
        let deepest = f64::from(-theirs.dist);
        if overlap(&a, &b, normal) > deepest + tolerance {
            wrong += 1;
            continue;
        }
        assert!(
            deepest >= depth * (1.0 - PREFERENCE) - tolerance,
            "{case}: {theirs:?}, {manifold:?} {a:?} {b:?}"
        );
        touching += 1;
    }
    assert!(
        apart > 1_000 && touching > 1_000 && wrong < touching / 10,
        "{apart} {touching} {wrong}"
    );
}
