//! Worlds in one place: bodies of one world meet none of another.

use obbligato::query::ExcludedPairs;
use obbligato::{BroadPhase, Config, Error, GpuConfig, Obb, Output, Pair, Rules, Set};
use obbligato_verify::reference::colliding_pairs;
use obbligato_verify::scenes::Scene;

use crate::support::gpu::{backends, cpu, expect_pairs, expect_same, gpu, gpu_with};

/// This many worlds with this many boxes each, all in one place, with the boxes of the worlds
/// shuffled.
fn worlds(count: usize, boxes_each: usize) -> (Vec<Obb>, Vec<u32>, Vec<Vec<Obb>>) {
    let scenes: Vec<Vec<Obb>> = (0..count)
        .map(|k| Scene::Uniform.generate(boxes_each, k as u64))
        .collect();
    let all = (0..boxes_each)
        .flat_map(|i| scenes.iter().map(move |scene| scene[i]))
        .collect();
    let worlds = (0..boxes_each).flat_map(|_| 0..count as u32).collect();
    (all, worlds, scenes)
}

#[test]
fn a_thousand_worlds_match_a_thousand_calls() {
    let (count, boxes_each) = (1000, 300);
    let (boxes, world_of, scenes) = worlds(count, boxes_each);
    let mut one_by_one = cpu(Config::default());
    let mut expected = Vec::new();
    for (k, scene) in scenes.iter().enumerate() {
        let in_all = |i: u32| i * count as u32 + k as u32;
        let report = one_by_one.check(scene).expect("a world");
        expected.extend(
            report
                .pairs()
                .expect("asked for")
                .iter()
                .map(|pair| Pair::new(in_all(pair.a), in_all(pair.b))),
        );
    }
    expected.sort_unstable();
    assert!(expected.len() > 100_000, "{} pairs", expected.len());
    let rules = Rules {
        worlds: Some(&world_of),
        ..Rules::default()
    };
    for (backend, mut checker) in [
        ("the CPU", cpu(Config::default())),
        ("the GPU", gpu_with(GpuConfig::default())),
    ] {
        let report = checker.check(Set::from(&boxes).with(rules)).expect(backend);
        expect_pairs(backend, &expected, report.pairs().expect("asked for"));
    }
}

#[test]
fn worlds_in_one_place_stay_separate() {
    // Numbers far beyond the places in the tables: with this many worlds, some have the same
    // displacement.
    let number = |world: u32| world.wrapping_mul(0x9E37_79B9);
    let scenes: Vec<Vec<Obb>> = (0..800).map(|k| Scene::Dense.generate(12, k)).collect();
    let boxes = scenes.concat();
    let world_of: Vec<u32> = (0..boxes.len() as u32).map(|i| number(i / 12)).collect();
    let pairs_of = |(k, scene): (usize, &Vec<Obb>)| {
        let in_all = move |i: u32| i + 12 * k as u32;
        let pairs = colliding_pairs(scene).into_iter();
        pairs.map(move |pair| Pair::new(in_all(pair.a), in_all(pair.b)))
    };
    let expected: Vec<Pair> = scenes.iter().enumerate().flat_map(pairs_of).collect();
    let rules = Rules {
        worlds: Some(&world_of),
        ..Rules::default()
    };
    for (backend, checker) in &mut backends(&Config::default()) {
        let report = checker.check(Set::from(&boxes).with(rules));
        if *backend == "a GPU with small buffers" {
            // Parts are cut out of space, which cannot divide boxes that are all in one place.
            assert!(matches!(report, Err(Error::LimitExceeded { .. })), "{report:?}");
            continue;
        }
        expect_pairs(backend, &expected, report.expect(backend).pairs().expect("asked for"));
    }
}

#[test]
fn few_bodies_in_a_world_obey_its_other_rules() {
    // The links of a robot in many configurations: which may meet is the same in all.
    let (count, each) = (700, 9u32);
    let scenes: Vec<Vec<Obb>> = (0..count).map(|k| Scene::Dense.generate(each as usize, k)).collect();
    let boxes = scenes.concat();
    let all = 0..boxes.len() as u32;
    let worlds: Vec<u32> = all.clone().map(|i| i / each).collect();
    let statics: Vec<bool> = all.clone().map(|i| i % each < 2).collect();
    let active: Vec<bool> = all.clone().map(|i| i % each != 4 || i % 2 == 0).collect();
    let owners: Vec<u32> = all.clone().map(|i| i % each / 3).collect();
    let groups: Vec<[u32; 2]> = all.map(|i| [1 << (i % each), !(0b10 << (i % each))]).collect();
    let in_groups = |a: [u32; 2], b: [u32; 2]| a[0] & b[1] > 0 && b[0] & a[1] > 0;
    for mask in 1..16 {
        let [by_statics, by_active, by_owners, by_groups] = [0, 1, 2, 3].map(|bit| mask >> bit & 1 > 0);
        let rules = Rules {
            worlds: Some(&worlds),
            statics: by_statics.then_some(&statics),
            active: by_active.then_some(&active),
            owners: by_owners.then_some(&owners),
            groups: by_groups.then_some(&groups),
            ..Rules::default()
        };
        let may_meet = |&Pair { a, b }: &Pair| {
            let [a, b] = [a, b].map(|i| i as usize);
            !(by_statics && statics[a] && statics[b]
                || by_active && !(active[a] || active[b])
                || by_owners && owners[a] == owners[b]
                || by_groups && !in_groups(groups[a], groups[b]))
        };
        let pairs_of = |(k, scene): (u32, &Vec<Obb>)| {
            let in_all = move |pair: Pair| Pair::new(pair.a + each * k, pair.b + each * k);
            colliding_pairs(scene).into_iter().map(in_all).filter(may_meet)
        };
        let expected: Vec<Pair> = (0..).zip(&scenes).flat_map(pairs_of).collect();
        assert!(expected.len() > 100, "{mask:b}: {} pairs", expected.len());
        for (backend, mut checker) in [("the CPU", cpu(Config::default())), ("the GPU", gpu(Config::default()))] {
            let report = checker.check(Set::from(&boxes).with(rules)).expect(backend);
            expect_pairs(
                &format!("{backend}, {mask:b}"),
                &expected,
                report.pairs().expect("asked for"),
            );
        }
    }
}

#[test]
fn the_broad_phase_keeps_worlds_apart() {
    let config = Config {
        count_operations: true,
        ..Config::default()
    };
    let (boxes, world_of, scenes) = worlds(64, 1000);
    let rules = Rules {
        worlds: Some(&world_of),
        ..Rules::default()
    };
    for (backend, mut checker) in [("the CPU", cpu(config.clone())), ("the GPU", gpu(config.clone()))] {
        let of_one = checker.check(&scenes[0]).expect(backend).operations.expect("counted");
        let of_all = checker
            .check(Set::from(&boxes).with(rules))
            .expect(backend)
            .operations
            .expect("counted");
        let all_alike = 64 * of_one.comparisons;
        // Slots are shared by chance. Without their own places in the tables the worlds would do 64
        // times as many comparisons.
        assert!(
            of_all.comparisons < 3 * all_alike,
            "{backend}: {of_all:?}, one world {of_one:?}"
        );
    }
}

/// Worlds of one box to hundreds, each a run of boxes.
fn runs() -> (Vec<Obb>, Vec<u32>, Vec<Pair>) {
    let (mut boxes, mut worlds, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    for k in 0..300 {
        let size = 1 + k * k % 37 + if k % 50 == 7 { 300 } else { 0 };
        let scene = Scene::Dense.generate(size, k as u64);
        let first = boxes.len() as u32;
        let in_all = |pair: Pair| Pair::new(first + pair.a, first + pair.b);
        pairs.extend(colliding_pairs(&scene).into_iter().map(in_all));
        worlds.extend(scene.iter().map(|_| 3 * k as u32));
        boxes.extend(scene);
    }
    (boxes, worlds, pairs)
}

#[test]
fn ascending_worlds_match_the_reference_and_a_grid() {
    let (boxes, worlds, expected) = runs();
    assert!(expected.len() > 10_000, "{} pairs", expected.len());
    let count = boxes.len() as u32;
    let owners: Vec<u32> = (0..count).map(|id| id / 2).collect();
    let statics: Vec<bool> = (0..count).map(|id| id % 3 == 0).collect();
    let margins: Vec<f32> = (0..count).map(|id| 0.125 * (id % 3) as f32).collect();
    let excluded = ExcludedPairs::new(&expected[..500]).expect("memory");
    let plain = Rules {
        worlds: Some(&worlds),
        ..Rules::default()
    };
    let rules = [
        plain,
        Rules {
            owners: Some(&owners),
            ..plain
        },
        Rules {
            statics: Some(&statics),
            ..plain
        },
        Rules {
            margins: Some(&margins),
            ..plain
        },
        Rules {
            excluded: Some(&excluded),
            ..plain
        },
    ];
    for (k, rules) in rules.into_iter().enumerate() {
        for (output, margin) in [(Output::Pairs, 0.0), (Output::Pairs, 0.25), (Output::Degrees, 0.0)] {
            let found = |broad_phase: BroadPhase| {
                let config = Config {
                    output,
                    margin,
                    broad_phase,
                    list_touching: true,
                    ..Config::default()
                };
                cpu(config).check(Set::from(&boxes).with(rules)).expect("valid boxes")
            };
            let (auto, grid) = (found(BroadPhase::Auto), found(BroadPhase::Grid));
            let choice = auto.broad_phase.expect("a broad phase");
            // Static boxes and owners may be kept in layers, of which a grid is one each.
            assert!(
                k == 1 || k == 2 || choice.used == BroadPhase::AllPairs,
                "{k}: {choice:?}"
            );
            expect_same(&format!("{k} {output:?} {margin}"), &grid, &auto);
            assert_eq!(auto.near_pairs, grid.near_pairs, "{k} {output:?} {margin}");
            if k == 0 && (output, margin) == (Output::Pairs, 0.0) {
                expect_pairs("the reference", &expected, auto.pairs().expect("asked for"));
            }
        }
    }
}

#[test]
fn invalid_boxes_in_ascending_worlds_are_named() {
    let (mut boxes, worlds, _) = runs();
    let rules = Rules {
        worlds: Some(&worlds),
        ..Rules::default()
    };
    boxes[4000].half_extents.x = f32::NAN;
    boxes[777].half_extents.y = -1.0;
    let found = cpu(Config::default()).check(Set::from(&boxes).with(rules));
    assert!(matches!(found, Err(Error::InvalidBox { index: 777, .. })), "{found:?}");
    // The last of all, however many lanes it leaves empty.
    let (mut boxes, worlds, _) = runs();
    for last in boxes.len() - 17..boxes.len() {
        let whole = std::mem::replace(&mut boxes[last].half_extents, -obbligato::glam::Vec3::ONE);
        let rules = Rules {
            worlds: Some(&worlds[..=last]),
            ..Rules::default()
        };
        let found = cpu(Config::default()).check(Set::from(&boxes[..=last]).with(rules));
        assert!(
            matches!(found, Err(Error::InvalidBox { index, .. }) if index == last),
            "{last}: {found:?}"
        );
        boxes[last].half_extents = whole;
    }
}
