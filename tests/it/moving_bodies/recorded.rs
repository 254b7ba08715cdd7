//! Recorded sweeps of boxes, capsules and spheres: they list all that the host's sweep lists and
//! nothing that passes by, at times that are not late, and hardly early.

use obbligato::glam::{DQuat, DVec3, Quat, Vec3};
use obbligato::query::Sweep;
use obbligato::{
    Bodies, Capsule, Config, Error, GpuConfig, Obb, Pair, Rules, Sphere,
    motion::{Motion, MovingSet, Step, time_of_impact},
    shape::BodyRef,
};
use obbligato::{
    GpuChecker,
    gpu::{EarliestImpact, ImpactRecord, Outcome, RulesOf, SweepQuery},
    shape::BodyCounts,
};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference::bodies_meet;

use super::{motions, vector};
use crate::bodies::Scene;
use crate::support::gpu::{cpu, gpu_checker};
use crate::sweeping::recorded::expect_earliest;

/// The results of a recorded sweep, by pairs.
struct Left {
    outcome: Outcome,
    impacts: Vec<ImpactRecord>,
    earliest: Vec<EarliestImpact>,
}

impl Left {
    fn of(&self, pair: Pair) -> Option<&ImpactRecord> {
        let place = self
            .impacts
            .binary_search_by_key(&pair, |impact| Pair::new(impact.a, impact.b));
        place.ok().map(|place| &self.impacts[place])
    }
}

fn record(checker: &mut GpuChecker, set: &MovingSet, dt: f32) -> Left {
    let count = set.bodies.len() as u32;
    let bodies = checker.upload_bodies(set.bodies).expect("memory");
    let motions = checker.upload(set.motions).expect("memory");
    let rules = checker.upload_rules(RulesOf::boxes(&set.rules, count)).expect("rules");
    let mut encoder = checker.device().create_command_encoder(&Default::default());
    let query = SweepQuery::bodies(&bodies, &motions, set.bodies.into(), dt).with(&rules);
    let recorded = checker.record(&mut encoder, query).expect("a recorded sweep");
    checker.queue().submit([encoder.finish()]);
    let outcome: Outcome = checker.read(&recorded.outcome, 1).expect("an outcome")[0];
    let mut impacts: Vec<ImpactRecord> = checker.read(&recorded.impacts, outcome.pairs).expect("impacts");
    impacts.sort_by_key(|impact| (impact.a, impact.b));
    Left {
        impacts,
        earliest: checker.read(&recorded.earliest, count).expect("the earliest"),
        outcome,
    }
}

fn open() -> GpuChecker {
    gpu_checker(Config::default())
}

/// A sum of lengths of the body that is at least that of the box around it, and the center.
fn lengths(body: BodyRef<'_>) -> (f32, Vec3) {
    match body {
        BodyRef::Box(obb) => (obb.half_extents.element_sum(), obb.center),
        BodyRef::Capsule(capsule) => (capsule.half_length + 3.0 * capsule.radius, capsule.center),
        BodyRef::Sphere(sphere) => (3.0 * sphere.radius, sphere.center),
    }
}

/// The time of impact of two bodies, one of which is round, if that one is enlarged by the error of
/// `f32`: four times the error bound, which applies both to a gap and to the rate at which it
/// closes.
fn impact_of_thicker(bodies: [BodyRef<'_>; 2], motions: [&Motion; 2], step: &Step) -> Option<f64> {
    let [(size_a, at_a), (size_b, at_b)] = bodies.map(lengths);
    let size = (at_b - at_a).abs().element_sum() + size_a + size_b;
    let way = |motion: &Motion| motion.velocity.abs().element_sum() * step.dt as f32;
    let error = 4.0 * (size / 16384.0 + (way(motions[0]) + way(motions[1])) / 131_072.0);
    let (capsule, ball);
    let thicker = match bodies.iter().rfind(|body| !matches!(body, BodyRef::Box(_))) {
        Some(BodyRef::Capsule(of)) => {
            capsule = Capsule::new(of.center, of.half_length, of.rotation, of.radius + error);
            BodyRef::Capsule(&capsule)
        }
        Some(BodyRef::Sphere(of)) => {
            ball = Sphere::new(of.center, of.radius + error);
            BodyRef::Sphere(&ball)
        }
        _ => panic!("two boxes"),
    };
    let others = match bodies[1] {
        BodyRef::Box(_) => [thicker, bodies[1]],
        _ => [bodies[0], thicker],
    };
    time_of_impact(others, motions, step).map(|impact| impact.time)
}

/// Records over one, two and three bindings, cut among boxes, capsules and spheres, and at the
/// start of each kind: the same numbers as in one binding.
#[test]
fn recorded_sweeps_over_several_bindings_match_a_single_one() {
    /// The number of records in a binding of 64 KiB. Three of them are full at three times that.
    const FULL: usize = 672;
    let small = GpuConfig {
        max_buffer_bytes: Some(1 << 16),
        initial_pairs: 4000,
        ..GpuConfig::default()
    };
    let small = Config {
        gpu: small,
        ..Config::default()
    };
    let (mut few, mut one) = (gpu_checker(small), open());
    for counts in [
        [FULL, 0, 0],
        [FULL + 1, 0, 0],
        [0, 0, FULL + 1],
        [0, 2 * FULL - 1, 0],
        [FULL, FULL, FULL],
        [FULL - 5, 11, 2 * FULL - 6],
        [1, 700, 800],
        [700, 1, 1000],
        [1400, 100, 500],
    ] {
        let count: usize = counts.iter().sum();
        let scene = Scene::random(count as u64, counts, 4.0 * (count as f64).cbrt(), false);
        let motions = motions(count, 3, false);
        let set = MovingSet::new(scene.bodies(), &motions);
        let [expected, found] = [&mut one, &mut few].map(|checker| record(checker, &set, 0.1));
        let what = format!("{counts:?}");
        assert_eq!((found.outcome.fits, found.outcome.suspects), (1, 0), "{what}");
        assert!(expected.impacts.len() > 100, "{what}: {}", expected.impacts.len());
        assert_eq!(found.impacts, expected.impacts, "{what}");
        assert_eq!(found.earliest, expected.earliest, "{what}");
    }
    let boxes = few
        .upload(&vec![Obb::axis_aligned(Vec3::ZERO, Vec3::ONE); 3 * FULL + 1])
        .expect("memory");
    let motions = few.upload(&vec![Motion::REST; 3 * FULL + 1]).expect("memory");
    let mut encoder = few.device().create_command_encoder(&Default::default());
    let error = few.record(
        &mut encoder,
        SweepQuery::new(&boxes, &motions, 3 * FULL as u32 + 1, 1.0),
    );
    assert!(matches!(error, Err(Error::LimitExceeded { .. })), "{error:?}");
}

/// Asserts that impacts with a round body in straight motion are no earlier than those of slightly
/// thicker bodies, and that the flags name bodies in other motion. Returns the number of the
/// former.
fn expect_tight(set: &MovingSet<'_>, step: &Step, impacts: &[ImpactRecord], what: &str) -> usize {
    let mut round = 0;
    for impact in impacts {
        let of = |k: u32| (set.bodies.at(k), &set.motions[k as usize]);
        let ((a, motion_a), (b, motion_b)) = (of(impact.a), of(impact.b));
        // Spheres do not turn.
        let curved = [(a, motion_a), (b, motion_b)].iter().any(|(body, motion)| match body {
            BodyRef::Sphere(_) => !motion.turning(Vec3::ZERO).is_straight(),
            _ => !motion.is_straight(),
        });
        assert_eq!(impact.flags, u32::from(curved), "{what}: {impact:?}");
        if !curved && !matches!((a, b), (BodyRef::Box(_), BodyRef::Box(_))) {
            let thicker = impact_of_thicker([a, b], [motion_a, motion_b], step);
            let least =
                thicker.unwrap_or_else(|| panic!("{what}: {impact:?} pass by: {a:?} {b:?} {motion_a:?} {motion_b:?}"));
            let time = f64::from(impact.time) * step.dt;
            assert!(time >= least - 2e-6, "{what}: {impact:?} but {least}");
            round += 1;
        }
    }
    round
}

#[test]
fn m4_recorded_sweeps_of_bodies_miss_nothing_and_add_nothing() {
    let mut checker = open();
    let mixtures = [
        [40, 40, 80],
        [0, 0, 300],
        [0, 120, 0],
        [3, 1, 150],
        [60, 60, 0],
        [9, 0, 0],
        [0, 0, 1],
    ];
    let (mut exact, mut listed, mut round) = (0, 0, 0);
    for (case, counts) in mixtures.into_iter().enumerate() {
        for (whole, straight) in [(true, true), (false, true), (false, false)] {
            let seed = 40 + case as u64;
            let scene = Scene::random(seed, counts, 24.0, whole);
            let bodies = scene.bodies();
            let mut motions = motions(bodies.len(), seed, whole);
            if straight {
                motions
                    .iter_mut()
                    .for_each(|motion| *motion = Motion::linear(motion.velocity));
            }
            let owners: Vec<u32> = (0..bodies.len() as u32).map(|k| k / 2).collect();
            let rules = Rules {
                owners: Some(&owners),
                ..Rules::default()
            };
            let (set, dt) = (MovingSet::new(bodies, &motions).with(rules), 0.5f32);
            let step = Step::new(dt.into());
            let expected = cpu(Config::default())
                .check(Sweep::new(set, &step))
                .expect("valid motions");
            let left = record(&mut checker, &set, dt);
            let what = format!("{counts:?}, whole {whole}, straight {straight}");
            assert_eq!((left.outcome.fits, left.outcome.suspects), (1, 0), "{what}");
            for impact in &expected.impacts {
                let found = left
                    .of(impact.pair)
                    .unwrap_or_else(|| panic!("{what}: {:?} is missing", impact.pair));
                let time = f64::from(found.time) * step.dt;
                assert!(time <= impact.first.time, "{what}: {impact:?}, not {time}");
            }
            exact += expected.impacts.len();
            let owner = |k: u32| owners[k as usize];
            assert!(
                left.impacts.iter().all(|impact| owner(impact.a) != owner(impact.b)),
                "{what}"
            );
            round += expect_tight(&set, &step, &left.impacts, &what);
            listed += left.impacts.len();
            expect_earliest(&left.earliest, &left.impacts, &what);
        }
    }
    println!("{exact} meet, {listed} listed");
    assert!(
        exact > 3_000 && round > 2_000 && listed < 2 * exact,
        "{exact} meet, {listed} listed, {round} round"
    );
}

/// The point of a body that is furthest from its center in a direction of length 1.
fn support(body: BodyRef<'_>, direction: DVec3) -> DVec3 {
    let corner = |rotation: Quat, half: Vec3| {
        let rotation = DQuat::from_array(rotation.to_array().map(f64::from)).normalize();
        let own = rotation.inverse() * direction;
        // Along an edge or a face any point is valid.
        let sign = own.to_array().map(|x| if x.abs() < 1e-9 { 0.0 } else { x.signum() });
        rotation * (DVec3::from(sign) * half.as_dvec3())
    };
    match body {
        BodyRef::Box(obb) => corner(obb.rotation, obb.half_extents),
        BodyRef::Capsule(of) => corner(of.rotation, Vec3::Z * of.half_length) + direction * f64::from(of.radius),
        BodyRef::Sphere(sphere) => direction * f64::from(sphere.radius),
    }
}

/// A body of any kind.
#[derive(Clone, Copy)]
enum Shape {
    Box(Obb),
    Capsule(Capsule),
    Ball(Sphere),
}

impl Shape {
    /// A body of this kind, with any rotation.
    fn random(kind: usize, random: &mut SplitMix) -> Self {
        let turn = DQuat::from_scaled_axis(vector(random, 3.0).as_dvec3());
        let rotation = Quat::from_array(turn.to_array().map(|x| x as f32));
        let mut length = |most: f64| (0.05 + random.unit() * most) as f32;
        match kind {
            0 => Self::Box(Obb::new(
                Vec3::ZERO,
                Vec3::new(length(1.0), length(1.0), length(1.0)),
                rotation,
            )),
            1 => Self::Capsule(Capsule::new(Vec3::ZERO, length(2.0), rotation, length(0.7))),
            _ => Self::Ball(Sphere::new(Vec3::ZERO, length(1.0))),
        }
    }

    fn body(&self) -> BodyRef<'_> {
        match self {
            Self::Box(obb) => obb.into(),
            Self::Capsule(capsule) => capsule.into(),
            Self::Ball(ball) => ball.into(),
        }
    }

    fn rotation(&self) -> DQuat {
        let rotation = match self {
            Self::Box(obb) => obb.rotation,
            Self::Capsule(capsule) => capsule.rotation,
            Self::Ball(_) => Quat::IDENTITY,
        };
        DQuat::from_array(rotation.to_array().map(f64::from)).normalize()
    }

    fn put(self, center: Vec3, scene: &mut Scene) {
        match self {
            Self::Box(obb) => scene.boxes.push(Obb { center, ..obb }),
            Self::Capsule(of) => scene
                .capsules
                .push(Capsule::new(center, of.half_length, of.rotation, of.radius)),
            Self::Ball(of) => scene.spheres.push(Sphere::new(center, of.radius)),
        }
    }
}

/// The distances at which bodies that nearly graze pass each other.
const OFF: [f64; 6] = [-1e-2, -1e-7, 0.0, 1e-7, 1e-2, 0.1];

/// Bodies that graze each other, by corners, edges, faces, ends and sides, or pass at a few units
/// in the last place more: each pair in a world of its own.
#[test]
fn grazing_bodies_are_separated_as_far_as_f32_allows() {
    let mut random = SplitMix(16);
    let kinds = [[0, 1], [0, 2], [1, 1], [1, 2], [2, 2]];
    let mut all = Vec::new();
    for world in 0..3000usize {
        let kinds = kinds[world % kinds.len()];
        let shapes = kinds.map(|kind| Shape::random(kind, &mut random));
        // Any direction; or one perpendicular to an edge or a side, or to a face.
        let mask = [DVec3::ONE, DVec3::new(1.0, 1.0, 0.0), DVec3::X][world / 5 % 3];
        let own = vector(&mut random, 1.0).as_dvec3() * mask;
        let normal = shapes[0].rotation() * own.normalize();
        let off = OFF[world / 15 % OFF.len()];
        let way = normal.cross(vector(&mut random, 1.0).as_dvec3()) * [0.5, 6.0, 0.0][world / 90 % 3];
        let touching = support(shapes[0].body(), normal) - support(shapes[1].body(), -normal) + normal * off;
        // Both have a common velocity in addition; they touch at half time.
        let (along, first) = (vector(&mut random, 2.0), vector(&mut random, 3.0));
        let second = (first.as_dvec3() + touching - 0.5 * way).as_vec3();
        let velocities = [along, (way + along.as_dvec3()).as_vec3()];
        for (k, center) in [first, second].into_iter().enumerate() {
            all.push((kinds[k], shapes[k], center, Motion::linear(velocities[k]), (world, off)));
        }
    }
    // Boxes, capsules and spheres, in the order in which they are numbered.
    all.sort_by_key(|one| one.0);
    let mut scene = Scene::default();
    all.iter()
        .for_each(|(_, shape, center, ..)| shape.put(*center, &mut scene));
    let moves: Vec<Motion> = all.iter().map(|one| one.3).collect();
    let worlds: Vec<u32> = all.iter().map(|one| one.4.0 as u32).collect();
    let (bodies, rules) = (
        scene.bodies(),
        Rules {
            worlds: Some(&worlds),
            ..Rules::default()
        },
    );
    let left = record(&mut open(), &MovingSet::new(bodies, &moves).with(rules), 1.0);
    assert_eq!(left.outcome.fits, 1);
    let mut by_world = vec![Vec::new(); 3000];
    (worlds.iter().zip(0..)).for_each(|(world, id)| by_world[*world as usize].push(id));
    let (mut met, mut apart) = (0, 0);
    for ids in by_world {
        let (pair, off) = (Pair::new(ids[0], ids[1]), all[ids[0] as usize].4.1);
        let (two, motions) = (
            [pair.a, pair.b].map(|id| bodies.at(id)),
            [pair.a, pair.b].map(|id| &moves[id as usize]),
        );
        let meets = bodies_meet(two, motions.map(|motion| motion.velocity), [0.0, 1.0]);
        let found = left.of(pair);
        assert!(found.is_some() || !meets, "{off} is missing: {two:?} {motions:?}");
        assert!(found.is_none() || off < 1e-3, "{off} is listed: {two:?} {motions:?}");
        if let (Some(found), Some(first)) = (found, time_of_impact(two, motions, &Step::new(1.0))) {
            assert!(f64::from(found.time) <= first.time, "{off}: {found:?}, {first:?}");
        }
        (met, apart) = (met + u32::from(meets), apart + u32::from(off > 1e-3));
    }
    let listed = left.impacts.len();
    assert!(
        met > 1000 && apart > 900 && listed < 2100,
        "{met} meet, {listed} listed, {apart} apart"
    );
}

/// Lengths and velocities times a power of two.
fn scaled(scene: &Scene, motions: &[Motion], exponent: i32) -> (Scene, Vec<Motion>) {
    let factor = 2f32.powi(exponent);
    let mut scaled = Scene {
        boxes: scene.boxes.clone(),
        capsules: scene.capsules.clone(),
        spheres: scene.spheres.clone(),
    };
    for obb in &mut scaled.boxes {
        obb.center *= factor;
        obb.half_extents *= factor;
    }
    for capsule in &mut scaled.capsules {
        capsule.center *= factor;
        capsule.half_length *= factor;
        capsule.radius *= factor;
    }
    for sphere in &mut scaled.spheres {
        sphere.center *= factor;
        sphere.radius *= factor;
    }
    let mut motions = motions.to_vec();
    for motion in &mut motions {
        motion.velocity *= factor;
        motion.acceleration *= factor;
        motion.uncertainty *= factor;
    }
    (scaled, motions)
}

#[test]
fn scale_changes_neither_pairs_nor_times_of_recorded_sweeps() {
    let mut checker = open();
    for (seed, counts) in [(1, [60, 60, 60]), (2, [120, 0, 0]), (3, [0, 120, 40])] {
        let scene = Scene::random(seed, counts, 24.0, false);
        let motions = motions(counts.iter().sum(), seed, false);
        let pairs_and_times = |left: &Left| -> Vec<_> {
            let of = |impact: &ImpactRecord| (impact.a, impact.b, impact.time, impact.flags);
            left.impacts.iter().map(of).collect()
        };
        let expected = record(&mut checker, &MovingSet::new(scene.bodies(), &motions), 0.5);
        let expected = pairs_and_times(&expected);
        assert!(expected.len() > 100, "{counts:?}: {}", expected.len());
        for exponent in (-50..=50).step_by(10) {
            let (scene, motions) = scaled(&scene, &motions, exponent);
            let found = record(&mut checker, &MovingSet::new(scene.bodies(), &motions), 0.5);
            assert_eq!((found.outcome.fits, found.outcome.suspects), (1, 0), "2^{exponent}");
            let found = pairs_and_times(&found);
            assert!(
                found == expected,
                "2^{exponent}, {counts:?}: {} pairs, not {}",
                found.len(),
                expected.len()
            );
        }
    }
}

#[test]
fn recorded_sweeps_of_bodies_report_invalid_input() {
    let mut checker = open();
    let scene = Scene::random(5, [4, 4, 4], 40.0, false);
    let moves = motions(12, 5, false);
    let faults: [fn(&mut Scene); 8] = [
        |scene| scene.boxes[3].half_extents.y = -1.0,
        |scene| scene.capsules[0].radius = -1.0,
        |scene| scene.capsules[3].half_length = f32::NAN,
        |scene| scene.capsules[1].rotation.w += 0.5,
        |scene| scene.capsules[2].radius = f32::INFINITY,
        |scene| scene.spheres[0].radius = -f32::MIN_POSITIVE,
        |scene| scene.spheres[3].center.z = f32::NAN,
        |scene| scene.spheres[1].radius = 1e19,
    ];
    for (k, fault) in faults.into_iter().enumerate() {
        let mut bad = Scene {
            boxes: scene.boxes.clone(),
            capsules: scene.capsules.clone(),
            spheres: scene.spheres.clone(),
        };
        fault(&mut bad);
        let left = record(&mut checker, &MovingSet::new(bad.bodies(), &moves), 1.0);
        assert_eq!((left.outcome.suspects, left.outcome.fits), (1, 0), "fault {k}");
    }
    // Too large a rotation is invalid for a sphere, too, as on the host.
    let mut turned = moves.clone();
    turned[11].angular_velocity.x = 1e10;
    let left = record(&mut checker, &MovingSet::new(scene.bodies(), &turned), 1.0);
    assert_eq!((left.outcome.suspects, left.outcome.fits), (1, 0));
    let none = record(&mut checker, &MovingSet::new(Bodies::default(), &[]), 1.0);
    assert_eq!((none.outcome.pairs, none.outcome.fits), (0, 1));

    let counts = BodyCounts::from(scene.bodies());
    let more = BodyCounts {
        spheres: counts.spheres + 3,
        ..counts
    };
    let bodies = checker.upload_bodies(scene.bodies()).expect("memory");
    let short = checker.upload(&moves).expect("memory");
    let mut encoder = checker.device().create_command_encoder(&Default::default());
    for (query, what) in [
        (SweepQuery::bodies(&bodies, &short, more, 1.0), "too many balls"),
        (SweepQuery::bodies(&bodies, &bodies, counts, 1.0), "too few motions"),
    ] {
        let error = checker.record(&mut encoder, query).map(drop);
        assert!(matches!(error, Err(Error::InvalidBuffer { .. })), "{what}: {error:?}");
    }
}
