//! The rows of other chapters that already work, and the reader of NPY files for all of them.

use std::path::Path;

use obbligato::Query;
use obbligato::glam::{DVec3, Quat, Vec3, Vec4};
use obbligato::query::{Containment, SolidQuery, Sweep};
use obbligato::response::{Advance, Mass, Partner, advance, bounce, kinetic_energy, roll_back, stop};
use obbligato::{
    Bodies, BroadPhase, Capsule, Checker, Config, Obb, Obb64, Output, Pair, Rules, Set, Sphere,
    contact::Contact,
    motion::{ImpactState, Impacts, Motion, MovingSet, Step},
    region::{EnclosureState, Frustum, Region, Room},
    shape::{Aabb, Solid, SweptSphere},
};
use obbligato::{
    GpuChecker,
    gpu::{EarliestImpact, SweepQuery},
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

/// A throw that turns back, a rotation and an uncertainty: the bounds contain everything a box
/// reaches, and no more than that.
#[test]
fn m2_swept_bounds_contain_the_motion() {
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

    // A plate at the turning point of the throw meets nothing else.
    let plate = Obb::axis_aligned(Vec3::new(1.0, 0.0, 1.3), Vec3::new(1.0, 1.0, 0.1));
    for config in [on_gpu(), on_cpu()] {
        let mut checker = Checker::new(config).expect("the backend is there");
        let set = [obb, plate];
        let found = checker.check(Sweep::new(
            MovingSet::new(&set, &[thrown, Motion::REST]),
            &Step::new(1.0),
        ));
        assert_eq!(found.expect("valid motions").impacts.len(), 1);
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
fn m5_a_box_along_a_curve_contains_it() {
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

/// The pairs of a sweep with their times, on each backend.
fn swept(boxes: &[Obb], motions: &[Motion], dt: f64) -> Impacts {
    let sweep = |config| {
        let mut checker = Checker::new(config).expect("the backend is there");
        let set = MovingSet::new(boxes, motions);
        checker
            .check(Sweep::new(set, &Step::new(dt)))
            .expect("the boxes are valid")
    };
    let (on_gpu, on_cpu) = (sweep(on_gpu()), sweep(on_cpu()));
    assert_eq!(on_gpu.impacts, on_cpu.impacts);
    on_cpu
}

#[test]
fn m1_a_bullet_does_not_pass_a_plate() {
    // A centimetre at 1,000 m/s against a millimetre: a hundred times as fast as frames allow.
    let plate = Obb::axis_aligned(Vec3::ZERO, Vec3::new(0.0005, 1.0, 1.0));
    let mut checkers = [on_gpu(), on_cpu()].map(|config| Checker::new(config).expect("the backend is there"));
    for k in 0..40 {
        let turn = Quat::from_rotation_y(0.035 * k as f32) * Quat::from_rotation_z(0.03 * (k % 7) as f32);
        let velocity = turn * Vec3::X * 1000.0;
        let spin = Vec3::new(0.0, 30.0, 500.0) * (k % 3) as f32;
        let bullet = Obb::new(velocity * -0.008, Vec3::splat(0.005), turn);
        let motions = [Motion::linear(velocity).turning(spin), Motion::REST];
        let found = swept(&[bullet, plate], &motions, 1.0 / 60.0);
        assert_eq!(found.impacts.len(), 1, "{k}");
        let first = &found.impacts[0].first;
        assert!(
            first.time <= 0.008 && first.time > 0.0075 && first.state == ImpactState::Impact,
            "{k}: {first:?}"
        );
        assert!(first.normal.x > 0.999 && first.point.x.abs() < 0.001, "{k}: {first:?}");
        for checker in &mut checkers {
            let scene = checker.prepare(&[plate]).expect("the plate is valid");
            let set = MovingSet::new(std::slice::from_ref(&bullet), &motions[..1]);
            let found = checker.check(Sweep::against(&scene, set, &Step::new(1.0 / 60.0)));
            let time = found.expect("the bullet is valid").impacts[0].first.time;
            assert!((time - first.time).abs() < 1e-8, "{k}: {time}, {first:?}");
        }
    }
}

#[test]
fn m2_swept_bounds_contain_the_whole_path_tightly() {
    let unit = |center| Obb::axis_aligned(center, Vec3::splat(0.5));
    // Thrown up at 10 m/s, a box turns back at 5 m: it reaches 5.5 m, and is back after 2 s.
    let thrown = Motion::linear(Vec3::Z * 10.0).accelerated(Vec3::Z * -10.0);
    let rest = Motion::REST;
    let candidates = |center, motion, dt| {
        let found = swept(&[unit(Vec3::ZERO), unit(center)], &[motion, rest], dt);
        (found.candidate_pairs, found.impacts.len())
    };
    assert_eq!(candidates(Vec3::Z * 5.75, thrown, 2.0), (1, 1));
    assert_eq!(candidates(Vec3::Z * 6.001, thrown, 2.0), (0, 0));
    let straight = Motion::linear(Vec3::X * 3.0);
    assert_eq!(candidates(Vec3::X * 3.9, straight, 1.0), (1, 1));
    assert_eq!(candidates(Vec3::X * 4.001, straight, 1.0), (0, 0));
    // A rotating box stays within its diagonal, and reaches it.
    let spinning = rest.turning(Vec3::Z);
    assert_eq!(candidates(Vec3::X * 1.2, spinning, 1.0), (1, 1));
    assert_eq!(candidates(Vec3::X * 1.37, spinning, 1.0).1, 0);
    // Known only to within an acceleration of 4: after a second, 2 m around.
    let uncertain = straight.uncertain(4.0);
    assert_eq!(candidates(Vec3::X * 5.9, uncertain, 1.0).0, 1);
    assert_eq!(candidates(Vec3::X * 6.01, uncertain, 1.0), (0, 0));
}

#[test]
fn m3_impacts_come_earliest_first() {
    let boxes: Vec<Obb> = (0..6)
        .map(|k| Obb::axis_aligned(Vec3::X * (3.0 * k as f32), Vec3::splat(0.5)))
        .collect();
    let mut motions = vec![Motion::REST; 6];
    motions[5] = Motion::linear(Vec3::X * -4.0);
    let found = swept(&boxes, &motions, 10.0);
    let times: Vec<f64> = found.impacts.iter().map(|impact| impact.first.time).collect();
    // 2 m to the first, 3 more to each of the others.
    assert_eq!(times.len(), 5);
    for (time, distance) in times.iter().zip([2.0, 5.0, 8.0, 11.0, 14.0]) {
        assert!(*time <= distance / 4.0 && *time > distance / 4.0 - 1e-5, "{times:?}");
    }
    let partners: Vec<u32> = found.impacts.iter().map(|impact| impact.pair.a).collect();
    assert_eq!(partners, [4, 3, 2, 1, 0]);
    assert_eq!(found.earliest(), [Some(4), Some(3), Some(2), Some(1), Some(0), Some(0)]);

    // A rod turns by an eighth until its end reaches the other box.
    let rod = Obb::axis_aligned(Vec3::ZERO, Vec3::new(2.0, 0.0, 0.1));
    let wall = Obb::axis_aligned(Vec3::new(0.0, 2f32.sqrt() + 1.0, 0.0), Vec3::ONE * 5.0 - Vec3::Y * 4.0);
    let turning = [Motion::REST.turning(Vec3::Z), Motion::REST];
    let found = swept(&[rod, wall], &turning, 2.0);
    let first = &found.impacts[0].first;
    let eighth = std::f64::consts::FRAC_PI_4;
    assert!(first.time <= eighth + 1e-6 && first.time > eighth - 1e-3, "{first:?}");
    assert!(
        first.normal.y > 0.99 && (first.point.y - 2f64.sqrt()).abs() < 1e-3,
        "{first:?}"
    );
}

#[test]
fn m4_swept_balls_meet_in_closed_form() {
    let balls = [Sphere::new(Vec3::ZERO, 2.0), Sphere::new(Vec3::new(9.0, 4.0, 0.0), 3.0)];
    let towards = [Vec3::X * 2.0, Vec3::X * -4.0];
    // A 3-4-5 triangle: they touch when 3 is left of the 9.
    let first = balls[0].impact(&balls[1], towards, 2.0).expect("they meet");
    assert!(first.time <= 1.0 && first.time > 1.0 - 2e-6, "{first:?}");
    assert!((first.normal - DVec3::new(0.6, 0.8, 0.0)).length() < 1e-5, "{first:?}");
    assert!(balls[0].impact(&balls[1], towards, 1.0).is_some());
    assert!(balls[0].impact(&balls[1], towards, 1f64.next_down()).is_none());
    // The volume that one sweeps, against a sphere at rest.
    let swept = balls[0].swept(Vec3::X * 2.0, 3.0);
    assert_eq!(swept, SweptSphere::new([Vec3::ZERO, Vec3::X * 6.0], 2.0));
    assert_eq!(
        swept.contact_sphere(&Sphere::new(Vec3::new(9.0, 4.0, 0.0), 3.0)),
        Contact::Touching
    );
    assert_eq!(
        swept.contact(&SweptSphere::new(
            [Vec3::new(3.0, -9.0, 4.0), Vec3::new(3.0, 9.0, 4.0)],
            2.0
        )),
        Contact::Touching
    );
    let block = Obb::axis_aligned(Vec3::new(3.0, 4.0, 0.0), Vec3::new(1.0, 2.0, 1.0));
    assert_eq!(swept.contact_box(&block), Contact::Touching);
    let turned = Obb::new(block.center, block.half_extents, Quat::from_rotation_z(0.1));
    assert_eq!(swept.contact_box(&turned), Contact::Overlapping);
    assert_eq!(balls[0].contact_box(&turned), Contact::Separated);
}

#[test]
fn m4_balls_and_capsules_are_swept_in_scenes() {
    let floor = [Obb::axis_aligned(Vec3::ZERO, Vec3::new(50.0, 50.0, 1.0))];
    let post = [Capsule::new(Vec3::new(9.0, 0.0, 10.0), 6.0, Quat::IDENTITY, 1.0)];
    let balls = [
        Sphere::new(Vec3::new(0.0, 0.0, 9.0), 2.0),
        Sphere::new(Vec3::new(0.0, 40.0, 9.0), 2.0),
    ];
    let bodies = Bodies {
        boxes: &floor,
        capsules: &post,
        spheres: &balls,
    };
    // One flies into the side of the post, the other falls.
    let past = Motion::linear(Vec3::new(9.0, 3.0, 0.0)).turning(Vec3::X);
    let falls = Motion::REST.accelerated(Vec3::Z * -12.0);
    let motions = [Motion::REST, Motion::REST, past, falls];
    for config in [on_gpu(), on_cpu()] {
        let mut checker = Checker::new(config).expect("the backend is there");
        let found = checker
            .check(Sweep::new(MovingSet::new(bodies, &motions), &Step::new(1.0)))
            .expect("valid motions");
        let pairs: Vec<Pair> = found.impacts.iter().map(|impact| impact.pair).collect();
        assert_eq!(pairs, [Pair::new(1, 2), Pair::new(0, 3)]);
        let [post, floor] = [found.impacts[0].first, found.impacts[1].first];
        assert!(
            post.normal.z.abs() < 1e-9 && post.time <= 0.8 && post.time > 0.799_99,
            "{post:?}"
        );
        // 9 - 2 - 1 = 6 m at 12 m/s².
        assert!(floor.time <= 1.0 && floor.time > 0.999, "{floor:?}");
        assert!((floor.normal - DVec3::Z).length() < 1e-6, "{floor:?}");
    }
    // A sweep recorded in an encoder of the caller.
    let mut checker = GpuChecker::open(Config::default()).expect("an adapter");
    let buffers = [checker.upload_bodies(bodies), checker.upload(&motions)].map(|buffer| buffer.expect("memory"));
    let mut encoder = checker.device().create_command_encoder(&Default::default());
    let query = SweepQuery::bodies(&buffers[0], &buffers[1], bodies.into(), 1.0);
    let found = checker.record(&mut encoder, query).expect("valid motions");
    checker.queue().submit([encoder.finish()]);
    let earliest: Vec<EarliestImpact> = checker.read(&found.earliest, 4).expect("a buffer");
    assert_eq!(earliest.iter().map(|own| own.partner).collect::<Vec<_>>(), [3, 2, 1, 0]);
    assert!(earliest[2].time <= 0.8 && earliest[2].time > 0.799, "{earliest:?}");
}

#[test]
fn m10_boxes_bounce_stop_and_go_back() {
    let mut boxes: Vec<Obb> = (0..3)
        .map(|k| Obb::axis_aligned(Vec3::X * (3.0 * k as f32), Vec3::splat(0.5)))
        .collect();
    let masses: Vec<Mass> = boxes.iter().map(|obb| Mass::of(obb, 2.0)).collect();
    let start = [Motion::linear(Vec3::X * 9.0), Motion::REST, Motion::REST];
    let how = Advance {
        dt: 1.0,
        skin: 1e-4,
        limit: 20,
        rules: Rules::default(),
    };
    let mut checker = Checker::new(on_cpu()).expect("the CPU is always there");

    let mut motions = start;
    let mut stopped = boxes.clone();
    let done = advance(&mut checker, &mut stopped, &mut motions, &how, |impact, partners| {
        stop(partners, &impact.first)
    });
    assert_eq!((done.expect("valid boxes").impacts, motions), (1, [Motion::REST; 3]));
    assert!(stopped[0].center.x < 2.0 && stopped[0].center.x > 1.999, "{stopped:?}");

    let safe = boxes.clone();
    motions = start;
    let done = advance(&mut checker, &mut boxes, &mut motions, &how, |impact, partners| {
        let ids = [impact.pair.a as usize, impact.pair.b as usize];
        let partner = |k: usize| Partner {
            body: partners[k].0.into(),
            motion: partners[k].1,
            mass: &masses[ids[k]],
        };
        bounce([partner(0), partner(1)], &impact.first, 1.0)
    });
    // The last body receives all momentum if the points of contact are in the middle of the faces.
    assert_eq!(done.expect("valid boxes").impacts, 2);
    let energy: f64 = (0..3)
        .map(|k| {
            kinetic_energy(&Partner {
                body: (&boxes[k]).into(),
                motion: &motions[k],
                mass: &masses[k],
            })
        })
        .sum();
    assert!((energy - 81.0).abs() < 1e-3, "{energy}");
    assert!(
        checker
            .check(&boxes)
            .expect("valid boxes")
            .pairs()
            .expect("asked for")
            .is_empty()
    );

    // A body that would end inside another goes back, and so does one that took its place.
    let mut wanted = safe.clone();
    wanted[1].center.x = 6.5;
    wanted[0].center.x = 3.0;
    let back = roll_back(&mut checker, Rules::default(), &safe, &mut wanted).expect("valid boxes");
    assert_eq!((wanted, back), (safe, vec![true, true, false]));
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
        let set = Set::from(&boxes).with(rules);
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
