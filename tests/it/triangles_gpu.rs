//! Triangles on a GPU: the same pairs as `Triangle::meets` for all pairs, as on the CPU, whatever
//! the limits.

mod hard_scenes;

use obbligato::gpu::{Capacity, FrameQuery, Outcome, RulesOf};
use obbligato::unstable::gpu::{Inside, Limit};
use obbligato::{
    Checker, Config, Error, GpuConfig, Pair, Precision, Query, Report, Rules, Set, error::BoxProblem, glam::Vec3,
    query::ExcludedPairs, report::Stage, shape::Triangle,
};
use obbligato_support::split_mix::SplitMix;

use crate::support::gpu::{OUTPUTS, cpu, expect_pairs, expect_same, gpu, gpu_checker};
use crate::triangles_gpu::hard_scenes::{scenes, surface};

/// Bindings of this many bytes hold 1,792 triangles, and slots of the grid for 3,840.
const BYTES: u64 = 1 << 16;
const OF_SEGMENT: usize = 1792;
const MOST: usize = 3840;

fn all_settings(settings: &GpuConfig) -> [(&'static str, GpuConfig); 3] {
    let plain = GpuConfig {
        subgroups: false,
        shader_f64: false,
        ..settings.clone()
    };
    let checked = GpuConfig {
        shader_checks: true,
        ..settings.clone()
    };
    [
        ("default", settings.clone()),
        ("plain", plain),
        ("shader checks", checked),
    ]
}

fn small() -> GpuConfig {
    GpuConfig {
        max_buffer_bytes: Some(BYTES),
        initial_candidates: 1,
        initial_pairs: 16,
        ..GpuConfig::default()
    }
}

fn config(gpu: GpuConfig) -> Config {
    Config {
        gpu,
        ..Config::default()
    }
}

fn vector(random: &mut SplitMix, size: f32) -> Vec3 {
    Vec3::from([(); 3].map(|()| (2.0 * random.unit() - 1.0) as f32 * size))
}

/// A point with integer coordinates from 0 to one less than these.
fn whole(random: &mut SplitMix, sides: [u64; 3]) -> Vec3 {
    Vec3::from(sides.map(|side| (random.next() % side) as f32))
}

/// Triangles of sizes about 1 in a cube, each in a few pairs.
fn cloud(count: usize, seed: u64) -> Vec<Triangle> {
    let mut random = SplitMix(seed);
    let side = (count as f32 / 8.0).cbrt();
    let one = |_| {
        let middle = vector(&mut random, side);
        Triangle::new(
            middle + vector(&mut random, 1.0),
            middle + vector(&mut random, 1.0),
            middle + vector(&mut random, 1.0),
        )
    };
    (0..count).map(one).collect()
}

fn made(count: usize, mut one: impl FnMut() -> Triangle) -> Vec<Triangle> {
    (0..count).map(|_| one()).collect()
}

/// The pairs with a common corner that count.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Neighbours {
    All,
    Crossing,
    None,
}

fn counts(a: &Triangle, b: &Triangle, neighbours: Neighbours) -> bool {
    match neighbours {
        Neighbours::All => a.meets(b),
        Neighbours::Crossing => a.meets_in_mesh(b),
        Neighbours::None => a.meets(b) && !a.have_common_corner(b),
    }
}

/// The pairs that meet, by brute force.
fn meeting(triangles: &[Triangle]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (k, a) in triangles.iter().enumerate() {
        for (l, b) in triangles.iter().enumerate().skip(k + 1) {
            if a.meets(b) {
                pairs.push(Pair::new(k as u32, l as u32));
            }
        }
    }
    pairs
}

/// Those of the pairs that meet that count.
fn counting(triangles: &[Triangle], meeting: &[Pair], neighbours: Neighbours) -> Vec<Pair> {
    let of = |id: u32| &triangles[id as usize];
    let mut pairs = meeting.to_vec();
    pairs.retain(|pair| counts(of(pair.a), of(pair.b), neighbours));
    pairs
}

fn queries(triangles: &[Triangle]) -> [(&'static str, Neighbours, Query<'_>); 3] {
    [
        ("all", Neighbours::All, Query::from(triangles)),
        ("a mesh", Neighbours::Crossing, Query::mesh(triangles)),
        (
            "a mesh without neighbours",
            Neighbours::None,
            Query::mesh_without_neighbours(triangles),
        ),
    ]
}

fn check<'a>(checker: &mut Checker, what: &str, query: impl Into<Query<'a>>) -> Report {
    checker.check(query).unwrap_or_else(|error| panic!("{what}: {error}"))
}

#[test]
fn s3_s4_every_form_finds_all_pairs() {
    let mut on_cpu = cpu(Config::default());
    let scenes = scenes().into_iter().map(|(name, triangles)| {
        let meeting = meeting(&triangles);
        let expected = queries(&triangles).map(|(query_name, neighbours, query)| {
            let report = check(&mut on_cpu, &format!("{name}, {query_name}, the CPU"), query);
            (counting(&triangles, &meeting, neighbours), report)
        });
        (name, triangles, expected)
    });
    let scenes: Vec<_> = scenes.collect();
    for (settings_name, settings) in all_settings(&GpuConfig::default())
        .into_iter()
        .chain([("small", small())])
    {
        let mut checker = gpu(config(settings));
        for (name, triangles, expected) in &scenes {
            for ((query_name, _, query), (pairs, on_cpu)) in queries(triangles).into_iter().zip(expected) {
                let what = format!("{name}, {query_name}, {settings_name}");
                let report = check(&mut checker, &what, query);
                expect_pairs(&what, pairs, report.pairs().expect("asked for"));
                assert_eq!(&report.engine, checker.engine(), "{what}");
                expect_same(&what, on_cpu, &report);
            }
        }
    }
}

#[test]
fn few_pairs_are_left_to_the_host() {
    let mut checker = gpu(Config::default());
    let report = check(&mut checker, "a cloud", Query::from(&cloud(20_000, 5)));
    assert!(report.candidate_pairs > 50_000, "{} candidates", report.candidate_pairs);
    assert!(
        report.undecided_pairs * 200 < report.candidate_pairs,
        "{} undecided",
        report.undecided_pairs
    );
    // All candidates lie in one plane or have a corner in common.
    let plain = surface(100, |_, _| 0.0);
    for (query_name, _, query) in queries(&plain) {
        let report = check(&mut checker, query_name, query);
        assert!(report.candidate_pairs > 50_000, "{} candidates", report.candidate_pairs);
        assert!(
            report.undecided_pairs * 20 < report.candidate_pairs,
            "{query_name}: {} undecided",
            report.undecided_pairs
        );
    }
}

#[test]
fn every_output_and_precision_agrees() {
    let triangles = cloud(1500, 2);
    let expected = meeting(&triangles);
    for output in OUTPUTS {
        for precision in [Precision::Exact, Precision::Fast, Precision::Conservative] {
            let config = Config {
                output,
                precision,
                ..Config::default()
            };
            let what = format!("{output:?}, {precision:?}");
            let report = check(&mut gpu(config.clone()), &what, Query::from(&triangles));
            assert_eq!(report.colliding_pairs, expected.len() as u64, "{what}");
            expect_same(&what, &check(&mut cpu(config), &what, Query::from(&triangles)), &report);
        }
    }
    let few = Config {
        max_pairs: Some(100),
        ..Config::default()
    };
    let report = check(&mut gpu(few), "a fixed capacity", Query::from(&triangles));
    assert_eq!(
        (report.pairs().expect("asked for").len(), report.complete),
        (100, false)
    );
    assert!(
        report
            .pairs()
            .expect("asked for")
            .iter()
            .all(|pair| expected.binary_search(pair).is_ok())
    );
    assert_eq!(report.colliding_pairs, expected.len() as u64);
}

#[test]
fn scenes_over_several_bindings_and_parts_lose_nothing() {
    let counts = [
        OF_SEGMENT - 1,
        OF_SEGMENT,
        OF_SEGMENT + 1,
        2 * OF_SEGMENT - 1,
        2 * OF_SEGMENT,
        2 * OF_SEGMENT + 1,
        MOST,
        MOST + 1,
        3 * MOST,
    ];
    let scenes = counts.map(|count| {
        let triangles = cloud(count, count as u64);
        let expected = check(&mut cpu(Config::default()), "the CPU", Query::from(&triangles));
        (triangles, expected)
    });
    for (name, settings) in all_settings(&small()) {
        let mut checker = gpu(config(settings));
        for (triangles, expected) in &scenes {
            let what = format!("{} triangles, {name}", triangles.len());
            let report = check(&mut checker, &what, Query::from(triangles));
            expect_same(&what, expected, &report);
            let in_parts = report.timings.wall.iter().any(|(step, _)| *step == Stage::Parts);
            assert_eq!(in_parts, triangles.len() > MOST, "{what}");
        }
    }
    let mesh = surface(70, |x, y| {
        ((x * 7 + y * 5) % 4) as f32 + if x == 35 { 9.0 } else { 0.0 }
    });
    assert!(mesh.len() > 2 * MOST);
    let report = check(&mut gpu(config(small())), "a mesh in parts", Query::mesh(&mesh));
    expect_same(
        "a mesh in parts",
        &check(&mut cpu(Config::default()), "the CPU", Query::mesh(&mesh)),
        &report,
    );
}

#[test]
fn work_is_cut_and_ranges_are_divided_without_loss() {
    let triangles = cloud(5000, 4);
    let expected = check(&mut cpu(Config::default()), "whole", Query::from(&triangles));
    for limit in [Limit::Candidates(200), Limit::RecordsOfSubmission(777)] {
        let mut checker = gpu(Config::default());
        Inside::of(&mut checker).expect("a GPU").set(limit);
        let before = Inside::of(&mut checker).expect("a GPU").submissions();
        let report = check(&mut checker, "cut", Query::from(&triangles));
        expect_same(&format!("{limit:?}"), &expected, &report);
        let submitted = Inside::of(&mut checker).expect("a GPU").submissions() - before;
        assert!(submitted > 5, "{limit:?}: {submitted} submissions");
    }
}

#[test]
fn s4_two_meshes_have_their_own_positions_and_rules() {
    let (first, second) = (cloud(1700, 7), cloud(900, 8));
    let worlds = [1700, 900].map(|count: u32| (0..count).map(|k| k % 2).collect::<Vec<_>>());
    let excluded = ExcludedPairs::new(&(0..900).map(|k| Pair::new(k, k)).collect::<Vec<_>>()).expect("memory");
    let [of_first, of_second] = [&worlds[0], &worlds[1]].map(|worlds| Rules {
        worlds: Some(worlds),
        ..Rules::default()
    });
    let with_excluded = Rules {
        excluded: Some(&excluded),
        ..of_second
    };
    for (name, settings) in all_settings(&GpuConfig::default())
        .into_iter()
        .chain(all_settings(&small()))
    {
        let (mut on_cpu, mut on_gpu) = (cpu(Config::default()), gpu(config(settings)));
        for (what, query) in [
            ("two meshes", Query::between(&first, &second)),
            ("the same mesh", Query::between(&first, &first)),
            ("nothing", Query::between(&first, &first[..0])),
            (
                "rules",
                Query::between(Set::from(&first).with(of_first), Set::from(&second).with(with_excluded)),
            ),
            ("a mesh with rules", Query::mesh(Set::from(&first).with(of_first))),
        ] {
            let what = format!("{what}, {name}");
            let expected = check(&mut on_cpu, &what, query);
            expect_same(&what, &expected, &check(&mut on_gpu, &what, query));
            assert!(expected.colliding_pairs > 100 || what.starts_with("nothing"), "{what}");
        }
    }
    let expected: Vec<Pair> = (0u32..)
        .zip(&first)
        .flat_map(|(a, triangle)| {
            let meets = move |(_, other): &(u32, &Triangle)| triangle.meets(other);
            (0u32..).zip(&second).filter(meets).map(move |(b, _)| Pair { a, b })
        })
        .collect();
    let report = check(
        &mut gpu(Config::default()),
        "two meshes",
        Query::between(&first, &second),
    );
    expect_pairs("two meshes", &expected, report.pairs().expect("asked for"));
}

#[test]
fn bad_triangles_are_named_wherever_they_are() {
    let mut checker = gpu(config(small()));
    for (place, number, expected) in [
        (0, f32::NAN, BoxProblem::NotFinite),
        (5, f32::INFINITY, BoxProblem::NotFinite),
        (OF_SEGMENT + 3, f32::NEG_INFINITY, BoxProblem::NotFinite),
        (2 * OF_SEGMENT + 1, 2f32.powi(60).next_up(), BoxProblem::TooLarge),
        (3 * MOST - 1, -2e18, BoxProblem::TooLarge),
    ] {
        let mut triangles = cloud(3 * MOST, 1);
        if place < MOST {
            triangles.truncate(MOST);
        }
        triangles[place].corners[place % 3][place % 2] = number;
        match checker.check(Query::mesh(&triangles)) {
            Err(Error::InvalidTriangle { index, problem, count }) => {
                assert_eq!((index, problem, count), (place, expected, 1));
            }
            other => panic!("{number} at {place}: {other:?}"),
        }
        triangles[place].corners[place % 3][place % 2] = 2f32.powi(60);
        check(&mut checker, "the largest number", Query::mesh(&triangles));
    }
}

#[test]
fn frames_of_triangles_match_checks() {
    let mut checker = gpu_checker(Config::default());
    let (device, queue) = (checker.device().clone(), checker.queue().clone());
    let room = Capacity {
        boxes: 3_000,
        candidates: 500_000,
        pairs: 500_000,
        undecided: 100_000,
    };
    checker.reserve(room).expect("room");
    for (name, triangles) in scenes() {
        let buffer = checker.upload(&triangles).expect("a buffer");
        let count = triangles.len() as u32;
        let meeting = meeting(&triangles);
        let worlds: Vec<u32> = (0..count).map(|k| k % 3).collect();
        let of_worlds = Rules {
            worlds: Some(&worlds),
            ..Rules::default()
        };
        let rules = checker.upload_rules(RulesOf::boxes(&of_worlds, count)).expect("rules");
        for (neighbours, query) in [
            (Neighbours::All, FrameQuery::triangles(&buffer, count)),
            (Neighbours::Crossing, FrameQuery::mesh(&buffer, count)),
            (Neighbours::None, FrameQuery::mesh_without_neighbours(&buffer, count)),
            (Neighbours::All, FrameQuery::triangles(&buffer, count).with(&rules)),
        ] {
            let ruled = format!("{query:?}").contains("rules: Some");
            let what = format!("{name}, neighbours: {neighbours:?}, rules: {ruled}");
            let mut encoder = device.create_command_encoder(&Default::default());
            let found = checker.record(&mut encoder, query).expect("a frame");
            queue.submit([encoder.finish()]);
            let outcome: Outcome = checker.read(&found.outcome, 1).expect("an outcome")[0];
            assert_eq!(outcome.fits, 1, "{what}");
            let mut pairs: Vec<Pair> = checker.read(&found.pairs, outcome.pairs).expect("pairs");
            let undecided: Vec<Pair> = checker.read(&found.undecided, outcome.undecided).expect("pairs");
            let meets = |pair: &Pair| counts(&triangles[pair.a as usize], &triangles[pair.b as usize], neighbours);
            pairs.extend(undecided.into_iter().filter(meets));
            pairs.sort();
            let mut expected = counting(&triangles, &meeting, neighbours);
            expected.retain(|pair| !ruled || worlds[pair.a as usize] == worlds[pair.b as usize]);
            expect_pairs(&what, &expected, &pairs);
        }
    }
    let with_margin = Config {
        margin: 0.1,
        ..Config::default()
    };
    let mut checker = gpu_checker(with_margin);
    let buffer = checker.upload(&cloud(3, 1)).expect("a buffer");
    let mut encoder = device.create_command_encoder(&Default::default());
    let error = checker
        .record(&mut encoder, FrameQuery::mesh(&buffer, 3))
        .expect_err("a margin");
    assert!(matches!(error, Error::Unavailable { .. }), "{error}");
}

#[test]
fn small_meshes_go_to_the_cpu_and_large_ones_to_the_gpu() {
    let mut checker = Checker::new(Config {
        gpu: GpuConfig {
            least_boxes: 1000,
            ..GpuConfig::default()
        },
        ..Config::default()
    })
    .expect("a checker");
    for count in [999, 1000] {
        let report = check(&mut checker, "by its size", Query::mesh(&cloud(count, 1)));
        assert_eq!(report.engine, checker.engine_for(count), "{count} triangles");
    }
}
