//! Solids of special forms and at special places: boxes, solids without volume, any scale.

use obbligato::Obb;
use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato_support::split_mix::SplitMix;

use crate::solids::{Maker, Points, moved, turned};
use crate::solids_apart::{assert_deep, assert_proved, depth_of, solid};

/// The corners of a box, if they are `f32` numbers.
fn corners(obb: &Obb) -> Option<Points> {
    let corner = |k: u32| {
        let sign = |bit: u32| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
        let exact = obb.center.as_dvec3()
            + obb.rotation.as_dquat().normalize()
                * (DVec3::new(sign(0), sign(1), sign(2)) * obb.half_extents.as_dvec3());
        let rounded = exact.as_vec3();
        (rounded.as_dvec3().distance(exact) < 1e-9).then_some(rounded)
    };
    (0..8).map(corner).collect()
}

#[test]
fn boxes_are_solids() {
    let mut random = Maker(SplitMix(8));
    let mut counts = [0; 3];
    for _ in 0..4_000 {
        let mut obb = || {
            let half = 0.25 * random.whole(8);
            // Not rotated, or by the angle of a 3-4-5 triangle with lengths that are multiples of
            // 5.
            let (half, turn) = match random.below(2) {
                0 => (half, Quat::IDENTITY),
                _ => (
                    half * Vec3::new(5.0, 5.0, 1.0),
                    Quat::from_xyzw(0.0, 0.0, 1.0, 2.0) * (1.0 / 5f32.sqrt()),
                ),
            };
            Obb::new(random.whole(9) - 4.5, half, turn)
        };
        let (first, second) = (obb(), obb());
        let (Some(a), Some(b)) = (corners(&first), corners(&second)) else {
            continue;
        };
        let (a, b) = (solid(&a), solid(&b));
        let told = format!("{first:?} {second:?}");
        let (ours, theirs) = (a.distance(&b), first.distance(&second));
        // The stored quaternion is rounded to f32, and the corners are not.
        assert!((ours - theirs).abs() <= 3e-6, "{told}: {ours} {theirs}");
        counts[a.contact(&b) as usize] += 1;
        if let (Some(ours), Some(theirs)) = (depth_of(&a, &b), first.manifold(&second)) {
            let theirs = theirs.penetration().depth;
            // It prefers faces to edges that are shorter by up to a hundredth.
            assert!(ours.depth <= theirs + 3e-6, "{told}: {ours:?} {theirs}");
            assert!(ours.depth >= 0.98 * theirs - 2e-3, "{told}: {ours:?} {theirs}");
        }
    }
    println!("{counts:?}");
    assert!(counts.iter().all(|&count| count > 40), "{counts:?}");
}

#[test]
fn lengths_are_the_same_at_any_place_and_scale() {
    let mut random = Maker(SplitMix(9));
    for case in 0..300 {
        let first = random.many(1, 9, |random| random.whole(7));
        let by = random.whole(9);
        let second = moved(&random.many(1, 9, |random| random.whole(7)), by);
        let [first, second] = [turned(&first), turned(&second)];
        let (a, b) = (solid(&first), solid(&second));
        let (closest, depth) = (a.closest_points(&b), depth_of(&a, &b));
        let told = format!("{case}: {first:?} {second:?}");
        for power in [-149, -140, -100, 40, 50] {
            let scale = 2f64.powi(power);
            let scaled =
                |points: &[Vec3]| -> Points { points.iter().map(|p| (p.as_dvec3() * scale).as_vec3()).collect() };
            let (c, d) = (solid(&scaled(&first)), solid(&scaled(&second)));
            let there = c.closest_points(&d);
            let [on_a, on_b] = [closest.on_a, closest.on_b].map(|point| point * scale);
            assert_eq!(
                (there.distance, there.on_a, there.on_b),
                (closest.distance * scale, on_a, on_b),
                "{told}, {power}"
            );
            let there = depth_of(&c, &d);
            assert_eq!(
                there.map(|found| found.depth),
                depth.map(|found| found.depth * scale),
                "{told}, {power}"
            );
            assert_eq!(
                there.map(|found| found.normal),
                depth.map(|found| found.normal),
                "{told}, {power}"
            );
        }
        // Integers below 2^24 are exact.
        let far = Vec3::new(16_000_000.0, -15_000_000.0, 14_000_000.0);
        let (c, d) = (solid(&moved(&first, far)), solid(&moved(&second, far)));
        assert_eq!(c.distance(&d), closest.distance, "{told}");
        assert_eq!(
            depth_of(&c, &d).map(|found| found.depth),
            depth.map(|found| found.depth),
            "{told}"
        );
        assert_proved(&c, &d, &c.closest_points(&d), &told);
    }
}

#[test]
fn solids_without_volume() {
    let v = Vec3::new;
    let lengths = |a: &[Vec3], b: &[Vec3]| {
        let (a, b) = (solid(a), solid(b));
        let penetration = depth_of(&a, &b);
        if let Some(found) = &penetration {
            assert_deep(&a, &b, found, "flat");
        }
        assert_proved(&a, &b, &a.closest_points(&b), "flat");
        (
            a.distance(&b),
            penetration.map(|found| (found.depth, found.normal.abs())),
        )
    };
    let plate = [Vec3::ZERO, v(2.0, 0.0, 0.0), v(2.0, 2.0, 0.0), v(0.0, 2.0, 0.0)];
    let beside = |x: f32| moved(&plate, Vec3::X * x);
    let cube: Points = (0..8u8)
        .map(|k| v((k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2) as f32))
        .collect();
    assert_eq!(lengths(&plate, &beside(1.0)), (0.0, Some((0.0, DVec3::Z))));
    assert_eq!(lengths(&plate, &beside(2.5)), (0.5, None));
    assert_eq!(lengths(&plate, &moved(&plate, Vec3::Z)), (1.0, None));
    // Rods that cross, that meet at their ends, that are on one line.
    assert_eq!(
        lengths(&[Vec3::X, -Vec3::X], &[Vec3::Y, -Vec3::Y]),
        (0.0, Some((0.0, DVec3::Z)))
    );
    assert_eq!(lengths(&[Vec3::X, -Vec3::X], &[Vec3::X, v(2.0, 1.0, 0.0)]).0, 0.0);
    let line = lengths(&[Vec3::X, -Vec3::X], &[Vec3::ZERO, v(5.0, 0.0, 0.0)]);
    assert!(
        matches!(line, (0.0, Some((0.0, normal))) if normal.x == 0.0),
        "{line:?}"
    );
    assert_eq!(lengths(&[Vec3::X], &[Vec3::X]).0, 0.0);
    assert_eq!(lengths(&[Vec3::X], &[Vec3::Y]).0, 2f64.sqrt());
    // Plates that cross, and a plate and a rod in a cube, have a depth.
    let across: Points = plate.iter().map(|p| v(1.0, p.x, p.y - 0.5)).collect();
    assert_eq!(lengths(&plate, &across), (0.0, Some((0.5, DVec3::Z))));
    assert_eq!(
        lengths(&cube, &moved(&plate, v(-0.5, -0.5, 0.25))),
        (0.0, Some((0.25, DVec3::Z)))
    );
    assert_eq!(
        lengths(&cube, &[v(0.875, -1.0, 0.5), v(0.875, 2.0, 0.5)]),
        (0.0, Some((0.125, DVec3::X)))
    );
    assert_eq!(lengths(&cube, &[v(0.5, 0.5, 0.75)]), (0.0, Some((0.25, DVec3::Z))));
}

#[test]
fn normals_point_from_the_first_to_the_second() {
    let cube: Points = (0..8u8)
        .map(|k| Vec3::new((k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2) as f32))
        .collect();
    for axis in DVec3::AXES {
        for side in [-1.0, 1.0] {
            let normal = side * axis;
            let b = moved(&cube, 0.75 * normal.as_vec3());
            let found = depth_of(&solid(&cube), &solid(&b)).expect("they overlap");
            assert_eq!((found.normal, found.depth), (normal, 0.25));
        }
    }
}
