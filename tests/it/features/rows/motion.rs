//! The rows about motion.

use obbligato::glam::{DVec3, Quat, Vec3, Vec4};
use obbligato::query::Sweep;
use obbligato::response::{Advance, Mass, Partner, advance, bounce, kinetic_energy, roll_back, stop};
use obbligato::{
    Bodies, Capsule, Checker, Config, Obb, Pair, Rules, Set, Sphere,
    contact::Contact,
    motion::{ImpactState, Impacts, Motion, MovingSet, Step},
    region::{Frustum, Region},
    shape::{Aabb, SweptSphere},
};
use obbligato::{
    GpuChecker,
    gpu::{EarliestImpact, SweepQuery},
};
use obbligato_verify::reference::colliding_pairs;
use obbligato_verify::scenes::Scene;

use crate::features::{on_cpu, on_gpu};

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
