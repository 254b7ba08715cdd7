//! Distances and closest points of two boxes: against known answers, against all pairs of features,
//! against a proof that no points are closer, against parry, and against their own symmetries.

use obbligato::Obb;
use obbligato::glam::{DMat3, DQuat, DVec3, Quat, Vec3};
use obbligato_verify::adversarial;
use obbligato_verify::reference;
use proptest::prelude::*;

use crate::support::cases::Numbers;

/// The number of pairs of each kind that are tested.
const PAIRS: u64 = 60_000;

/// The error that `Obb::distance` promises, per unit of the boxes' size.
const PROMISED: f64 = 3e-14;

/// The distance of the centers plus all half extents.
fn size(a: &Obb, b: &Obb) -> f64 {
    let extents = (a.half_extents.as_dvec3() + b.half_extents.as_dvec3()).element_sum();
    a.center.as_dvec3().distance(b.center.as_dvec3()) + extents
}

/// The matrix from the box's frame to the world, with the box's center as origin.
fn frame(solid: &Obb) -> DMat3 {
    let [x, y, z, w] = solid.rotation.to_array().map(f64::from);
    DMat3::from_quat(DQuat::from_xyzw(x, y, z, w).normalize())
}

/// The distance of a point from the box, 0 if it is inside.
fn outside(solid: &Obb, point: DVec3) -> f64 {
    let local = frame(solid).transpose() * (point - solid.center.as_dvec3());
    (local.abs() - solid.half_extents.as_dvec3()).max(DVec3::ZERO).length()
}

/// The gap between the boxes along a unit vector from A to B. For any vector it is at most the
/// distance.
fn gap(a: &Obb, b: &Obb, along: DVec3) -> f64 {
    let reach = |solid: &Obb| ((frame(solid).transpose() * along).abs() * solid.half_extents.as_dvec3()).element_sum();
    (b.center.as_dvec3() - a.center.as_dvec3()).dot(along) - reach(a) - reach(b)
}

/// Asserts the invariants of the distance of two boxes, and returns the distance.
fn expect_closest(name: &str, a: &Obb, b: &Obb) -> f64 {
    let (closest, size) = (a.closest_points(b), size(a, b));
    let distance = closest.distance;
    // The points are in the world, where coordinates have a rounding error of their own.
    let coordinates = a.center.abs().max(b.center.abs()).max_element();
    let tolerance = PROMISED * size + 1e-15 * f64::from(coordinates);
    let context = || format!("{name}: {closest:?}\n{a:?}\n{b:?}");
    assert_eq!(distance, a.distance(b), "{}", context());
    assert!(outside(a, closest.on_a) <= tolerance, "on A: {}", context());
    assert!(outside(b, closest.on_b) <= tolerance, "on B: {}", context());
    let apart = closest.on_b - closest.on_a;
    assert!(
        (apart.length() - distance).abs() <= tolerance,
        "apart {}: {}",
        apart.length(),
        context()
    );

    let swapped = b.closest_points(a);
    assert_eq!(
        (swapped.distance, swapped.on_a, swapped.on_b),
        (distance, closest.on_b, closest.on_a)
    );

    if a.contact(b).collides() {
        assert_eq!((distance, closest.on_a), (0.0, closest.on_b), "{}", context());
        return distance;
    }
    let expected = reference::distance(a, b);
    assert!(
        (distance - expected).abs() <= PROMISED * size,
        "{expected} expected: {}",
        context()
    );
    // The plane perpendicular to the line between the points. A small sideways shift of the points
    // hardly increases their distance, so they may be shifted within the tolerance, which tilts the
    // plane.
    if distance > 1e3 * tolerance {
        let plane = gap(a, b, apart / distance);
        let turned = size * (2.0 * tolerance / distance).sqrt();
        assert!(
            plane >= distance - tolerance - turned,
            "the plane between them leaves {plane}: {}",
            context()
        );
    }
    distance
}

/// The pair, and the same boxes moved apart by up to ten times their size.
fn apart(index: u64, seed: u64) -> [(Obb, Obb); 3] {
    let (a, b) = adversarial::pair(index, seed);
    let largest = a.half_extents.max_element().max(b.half_extents.max_element());
    [
        0.0,
        [1e-6, 1e-3, 0.1][index as usize % 3],
        [0.5, 2.0, 10.0][index as usize / 13 % 3],
    ]
    .map(|by| {
        let away = (b.center - a.center).try_normalize().unwrap_or(Vec3::X);
        let lean = Vec3::new(0.3, -0.2, 0.1) * ((index % 5) as f32 - 2.0);
        let mut moved = b;
        moved.center += (away + lean) * (by * largest);
        (a, if moved.problem().is_some() { b } else { moved })
    })
}

#[test]
fn b8_hard_pairs_have_the_distance_of_their_closest_features() {
    let mut distances = [0; 2];
    for index in 0..PAIRS / 3 {
        for (a, b) in apart(index, 21) {
            let name = format!("{:?} {index}", adversarial::family(index));
            distances[usize::from(expect_closest(&name, &a, &b) > 0.0)] += 1;
        }
    }
    assert!(
        distances.iter().all(|&number| number > PAIRS as usize / 10),
        "{distances:?}"
    );
}

/// A name, two boxes and their distance.
type Known = (&'static str, Obb, Obb, f64);

fn turned(angle: f32) -> Quat {
    Quat::from_rotation_z(angle.to_radians())
}

fn cube(x: f32, y: f32, z: f32) -> Obb {
    Obb::axis_aligned(Vec3::new(x, y, z), Vec3::ONE)
}

/// Pairs of cubes.
fn cubes() -> Vec<Known> {
    let edge_up = Quat::from_rotation_x(45f32.to_radians());
    let root = 2f64.sqrt();
    vec![
        ("face to face", cube(0.0, 0.0, 0.0), cube(3.0, 0.5, 0.5), 1.0),
        ("face to face, far", cube(1e6, 0.0, 0.0), cube(1e6 + 3.0, 0.0, 0.0), 1.0),
        ("edge to edge, parallel", cube(0.0, 0.0, 0.0), cube(5.0, 6.0, 0.5), 5.0),
        ("corner to corner", cube(0.0, 0.0, 0.0), cube(4.0, 4.0, 3.0), 3.0),
        (
            "edge to face",
            cube(0.0, 0.0, 0.0),
            Obb::new(Vec3::new(4.0, 0.0, 0.0), Vec3::ONE, turned(45.0)),
            3.0 - root,
        ),
        (
            "crossing edges",
            Obb::new(Vec3::ZERO, Vec3::ONE, edge_up),
            Obb::new(
                Vec3::new(0.0, 0.0, 4.0),
                Vec3::ONE,
                Quat::from_rotation_y(45f32.to_radians()),
            ),
            4.0 - 2.0 * root,
        ),
        (
            "an octagon in common",
            cube(0.0, 0.0, 0.0),
            Obb::new(Vec3::new(0.0, 0.0, 2.5), Vec3::ONE, turned(45.0)),
            0.5,
        ),
    ]
}

/// Pairs with a bar, a rod, a plate or a point.
fn with_thin_boxes() -> Vec<Known> {
    let edge_up = Quat::from_rotation_x(45f32.to_radians());
    vec![
        (
            "points",
            Obb::new(Vec3::ZERO, Vec3::ZERO, turned(9.0)),
            Obb::new(Vec3::new(3.0, 4.0, 12.0), Vec3::ZERO, edge_up),
            13.0,
        ),
        (
            "crossing bars",
            Obb::new(Vec3::ZERO, Vec3::new(9.0, 1.0, 1.0), turned(0.0)),
            Obb::new(Vec3::new(0.0, 0.0, 5.0), Vec3::new(9.0, 1.0, 1.0), turned(90.0)),
            3.0,
        ),
        (
            "a rod over a corner of a face",
            cube(0.0, 0.0, 0.0),
            Obb::new(Vec3::new(0.9, 0.9, 1.25), Vec3::new(3.0, 0.0, 0.0), turned(-45.0)),
            0.25,
        ),
        (
            "a rod over the other corner",
            cube(0.0, 0.0, 0.0),
            Obb::new(Vec3::new(-0.9, 0.9, -1.25), Vec3::new(3.0, 0.0, 0.0), turned(45.0)),
            0.25,
        ),
        (
            "a plate's edge over a corner of a face",
            cube(0.0, 0.0, 0.0),
            Obb::new(Vec3::new(0.9, 0.9, 2.25), Vec3::new(3.0, 0.0, 1.0), turned(-45.0)),
            0.25,
        ),
    ]
}

#[test]
fn known_distances() {
    for (name, a, b, expected) in cubes().into_iter().chain(with_thin_boxes()) {
        let distance = expect_closest(name, &a, &b);
        // Angles are rounded.
        assert!((distance - expected).abs() < 2e-7, "{name}: {distance}, not {expected}");
    }
    // If all numbers are short, so is the distance.
    assert_eq!(cube(1e6, 0.0, 0.0).distance(&cube(1e6 + 2.25, 0.0, 0.0)), 0.25);
}

/// Rods and plates over the corners of faces, at every angle: the closest features are edges, most
/// of them parallel to a face.
#[test]
fn edges_over_the_corners_of_faces() {
    let turn = Quat::from_xyzw(0.2, -0.4, 0.1, 0.9).normalize();
    let cube = Obb::new(Vec3::ZERO, Vec3::ONE, turn);
    for step in 0..360 {
        let spin = Quat::from_rotation_z((step as f32).to_radians());
        for half in [
            Vec3::new(3.0, 0.0, 0.0),
            Vec3::new(3.0, 0.2, 0.1),
            Vec3::new(1.2, 1.2, 0.5),
            Vec3::new(2.0, 0.0, 1.0),
        ] {
            for place in [Vec3::new(0.9, 0.9, 0.0), Vec3::new(-0.95, 0.9, 0.0), Vec3::ZERO] {
                let center = turn * (place + Vec3::Z * (1.5 + half.z));
                let distance = expect_closest("over a face", &cube, &Obb::new(center, half, turn * spin));
                assert!(
                    distance < 0.5 + 1e-6 || place != Vec3::ZERO,
                    "{step}, {half}: {distance}"
                );
            }
        }
    }
}

/// Edges at angles of 0.1 to 1e-8 that cross inside both edges or near an end of one. Moving along
/// them hardly changes their distance, so the closest place is ill-defined while the distance is
/// not.
#[test]
fn nearly_parallel_edges() {
    let up = Quat::from_rotation_x(45f32.to_radians());
    let mut numbers = Numbers::new(3);
    let mut apart = 0;
    for index in 0..40_000 {
        let mut small = || 10f32.powf(-1.0 - 7.0 * numbers.part());
        let (angle, gap, near_end) = (small(), small(), small());
        let turned = Quat::from_xyzw(0.0, 0.0, 0.5 * angle, 1.0);
        // The crossing of the edges: anywhere, next to the end of the first, or exactly there; and
        // the middle of the second relative to it.
        let along = [2.0 * numbers.part() - 1.0, 1.0 - near_end, 1.0][index % 3];
        let side = if numbers.part() < 0.5 { 1.0 } else { -1.0 };
        let beyond = numbers.part() - 0.5;
        let shift = Vec3::new(along + beyond, angle * beyond, 0.0);
        // Bars as thin as their gap, and thick ones with an edge up.
        let (a, b) = match index / 3 % 2 {
            0 => {
                let half = Vec3::new(1.0, 0.0, 0.25 * gap);
                (
                    Obb::axis_aligned(Vec3::ZERO, half),
                    Obb::new(shift + Vec3::Z * (side * gap), half, turned.normalize()),
                )
            }
            _ => {
                let above = Vec3::Z * (side * (8f32.sqrt() + gap));
                (
                    Obb::new(Vec3::ZERO, Vec3::ONE, up),
                    Obb::new(shift + above, Vec3::ONE, (turned * up).normalize()),
                )
            }
        };
        apart += usize::from(expect_closest("nearly parallel", &a, &b) > 0.0);
    }
    assert!(apart > 30_000, "{apart}");
}

#[test]
fn parry_agrees() {
    use parry3d::math::{Pose, Rotation, Vector};
    use parry3d::shape::Cuboid;
    for index in 0..3_000 {
        let (a, b) = adversarial::pair(index * 13, 5);
        let parts = [&a, &b].map(|solid| {
            let rotation = Rotation::from_array(solid.rotation.normalize().to_array());
            let cuboid = Cuboid::new(Vector::from_array(solid.half_extents.to_array()));
            (
                Pose::from_parts(Vector::from_array(solid.center.to_array()), rotation),
                cuboid,
            )
        });
        let [(pose_a, cuboid_a), (pose_b, cuboid_b)] = parts;
        let theirs = parry3d::query::distance(&pose_a, &cuboid_a, &pose_b, &cuboid_b)
            .expect("cuboids are known to it")
            .distance;
        let ours = a.distance(&b);
        assert!(
            (ours - f64::from(theirs)).abs() < 1e-4 * size(&a, &b),
            "{ours}, {theirs}: {a:?} {b:?}"
        );
    }
}

fn any_box() -> impl Strategy<Value = Obb> {
    let extent = || prop_oneof![4 => 0.01f32..2.0, 1 => Just(0.0f32)];
    let rotation = prop_oneof![
        3 => prop::array::uniform3(-3.0f32..3.0).prop_map(|axis| Quat::from_scaled_axis(axis.into())),
        1 => Just(Quat::IDENTITY),
        1 => (0.0f32..6.3).prop_map(Quat::from_rotation_z),
    ];
    let place = prop::array::uniform3(prop_oneof![3 => -4.0f32..4.0, 1 => Just(0.0f32), 1 => Just(2.0f32)]);
    ((extent(), extent(), extent()), rotation, place)
        .prop_map(|((x, y, z), rotation, center)| Obb::new(center.into(), Vec3::new(x, y, z), rotation))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_pair(a in any_box(), b in any_box()) {
        expect_closest("any", &a, &b);
    }

    #[test]
    fn moved_together(a in any_box(), b in any_box(), turn in prop::array::uniform3(-3.0f32..3.0)) {
        let turn = Quat::from_scaled_axis(turn.into());
        let moved = |solid: &Obb| {
            let center = turn * solid.center + Vec3::new(1.0, -2.0, 3.0);
            Obb::new(center, solid.half_extents, (turn * solid.rotation).normalize())
        };
        // The moved boxes are rounded to f32.
        let (before, after) = (a.distance(&b), moved(&a).distance(&moved(&b)));
        prop_assert!((before - after).abs() < 1e-5, "{before}, {after}");
        // A half turn about an axis and a shift by a power of two involve no rounding.
        let mirrored = |solid: &Obb| {
            let [x, y, z, w] = solid.rotation.to_array();
            let center = solid.center * Vec3::new(-1.0, -1.0, 1.0);
            Obb::new(center, solid.half_extents, Quat::from_xyzw(-y, x, w, -z))
        };
        let after = mirrored(&a).distance(&mirrored(&b));
        prop_assert!((before - after).abs() <= 1e-14 * size(&a, &b), "{before}, {after}");
    }
}
