//! The rows of other chapters that already work, and the reader of NPY files for all of them.

mod motion;

use std::path::Path;

use obbligato::Query;
use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::query::{Containment, SolidQuery};
use obbligato::{
    BroadPhase, Checker, Config, Obb, Obb64, Output, Pair, Sphere,
    contact::Contact,
    region::{EnclosureState, Room},
    shape::{Aabb, Solid, SweptSphere},
};
use obbligato_verify::adversarial;
use obbligato_verify::reference::{collides, colliding_pairs, contacts64};
use obbligato_verify::scenes::Scene;

use super::{assert_found, check, on_cpu, on_gpu, on_tiny_gpu};

/// The 32-bit integers of an NPY file, by the format's definition.
pub fn read_npy(path: &Path) -> Vec<u32> {
    let bytes = std::fs::read(path).expect("the file is there");
    assert!(bytes.starts_with(b"\x93NUMPY\x01\x00"));
    let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let values = bytes[header..].chunks_exact(4);
    values
        .map(|value| u32::from_le_bytes(value.try_into().expect("four bytes")))
        .collect()
}

/// Bricks on a map: touching ones, and ones a millimetre apart; a scene far away, and one as large
/// as a planet, against the reference.
#[test]
fn x5_f64_positions() {
    let brick = |x: f64| Obb64::axis_aligned(DVec3::new(4e6 + x, -5.5e6, 120.0), Vec3::new(0.125, 0.0625, 0.0625));
    let wall = [brick(0.0), brick(0.25), brick(0.501), brick(0.75)];
    let scene = |by: DVec3, scene: Scene| {
        let moved = |obb: &Obb| Obb64 {
            center: obb.center.as_dvec3() + by,
            ..Obb64::from(*obb)
        };
        scene.generate(600, 5).iter().map(moved).collect::<Vec<_>>()
    };
    let mut planet = scene(DVec3::new(4e6, 5.5e6, 120.0), Scene::Dense);
    planet.extend(scene(DVec3::new(-6.4e6, 1e5 / 3.0, -1e6), Scene::Mixed));
    for config in [on_gpu(), on_cpu(), on_tiny_gpu()] {
        let mut checker = Checker::new(config).expect("the backend is there");
        let report = checker.check(&wall).expect("valid boxes");
        assert_eq!(report.pairs().expect("asked for"), [Pair::new(0, 1), Pair::new(2, 3)]);
        assert_eq!(report.touching_pairs, Some(1));
        let report = checker.check(&planet).expect("valid boxes");
        let expected: Vec<Pair> = contacts64(&planet).into_iter().map(|(pair, _)| pair).collect();
        assert!(expected.len() > 1000 && report.pairs().expect("asked for") == expected);
        let (first, second) = planet.split_at(300);
        let report = checker.check(Query::between(first, second)).expect("valid boxes");
        let crossing = expected.iter().filter(|pair| pair.a < 300 && pair.b >= 300);
        assert_eq!(report.colliding_pairs, crossing.count() as u64);
    }
}

/// Boxes around points and around rotated shapes.
#[test]
fn s5_boxes_around_points_and_rotated_shapes() {
    let solid = Obb::new(Vec3::splat(4.0), Vec3::new(3.0, 1.0, 0.2), Quat::from_rotation_x(0.4));
    let points = solid.corners().map(|corner| corner.as_vec3());
    let fitted = Obb::around(&points).expect("valid points");
    let volume = |obb: &Obb| obb.half_extents.element_product();
    assert!(volume(&fitted) < volume(&solid) * 1.0001);
    let ball = Sphere::around(&points).expect("valid points");
    assert!((ball.radius - solid.half_extents.length()).abs() < 1e-5);
    for k in 0..50 {
        let turn = Quat::from_rotation_y(0.13 * k as f32);
        let turned = Obb::new(solid.center, solid.half_extents, turn * solid.rotation);
        let corners = turned.corners().map(|corner| corner.as_vec3());
        let (tight, bounds) = (Aabb::around(&corners).expect("valid points"), turned.bounds());
        assert!(
            (bounds.min - tight.min)
                .abs()
                .max((bounds.max - tight.max).abs())
                .max_element()
                < 1e-4
        );
        let ends = [corners[0], corners[7]];
        let capsule = SweptSphere::new(ends, 0.5).bounds();
        let around = Aabb::around(&ends).expect("valid points");
        assert!((around.min - capsule.min - 0.5).abs().max_element() < 1e-6);
        assert!((capsule.max - around.max - 0.5).abs().max_element() < 1e-6);
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
fn r1_a_mover_finds_what_it_hits_among_boxes_at_rest() {
    let boxes = Scene::Crowd.generate(3_000, 2);
    let (mover, at_rest) = boxes.split_first().expect("a box");
    for config in [on_gpu(), on_cpu()] {
        let mut checker = Checker::new(config).expect("the backend is there");
        let scene = checker.prepare(at_rest).expect("the boxes are valid");
        let mut met = 0;
        for (step, other) in at_rest.iter().enumerate().take(100) {
            let center = other.center + Vec3::new(0.2, 0.1, 0.3);
            let moved = Obb { center, ..*mover };
            let report = checker
                .check(Query::against(&scene, &[moved]))
                .expect("the mover is valid");
            let expected = (0..at_rest.len()).filter(|&i| collides(&at_rest[i], &moved));
            assert!(
                report
                    .pairs()
                    .expect("asked for")
                    .iter()
                    .map(|pair| pair.a as usize)
                    .eq(expected),
                "{step}"
            );
            met += report.colliding_pairs;
        }
        assert!(met > 100, "{met}");
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
fn r3_rooms_report_the_walls_that_boxes_reach() {
    let spans = [(1.0, 2.0), (-1.0, 1.0), (3.0, 5.0), (-1.0, 5.0)];
    let room = Room::new(Vec3::ZERO, Vec3::splat(4.0)).expect("a room");
    let turned = room.turned(Quat::from_xyzw(0.5, 0.5, 0.5, 0.5)).expect("a room");
    // Every possible mask, and boxes from wall to wall and beyond.
    let boxes: Vec<Obb> = (0..64usize)
        .map(|mask| {
            let [x, y, z] = [0, 1, 2].map(|axis| spans[mask >> (2 * axis) & 3]);
            let (low, high) = (Vec3::new(x.0, y.0, z.0), Vec3::new(x.1, y.1, z.1));
            Obb::axis_aligned((low + high) / 2.0, (high - low) / 2.0)
        })
        .collect();
    for config in [on_gpu(), on_cpu()] {
        let mut checker = Checker::new(config).expect("the backend is there");
        let found = checker
            .check(Containment::new(&room, &boxes))
            .expect("the boxes are valid");
        assert!(found.iter().map(|found| usize::from(found.walls)).eq(0..64));
        // After a third of a turn about its diagonal, the room's x axis is the world's y axis.
        let found = checker
            .check(Containment::new(&turned, &boxes))
            .expect("the boxes are valid");
        let shifted = |mask: usize| (mask >> 2 | mask << 4) & 63;
        assert!(
            found
                .iter()
                .map(|found| usize::from(found.walls))
                .eq((0..64).map(shifted))
        );
        let inside = found.iter().filter(|found| found.state == EnclosureState::Inside);
        assert_eq!(inside.count(), 1);

        let crowd = Scene::Crowd.generate(10_000, 3);
        let found = checker
            .check(Containment::new(&turned, &crowd))
            .expect("the boxes are valid");
        assert!(found.into_iter().eq(crowd.iter().map(|obb| turned.enclosure(obb))));
    }
}

#[test]
fn r4_both_boxes_of_a_pair_are_marked() {
    let boxes = Scene::Crowd.generate(2_000, 1);
    let mut partners = vec![0; boxes.len()];
    for pair in colliding_pairs(&boxes) {
        partners[pair.a as usize] += 1;
        partners[pair.b as usize] += 1;
    }
    assert!(partners.contains(&0) && partners.contains(&2));
    for config in [on_gpu(), on_cpu()] {
        let output = Output::Degrees;
        let report = check(Config { output, ..config }, &boxes);
        assert!(report.degrees().expect("asked for") == partners);
        let marks = report.marks().expect("the report has degrees");
        assert!(marks.into_iter().eq(partners.iter().map(|&partners| partners > 0)));
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

/// Vertices inside, edges through faces with entry and exit, identical and coincident solids;
/// pairs, distance, depth and normal.
#[test]
fn s2_convex_solids() {
    let wedge = [Vec3::ZERO, Vec3::X * 4.0, Vec3::Y * 4.0, Vec3::Z * 4.0];
    let solid = |by: Vec3| Solid::from_points(&wedge.map(|point| point + by)).expect("valid points");
    let [a, b, apart] = [Vec3::ZERO, Vec3::splat(0.5), Vec3::splat(3.0)].map(solid);
    assert_eq!(b.vertices_in(&a).collect::<Vec<_>>(), [(0, Contact::Overlapping)]);
    let crossings = b.crossings(&a);
    assert_eq!(crossings.len(), 3);
    for crossing in crossings {
        // From the corner inside through the slanted face.
        assert_eq!((crossing.entry, crossing.entry_face), (0.0, None));
        assert_eq!((crossing.exit, crossing.exit_face.is_some()), (0.625, true));
    }
    assert_eq!(a.contact(&a.clone()), Contact::Overlapping);
    assert!(a.vertices_in(&a).all(|(_, contact)| contact == Contact::Touching) && a.crossings(&a).is_empty());
    let penetration = a.penetration(&b).expect("memory").expect("they collide");
    assert!((penetration.depth - 2.5 / 3f64.sqrt()).abs() < 1e-12, "{penetration:?}");
    assert!(
        (penetration.normal - DVec3::ONE.normalize()).length() < 1e-12,
        "{penetration:?}"
    );
    assert!((a.distance(&apart) - 5.0 / 3f64.sqrt()).abs() < 1e-12);
    let solids = [a, b, apart];
    for config in [on_gpu(), on_cpu()] {
        let mut checker = Checker::new(config).expect("the backend is there");
        let report = checker.check(SolidQuery::new(&solids)).expect("valid solids");
        assert_eq!(report.pairs().expect("asked for"), [Pair::new(0, 1)]);
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
