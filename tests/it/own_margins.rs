//! Own margins of boxes: the pairs within the margins of both, by distances of the reference, for
//! every kind of query.

use obbligato::glam::Vec3;
use obbligato::{Config, Error, GpuConfig, Obb, Pair, Query, Rules, Set, shape::Aabb, wgpu};
use obbligato::{
    GpuChecker,
    gpu::{Capacity, FrameQuery, Outcome, Recorded, RulesOf},
};
use obbligato_verify::reference::{colliding_pairs, distance, overlapping_bounds};
use obbligato_verify::scenes::Scene;

use crate::support::application::Application;
use crate::support::cases::Numbers;
use crate::support::gpu::{backends, cpu, expect_pairs, gpu, gpu_with};

/// Margins of 0 to 1, every third of them 0.
fn some_margins(boxes: usize, seed: u64) -> Vec<f32> {
    let mut numbers = Numbers::new(seed);
    let margin = |(i, part): (usize, f32)| if i.is_multiple_of(3) { 0.0 } else { part };
    let parts: Vec<f32> = (0..boxes).map(|_| numbers.part()).collect();
    parts.into_iter().enumerate().map(margin).collect()
}

/// The pairs within the margins of both boxes and `margin`, by the reference's distance.
fn pairs_within(first: &[Obb], second: &[Obb], margin_of: impl Fn(usize, usize) -> f64, same: bool) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (i, a) in first.iter().enumerate() {
        for (j, b) in second.iter().enumerate().skip(if same { i + 1 } else { 0 }) {
            let margin = margin_of(i, j);
            let reach = a.half_extents.length() + b.half_extents.length() + margin as f32;
            if a.center.distance(b.center) <= 1.01 * reach && distance(a, b) <= margin {
                pairs.push(Pair {
                    a: i as u32,
                    b: j as u32,
                });
            }
        }
    }
    pairs
}

#[test]
fn boxes_have_their_own_margins() {
    let boxes = Scene::Mixed.generate(900, 3);
    let margins = some_margins(900, 1);
    let rules = Rules {
        margins: Some(&margins),
        ..Rules::default()
    };
    let colliding = colliding_pairs(&boxes).len();
    for margin in [0.0, 0.25] {
        let own = |i: usize, j: usize| margin + f64::from(margins[i] + margins[j]);
        let expected = pairs_within(&boxes, &boxes, own, true);
        assert!(
            expected.len() > colliding + 100,
            "{} of {colliding} pairs",
            expected.len()
        );
        let config = Config {
            margin,
            ..Config::default()
        };
        for (backend, checker) in &mut backends(&config) {
            let what = format!("margin {margin}, {backend}");
            let set = Set::from(&boxes).with(rules);
            let report = checker.check(set).unwrap_or_else(|error| panic!("{what}: {error}"));
            expect_pairs(&what, &expected, report.pairs().expect("asked for"));
            assert_eq!(report.near_pairs, Some((expected.len() - colliding) as u64), "{what}");
            // Given pairs, and two sets.
            let report = checker.check(Query::pairs(set, &expected)).expect(&what);
            expect_pairs(&what, &expected, report.pairs().expect("asked for"));
            let [first, second] = [(&boxes[..300], &margins[..300]), (&boxes[300..], &margins[300..])];
            let set = |(boxes, margins)| {
                Set::from(boxes).with(Rules {
                    margins: Some(margins),
                    ..Rules::default()
                })
            };
            let report = checker.check(Query::between(set(first), set(second))).expect(&what);
            let own = |i: usize, j: usize| own(i, j + 300);
            expect_pairs(
                &what,
                &pairs_within(first.0, second.0, own, false),
                report.pairs().expect("asked for"),
            );
        }
    }
}

#[test]
fn movers_and_boxes_at_rest_have_their_own_margins() {
    let boxes = Scene::Dense.generate(900, 3);
    let margins = some_margins(900, 1);
    let (at_rest, movers) = boxes.split_at(600);
    let rules = [&margins[..600], &margins[600..]].map(|margins| Rules {
        margins: Some(margins),
        ..Rules::default()
    });
    for margin in [0.0, 0.25] {
        let own = |i: usize, j: usize| margin + f64::from(margins[i] + margins[600 + j]);
        let expected = pairs_within(at_rest, movers, own, false);
        let config = Config {
            margin,
            ..Config::default()
        };
        for (backend, mut checker) in [("the CPU", cpu(config.clone())), ("the GPU", gpu(config.clone()))] {
            let scene = checker.prepare(Set::from(at_rest).with(rules[0])).expect(backend);
            let report = checker
                .check(Query::against(&scene, Set::from(movers).with(rules[1])))
                .expect(backend);
            expect_pairs(
                &format!("margin {margin}, {backend}"),
                &expected,
                report.pairs().expect("asked for"),
            );
        }
    }
}

#[test]
fn bounds_have_their_own_margins() {
    let bounds: Vec<Aabb> = Scene::Dense.generate(900, 3).iter().map(Obb::bounds).collect();
    let margins = some_margins(900, 1);
    let wider = |(bounds, &margin): (&Aabb, &f32)| Aabb::new(bounds.min - margin, bounds.max + margin);
    let expected = overlapping_bounds(&bounds.iter().zip(&margins).map(wider).collect::<Vec<_>>());
    let rules = Rules {
        margins: Some(&margins),
        ..Rules::default()
    };
    for (backend, checker) in &mut backends(&Config::default()) {
        let report = checker
            .check(Query::from(Set::from(&bounds).with(rules)))
            .expect(backend);
        expect_pairs(backend, &expected, report.pairs().expect("asked for"));
    }
}

#[test]
fn invalid_margins_are_errors() {
    for margin in [-1.0, f32::NAN, f32::INFINITY] {
        let rules = Rules {
            margins: Some(&[0.0, margin]),
            ..Rules::default()
        };
        let boxes = [Obb::axis_aligned(Vec3::ZERO, Vec3::ONE); 2];
        match cpu(Config::default()).check(Set::from(&boxes).with(rules)) {
            Err(error @ Error::InvalidRule { rule: "margins", .. }) => {
                assert!(
                    error.to_string().contains("for box 1, which is not a valid distance"),
                    "{error}"
                );
            }
            other => panic!("{margin}: {other:?}"),
        }
    }
}

/// The arrays of 3840 boxes, but not of more, fit bindings of this many bytes.
const SMALL: u64 = 1 << 16;

#[test]
fn own_margins_reach_into_other_segments_and_parts() {
    for (count, extra) in [(3840, 1), (6000, 2)] {
        let boxes = Scene::Uniform.generate(count, 11);
        let margins: Vec<f32> = some_margins(count, 4).iter().map(|margin| margin * 0.2).collect();
        let rules = Rules {
            margins: Some(&margins),
            ..Rules::default()
        };
        let set = Set::from(&boxes).with(rules);
        let expected = cpu(Config::default()).check(set).expect("a report");
        assert!(expected.near_pairs > Some(20), "{:?}", expected.near_pairs);
        let own = |i: usize, j: usize| f64::from(margins[i] + margins[j]);
        expect_pairs(
            "the CPU",
            &pairs_within(&boxes, &boxes, own, true),
            expected.pairs().expect("asked for"),
        );
        let small = |subgroups| GpuConfig {
            max_buffer_bytes: Some(SMALL),
            subgroups,
            shader_f64: subgroups,
            ..GpuConfig::default()
        };
        for subgroups in [false, true] {
            let mut checker = gpu_with(small(subgroups));
            assert_eq!(checker.memory_estimate(count, 0).parts.min(2), extra);
            let report = checker.check(set).expect("a report");
            expect_pairs(
                &format!("{count} boxes"),
                expected.pairs().expect("asked for"),
                report.pairs().expect("asked for"),
            );
            assert_eq!(report.near_pairs, expected.near_pairs);
        }
    }
}

/// Unit cubes in a row, whose gaps are exactly the sum of two margins, or the next `f32` above it.
#[test]
fn own_margins_are_exact() {
    let mut boxes = Vec::new();
    let mut margins = Vec::new();
    let mut expected = Vec::new();
    for i in 0..400_u32 {
        let margin = 0.25 + 0.5 * (i % 3) as f32;
        let gap = if i % 2 == 0 {
            2.0 * margin
        } else {
            (2.0 * margin).next_up()
        };
        let far = Vec3::new(0.0, 40.0 * i as f32, 0.0);
        // The first cube ends at 0, so the gap is exactly the second's position.
        boxes.push(Obb::axis_aligned(far - Vec3::new(0.5, 0.0, 0.0), Vec3::splat(0.5)));
        boxes.push(Obb::axis_aligned(
            far + Vec3::new(gap, 0.0, 0.0),
            Vec3::new(0.0, 0.5, 0.5),
        ));
        margins.extend([margin; 2]);
        if i % 2 == 0 {
            expected.push(Pair::new(2 * i, 2 * i + 1));
        }
    }
    let rules = Rules {
        margins: Some(&margins),
        ..Rules::default()
    };
    for (backend, checker) in &mut backends(&Config::default()) {
        let set = Set::from(&boxes).with(rules);
        expect_pairs(
            backend,
            &expected,
            checker.check(set).expect(backend).pairs().expect("asked for"),
        );
        let given: Vec<Pair> = (0..400).map(|i| Pair::new(2 * i, 2 * i + 1)).collect();
        let report = checker.check(Query::pairs(set, &given)).expect(backend);
        expect_pairs(backend, &expected, report.pairs().expect("asked for"));
    }
}

/// The margin of the pair of two boxes.
type MarginOf<'a> = &'a dyn Fn(usize, usize) -> f64;

fn checker_of_frames(application: &Application, margin: f64) -> GpuChecker {
    let mut checker = application.checker(Config {
        margin,
        ..Config::default()
    });
    let room = Capacity {
        boxes: 2000,
        candidates: 200_000,
        pairs: 100_000,
        undecided: 10_000,
    };
    checker.reserve(room).expect("room");
    checker
}

/// Runs a frame, and reads its pairs; undecided ones are decided by `is_near`.
fn run(
    application: &Application,
    is_near: impl Fn(&Pair) -> bool,
    record: impl FnOnce(&mut wgpu::CommandEncoder) -> obbligato::Result<Recorded>,
) -> Vec<Pair> {
    let mut encoder = application.encoder();
    let recorded = record(&mut encoder).expect("a recorded frame");
    let outcome = application.copy(&mut encoder, &recorded.outcome);
    let pairs = application.copy(&mut encoder, &recorded.pairs);
    let undecided = application.copy(&mut encoder, &recorded.undecided);
    application.queue.submit([encoder.finish()]);
    let outcome: Outcome = application.read(&outcome)[0];
    assert_eq!(outcome.fits, 1, "{outcome:?}");
    assert!(outcome.undecided < 20, "{outcome:?}");
    let mut pairs: Vec<Pair> = application.read(&pairs);
    pairs.truncate(outcome.pairs as usize);
    let undecided: Vec<Pair> = application.read(&undecided);
    pairs.extend(
        undecided[..outcome.undecided as usize]
            .iter()
            .filter(|pair| is_near(pair)),
    );
    pairs.sort();
    pairs
}

#[test]
fn recorded_frames_have_own_margins() {
    let application = Application::new();
    let boxes = Scene::Mixed.generate(900, 3);
    let bounds: Vec<Aabb> = boxes.iter().map(Obb::bounds).collect();
    let margins = some_margins(900, 1);
    let rules = Rules {
        margins: Some(&margins),
        ..Rules::default()
    };
    let (records, aabbs) = (
        application.boxes(&boxes),
        application.buffer(bytemuck::cast_slice(&bounds), wgpu::BufferUsages::STORAGE),
    );
    for margin in [0.0, 0.25] {
        let mut checker = checker_of_frames(&application, margin);
        let of_all = checker.upload_rules(RulesOf::boxes(&rules, 900)).expect("rules");
        // Two sets in one buffer, of which only the second has margins.
        let second = Rules {
            margins: Some(&margins[300..]),
            ..Rules::default()
        };
        let sets = [(&Rules::default(), 300), (&second, 600)];
        let of_second = checker.upload_rules(RulesOf::between(sets)).expect("rules");

        let plain = |_: usize, _: usize| margin;
        let own = |i: usize, j: usize| margin + f64::from(margins[i] + margins[j]);
        let one_set = |margin_of: MarginOf<'_>| pairs_within(&boxes, &boxes, margin_of, true);
        let own_of_second = |_: usize, j: usize| margin + f64::from(margins[j]);
        let two_sets: Vec<Pair> = one_set(&own_of_second)
            .into_iter()
            .filter(|pair| pair.a < 300 && pair.b >= 300)
            .collect();
        let frame = FrameQuery::boxes(&records, 900);
        let frames: [(&str, FrameQuery<'_>, Vec<Pair>, MarginOf<'_>); 4] = [
            ("own margins", frame.with(&of_all), one_set(&own), &own),
            ("none", frame, one_set(&plain), &plain),
            ("own margins again", frame.with(&of_all), one_set(&own), &own),
            ("two sets", frame.with(&of_second), two_sets, &own_of_second),
        ];
        for (what, frame, expected, margin_of) in frames {
            let is_near = |&Pair { a, b }: &Pair| {
                let [i, j] = [a as usize, b as usize];
                distance(&boxes[i], &boxes[j]) <= margin_of(i, j)
            };
            let found = run(&application, is_near, |encoder| checker.record(encoder, frame));
            expect_pairs(&format!("margin {margin}, {what}"), &expected, &found);
        }

        let wider = |(bounds, &own): (&Aabb, &f32)| Aabb::new(bounds.min - own, bounds.max + own);
        let expected = overlapping_bounds(&bounds.iter().zip(&margins).map(wider).collect::<Vec<_>>());
        if margin == 0.0 {
            let frame = FrameQuery::bounds(&aabbs, 900).with(&of_all);
            let found = run(&application, |_| false, |encoder| checker.record(encoder, frame));
            expect_pairs("bounds", &expected, &found);
        }
    }
}

#[test]
fn recorded_frames_of_movers_have_own_margins() {
    let application = Application::new();
    let boxes = Scene::Dense.generate(900, 3);
    let margins = some_margins(900, 1);
    let (at_rest, movers) = boxes.split_at(600);
    let buffer = application.boxes(movers);
    let rules = [&margins[..600], &margins[600..]].map(|margins| Rules {
        margins: Some(margins),
        ..Rules::default()
    });
    for margin in [0.0, 0.25] {
        let mut checker = checker_of_frames(&application, margin);
        for [resting, moving] in [[true, true], [true, false], [false, true]] {
            let of = |has: bool, i: usize| if has { margins[i] } else { 0.0 };
            let own = |i: usize, j: usize| margin + f64::from(of(resting, i) + of(moving, 600 + j));
            let set = Set::from(at_rest).with(if resting { rules[0] } else { Rules::default() });
            let scene = checker.checker().prepare(set).expect("a scene");
            let uploaded = checker
                .upload_rules(RulesOf::against(&scene, &rules[1], 300))
                .expect("rules");
            let frame = FrameQuery::against(&scene, &buffer, 300);
            let frame = if moving { frame.with(&uploaded) } else { frame };
            let is_near = |&Pair { a, b }: &Pair| {
                let [i, j] = [a as usize, b as usize];
                distance(&at_rest[i], &movers[j]) <= own(i, j)
            };
            let found = run(&application, is_near, |encoder| checker.record(encoder, frame));
            let expected = pairs_within(at_rest, movers, own, false);
            let what = format!("margin {margin}, at rest {resting}, movers {moving}");
            expect_pairs(&what, &expected, &found);
        }
    }
}
