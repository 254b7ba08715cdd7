//! The CPU's answers with vectors of any width.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use obbligato::glam::{Quat, Vec3};
use obbligato::unstable::exact::classify;
use obbligato::unstable::lanes::set_most;
use obbligato::{
    Backend, BroadPhase, Checker, Config, Obb, Pair, Precision, Query, Report, Rules, Set,
    contact::{Contact, Overlap, overlaps},
    report::sort_pairs,
    shape::{OwnedBodies, Solid, Triangle},
};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::adversarial::{self, MovingPair, TRIANGLE_FAMILIES};
use obbligato_verify::scenes::{BodyScene, Scene, rings};

/// The width is global to the process, so tests that set it take turns.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Boxes with arbitrary rotations, upright or aligned, in a space where most of them touch or
/// overlap others.
fn medley(count: usize) -> Vec<Obb> {
    let mut random = SplitMix(7);
    let mut below = |most: u64| random.next() % most;
    let obb = |_| {
        let center = Vec3::from([0; 3].map(|_| below(24) as f32 * 0.5));
        let half = Vec3::from([0; 3].map(|_| below(3) as f32 * 0.5));
        let turn = match below(4) {
            0 => Quat::IDENTITY,
            1 => Quat::from_xyzw(0.0, 0.0, -0.0, -1.0),
            2 => Quat::from_rotation_z(below(100) as f32),
            _ => Quat::from_xyzw(40.0, 40.0, 24.0, 18.0) / 64.0,
        };
        let groups = [1, 2, 3, u32::MAX][below(4) as usize];
        Obb::new(center, half, turn).with_groups(groups, u32::MAX >> below(2))
    };
    (0..count).map(obb).collect()
}

/// The parts of a report that do not depend on the width, in the order in which they were found.
fn found(report: &Report) -> (Vec<Pair>, Vec<Pair>, [u64; 5]) {
    let counts = [
        report.candidate_pairs,
        report.colliding_pairs,
        report.touching_pairs.unwrap_or(0),
        report.undecided_pairs,
        report.undecided_after_f64,
    ];
    let pairs = report.pairs().expect("there are pairs").to_vec();
    (pairs, report.touching().unwrap_or(&[]).to_vec(), counts)
}

#[test]
fn any_width_gives_the_same_bits() {
    let _alone = alone();
    let hard: Vec<Obb> = (0..20_000)
        .map(|index| adversarial::pair(index, 3))
        .flat_map(<[Obb; 2]>::from)
        .collect();
    let given: Vec<Pair> = (0..20_000).map(|index| Pair::new(2 * index, 2 * index + 1)).collect();
    let mut scenes: Vec<Vec<Obb>> = Scene::ALL.iter().map(|scene| scene.generate(2_000, 5)).collect();
    scenes.extend((0..40).map(medley));
    scenes.push(medley(3_000));
    let answers = |precision| {
        let config = Config {
            backend: Backend::Cpu,
            list_touching: precision == Precision::Exact,
            precision,
            ..Config::default()
        };
        let mut checker = Checker::new(config).expect("the CPU is always there");
        let mut ask = |query| found(&checker.check(query).expect("valid boxes"));
        let mut answers: Vec<_> = scenes.iter().map(|boxes| ask(Query::from(boxes))).collect();
        answers.push(ask(Query::pairs(&hard, &given)));
        answers
    };
    for precision in [Precision::Exact, Precision::Fast, Precision::Conservative] {
        expect_same_on_every_width(&format!("{precision:?}"), || answers(precision));
    }
}

/// With the full number of lanes, and with fewer.
#[track_caller]
fn expect_same_on_every_width<T: PartialEq>(what: &str, answers: impl Fn() -> T) {
    let mut widths = BTreeSet::new();
    let widest = answers();
    for most in [4, 8, 16] {
        let width = set_most(most);
        assert!(width <= most, "{width} lanes");
        widths.insert(width);
        assert!(answers() == widest, "{width} lanes, {what}");
    }
    set_most(usize::MAX);
    println!("{widths:?} lanes");
    #[cfg(target_arch = "x86_64")]
    assert_eq!(widths.len() > 1, std::is_x86_feature_detected!("avx2"), "{widths:?}");
}

#[test]
fn bodies_of_all_kinds_give_the_same_answers_at_any_width() {
    let _alone = alone();
    let mut scenes: Vec<OwnedBodies> = BodyScene::OTHERS.map(|scene| scene.bodies(3_000, 5)).to_vec();
    scenes.extend([30, 90, 210].map(|count| BodyScene::MixedKinds.bodies(count, 6)));
    let given: Vec<Pair> = (0..20_000u32)
        .map(|k| Pair::new(k % 210, (k % 210 + 1 + k / 210) % 210))
        .filter(|pair| pair.a != pair.b)
        .collect();
    for precision in [Precision::Exact, Precision::Fast, Precision::Conservative] {
        for margin in [0.0, 0.3] {
            let answers = || {
                let config = Config {
                    backend: Backend::Cpu,
                    list_touching: precision == Precision::Exact,
                    precision,
                    margin,
                    ..Config::default()
                };
                let mut checker = Checker::new(config).expect("the CPU is always there");
                let mut ask = |query: Query<'_>| {
                    let report = checker.check(query).expect("valid bodies");
                    (report.near_pairs, found(&report))
                };
                let mut answers: Vec<_> = scenes.iter().map(|owned| ask(Query::from(owned.all()))).collect();
                answers.push(ask(Query::pairs(scenes[6].all(), &given)));
                assert!(answers.iter().all(|(_, (pairs, ..))| !pairs.is_empty()));
                answers
            };
            expect_same_on_every_width(&format!("{precision:?}, margin {margin}"), answers);
        }
    }
}

/// Worlds of one box to several vectors of them, sorted or not, are compared in blocks as long as a
/// vector.
#[test]
fn small_worlds_have_the_pairs_of_separate_checks_at_any_width() {
    let _alone = alone();
    let checker = |broad_phase| {
        let config = Config {
            backend: Backend::Cpu,
            broad_phase,
            count_operations: true,
            ..Config::default()
        };
        Checker::new(config).expect("the CPU is always there")
    };
    let mut separate = checker(BroadPhase::AllPairs);
    let (mut boxes, mut worlds, mut expected, mut candidates) = (Vec::new(), Vec::new(), Vec::new(), 0);
    let counts = [1, 2, 15, 16, 17, 20, 31, 32, 33, 47, 48, 49, 64, 65, 100, 700];
    for (world, (scene, count)) in (0..).zip(Scene::ALL.iter().cycle().zip(counts.repeat(11))) {
        let first = boxes.len() as u32;
        boxes.extend(scene.generate(count, u64::from(world)));
        worlds.extend(vec![world; count]);
        let report = separate.check(&boxes[first as usize..]).expect("valid boxes");
        let pairs = report.pairs().expect("there are pairs");
        expected.extend(pairs.iter().map(|pair| Pair::new(first + pair.a, first + pair.b)));
        candidates += report.candidate_pairs;
    }
    sort_pairs(&mut expected).expect("there is memory");
    assert!(expected.len() > 10_000, "{} pairs", expected.len());
    let rules = Rules {
        worlds: Some(&worlds),
        ..Rules::default()
    };
    expect_same_on_every_width("small worlds", || {
        let report = checker(BroadPhase::Auto)
            .check(Set::from(&boxes).with(rules))
            .expect("valid boxes");
        let mut pairs = report.pairs().expect("there are pairs").to_vec();
        sort_pairs(&mut pairs).expect("there is memory");
        assert!(pairs == expected && report.candidate_pairs == candidates);
        report.operations.expect("counted")
    });
}

#[test]
fn axis_aligned_boxes_match_single_tests() {
    let _alone = alone();
    let steps = [
        0.0,
        f32::from_bits(1),
        1e-30,
        0.3,
        1.0,
        1.0f32.next_up(),
        1e6,
        16_777_217.0,
    ];
    let mut random = SplitMix(11);
    let mut step = || steps[(random.next() % steps.len() as u64) as usize];
    let mut obb = || {
        let sign = if step() < 1.0 { 1.0 } else { -1.0 };
        Obb::axis_aligned(
            Vec3::from([0; 3].map(|_| sign * step())),
            Vec3::from([0; 3].map(|_| step())),
        )
    };
    let boxes: Vec<Obb> = (0..60_000).map(|_| obb()).collect();
    let pairs: Vec<Pair> = (0..30_000).map(|index| Pair::new(2 * index, 2 * index + 1)).collect();
    let config = Config {
        backend: Backend::Cpu,
        list_touching: true,
        ..Config::default()
    };
    let mut checker = Checker::new(config).expect("the CPU is always there");
    for most in [4, 8, 16] {
        set_most(most);
        let report = checker.check(Query::pairs(&boxes, &pairs)).expect("valid boxes");
        let contact = |pair: &&Pair| classify(&boxes[pair.a as usize], &boxes[pair.b as usize]);
        let colliding = pairs
            .iter()
            .filter(|pair| contact(pair).collides())
            .copied()
            .collect::<Vec<_>>();
        let touching = pairs
            .iter()
            .filter(|pair| contact(pair) == Contact::Touching)
            .copied()
            .collect::<Vec<_>>();
        assert_eq!(report.pairs().expect("there are pairs"), colliding, "{most} lanes");
        assert_eq!(report.touching().expect("they are listed"), touching, "{most} lanes");
        assert!(
            touching.len() > 300 && report.undecided_pairs > 300,
            "{} touching",
            touching.len()
        );
    }
    set_most(usize::MAX);
}

#[test]
fn lengths_of_solids_are_the_same() {
    let _alone = alone();
    let mut random = SplitMix(13);
    let mut solid = || {
        let at = Vec3::from([0; 3].map(|_| 2.0 * random.unit() as f32));
        let count = 1 + random.next() % 90;
        let points: Vec<Vec3> = (0..count)
            .map(|_| at + Vec3::from([0; 3].map(|_| random.unit() as f32)))
            .collect();
        Solid::from_points(&points).expect("valid points")
    };
    let pairs: Vec<[Solid; 2]> = (0..500).map(|_| [solid(), solid()]).collect();
    let answers = || -> Vec<_> {
        let lengths = |[a, b]: &[Solid; 2]| (a.closest_points(b), a.penetration(b).expect("there is memory"));
        pairs.iter().map(lengths).collect()
    };
    let widest = answers();
    let deep = widest.iter().filter(|(_, penetration)| penetration.is_some()).count();
    assert!((50..450).contains(&deep), "{deep}");
    for most in [4, 8, 16] {
        let width = set_most(most);
        assert!(answers() == widest, "{width} lanes");
    }
    set_most(usize::MAX);
}

#[test]
fn triangles_give_the_same_answers_at_any_width() {
    let _alone = alone();
    let mut scenes: Vec<Vec<Triangle>> = TRIANGLE_FAMILIES
        .iter()
        .flat_map(|family| [family.triangles(400, 4), family.triangles(90, 5)])
        .collect();
    scenes.push(rings(5_000, 6));
    expect_same_on_every_width("triangles", || -> Vec<_> {
        let config = Config {
            backend: Backend::Cpu,
            ..Config::default()
        };
        let mut checker = Checker::new(config).expect("the CPU is always there");
        let queries = scenes.iter().flat_map(|list| [Query::from(list), Query::mesh(list)]);
        let found = queries.map(|query| found(&checker.check(query).expect("valid triangles")));
        found.collect()
    });
}

#[test]
fn rows_of_any_length_are_sorted() {
    let _alone = alone();
    let mut random = SplitMix(5);
    let mut pairs = Vec::new();
    for a in 0..2_000 {
        // Some occur more than once.
        let most = [3, 50, u64::from(u32::MAX) + 1][(random.next() % 3) as usize];
        pairs.extend((0..a % 20).map(|_| Pair {
            a,
            b: (random.next() % most) as u32,
        }));
        pairs.extend(
            [Pair { a, b: u32::MAX }, Pair { a, b: 0 }]
                .into_iter()
                .take(a as usize % 3),
        );
    }
    for k in (1..pairs.len()).rev() {
        pairs.swap(k, (random.next() % (k as u64 + 1)) as usize);
    }
    let mut expected = pairs.clone();
    expected.sort_unstable_by_key(|pair| (pair.a, pair.b));
    for most in [4, 8, 16] {
        set_most(most);
        let mut sorted = pairs.clone();
        sort_pairs(&mut sorted).expect("there is memory");
        assert!(sorted == expected, "{most} lanes");
    }
    set_most(usize::MAX);
}

#[test]
fn times_of_impact_are_the_same_bits_at_any_width() {
    let _alone = alone();
    let impacts = || {
        (0..6_000)
            .map(|index| MovingPair::new(index, 8).impact())
            .collect::<Vec<_>>()
    };
    set_most(4);
    let narrow = impacts();
    for lanes in [8, usize::MAX] {
        set_most(lanes);
        assert!(impacts() == narrow, "{lanes} lanes");
    }
    assert!(narrow.iter().flatten().count() > 2_000);
}

#[test]
fn any_width_gives_the_same_overlaps() {
    let _alone = alone();
    let mut boxes = Scene::Dense.generate(1_000, 4);
    for obb in &mut boxes {
        obb.center *= 0.01;
    }
    boxes.extend(medley(1_000));
    let pairs: Vec<Pair> = (1..2_000).map(|k| Pair::new(k - 1, k)).collect();
    let all = [usize::MAX, 8, 4].map(|width| {
        set_most(width);
        let found = overlaps([&boxes, &boxes], &pairs).expect("they are boxes");
        let bits = |found: &Overlap| [found.volume.to_bits(), found.iou.to_bits()];
        found.iter().map(bits).collect::<Vec<_>>()
    });
    set_most(usize::MAX);
    assert!(all[0] == all[1] && all[1] == all[2]);
}
