//! The records that a check leaves on the device for code that draws them, and its pairs: there,
//! and in lists on the host.

use obbligato::glam::Vec3;
use obbligato::shape::Triangle;
use obbligato::unstable::gpu::{Inside, Left, Limit};
use obbligato::{Bodies, Checker, Config, Obb, Pair, Query, Report, Sphere};
use obbligato_verify::scenes::Scene;

use crate::support::gpu::{check, gpu};

fn inside(checker: &mut Checker) -> Inside<'_> {
    Inside::of(checker).expect("a checker on a GPU")
}

/// A checker that lists touching pairs and keeps what its checks leave.
fn keeping() -> Checker {
    let mut checker = gpu(Config {
        list_touching: true,
        ..Config::default()
    });
    inside(&mut checker).keep_what_is_left();
    checker
}

fn left(checker: &mut Checker) -> Left {
    inside(checker).left().cloned().expect("what the check has left")
}

/// Compares the pairs on the device, the others, and the touching ones with those of the report.
#[track_caller]
fn expect_all_pairs(what: &str, checker: &mut Checker, left: &Left, report: &Report) {
    let mut pairs: Vec<Pair> = inside(checker).read(&left.pairs, left.listed).expect("the pairs");
    pairs.extend(&left.others);
    pairs.extend(report.touching().unwrap_or_default());
    pairs.sort_unstable();
    assert_eq!(pairs, report.pairs().expect("asked for"), "{what}");
}

#[test]
fn boxes_and_their_pairs_stay_on_the_device() {
    for scene in [Scene::Crowd, Scene::Bricks, Scene::Dense] {
        let boxes = scene.generate(2000, 1);
        for records in [u32::MAX, 300] {
            let mut checker = keeping();
            inside(&mut checker).set(Limit::RecordsOfSubmission(records));
            let report = check(&mut checker, "a GPU", &boxes);
            let left = left(&mut checker);
            let what = format!("{scene:?}, {records} at once");
            assert_eq!((left.counts, left.scale), ([2000, 0, 0], 1.0), "{what}");
            let stay: Vec<Obb> = inside(&mut checker).read(&left.records, 2000).expect("the boxes");
            assert_eq!(stay, boxes, "{what}");
            expect_all_pairs(&what, &mut checker, &left, &report);
            // Bricks only touch, which the host decides.
            if records == u32::MAX && scene != Scene::Bricks {
                assert!(left.others.len() < left.listed as usize / 10, "{what}: {}", left.listed);
            }
        }
    }
}

#[test]
fn bodies_and_meshes_stay_on_the_device() {
    let boxes = Scene::Uniform.generate(300, 1);
    let spheres: Vec<Sphere> = boxes.iter().map(|own| Sphere::new(own.center, 0.2)).collect();
    let bodies = Bodies {
        boxes: &boxes,
        spheres: &spheres,
        ..Bodies::default()
    };
    let mut checker = keeping();
    let report = check(&mut checker, "a GPU", bodies);
    let of_bodies = left(&mut checker);
    assert_eq!(of_bodies.counts, [300, 0, 300]);
    let records: Vec<[f32; 4]> = inside(&mut checker)
        .read(&of_bodies.records, 1200)
        .expect("the records");
    let places: Vec<Vec3> = records[900..].iter().map(|row| Vec3::from_slice(row)).collect();
    assert_eq!(places, spheres.iter().map(|own| own.center).collect::<Vec<_>>());
    expect_all_pairs("bodies", &mut checker, &of_bodies, &report);

    let crossing: Vec<Triangle> = (0..40)
        .map(|k| {
            let at = Vec3::new(0.4 * (k / 2) as f32, 0.0, 0.0);
            match k % 2 {
                0 => Triangle::new(at, at + Vec3::X, at + Vec3::Y),
                _ => Triangle::new(
                    at + Vec3::new(0.2, 0.1, -0.5),
                    at + Vec3::new(0.3, 0.4, -0.5),
                    at + Vec3::Z,
                ),
            }
        })
        .collect();
    let report = check(&mut checker, "a GPU", Query::mesh(&crossing));
    let of_mesh = left(&mut checker);
    assert_eq!(of_mesh.counts, [40, 0, 0]);
    let stay: Vec<Triangle> = inside(&mut checker).read(&of_mesh.records, 40).expect("triangles");
    assert_eq!(stay, crossing);
    assert!(report.colliding_pairs > 10);
    expect_all_pairs("a mesh", &mut checker, &of_mesh, &report);
}

#[test]
fn tiny_boxes_are_larger_on_the_device() {
    let boxes = Scene::Crowd.generate(500, 1);
    let tiny: Vec<Obb> = boxes
        .iter()
        .map(|own| {
            Obb::new(
                2f32.powi(-90) * own.center,
                2f32.powi(-90) * own.half_extents,
                own.rotation,
            )
        })
        .collect();
    let mut checker = keeping();
    let report = check(&mut checker, "a GPU", &tiny);
    let left = left(&mut checker);
    assert!(left.scale > 1e9, "{}", left.scale);
    let stay: Vec<Obb> = inside(&mut checker).read(&left.records, 500).expect("the boxes");
    for (own, larger) in tiny.iter().zip(&stay) {
        assert_eq!((own.center.as_dvec3() * left.scale).as_vec3(), larger.center);
        assert_eq!(
            (own.half_extents.as_dvec3() * left.scale).as_vec3(),
            larger.half_extents
        );
    }
    expect_all_pairs("tiny boxes", &mut checker, &left, &report);
}

#[test]
fn placed_boxes_have_no_pairs_until_they_are_checked() {
    let boxes = Scene::Crowd.generate(2000, 1);
    let mut checker = keeping();
    inside(&mut checker).place(&boxes[..]).expect("room");
    let placed = left(&mut checker);
    assert_eq!(
        (placed.counts, placed.listed, placed.others.len()),
        ([2000, 0, 0], 0, 0)
    );
    let stay: Vec<Obb> = inside(&mut checker).read(&placed.records, 2000).expect("the boxes");
    assert_eq!(stay, boxes);
    let report = check(&mut checker, "a GPU", &boxes);
    let checked = left(&mut checker);
    assert!(checked.listed > 0);
    expect_all_pairs("placed", &mut checker, &checked, &report);
    inside(&mut checker).place(&boxes[..0]).expect("nothing");
    assert!(inside(&mut checker).left().is_none());
}

#[test]
fn nothing_is_kept_unless_it_is_asked_for_and_whole() {
    let boxes = Scene::Crowd.generate(500, 1);
    let mut checker = gpu(Config::default());
    check(&mut checker, "a GPU", &boxes);
    assert!(inside(&mut checker).left().is_none());
    let mut few = gpu(Config {
        max_pairs: Some(10),
        ..Config::default()
    });
    inside(&mut few).keep_what_is_left();
    assert!(!check(&mut few, "a GPU", &boxes).complete);
    assert!(inside(&mut few).left().is_none());
    let mut in_parts = gpu(Config {
        gpu: obbligato::GpuConfig {
            max_buffer_bytes: Some(1 << 14),
            ..obbligato::GpuConfig::default()
        },
        ..Config::default()
    });
    inside(&mut in_parts).keep_what_is_left();
    check(&mut in_parts, "a GPU", &boxes);
    assert!(inside(&mut in_parts).left().is_none());
}
