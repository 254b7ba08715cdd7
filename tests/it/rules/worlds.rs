//! Worlds in one place: bodies of one world meet none of another.

use obbligato::{Config, Error, GpuConfig, Obb, Pair, Rules, Set};
use obbligato_verify::reference::colliding_pairs;
use obbligato_verify::scenes::Scene;

use crate::support::gpu::{backends, cpu, expect_pairs, gpu, gpu_with};

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
