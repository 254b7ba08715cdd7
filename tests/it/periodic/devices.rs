//! Checks in space that repeats on a GPU: the pairs of the reference, and in every form those of
//! the CPU.

use std::sync::Mutex;

use obbligato::glam::{DVec3, Vec3};
use obbligato::motion::{Motion, MovingSet, Step};
use obbligato::query::Sweep;
use obbligato::report::Engine;
use obbligato::{
    Bodies, BroadPhase, Checker, Config, Obb, Obb64, Output, Pair, Period, Query, Report, Rules, Set, Sphere,
};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference;

use super::{LATTICES, Lengths, PLACES, Place, Random, compare, config};
use crate::support::gpu::{cpu, expect_same, gpu};
use crate::support::positions::moved;

/// The broad phases of a GPU.
const PHASES: [BroadPhase; 2] = [BroadPhase::Grid, BroadPhase::Lbvh];

#[track_caller]
fn check<'a>(checker: &mut Checker, what: &str, query: impl Into<Query<'a>>, lengths: Lengths) -> Report {
    let report = checker
        .check(query.into().periodic(Period::new(lengths)))
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(
        matches!(report.engine, Engine::Gpu { .. }),
        "{what}: {:?}",
        report.engine
    );
    report
}

#[test]
fn c1_pairs_of_a_gpu_are_those_of_all_images() {
    let mut random = Random(SplitMix(61));
    for phase in PHASES {
        for margin in [0.0, 0.5] {
            let mut checker = gpu(config(phase, margin));
            for lengths in LATTICES {
                for place in PLACES {
                    let bodies = random.bodies(place, [24, 8, 8]);
                    let what = format!("{lengths:?} {place:?} {phase} margin {margin}");
                    let expected = reference::periodic_pairs(bodies.all(), lengths, margin);
                    compare(&what, &check(&mut checker, &what, bodies.all(), lengths), &expected);
                }
            }
        }
    }
}

/// Small bodies, some of which touch across the border: the device alone decides most.
fn small(random: &mut Random, count: usize, edge: f64) -> (Vec<Obb>, Vec<Sphere>) {
    let center = |random: &mut Random| DVec3::from([0; 3].map(|_| (random.below(edge) * 4.0).floor() * 0.25)).as_vec3();
    let boxes = (0..count).map(|k| {
        let half = Vec3::from([0; 3].map(|_| 0.25 + (random.below(4.0).floor() * 0.125) as f32));
        let place = if k % 2 == 0 { Place::Halves } else { Place::Cell };
        Obb::new(center(random), half, random.rotation(place))
    });
    let boxes = boxes.collect();
    let spheres = (0..count / 2).map(|_| Sphere::new(center(random), 0.5)).collect();
    (boxes, spheres)
}

/// Asserts that both reports have the same findings.
#[track_caller]
fn assert_same(what: &str, found: &Report, expected: &Report) {
    expect_same(what, expected, found);
    assert_eq!(found.near_pairs, expected.near_pairs, "{what}: near pairs");
}

#[test]
fn c1_forms_of_results_of_a_gpu() {
    let mut random = Random(SplitMix(62));
    let (boxes, spheres) = small(&mut random, 1_500, 16.0);
    let bodies = Bodies {
        boxes: &boxes,
        spheres: &spheres,
        ..Bodies::default()
    };
    let lengths = [Some(16.0), Some(16.0), None];
    for output in [Output::Pairs, Output::Degrees, Output::Count] {
        for margin in [0.0, 0.1] {
            let config = Config {
                output,
                ..config(BroadPhase::Auto, margin)
            };
            let what = format!("{output:?} margin {margin}");
            let expected = cpu(config.clone()).check(Query::from(bodies).periodic(Period::new(lengths)));
            let expected = expected.expect("valid bodies");
            assert!(expected.colliding_pairs > 500, "{what}: {}", expected.colliding_pairs);
            assert_same(&what, &check(&mut gpu(config), &what, bodies, lengths), &expected);
        }
    }
    // Into a list of fixed capacity, and to a visitor.
    let all = check(&mut gpu(config(BroadPhase::Auto, 0.0)), "all", bodies, lengths);
    let pairs = all.pairs().expect("asked for");
    let few = Config {
        max_pairs: Some(40),
        ..Config::default()
    };
    let report = check(&mut gpu(few), "few", bodies, lengths);
    assert_eq!((report.complete, report.colliding_pairs), (false, pairs.len() as u64));
    let kept = report.pairs().expect("asked for");
    assert!(kept.len() == 40 && kept.iter().all(|pair| pairs.binary_search(pair).is_ok()));
    let visited = Mutex::new(Vec::new());
    let visit = |pairs: &[Pair]| visited.lock().expect("no panic").extend_from_slice(pairs);
    check(
        &mut gpu(Config::default()),
        "visit",
        Query::from(bodies).visit(&visit),
        lengths,
    );
    let mut visited = visited.into_inner().expect("no panic");
    visited.sort_unstable();
    assert_eq!(visited, pairs);
}

/// Rules, own margins, worlds and two sets, both as small bodies and as large ones.
#[test]
fn c1_rules_and_sets_on_a_gpu() {
    let mut random = Random(SplitMix(63));
    let large = random.bodies(Place::Strays, [50, 12, 12]);
    let (boxes, spheres) = small(&mut random, 300, 8.0);
    let small = Bodies {
        boxes: &boxes,
        spheres: &spheres,
        ..Bodies::default()
    };
    for (bodies, lengths) in [(large.all(), LATTICES[1]), (small, [Some(8.0), Some(8.0), Some(8.0)])] {
        let count = bodies.len() as u32;
        let worlds: Vec<u32> = (0..count).map(|id| id % 2).collect();
        let owners: Vec<u32> = (0..count).map(|id| id / 3).collect();
        let statics: Vec<bool> = (0..count).map(|id| id % 4 == 0).collect();
        let margins: Vec<f32> = (0..count).map(|id| 0.125 * (id % 3) as f32).collect();
        let none = Rules::default();
        let rules = [
            Rules {
                worlds: Some(&worlds),
                owners: Some(&owners),
                ..none
            },
            Rules {
                statics: Some(&statics),
                margins: Some(&margins),
                ..none
            },
        ];
        for rules in rules {
            let set = Set::from(bodies).with(rules);
            let queries = [Query::from(set), Query::between(set, Set::from(&boxes[..60]))];
            for (k, query) in queries.into_iter().enumerate() {
                let what = format!("{lengths:?} {k}");
                let config = config(BroadPhase::Auto, 0.0);
                let expected = cpu(config.clone())
                    .check(query.periodic(Period::new(lengths)))
                    .expect("valid");
                assert!(expected.colliding_pairs > 20, "{what}");
                assert_same(&what, &check(&mut gpu(config), &what, query, lengths), &expected);
            }
        }
    }
}

#[test]
fn c1_boxes_in_f64_on_a_gpu() {
    let mut random = Random(SplitMix(64));
    for (lengths, place, far) in [
        (LATTICES[0], Place::Halves, 0.0),
        (LATTICES[1], Place::Strays, 1e9),
        (LATTICES[2], Place::Anywhere, 0.1),
        ([Some(800.0), None, Some(800.0)], Place::Anywhere, 0.0),
    ] {
        let bodies = random.bodies(place, [40, 0, 0]);
        let boxes: Vec<Obb64> = bodies.boxes.iter().map(|obb| moved(obb, DVec3::splat(far))).collect();
        for margin in [0.0, 0.25] {
            let expected = reference::periodic_pairs64(&boxes, lengths, margin);
            let what = format!("{lengths:?} {place:?} {far} margin {margin}");
            compare(
                &what,
                &check(&mut gpu(config(BroadPhase::Auto, margin)), &what, &boxes, lengths),
                &expected,
            );
        }
    }
}

#[test]
fn c1_other_questions_on_a_gpu() {
    let mut random = Random(SplitMix(65));
    let bodies = random.bodies(Place::Strays, [30, 10, 10]);
    let all = bodies.all();
    let period = Period::new(LATTICES[1]);
    let pairs: Vec<Pair> = (0..50)
        .flat_map(|a| (a + 1..50).map(move |b| Pair::new(a, b)))
        .collect();
    let (mut on_gpu, mut on_cpu) = (gpu(Config::default()), cpu(Config::default()));
    let found = on_gpu
        .check(Query::pairs(all, &pairs).periodic(period))
        .expect("valid bodies");
    let expected = on_cpu.check(Query::from(all).periodic(period)).expect("valid bodies");
    assert_eq!(found.pairs().expect("asked for"), expected.pairs().expect("asked for"));
    let motions: Vec<Motion> = (0..50)
        .map(|k| Motion::linear(Vec3::new(k as f32 * 0.1 - 2.0, 1.0, -0.5)))
        .collect();
    let step = Step::new(1.0);
    let sweep = || Sweep::new(MovingSet::new(all, &motions), &step).periodic(period);
    let (found, expected) = (
        on_gpu.check(sweep()).expect("valid"),
        on_cpu.check(sweep()).expect("valid"),
    );
    assert_eq!(
        (found.found.impacts, found.images),
        (expected.found.impacts, expected.images)
    );
}
