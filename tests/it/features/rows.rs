//! Rows about boxes and other bodies at rest.

mod motion;

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::{BroadPhase, Checker, Config, Obb, Pair, contact::Contact, region::Plane};
use obbligato_verify::adversarial;
use obbligato_verify::reference::{collides, colliding_pairs, contacts};
use obbligato_verify::scenes::{BodyScene, Scene};

use super::{assert_found, check, on_cpu, on_gpu};

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
fn p2_grid_has_levels_for_sizes() {
    let boxes = Scene::Mixed.generate(10_000, 1);
    assert_found("mixed", &boxes, &colliding_pairs(&boxes));
    for config in [on_gpu(), on_cpu()] {
        let config = Config {
            broad_phase: BroadPhase::Grid,
            ..config
        };
        let report = check(config, &boxes);
        assert!(report.grid.len() > 1, "{:?}", report.grid);
        assert!(
            report
                .grid
                .is_sorted_by(|coarse, fine| coarse.cell_size > fine.cell_size)
        );
        assert_eq!(report.grid.iter().map(|level| level.boxes).sum::<u32>(), 10_000);
        assert!(report.grid.iter().all(|level| level.slots <= 4 * level.boxes));
    }
}

#[test]
fn r2_elementary_tests_miss_no_pair() {
    for scene in Scene::ALL {
        let boxes = scene.generate(1_000, 3);
        let balls: Vec<_> = boxes.iter().map(Obb::bounding_sphere).collect();
        let bounds: Vec<_> = boxes.iter().map(Obb::bounds).collect();
        let colliding = colliding_pairs(&boxes);
        let mut rejected = [0; 5];
        for i in 0..boxes.len() {
            for j in i + 1..boxes.len() {
                let collide = || colliding.binary_search(&Pair::new(i as u32, j as u32)).is_ok();
                let tests = [
                    balls[i].overlaps(&balls[j]),
                    balls[i].overlaps_aabb(&bounds[j]),
                    balls[i].overlaps_obb(&boxes[j]),
                    bounds[i].overlaps_early_exit(&bounds[j]),
                    bounds[i].overlaps_obb(&boxes[j]),
                ];
                assert_eq!(tests[3], bounds[i].overlaps(&bounds[j]));
                for (rejected, meet) in rejected.iter_mut().zip(tests) {
                    *rejected += u32::from(!meet);
                    assert!(meet || !collide(), "{scene}: {:?} {:?}", boxes[i], boxes[j]);
                }
            }
        }
        // Of half a million pairs, all but a few are far apart; of boxes at one place, none.
        assert!(
            rejected.iter().all(|&count| count > 100_000) || scene == Scene::Coincident,
            "{scene}: {rejected:?}"
        );
    }
}

#[test]
fn r5_a_check_moves_nothing() {
    let boxes = Scene::Dense.generate(1_000, 1);
    let before = boxes.clone();
    for config in [on_gpu(), on_cpu()] {
        assert!(check(config.clone(), &boxes).colliding_pairs > 0);
        assert!(boxes == before);
        assert_eq!(
            check(config.clone(), &boxes).pairs().expect("asked for"),
            check(config, &boxes).pairs().expect("asked for")
        );
    }
}

#[test]
fn s1_spheres_and_capsules_collide_with_boxes_and_each_other() {
    for scene in BodyScene::OTHERS {
        let owned = scene.bodies(3000, 7);
        let bodies = owned.all();
        let expected = colliding_pairs(bodies);
        let touching = contacts(bodies)
            .into_iter()
            .filter(|(_, contact)| *contact == Contact::Touching);
        let touching = touching.count() as u64;
        assert!(expected.len() > 300, "{scene}");
        for config in [on_gpu(), on_cpu()] {
            let backend = config.backend;
            let mut checker = Checker::new(config).expect("the backend is there");
            let report = checker.check(bodies).expect("valid bodies");
            assert_eq!(report.pairs().expect("asked for"), expected, "{scene} on {backend:?}");
            assert_eq!(report.touching_pairs, Some(touching), "{scene} on {backend:?}");
        }
    }
}

#[test]
fn s6_six_axes_lose_no_pair_and_reject_most() {
    // Pairs that are hard to decide: half of them touch up to rounding.
    let mut rejected = 0;
    for index in 0..100_000 {
        let (a, b) = adversarial::pair(index, 6);
        for (a, b) in [(a, b), (b, a)] {
            if a.faces_separate(&b) {
                rejected += 1;
                assert!(!collides(&a, &b), "pair {index}: {a:?} {b:?}");
            }
        }
    }
    assert!(rejected > 20_000, "{rejected} rejections are no test");

    for scene in Scene::ALL {
        let boxes = scene.generate(1_000, 6);
        let colliding = colliding_pairs(&boxes);
        let bounds: Vec<_> = boxes.iter().map(Obb::bounds).collect();
        let (mut apart, mut rejected) = (0, 0);
        for i in 0..boxes.len() {
            for j in (i + 1..boxes.len()).filter(|&j| bounds[i].overlaps(&bounds[j])) {
                let collide = colliding
                    .binary_search(&obbligato::Pair::new(i as u32, j as u32))
                    .is_ok();
                let separated = boxes[i].faces_separate(&boxes[j]);
                assert!(!(collide && separated), "{scene}: {:?} {:?}", boxes[i], boxes[j]);
                apart += u32::from(!collide);
                rejected += u32::from(separated);
            }
        }
        assert!(5 * rejected >= 4 * apart, "{scene}: {rejected} of {apart} rejected");
    }
}
