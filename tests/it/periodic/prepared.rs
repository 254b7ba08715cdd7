//! Movers against prepared scenes in space that repeats: the pairs of the reference, and those of
//! two sets.

use obbligato::error::PeriodProblem;
use obbligato::glam::Vec3;
use obbligato::motion::{Motion, MovingSet, Step};
use obbligato::query::{ExcludedPairs, Sweep};
use obbligato::{
    Bodies, BroadPhase, Checker, Config, Error, Obb, Output, Pair, Period, Query, Report, Result, Rules, Set, Sphere,
};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference;

use super::{LATTICES, Lengths, PLACES, Place, Random, config};
use crate::support::gpu::{cpu, gpu};

/// The places of scenes: in few cells, as they stay where they are given.
const AT_REST: [Place; 3] = [Place::Halves, Place::Cell, Place::Strays];

/// Prepares a scene, and checks movers against it.
fn against(checker: &mut Checker, scene: Set<'_>, movers: Set<'_>, lengths: Lengths) -> Result<Report> {
    let scene = checker.prepare(scene)?;
    checker.check(Query::against(&scene, movers).periodic(Period::new(lengths)))
}

/// Asserts that the pairs with a prepared scene are those between two sets, and returns them.
#[track_caller]
fn compare(
    what: &str,
    (checker, margin): (&mut Checker, f64),
    scene: Set<'_>,
    movers: Set<'_>,
    lengths: Lengths,
) -> Vec<Pair> {
    let found = against(checker, scene, movers, lengths).unwrap_or_else(|error| panic!("{what}: {error}"));
    let mut between = cpu(config(BroadPhase::Auto, margin));
    let expected = between
        .check(Query::between(scene, movers).periodic(Period::new(lengths)))
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    let pairs = |report: &Report| report.pairs().expect("asked for").to_vec();
    assert_eq!(pairs(&found), pairs(&expected), "{what}: pairs");
    let touching = |report: &Report| report.touching().map(<[Pair]>::to_vec).ok();
    assert_eq!(touching(&found), touching(&expected), "{what}: touching pairs");
    let counts = |report: &Report| (report.colliding_pairs, report.touching_pairs, report.near_pairs);
    assert_eq!(counts(&found), counts(&expected), "{what}: counts");
    pairs(&found)
}

/// Compares scenes and movers of all kinds of bodies.
fn compare_bodies((checker, margin): (&mut Checker, f64), what: &str, seed: u64) {
    let mut random = Random(SplitMix(seed));
    let mut found = 0;
    for lengths in LATTICES {
        for (of_scene, of_movers) in AT_REST.into_iter().flat_map(|one| PLACES.map(|other| (one, other))) {
            let (scene, movers) = (
                random.bodies(of_scene, [40, 12, 12]),
                random.bodies(of_movers, [24, 8, 8]),
            );
            let what = format!("{what} {lengths:?} {of_scene:?} {of_movers:?}");
            found += compare(
                &what,
                (checker, margin),
                scene.all().into(),
                movers.all().into(),
                lengths,
            )
            .len();
        }
    }
    assert!(found > 3_000, "{what}: {found} pairs");
}

#[test]
fn c1_prepared_scenes_of_every_broad_phase() {
    for (phase, seed) in BroadPhase::ALL.iter().copied().zip(81..) {
        for margin in [0.0, 0.5] {
            compare_bodies(
                (&mut cpu(config(phase, margin)), margin),
                &format!("{phase} margin {margin}"),
                seed,
            );
        }
    }
}

#[test]
fn c1_prepared_scenes_on_a_gpu() {
    // The margin and the broad phase depend on nothing of each other.
    for (phase, margin, seed) in [(BroadPhase::Grid, 0.5, 91), (BroadPhase::Lbvh, 0.0, 92)] {
        compare_bodies(
            (&mut gpu(config(phase, margin)), margin),
            &format!("{phase} margin {margin}"),
            seed,
        );
    }
}

#[test]
fn c1_prepared_scenes_have_the_pairs_of_the_reference() {
    let mut random = Random(SplitMix(71));
    for margin in [0.0, 0.5] {
        let mut checkers = [
            cpu(config(BroadPhase::Auto, margin)),
            gpu(config(BroadPhase::Auto, margin)),
        ];
        for (lengths, of_movers) in LATTICES
            .into_iter()
            .zip([PLACES[3], PLACES[1], PLACES[2], PLACES[0], PLACES[0]])
        {
            let scene = random.bodies(Place::Halves, [30, 0, 0]).boxes;
            let movers = random.bodies(of_movers, [20, 0, 0]).boxes;
            let all = [&scene[..], &movers].concat();
            let expected: Vec<Pair> = reference::periodic_pairs(Bodies::from(&all), lengths, margin)
                .into_iter()
                .map(|(pair, _)| pair)
                .filter(|pair| pair.a < 30 && pair.b >= 30)
                .map(|Pair { a, b }| Pair { a, b: b - 30 })
                .collect();
            assert!(expected.len() > 10, "{lengths:?}: {}", expected.len());
            for checker in &mut checkers {
                let found = against(checker, (&scene).into(), (&movers).into(), lengths).expect("valid boxes");
                assert_eq!(
                    found.pairs().expect("asked for"),
                    expected,
                    "{:?} {lengths:?} margin {margin}",
                    checker.engine()
                );
            }
        }
    }
}

#[test]
fn c1_rules_of_prepared_scenes() {
    let mut random = Random(SplitMix(72));
    let (scene, movers) = (
        random.bodies(Place::Strays, [60, 16, 16]),
        random.bodies(Place::Anywhere, [40, 12, 12]),
    );
    let both = [scene.all(), movers.all()];
    let worlds = both.map(|set| (0..set.len() as u32).map(|id| id % 3).collect::<Vec<_>>());
    let owners = both.map(|set| (0..set.len() as u32).map(|id| id % 5).collect::<Vec<_>>());
    let statics = both.map(|set| (0..set.len()).map(|id| id % 4 == 0).collect::<Vec<_>>());
    let margins = both.map(|set| (0..set.len()).map(|id| 0.125 * (id % 3) as f32).collect::<Vec<_>>());
    let pairs: Vec<Pair> = (0..60)
        .flat_map(|a| (0..40).map(move |b| Pair { a, b }))
        .step_by(2)
        .collect();
    let excluded = ExcludedPairs::new(&pairs).expect("memory");
    let none = Rules::default();
    let rules = |k: usize| {
        [
            Rules {
                worlds: Some(&worlds[k]),
                ..none
            },
            Rules {
                owners: Some(&owners[k]),
                statics: Some(&statics[k]),
                ..none
            },
            Rules {
                margins: Some(&margins[k]),
                ..none
            },
        ]
    };
    let mut counts = Vec::new();
    for (of_scene, of_movers) in rules(0).into_iter().zip(rules(1)) {
        for (name, mut checker) in [
            ("CPU", cpu(config(BroadPhase::Auto, 0.0))),
            ("GPU", gpu(config(BroadPhase::Auto, 0.0))),
        ] {
            let set = |k: usize, rules| Set::from(both[k]).with(rules);
            let sets = [set(0, of_scene), set(1, of_movers)];
            let found = compare(name, (&mut checker, 0.0), sets[0], sets[1], LATTICES[1]);
            counts.push(found.len());
            // Pairs are excluded by the scene or by the movers. In two sets, rules refer to one.
            let keeps = |pair: &Pair| pairs.binary_search(pair).is_err();
            let kept: Vec<Pair> = found.into_iter().filter(keeps).collect();
            let excludes = |rules| Rules {
                excluded: Some(&excluded),
                ..rules
            };
            for [of_scene, of_movers] in [[excludes(of_scene), of_movers], [of_scene, excludes(of_movers)]] {
                let found = against(&mut checker, set(0, of_scene), set(1, of_movers), LATTICES[1]);
                let found = found.expect("valid bodies");
                assert_eq!(found.pairs().expect("asked for"), kept, "{name}: excluded pairs");
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
}

#[test]
fn c1_degrees_and_visitors_of_prepared_scenes() {
    let mut random = Random(SplitMix(73));
    let (scene, movers) = (
        random.bodies(Place::Cell, [60, 16, 16]),
        random.bodies(Place::Cell, [40, 12, 12]),
    );
    let period = Period::new(LATTICES[1]);
    for make in [cpu as fn(Config) -> Checker, gpu] {
        let mut checker = make(Config::default());
        let at_rest = checker.prepare(scene.all()).expect("valid bodies");
        let query = Query::against(&at_rest, movers.all()).periodic(period);
        let pairs = checker
            .check(query)
            .expect("valid bodies")
            .pairs()
            .expect("asked for")
            .to_vec();
        let visited = std::sync::Mutex::new(Vec::new());
        let visit = |pairs: &[Pair]| visited.lock().expect("no panic").extend_from_slice(pairs);
        checker.check(query.visit(&visit)).expect("valid bodies");
        let mut visited = visited.into_inner().expect("no panic");
        visited.sort_unstable();
        assert_eq!(visited, pairs);
        let mut checker = make(Config {
            output: Output::Degrees,
            ..Config::default()
        });
        let at_rest = checker.prepare(scene.all()).expect("valid bodies");
        let report = checker
            .check(Query::against(&at_rest, movers.all()).periodic(period))
            .expect("valid bodies");
        let degree = |id: u32| pairs.iter().filter(|pair| pair.b == id).count() as u32;
        let expected: Vec<u32> = (0..movers.all().len() as u32).map(degree).collect();
        assert_eq!(report.degrees().expect("asked for"), expected);
    }
}

#[test]
fn c1_few_bodies_in_prepared_scenes() {
    let (ball, none) = ([Sphere::new(Vec3::new(0.1, 0.0, 0.0), 0.2)], [] as [Sphere; 0]);
    let other = [Sphere::new(Vec3::new(-400.2, 0.0, 0.0), 0.2)];
    let lengths = [Some(4.0), None, None];
    for mut checker in [cpu(Config::default()), gpu(Config::default())] {
        for (scene, movers, count) in [
            (&ball[..], &other[..], 1),
            (&none, &other, 0),
            (&ball, &none, 0),
            (&none, &none, 0),
        ] {
            let found = against(&mut checker, scene.into(), movers.into(), lengths).expect("valid balls");
            assert_eq!(
                found.pairs().expect("asked for").len(),
                count,
                "{} {}",
                scene.len(),
                movers.len()
            );
        }
    }
}

#[test]
fn c1_bodies_of_prepared_scenes_narrower_than_the_period() {
    let rod = |x: f32, half: f32| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::new(half, 0.5, 0.5));
    let lengths = [Some(4.0), None, None];
    let (narrow, wide) = (
        [rod(0.0, 1.0), rod(1.0, 1.9)],
        [rod(0.0, 1.0), rod(1.0, 2.0), rod(1.0, 3.0)],
    );
    for mut checker in [cpu(Config::default()), gpu(Config::default())] {
        for (scene, movers, place) in [(&wide[..], &narrow[..], 1), (&narrow, &wide, 3)] {
            match against(&mut checker, scene.into(), movers.into(), lengths) {
                Err(Error::OutOfPeriod {
                    index,
                    problem: PeriodProblem::TooWide { axis: 'x' },
                    count: 2,
                }) if index == place => {}
                other => panic!("{other:?}"),
            }
        }
        let far = [rod(0.0, 1.0), rod(400.0, 1.0)];
        match against(&mut checker, (&far).into(), (&narrow).into(), lengths) {
            Err(error @ Error::Unavailable { .. }) => assert!(error.to_string().contains("36 images"), "{error}"),
            other => panic!("{other:?}"),
        }
        // Movers may be anywhere.
        assert!(against(&mut checker, (&narrow).into(), (&far).into(), lengths).is_ok());
    }
}

#[test]
fn c1_sweeps_against_prepared_scenes() {
    let mut random = Random(SplitMix(74));
    let (mut impacts, mut wrapped) = (0, 0);
    for lengths in LATTICES {
        let (scene, movers) = (
            random.bodies(Place::Strays, [40, 12, 12]),
            random.bodies(Place::Strays, [24, 8, 8]),
        );
        let count = movers.all().len();
        let motions: Vec<Motion> = (0..count)
            .map(|k| Motion::linear(Vec3::new(k as f32 * 0.25 - 5.0, 2.0, -1.0)))
            .collect();
        let (rest, step, period) = ([Motion::REST; 64], Step::new(0.5), Period::new(lengths));
        let moving = MovingSet::new(movers.all(), &motions);
        let between = Sweep::between(MovingSet::new(scene.all(), &rest), moving, &step).periodic(period);
        let expected = cpu(Config::default()).check(between).expect("valid bodies");
        for mut checker in [cpu(Config::default()), gpu(Config::default())] {
            let at_rest = checker.prepare(scene.all()).expect("valid bodies");
            let found = checker
                .check(Sweep::against(&at_rest, moving, &step).periodic(period))
                .expect("valid bodies");
            assert_eq!(
                found.found.impacts,
                expected.found.impacts,
                "{:?} {lengths:?}",
                checker.engine()
            );
            assert_eq!(found.images, expected.images, "{:?} {lengths:?}", checker.engine());
        }
        impacts += expected.images.len();
        wrapped += expected.images.iter().filter(|image| **image != [0; 3]).count();
    }
    assert!(
        impacts > 300 && wrapped > 150 && wrapped < impacts,
        "{impacts} {wrapped}"
    );
    // A mover that turns is as wide as it gets; its position continues from the scene's.
    let rod = [Obb::axis_aligned(Vec3::ZERO, Vec3::new(0.25, 2.0, 0.25))];
    let (turns, step) = ([Motion::REST.turning(Vec3::Z * 1.6)], Step::new(1.0));
    let mut checker = cpu(Config::default());
    let at_rest = checker.prepare(&[Sphere::new(Vec3::ONE, 0.1); 3]).expect("valid balls");
    let sweep = Sweep::against(&at_rest, MovingSet::new(&rod, &turns), &step);
    match checker.check(sweep.periodic(Period::new([Some(4.0), None, None]))) {
        Err(Error::OutOfPeriod { index: 3, count: 1, .. }) => {}
        other => panic!("{other:?}"),
    }
}
