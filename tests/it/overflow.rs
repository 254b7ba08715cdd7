//! Results larger than their buffers, scenes larger than the limits, and the fixed-capacity mode:
//! nothing is lost, and impossible requests are errors.

use obbligato::glam::Vec3;
use obbligato::{Checker, Config, Error, GpuConfig, Obb, Output, Pair};
use obbligato_verify::reference::colliding_pairs;
use obbligato_verify::scenes::Scene;

use crate::support::gpu::{OUTPUTS, check, cpu, cpu_pairs, expect_output, expect_reference, gpu, gpu_with};

/// Settings with buffers of at most this many bytes, small ones at first.
fn buffers_of(bytes: u64) -> GpuConfig {
    GpuConfig {
        max_buffer_bytes: Some(bytes),
        ..first_buffers(1)
    }
}

/// Settings with an initial capacity of this many pairs.
fn first_buffers(pairs: usize) -> GpuConfig {
    GpuConfig {
        initial_candidates: pairs,
        initial_pairs: pairs,
        ..GpuConfig::default()
    }
}

/// Settings with dispatches of at most this many workgroups per dimension.
fn workgroups(most: u32) -> GpuConfig {
    GpuConfig {
        max_workgroups_per_dimension: Some(most),
        ..first_buffers(1)
    }
}

/// Checks several scenes, each twice, with every output.
fn expect_everything(name: &str, settings: &GpuConfig, cases: &[(&str, Vec<Obb>)]) {
    let pairs: Vec<Vec<Pair>> = cases.iter().map(|(_, boxes)| cpu_pairs(boxes)).collect();
    for ((scene, boxes), pairs) in cases.iter().zip(&pairs).filter(|((_, boxes), _)| boxes.len() <= 5000) {
        expect_reference(scene, boxes, pairs);
    }
    for output in OUTPUTS {
        let mut checker = gpu(Config {
            output,
            gpu: settings.clone(),
            ..Config::default()
        });
        for ((scene, boxes), pairs) in cases.iter().zip(&pairs) {
            for call in ["first", "second"] {
                let what = format!("{name}, {scene}, {output:?}, {call} call");
                expect_output(&what, output, boxes, pairs, &check(&mut checker, &what, boxes));
            }
        }
    }
}

#[test]
fn buffers_grow_to_what_is_found() {
    let cases = [
        ("dense", Scene::Dense.generate(3000, 1)),
        // Nearly all pairs touch, so f32 decides none of them.
        ("bricks", Scene::Bricks.generate(1000, 1)),
        ("coincident", Scene::Coincident.generate(500, 1)),
        ("more of the first", Scene::Dense.generate(5000, 1)),
    ];
    for room in [0, 1, 100] {
        expect_everything(&format!("room for {room} pairs"), &first_buffers(room), &cases);
    }
}

#[test]
fn e4_candidates_are_processed_in_ranges() {
    // 64 KiB hold 8,192 pairs, and three times as much 3,840 boxes: the scenes have few boxes and
    // 15 times as many pairs as fit at once.
    let boxes = Scene::Coincident.generate(510, 2);
    let report = check(&mut gpu_with(buffers_of(1 << 16)), "ranges", &boxes);
    assert!(
        report.candidate_pairs > 15 * 8192,
        "{} candidates",
        report.candidate_pairs
    );
    expect_everything(
        "64 KiB",
        &buffers_of(1 << 16),
        &[
            ("coincident", boxes),
            ("dense", Scene::Dense.generate(1000, 2)),
            ("bricks", Scene::Bricks.generate(1000, 2)),
        ],
    );
}

#[test]
fn e4_scenes_are_checked_in_parts() {
    let cases = |count| {
        [
            ("dense", Scene::Dense.generate(count, 3)),
            ("mixed", Scene::Mixed.generate(count, 3)),
            ("bricks", Scene::Bricks.generate(count, 3)),
            ("far", Scene::Far.generate(count, 3)),
        ]
    };
    // More than 1,792 boxes, and than 16,128.
    expect_everything("32 KiB", &buffers_of(1 << 15), &cases(2000));
    expect_everything("256 KiB", &buffers_of(1 << 18), &cases(18_000)[..2]);
}

#[test]
fn few_workgroups_do_all_the_work() {
    let cases = [
        ("uniform", Scene::Uniform.generate(3000, 4)),
        ("crowd", Scene::Crowd.generate(1500, 4)),
    ];
    for most in [0, 1, 2, 7] {
        expect_everything(&format!("{most} workgroups"), &workgroups(most), &cases);
    }
}

#[test]
fn an_indivisible_cluster_is_an_error() {
    let boxes = vec![Obb::axis_aligned(Vec3::ONE, Vec3::ONE); 5000];
    for (what, settings, most) in [
        ("64 KiB", buffers_of(1 << 16), 3840),
        ("5,000 bytes", buffers_of(5000), 256),
        ("64 bytes", buffers_of(64), 0),
        ("no bytes", buffers_of(0), 0),
        ("15 bytes", buffers_of(15), 0),
    ] {
        let mut checker = gpu_with(settings);
        for boxes in [&boxes[..], &boxes[..most + 1]] {
            match checker.check(boxes) {
                Err(Error::LimitExceeded { needed, available, .. }) => {
                    assert_eq!((needed, available), (boxes.len() as u64, most as u64), "{what}");
                }
                other => panic!("{what}: {other:?}"),
            }
        }
        // The checker still works.
        let report = check(&mut checker, what, &boxes[..most.min(50)]);
        assert_eq!(
            report.colliding_pairs,
            (most.min(50) * most.min(50).saturating_sub(1) / 2) as u64,
            "{what}"
        );
    }
}

/// The backends of the fixed-capacity mode, with their names.
fn fixed(most: usize, output: Output) -> Vec<(&'static str, Checker)> {
    let config = |settings| Config {
        max_pairs: Some(most),
        output,
        gpu: settings,
        ..Config::default()
    };
    vec![
        ("the CPU", cpu(config(GpuConfig::default()))),
        ("the GPU", gpu(config(GpuConfig::default()))),
        ("the GPU with small first buffers", gpu(config(first_buffers(1)))),
        ("the GPU in parts", gpu(config(buffers_of(1 << 15)))),
    ]
}

#[test]
fn e4_a_fixed_capacity_is_respected() {
    for scene in [Scene::Dense, Scene::Bricks] {
        let boxes = scene.generate(1200, 6);
        let pairs = colliding_pairs(&boxes);
        let expected = check(&mut cpu(Config::default()), "the CPU", &boxes);
        for most in [0, 1, 10, pairs.len() - 1, pairs.len(), usize::MAX] {
            for (backend, mut checker) in fixed(most, Output::Pairs) {
                for call in ["first", "second"] {
                    let what = format!("{scene}, at most {most}, {backend}, {call} call");
                    let report = check(&mut checker, &what, &boxes);
                    assert_eq!(
                        report.pairs().expect("asked for").len(),
                        most.min(pairs.len()),
                        "{what}: stored"
                    );
                    expect_part_of(&what, &pairs, report.pairs().expect("asked for"));
                    assert_eq!(report.colliding_pairs, pairs.len() as u64, "{what}: total");
                    assert_eq!(report.touching_pairs, expected.touching_pairs, "{what}: touching");
                    assert_eq!(report.complete, most >= pairs.len(), "{what}: complete");
                    // Memory is allocated for the pairs that exist, not for the maximum.
                    assert!(report.device_bytes < 32 << 20, "{what}: {} bytes", report.device_bytes);
                }
            }
        }
    }
}

/// Every pair is correct, and occurs once.
#[track_caller]
fn expect_part_of(what: &str, all: &[Pair], part: &[Pair]) {
    assert!(part.windows(2).all(|two| two[0] < two[1]), "{what}: sorted, each once");
    assert!(
        part.iter().all(|pair| all.binary_search(pair).is_ok()),
        "{what}: true pairs"
    );
}

#[test]
fn a_fixed_capacity_limits_only_pairs() {
    let boxes = Scene::Dense.generate(3000, 7);
    let pairs = cpu_pairs(&boxes);
    for output in [Output::Degrees, Output::Count] {
        for (backend, mut checker) in fixed(3, output) {
            let what = format!("{output:?}, {backend}");
            expect_output(&what, output, &boxes, &pairs, &check(&mut checker, &what, &boxes));
        }
    }
}
