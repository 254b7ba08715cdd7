//! Boxes, spheres and bounds around points.

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::{
    Error, Obb, Sphere,
    shape::{Aabb, SweptSphere},
};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference::{swept_sphere_box_contact, swept_sphere_contact};

use crate::support::boxes::{least_volume, width};
use crate::support::clouds::{Kind, Random, corners};

fn volume(obb: &Obb) -> f64 {
    8.0 * obb.half_extents.as_dvec3().element_product()
}

fn from_first(points: &[Vec3]) -> Vec<DVec3> {
    points
        .iter()
        .map(|point| point.as_dvec3() - points[0].as_dvec3())
        .collect()
}

/// Returns `true` if a point is in a box, by rational arithmetic.
fn is_in_box(point: Vec3, obb: &Obb) -> bool {
    swept_sphere_box_contact(&SweptSphere::new([point; 2], 0.0), obb).collides()
}

/// Returns `true` if a point is in a sphere, by rational arithmetic.
fn is_in_ball(point: Vec3, ball: &Sphere) -> bool {
    swept_sphere_contact(&SweptSphere::new([point; 2], 0.0), &(*ball).into()).collides()
}

/// Asserts that a box contains all points, and that it no longer does if any of its half extents is
/// replaced by the next smaller number.
#[track_caller]
fn assert_tight(obb: &Obb, points: &[Vec3]) {
    assert!(obb.problem().is_none(), "{obb:?}");
    for point in points {
        assert!(is_in_box(*point, obb), "{point:?} {obb:?}");
    }
    for axis in (0..3).filter(|&axis| obb.half_extents[axis] > 0.0) {
        let mut smaller = *obb;
        smaller.half_extents[axis] = smaller.half_extents[axis].next_down();
        assert!(
            points.iter().any(|point| !is_in_box(*point, &smaller)),
            "axis {axis} of {obb:?}"
        );
    }
}

#[track_caller]
fn assert_tight_ball(ball: &Sphere, points: &[Vec3]) {
    for point in points {
        assert!(is_in_ball(*point, ball), "{point:?} {ball:?}");
    }
    let smaller = Sphere::new(ball.center, ball.radius.next_down());
    assert!(
        ball.radius == 0.0 || points.iter().any(|point| !is_in_ball(*point, &smaller)),
        "{ball:?}"
    );
}

/// 20 clouds of each kind, of 5 to 40 points.
fn clouds() -> impl Iterator<Item = (Kind, Vec<Vec3>)> {
    (0..200).map(|k| {
        let kind = Kind::ALL[k % Kind::ALL.len()];
        (kind, kind.cloud(5 + k * 7 % 36, k as u64))
    })
}

#[test]
fn boxes_match_the_minimum_over_all_pairs_of_edges() {
    let mut largest = 0.0f64;
    for (kind, points) in clouds() {
        let found = Obb::around(&points).expect("valid points");
        assert_tight(&found, &points);
        let least = least_volume(&from_first(&points));
        let ratio = volume(&found) / least;
        assert!(ratio <= 1.02, "{kind:?} of {}: {ratio}", points.len());
        largest = largest.max(ratio);
        let principal = Obb::around_principal_axes(&points).expect("valid points");
        assert_tight(&principal, &points);
        assert!(
            volume(&found) <= volume(&principal) * 1.0001,
            "{kind:?} of {}",
            points.len()
        );
    }
    println!("at most {largest} times the least");
}

#[test]
fn s5_boxes_around_the_corners_of_boxes_are_those_boxes() {
    for seed in 0..500 {
        let (obb, mut points) = corners(seed);
        let mut random = Random(SplitMix(seed));
        let turn = obb.rotation.as_dquat().normalize();
        points.extend((0..seed % 30).map(|_| {
            let inside = turn * (random.cube() * obb.half_extents.as_dvec3()) * 0.999;
            (obb.center.as_dvec3() + inside).as_vec3()
        }));
        let found = Obb::around(&points).expect("valid points");
        assert_tight(&found, &points);
        assert!(
            volume(&found) <= volume(&obb) * 1.02,
            "{seed}: {}",
            volume(&found) / volume(&obb)
        );
    }
    let plate = Obb::new(Vec3::splat(4.0), Vec3::new(3.0, 1.0, 0.2), Quat::from_rotation_x(0.4));
    for k in 0..50 {
        let rotation = Quat::from_rotation_y(0.13 * k as f32) * plate.rotation;
        let turned = Obb { rotation, ..plate };
        let points = turned.corners().map(|corner| corner.as_vec3());
        let (tight, bounds) = (Aabb::around(&points).expect("valid points"), turned.bounds());
        let off = (bounds.min - tight.min).abs().max((bounds.max - tight.max).abs());
        assert!(off.max_element() < 1e-4, "{bounds:?}");
        let found = Obb::around(&points).expect("valid points");
        assert!(k > 0 || volume(&found) < volume(&plate) * 1.0001, "{found:?}");
    }
}

#[test]
fn flat_straight_and_single_groups() {
    for seed in 0..300 {
        let mut random = Random(SplitMix(seed));
        let turn = random.rotation();
        let place = random.cube() * 4.0;
        for (widths, dimension) in [
            (DVec3::new(3.0, 1.0, 0.0), 2),
            (DVec3::new(2.0, 0.0, 0.0), 1),
            (DVec3::ZERO, 0),
        ] {
            for turn in [turn, turn * 0.0 + obbligato::glam::DQuat::IDENTITY] {
                let count = 3 + seed as usize % 9;
                let points: Vec<Vec3> = (0..count)
                    .map(|_| (place + turn * (random.cube() * widths)).as_vec3())
                    .collect();
                let found = Obb::around(&points).expect("valid points");
                assert_tight(&found, &points);
                let mut half = found.half_extents.to_array();
                half.sort_by(f32::total_cmp);
                let wide = half.iter().filter(|&&half| half > 2e-6).count();
                assert!(wide <= dimension, "{found:?}");
                if dimension == 0 {
                    assert_eq!(found, Obb::axis_aligned(points[0], Vec3::ZERO));
                }
                assert_tight(&Obb::around_principal_axes(&points).expect("valid points"), &points);
                assert_tight_ball(&Sphere::around(&points).expect("valid points"), &points);
            }
        }
    }
    // In a coordinate plane nothing is lost.
    let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 2.0], [0.0, 2.0], [0.3, 0.1]].map(|[x, y]| Vec3::new(x, y, 0.1));
    assert_eq!(
        Obb::around(&square).expect("valid points"),
        Obb::axis_aligned(Vec3::new(0.5, 1.0, 0.1), Vec3::new(0.5, 1.0, 0.0))
    );
    let found = Obb::around(&[Vec3::X * 3.0, Vec3::X, Vec3::X * 7.0]).expect("valid points");
    assert_eq!(found, Obb::axis_aligned(Vec3::X * 4.0, Vec3::X * 3.0));
}

/// Far from the origin, at the ends of the range of numbers, and extremely small.
#[test]
fn points_of_all_sizes() {
    let limit = (1u64 << 60) as f32;
    let tiny = f32::from_bits(1);
    for (k, (scale, place)) in [
        (1.0, 1e6),
        (1.0, 1e12),
        (0.5 * limit, 0.0),
        (1e-30, 0.0),
        (20.0 * tiny, 0.0),
        (1e-40, 1e-38),
    ]
    .into_iter()
    .enumerate()
    {
        for kind in Kind::ALL {
            // Normalized to be about the origin and of size 1, up to rounding.
            let cloud = kind.cloud(30, k as u64);
            let bounds = Aabb::around(&cloud).expect("valid points");
            let size = 0.5 * (bounds.max - bounds.min).max_element();
            let unit = |point: Vec3| (point - 0.5 * (bounds.min + bounds.max)) / size;
            let points: Vec<Vec3> = cloud.iter().map(|&point| unit(point) * scale + place).collect();
            assert_tight(&Obb::around(&points).expect("valid points"), &points);
            assert_tight(&Obb::around_principal_axes(&points).expect("valid points"), &points);
            assert_tight_ball(&Sphere::around(&points).expect("valid points"), &points);
        }
    }
    // A box along the diagonal of the valid range would extend beyond it.
    let ends = [Vec3::splat(-limit), Vec3::splat(limit)];
    assert_eq!(
        Obb::around(&ends).expect("valid points"),
        Obb::axis_aligned(Vec3::ZERO, Vec3::splat(limit))
    );
    assert_tight_ball(&Sphere::around(&ends).expect("valid points"), &ends);
}

/// The smallest volume found by a descent from many rotations.
fn descended(points: &[DVec3], seed: u64) -> f64 {
    let mut random = Random(SplitMix(seed));
    let volume = |turn: obbligato::glam::DQuat| -> f64 {
        [DVec3::X, DVec3::Y, DVec3::Z]
            .map(|axis| width(points, turn * axis))
            .iter()
            .product()
    };
    let descend = |_| {
        let mut turn = random.rotation();
        let (mut least, mut step) = (volume(turn), 0.3);
        while step > 1e-4 {
            let tried = obbligato::glam::DQuat::from_scaled_axis(random.gaussian() * step) * turn;
            let there = volume(tried);
            match there < least {
                true => (turn, least) = (tried, there),
                false => step *= 0.93,
            }
        }
        least
    };
    (0..12).map(descend).fold(f64::INFINITY, f64::min)
}

/// Too many points for the search over their hull: a sample represents the rest.
#[test]
fn boxes_around_many_points() {
    for (k, kind) in Kind::ALL.into_iter().enumerate() {
        for count in [257, 1_000, 6_000] {
            let points = kind.cloud(count, k as u64);
            let found = Obb::around(&points).expect("valid points");
            for point in &points {
                assert!(
                    Sphere::new(*point, 0.0).contact_box(&found).collides(),
                    "{point:?} {found:?}"
                );
            }
            let ratio = volume(&found) / descended(&from_first(&points), k as u64);
            assert!(ratio <= 1.02, "{kind:?} of {count}: {ratio}");
        }
    }
    let points = Kind::Stone.cloud(50_000, 3);
    let found = Obb::around(&points).expect("valid points");
    assert_tight(
        &found,
        &points[..1_000]
            .iter()
            .copied()
            .chain(faces(&found, &points))
            .collect::<Vec<_>>(),
    );
}

/// The points next to the faces of a box.
fn faces<'a>(obb: &'a Obb, points: &'a [Vec3]) -> impl Iterator<Item = Vec3> {
    let near = |point: &&Vec3| {
        obb.face_planes()
            .iter()
            .any(|plane| plane.signed_distance(point.as_dvec3()) > -1e-5)
    };
    points.iter().filter(near).copied()
}

/// The squared radius of the smallest sphere that passes through up to four of the points and
/// contains the others.
fn least_ball(points: &[DVec3]) -> f64 {
    let mut least = f64::INFINITY;
    let mut consider = |center: DVec3, on: DVec3| {
        let square = center.distance_squared(on);
        let others = points.iter().map(|point| point.distance_squared(center));
        if square < least && others.fold(0.0, f64::max) <= square * (1.0 + 1e-9) {
            least = square;
        }
    };
    for (i, &a) in points.iter().enumerate() {
        for (j, &b) in points[..i].iter().enumerate() {
            consider(0.5 * (a + b), a);
            for (k, &c) in points[..j].iter().enumerate() {
                // The circumcenter of a triangle by its sides.
                let (u, v) = (b - a, c - a);
                let normal = u.cross(v);
                let way = (normal.cross(u) * v.length_squared() + v.cross(normal) * u.length_squared())
                    / (2.0 * normal.length_squared());
                consider(a + way, a);
                for &d in &points[..k] {
                    // On the line through it along the normal, at equal distances from d and a.
                    let from = a + way;
                    let (apart, normal) = (d - from, normal.normalize());
                    let along = (apart.length_squared() - way.length_squared()) / (2.0 * apart.dot(normal));
                    consider(from + normal * along, a);
                }
            }
        }
    }
    least
}

#[test]
fn s5_balls_are_minimal() {
    for (kind, points) in clouds() {
        let found = Sphere::around(&points).expect("valid points");
        assert_tight_ball(&found, &points);
        let few = &points[..points.len().min(18)];
        let found = Sphere::around(few).expect("valid points");
        let least = least_ball(&from_first(few)).sqrt();
        assert!(
            (f64::from(found.radius) / least - 1.0).abs() < 2e-6,
            "{kind:?} of {}: {found:?} {least}",
            few.len()
        );
    }
    // Beyond a radius of 1 by less than f64 can resolve.
    let end = Vec3::new(1.0, 2f32.powi(-26), 0.0);
    let found = Sphere::around(&[end, -end]).expect("valid points");
    assert_eq!(found, Sphere::new(Vec3::ZERO, 1f32.next_up()));
    let large = Kind::Sphere.cloud(200_000, 1);
    let found = Sphere::around(&large).expect("valid points");
    assert!(
        large
            .iter()
            .all(|point| Sphere::new(*point, 0.0).contact(&found).collides())
    );
    // Many points on one circle, and the corners of a cube, all at the same distance.
    let circle: Vec<Vec3> = (0..100)
        .map(|k| (Quat::from_rotation_z(0.0628 * k as f32) * Vec3::X) + Vec3::Z)
        .collect();
    let found = Sphere::around(&circle).expect("valid points");
    assert!(
        (found.radius - 1.0).abs() < 1e-6 && found.center.distance(Vec3::Z) < 1e-6,
        "{found:?}"
    );
    let cube = Obb::axis_aligned(Vec3::splat(3.0), Vec3::ONE)
        .corners()
        .map(|corner| corner.as_vec3());
    let found = Sphere::around(&cube).expect("valid points");
    assert_eq!(
        (found.center, found.radius),
        (Vec3::splat(3.0), 3f32.sqrt().next_up().min(1.732_050_9))
    );
}

#[test]
fn groups_are_fitted_one_by_one() {
    let groups: Vec<Vec<Vec3>> = clouds()
        .map(|(_, points)| points)
        .chain([Kind::Stone.cloud(5_000, 1)])
        .collect();
    let boxes = Obb::around_each(&groups).expect("valid points");
    assert_eq!(boxes.len(), groups.len());
    for (points, obb) in groups.iter().zip(&boxes) {
        assert_eq!(Obb::around(points).expect("valid points"), *obb);
    }
    assert!(Obb::around_each::<Vec<Vec3>>(&[]).expect("no groups").is_empty());
}

/// Points only a few units of the smallest number apart: the rounding of a rotated box may cost
/// more than its rotation gains.
#[test]
fn boxes_around_subnormal_points_are_no_larger_than_aligned_ones() {
    let mut random = SplitMix(9);
    for most in [1, 2, 3, 5, 10, 100, 100_000] {
        for count in [3, 4, 6, 20] {
            for _ in 0..15 {
                let mut step = || (random.unit() * f64::from(2 * most + 1)).floor() - f64::from(most);
                let points: Vec<DVec3> = (0..count).map(|_| DVec3::new(step(), step(), step())).collect();
                let tiny: Vec<Vec3> = points
                    .iter()
                    .map(|point| (*point * 2f64.powi(-149)).as_vec3())
                    .collect();
                let found = Obb::around(&tiny).expect("valid points");
                assert_tight(&found, &tiny);
                // In units of the smallest number. A flat box counts like one of half a unit.
                let steps = |half: DVec3| (half * 2f64.powi(149) + 1.0).element_product();
                let Aabb { min, max } = Aabb::around(&tiny).expect("valid points");
                let [min, max] = [min, max].map(|corner| corner.as_dvec3() * 2f64.powi(149));
                let aligned = ((max - min) / 2.0).ceil() * 2f64.powi(-149);
                let size = steps(found.half_extents.as_dvec3());
                assert!(size <= steps(aligned), "{found:?} around {points:?}");
                // If the points are enough units apart, the box equals the one around the enlarged
                // points.
                if most < 100_000 {
                    continue;
                }
                let large: Vec<Vec3> = points.iter().map(|point| point.as_vec3()).collect();
                let enlarged = Obb::around(&large).expect("valid points").half_extents.as_dvec3();
                let rounded = steps((enlarged + 2.0) * 2f64.powi(-149));
                assert!(size <= 1.02 * rounded, "{found:?} for {enlarged} around {points:?}");
            }
        }
    }
}

#[test]
fn s5_bounds_of_points_balls_and_capsules() {
    let mut random = Random(SplitMix(5));
    for _ in 0..2_000 {
        let mut vector = || (random.cube() * 10f64.powf(3.0 * random.side())).as_vec3();
        let (ends, radius) = ([vector(), vector()], vector().x.abs());
        let Aabb { min, max } = SweptSphere::new(ends, radius).bounds();
        for axis in 0..3 {
            let [a, b] = ends.map(|end| end[axis]);
            // In one dimension a capsule is an interval.
            let on_line = |x: f32| Vec3::new(x, 0.0, 0.0);
            let solid = SweptSphere::new([on_line(a), on_line(b)], radius);
            let touches = |x: f32| swept_sphere_contact(&solid, &SweptSphere::new([on_line(x); 2], 0.0));
            for (bound, inner) in [(min[axis], min[axis].next_up()), (max[axis], max[axis].next_down())] {
                assert!(
                    touches(bound) <= obbligato::contact::Contact::Touching,
                    "{bound} {solid:?}"
                );
                assert!(radius == 0.0 || touches(inner).collides(), "{bound} {solid:?}");
            }
        }
    }
    let points = Kind::Random.cloud(10_000, 4);
    let found = Aabb::around(&points).expect("valid points");
    let fold = |pick: fn(Vec3, Vec3) -> Vec3| points.iter().copied().reduce(pick).expect("points");
    assert_eq!(found, Aabb::new(fold(Vec3::min), fold(Vec3::max)));
}

#[test]
fn invalid_points_are_refused() {
    let message = |result: Result<Obb, Error>| result.expect_err("invalid").to_string();
    assert_eq!(message(Obb::around(&[])), "there are no points: give at least one");
    let bad = [Vec3::X, Vec3::new(0.0, f32::NAN, 0.0), Vec3::splat(f32::INFINITY)];
    for found in [Obb::around(&bad), Obb::around_principal_axes(&bad)] {
        assert_eq!(
            message(found),
            "point 1 has a number that is NaN or infinite (2 invalid points in all): fix or remove them"
        );
    }
    let far = [Vec3::X, Vec3::new(0.0, -1.2e18, 0.0)];
    assert_eq!(
        Sphere::around(&far).expect_err("invalid").to_string(),
        "point 1 has a coordinate beyond 1.1529215e18 (1 invalid point in all): fix or remove it"
    );
    let groups = [vec![Vec3::X], vec![], far.to_vec()];
    assert_eq!(
        Obb::around_each(&groups).expect_err("invalid").to_string(),
        "there are no points of group 1: give at least one"
    );
    assert_eq!(
        Obb::around_each(&groups[2..]).expect_err("invalid").to_string(),
        "point 1 of group 0 has a coordinate beyond 1.1529215e18 (1 invalid point in all): fix or remove it"
    );
}
