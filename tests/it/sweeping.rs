//! Sweeps of boxes in motion: every impact that the plain loop over all pairs finds, with the same
//! time, on both backends; and recorded sweeps, which miss nothing.

pub mod recorded;

use obbligato::glam::{DQuat, DVec3, Quat, Vec3};
use obbligato::query::Sweep;
use obbligato::{
    Checker, Config, Error, GpuConfig, Obb, Output, Pair, Rules,
    motion::{Impact, Impacts, Motion, MovingSet, Step, time_of_impact},
    query::{ExcludedPairs, NO_OWNER},
};
use obbligato_support::split_mix::SplitMix;

use crate::support::gpu::{cpu, gpu};

/// The kinds of motion of random boxes, as bits.
const STRAIGHT: u32 = 1;
const TURNS: u32 = 2;
const BENDS: u32 = 4;
const UNCERTAIN: u32 = 8;
/// Each box has a different kind.
const ANY: u32 = 16;

fn vector(random: &mut SplitMix, size: f64) -> Vec3 {
    DVec3::from_array([0; 3].map(|_| (2.0 * random.unit() - 1.0) * size)).as_vec3()
}

/// This many boxes in a cube, in motion.
fn scene(count: usize, kind: u32, seed: u64) -> (Vec<Obb>, Vec<Motion>) {
    let mut random = SplitMix(seed);
    let side = (count as f64).cbrt() * 0.9;
    let obb = |random: &mut SplitMix| {
        let turn = DQuat::from_scaled_axis(vector(random, 3.0).as_dvec3());
        let rotation = Quat::from_array(turn.to_array().map(|x| x as f32));
        Obb::new(vector(random, side), vector(random, 0.8).abs(), rotation)
    };
    let boxes = (0..count).map(|_| obb(&mut random)).collect();
    let motion = |random: &mut SplitMix| {
        let kind = match kind {
            ANY => random.next() as u32 % 16,
            kind => kind,
        };
        let when = |bit: u32, value: Vec3| if kind & bit > 0 { value } else { Vec3::ZERO };
        // Few are fast.
        let speed = [1.0, 1.0, 1.0, 20.0][random.next() as usize % 4];
        let turn = [0.2, 1.0, 9.0][random.next() as usize % 3];
        Motion::linear(when(STRAIGHT, vector(random, speed)))
            .turning(when(TURNS, vector(random, turn)))
            .accelerated(when(BENDS, vector(random, 3.0)))
            .uncertain(when(UNCERTAIN, vector(random, 0.5)).x.abs())
    };
    let motions = (0..count).map(|_| motion(&mut random)).collect();
    (boxes, motions)
}

/// The impacts by brute force of all pairs that `allowed` accepts.
fn plain(set: &MovingSet, step: &Step, allowed: impl Fn(u32, u32) -> bool) -> Vec<Impact> {
    let mut impacts = Vec::new();
    for b in 0..set.bodies.boxes.len() as u32 {
        for a in 0..b {
            let at = |k: u32| (&set.bodies.boxes[k as usize], &set.motions[k as usize]);
            let ((box_a, motion_a), (box_b, motion_b)) = (at(a), at(b));
            if !allowed(a, b) || !box_a.groups_meet(box_b) {
                continue;
            }
            let first = time_of_impact([box_a, box_b], [motion_a, motion_b], step);
            impacts.extend(first.map(|first| Impact {
                pair: Pair { a, b },
                first,
            }));
        }
    }
    impacts.sort_by(|a, b| a.first.time.total_cmp(&b.first.time).then(a.pair.cmp(&b.pair)));
    impacts
}

#[track_caller]
fn expect(what: &str, expected: &[Impact], found: &Impacts) {
    let pairs = |impacts: &[Impact]| {
        let mut pairs: Vec<Pair> = impacts.iter().map(|impact| impact.pair).collect();
        pairs.sort_unstable();
        pairs
    };
    crate::support::gpu::expect_pairs(what, &pairs(expected), &pairs(&found.impacts));
    assert!(expected == found.impacts, "{what}: times, places or the order differ");
    assert!(found.candidate_pairs >= expected.len() as u64, "{what}");
}

/// A checker of each backend.
fn both(settings: GpuConfig) -> [(&'static str, Checker); 2] {
    let config = Config {
        gpu: settings,
        ..Config::default()
    };
    [("CPU", cpu(config.clone())), ("GPU", gpu(config))]
}

#[test]
fn m1_sweeps_match_a_loop_over_all_pairs() {
    let step = Step::new(1.0);
    let mut checkers = both(GpuConfig::default());
    for (count, kind) in [
        (0, STRAIGHT),
        (1, ANY),
        (100, ANY),
        (700, STRAIGHT),
        (300, STRAIGHT | TURNS),
        (400, STRAIGHT | BENDS),
        (400, BENDS | UNCERTAIN),
        (300, ANY),
    ] {
        let (boxes, motions) = scene(count, kind, 1 + u64::from(kind));
        let set = MovingSet::new(&boxes, &motions);
        let expected = plain(&set, &step, |_, _| true);
        assert!(count < 100 || expected.len() > count / 4, "{} impacts", expected.len());
        for (name, checker) in &mut checkers {
            let found = checker.check(Sweep::new(set, &step)).expect("valid motions");
            expect(&format!("{name}, {count} boxes, {kind}"), &expected, &found);
        }
    }
}

/// Results that exceed the initial capacity of a device are still found, in ranges and in parts.
#[test]
fn sweeps_lose_nothing_when_buffers_are_small() {
    let step = Step::new(1.0);
    let (boxes, motions) = scene(6000, STRAIGHT | BENDS, 3);
    let set = MovingSet::new(&boxes, &motions);
    let expected = cpu(Config::default())
        .check(Sweep::new(set, &step))
        .expect("valid motions")
        .impacts;
    assert!(expected.len() > 3000);
    let little = GpuConfig {
        initial_candidates: 16,
        initial_pairs: 16,
        ..GpuConfig::default()
    };
    let small = GpuConfig {
        max_buffer_bytes: Some(1 << 16),
        shader_checks: true,
        ..GpuConfig::default()
    };
    let plain = GpuConfig {
        subgroups: false,
        ..GpuConfig::default()
    };
    for (what, settings) in [("little room", little), ("small bindings", small), ("plain", plain)] {
        let mut checker = gpu(Config {
            gpu: settings,
            ..Config::default()
        });
        let found = checker.check(Sweep::new(set, &step)).expect("valid motions");
        expect(what, &expected, &found);
    }
}

/// Cubes that pass each other face to face, exactly or up to rounding, rotated together, each pair
/// in a world of its own.
#[test]
fn grazing_boxes_are_decided_the_same_everywhere() {
    let mut random = SplitMix(12);
    let (mut boxes, mut motions, mut worlds) = (Vec::new(), Vec::new(), Vec::new());
    for world in 0..1500u32 {
        // Some are axis-aligned, so that their bounds touch as they do.
        let turn = match world % 3 {
            0 => DQuat::IDENTITY,
            _ => DQuat::from_scaled_axis(vector(&mut random, 3.0).as_dvec3()),
        };
        let rotation = Quat::from_array(turn.to_array().map(|x| x as f32));
        let center = vector(&mut random, 30.0);
        // Past a face, or past an edge with an edge of the other cube, which is rotated about z by
        // an eighth.
        let half = DVec3::new(1.0, 1.0, 0.5 + random.unit());
        let (apart, own) = match world % 2 {
            0 => (2.0, turn),
            _ => (
                1.0 + 2f64.sqrt(),
                turn * DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4),
            ),
        };
        let along = vector(&mut random, 1.0).as_dvec3() * DVec3::new(4.0, 0.0, 0.4);
        let place = |v: DVec3| (turn * v).as_vec3();
        let start = DVec3::Y * apart - 0.5 * along;
        boxes.push(Obb::new(center, half.as_vec3(), rotation));
        boxes.push(Obb::new(
            center + place(start),
            half.as_vec3(),
            Quat::from_array(own.to_array().map(|x| x as f32)),
        ));
        motions.extend([Motion::REST, Motion::linear(place(along))]);
        worlds.extend([world, world]);
    }
    let rules = Rules {
        worlds: Some(&worlds),
        ..Rules::default()
    };
    let (set, step) = (MovingSet::new(&boxes, &motions).with(rules), Step::new(1.0));
    let mut expected = Vec::new();
    for k in (0..boxes.len()).step_by(2) {
        let first = time_of_impact([&boxes[k], &boxes[k + 1]], [&motions[k], &motions[k + 1]], &step);
        let pair = Pair::new(k as u32, k as u32 + 1);
        expected.extend(first.map(|first| Impact { pair, first }));
    }
    expected.sort_by(|a, b| a.first.time.total_cmp(&b.first.time).then(a.pair.cmp(&b.pair)));
    assert!(expected.len() > 300 && expected.len() < 1200, "{}", expected.len());
    for (name, mut checker) in both(GpuConfig::default()) {
        expect(
            name,
            &expected,
            &checker.check(Sweep::new(set, &step)).expect("valid motions"),
        );
    }
}

#[test]
fn rules_and_groups_are_respected() {
    let step = Step::new(1.0);
    let (mut boxes, motions) = scene(300, STRAIGHT, 4);
    for (k, obb) in boxes.iter_mut().enumerate() {
        obb.memberships = 1 << (k % 3);
        obb.filter = !(1 << (k % 2));
    }
    let owners: Vec<u32> = (0..300).map(|k| if k % 4 == 0 { k / 50 } else { NO_OWNER }).collect();
    let worlds: Vec<u32> = (0..300).map(|k| k % 2).collect();
    let statics: Vec<bool> = (0..300).map(|k| k % 3 == 1).collect();
    let without = cpu(Config::default())
        .check(Sweep::new(MovingSet::new(&boxes, &motions), &step))
        .expect("valid motions");
    let some: Vec<Pair> = without.impacts.iter().step_by(2).map(|impact| impact.pair).collect();
    let excluded = ExcludedPairs::new(&some).expect("pairs");
    let rules = Rules {
        owners: Some(&owners),
        worlds: Some(&worlds),
        statics: Some(&statics),
        excluded: Some(&excluded),
        ..Rules::default()
    };
    let set = MovingSet::new(&boxes, &motions).with(rules);
    let expected = plain(&set, &step, |a, b| {
        let (i, k) = (a as usize, b as usize);
        let one_owner = owners[i] == owners[k] && owners[i] != NO_OWNER;
        let forbidden = one_owner || (statics[i] && statics[k]) || some.contains(&Pair { a, b });
        worlds[i] == worlds[k] && !forbidden
    });
    assert!(expected.len() > 10 && expected.len() < without.impacts.len());
    for (name, mut checker) in both(GpuConfig::default()) {
        expect(
            name,
            &expected,
            &checker.check(Sweep::new(set, &step)).expect("valid motions"),
        );
    }
}

#[test]
fn two_sets_meet_only_each_other() {
    let step = Step::new(1.0);
    let (walls, _) = scene(200, 0, 5);
    let (bullets, motions) = scene(150, STRAIGHT | TURNS, 6);
    let rest = vec![Motion::REST; walls.len()];
    let (first, second) = (MovingSet::new(&walls, &rest), MovingSet::new(&bullets, &motions));
    let (boxes, all_motions) = ([&walls[..], &bullets].concat(), [&rest[..], &motions].concat());
    let split = walls.len() as u32;
    let mut expected = plain(&MovingSet::new(&boxes, &all_motions), &step, |a, b| {
        a < split && b >= split
    });
    assert!(expected.len() > 50);
    for impact in &mut expected {
        impact.pair.b -= split;
    }
    for (name, mut checker) in both(GpuConfig::default()) {
        let found = checker
            .check(Sweep::between(first, second, &step))
            .expect("valid motions");
        expect(name, &expected, &found);
        let earliest = found.earliest();
        assert_eq!((found.boxes, earliest.len()), (350, 350));
        for (id, position) in earliest.iter().enumerate() {
            let first = expected.iter().position(|impact| {
                let Pair { a, b } = impact.pair;
                [a, b + split].contains(&(id as u32)) && (a == id as u32 || b + split == id as u32)
            });
            assert_eq!(*position, first, "{name}: box {id}");
        }
    }
}

/// Between two frames a bullet is on either side of a plate; a box thrown up comes back before the
/// step ends.
#[test]
fn m1_nothing_passes_through_anything() {
    let plate = Obb::axis_aligned(Vec3::ZERO, Vec3::new(0.0005, 1.0, 1.0));
    let bullet = Obb::axis_aligned(Vec3::new(-8.3, 0.1, 0.2), Vec3::splat(0.005));
    let roof = Obb::axis_aligned(Vec3::new(50.0, 0.0, 4.6), Vec3::new(1.0, 1.0, 0.1));
    let ball = Obb::axis_aligned(Vec3::new(50.0, 0.0, 0.0), Vec3::splat(0.1));
    let fast = Motion::linear(Vec3::new(1000.0, 0.0, 0.0)).turning(Vec3::new(900.0, 50.0, 0.0));
    // Within 1/60 s it rises by at most 4.5, and returns to 0.
    let thrown = Motion::linear(Vec3::Z * 1080.0).accelerated(Vec3::Z * -129_600.0);
    let step = Step::new(1.0 / 60.0);
    for copies in [1, 200] {
        let apart = |k: usize, obb: Obb| Obb {
            center: obb.center + Vec3::Y * 4.0 * k as f32,
            ..obb
        };
        let boxes: Vec<Obb> = (0..copies)
            .flat_map(|k| [plate, bullet, roof, ball].map(|obb| apart(k, obb)))
            .collect();
        let motions = [Motion::REST, fast, Motion::REST, thrown].repeat(copies);
        for (name, mut checker) in both(GpuConfig::default()) {
            let found = checker
                .check(Sweep::new(MovingSet::new(&boxes, &motions), &step))
                .expect("valid motions");
            let mut pairs: Vec<Pair> = found.impacts.iter().map(|impact| impact.pair).collect();
            pairs.sort_unstable();
            let expected: Vec<Pair> = (0..2 * copies as u32).map(|k| Pair::new(2 * k, 2 * k + 1)).collect();
            assert_eq!(pairs, expected, "{name}, {copies}");
        }
    }
}

/// A scene of tiny numbers has the impacts of the same scene in another unit.
#[test]
fn tiny_scenes_have_the_impacts_of_scaled_ones() {
    let (boxes, motions) = scene(200, STRAIGHT, 7);
    let step = Step::new(1.0);
    let small = 2f32.powi(-130);
    let smaller = |v: Vec3| v * small;
    let tiny: Vec<Obb> = boxes
        .iter()
        .map(|obb| Obb {
            center: smaller(obb.center),
            half_extents: smaller(obb.half_extents),
            ..*obb
        })
        .collect();
    let slow: Vec<Motion> = motions
        .iter()
        .map(|motion| Motion::linear(smaller(motion.velocity)))
        .collect();
    let expected = plain(&MovingSet::new(&tiny, &slow), &step, |_, _| true);
    assert!(expected.len() > 50);
    for (name, mut checker) in both(GpuConfig::default()) {
        let found = checker
            .check(Sweep::new(MovingSet::new(&tiny, &slow), &step))
            .expect("valid motions");
        expect(name, &expected, &found);
        // The number of candidates is the same as in the other unit, up to rounding.
        let set = MovingSet::new(&boxes, &motions);
        let usual = checker
            .check(Sweep::new(set, &step))
            .expect("valid motions")
            .candidate_pairs;
        assert!(
            found.candidate_pairs.abs_diff(usual) < 3,
            "{name}: {} and {usual}",
            found.candidate_pairs
        );
    }
}

#[test]
fn unsupported_sweeps_are_errors() {
    let (boxes, motions) = scene(3, STRAIGHT, 8);
    let set = MovingSet::new(&boxes, &motions);
    let step = Step::new(1.0);
    let margins = [0.0; 3];
    let with_margins = set.with(Rules {
        margins: Some(&margins),
        ..Rules::default()
    });
    let config = |output, margin, max_pairs| Config {
        output,
        margin,
        max_pairs,
        ..Config::default()
    };
    for (config, set) in [
        (config(Output::Pairs, 0.0, None), with_margins),
        (config(Output::Pairs, 0.5, None), set),
        (config(Output::Degrees, 0.0, None), set),
        (config(Output::Pairs, 0.0, Some(9)), set),
    ] {
        let found = cpu(config).check(Sweep::new(set, &step));
        assert!(matches!(found, Err(Error::Unavailable { .. })), "{found:?}");
    }
    let mut checker = cpu(Config::default());
    let missing = checker.check(Sweep::new(MovingSet::new(&boxes, &motions[1..]), &step));
    assert!(matches!(missing, Err(Error::MissingMotions { boxes: 3, motions: 2 })));
    let backwards = checker.check(Sweep::new(set, &Step::new(-1.0)));
    assert!(matches!(backwards, Err(Error::InvalidStep { what: "dt", .. })));
    // Positions continue into the second list.
    let mut bad = motions.clone();
    bad[1].velocity.y = f32::NAN;
    let invalid = checker.check(Sweep::between(set, MovingSet::new(&boxes, &bad), &step));
    assert!(matches!(invalid, Err(Error::InvalidMotion { index: 4, count: 1, .. })));
}
