//! Capsules and spheres in rooms on the GPU: against rational arithmetic and against the CPU, in
//! pieces, and recorded.

use obbligato::glam::{DQuat, DVec3, Quat, Vec3};
use obbligato::query::Containment;
use obbligato::unstable::gpu::dispatches_of;
use obbligato::{
    Bodies, Capsule, Config, Error, GpuChecker, GpuConfig, Sphere,
    error::BoxProblem,
    region::{Enclosure, Room},
    shape::{BodyRef, OwnedBodies},
    wgpu,
};
use obbligato_verify::reference::body_enclosure;
use obbligato_verify::scenes::BodyScene;

use crate::body_contacts::{Body, Random};
use crate::rooms::{expect_no_miss, recorded};
use crate::support::gpu::{cpu, device, gpu, gpu_with};

/// A room, and its geometry in `f64`.
struct Known {
    room: Room,
    center: DVec3,
    half: DVec3,
    turn: DQuat,
    offset: Vec3,
    factor: f32,
}

impl Known {
    /// With integers or not, aligned or rotated, near and far, tiny and huge.
    fn new(case: u64, random: &mut Random) -> Self {
        let offset = match case % 5 {
            0 => Vec3::new(4096.0, -8192.0, 1024.0) * (1.0 + 30.0 * random.unit()).round() as f32,
            _ => Vec3::ZERO,
        };
        let factor = match case % 7 {
            0 => 2f32.powi(-100),
            1 => 2f32.powi(40),
            _ => 1.0,
        };
        let half = (random.vector(3.0).abs() + Vec3::ONE) * factor;
        let center = (random.vector(1.0) + offset) * factor;
        let turn = match case % 3 {
            0 => Quat::IDENTITY,
            _ => random.rotation(),
        };
        let (low, high) = (center - half, center + half);
        let room = Room::new(low, high).and_then(|room| room.turned(turn));
        Self {
            room: room.expect("a room"),
            center: (low.as_dvec3() + high.as_dvec3()) / 2.0,
            half: (high.as_dvec3() - low.as_dvec3()) / 2.0,
            turn: turn.as_dquat().normalize(),
            offset,
            factor,
        }
    }

    /// The approximate radius with which a core touches one of six walls, or else the room. The
    /// core is a segment to either side of its center.
    fn radius(&self, center: DVec3, half: DVec3, what: usize) -> f64 {
        let [p, along] = [center - self.center, half].map(|v| self.turn.inverse() * v);
        if what < 6 {
            let (k, side) = (what / 2, [1.0, -1.0][what % 2]);
            return (self.half[k] + side * p[k] - along[k].abs()).max(0.0);
        }
        let away = |t: f64| ((p + t * along).abs() - self.half).max(DVec3::ZERO).length();
        // The distance is convex along the segment.
        let (mut low, mut high) = (-1.0, 1.0);
        for _ in 0..80 {
            let [a, b] = [(2.0 * low + high) / 3.0, (low + 2.0 * high) / 3.0];
            (low, high) = if away(a) < away(b) { (low, b) } else { (a, high) };
        }
        away((low + high) / 2.0)
    }
}

/// Bodies around a room: arbitrary ones, and round ones that nearly touch the room or one of its
/// walls.
fn bodies_about(known: &Known, count: usize, random: &mut Random) -> OwnedBodies {
    let mut bodies = OwnedBodies::default();
    for i in 0..count {
        let body = random.body().mapped(known.offset, known.factor);
        let radius = |core: DVec3, radius: f32| {
            let touching = known.radius(body.center(), core, i / 3 % 10) as f32;
            let below = touching.next_down().max(0.0);
            // Of every three, the first has an arbitrary radius.
            match i % 3 {
                0 => radius,
                _ => [touching, touching.next_up(), below, touching * 1.00001][i / 30 % 4],
            }
        };
        match body {
            Body::Box(obb) => bodies.boxes.push(obb),
            Body::Capsule(mut capsule) => {
                let core = capsule.rotation.as_dquat().normalize() * DVec3::Z * f64::from(capsule.half_length);
                capsule.radius = radius(core, capsule.radius);
                bodies.capsules.push(capsule);
            }
            Body::Sphere(ball) => {
                let radius = radius(DVec3::ZERO, ball.radius);
                bodies.spheres.push(Sphere { radius, ..ball });
            }
        }
    }
    bodies
}

/// The expected answers by rational arithmetic, except for boxes, which `rooms.rs` tests.
fn truth(room: &Room, bodies: Bodies<'_>) -> Vec<Enclosure> {
    (0..bodies.len() as u32)
        .map(|id| match bodies.at(id) {
            BodyRef::Box(obb) => room.enclosure(obb),
            other => body_enclosure(room, other),
        })
        .collect()
}

#[track_caller]
fn expect_same(what: &str, bodies: Bodies<'_>, expected: &[Enclosure], found: &[Enclosure]) {
    assert_eq!(expected.len(), found.len(), "{what}");
    for (i, (expected, found)) in expected.iter().zip(found).enumerate() {
        assert_eq!(expected, found, "{what}: body {i}, {:?}", bodies.at(i as u32));
    }
}

/// Limits with which a binding holds 16 boxes or capsules, or 48 spheres, and 20 bodies are
/// uploaded at a time.
fn pieces() -> GpuConfig {
    GpuConfig {
        max_buffer_bytes: Some(960),
        max_workgroups_per_dimension: Some(1),
        ..GpuConfig::default()
    }
}

#[test]
fn enclosures_on_the_gpu_match_exact_fractions() {
    let checked = GpuConfig {
        shader_checks: true,
        ..GpuConfig::default()
    };
    let mut checkers = [
        ("the CPU", cpu(Config::default())),
        ("the GPU", gpu(Config::default())),
        ("in pieces", gpu_with(pieces())),
        ("with shader checks", gpu_with(checked)),
    ];
    let (mut states, mut masks) = ([0; 3], [0; 64]);
    for case in 0..140 {
        let mut random = Random::new(case);
        let known = Known::new(case, &mut random);
        let bodies = bodies_about(&known, 150, &mut random);
        let expected = truth(&known.room, bodies.all());
        for found in &expected[bodies.boxes.len()..] {
            states[found.state as usize] += 1;
            masks[usize::from(found.walls)] += 1;
        }
        for (how, checker) in &mut checkers {
            let found = checker
                .check(Containment::new(&known.room, bodies.all()))
                .expect("valid bodies");
            expect_same(&format!("case {case}, {how}"), bodies.all(), &expected, &found);
        }
    }
    assert!(states.iter().all(|&count| count > 500), "{states:?}");
    assert!(masks.iter().all(|&count| count > 0), "{masks:?}");
}

#[test]
fn thin_bodies_and_nearly_flat_rooms_match_exact_fractions() {
    let mut checkers = [cpu(Config::default()), gpu(Config::default())];
    let tiny = f32::from_bits(1);
    let mut states = [0; 3];
    for high in [
        Vec3::splat(10.0),
        Vec3::new(10.0, 10.0, tiny),
        Vec3::new(10.0, 1e-30, 1e-30),
        Vec3::splat(tiny),
        Vec3::splat(5e17),
    ] {
        let aligned = Room::new(Vec3::ZERO, high).expect("a room");
        let turned = aligned.turned(Quat::from_rotation_x(0.7)).expect("a room");
        let mut bodies = OwnedBodies::default();
        // At a corner, an edge and a wall, inside, and beyond.
        for place in [
            Vec3::ONE,
            Vec3::new(1.0, 1.0, 0.5),
            Vec3::new(1.0, 0.5, 0.5),
            Vec3::splat(0.5),
            Vec3::new(2.0, 0.5, 0.5),
        ] {
            let center = place * high;
            for radius in [0.0, tiny, 1e-30, 0.5] {
                bodies.spheres.push(Sphere::new(center, radius));
                for half_length in [0.0, -0.0, tiny, 1e-20, 3.0] {
                    let turns = [
                        Quat::IDENTITY,
                        Quat::from_xyzw(0.5, 0.5, 0.5, 0.5),
                        Quat::from_rotation_x(0.7),
                    ];
                    let capsules = turns.map(|turn| Capsule::new(center, half_length, turn, radius));
                    bodies.capsules.extend(capsules);
                }
            }
        }
        for room in [aligned, turned] {
            let expected = truth(&room, bodies.all());
            for found in &expected {
                states[found.state as usize] += 1;
            }
            for checker in &mut checkers {
                let found = checker
                    .check(Containment::new(&room, bodies.all()))
                    .expect("valid bodies");
                expect_same(&format!("{room:?}"), bodies.all(), &expected, &found);
            }
        }
    }
    assert!(states.iter().all(|&count| count > 50), "{states:?}");
}

/// Rooms that cut through a scene: an aligned one with walls that bodies on a lattice touch, and a
/// rotated one.
fn rooms_in(bodies: Bodies<'_>) -> [Room; 2] {
    let ids = 0..bodies.len() as u32;
    let high = ids.fold(Vec3::ONE, |high, id| high.max(bodies.at(id).center().abs()));
    let half = (high / 2.0).round();
    [Quat::IDENTITY, Quat::from_rotation_y(0.6)].map(|turn| Room::oriented(Vec3::ZERO, half, turn).expect("a room"))
}

#[test]
fn scenes_of_bodies_on_the_gpu_match_the_cpu() {
    let checker = &mut gpu(Config::default());
    for scene in BodyScene::OTHERS {
        let bodies = scene.bodies(5001, 3);
        for room in rooms_in(bodies.all()) {
            let expected = room.enclosures(bodies.all()).expect("valid bodies");
            let found = checker
                .check(Containment::new(&room, bodies.all()))
                .expect("valid bodies");
            expect_same(&format!("{scene:?}"), bodies.all(), &expected, &found);
            let found =
                pollster::block_on(checker.check_async(Containment::new(&room, bodies.all()))).expect("valid bodies");
            expect_same(&format!("{scene:?}, async"), bodies.all(), &expected, &found);
        }
    }
}

#[test]
fn absent_kinds_cost_nothing() {
    let bodies = BodyScene::MixedKinds.bodies(600, 2);
    let all = bodies.all();
    let room = Room::new(Vec3::ZERO, Vec3::ONE).expect("a room");
    let kernels = ["enclosures_of_boxes", "enclosures_of_capsules", "enclosures_of_balls"];
    for wanted in 0..8usize {
        let has = |kind: usize| wanted >> kind & 1 != 0;
        let some = Bodies {
            boxes: if has(0) { all.boxes } else { &[] },
            capsules: if has(1) { all.capsules } else { &[] },
            spheres: if has(2) { all.spheres } else { &[] },
        };
        let mut checker = gpu(Config::default());
        let (found, dispatched) = dispatches_of(|| checker.check(Containment::new(&room, some)).expect("valid bodies"));
        assert_eq!(found.len(), some.len());
        let expected: Vec<_> = (0..3).filter(|&kind| has(kind)).map(|kind| kernels[kind]).collect();
        assert_eq!(dispatched, expected);
    }
}

#[test]
fn bad_round_bodies_are_named() {
    let bodies = BodyScene::MixedKinds.bodies(600, 1);
    let room = Room::new(Vec3::ZERO, Vec3::ONE).expect("a room");
    let good = cpu(Config::default())
        .check(Containment::new(&room, bodies.all()))
        .expect("valid bodies");
    let [boxes, capsules] = [bodies.boxes.len(), bodies.capsules.len()];
    let mut bad = bodies.clone();
    bad.capsules[70].radius = -1.0;
    bad.capsules[75].rotation = Quat::from_xyzw(0.0, 0.0, 0.0, 1.1);
    bad.capsules[80].half_length = f32::NAN;
    bad.spheres[3].center.z = f32::INFINITY;
    let mut bad_balls = bodies.clone();
    bad_balls.spheres[120].radius = -1e-40;
    bad_balls.spheres[130].center.x = -2e18;
    let mut lengths = bodies.clone();
    lengths.capsules[0].half_length = -1e-40;
    let expected = [
        (bad, boxes + 70, BoxProblem::NegativeRadius, 3),
        (bad_balls, boxes + capsules + 120, BoxProblem::NegativeRadius, 2),
        (lengths, boxes, BoxProblem::NegativeExtent, 1),
    ];
    for checker in [
        &mut cpu(Config::default()),
        &mut gpu(Config::default()),
        &mut gpu_with(pieces()),
    ] {
        for (bad, at, what, of) in &expected {
            match checker.check(Containment::new(&room, bad.all())) {
                Err(
                    Error::InvalidBox { index, problem, count }
                    | Error::InvalidBody {
                        index, problem, count, ..
                    },
                ) => {
                    assert_eq!((index, problem, count), (*at, *what, *of));
                }
                other => panic!("{:?}", other.map(|found| found.len())),
            }
        }
        let found = checker
            .check(Containment::new(&room, bodies.all()))
            .expect("valid bodies");
        expect_same("afterwards", bodies.all(), &good, &found);
    }
}

#[test]
fn recorded_rooms_of_bodies_miss_nothing() {
    let device = device(wgpu::Features::empty(), wgpu::Limits::default());
    let small = Config {
        gpu: pieces(),
        ..Config::default()
    };
    let [mut whole, mut in_pieces] =
        [Config::default(), small].map(|config| GpuChecker::new(&device.0, &device.1, config).expect("a checker"));
    let mut open = [0; 2];
    for case in 0..60 {
        let mut random = Random::new(case);
        let known = Known::new(case, &mut random);
        let bodies = bodies_about(&known, 200, &mut random);
        let room = &known.room;
        let bits = recorded(&mut whole, &device, room, bodies.all());
        let same = recorded(&mut in_pieces, &device, room, bodies.all());
        assert!(bits == same, "case {case}: in pieces");
        let [boxes, round] = [bodies.boxes.len(), bodies.boxes.len() + bodies.capsules.len()];
        assert!(recorded(&mut whole, &device, room, &bodies.boxes) == bits[..boxes]);
        assert!(recorded(&mut whole, &device, room, &bodies.capsules) == bits[boxes..round]);
        assert!(recorded(&mut whole, &device, room, &bodies.spheres) == bits[round..]);
        for (i, (bits, truth)) in bits.into_iter().zip(truth(room, bodies.all())).enumerate() {
            let what = format!("case {case}, body {i}: {:?}", bodies.all().at(i as u32));
            let undecided = expect_no_miss(&what, bits, truth);
            open[usize::from(case % 7 == 0)] += usize::from(undecided);
        }
    }
    assert!(
        open[0] > 300,
        "{open:?}: bodies that nearly touch show what f32 cannot decide"
    );

    let bodies = BodyScene::MixedKinds.bodies(30_000, 8);
    let mut thin = bodies.clone();
    thin.capsules.iter_mut().for_each(|capsule| capsule.radius = 0.0);
    thin.spheres.iter_mut().for_each(|ball| ball.radius = 0.0);
    let [_, room] = rooms_in(bodies.all());
    // The place where a segment of radius 0 is closest to the room is the place where it enters, if
    // its center is outside.
    for (bodies, most) in [(bodies, 30), (thin, 60)] {
        let bits = recorded(&mut whole, &device, &room, bodies.all());
        let undecided = bits.iter().filter(|&bits| bits & Enclosure::UNDECIDED != 0).count();
        assert!(undecided < most, "{undecided} of 30,000 bodies are undecided");
    }

    let bad = [1.0, -1.0].map(|radius| Capsule::new(Vec3::ONE, 1.0, Quat::IDENTITY, radius));
    let bits = recorded(&mut whole, &device, &room, &bad);
    let invalid: Vec<bool> = bits.iter().map(|bits| bits & Enclosure::INVALID != 0).collect();
    assert_eq!(invalid, [false, true]);
}
