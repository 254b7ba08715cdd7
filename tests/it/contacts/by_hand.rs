//! Manifolds by hand.

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::{Obb, contact::Feature};

use crate::contacts::{cube, expect_manifold, places};

/// A name, two boxes, and their normal, depth and number of points. A normal of 0 stands for any.
type Case = (&'static str, Obb, Obb, DVec3, f64, usize);

fn turned(angle: f32) -> Quat {
    Quat::from_rotation_z(angle.to_radians())
}

fn thin(z: f32, half: [f32; 3], rotation: Quat) -> Obb {
    Obb::new(Vec3::new(0.0, 0.0, z), half.into(), rotation)
}

/// Contacts of two faces.
fn of_faces() -> Vec<Case> {
    vec![
        (
            "a cube on a cube",
            cube(0.0, 0.0, 0.0),
            cube(0.0, 0.0, 1.75),
            DVec3::Z,
            0.25,
            4,
        ),
        (
            "a cube under a cube",
            cube(0.0, 0.0, 0.0),
            cube(0.5, 0.0, -1.75),
            -DVec3::Z,
            0.25,
            4,
        ),
        ("touching", cube(0.0, 0.0, 0.0), cube(2.0, 0.5, 0.5), DVec3::X, 0.0, 4),
        (
            "an octagon",
            cube(0.0, 0.0, 0.0),
            thin(1.75, [1.0; 3], turned(45.0)),
            DVec3::Z,
            0.25,
            8,
        ),
        (
            "a box in a box",
            thin(0.0, [4.0; 3], turned(0.0)),
            thin(2.75, [1.0; 3], turned(0.0)),
            DVec3::Z,
            2.25,
            4,
        ),
    ]
}

/// Two cubes whose edges cross, a quarter deep.
fn crossed() -> [Obb; 2] {
    let [edge_up, edge_down] = [Quat::from_rotation_x, Quat::from_rotation_y].map(|turn| turn(45f32.to_radians()));
    [
        thin(0.0, [1.0; 3], edge_up),
        thin(2.0 * 2f32.sqrt() - 0.25, [1.0; 3], edge_down),
    ]
}

/// Contacts at edges and corners.
fn of_edges_and_corners() -> Vec<Case> {
    let edge_up = Quat::from_rotation_x(45f32.to_radians());
    let [lower, upper] = crossed();
    let point_down = Quat::from_rotation_arc(Vec3::ONE.normalize(), Vec3::Z);
    let root = 2f32.sqrt();
    vec![
        (
            "an edge on a face",
            cube(0.0, 0.0, 0.0),
            thin(root + 0.75, [1.0; 3], edge_up),
            DVec3::Z,
            0.25,
            2,
        ),
        (
            "a corner on a face",
            cube(0.0, 0.0, 0.0),
            thin(3f32.sqrt() + 0.75, [1.0; 3], point_down),
            DVec3::Z,
            0.25,
            1,
        ),
        (
            "touching at an edge",
            cube(0.0, 0.0, 0.0),
            cube(2.0, 2.0, 0.5),
            DVec3::X,
            0.0,
            2,
        ),
        (
            "touching at a corner",
            cube(0.0, 0.0, 0.0),
            cube(2.0, 2.0, 2.0),
            DVec3::X,
            0.0,
            1,
        ),
        ("crossing edges", lower, upper, DVec3::Z, 0.25, 1),
    ]
}

/// Contacts of boxes without volume.
fn without_volume() -> Vec<Case> {
    vec![
        (
            "a plate on a cube",
            cube(0.0, 0.0, 0.0),
            thin(0.75, [0.5, 0.5, 0.0], turned(9.0)),
            DVec3::Z,
            0.25,
            4,
        ),
        (
            "a larger plate",
            cube(0.0, 0.0, 0.0),
            thin(0.75, [9.0, 9.0, 0.0], turned(9.0)),
            DVec3::Z,
            0.25,
            4,
        ),
        (
            "a rod on a cube",
            cube(0.0, 0.0, 0.0),
            thin(0.75, [5.0, 0.0, 0.0], turned(9.0)),
            DVec3::Z,
            0.25,
            2,
        ),
        (
            "a point in a cube",
            cube(0.0, 0.0, 0.0),
            thin(0.75, [0.0; 3], turned(9.0)),
            DVec3::Z,
            0.25,
            1,
        ),
        (
            "crossing rods",
            thin(0.0, [5.0, 0.0, 0.0], turned(0.0)),
            thin(0.0, [5.0, 0.0, 0.0], turned(90.0)),
            DVec3::ZERO,
            0.0,
            1,
        ),
        (
            "a plate through a plate",
            thin(0.0, [1.0, 1.0, 0.0], turned(0.0)),
            thin(0.5, [0.0, 0.5, 1.0], turned(0.0)),
            DVec3::ZERO,
            0.5,
            2,
        ),
        (
            "one point twice",
            thin(1.0, [0.0; 3], turned(0.0)),
            thin(1.0, [0.0; 3], turned(9.0)),
            DVec3::ZERO,
            0.0,
            1,
        ),
    ]
}

#[test]
fn b2_b4_known_manifolds() {
    let cases = [of_faces(), of_edges_and_corners(), without_volume()];
    for (name, a, b, normal, depth, count) in cases.into_iter().flatten() {
        let manifold = expect_manifold(name, &a, &b).expect(name);
        let penetration = manifold.penetration();
        assert!(
            normal == DVec3::ZERO || penetration.normal.distance(normal) < 1e-6,
            "{name}: {manifold:?}"
        );
        assert!((penetration.depth - depth).abs() < 2e-6, "{name}: {manifold:?}");
        assert_eq!(manifold.points().len(), count, "{name}: {manifold:?}");
    }
    let octagon = cube(0.0, 0.0, 0.0)
        .manifold(&thin(1.75, [1.0; 3], turned(45.0)))
        .expect("it collides");
    let root = 2f32.sqrt();
    let [near, far] = [(root - 1.0) * 1e4, 1e4].map(|place| place.round() as i64);
    let mut expected: Vec<_> = [near, -near]
        .into_iter()
        .flat_map(|p| [[p, far, far], [p, -far, far], [far, p, far], [-far, p, far]])
        .collect();
    expected.sort_unstable();
    assert_eq!(places(octagon.points()), expected);
}

#[test]
fn b3_b5_edges_meet_in_one_point() {
    let [a, b] = crossed();
    let manifold = a.manifold(&b).expect("they collide");
    let top = DVec3::new(0.0, 0.0, 2f64.sqrt());
    let [point] = manifold.points() else {
        panic!("{manifold:?}")
    };
    assert!(point.on_a.distance(top) < 1e-6 && point.on_b.distance(top - 0.25 * DVec3::Z) < 1e-6);
    let whole = manifold.penetration();
    assert_eq!((whole.reference, whole.feature_a), (None, Feature::Edge(3)));
    assert!(matches!(whole.feature_b, Feature::Edge(4..=7)));
}
