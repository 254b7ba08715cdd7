//! The GPU backend against the CPU backend and the reference.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use obbligato::glam::Vec3;
use obbligato::query::{ContactQuery, Containment, DistanceQuery};
use obbligato::{
    BroadPhase, Checker, Config, Error, GpuConfig, Obb, Output, Precision, Query, region::Room, report::Engine, wgpu,
};
use obbligato::{
    GpuChecker,
    gpu::{required_features, required_limits},
};
use obbligato_verify::adversarial;
use obbligato_verify::compare as verify;
use obbligato_verify::reference::colliding_pairs;
use obbligato_verify::scenes::Scene;

use crate::support::cases::{Case, counts, edges, scenes};
use crate::support::gpu::{
    OUTPUTS, adapter, check, cpu, cpu_pairs, device, expect_contacts, expect_output, expect_pairs, expect_same, gpu,
    gpu_with,
};

/// The most boxes that the reference compares by brute force.
const MOST_FOR_REFERENCE: usize = 5001;

/// One pair of checkers runs all cases, so each scene reuses the buffers of the previous one.
fn compare(cases: Vec<Case>) {
    let config = Config {
        list_touching: true,
        ..Config::default()
    };
    let (mut gpu, mut cpu) = (gpu(config.clone()), cpu(config));
    for (what, boxes) in cases {
        let found = check(&mut gpu, &what, &boxes);
        assert!(matches!(found.engine, Engine::Gpu { .. }), "{what}: {:?}", found.engine);
        expect_same(&what, &check(&mut cpu, &what, &boxes), &found);
        assert_eq!(
            found.colliding_pairs,
            found.pairs().expect("asked for").len() as u64,
            "{what}"
        );
        assert!(found.complete, "{what}");
        if boxes.len() <= MOST_FOR_REFERENCE {
            expect_contacts(&what, &boxes, &found);
        }
    }
}

#[test]
fn any_number_of_boxes() {
    compare(counts());
}

#[test]
fn e1_e2_e3_every_scene_against_the_reference() {
    compare(scenes(3000));
}

/// The boxes of hard pairs, all of them in one scene.
#[test]
fn e5_hard_pairs_in_one_scene() {
    let boxes: Vec<Obb> = (0..130)
        .flat_map(|index| <[Obb; 2]>::from(adversarial::pair(index, 1)))
        .collect();
    let config = Config {
        list_touching: true,
        ..Config::default()
    };
    for mut checker in [gpu(config.clone()), cpu(config)] {
        let report = check(&mut checker, "hard pairs", &boxes);
        let [pairs, touching] = expect_contacts("hard pairs", &boxes, &report);
        assert!(touching > 10 && pairs > 100, "too easy a scene");
    }
}

#[test]
fn every_scene_of_20_000_boxes() {
    compare(scenes(20_000));
}

#[test]
fn extreme_scenes() {
    compare(edges());
}

#[test]
fn cases_have_a_useful_number_of_pairs() {
    // A case without pairs, or with all of them, would prove little.
    for (what, boxes) in edges().into_iter().chain(scenes(1500)) {
        let pairs = cpu_pairs(&boxes).len();
        let most = boxes.len() * (boxes.len() - 1) / 2;
        assert!(pairs > 20, "{what}: {pairs} pairs");
        let one_place = what.starts_with("identical") || what.starts_with("points at");
        assert!(pairs < most || one_place, "{what}: all {pairs} pairs");
    }
}

#[test]
fn e6_every_output() {
    for output in OUTPUTS {
        let config = Config {
            output,
            ..Config::default()
        };
        let (mut gpu, mut cpu) = (gpu(config.clone()), cpu(config));
        for (what, boxes) in edges().into_iter().chain(scenes(2000)) {
            let pairs = cpu_pairs(&boxes);
            for checker in [&mut gpu, &mut cpu] {
                let report = check(checker, &what, &boxes);
                expect_output(&format!("{what}, {output:?}"), output, &boxes, &pairs, &report);
            }
        }
    }
}

#[test]
fn e5_touching_pairs_are_listed() {
    let boxes: Vec<Obb> = [0.0, 2.0, 3.0, 9.0]
        .map(|x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE))
        .to_vec();
    let config = Config {
        list_touching: true,
        ..Config::default()
    };
    for mut checker in [gpu(config.clone()), cpu(config)] {
        let report = check(&mut checker, "four cubes", &boxes);
        assert_eq!(report.touching().expect("asked for"), [obbligato::Pair::new(0, 1)]);
        assert_eq!((report.touching_pairs, report.colliding_pairs), (Some(1), 2));
        let wall = check(
            &mut checker,
            "bricks, which only touch",
            &Scene::Bricks.generate(1000, 1),
        );
        assert_eq!(wall.touching_pairs, Some(wall.colliding_pairs));
    }
}

#[test]
fn waiting_without_blocking_gives_the_same() {
    let boxes = Scene::Dense.generate(4000, 3);
    let mut checker = gpu(Config::default());
    let blocking = check(&mut checker, "blocking", &boxes);
    let report = pollster::block_on(checker.check_async(&boxes)).expect("a report");
    expect_same("without blocking", &blocking, &report);
    expect_same("blocking again", &blocking, &check(&mut checker, "blocking", &boxes));
}

#[test]
fn precision_changes_only_nearly_touching_pairs() {
    for scene in [Scene::Dense, Scene::Bricks, Scene::Particles, Scene::Far] {
        let boxes = scene.generate(4000, 9);
        let exact = cpu_pairs(&boxes);
        for (precision, name) in [(Precision::Fast, "fast"), (Precision::Conservative, "conservative")] {
            let config = Config {
                precision,
                ..Config::default()
            };
            for mut checker in [gpu(config.clone()), cpu(config)] {
                let what = format!("{scene}, {name}, {:?}", checker.engine());
                let report = check(&mut checker, &what, &boxes);
                let verification = verify::compare(&exact, report.pairs().expect("asked for"), &boxes);
                // A few millionths of the boxes' sizes, which are up to about 1.
                let is_near = |pair: &verify::Disagreement| pair.separation.is_some_and(|gap| gap.abs() < 1e-5);
                let mut wrong = verification.missing.iter().chain(&verification.extra);
                assert!(wrong.all(is_near), "{what}: {verification}");
                if precision == Precision::Conservative {
                    let difference = verify::difference(&exact, report.pairs().expect("asked for"));
                    assert!(difference.missing.is_empty(), "{what}: {:?}", difference.missing);
                }
                assert_eq!(report.touching_pairs, None, "{what}: f32 cannot tell");
                assert_eq!(report.undecided_pairs, 0, "{what}");
            }
        }
    }
}

#[test]
fn gpu_settings_change_no_pairs() {
    let variants = [
        (
            "shader checks",
            GpuConfig {
                shader_checks: true,
                ..GpuConfig::default()
            },
        ),
        (
            "no subgroups",
            GpuConfig {
                subgroups: false,
                ..GpuConfig::default()
            },
        ),
        (
            "no timestamps",
            GpuConfig {
                timestamps: false,
                ..GpuConfig::default()
            },
        ),
        (
            "shader checks, no subgroups",
            GpuConfig {
                shader_checks: true,
                subgroups: false,
                ..GpuConfig::default()
            },
        ),
    ];
    let cases: Vec<Case> = edges().into_iter().chain(scenes(4000)).collect();
    let expected: Vec<_> = cases.iter().map(|(_, boxes)| cpu_pairs(boxes)).collect();
    for (name, settings) in variants {
        let mut checker = gpu_with(settings);
        for ((what, boxes), expected) in cases.iter().zip(&expected) {
            let what = format!("{what}, {name}");
            expect_pairs(
                &what,
                expected,
                check(&mut checker, &what, boxes).pairs().expect("asked for"),
            );
        }
    }
}

#[test]
fn a_used_checker_matches_a_fresh_one() {
    let mut used = gpu(Config::default());
    let sizes = [10, 5000, 3, 12_000, 0, 700, 12_000, 1];
    for (scene, count) in [Scene::Mixed, Scene::Dense, Scene::Coincident, Scene::Uniform]
        .into_iter()
        .cycle()
        .zip(sizes)
    {
        let what = format!("{count} boxes of {scene}");
        let boxes = scene.generate(count, 2);
        let fresh = check(&mut gpu(Config::default()), &what, &boxes);
        let report = check(&mut used, &what, &boxes);
        expect_same(&what, &fresh, &report);
        assert_eq!(report.candidate_pairs, fresh.candidate_pairs, "{what}");
        assert_eq!(report.grid, fresh.grid, "{what}");
    }
}

#[test]
fn bad_input_leaves_the_checker_usable() {
    let boxes = Scene::Dense.generate(1000, 4);
    let mut bad = boxes.clone();
    bad[500].center.y = f32::NAN;
    let mut checker = gpu(Config::default());
    checker.check(&bad).expect_err("a NaN");
    expect_pairs(
        "after bad input",
        &cpu_pairs(&boxes),
        check(&mut checker, "again", &boxes).pairs().expect("asked for"),
    );
}

#[test]
fn e7_the_callers_device_works() {
    let adapter = adapter();
    let variants = [
        (
            "the features and limits asked for",
            required_features(&adapter),
            required_limits(&adapter),
        ),
        ("WebGPU's defaults", wgpu::Features::empty(), wgpu::Limits::default()),
    ];
    let boxes = Scene::Dense.generate(6000, 8);
    let expected = colliding_pairs(&boxes);
    for (what, features, limits) in variants {
        let (device, queue) = device(features, limits);
        let mut checker = GpuChecker::new(&device, &queue, Config::default()).expect("a checker");
        let report = checker.checker().check(&boxes).expect("a report");
        expect_pairs(what, &expected, report.pairs().expect("asked for"));
        let report = pollster::block_on(checker.checker().check_async(&boxes)).expect("a report");
        expect_pairs(what, &expected, report.pairs().expect("asked for"));
        assert_eq!(
            report.timings.gpu.is_empty(),
            !device.features().contains(wgpu::Features::TIMESTAMP_QUERY)
        );
    }
}

/// A limit, a value that is just sufficient, and the function that sets it.
type Limit = (&'static str, u32, fn(&mut wgpu::Limits, u32));

const LEAST: [Limit; 13] = [
    ("max_bind_groups", 1, |limits, n| limits.max_bind_groups = n),
    ("max_bindings_per_bind_group", 32, |limits, n| {
        limits.max_bindings_per_bind_group = n
    }),
    ("max_buffer_size", 65536, |limits, n| limits.max_buffer_size = n.into()),
    ("max_compute_invocations_per_workgroup", 256, |limits, n| {
        limits.max_compute_invocations_per_workgroup = n
    }),
    ("max_compute_workgroup_size_x", 256, |limits, n| {
        limits.max_compute_workgroup_size_x = n
    }),
    ("max_compute_workgroup_size_y", 1, |limits, n| {
        limits.max_compute_workgroup_size_y = n
    }),
    ("max_compute_workgroup_size_z", 1, |limits, n| {
        limits.max_compute_workgroup_size_z = n
    }),
    ("max_compute_workgroup_storage_size", 16384, |limits, n| {
        limits.max_compute_workgroup_storage_size = n
    }),
    ("max_compute_workgroups_per_dimension", 1, |limits, n| {
        limits.max_compute_workgroups_per_dimension = n
    }),
    ("max_storage_buffer_binding_size", 65536, |limits, n| {
        limits.max_storage_buffer_binding_size = n.into()
    }),
    ("max_storage_buffers_per_shader_stage", 7, |limits, n| {
        limits.max_storage_buffers_per_shader_stage = n
    }),
    ("max_uniform_buffer_binding_size", 16384, |limits, n| {
        limits.max_uniform_buffer_binding_size = n.into()
    }),
    ("max_uniform_buffers_per_shader_stage", 4, |limits, n| {
        limits.max_uniform_buffers_per_shader_stage = n
    }),
];

/// Limits that are just sufficient, except for this one.
fn least_limits(but_for: Option<&str>) -> wgpu::Limits {
    let mut limits = wgpu::Limits::default();
    for (name, least, set) in LEAST {
        set(&mut limits, least - u32::from(but_for == Some(name)));
    }
    limits
}

#[test]
fn a_device_with_too_low_limits_is_refused() {
    for (name, ..) in LEAST {
        let (device, queue) = device(wgpu::Features::empty(), least_limits(Some(name)));
        match GpuChecker::new(&device, &queue, Config::default()) {
            Err(error @ Error::Device { .. }) => {
                let message = error.to_string();
                assert!(message.contains(name) && !message.contains('\n'), "{message}");
            }
            other => panic!("{name}: {:?}", other.err()),
        }
    }
}

#[test]
fn a_device_with_limits_that_are_just_enough_works() {
    let (device, queue) = device(wgpu::Features::empty(), least_limits(None));
    let mut checker = GpuChecker::new(&device, &queue, Config::default()).expect("a checker");
    let checker = checker.checker();
    let boxes = Scene::Dense.generate(900, 3);
    let pairs = cpu_pairs(&boxes);
    expect_pairs(
        "one set",
        &pairs,
        checker.check(&boxes).expect("a report").pairs().expect("asked for"),
    );
    let given = checker.check(Query::pairs(&boxes, &pairs)).expect("a report");
    expect_pairs("given pairs", &pairs, given.pairs().expect("asked for"));
    let scene = checker.prepare(&boxes[..400]).expect("a scene");
    let against = checker.check(Query::against(&scene, &boxes[400..])).expect("a report");
    let expected = cpu(Config::default())
        .check(Query::between(&boxes[..400], &boxes[400..]))
        .expect("a report");
    expect_pairs(
        "movers",
        expected.pairs().expect("asked for"),
        against.pairs().expect("asked for"),
    );
    let sets = [&boxes[..], &boxes[..]];
    let contacts = checker.check(ContactQuery::new(sets, &pairs)).expect("contacts");
    assert!(contacts.penetrations().iter().all(Option::is_some));
    let points = checker.check(DistanceQuery::new(sets, &pairs)).expect("points");
    assert!(points.iter().all(|points| points.distance == 0.0));
    let room = Room::new(Vec3::splat(-3.0), Vec3::splat(3.0)).expect("a room");
    let inside = checker.check(Containment::new(&room, &boxes)).expect("rooms");
    assert!(inside == room.enclosures(&boxes).expect("rooms"));
}

#[test]
fn the_callers_error_handlers_are_kept() {
    let (device, queue) = device(wgpu::Features::empty(), wgpu::Limits::default());
    let (lost, complained) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (set_lost, set_complained) = (lost.clone(), complained.clone());
    device.set_device_lost_callback(move |_, _| set_lost.store(true, SeqCst));
    device.on_uncaptured_error(Arc::new(move |_| set_complained.store(true, SeqCst)));
    let mut checker = GpuChecker::new(&device, &queue, Config::default()).expect("a checker");
    checker
        .checker()
        .check(&Scene::Uniform.generate(100, 1))
        .expect("a report");
    assert!(
        !lost.load(SeqCst) && !complained.load(SeqCst),
        "nothing has happened yet"
    );

    // A buffer with this usage is invalid.
    let _invalid = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 16,
        usage: wgpu::BufferUsages::empty(),
        mapped_at_creation: false,
    });
    assert!(complained.load(SeqCst), "the caller's handler is called");
    device.destroy();
    // The callback is called when the device is polled.
    device.poll(wgpu::PollType::Poll).ok();
    assert!(lost.load(SeqCst), "the caller's callback is called");
}

#[test]
fn checkers_can_be_sent_to_threads() {
    fn sendable<T: Send>() {}
    sendable::<Checker>();
    sendable::<GpuChecker>();
    let boxes = Scene::Dense.generate(2000, 6);
    let expected = cpu_pairs(&boxes);
    let mut checker = gpu(Config {
        output: Output::Pairs,
        ..Config::default()
    });
    let report = std::thread::spawn(move || check(&mut checker, "a thread", &boxes))
        .join()
        .expect("no panic");
    expect_pairs("on another thread", &expected, report.pairs().expect("asked for"));
}

#[test]
fn operations_match_the_cpu() {
    let operations = |scene: Scene, count: usize| {
        let boxes = scene.generate(count, 7);
        let config = Config {
            broad_phase: BroadPhase::Grid,
            count_operations: true,
            ..Config::default()
        };
        let cpu = check(&mut cpu(config.clone()), "the CPU", &boxes);
        let gpu = check(&mut gpu(config), "the GPU", &boxes);
        [cpu, gpu].map(|report| report.operations.expect("counts"))
    };
    for (scene, count) in [
        (Scene::Dense, 20_000),
        (Scene::Uniform, 20_000),
        (Scene::Coincident, 3000),
    ] {
        let [cpu, gpu] = operations(scene, count);
        // Cells differ by rounding, and blocks of slots cut some rows.
        let near = |gpu: u64, cpu: u64, part: f64| (gpu as f64 / cpu as f64 - 1.0).abs() < part;
        assert!(near(gpu.comparisons, cpu.comparisons, 1e-3), "{scene}: {gpu:?} {cpu:?}");
        assert!(near(gpu.rows, cpu.rows, 2e-2), "{scene}: {gpu:?} {cpu:?}");
    }
    assert_eq!(
        check(&mut gpu(Config::default()), "nothing", &[] as &[Obb]).operations,
        None
    );
}
