//! Broad phases: all find the same pairs for every kind of query, and reports name the one used.

use obbligato::glam::Vec3;
use obbligato::query::Sweep;
use obbligato::{
    Backend, Bodies, BroadPhase, Checker, Config, Error, Obb, Pair, Query, Report, Rules, Set,
    motion::{Motion, MovingSet, Step},
    shape::Aabb,
};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference::{colliding_pairs, overlapping_bounds};
use obbligato_verify::scenes::{BodyScene, Scene, rings};

/// All but the automatic choice.
fn named() -> impl Iterator<Item = BroadPhase> {
    BroadPhase::ALL
        .iter()
        .copied()
        .filter(|phase| *phase != BroadPhase::Auto)
}

fn checker(broad_phase: BroadPhase) -> Checker {
    let config = Config {
        backend: Backend::Cpu,
        broad_phase,
        count_operations: true,
        ..Config::default()
    };
    Checker::new(config).expect("the CPU serves")
}

/// A checker for each broad phase.
fn checkers() -> Vec<(BroadPhase, Checker)> {
    named().map(|phase| (phase, checker(phase))).collect()
}

/// Compares all of them with the grid, and their reports with the request.
fn agree<'a>(what: &str, checkers: &mut [(BroadPhase, Checker)], query: impl Fn() -> Query<'a>) -> Vec<Pair> {
    let mut expected: Option<Report> = None;
    for (phase, checker) in checkers {
        let report = checker
            .check(query())
            .unwrap_or_else(|problem| panic!("{what}, {phase}: {problem}"));
        let choice = report.broad_phase.expect("pairs were looked for");
        assert_eq!(choice.used, *phase, "{what}");
        assert_eq!(
            report.grid.is_empty(),
            *phase != BroadPhase::Grid || report.boxes == 0,
            "{what}, {phase}"
        );
        match &expected {
            None => expected = Some(report),
            Some(expected) => {
                let pairs = [expected, &report].map(|report| report.pairs().expect("asked for"));
                assert!(
                    pairs[0] == pairs[1],
                    "{what}, {phase}: {} and {} pairs",
                    pairs[0].len(),
                    pairs[1].len()
                );
                assert_eq!(expected.touching_pairs, report.touching_pairs, "{what}, {phase}");
                // Scenes of spheres alone are not compared by their bounds in the grid.
                if !what.starts_with("balls") {
                    assert_eq!(expected.candidate_pairs, report.candidate_pairs, "{what}, {phase}");
                }
            }
        }
    }
    expected.and_then(|report| report.into_pairs().ok()).expect("a report")
}

#[test]
fn p1_p3_p4_all_scenes() {
    let mut checkers = checkers();
    for scene in Scene::ALL {
        for count in [0, 1, 2, 3, 100, 129, 3000] {
            let boxes = scene.generate(count, 7);
            let what = format!("{} of {count}", scene.name());
            let found = agree(&what, &mut checkers, || Query::from(&boxes));
            assert!(found == colliding_pairs(&boxes), "{what}");
        }
    }
}

#[test]
fn boxes_of_a_lattice_at_all_scales() {
    let mut checkers = checkers();
    let mut random = SplitMix(3);
    for exponent in [-140, -126, -100, -30, 0, 30, 55] {
        let unit = 2f64.powi(exponent);
        for count in [10, 400] {
            // Corners on few planes: most bounds touch, are equal or are flat.
            let mut number = |below: u64| (random.next() % below) as f64;
            let boxes: Vec<Aabb> = (0..count)
                .map(|_| {
                    let low = [number(9) - 4.0, number(9) - 4.0, number(9) - 4.0];
                    let high = low.map(|x| x + number(3));
                    let corner = |p: [f64; 3]| Vec3::from(p.map(|x| (x * unit) as f32));
                    Aabb::new(corner(low), corner(high))
                })
                .collect();
            let what = format!("{count} bounds of 2^{exponent}");
            let found = agree(&what, &mut checkers, || Query::from(&boxes));
            assert!(found == overlapping_bounds(&boxes), "{what}");
        }
    }
}

#[test]
fn one_spot_and_all_sizes() {
    let mut checkers = checkers();
    let spot = vec![Obb::axis_aligned(Vec3::new(3.0, -2.0, 1.0), Vec3::ONE); 700];
    assert_eq!(
        agree("one spot", &mut checkers, || Query::from(&spot)).len(),
        700 * 699 / 2
    );
    // Nested boxes, and boxes in a row, from the smallest to the largest.
    let nested: Vec<Obb> = (0..250)
        .map(|k| Obb::axis_aligned(Vec3::ZERO, Vec3::splat(2f32.powf(k as f32 / 2.5 - 45.0))))
        .collect();
    assert_eq!(
        agree("nested", &mut checkers, || Query::from(&nested)).len(),
        250 * 249 / 2
    );
    let row: Vec<Obb> = (0..250)
        .map(|k| {
            let size = 2f32.powf(k as f32 / 5.0 - 25.0);
            Obb::axis_aligned(Vec3::new(4.0 * size, 0.0, 0.0), Vec3::splat(size))
        })
        .collect();
    agree("a row of sizes", &mut checkers, || Query::from(&row));
}

#[test]
fn rules_two_sets_and_movers() {
    let mut checkers = checkers();
    let boxes = Scene::Dense.generate(2500, 11);
    let mut random = SplitMix(5);
    let mut list = |below: u64| -> Vec<u32> { (0..boxes.len()).map(|_| (random.next() % below) as u32).collect() };
    let (owners, worlds) = (list(40), list(7));
    let statics: Vec<bool> = list(3).into_iter().map(|x| x == 0).collect();
    let active: Vec<bool> = list(3).into_iter().map(|x| x > 0).collect();
    let margins: Vec<f32> = list(5).into_iter().map(|x| x as f32 * 0.1).collect();
    let groups: Vec<[u32; 2]> = list(16).into_iter().zip(list(16)).map(|(a, b)| [a | 1, b]).collect();
    let none = Rules::default();
    for (what, rules) in [
        (
            "owners",
            Rules {
                owners: Some(&owners),
                ..none
            },
        ),
        (
            "worlds",
            Rules {
                worlds: Some(&worlds),
                ..none
            },
        ),
        (
            "statics",
            Rules {
                statics: Some(&statics),
                ..none
            },
        ),
        (
            "active",
            Rules {
                active: Some(&active),
                ..none
            },
        ),
        (
            "margins",
            Rules {
                margins: Some(&margins),
                worlds: Some(&worlds),
                ..none
            },
        ),
        (
            "groups",
            Rules {
                groups: Some(&groups),
                ..none
            },
        ),
    ] {
        let found = agree(what, &mut checkers, || Query::from(Set::from(&boxes).with(rules)));
        assert!(found.len() > 100, "{what}: {}", found.len());
    }
    expect_two_sets(&mut checkers, &boxes, &worlds);
}

/// Asserts that all agree about two sets and about movers, with and without worlds.
fn expect_two_sets(checkers: &mut [(BroadPhase, Checker)], boxes: &[Obb], worlds: &[u32]) {
    let none = Rules::default();
    let (first, second) = boxes.split_at(900);
    let between = agree("two sets", checkers, || Query::between(first, second));
    let worlds_of = |rules: &[u32]| rules.to_vec();
    let (in_first, in_second) = (worlds_of(&worlds[..900]), worlds_of(&worlds[900..]));
    let rules = [&in_first, &in_second].map(|worlds| Rules {
        worlds: Some(worlds),
        ..none
    });
    let within_worlds = agree("two sets in worlds", checkers, || {
        Query::between(Set::from(first).with(rules[0]), Set::from(second).with(rules[1]))
    });
    assert!(within_worlds.len() > 10 && within_worlds.len() < between.len());

    for (phase, checker) in checkers {
        for (rules, expected) in [([none; 2], &between), (rules, &within_worlds)] {
            let scene = checker.prepare(Set::from(first).with(rules[0])).expect("valid boxes");
            assert_eq!(scene.broad_phase().used, *phase);
            let report = checker
                .check(Query::against(&scene, Set::from(second).with(rules[1])))
                .expect("the same checker");
            assert!(report.pairs().expect("asked for") == expected, "{phase}");
            assert_eq!(report.broad_phase, Some(scene.broad_phase()));
        }
    }
}

#[test]
fn other_shapes_and_motion() {
    let mut checkers = checkers();
    for scene in BodyScene::OTHERS {
        let owned = scene.bodies(2000, 3);
        let bodies: Bodies<'_> = owned.all();
        agree(&format!("balls or {}", scene.name()), &mut checkers, || {
            Query::from(bodies)
        });
    }
    // Five rings through one another; three of them hardly meet.
    let mesh = rings(50_000, 1);
    let found = agree("a mesh", &mut checkers, || Query::mesh(&mesh)).len();
    assert!(found > 500, "{found}");

    let boxes = Scene::Dense.generate(1500, 9);
    let mut random = SplitMix(8);
    let mut speed = || 6.0 * random.unit() as f32 - 3.0;
    let motions: Vec<Motion> = boxes
        .iter()
        .map(|_| Motion::linear(Vec3::new(speed(), speed(), speed())))
        .collect();
    let step = Step::new(0.5);
    let mut impacts = Vec::new();
    for (phase, checker) in &mut checkers {
        let found = checker
            .check(Sweep::new(MovingSet::new(&boxes, &motions), &step))
            .expect("valid motions")
            .impacts;
        let pairs: Vec<Pair> = found.iter().map(|impact| impact.pair).collect();
        match impacts.is_empty() {
            true => impacts = pairs,
            false => assert!(impacts == pairs, "{phase}"),
        }
    }
    assert!(impacts.len() > 5000, "{}", impacts.len());
}

#[test]
fn every_pair_on_any_number_of_threads() {
    let boxes = Scene::Clusters.generate(20_000, 2);
    let mut expected = None;
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads");
        // Brute force would take long.
        for phase in named().filter(|phase| *phase != BroadPhase::AllPairs) {
            let sum = pool.install(|| checker(phase).check(&boxes).and_then(|report| report.checksum()));
            let sum = sum.expect("valid boxes");
            assert_eq!(*expected.get_or_insert(sum), sum, "{phase} on {threads} threads");
        }
    }
}

#[test]
fn p6_the_report_names_the_automatic_choice() {
    assert_eq!(Config::default().broad_phase, BroadPhase::Auto);
    let mut checker = checker(BroadPhase::Auto);
    for (scene, count) in [
        (Scene::Uniform, 60),
        (Scene::Uniform, 2000),
        (Scene::Mixed, 3000),
        (Scene::Bricks, 3000),
    ] {
        let boxes = scene.generate(count, 4);
        let report = checker.check(&boxes).expect("valid boxes");
        assert!(report.pairs().expect("asked for") == colliding_pairs(&boxes));
        let choice = report.broad_phase.expect("pairs were looked for");
        assert_eq!(choice.used == BroadPhase::AllPairs, count < 100, "{}", choice.why);
        assert!(choice.used != BroadPhase::Auto, "{scene}");
        assert!(
            choice.why.split(' ').count() > 5 && !choice.why.ends_with('.'),
            "{}",
            choice.why
        );
        let given = checker.check(Query::pairs(&boxes, &[Pair::new(0, 1)]));
        assert_eq!(given.expect("valid pairs").broad_phase, None);
    }
}

#[test]
fn the_automatic_choice_depends_on_number_and_sizes() {
    let mut checker = checker(BroadPhase::Auto);
    for (scene, count, expected) in [
        (Scene::Uniform, 60, BroadPhase::AllPairs),
        (Scene::Uniform, 400, BroadPhase::Tree),
        (Scene::Uniform, 600, BroadPhase::Grid),
        // It is flat.
        (Scene::Crowd, 400, BroadPhase::Grid),
        // Sizes over ten octaves.
        (Scene::Mixed, 600, BroadPhase::Tree),
        (Scene::Mixed, 3000, BroadPhase::Grid),
        (Scene::Giants, 3000, BroadPhase::Grid),
    ] {
        let report = checker.check(&scene.generate(count, 4)).expect("valid boxes");
        let choice = report.broad_phase.expect("pairs were looked for");
        assert_eq!(choice.used, expected, "{count} of {scene}: {}", choice.why);
    }
}

#[test]
fn a_gpu_does_not_support_all_of_them() {
    for phase in named() {
        let config = |backend, adapter: Option<&str>| Config {
            backend,
            broad_phase: phase,
            adapter: adapter.map(str::to_owned),
            ..Config::default()
        };
        let refused = |config: Config| matches!(Checker::new(config), Err(Error::Unavailable { .. }));
        assert_eq!(refused(config(Backend::Gpu, None)), !phase.is_on_gpu(), "{phase}");
        assert_eq!(refused(config(Backend::Auto, Some("0"))), !phase.is_on_gpu(), "{phase}");
        if !phase.is_on_gpu() {
            let checker = Checker::new(config(Backend::Auto, None)).expect("the CPU serves");
            assert_eq!(
                checker.engine_for(1 << 20),
                checker.engine_for(1),
                "{phase}: {}",
                checker.choice()
            );
        }
    }
}

#[test]
fn operations_are_counted_on_request() {
    // All boxes are in the only cell: each looks it up, and meets the boxes after itself.
    let stack = [Obb::axis_aligned(Vec3::ONE, Vec3::ONE); 200];
    let operations = |count_operations| {
        let config = Config {
            backend: Backend::Cpu,
            broad_phase: BroadPhase::Grid,
            count_operations,
            ..Config::default()
        };
        let report = Checker::new(config).expect("the CPU serves").check(&stack);
        let report = report.expect("valid boxes");
        assert_eq!(report.colliding_pairs, 200 * 199 / 2);
        report.operations
    };
    assert_eq!(operations(false), None);
    let counted = operations(true).expect("asked for");
    assert_eq!((counted.rows, counted.comparisons), (200, 200 * 199 / 2));
}
