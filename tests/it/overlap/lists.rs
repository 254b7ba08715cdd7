//! Lists of overlaps: on every backend, in the plane, in space that repeats, and what is refused.

use obbligato::contact::{Overlap, overlaps};
use obbligato::glam::{DVec2, Quat, Vec2, Vec3};
use obbligato::query::{OverlapMatrix, OverlapQuery};
use obbligato::shape::{Upright, yaw};
use obbligato::{Bodies, Capsule, Config, Error, Obb, Obb64, Pair, Period, Query, Sphere};
use obbligato_verify::scenes::Scene;

use crate::overlap::Random;
use crate::overlap::oracle::volumes;
use crate::support::gpu::{backends, cpu, cpu_pairs};

fn bits(list: &[Overlap]) -> Vec<[u64; 2]> {
    let bits = |overlap: &Overlap| [overlap.volume.to_bits(), overlap.iou.to_bits()];
    list.iter().map(bits).collect()
}

#[test]
fn a6_lists_are_the_pairs_one_by_one_on_every_backend() {
    for scene in [Scene::Dense, Scene::Crowd, Scene::Bricks, Scene::Sticks] {
        let boxes = scene.generate(2_000, 3);
        let pairs = cpu_pairs(&boxes);
        assert!(pairs.len() > 100, "{scene}");
        let single = |pair: &Pair| boxes[pair.a as usize].overlap(&boxes[pair.b as usize]);
        let expected = bits(&pairs.iter().map(single).collect::<Vec<_>>());
        for (backend, mut checker) in backends(&Config::default()) {
            let found = checker.check(OverlapQuery::within(&boxes, &pairs)).expect("boxes");
            assert_eq!(bits(&found), expected, "{scene} on {backend}");
        }
        let swapped: Vec<Pair> = pairs.iter().map(|pair| Pair { a: pair.b, b: pair.a }).collect();
        assert_eq!(bits(&overlaps([&boxes, &boxes], &swapped).expect("boxes")), expected);
        // Centers in f64 are the same boxes.
        let boxes64: Vec<Obb64> = boxes.iter().map(|&obb| obb.into()).collect();
        assert_eq!(bits(&overlaps([&boxes64, &boxes64], &pairs).expect("boxes")), expected);
    }
}

/// Returns the entries of a matrix by the pairs one by one.
fn each_with_each(first: &[Obb], second: &[Obb]) -> Vec<Overlap> {
    let row = |a: &Obb| second.iter().map(|b| a.overlap(b)).collect::<Vec<_>>();
    first.iter().flat_map(row).collect()
}

#[test]
fn a6_matrices_have_the_overlap_of_each_with_each() {
    let boxes = Scene::Dense.generate(150, 4);
    let (first, second) = boxes.split_at(40);
    let upright: [Upright; 0] = [];
    for (backend, mut checker) in backends(&Config::default()) {
        let between = checker.check(OverlapMatrix::between(first, second)).expect("boxes");
        assert_eq!(bits(&between), bits(&each_with_each(first, second)), "{backend}");
        let within = checker.check(OverlapMatrix::within(&boxes)).expect("boxes");
        assert_eq!(bits(&within), bits(&each_with_each(&boxes, &boxes)), "{backend}");
        assert!(within.iter().filter(|found| found.volume > 0.0).count() > 3 * boxes.len());
        let none = checker.check(OverlapMatrix::between(&upright, &boxes)).expect("boxes");
        assert_eq!(none, []);
    }
    let rows: Vec<Obb> = [0.0, 1.0, 5.0]
        .map(|x| Obb::in_plane(Vec2::new(x, 0.0), Vec2::ONE, yaw(0.0)))
        .to_vec();
    let mut checker = cpu(Config::default());
    let areas = checker
        .check(OverlapMatrix::within(&rows).in_plane())
        .expect("rectangles");
    let areas: Vec<f64> = areas.iter().map(|found| found.volume).collect();
    assert_eq!(areas, [4.0, 2.0, 0.0, 2.0, 4.0, 0.0, 0.0, 0.0, 4.0]);
    let refused = checker.check(OverlapMatrix::within(&boxes).in_plane());
    assert!(matches!(refused, Err(Error::NotInPlane { .. })));
    // Round bodies are refused even if they meet nothing.
    let far = [Sphere::new(Vec3::splat(1e6), 1.0)];
    let refused = checker.check(OverlapMatrix::between(&boxes, &far));
    assert!(matches!(refused, Err(Error::Unavailable { .. })));
}

#[test]
fn a6_areas_in_the_plane() {
    let mut random = Random::new(5);
    let mut flat = |_| {
        let half = Vec2::new(random.signed() + 1.25, random.signed() + 1.25);
        let center = Vec2::new(random.signed(), random.signed());
        Obb::in_plane(center, half, yaw(3.0 * f64::from(random.signed())))
    };
    let boxes: Vec<Obb> = (0..200).map(&mut flat).collect();
    let pairs: Vec<Pair> = (1..200).map(|k| Pair::new(k - 1, k)).collect();
    let mut checker = cpu(Config::default());
    let found = checker
        .check(OverlapQuery::within(&boxes, &pairs).in_plane())
        .expect("rectangles");
    for (pair, found) in pairs.iter().zip(&found) {
        // As high as each other, rectangles share as much in space as in the plane.
        let raised = [pair.a, pair.b].map(|k| {
            let obb = boxes[k as usize];
            Obb64::from(Obb {
                half_extents: obb.half_extents.truncate().extend(0.5),
                ..obb
            })
        });
        let truth = volumes(raised.each_ref(), [0.0; 3]);
        assert!(truth.error(found.volume).abs() < 1e-12, "{found:?}");
        assert!((truth.iou() - found.iou).abs() < 1e-12, "{found:?}");
    }
    // A side in common, equal squares, and a line.
    let square = |x: f32, y: f32| Obb::in_plane(Vec2::new(x, 0.0), Vec2::new(1.0, y), yaw(0.0));
    let boxes = [square(0.0, 1.0), square(2.0, 1.0), square(0.0, 1.0), square(0.5, 0.0)];
    let pairs = [Pair::new(0, 1), Pair::new(0, 2), Pair::new(0, 3)];
    let found = checker
        .check(OverlapQuery::within(&boxes, &pairs).in_plane())
        .expect("rectangles");
    assert_eq!(
        found.iter().map(|overlap| overlap.volume).collect::<Vec<_>>(),
        [0.0, 4.0, 0.0]
    );
    assert_eq!(
        found.iter().map(|overlap| overlap.iou).collect::<Vec<_>>(),
        [0.0, 1.0, 0.0]
    );
    let tilted = [Obb::new(Vec3::ZERO, Vec3::ONE, Quat::from_rotation_x(0.5)); 2];
    let refused = checker.check(OverlapQuery::within(&tilted, &[Pair::new(0, 1)]).in_plane());
    assert!(
        matches!(refused, Err(Error::NotInPlane { index: 0, .. })),
        "{refused:?}"
    );
}

#[test]
fn a6_the_image_is_that_of_contacts() {
    let period = Period::new([Some(4.1), Some(3.7), None]);
    let mut random = Random::new(6);
    let mut solid = |_| {
        let center = 9.0 * Vec3::new(random.signed(), random.signed(), 0.05 * random.signed());
        Obb::new(center, Vec3::new(0.5, 0.4, 0.3), Quat::from_rotation_x(random.signed()))
    };
    let boxes: Vec<Obb> = (0..60).map(&mut solid).collect();
    let mut checker = cpu(Config::default());
    let query = Query::from(&boxes).periodic(period);
    let pairs = checker
        .check(query)
        .and_then(|report| report.into_pairs())
        .expect("they fit");
    assert!(pairs.len() > 50, "{}", pairs.len());
    let contacts = obbligato::query::ContactQuery::within(&boxes, &pairs).periodic(period);
    let images = checker.check(contacts).expect("they fit").images;
    let found = checker
        .check(OverlapQuery::within(&boxes, &pairs).periodic(period))
        .expect("they fit");
    assert_eq!(found.images, images);
    for (k, (pair, overlap)) in pairs.iter().zip(&found.found).enumerate() {
        let solids = [pair.a, pair.b].map(|k| Obb64::from(boxes[k as usize]));
        // Whole multiples of these lengths have too many digits for one number; their error is far
        // below the tolerance.
        let [i, j, _] = images[k];
        let truth = volumes(solids.each_ref(), [i as f64 * 4.1, j as f64 * 3.7, 0.0]);
        assert!(truth.error(overlap.volume).abs() < 1e-12, "{pair:?} {overlap:?}");
    }
}

#[test]
fn upright_cuboids_are_the_boxes_made_of_them() {
    let cuboid = |x: f64| Upright::from_yaw(DVec2::new(x, 0.0), DVec2::ONE, 0.5, [0.0, 2.0]).expect("it is valid");
    let cuboids = [cuboid(0.0), cuboid(0.5)];
    let boxes: Vec<Obb> = cuboids.iter().map(|&cuboid| cuboid.into()).collect();
    let pairs = [Pair::new(0, 1)];
    let found = overlaps([&cuboids, &cuboids], &pairs).expect("boxes");
    assert_eq!(bits(&found), bits(&[boxes[0].overlap(&boxes[1])]));
}

#[test]
fn round_bodies_and_missing_ones_are_refused() {
    let boxes = [Obb::axis_aligned(Vec3::ZERO, Vec3::ONE); 2];
    let (spheres, capsules) = (
        [Sphere::new(Vec3::ZERO, 1.0)],
        [Capsule::new(Vec3::ZERO, 1.0, Quat::IDENTITY, 0.5)],
    );
    let bodies = Bodies {
        boxes: &boxes,
        capsules: &capsules,
        spheres: &spheres,
    };
    assert_eq!(
        overlaps([bodies; 2], &[Pair::new(0, 1)]).expect("two boxes")[0].iou,
        1.0
    );
    let mut checker = cpu(Config::default());
    for pair in [Pair::new(0, 2), Pair::new(1, 3), Pair::new(2, 3)] {
        let pairs = [pair];
        for found in [
            overlaps([bodies; 2], &pairs),
            checker.check(OverlapQuery::within(bodies, &pairs)),
            checker
                .check(OverlapQuery::within(bodies, &pairs).periodic(Period::new([Some(9.0); 3])))
                .map(|answer| answer.found),
        ] {
            let message = found.expect_err("a round body").to_string();
            assert!(message.contains("overlap volume of capsules and spheres"), "{message}");
        }
    }
    let missing = overlaps([&boxes, &boxes], &[Pair { a: 0, b: 2 }]);
    assert!(matches!(missing, Err(Error::InvalidPair { .. })), "{missing:?}");
    let invalid = [boxes[0], Obb::axis_aligned(Vec3::ZERO, -Vec3::ONE)];
    let refused = checker.check(OverlapQuery::within(&invalid, &[Pair::new(0, 1)]));
    assert!(matches!(refused, Err(Error::InvalidBox { .. })), "{refused:?}");
}
