//! Contact manifolds: invariants on hard and on random pairs; boxes at rest under noise; the
//! classic mistakes; and parry.

mod by_hand;
mod parry;
mod rest;

use std::collections::BTreeMap;

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::{
    Obb,
    contact::{ContactPoint, Feature, Manifold, Side},
};
use obbligato_verify::{adversarial, reference};
use proptest::prelude::*;

use crate::support::solids::{frame, outside, overlap, overlaps, reach, size};

/// The tolerances that `Obb::manifold` promises: the slop, in units of the smaller box, and the
/// preference for faces, as a fraction.
const SLOP: f64 = 1e-4;
const PREFERENCE: f64 = 0.01;

/// The distance of a point from the plane of a face, the line of an edge or a corner, in the box's
/// own coordinates.
fn off_feature(solid: &Obb, point: DVec3, feature: Feature) -> f64 {
    let local = frame(solid).transpose() * (point - solid.center.as_dvec3());
    let half = solid.half_extents.as_dvec3();
    let off = |axis: usize, positive: bool| (local[axis] - if positive { half[axis] } else { -half[axis] }).abs();
    let bit = |number: u8, bit: usize| number >> bit & 1 == 1;
    match feature {
        Feature::Corner(number) => (0..3).map(|axis| off(axis, bit(number, axis))).fold(0.0, f64::max),
        Feature::Edge(number) => {
            let axis = usize::from(number / 4);
            off((axis + 1) % 3, bit(number, 0)).max(off((axis + 2) % 3, bit(number, 1)))
        }
        Feature::Face(number) => off(usize::from(number / 2), bit(number, 0)),
        Feature::Round(_) => f64::INFINITY,
    }
}

fn slop(a: &Obb, b: &Obb) -> f64 {
    let largest = |solid: &Obb| f64::from(solid.half_extents.max_element());
    SLOP * largest(a).min(largest(b))
}

/// Asserts the invariants of the manifold of two boxes.
fn expect_manifold(name: &str, a: &Obb, b: &Obb) -> Option<Manifold> {
    let manifold = a.manifold(b);
    assert_eq!(manifold.is_some(), a.contact(b).collides(), "{name}: {a:?} {b:?}");
    let manifold = manifold?;
    let context = || format!("{name}: {manifold:?}\n{a:?}\n{b:?}");
    let penetration = manifold.penetration();
    let (normal, depth) = (penetration.normal, penetration.depth);
    // The axes of edges at sines down to 1e-7 have correspondingly larger errors.
    let rounding = 1e-6 * size(a, b);
    let tolerance =
        slop(a, b) + 1e-12 * size(a, b) + 4e-16 * f64::from(a.center.abs().max(b.center.abs()).max_element());
    assert!((normal.length() - 1.0).abs() < 1e-12, "{}", context());

    // Moved by the depth, B is clear of A along the normal; and no other axis needs a much shorter
    // translation.
    let along = overlap(a, b, normal);
    assert!(
        (along.max(0.0) - depth).abs() <= 1e-13 * size(a, b),
        "{along}: {}",
        context()
    );
    let (least, axis) = overlaps(a, b).into_iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let preferred = depth * PREFERENCE + 3.0 * tolerance + rounding;
    assert!(depth <= least + preferred, "{least} along {axis}: {}", context());

    expect_points(&manifold, [a, b], tolerance, &context);
    expect_reduced(&manifold, &context);
    let same = a.center == b.center && a.half_extents == b.half_extents && a.rotation == b.rotation;
    assert!(same || b.manifold(a) == Some(manifold.swapped()), "{}", context());
    Some(manifold)
}

/// Asserts that points are on their boxes, apart along the normal, and on the features that they
/// name.
fn expect_points(manifold: &Manifold, [a, b]: [&Obb; 2], tolerance: f64, context: &dyn Fn() -> String) {
    let penetration = manifold.penetration();
    let (normal, depth) = (penetration.normal, penetration.depth);
    let points = manifold.points();
    assert!((1..=8).contains(&points.len()), "{}", context());
    for point in points {
        assert!(outside(a, point.on_a) <= 4.0 * tolerance, "on A: {}", context());
        assert!(outside(b, point.on_b) <= 4.0 * tolerance, "on B: {}", context());
        assert!((0.0..=depth + tolerance).contains(&point.depth), "{}", context());
        let aside = point.on_a - point.on_b - point.depth * normal;
        let rounding = 1e-14 * size(a, b) + 4e-16 * f64::from(a.center.abs().max(b.center.abs()).max_element());
        assert!(aside.length() <= rounding, "{aside} aside: {}", context());
    }
    // The point lies on the named features, unless it is a single point for boxes that meet beside
    // the face.
    let of_whole = (penetration.feature_a, penetration.feature_b);
    for point in points {
        let (feature_a, feature_b) = (point.feature_a, point.feature_b);
        if points.len() > 1 || (feature_a, feature_b) != of_whole {
            let off = off_feature(a, point.on_a, feature_a).max(off_feature(b, point.on_b, feature_b));
            assert!(
                off <= 4.0 * tolerance,
                "{off} off {feature_a} or {feature_b}: {}",
                context()
            );
        }
    }
    let names: Vec<_> = points.iter().map(|point| (point.feature_a, point.feature_b)).collect();
    assert!(
        (1..names.len()).all(|k| !names[..k].contains(&names[k])),
        "{}",
        context()
    );
}

/// Asserts that a reduced manifold has at most four points, including the deepest.
fn expect_reduced(manifold: &Manifold, context: &dyn Fn() -> String) {
    let points = manifold.points();
    let reduced = manifold.reduced();
    let deepest = |points: &[ContactPoint]| points.iter().map(|point| point.depth).fold(0.0, f64::max);
    assert!(reduced.points().len() == points.len().min(4), "{}", context());
    assert!(reduced.points().iter().all(|point| points.contains(point)));
    assert_eq!(deepest(reduced.points()), deepest(points), "{}", context());
}

#[test]
fn b2_b4_b6_hard_pairs_have_sensible_manifolds() {
    let mut points = [0; 9];
    let mut edges = 0;
    for index in 0..40_000 {
        let (a, b) = adversarial::pair(index, 31);
        let manifold = expect_manifold(&format!("{:?} {index}", adversarial::family(index)), &a, &b);
        assert_eq!(manifold.is_some(), reference::collides(&a, &b), "{a:?} {b:?}");
        if let Some(manifold) = manifold {
            points[manifold.points().len()] += 1;
            edges += usize::from(manifold.penetration().reference.is_none());
        }
    }
    assert!(points[1..].iter().all(|&number| number > 5), "{points:?}");
    assert!(edges > 500, "{edges}");
}

fn cube(x: f32, y: f32, z: f32) -> Obb {
    Obb::axis_aligned(Vec3::new(x, y, z), Vec3::ONE)
}

/// The positions of the points, rounded, in any order.
fn places(points: &[ContactPoint]) -> Vec<[i64; 3]> {
    let mut places: Vec<_> = points
        .iter()
        .map(|point| (point.on_a * 1e4).round().as_i64vec3().to_array())
        .collect();
    places.sort_unstable();
    places
}

/// The slop is proportional to the longest extents, and may exceed the thickness of boxes: boxes
/// this close may still be apart, on either side.
#[test]
fn thin_boxes_that_are_close_are_not_in_contact() {
    // Boxes of different lengths: equal ones are ordered by their centers, and the second is never
    // on the - side. Crossed needles have one axis of least overlap; plates have the same axis
    // twice, with either sign.
    let needle = |length: f32, center: Vec3, rotation: Quat| Obb::new(center, Vec3::new(length, 2e-5, 2e-5), rotation);
    let slanted = Quat::from_rotation_arc(Vec3::X, Vec3::new(0.0, 1.0, 1.0).normalize());
    let plate = |length: f32, z: f32| Obb::axis_aligned(Vec3::Z * z, Vec3::new(length, 1.0, 4.5e-5));
    let mut apart = 0;
    for k in -40..=40 {
        let gap = 5e-6 * k as f32;
        let across = Vec3::new(0.0, 1.0, -1.0).normalize() * gap;
        let needles = [needle(1.0, Vec3::ZERO, Quat::IDENTITY), needle(1.25, across, slanted)];
        for [a, b] in [needles, [plate(1.0, 0.0), plate(1.25, gap)]] {
            let collide = a.contact(&b).collides();
            apart += usize::from(!collide);
            assert_eq!(a.manifold(&b).is_some(), collide, "{gap}: {a:?} {b:?}");
            assert_eq!(b.manifold(&a).is_some(), collide, "{gap}: {a:?} {b:?}");
        }
    }
    assert!(apart > 80, "{apart}");
}

#[test]
fn b3_features_are_named() {
    let floor = Obb::axis_aligned(Vec3::ZERO, Vec3::new(5.0, 5.0, 1.0));
    // Over the +x edge of the floor and its corner at +x +y.
    let over = Obb::axis_aligned(Vec3::new(5.0, 5.0, 1.75), Vec3::ONE);
    let manifold = floor.manifold(&over).expect("they collide");
    let whole = manifold.penetration();
    assert_eq!((whole.reference, whole.feature_a), (Some(Side::A), Feature::Face(5)));
    let names: BTreeMap<_, _> = manifold
        .points()
        .iter()
        .map(|point| {
            (
                point.on_a.to_array().map(|place| place as i64),
                (point.feature_a, point.feature_b),
            )
        })
        .collect();
    let expected = [
        ([4, 4, 1], (Feature::Face(5), Feature::Corner(0))),
        // Edge 4 i + s: B's along x at -y -z is 0, along y at -z -x is 4. A's along y at +z +x is
        // 7, along x at +y +z is 3.
        ([5, 4, 1], (Feature::Edge(7), Feature::Edge(0))),
        ([4, 5, 1], (Feature::Edge(3), Feature::Edge(4))),
        ([5, 5, 1], (Feature::Corner(7), Feature::Face(4))),
    ];
    assert_eq!(names, BTreeMap::from(expected));
    assert_eq!(
        format!("{} {} {}", Feature::Corner(7), Feature::Edge(11), Feature::Face(4)),
        "c7 e11 f4"
    );

    // The feature that supports the incident box.
    let resting = |rotation| {
        let solid = Obb::new(Vec3::ZERO, Vec3::ONE, rotation);
        let below = solid.corners().iter().fold(0.0, |low: f64, corner| low.min(corner.z));
        let center = Vec3::new(0.0, 0.0, 0.99 - below as f32);
        floor
            .manifold(&Obb { center, ..solid })
            .expect("they collide")
            .penetration()
            .feature_b
    };
    assert_eq!(resting(Quat::IDENTITY), Feature::Face(4));
    assert!(matches!(resting(Quat::from_rotation_x(0.6)), Feature::Edge(0..=3)));
    assert!(matches!(resting(Quat::from_rotation_y(0.6)), Feature::Edge(4..=7)));
    assert!(matches!(
        resting(Quat::from_euler(Default::default(), 0.3, 0.6, 0.5)),
        Feature::Corner(_)
    ));
}

/// A corner beside a face by less than the slop counts as being on it, and so does its point.
#[test]
fn b6_points_are_apart_along_the_normal_and_not_sideways() {
    let (a, b) = (cube(0.0, 0.0, 0.0), cube(0.000_05, 1.5, 0.0));
    let manifold = expect_manifold("beside by less than the slop", &a, &b).expect("they collide");
    let apart: Vec<DVec3> = manifold.points().iter().map(|point| point.on_a - point.on_b).collect();
    assert_eq!(apart, [DVec3::new(0.0, 0.5, 0.0); 4]);
    let sides = [manifold, manifold.swapped()].map(|manifold| manifold.penetration().reference);
    assert!(
        matches!(sides, [Some(Side::A), Some(Side::B)] | [Some(Side::B), Some(Side::A)]),
        "{sides:?}"
    );
}

/// The tolerances scale with the boxes: by powers of two the manifold scales exactly.
#[test]
fn manifolds_scale_with_their_boxes() {
    for index in 0..3_000 {
        let (a, b) = adversarial::pair(index * 13 + index % 3, 8);
        let Some(manifold) = a.manifold(&b) else { continue };
        for scale in [1.0 / 1024.0, 4096.0f32] {
            let scaled = |solid: &Obb| Obb::new(solid.center * scale, solid.half_extents * scale, solid.rotation);
            let found = scaled(&a).manifold(&scaled(&b)).expect("they still collide");
            let by = f64::from(scale);
            assert_eq!(found.penetration().depth, manifold.penetration().depth * by);
            assert_eq!(found.penetration().normal, manifold.penetration().normal);
            assert_eq!(found.points().len(), manifold.points().len());
            for (found, point) in found.points().iter().zip(manifold.points()) {
                assert_eq!((found.feature_a, found.feature_b), (point.feature_a, point.feature_b));
                // Some coordinates are so small that digits are lost.
                let differ = (found.on_a - point.on_a * by).abs() + (found.on_b - point.on_b * by).abs();
                assert!(differ.max_element() < 1e-38, "{found:?} {point:?}");
            }
        }
    }
}

/// Moving boxes far from the origin without rounding does not change the manifold.
#[test]
fn far_from_the_origin() {
    let far = Vec3::new(65_536.0, -131_072.0, 32_768.0);
    let a = Obb::new(Vec3::ZERO, Vec3::new(1.0, 2.0, 0.5), Quat::from_rotation_x(0.3));
    for step in 0..200u8 {
        let place = Vec3::new(
            f32::from(step % 7) - 3.0,
            f32::from(step % 5) - 2.0,
            f32::from(step % 3) - 1.0,
        ) * 0.5;
        let b = Obb::new(place, Vec3::splat(0.75), Quat::from_rotation_y(f32::from(step) * 0.1));
        let moved = |solid: &Obb| Obb::new(solid.center + far, solid.half_extents, solid.rotation);
        let (near, there) = (a.manifold(&b), moved(&a).manifold(&moved(&b)));
        assert_eq!(
            near.map(|found| *found.penetration()),
            there.map(|found| *found.penetration())
        );
        let (Some(near), Some(there)) = (near, there) else {
            continue;
        };
        for (near, there) in near.points().iter().zip(there.points()) {
            assert!(near.on_a.distance(there.on_a - far.as_dvec3()) < 1e-10);
        }
    }
}

fn any_box() -> impl Strategy<Value = Obb> {
    let extent = || prop_oneof![4 => 0.01f32..2.0, 1 => Just(0.0f32)];
    let rotation = prop_oneof![
        3 => prop::array::uniform3(-3.0f32..3.0).prop_map(|axis| Quat::from_scaled_axis(axis.into())),
        1 => Just(Quat::IDENTITY),
        1 => (0.0f32..6.3).prop_map(Quat::from_rotation_z),
    ];
    let place = prop::array::uniform3(prop_oneof![3 => -2.0f32..2.0, 1 => Just(0.0f32), 1 => Just(1.0f32)]);
    ((extent(), extent(), extent()), rotation, place)
        .prop_map(|((x, y, z), rotation, center)| Obb::new(center.into(), Vec3::new(x, y, z), rotation))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_pair(a in any_box(), b in any_box()) {
        expect_manifold("any", &a, &b);
    }

    #[test]
    fn moving_by_the_depth_separates_boxes(a in any_box(), b in any_box()) {
        if let Some(manifold) = a.manifold(&b) {
            let penetration = manifold.penetration();
            let moved = |by: f64| {
                let center = (b.center.as_dvec3() + by * penetration.normal).as_vec3();
                a.contact(&Obb { center, ..b }).collides()
            };
            // The moved center is rounded to f32.
            let rounding = 1e-5 * (1.0 + penetration.depth);
            prop_assert!(!moved(penetration.depth + rounding), "{a:?} {b:?}");
            let less = penetration.depth * (1.0 - PREFERENCE) - 4.0 * slop(&a, &b) - rounding;
            prop_assert!(less <= 0.0 || moved(less), "{a:?} {b:?}");
        }
    }

    #[test]
    fn turned_together(a in any_box(), b in any_box(), turn in prop::array::uniform3(-3.0f32..3.0)) {
        let turn = Quat::from_scaled_axis(turn.into());
        let turned = |solid: &Obb| {
            let center = turn * solid.center + Vec3::new(1.0, -2.0, 3.0);
            Obb::new(center, solid.half_extents, (turn * solid.rotation).normalize())
        };
        // The rotated boxes are rounded to f32: boxes that barely collide may not after rotation.
        let rounding = 1e-5;
        let (before, after) = (a.manifold(&b), turned(&a).manifold(&turned(&b)));
        let depth = |found: &Option<Manifold>| found.map_or(0.0, |manifold| manifold.penetration().depth);
        let tie = PREFERENCE * depth(&before) + 3.0 * slop(&a, &b) + rounding;
        prop_assert!((depth(&before) - depth(&after)).abs() <= tie, "{before:?} {after:?}");
        if let (Some(before), Some(after)) = (before, after) {
            // If no other axis is nearly as good, the normal rotates along.
            let (depth, normal) = (before.penetration().depth, before.penetration().normal);
            let other = |axis: DVec3| axis.distance(normal) > 1e-2;
            let rival = overlaps(&a, &b).into_iter().any(|(overlap, axis)| other(axis) && overlap <= depth + 2.0 * tie);
            let expected = turn.as_dquat() * normal;
            prop_assert!(rival || after.penetration().normal.distance(expected) < 2e-2, "{before:?} {after:?}");
        }
    }

    #[test]
    fn moved_together(a in any_box(), b in any_box()) {
        // A half turn about z involves no rounding.
        let turned = |solid: &Obb| {
            let [x, y, z, w] = solid.rotation.to_array();
            let center = solid.center * Vec3::new(-1.0, -1.0, 1.0);
            Obb::new(center, solid.half_extents, Quat::from_xyzw(-y, x, w, -z))
        };
        prop_assume!(a.half_extents != b.half_extents);
        let (before, after) = (a.manifold(&b), turned(&a).manifold(&turned(&b)));
        prop_assert_eq!(before.is_some(), after.is_some());
        if let (Some(before), Some(after)) = (before, after) {
            let back = |v: DVec3| v * DVec3::new(-1.0, -1.0, 1.0);
            let (p, q) = (before.penetration(), after.penetration());
            prop_assert!((p.depth - q.depth).abs() < 1e-12, "{before:?} {after:?}");
            prop_assert!(p.normal.distance(back(q.normal)) < 1e-9, "{before:?} {after:?}");
            prop_assert_eq!((p.feature_a, p.feature_b), (q.feature_a, q.feature_b));
            prop_assert_eq!(before.points().len(), after.points().len());
            for (p, q) in before.points().iter().zip(after.points()) {
                prop_assert!(p.on_a.distance(back(q.on_a)) < 1e-9, "{before:?} {after:?}");
                prop_assert!(p.on_b.distance(back(q.on_b)) < 1e-9, "{before:?} {after:?}");
                prop_assert_eq!((p.feature_a, p.feature_b), (q.feature_a, q.feature_b));
            }
        }
    }
}
