//! Rules of recorded frames: the same pairs as checks with these rules.

use obbligato::Query;
use obbligato::gpu::FrameQuery;
use obbligato::gpu::RulesOf;
use obbligato::{Config, Error, Obb, Pair, Precision, Rules, Set, query::ExcludedPairs, shape::Aabb, wgpu};
use obbligato::{
    GpuChecker,
    gpu::{Capacity, FrameRules, Outcome, Recorded},
};
use obbligato_verify::scenes::Scene;

use crate::support::application::Application;
use crate::support::gpu::expect_pairs;

const ROOM: Capacity = Capacity {
    boxes: 2000,
    candidates: 200_000,
    pairs: 100_000,
    undecided: 10_000,
};

/// A checker whose frames decide every pair, so that the stored pairs are complete.
fn checker(application: &Application) -> GpuChecker {
    let mut checker = application.checker(Config {
        precision: Precision::Conservative,
        ..Config::default()
    });
    checker.reserve(ROOM).expect("room");
    checker
}

/// Runs a frame, and reads its pairs.
fn run(
    application: &Application,
    record: impl FnOnce(&mut wgpu::CommandEncoder) -> obbligato::Result<Recorded>,
) -> Vec<Pair> {
    let mut encoder = application.encoder();
    let recorded = record(&mut encoder).expect("a recorded frame");
    let outcome = application.copy(&mut encoder, &recorded.outcome);
    let pairs = application.copy(&mut encoder, &recorded.pairs);
    application.queue.submit([encoder.finish()]);
    let outcome: Outcome = application.read(&outcome)[0];
    assert_eq!(outcome.fits, 1, "{outcome:?}");
    let mut pairs: Vec<Pair> = application.read(&pairs);
    pairs.truncate(outcome.pairs as usize);
    pairs.sort();
    pairs
}

struct Lists {
    owners: Vec<u32>,
    worlds: Vec<u32>,
    statics: Vec<bool>,
    active: Vec<bool>,
    excluded: ExcludedPairs,
}

impl Lists {
    fn new(boxes: u32, pairs: &[Pair]) -> Self {
        let excluded: Vec<Pair> = pairs.iter().step_by(5).copied().collect();
        Self {
            owners: (0..boxes).map(|i| i % 7).collect(),
            worlds: (0..boxes).map(|i| i / 3 % 2 * 100_000).collect(),
            statics: (0..boxes).map(|i| i % 4 == 0).collect(),
            active: (0..boxes).map(|i| i % 3 != 0).collect(),
            excluded: ExcludedPairs::new(&excluded).expect("memory"),
        }
    }

    fn rules(&self) -> Rules<'_> {
        Rules {
            owners: Some(&self.owners),
            worlds: Some(&self.worlds),
            statics: Some(&self.statics),
            active: Some(&self.active),
            excluded: Some(&self.excluded),
            ..Rules::default()
        }
    }
}

#[test]
fn frames_with_rules_match_checks_with_rules() {
    let application = Application::new();
    let mut checker = checker(&application);
    let boxes = Scene::Dense.generate(1500, 3);
    let bounds: Vec<Aabb> = boxes.iter().map(Obb::bounds).collect();
    let all = checker
        .checker()
        .check(&boxes)
        .expect("a report")
        .into_pairs()
        .expect("asked for");
    let lists = Lists::new(1500, &all);
    let set = Set::from(&boxes).with(lists.rules());
    let expected = checker
        .checker()
        .check(set)
        .expect("a report")
        .into_pairs()
        .expect("asked for");
    assert!(
        expected.len() > 50 && 2 * expected.len() < all.len(),
        "{} pairs",
        expected.len()
    );

    let rules = checker
        .upload_rules(RulesOf::boxes(&lists.rules(), 1500))
        .expect("rules");
    let (records, aabbs) = (
        application.boxes(&boxes),
        application.buffer(bytemuck::cast_slice(&bounds), wgpu::BufferUsages::STORAGE),
    );
    // With rules, without, and with them again.
    let found = run(&application, |encoder| {
        checker.record(encoder, FrameQuery::boxes(&records, 1500).with(&rules))
    });
    expect_pairs("with rules", &expected, &found);
    let found = run(&application, |encoder| {
        checker.record(encoder, FrameQuery::boxes(&records, 1500))
    });
    expect_pairs("without rules", &all, &found);
    let found = run(&application, |encoder| {
        checker.record(encoder, FrameQuery::boxes(&records, 1500).with(&rules))
    });
    expect_pairs("with rules again", &expected, &found);

    let set = Set::from(&bounds).with(lists.rules());
    let expected = checker
        .checker()
        .check(Query::from(set))
        .expect("a report")
        .into_pairs()
        .expect("asked for");
    let found = run(&application, |encoder| {
        checker.record(encoder, FrameQuery::bounds(&aabbs, 1500).with(&rules))
    });
    expect_pairs("bounds", &expected, &found);
}

#[test]
fn two_sets_in_one_buffer() {
    let application = Application::new();
    let mut checker = checker(&application);
    let boxes = Scene::Mixed.generate(1800, 3);
    let (first, second) = boxes.split_at(700);
    let owners: Vec<u32> = (0..1100).map(|i| i % 3).collect();
    let of_second = Rules {
        owners: Some(&owners),
        ..Rules::default()
    };
    let all_of_one_owner = vec![1; 700];
    let of_first = Rules {
        owners: Some(&all_of_one_owner),
        ..Rules::default()
    };
    let report = checker.checker().check(Query::between(
        Set::from(first).with(of_first),
        Set::from(second).with(of_second),
    ));
    let in_buffer = |&Pair { a, b }: &Pair| Pair { a, b: b + 700 };
    let expected: Vec<Pair> = report
        .expect("a report")
        .pairs()
        .expect("asked for")
        .iter()
        .map(in_buffer)
        .collect();
    assert!(expected.len() > 20, "{} pairs", expected.len());
    let rules = checker
        .upload_rules(RulesOf::between([(&of_first, 700), (&of_second, 1100)]))
        .expect("rules");
    let buffer = application.boxes(&boxes);
    let found = run(&application, |encoder| {
        checker.record(encoder, FrameQuery::boxes(&buffer, 1800).with(&rules))
    });
    expect_pairs("two sets", &expected, &found);
}

#[test]
fn movers_and_boxes_at_rest_have_rules() {
    let application = Application::new();
    let mut checker = checker(&application);
    let boxes = Scene::Dense.generate(1800, 3);
    let (at_rest, movers) = boxes.split_at(1000);
    let plain = checker.checker().prepare(at_rest).expect("a scene");
    let all = checker
        .checker()
        .check(Query::against(&plain, movers))
        .expect("a report")
        .into_pairs()
        .expect("asked for");
    let of_scene = Lists::new(1000, &all);
    let of_movers = Lists::new(800, &all[1..]);
    let buffer = application.boxes(movers);
    for ruled_scene in [false, true] {
        let rules = if ruled_scene {
            of_scene.rules()
        } else {
            Rules::default()
        };
        let scene = checker
            .checker()
            .prepare(Set::from(at_rest).with(rules))
            .expect("a scene");
        for ruled_movers in [false, true] {
            let what = format!("rules of the scene {ruled_scene}, of the movers {ruled_movers}");
            let rules = if ruled_movers {
                of_movers.rules()
            } else {
                Rules::default()
            };
            let expected = checker
                .checker()
                .check(Query::against(&scene, Set::from(movers).with(rules)));
            let expected = expected.expect("a report").into_pairs().expect("asked for");
            assert!(expected.len() > 20, "{what}: {} pairs", expected.len());
            assert_eq!(expected.len() < all.len(), ruled_scene || ruled_movers, "{what}");
            let found = if ruled_movers {
                let rules = checker
                    .upload_rules(RulesOf::against(&scene, &rules, 800))
                    .expect("rules");
                run(&application, |encoder| {
                    checker.record(encoder, FrameQuery::against(&scene, &buffer, 800).with(&rules))
                })
            } else {
                run(&application, |encoder| {
                    checker.record(encoder, FrameQuery::against(&scene, &buffer, 800))
                })
            };
            expect_pairs(&what, &expected, &found);
        }
    }
}

#[test]
fn rules_about_other_frames_are_refused() {
    let application = Application::new();
    let mut checker = checker(&application);
    let boxes = Scene::Uniform.generate(100, 3);
    let buffer = application.boxes(&boxes);
    let scenes = [(); 2].map(|()| checker.checker().prepare(&boxes).expect("a scene"));
    let worlds = vec![1; 100];
    let given = Rules {
        worlds: Some(&worlds),
        ..Rules::default()
    };
    let of_boxes = checker.upload_rules(RulesOf::boxes(&given, 100)).expect("rules");
    let of_movers = checker
        .upload_rules(RulesOf::against(&scenes[0], &given, 100))
        .expect("rules");
    let of_others = application
        .checker(Config::default())
        .upload_rules(RulesOf::boxes(&given, 100))
        .expect("rules");
    let mut refused =
        |what: &str,
         words: &str,
         record: &mut dyn FnMut(&mut GpuChecker, &mut wgpu::CommandEncoder) -> obbligato::Result<Recorded>| {
            match record(&mut checker, &mut application.encoder()) {
                Err(error @ Error::InvalidRule { .. }) => assert!(error.to_string().contains(words), "{what}: {error}"),
                other => panic!("{what}: {other:?}"),
            }
        };
    let with = |rules: &FrameRules, count: u32| {
        let (rules, buffer) = (rules.clone(), buffer.clone());
        move |checker: &mut GpuChecker, encoder: &mut wgpu::CommandEncoder| {
            checker.record(encoder, FrameQuery::boxes(&buffer, count).with(&rules))
        }
    };
    refused(
        "too few boxes",
        "100 boxes but the frame has 99",
        &mut with(&of_boxes, 99),
    );
    refused("of movers", "RulesOf::against", &mut with(&of_movers, 100));
    refused("of another device", "another device", &mut with(&of_others, 100));
    refused("of boxes", "RulesOf::against", &mut |checker, encoder| {
        checker.record(encoder, FrameQuery::against(&scenes[1], &buffer, 100).with(&of_boxes))
    });
    refused("of another scene", "RulesOf::against", &mut |checker, encoder| {
        checker.record(encoder, FrameQuery::against(&scenes[1], &buffer, 100).with(&of_movers))
    });
    match checker.upload_rules(RulesOf::boxes(&given, 99)) {
        Err(Error::InvalidRule { rule: "worlds", .. }) => {}
        other => panic!("{other:?}"),
    }
}
