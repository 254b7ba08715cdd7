//! Recorded frames that keep the order of the tree: the same pairs, however boxes have moved,
//! without sorting.

use obbligato::unstable::gpu::{Inside, dispatches_of};
use obbligato::{BroadPhase, Config, GpuConfig, Obb, Pair, Rules, Set, contact::Contact};
use obbligato::{
    GpuChecker,
    gpu::{Capacity, FrameQuery, FrameRules, Outcome, RulesOf},
};
use obbligato_verify::scenes::Scene;

use crate::support::application::Application;
use crate::support::cases::Numbers;
use crate::support::gpu::{cpu, cpu_pairs, expect_pairs};

fn checker(application: &Application, broad_phase: BroadPhase, gpu: GpuConfig) -> GpuChecker {
    let mut checker = application.checker(Config {
        broad_phase,
        gpu,
        ..Config::default()
    });
    // No buffer has to grow.
    let capacity = Capacity {
        boxes: 4000,
        candidates: 400_000,
        pairs: 400_000,
        undecided: 40_000,
    };
    checker.reserve(capacity).expect("memory");
    checker
}

/// Runs a frame. Returns `true` if it was refitted, with its outcome, and its pairs in order.
fn frame(
    application: &Application,
    checker: &mut GpuChecker,
    boxes: &[Obb],
    (refit, rules): (bool, Option<&FrameRules>),
) -> (bool, Outcome, Vec<Pair>) {
    let buffer = application.boxes(boxes);
    let mut encoder = application.encoder();
    let query = FrameQuery::boxes(&buffer, boxes.len() as u32);
    let query = rules.map_or(query, |rules| query.with(rules));
    let query = if refit { query.refit() } else { query };
    let recorded = checker.record(&mut encoder, query).expect("a recorded frame");
    let [found, undecided, outcome] =
        [&recorded.pairs, &recorded.undecided, &recorded.outcome].map(|buffer| application.copy(&mut encoder, buffer));
    application.queue.submit([encoder.finish()]);
    let outcome: Outcome = application.read(&outcome)[0];
    let mut found: Vec<Pair> = application.read(&found);
    found.truncate(outcome.pairs as usize);
    // Without f64 a few pairs are left for the host.
    let left: Vec<Pair> = application.read(&undecided);
    let collide = |pair: &&Pair| boxes[pair.a as usize].contact(&boxes[pair.b as usize]) != Contact::Separated;
    found.extend(left[..outcome.undecided as usize].iter().filter(collide));
    found.sort_unstable();
    (recorded.refitted, outcome, found)
}

fn worlds_of(boxes: &[Obb], number: u32) -> Vec<u32> {
    (0..boxes.len() as u32).map(|k| k * 7 % number).collect()
}

fn upload(checker: &mut GpuChecker, worlds: &[u32]) -> FrameRules {
    let rules = Rules {
        worlds: Some(worlds),
        ..Rules::default()
    };
    let about = RulesOf::boxes(&rules, worlds.len() as u32);
    checker.upload_rules(about).expect("valid rules")
}

#[test]
fn pairs_are_correct_however_far_boxes_move() {
    let portable = GpuConfig {
        subgroups: false,
        shader_f64: false,
        shader_checks: true,
        ..GpuConfig::default()
    };
    let mut on_cpu = cpu(Config::default());
    for gpu in [GpuConfig::default(), portable] {
        let application = Application::new();
        let mut checker = checker(&application, BroadPhase::Lbvh, gpu);
        for (scene, step) in [(Scene::Dense, 0.05), (Scene::Giants, 3.0), (Scene::Clusters, 2.0)] {
            let mut boxes = scene.generate(3000, 4);
            let worlds = worlds_of(&boxes, 3);
            let rules = upload(&mut checker, &worlds);
            let mut numbers = Numbers::new(7);
            for in_worlds in [false, true] {
                for k in 0..4 {
                    let what = format!("{scene}, frame {k}, worlds {in_worlds}");
                    for moved in &mut boxes {
                        moved.center += numbers.point() * step;
                    }
                    let of = (true, in_worlds.then_some(&rules));
                    let (refitted, outcome, found) = frame(&application, &mut checker, &boxes, of);
                    // The worlds of the first frame differ from those of the previous frame.
                    assert_eq!(refitted, k > 0, "{what}");
                    assert_eq!((outcome.fits, outcome.stale), (1, 0), "{what}: {outcome:?}");
                    let expected = match in_worlds {
                        true => {
                            let rules = Rules {
                                worlds: Some(&worlds),
                                ..Rules::default()
                            };
                            on_cpu.check(Set::from(&boxes).with(rules))
                        }
                        false => on_cpu.check(&boxes),
                    };
                    let expected = expected.and_then(obbligato::Report::into_pairs).expect("valid boxes");
                    assert!(expected.len() > 100, "{what}: {}", expected.len());
                    expect_pairs(&what, &expected, &found);
                }
            }
        }
    }
}

#[test]
fn a_missing_order_is_detected() {
    let application = Application::new();
    let mut checker = checker(&application, BroadPhase::Lbvh, GpuConfig::default());
    let many = Scene::Dense.generate(3000, 1);
    frame(&application, &mut checker, &many, (false, None));
    // A frame with fewer boxes that never runs: the buffers name boxes that do not exist.
    let few = Scene::Dense.generate(400, 2);
    let buffer = application.boxes(&few);
    let mut never = application.encoder();
    checker
        .record(&mut never, FrameQuery::boxes(&buffer, 400))
        .expect("a recorded frame");
    drop(never);
    for _ in 0..2 {
        let (refitted, outcome, found) = frame(&application, &mut checker, &few, (true, None));
        assert!(refitted);
        assert_eq!((outcome.fits, outcome.stale), (0, 1), "{outcome:?}");
        assert!(found.is_empty());
    }
    let expected = cpu_pairs(&few);
    for k in 0..2 {
        let (refitted, outcome, found) = frame(&application, &mut checker, &few, (k > 0, None));
        assert_eq!((refitted, outcome.fits, outcome.stale), (k > 0, 1, 0), "{outcome:?}");
        expect_pairs("once more", &expected, &found);
    }
}

#[test]
fn an_order_is_kept_only_for_the_same_boxes() {
    let application = Application::new();
    let mut checker = checker(&application, BroadPhase::Lbvh, GpuConfig::default());
    let boxes = Scene::Uniform.generate(900, 1);
    let kept = |checker: &mut GpuChecker, count: usize, rules: Option<&FrameRules>| {
        frame(&application, checker, &boxes[..count], (true, rules)).0
    };
    assert!(!kept(&mut checker, 900, None), "there is none");
    assert!(kept(&mut checker, 900, None));
    assert!(!kept(&mut checker, 899, None), "others");
    assert!(kept(&mut checker, 899, None));
    let rules = [2, 3].map(|number| upload(&mut checker, &worlds_of(&boxes, number)));
    assert!(!kept(&mut checker, 900, Some(&rules[0])));
    assert!(kept(&mut checker, 900, Some(&rules[0])));
    assert!(kept(&mut checker, 900, Some(&rules[0].clone())));
    assert!(!kept(&mut checker, 900, Some(&rules[1])), "other worlds");
    assert!(!kept(&mut checker, 900, None), "no worlds");
    let owners: Vec<u32> = (0..900).map(|k| k % 100).collect();
    let owned = Rules {
        owners: Some(&owners),
        ..Rules::default()
    };
    let owned = checker.upload_rules(RulesOf::boxes(&owned, 900)).expect("valid rules");
    assert!(
        kept(&mut checker, 900, Some(&owned)),
        "rules about pairs are asked anew"
    );
    assert!(kept(&mut checker, 900, None));

    checker.checker().check(&boxes).expect("valid boxes");
    assert!(!kept(&mut checker, 900, None), "a check has sorted others");
    let scene = checker.checker().prepare(&boxes[..50]).expect("valid boxes");
    assert!(!kept(&mut checker, 900, None), "so has a scene");
    let movers = application.boxes(&boxes);
    let mut encoder = application.encoder();
    let against = FrameQuery::against(&scene, &movers, 900).refit();
    assert!(
        !checker
            .record(&mut encoder, against)
            .expect("a recorded frame")
            .refitted
    );
    assert!(kept(&mut checker, 900, None), "movers are not sorted");
    let more = Capacity {
        boxes: 10_000,
        ..Capacity::default()
    };
    checker.reserve(more).expect("memory");
    assert!(!kept(&mut checker, 900, None), "the buffers are new");
    let grid = self::checker;
    let mut grid = grid(&application, BroadPhase::Grid, GpuConfig::default());
    assert!(
        !kept(&mut grid, 900, None) && !kept(&mut grid, 900, None),
        "a grid keeps nothing"
    );
}

/// Rebuilt or not, all frames share the buffer of their parameters: no frame allocates one.
#[test]
fn frames_share_one_buffer_of_parameters() {
    let application = Application::new();
    let mut checker = checker(&application, BroadPhase::Lbvh, GpuConfig::default());
    let boxes = application.boxes(&Scene::Dense.generate(2000, 4));
    let mut encoder = application.encoder();
    let mut made = Vec::new();
    for number in 0..30 {
        let query = FrameQuery::boxes(&boxes, 2000);
        let query = if number % 3 > 0 { query.refit() } else { query };
        let refitted = checker.record(&mut encoder, query).expect("a recorded frame").refitted;
        assert_eq!(refitted, number % 3 > 0);
        made.push(Inside::of(checker.checker()).expect("a GPU").buffers_made());
    }
    assert!(made[3..].iter().all(|&count| count == made[3]), "{made:?}");
}

#[test]
fn refitted_frames_sort_nothing() {
    let application = Application::new();
    let mut checker = checker(&application, BroadPhase::Lbvh, GpuConfig::default());
    let boxes = Scene::Dense.generate(3000, 3);
    frame(&application, &mut checker, &boxes, (false, None));
    let (_, dispatches) = dispatches_of(|| frame(&application, &mut checker, &boxes, (true, None)));
    let of_tree = |name: &&&str| name.starts_with("lbvh") || name.contains("nodes") || name.contains("leaves");
    let sorts = [
        "make_keys",
        "count_digits",
        "scan_blocks",
        "scan_totals",
        "place_pairs",
        "gather_keys",
    ];
    assert!(dispatches.iter().all(|name| !sorts.contains(name)), "{dispatches:?}");
    assert_eq!(dispatches.iter().filter(of_tree).count(), 6, "{dispatches:?}");
}
