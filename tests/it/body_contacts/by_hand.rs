//! Contacts of bodies by hand.

use obbligato::contact::Feature::{Corner, Edge, Face, Round};
use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::{
    Capsule, Obb, Sphere,
    contact::{Feature, Side},
    shape::BodyRef,
};

use crate::body_contacts::{Body, exact, overlap};

/// The expected contact: normal, depth, and for each point its position on A and the features.
type Known = (DVec3, f64, &'static [(DVec3, [Feature; 2])]);

const LYING: Quat = Quat::from_xyzw(0.5, 0.5, 0.5, 0.5);
const CUBE: Body = Body::Box(Obb::axis_aligned(Vec3::ZERO, Vec3::ONE));
const FLOOR: Body = Body::Box(Obb::axis_aligned(Vec3::ZERO, Vec3::new(5.0, 5.0, 1.0)));
const PLATE: Body = Body::Box(Obb::axis_aligned(Vec3::ZERO, Vec3::new(5.0, 5.0, 0.0)));

const fn at(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

const fn ball(x: f32, y: f32, z: f32, radius: f32) -> Body {
    Body::Sphere(Sphere::new(Vec3::new(x, y, z), radius))
}

const fn standing(x: f32, y: f32, z: f32) -> Body {
    Body::Capsule(Capsule::new(Vec3::new(x, y, z), 2.0, Quat::IDENTITY, 0.5))
}

const fn lying(x: f32, y: f32, z: f32) -> Body {
    Body::Capsule(Capsule::new(Vec3::new(x, y, z), 2.0, LYING, 0.5))
}

/// Pairs with names and their contacts.
const CASES: [(&str, Body, Body, Known); 17] = [
    (
        "balls",
        ball(0.0, 0.0, 0.0, 2.0),
        ball(3.0, 0.0, 0.0, 1.5),
        (DVec3::X, 0.5, &[(at(2.0, 0.0, 0.0), [Round(0); 2])]),
    ),
    (
        "a ball on a face",
        CUBE,
        ball(0.5, 0.0, 1.25, 0.5),
        (DVec3::Z, 0.25, &[(at(0.5, 0.0, 1.0), [Face(5), Round(0)])]),
    ),
    (
        "a ball at an edge",
        CUBE,
        ball(4.0, 0.0, 5.0, 5.0),
        (at(0.6, 0.0, 0.8), 0.0, &[(at(1.0, 0.0, 1.0), [Edge(7), Round(0)])]),
    ),
    (
        "a ball at a corner",
        CUBE,
        ball(2.0, 3.0, 3.0, 3.5),
        (
            at(1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0),
            0.5,
            &[(at(1.0, 1.0, 1.0), [Corner(7), Round(0)])],
        ),
    ),
    (
        "a center in a box",
        CUBE,
        ball(0.25, -0.75, 0.5, 0.5),
        (DVec3::NEG_Y, 0.75, &[(at(0.25, -1.0, 0.5), [Face(2), Round(0)])]),
    ),
    (
        "a ball on a plate",
        PLATE,
        ball(1.0, 0.0, 0.5, 0.5),
        (DVec3::Z, 0.0, &[(at(1.0, 0.0, 0.0), [Face(5), Round(0)])]),
    ),
    (
        "a ball in a plate",
        PLATE,
        ball(1.0, 0.0, 0.0, 0.5),
        (DVec3::Z, 0.5, &[(at(1.0, 0.0, 0.0), [Face(5), Round(0)])]),
    ),
    (
        "standing on the floor",
        FLOOR,
        standing(1.0, 0.0, 3.25),
        (DVec3::Z, 0.25, &[(at(1.0, 0.0, 1.0), [Face(5), Round(1)])]),
    ),
    (
        "lying on the floor",
        FLOOR,
        lying(1.0, 0.0, 1.25),
        (
            DVec3::Z,
            0.25,
            &[
                (at(-1.0, 0.0, 1.0), [Face(5), Round(1)]),
                (at(3.0, 0.0, 1.0), [Face(5), Round(2)]),
            ],
        ),
    ),
    (
        "lying across the cube",
        CUBE,
        lying(0.5, 0.0, 1.5),
        (
            DVec3::Z,
            0.0,
            &[
                (at(-1.0, 0.0, 1.0), [Edge(5), Round(0)]),
                (at(1.0, 0.0, 1.0), [Edge(7), Round(0)]),
            ],
        ),
    ),
    (
        "through the floor",
        FLOOR,
        standing(2.0, 0.0, 0.5),
        (DVec3::Z, 3.0, &[(at(2.0, 0.0, 1.0), [Face(5), Round(1)])]),
    ),
    (
        "through the cube's side",
        CUBE,
        standing(0.75, 0.0, 0.0),
        (
            DVec3::X,
            0.75,
            &[
                (at(1.0, 0.0, -1.0), [Edge(6), Round(0)]),
                (at(1.0, 0.0, 1.0), [Edge(7), Round(0)]),
            ],
        ),
    ),
    (
        "side by side",
        standing(0.0, 0.0, 0.0),
        standing(0.75, 0.0, 1.0),
        (
            DVec3::X,
            0.25,
            &[
                (at(0.5, 0.0, -1.0), [Round(0), Round(1)]),
                (at(0.5, 0.0, 2.0), [Round(2), Round(0)]),
            ],
        ),
    ),
    (
        "end to end",
        standing(0.0, 0.0, 0.0),
        standing(0.0, 0.0, 4.75),
        (DVec3::Z, 0.25, &[(at(0.0, 0.0, 2.5), [Round(2), Round(1)])]),
    ),
    (
        "crossing",
        standing(0.0, 0.0, 0.0),
        lying(1.0, 0.75, 1.0),
        (DVec3::Y, 0.25, &[(at(0.0, 0.5, 1.0), [Round(0); 2])]),
    ),
    (
        "an end on a side",
        standing(0.0, 0.0, 0.0),
        lying(2.75, 0.0, 1.0),
        (DVec3::X, 0.25, &[(at(0.5, 0.0, 1.0), [Round(0), Round(1)])]),
    ),
    (
        "a ball at a side",
        standing(0.0, 0.0, 0.0),
        ball(0.0, 1.25, -1.0, 1.0),
        (DVec3::Y, 0.25, &[(at(0.0, 0.5, -1.0), [Round(0); 2])]),
    ),
];

#[test]
fn contacts_by_hand() {
    for (name, a, b, (normal, depth, points)) in CASES {
        let manifold = a.of().manifold(b.of()).expect(name);
        let found = manifold.penetration();
        assert!(
            found.normal.distance(normal) < 1e-12 && (found.depth - depth).abs() < 1e-12,
            "{name}: {manifold:?}"
        );
        let found: Vec<_> = manifold
            .points()
            .iter()
            .map(|point| [point.feature_a, point.feature_b])
            .collect();
        let expected: Vec<_> = points.iter().map(|(_, features)| *features).collect();
        assert_eq!(found, expected, "{name}");
        for (point, (on_a, _)) in manifold.points().iter().zip(points) {
            assert!(point.on_a.distance(*on_a) < 1e-12, "{name}: {manifold:?}");
        }
    }
    // Faces have a side, and round bodies have none.
    let lying_on = FLOOR.of().manifold(lying(1.0, 0.0, 1.25).of()).expect("they collide");
    assert_eq!(lying_on.penetration().reference, Some(Side::A));
    assert_eq!(lying_on.swapped().penetration().reference, Some(Side::B));
    let crossing = standing(0.0, 0.0, 0.0)
        .of()
        .manifold(lying(1.0, 0.75, 1.0).of())
        .expect("they collide");
    assert_eq!(crossing.penetration().reference, None);
}

#[test]
fn overlapping_cores_separate_along_the_shortest_way() {
    let ball = Sphere::new(Vec3::new(1.0, 2.0, 3.0), 0.5);
    let same = BodyRef::from(&ball).manifold((&ball).into()).expect("they collide");
    assert_eq!(
        (same.penetration().depth, same.penetration().normal.length()),
        (1.0, 1.0)
    );
    let turn = |angle: f32| Quat::from_rotation_x(angle);
    let capsule = |angle| Capsule::new(ball.center, 2.0, turn(angle), 0.25);
    for angle in [0.0, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3, 0.1, 1.5] {
        let (a, b) = (Body::Capsule(capsule(0.0)), Body::Capsule(capsule(angle)));
        let crossing = a.of().manifold(b.of()).expect("they collide");
        let found = crossing.penetration();
        assert!((found.depth - 0.5).abs() < 1e-14, "{angle}: {crossing:?}");
        assert!(
            (overlap(&a, &b, found.normal) - 0.5).abs() < 1e-12,
            "{angle}: {crossing:?}"
        );
        let on_core = BodyRef::from(&ball).manifold(b.of()).expect("they collide");
        let found = on_core.penetration();
        let axis = exact(turn(angle)) * DVec3::Z;
        assert!(
            found.normal.dot(axis).abs() < 1e-14 && found.depth == 0.75,
            "{angle}: {on_core:?}"
        );
    }
    // Two capsules that are parallel up to the slop have two points, others one.
    for (angle, points) in [(0.0, 2), (1e-6, 2), (0.01, 1)] {
        let mut beside = capsule(angle);
        beside.center.x += 0.4;
        let manifold = BodyRef::from(&capsule(0.0))
            .manifold((&beside).into())
            .expect("they collide");
        assert_eq!(manifold.points().len(), points, "{angle}: {manifold:?}");
    }
    // A capsule that lies on a floor, up to noise, and also one that extends over its edge.
    let floor = Obb::axis_aligned(Vec3::ZERO, Vec3::new(5.0, 5.0, 1.0));
    for (y, angle) in [(0.0, 0.0), (0.0, 1e-6), (0.0, -1e-6), (4.0, 1e-6), (4.0, -1e-6)] {
        let lying = turn(std::f32::consts::FRAC_PI_2 + angle);
        let capsule = Capsule::new(Vec3::new(0.0, y, 1.499_99), 2.0, lying, 0.5);
        let manifold = BodyRef::from(&floor).manifold((&capsule).into()).expect("they collide");
        assert_eq!(manifold.points().len(), 2, "{y} {angle}: {manifold:?}");
        assert_eq!(manifold.penetration().normal, DVec3::Z, "{y} {angle}");
    }
}
