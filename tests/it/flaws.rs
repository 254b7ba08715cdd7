//! Known flaws in common descriptions of these tests: for each, the naive method, a case in which
//! it fails, and the correct result. Those of upright cuboids (intervals in z, axis-aligned boxes,
//! distances in plan) are in `tests/it/upright.rs`.

use obbligato::glam::{DVec2, DVec3, Quat, Vec3};
use obbligato::{
    Obb,
    contact::{Contact, Feature},
};

/// The corners of the supporting face are those within a tolerance of the furthest. A tolerance
/// that does not scale with the box selects all corners of a small box, and too few of a large one
/// that is level up to rounding.
#[test]
fn supporting_corners_are_found_at_every_scale() {
    let naive = |solid: &Obb| {
        let heights = solid.corners().map(|corner| corner.z);
        let lowest = heights.iter().copied().fold(f64::INFINITY, f64::min);
        heights.iter().filter(|&&height| height <= lowest + 1e-3).count()
    };
    let on_edge = Quat::from_rotation_x(0.6);
    let level = Quat::from_rotation_x(1e-6);
    for (half, rotation, corners, right) in [
        (1.0, on_edge, 2, 2),
        (1e-4, on_edge, 8, 2),
        (1.0, level, 4, 4),
        (1e4, level, 2, 4),
    ] {
        let solid = Obb::new(Vec3::ZERO, Vec3::splat(half), rotation);
        let low = solid.corners().iter().fold(0.0, |low: f64, corner| low.min(corner.z)) as f32;
        let resting = Obb::new(Vec3::new(0.0, 0.0, -low - 1e-2 * half), solid.half_extents, rotation);
        let floor = Obb::axis_aligned(Vec3::new(0.0, 0.0, -5.0 * half), Vec3::splat(5.0 * half));
        assert_eq!(naive(&resting), corners, "{half}");
        let manifold = floor.manifold(&resting).expect("it stands in the floor");
        let feature = manifold.penetration().feature_b;
        assert_eq!(matches!(feature, Feature::Face(4)), right == 4, "{half}: {feature}");
        assert_eq!(matches!(feature, Feature::Edge(0..=3)), right == 2, "{half}: {feature}");
        assert_eq!(manifold.points().len(), right, "{half}: {manifold:?}");
    }
}

/// A clip loop must not treat an edge as ending inside if both of its ends are outside, the second
/// by less than a tolerance: that leaves points that do not exist.
#[test]
fn clipping_leaves_no_stray_points() {
    const EPSILON: f64 = 1e-3;
    // The part of a polygon with x <= 1.
    let naive = |polygon: &[DVec2]| {
        let mut clipped = Vec::new();
        for (k, &from) in polygon.iter().enumerate() {
            let to = polygon[(k + 1) % polygon.len()];
            let (here, there) = (from.x - 1.0, to.x - 1.0);
            let crossing = from.lerp(to, here / (here - there));
            match (here <= 0.0, there <= 0.0) {
                (true, true) => clipped.push(to),
                (true, false) => clipped.push(crossing),
                (false, true) => clipped.extend([crossing, to]),
                (false, false) if there <= EPSILON => clipped.push(to),
                (false, false) => {}
            }
        }
        clipped
    };
    // One corner of the upper box is beyond the side of the lower one, and another one just barely.
    let lower = Obb::axis_aligned(Vec3::ZERO, Vec3::ONE);
    let turned = Quat::from_rotation_z(0.5);
    let place = |x: f32| Obb::new(Vec3::new(x, 0.0, 1.4), Vec3::splat(0.5), turned);
    let mut places: Vec<f64> = place(0.0).corners()[..4].iter().map(|corner| corner.x).collect();
    places.sort_by(f64::total_cmp);
    let upper = place((1.0 + 0.5 * EPSILON - places[2]) as f32);
    let corners = upper.corners();
    let ring = [0b000, 0b001, 0b011, 0b010].map(|corner: usize| corners[corner].truncate());
    let backwards = [ring[3], ring[2], ring[1], ring[0]];
    let stray = |points: &[DVec2]| points.iter().any(|point| point.x > 1.0 + 0.4 * EPSILON);
    assert!(stray(&naive(&ring)) || stray(&naive(&backwards)), "{ring:?}");

    let manifold = lower.manifold(&upper).expect("they collide");
    let points: Vec<_> = manifold.points().iter().map(|point| point.on_b.truncate()).collect();
    assert!(!stray(&points), "{points:?}");
    // Two corners inside, and two crossings of the side.
    assert_eq!(points.len(), 4, "{points:?}");
}

/// By the six face axes alone, some boxes that are apart collide: they are a filter, not an answer.
#[test]
fn face_axes_alone_are_not_enough() {
    let angle = std::f32::consts::FRAC_PI_4;
    let lower = Obb::new(Vec3::ZERO, Vec3::ONE, Quat::from_rotation_x(angle));
    let above = |gap: f32| {
        let center = Vec3::new(0.0, 0.0, 2.0 * 2f32.sqrt() + gap);
        Obb::new(center, Vec3::ONE, Quat::from_rotation_y(angle))
    };
    let (apart, deep) = (above(0.01), above(-0.01));
    assert!(!lower.faces_separate(&apart) && !lower.faces_separate(&deep));
    assert_eq!(lower.contact(&apart), Contact::Separated);
    assert_eq!(lower.manifold(&apart), None);
    assert!((lower.distance(&apart) - 0.01).abs() < 1e-6);
    assert_eq!(lower.contact(&deep), Contact::Overlapping);
    let manifold = lower.manifold(&deep).expect("they collide");
    assert_eq!(manifold.penetration().reference, None);
}

/// Parallel edges have an axis of length zero, which separates nothing and must not be used as a
/// divisor.
#[test]
fn parallel_edges_have_no_axis() {
    /// The overlap of the boxes along `a_i × b_j`, with the length that it has and with length 1.
    fn overlaps(a: &Obb, b: &Obb) -> Vec<(f64, f64)> {
        let axes = |solid: &Obb| [1, 3, 5].map(|face| solid.face_normals()[face]);
        let reach = |solid: &Obb, along: DVec3| -> f64 {
            let half = solid.half_extents.as_dvec3().to_array();
            axes(solid)
                .iter()
                .zip(half)
                .map(|(axis, half)| half * axis.dot(along).abs())
                .sum()
        };
        let d = b.center.as_dvec3() - a.center.as_dvec3();
        let crosses = axes(a).into_iter().flat_map(|i| axes(b).map(|j| i.cross(j)));
        crosses
            .map(|axis| {
                let overlap = reach(a, axis) + reach(b, axis) - d.dot(axis).abs();
                (overlap, overlap / axis.length())
            })
            .collect()
    }
    let separates = |a: &Obb, b: &Obb| overlaps(a, b).iter().any(|&(overlap, _)| overlap <= 0.0);
    let depth = |a: &Obb, b: &Obb| {
        overlaps(a, b)
            .iter()
            .fold(f64::INFINITY, |least, &(_, depth)| depth.min(least))
    };
    let whole = |a: &Obb, b: &Obb| overlaps(a, b).iter().all(|(_, depth)| depth.is_finite());

    let turned = Quat::from_xyzw(0.5, 0.5, 0.5, 0.5);
    for (rotation_a, rotation_b) in [
        (Quat::IDENTITY, Quat::IDENTITY),
        (Quat::IDENTITY, turned),
        (turned, -turned),
    ] {
        let a = Obb::new(Vec3::ZERO, Vec3::ONE, rotation_a);
        let b = Obb::new(Vec3::new(0.5, 0.25, 1.75), Vec3::ONE, rotation_b);
        // An overlap of zero is mistaken for a gap, and divided by zero it is NaN.
        assert!(separates(&a, &b) && !whole(&a, &b));
        assert_eq!(a.contact(&b), Contact::Overlapping);
        let manifold = a.manifold(&b).expect("they collide");
        assert_eq!(manifold.penetration().normal, DVec3::Z);
        assert_eq!(manifold.penetration().depth, 0.25);
        assert_eq!(manifold.points().len(), 4);
    }
    // The axis of nearly parallel edges has a length that consists of rounding errors, and so does
    // the quotient.
    let mut wrong = 0;
    for step in 1..200u8 {
        let angle = 1e-8 * f32::from(step);
        let half = Vec3::new(1.0, 1.0, 1.0);
        let a = Obb::new(Vec3::ZERO, half, Quat::from_xyzw(0.1, 0.2, 0.3, 0.9).normalize());
        let b = Obb::new(
            a.rotation * Vec3::new(0.5, 0.25, 1.75),
            half,
            a.rotation * Quat::from_xyzw(0.0, 0.0, angle, 1.0),
        );
        let manifold = a.manifold(&b).expect("they collide");
        assert!((manifold.penetration().depth - 0.25).abs() < 1e-6, "{manifold:?}");
        assert!(manifold.penetration().reference.is_some(), "{manifold:?}");
        let right = (depth(&a, &b) - 0.25).abs() < 1e-3;
        wrong += usize::from(!right || separates(&a, &b));
    }
    assert!(wrong > 0, "the naive method is right");
}
