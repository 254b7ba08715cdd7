//! The rows of other chapters that work already, and what reads NPY files for all of them.

use std::path::Path;

use obbligato::Query;
use obbligato::glam::{Quat, Vec3, Vec4};
use obbligato::reference::{collides, colliding_pairs};
use obbligato::scenes::Scene;
use obbligato::unstable::adversarial;
use obbligato::{
    Aabb, BoxSet, Checker, Config, Contact, EnclosureState, Frustum, Motion, MovingSet, Obb, Output, Pair, Region,
    Room, Rules, Step,
};

use super::{assert_found, check, on_cpu, on_gpu};

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

/// A throw that turns back, a turn and an uncertainty: what a box comes to is in its bounds, and no more than that.
#[test]
fn m2_swept_bounds_hold_the_motion() {
    let obb = Obb::axis_aligned(Vec3::X, Vec3::new(0.5, 0.25, 0.25));
    let thrown = Motion::linear(Vec3::Z * 4.0).accelerated(Vec3::Z * -8.0);
    let near = |bounds: Aabb, min: Vec3, max: Vec3| {
        let off = (bounds.min - min).abs().max((bounds.max - max).abs());
        assert!(off.max_element() < 1e-5, "{bounds:?}");
    };
    // One second: 1 high after half of it, and back.
    let (low, high) = (Vec3::new(0.5, -0.25, -0.25), Vec3::new(1.5, 0.25, 1.25));
    near(thrown.swept_bounds(&obb, 1.0), low, high);
    let off = Vec3::splat(0.1);
    near(thrown.uncertain(0.2).swept_bounds(&obb, 1.0), low - off, high + off);
    // A quarter turn about z.
    let turned = Motion::REST
        .turning(Vec3::Z * std::f32::consts::FRAC_PI_2)
        .swept_bounds(&obb, 1.0);
    let reach = 0.3125f32.sqrt();
    near(
        turned,
        Vec3::new(1.0 - reach, -reach, -0.25),
        Vec3::new(1.0 + reach, reach, 0.25),
    );

    // A plate where the throw turns back is met by nothing else.
    let plate = Obb::axis_aligned(Vec3::new(1.0, 0.0, 1.3), Vec3::new(1.0, 1.0, 0.1));
    for config in [on_gpu(), on_cpu()] {
        let mut checker = Checker::new(config).expect("the backend is there");
        let set = [obb, plate];
        let found = checker.sweep(MovingSet::new(&set, &[thrown, Motion::REST]), &Step::new(1.0));
        assert_eq!(found.expect("valid motions").impacts.len(), 1);
    }
}

#[test]
fn m5_a_curve_is_held_by_a_box_along_it() {
    let obb = Obb::axis_aligned(Vec3::ZERO, Vec3::splat(0.1));
    let curve = Motion::linear(Vec3::new(10.0, 10.0, 0.0)).accelerated(Vec3::new(2.0, -2.0, 0.0));
    let swept = curve.swept_box(&obb, 1.0);
    for k in 0..=100 {
        let t = k as f32 / 100.0;
        let at = Obb {
            center: curve.velocity * t + 0.5 * curve.acceleration * t * t,
            ..obb
        };
        assert!(swept.contact(&at) == Contact::Overlapping);
        let planes = swept.face_planes();
        let farthest = |corner| {
            planes
                .iter()
                .map(|plane| plane.signed_distance(corner))
                .fold(f64::MIN, f64::max)
        };
        assert!(at.corners().into_iter().all(|corner| farthest(corner) < 1e-5));
    }
    let volume = |half: Vec3| half.element_product();
    let bounds = curve.swept_bounds(&obb, 1.0);
    assert!(volume(swept.half_extents) < 0.1 * volume(0.5 * (bounds.max - bounds.min)));
}

#[test]
fn m9_regions_pick_the_boxes_that_matter() {
    let boxes = Scene::Crowd.generate(3_000, 4);
    let solid = Obb::new(boxes[0].center, Vec3::new(6.0, 2.0, 9.0), Quat::from_rotation_z(0.5));
    let active = Region::from(solid).active(&boxes).expect("the boxes are valid");
    let expected = boxes.iter().map(|obb| solid.contact(obb) != Contact::Separated);
    assert!(active.iter().copied().eq(expected));
    assert!(active.contains(&true) && active.contains(&false));
    let rules = Rules {
        active: Some(&active),
        ..Rules::default()
    };
    let is_active = |pair: &Pair| active[pair.a as usize] || active[pair.b as usize];
    let expected: Vec<Pair> = colliding_pairs(&boxes).into_iter().filter(is_active).collect();
    assert!(!expected.is_empty());
    for config in [on_gpu(), on_cpu()] {
        let set = BoxSet::new(&boxes).with(rules);
        let report = Checker::new(config).and_then(|mut checker| checker.check(set));
        assert_eq!(report.expect("a report").pairs().expect("asked for"), expected);
    }

    let planes = [Vec4::X, Vec4::Y, Vec4::W, Vec4::W, Vec4::W, Vec4::W];
    let quarter = Frustum::from_planes(planes).expect("a frustum");
    let active = Region::from(quarter).active(&boxes).expect("the boxes are valid");
    let reaches = |obb: &Obb| obb.bounds().max.x >= 0.0 && obb.bounds().max.y >= 0.0;
    let differ = boxes.iter().zip(active).filter(|(obb, active)| reaches(obb) != *active);
    assert_eq!(differ.count(), 0);
}

#[test]
fn p2_grid_has_levels_for_sizes() {
    let boxes = Scene::Mixed.generate(10_000, 1);
    assert_found("mixed", &boxes, &colliding_pairs(&boxes));
    for config in [on_gpu(), on_cpu()] {
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
        // Of half a million pairs, all are far apart but a few; of boxes on one spot, none.
        assert!(
            rejected.iter().all(|&count| count > 100_000) || scene == Scene::Coincident,
            "{scene}: {rejected:?}"
        );
    }
}

#[test]
fn r3_rooms_know_the_walls_that_boxes_reach() {
    let spans = [(1.0, 2.0), (-1.0, 1.0), (3.0, 5.0), (-1.0, 5.0)];
    let room = Room::new(Vec3::ZERO, Vec3::splat(4.0)).expect("a room");
    let turned = room.turned(Quat::from_xyzw(0.5, 0.5, 0.5, 0.5)).expect("a room");
    // Every mask there is, and boxes from wall to wall and beyond.
    let boxes: Vec<Obb> = (0..64usize)
        .map(|mask| {
            let [x, y, z] = [0, 1, 2].map(|axis| spans[mask >> (2 * axis) & 3]);
            let (low, high) = (Vec3::new(x.0, y.0, z.0), Vec3::new(x.1, y.1, z.1));
            Obb::axis_aligned((low + high) / 2.0, (high - low) / 2.0)
        })
        .collect();
    for config in [on_gpu(), on_cpu()] {
        let mut checker = Checker::new(config).expect("the backend is there");
        let found = checker.enclosures(&room, &boxes).expect("the boxes are valid");
        assert!(found.iter().map(|found| usize::from(found.walls)).eq(0..64));
        // Turned by a third about its diagonal, the room has its x where the world's y is.
        let found = checker.enclosures(&turned, &boxes).expect("the boxes are valid");
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
        let found = checker.enclosures(&turned, &crowd).expect("the boxes are valid");
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

#[test]
fn s6_six_axes_lose_no_pair_and_reject_most() {
    // Pairs that are hard to judge: half of them touch but for rounding.
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
