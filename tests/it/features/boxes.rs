//! The rows of the chapter on two boxes.

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::query::{ContactQuery, DistanceQuery};
use obbligato::{
    Checker, Obb, Pair,
    contact::{ContactPoint, Contacts, Feature, Side, contacts},
    region::Plane,
};
use obbligato_verify::adversarial;
use obbligato_verify::reference::{collides, distance};
use obbligato_verify::scenes::Scene;

use super::{check, on_cpu, on_gpu};

/// A cube, and one that penetrates its top by a quarter, rotated about the vertical.
fn stacked(angle: f32) -> [Obb; 2] {
    let center = Vec3::new(0.0, 0.0, 1.75);
    [
        Obb::axis_aligned(Vec3::ZERO, Vec3::ONE),
        Obb::new(center, Vec3::ONE, Quat::from_rotation_z(angle)),
    ]
}

/// Two cubes whose edges cross, a quarter deep.
fn crossed() -> [Obb; 2] {
    let angle = std::f32::consts::FRAC_PI_4;
    let center = Vec3::new(0.0, 0.0, 2.0 * 2f32.sqrt() - 0.25);
    [
        Obb::new(Vec3::ZERO, Vec3::ONE, Quat::from_rotation_x(angle)),
        Obb::new(center, Vec3::ONE, Quat::from_rotation_y(angle)),
    ]
}

#[test]
fn b1_corners_and_planes() {
    let half = Vec3::new(3.0, 2.0, 1.0);
    let solid = Obb::new(
        Vec3::new(1e6, -5.0, 2.0),
        half,
        Quat::from_xyzw(0.5, -0.1, 0.3, 0.8).normalize(),
    );
    let (corners, planes) = (solid.corners(), solid.face_planes());
    for (k, corner) in corners.iter().enumerate() {
        assert!((corner.distance(solid.center.as_dvec3()) - 14f64.sqrt()).abs() < 1e-9);
        for (face, plane) in planes.iter().enumerate() {
            let (axis, on_it) = (face / 2, k >> (face / 2) & 1 == face % 2);
            let expected = if on_it { 0.0 } else { -2.0 * f64::from(half[axis]) };
            assert!(
                (plane.signed_distance(*corner) - expected).abs() < 1e-9,
                "corner {k}, face {face}"
            );
            assert_eq!(plane.normal, solid.face_normals()[face]);
        }
    }
    let floor = Plane::new(DVec3::new(0.0, 0.0, 1.0), DVec3::Z);
    for (from, to, expected) in [
        (3.0, 0.0, Some(1.0)),
        (0.0, 3.0, Some(1.0)),
        (1.0, 5.0, Some(1.0)),
        (5.0, 1.0, Some(1.0)),
        (1.0, 1.0, Some(1.0)),
        (0.0, 0.5, None),
        (2.0, 1.5, None),
    ] {
        let crossing = floor.crossing(from * DVec3::Z, to * DVec3::Z);
        assert_eq!(crossing.map(|point| point.z), expected, "{from} {to}");
    }
}

#[test]
fn b2_normal_and_depth() {
    for [a, b] in [stacked(0.0), stacked(0.7), crossed()] {
        let manifold = a.manifold(&b).expect("they collide");
        assert!(manifold.penetration().normal.distance(DVec3::Z) < 1e-6);
        assert!((manifold.penetration().depth - 0.25).abs() < 1e-6);
    }
    for index in 0..3_000 {
        let (a, b) = adversarial::pair(index, 9);
        assert_eq!(a.manifold(&b).is_some(), collides(&a, &b), "{a:?} {b:?}");
    }
}

#[test]
fn b3_reference_and_incident_features() {
    let [a, b] = stacked(0.7);
    let at_faces = *a.manifold(&b).expect("they collide").penetration();
    assert_eq!(
        (at_faces.feature_a, at_faces.feature_b),
        (Feature::Face(5), Feature::Face(4))
    );
    assert!(at_faces.reference.is_some());
    let [a, b] = crossed();
    let at_edges = *a.manifold(&b).expect("they collide").penetration();
    assert_eq!(at_edges.reference, None);
    assert_eq!(at_edges.feature_a, Feature::Edge(3));
    assert!(matches!(at_edges.feature_b, Feature::Edge(4..=7)));
}

#[test]
fn b4_clipped_points() {
    let count = |angle: f32| {
        let [a, b] = stacked(angle);
        let manifold = a.manifold(&b).expect("they collide");
        assert_eq!(manifold.reduced().points().len(), 4);
        manifold.points().len()
    };
    assert_eq!([count(0.0), count(0.7)], [4, 8]);
}

#[test]
fn b5_edges_in_contact() {
    let [a, b] = crossed();
    let manifold = a.manifold(&b).expect("they collide");
    let top = DVec3::new(0.0, 0.0, 2f64.sqrt());
    let [point] = manifold.points() else {
        panic!("{manifold:?}")
    };
    assert!(point.on_a.distance(top) < 1e-6 && point.on_b.distance(top - 0.25 * DVec3::Z) < 1e-6);
}

#[test]
fn b6_points_on_both_bodies() {
    for [a, b] in [stacked(0.3), crossed()] {
        let (manifold, mirrored) = (
            a.manifold(&b).expect("they collide"),
            b.manifold(&a).expect("they collide"),
        );
        let apart = |point: &ContactPoint| point.on_a - point.on_b - point.depth * manifold.penetration().normal;
        assert!(manifold.points().iter().all(|point| apart(point).length() < 1e-9));
        assert!(manifold.swapped() == mirrored);
        let sides = [manifold, mirrored].map(|manifold| manifold.penetration().reference);
        assert!(matches!(
            sides,
            [None, None] | [Some(Side::A), Some(Side::B)] | [Some(Side::B), Some(Side::A)]
        ));
    }
}

#[test]
fn b7_contacts_on_the_gpu() {
    let boxes = Scene::Dense.generate(4_000, 2);
    let pairs = check(on_cpu(), &boxes).into_pairs().expect("asked for");
    assert!(pairs.len() > 5_000, "{}", pairs.len());
    let sets: [&[Obb]; 2] = [&boxes, &boxes];
    let expected = contacts(sets, &pairs).expect("contacts");
    let mut checker = Checker::new(on_gpu()).expect("an adapter");
    let found = checker.check(ContactQuery::new(sets, &pairs)).expect("contacts");
    let names = |contacts: &Contacts, k: usize| -> Vec<_> {
        let points = contacts.points_of(k).iter();
        let mut names: Vec<_> = points.map(|point| (point.feature_a, point.feature_b)).collect();
        names.sort_unstable();
        names
    };
    let mut same = 0;
    for k in 0..pairs.len() {
        let [one, other] = [&expected, &found].map(|contacts| contacts.penetrations()[k].expect("they collide"));
        assert!(
            (one.depth - other.depth).abs() <= 0.02 * one.depth + 1e-3,
            "{one:?} {other:?}"
        );
        let alike = one.normal.distance(other.normal) < 1e-3 && names(&expected, k) == names(&found, k);
        same += usize::from(alike);
    }
    // Of axes that are equally good f32 may choose another.
    assert!(same * 1_000 > pairs.len() * 999, "{same} of {}", pairs.len());
}

#[test]
fn b8_distance_and_closest_points() {
    let (a, b): (Vec<Obb>, Vec<Obb>) = (0..5_000).map(|index| adversarial::pair(index, 6)).unzip();
    let list: Vec<Pair> = (0..5_000).map(|k| Pair { a: k, b: k }).collect();
    let mut checker = Checker::new(on_gpu()).expect("an adapter");
    let on_gpu = checker.check(DistanceQuery::new([&a, &b], &list)).expect("distances");
    let mut apart = 0;
    for index in 0..5_000 {
        let (a, b) = adversarial::pair(index, 6);
        let closest = a.closest_points(&b);
        let extents = (a.half_extents.as_dvec3() + b.half_extents.as_dvec3()).element_sum();
        let size = extents + a.center.as_dvec3().distance(b.center.as_dvec3());
        let coordinates = f64::from(a.center.abs().max(b.center.abs()).max_element());
        let error = 3e-14 * size + 1e-15 * coordinates;
        assert!(
            (closest.distance - distance(&a, &b)).abs() <= 3e-14 * size,
            "{a:?} {b:?}"
        );
        assert!(
            (closest.on_a.distance(closest.on_b) - closest.distance).abs() <= error,
            "{a:?} {b:?}"
        );
        assert!(closest.distance == 0.0 || !collides(&a, &b), "{a:?} {b:?}");
        apart += usize::from(closest.distance > 0.0);
        let found = &on_gpu[index as usize];
        let error = 1.6e-5 * size + 1e-15 * coordinates;
        assert!((found.distance - closest.distance).abs() <= error, "{a:?} {b:?}");
        assert!(
            (found.on_a.distance(found.on_b) - found.distance).abs() <= error,
            "{a:?} {b:?}"
        );
        assert_eq!(found.distance == 0.0, closest.distance == 0.0, "{a:?} {b:?}");
    }
    assert!(apart > 1_000, "{apart}");
}
