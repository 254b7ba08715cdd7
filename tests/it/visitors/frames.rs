//! Visitors of recorded frames: the pairs of lists, in any setting, and nothing lost.

use obbligato::gpu::{Capacity, FrameQuery, FrameVisitor, Outcome, Recorded, RulesOf};
use obbligato::{
    BroadPhase, Config, GpuChecker, GpuConfig, Obb, Pair, Precision, Query, Rules,
    glam::Vec3Swizzles,
    shape::{Aabb, Triangle},
    wgpu,
};
use obbligato_verify::reference::{colliding_pairs, overlapping_bounds};
use obbligato_verify::scenes::{BodyScene, Scene};

use crate::bodies_gpu::counts_of;
use crate::support::application::Application;
use crate::support::gpu::{check, cpu, expect_pairs};

/// Collects pairs, and whether they are undecided, after their number.
pub(super) const COLLECT: &str = "
    @group(1) @binding(0) var<storage, read_write> visited: array<atomic<u32>>;

    fn visit(pair: Pair, undecided: bool) {
        let place = 3u * atomicAdd(&visited[0], 1u);
        if place + 3u >= arrayLength(&visited) { return; }
        atomicStore(&visited[place + 1u], pair.a);
        atomicStore(&visited[place + 2u], pair.b);
        atomicStore(&visited[place + 3u], select(0u, 1u, undecided));
    }
";

/// The maximum number of pairs collected.
const MOST: usize = 130_000;

pub(super) const ROOM: Capacity = Capacity {
    boxes: 4000,
    candidates: 130_000,
    pairs: 0,
    undecided: 130_000,
};

/// A buffer for [`COLLECT`].
pub(super) fn collection(application: &Application) -> wgpu::Buffer {
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
    application.buffer(&vec![0; 4 * (3 * MOST + 4)], usage)
}

/// The visited pairs, sorted, with those that are undecided apart.
pub(super) fn collected(checker: &mut GpuChecker, buffer: &wgpu::Buffer) -> [Vec<Pair>; 2] {
    let words: Vec<u32> = checker.read(buffer, 3 * MOST as u32 + 4).expect("a buffer");
    let count = words[0] as usize;
    assert!(count < MOST, "{count} pairs");
    let (mut decided, mut undecided) = (Vec::new(), Vec::new());
    for pair in words[1..].chunks(3).take(count) {
        let list = if pair[2] == 0 { &mut decided } else { &mut undecided };
        list.push(Pair { a: pair[0], b: pair[1] });
    }
    decided.sort_unstable();
    undecided.sort_unstable();
    [decided, undecided]
}

/// Records a frame, runs it, and reads its outcome and its undecided pairs.
pub(super) fn run(application: &Application, checker: &mut GpuChecker, query: FrameQuery<'_>) -> (Outcome, Vec<Pair>) {
    let mut encoder = application.encoder();
    let recorded: Recorded = checker.record(&mut encoder, query).expect("a recorded frame");
    application.queue.submit([encoder.finish()]);
    let outcome: Outcome = checker.read(&recorded.outcome, 1).expect("an outcome")[0];
    let undecided = checker.read(&recorded.undecided, outcome.undecided);
    (outcome, undecided.expect("pairs"))
}

/// Asserts that a visitor gets the expected pairs, each once, whether or not it also gets undecided
/// pairs, which `collides` decides. Returns the number of the latter.
#[track_caller]
pub(super) fn expect_visits(
    application: &Application,
    checker: &mut GpuChecker,
    (what, query): (&str, FrameQuery<'_>),
    expected: &[Pair],
    collides: impl Fn(&Pair) -> bool,
) -> usize {
    let buffer = collection(application);
    let visitor = FrameVisitor::new(COLLECT).bind(0, &buffer);
    let (outcome, listed) = run(application, checker, query.visit(&visitor));
    let [mut found, undecided] = collected(checker, &buffer);
    assert_eq!((outcome.fits, outcome.pairs), (1, 0), "{what}: {outcome:?}");
    assert_eq!(outcome.pairs_needed as usize, found.len(), "{what}: the total");
    assert!(
        undecided.is_empty(),
        "{what}: {} undecided pairs visited",
        undecided.len()
    );
    found.extend(listed.iter().filter(|pair| collides(pair)));
    found.sort_unstable();
    expect_pairs(what, expected, &found);

    let buffer = collection(application);
    let visitor = FrameVisitor::new(COLLECT).bind(0, &buffer).undecided();
    let (outcome, listed) = run(application, checker, query.visit(&visitor));
    let [mut found, undecided] = collected(checker, &buffer);
    assert!(outcome.fits == 1 && listed.is_empty(), "{what}: {outcome:?}");
    assert_eq!(outcome.complete == 1, undecided.is_empty(), "{what}: {outcome:?}");
    found.extend(undecided.iter().filter(|pair| collides(pair)));
    found.sort_unstable();
    expect_pairs(what, expected, &found);
    undecided.len()
}

/// Settings without the features that an adapter need not have, and with little room.
pub(super) fn all_settings() -> [(&'static str, Config); 4] {
    let with = |gpu| Config {
        gpu,
        ..Config::default()
    };
    let plain = GpuConfig {
        subgroups: false,
        shader_f64: false,
        ..GpuConfig::default()
    };
    let split = GpuConfig {
        max_buffer_bytes: Some(1 << 15),
        shader_checks: true,
        ..GpuConfig::default()
    };
    let lbvh = Config {
        broad_phase: BroadPhase::Lbvh,
        ..Config::default()
    };
    [
        ("default", Config::default()),
        ("plain", with(plain)),
        ("split", with(split)),
        ("tree", lbvh),
    ]
}

#[test]
fn c6_visitors_of_frames_get_each_pair_once() {
    let application = Application::new();
    let mut undecided = 0;
    for (name, config) in all_settings() {
        let is_split = name == "split";
        let mut checker = application.checker(config);
        if !is_split {
            checker.reserve(ROOM).expect("room");
        }
        let count = if is_split { 900 } else { 500 };
        for scene in Scene::ALL {
            let boxes = scene.generate(count as usize, 8);
            let expected = colliding_pairs(&boxes);
            if is_split && expected.len() > 1000 {
                continue;
            }
            let buffer = application.boxes(&boxes);
            let collides = |pair: &Pair| boxes[pair.a as usize].contact(&boxes[pair.b as usize]).collides();
            let query = FrameQuery::boxes(&buffer, count);
            let what = format!("{name}, {scene}");
            undecided += expect_visits(&application, &mut checker, (&what, query), &expected, collides);
        }
    }
    assert!(undecided > 1000, "{undecided} pairs are undecided");
}

#[test]
fn c6_visitors_of_frames_get_the_pairs_of_all_bodies() {
    let application = Application::new();
    for (name, config) in all_settings() {
        for margin in [0.0, 0.25] {
            let config = Config {
                margin,
                ..config.clone()
            };
            let mut checker = application.checker(config.clone());
            if name != "split" {
                checker.reserve(ROOM).expect("room");
            }
            for scene in [
                BodyScene::Boxes(Scene::Uniform),
                BodyScene::Spheres,
                BodyScene::Capsules,
                BodyScene::MixedKinds,
                BodyScene::Lattice,
            ] {
                let bodies = scene.bodies(700, 4);
                let what = format!("{name}, {scene}, margin {margin}");
                let expected = check(&mut cpu(config.clone()), &what, bodies.all());
                let buffer = checker.upload_bodies(bodies.all()).expect("a buffer");
                let query = FrameQuery::bodies(&buffer, counts_of(&bodies.all()));
                let pairs = expected.pairs().expect("asked for");
                assert!(pairs.len() > 100, "{what}: {} pairs", pairs.len());
                if name == "split" && pairs.len() > 500 {
                    continue;
                }
                // The host decides what the device leaves undecided.
                let collides = |pair: &Pair| pairs.binary_search(pair).is_ok();
                expect_visits(&application, &mut checker, (&what, query), pairs, collides);
            }
        }
    }
}

#[test]
fn visitors_of_frames_get_pairs_of_bounds_triangles_and_movers() {
    let application = Application::new();
    for (name, config) in all_settings() {
        let mut checker = application.checker(config);
        let boxes = Scene::Mixed.generate(700, 3);
        let bounds: Vec<Aabb> = boxes.iter().map(Obb::bounds).collect();
        let buffer = checker.upload(&bounds).expect("a buffer");
        let query = FrameQuery::bounds(&buffer, 700);
        let expected = overlapping_bounds(&bounds);
        expect_visits(&application, &mut checker, (name, query), &expected, |_| unreachable!());

        let triangles: Vec<Triangle> = boxes
            .iter()
            .map(|obb| {
                Triangle::new(
                    obb.center,
                    obb.center + obb.half_extents,
                    obb.center - obb.half_extents.zxy(),
                )
            })
            .collect();
        let expected = check(&mut cpu(Config::default()), name, &triangles);
        let buffer = checker.upload(&triangles).expect("a buffer");
        let query = FrameQuery::triangles(&buffer, 700);
        let meet = |pair: &Pair| triangles[pair.a as usize].meets(&triangles[pair.b as usize]);
        let pairs = expected.pairs().expect("asked for");
        expect_visits(&application, &mut checker, (name, query), pairs, meet);

        let (resting, movers) = boxes.split_at(500);
        let scene = checker.checker().prepare(resting).expect("valid boxes");
        let expected = checker
            .checker()
            .check(Query::against(&scene, movers))
            .expect("valid boxes");
        let buffer = application.boxes(movers);
        let collides = |pair: &Pair| resting[pair.a as usize].contact(&movers[pair.b as usize]).collides();
        let query = FrameQuery::against(&scene, &buffer, 200);
        let pairs = expected.pairs().expect("asked for");
        expect_visits(&application, &mut checker, (name, query), pairs, collides);
    }
}

#[test]
fn visitors_of_frames_get_pairs_of_rules_and_precisions() {
    let application = Application::new();
    let boxes = Scene::Crowd.generate(600, 5);
    let buffer = application.boxes(&boxes);
    let owners: Vec<u32> = (0..600).map(|k| k / 4).collect();
    let rules = Rules {
        owners: Some(&owners),
        ..Rules::default()
    };
    let mut checker = application.checker(Config::default());
    let uploaded = checker.upload_rules(RulesOf::boxes(&rules, 600)).expect("rules");
    let mut expected = colliding_pairs(&boxes);
    expected.retain(|pair| pair.a / 4 != pair.b / 4);
    let collides = |pair: &Pair| boxes[pair.a as usize].contact(&boxes[pair.b as usize]).collides();
    let query = FrameQuery::boxes(&buffer, 600).with(&uploaded);
    expect_visits(&application, &mut checker, ("rules", query), &expected, collides);

    // Nothing is undecided then.
    for precision in [Precision::Fast, Precision::Conservative] {
        let mut checker = application.checker(Config {
            precision,
            ..Config::default()
        });
        let query = FrameQuery::boxes(&buffer, 600);
        let listed = {
            let mut encoder = application.encoder();
            let recorded = checker.record(&mut encoder, query).expect("a recorded frame");
            application.queue.submit([encoder.finish()]);
            let outcome: Outcome = checker.read(&recorded.outcome, 1).expect("an outcome")[0];
            let mut pairs: Vec<Pair> = checker.read(&recorded.pairs, outcome.pairs).expect("pairs");
            pairs.sort_unstable();
            pairs
        };
        let what = format!("{precision:?}");
        expect_visits(&application, &mut checker, (&what, query), &listed, |_| unreachable!());
    }
}

/// More undecided pairs than fit their list: those are lost from the list, which the outcome says,
/// but a visitor of undecided pairs gets all of them.
#[test]
fn c6_no_undecided_pair_is_lost() {
    let application = Application::new();
    let boxes = Scene::Bricks.generate(3000, 1);
    let expected = colliding_pairs(&boxes);
    for (name, config) in all_settings() {
        let gpu = GpuConfig {
            initial_candidates: 1,
            initial_pairs: 1,
            ..config.gpu.clone()
        };
        let mut checker = application.checker(Config { gpu, ..config });
        let room = Capacity { undecided: 1, ..ROOM };
        // There is too little room for the candidates.
        if name == "split" {
            continue;
        }
        checker.reserve(room).expect("room");
        let buffer = application.boxes(&boxes);
        let query = FrameQuery::boxes(&buffer, 3000);
        let pairs = collection(&application);
        let listing = FrameVisitor::new(COLLECT).bind(0, &pairs);
        let (outcome, _) = run(&application, &mut checker, query.visit(&listing));
        assert_eq!((outcome.fits, outcome.complete), (0, 0), "{name}: {outcome:?}");
        let pairs = collection(&application);
        let visitor = FrameVisitor::new(COLLECT).bind(0, &pairs).undecided();
        let (outcome, _) = run(&application, &mut checker, query.visit(&visitor));
        assert_eq!((outcome.fits, outcome.complete), (1, 0), "{name}: {outcome:?}");
        let [mut found, undecided] = collected(&mut checker, &pairs);
        assert!(undecided.len() > 5000, "{name}: {} undecided", undecided.len());
        let collides = |pair: &&Pair| boxes[pair.a as usize].contact(&boxes[pair.b as usize]).collides();
        found.extend(undecided.iter().filter(collides));
        found.sort_unstable();
        expect_pairs(name, &expected, &found);
    }
}

/// Candidate pairs that do not fit are neither visited nor forgotten.
#[test]
fn candidates_that_do_not_fit_are_reported_to_visitors() {
    let application = Application::new();
    let boxes = Scene::Dense.generate(2000, 1);
    let gpu = GpuConfig {
        initial_candidates: 100,
        ..GpuConfig::default()
    };
    let mut checker = application.checker(Config {
        gpu,
        ..Config::default()
    });
    let (buffer, pairs) = (application.boxes(&boxes), collection(&application));
    let visitor = FrameVisitor::new(COLLECT).bind(0, &pairs);
    let (outcome, _) = run(
        &application,
        &mut checker,
        FrameQuery::boxes(&buffer, 2000).visit(&visitor),
    );
    assert!(outcome.fits == 0 && outcome.candidates_needed > 2000, "{outcome:?}");
    let room = Capacity {
        candidates: outcome.candidates_needed,
        ..Capacity::default()
    };
    checker.reserve(room).expect("room");
    let collides = |pair: &Pair| boxes[pair.a as usize].contact(&boxes[pair.b as usize]).collides();
    let query = FrameQuery::boxes(&buffer, 2000);
    expect_visits(
        &application,
        &mut checker,
        ("again", query),
        &colliding_pairs(&boxes),
        collides,
    );
}

/// Frames with different visitors, and without any, in one encoder.
#[test]
fn frames_in_one_encoder_have_their_own_visitors() {
    const COUNT: &str = "
        struct Counts { pairs: atomic<u32>, sum: atomic<u32> }
        @group(1) @binding(3) var<storage, read_write> counts: Counts;
        @group(1) @binding(5) var<uniform> factor: vec4<u32>;
        fn visit(pair: Pair, undecided: bool) {
            atomicAdd(&counts.pairs, 1u);
            atomicAdd(&counts.sum, factor.x * (pair.a + pair.b));
        }
    ";
    let application = Application::new();
    let mut checker = application.checker(Config::default());
    let boxes = Scene::Uniform.generate(1000, 6);
    let expected = colliding_pairs(&boxes);
    let (buffer, pairs) = (application.boxes(&boxes), collection(&application));
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
    let counts = application.buffer(&[0; 48], usage);
    let factor = application.buffer(bytemuck::cast_slice(&[3u32, 0, 0, 0]), wgpu::BufferUsages::UNIFORM);
    let collecting = FrameVisitor::new(COLLECT).bind(0, &pairs).undecided();
    let counting = FrameVisitor::new(COUNT).bind(5, &factor).bind(3, &counts);
    let query = FrameQuery::boxes(&buffer, 1000);
    let mut encoder = application.encoder();
    for query in [query.visit(&counting), query.visit(&collecting), query.visit(&counting)] {
        checker.record(&mut encoder, query).expect("a recorded frame");
    }
    let recorded = checker.record(&mut encoder, query).expect("a recorded frame");
    application.queue.submit([encoder.finish()]);
    let [found, undecided] = collected(&mut checker, &pairs);
    let outcome: Outcome = checker.read(&recorded.outcome, 1).expect("an outcome")[0];
    let mut listed: Vec<Pair> = checker.read(&recorded.pairs, outcome.pairs).expect("pairs");
    listed.sort_unstable();
    expect_pairs("a list after visits", &listed, &found);
    assert_eq!(found.len() + undecided.len(), expected.len());
    let sum: u32 = found.iter().map(|pair| 3 * (pair.a + pair.b)).sum();
    let counts: Vec<u32> = checker.read(&counts, 2).expect("counts");
    assert_eq!(counts, [2 * found.len() as u32, 2 * sum]);
}
