//! Frames whose number of bodies, and whose active bodies, the device decides: the pairs of frames
//! of the same bodies with numbers on the host.

use obbligato::gpu::{Capacity, FrameQuery, FrameVisitor, Outcome, RulesOf, SortPairs};
use obbligato::{
    BroadPhase, Config, Error, GpuChecker, GpuConfig, Obb, Output, Pair, Query, Rules, Set,
    glam::Vec3Swizzles,
    shape::{Aabb, Triangle},
    wgpu,
};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::scenes::{BodyScene, Scene};

use crate::bodies_gpu::counts_of;
use crate::support::application::Application;
use crate::support::gpu::{check, cpu, cpu_pairs, expect_pairs};

/// The numbers of bodies of 1,500.
const COUNTS: [u32; 12] = [0, 1, 2, 3, 63, 64, 65, 257, 700, 1024, 1499, 1500];
const MOST: u32 = 1500;

const STORAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::COPY_SRC);

/// Settings of a frame: both broad phases, and bindings that hold fewer bodies than there are.
fn all_settings() -> [(&'static str, Config); 4] {
    let with = |gpu| Config {
        gpu,
        ..Config::default()
    };
    let split = GpuConfig {
        max_buffer_bytes: Some(1 << 15),
        shader_checks: true,
        ..GpuConfig::default()
    };
    let plain = GpuConfig {
        subgroups: false,
        shader_f64: false,
        max_workgroups_per_dimension: Some(3),
        ..GpuConfig::default()
    };
    let lbvh = Config {
        broad_phase: BroadPhase::Lbvh,
        ..Config::default()
    };
    [
        ("default", Config::default()),
        ("split", with(split)),
        ("plain", with(plain)),
        ("tree", lbvh),
    ]
}

/// Makes room for scenes whose bodies touch, unless the settings leave none.
fn make_room(checker: &mut GpuChecker, name: &str) {
    let room = Capacity {
        boxes: MOST,
        candidates: 60_000,
        pairs: 30_000,
        undecided: 30_000,
    };
    if name != "split" {
        checker.reserve(room).expect("room");
    }
}

/// Runs a frame. Returns its outcome, and its sorted pairs with the undecided ones that collide.
fn run(
    application: &Application,
    checker: &mut GpuChecker,
    query: FrameQuery<'_>,
    collides: &dyn Fn(&Pair) -> bool,
) -> (Outcome, Vec<Pair>) {
    let mut encoder = application.encoder();
    let recorded = checker.record(&mut encoder, query).expect("a recorded frame");
    application.queue.submit([encoder.finish()]);
    let outcome: Outcome = checker.read(&recorded.outcome, 1).expect("an outcome")[0];
    let mut pairs: Vec<Pair> = checker.read(&recorded.pairs, outcome.pairs).expect("pairs");
    let undecided: Vec<Pair> = checker.read(&recorded.undecided, outcome.undecided).expect("pairs");
    pairs.extend(undecided.iter().filter(|pair| collides(pair)));
    pairs.sort_unstable();
    (outcome, pairs)
}

/// Checks frames of each number of bodies, and of more than there may be. `expected` are the pairs
/// of all.
#[track_caller]
fn expect_counted(
    application: &Application,
    checker: &mut GpuChecker,
    (what, query): (&str, FrameQuery<'_>),
    expected: &[Pair],
    collides: &dyn Fn(&Pair) -> bool,
) {
    // Decreasing, too: nothing of a larger frame may stay.
    let counts = COUNTS.iter().rev().chain(&COUNTS);
    for &number in counts.chain(&[MOST + 1, u32::MAX]) {
        let count = application.buffer(bytemuck::bytes_of(&number), STORAGE);
        let (outcome, found) = run(application, checker, query.counted(&count), collides);
        let bodies = number.min(MOST);
        let what = format!("{what}, {number} bodies");
        assert_eq!((outcome.bodies, outcome.bodies_needed), (bodies, number), "{what}");
        assert_eq!(outcome.fits == 1, number <= MOST, "{what}: {outcome:?}");
        let expected: Vec<Pair> = (expected.iter().copied())
            .filter(|pair| pair.a.max(pair.b) < bodies)
            .collect();
        expect_pairs(&what, &expected, &found);
    }
}

#[test]
fn c7_frames_of_counted_boxes_match_those_of_the_host() {
    let application = Application::new();
    for (name, config) in all_settings() {
        let mut checker = application.checker(config);
        make_room(&mut checker, name);
        for scene in [Scene::Uniform, Scene::Mixed, Scene::Bricks] {
            let boxes = scene.generate(MOST as usize, 4);
            let expected = cpu_pairs(&boxes);
            if name == "split" && expected.len() > 2500 {
                continue;
            }
            let buffer = application.boxes(&boxes);
            let collides = |pair: &Pair| boxes[pair.a as usize].contact(&boxes[pair.b as usize]).collides();
            let query = FrameQuery::boxes(&buffer, MOST);
            let what = format!("{name}, {scene}");
            expect_counted(&application, &mut checker, (&what, query), &expected, &collides);
        }
    }
}

#[test]
fn c7_frames_of_counted_bodies_match_those_of_the_host() {
    let application = Application::new();
    for (name, config) in all_settings() {
        let mut checker = application.checker(config.clone());
        for scene in [BodyScene::Spheres, BodyScene::Capsules, BodyScene::MixedKinds] {
            let bodies = scene.bodies(MOST as usize, 2);
            let expected = check(&mut cpu(Config::default()), name, bodies.all());
            let collides = |pair: &Pair| bodies.all().at(pair.a).contact(bodies.all().at(pair.b)).collides();
            let buffer = checker.upload_bodies(bodies.all()).expect("a buffer");
            let query = FrameQuery::bodies(&buffer, counts_of(&bodies.all()));
            let what = format!("{name}, {scene}");
            let pairs = expected.pairs().expect("asked for");
            expect_counted(&application, &mut checker, (&what, query), pairs, &collides);
        }
    }
}

#[test]
fn frames_of_counted_bounds_and_triangles_match_those_of_the_host() {
    let application = Application::new();
    for (name, config) in all_settings() {
        let mut checker = application.checker(config);
        let boxes = Scene::Uniform.generate(MOST as usize, 3);
        let bounds: Vec<Aabb> = boxes.iter().map(Obb::bounds).collect();
        let expected = check(&mut cpu(Config::default()), name, &bounds);
        let buffer = checker.upload(&bounds).expect("a buffer");
        let query = FrameQuery::bounds(&buffer, MOST);
        let pairs = expected.pairs().expect("asked for");
        expect_counted(&application, &mut checker, (name, query), pairs, &|_| unreachable!());

        let triangles: Vec<Triangle> = boxes
            .iter()
            .map(|obb| {
                Triangle::new(
                    obb.center,
                    obb.center + obb.half_extents,
                    obb.center - obb.half_extents.zxy(),
                )
            })
            .collect();
        let expected = check(&mut cpu(Config::default()), name, &triangles);
        let buffer = checker.upload(&triangles).expect("a buffer");
        let query = FrameQuery::triangles(&buffer, MOST);
        let meet = |pair: &Pair| triangles[pair.a as usize].meets(&triangles[pair.b as usize]);
        let pairs = expected.pairs().expect("asked for");
        expect_counted(&application, &mut checker, (name, query), pairs, &meet);
    }
}

/// The device counts movers against a scene at rest.
#[test]
fn counted_movers_match_those_of_the_host() {
    let application = Application::new();
    let boxes = Scene::Mixed.generate(2500, 9);
    let (resting, movers) = boxes.split_at(1000);
    for (name, config) in all_settings().into_iter().filter(|(name, _)| *name != "split") {
        let mut checker = application.checker(config);
        let scene = checker.checker().prepare(resting).expect("valid boxes");
        let expected = checker.checker().check(Query::against(&scene, movers));
        let expected = expected.expect("valid boxes").into_pairs().expect("asked for");
        let buffer = application.boxes(movers);
        let collides = |pair: &Pair| resting[pair.a as usize].contact(&movers[pair.b as usize]).collides();
        for number in [0, 1, 700, 1500, 1501] {
            let count = application.buffer(bytemuck::bytes_of(&number), STORAGE);
            let query = FrameQuery::against(&scene, &buffer, MOST).counted(&count);
            let (outcome, found) = run(&application, &mut checker, query, &collides);
            let expected: Vec<Pair> = (expected.iter().copied()).filter(|pair| pair.b < number).collect();
            assert_eq!(outcome.fits == 1, number <= MOST, "{name}: {outcome:?}");
            expect_pairs(name, &expected, &found);
        }
    }
}

/// Emits 400 bodies, and removes every third of those that there are.
const STEP: &str = "
    @group(0) @binding(0) var<storage, read_write> count: array<u32>;
    @group(0) @binding(1) var<storage, read_write> active_bodies: array<u32>;
    @compute @workgroup_size(1)
    fn step() {
        for (var k = 0u; k < count[0]; k += 3u) { active_bodies[k] = 0u; }
        for (var k = count[0]; k < count[0] + 400u; k++) { active_bodies[k] = 1u; }
        count[0] += 400u;
    }
";

/// The pipeline of [`STEP`].
fn emitter(device: &wgpu::Device) -> wgpu::ComputePipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(STEP.into()),
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("step"),
        compilation_options: Default::default(),
        cache: None,
    })
}

/// Counts and active bodies that a kernel of the application decides, between frames of one
/// encoder: an emitter and a sink without the host.
#[test]
fn c7_kernels_decide_between_frames_of_one_encoder() {
    let application = Application::new();
    let device = &application.device;
    let step = emitter(device);
    for (name, config) in all_settings().into_iter().filter(|(name, _)| *name != "split") {
        let mut checker = application.checker(config);
        let boxes = Scene::Dense.generate(MOST as usize, 5);
        let (buffer, count) = (application.boxes(&boxes), application.buffer(&[0; 4], STORAGE));
        let active = application.buffer(&[0; 4 * MOST as usize], STORAGE);
        let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &step.get_bind_group_layout(0),
            entries: &[(0, &count), (1, &active)].map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            }),
        });
        let mut encoder = application.encoder();
        let mut frames = Vec::new();
        for _ in 0..3 {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&step);
            pass.set_bind_group(0, &bindings, &[]);
            pass.dispatch_workgroups(1, 1, 1);
            drop(pass);
            let query = FrameQuery::boxes(&buffer, MOST).counted(&count).active(&active);
            let recorded = checker.record(&mut encoder, query).expect("a recorded frame");
            checker.record(&mut encoder, SortPairs(&recorded)).expect("a list");
            frames.push(
                [&recorded.outcome, &recorded.pairs, &recorded.undecided].map(|it| application.copy(&mut encoder, it)),
            );
        }
        application.queue.submit([encoder.finish()]);
        let expected = cpu_pairs(&boxes);
        let mut is_active = vec![false; MOST as usize];
        for (k, [outcome, pairs, undecided]) in frames.iter().enumerate() {
            let count = 400 * k;
            is_active[..count].iter_mut().step_by(3).for_each(|it| *it = false);
            is_active[count..count + 400].fill(true);
            let outcome: Outcome = application.read(outcome)[0];
            assert_eq!((outcome.bodies, outcome.fits), (count as u32 + 400, 1), "{name}");
            let mut found: Vec<Pair> = application.read::<Pair>(pairs)[..outcome.pairs as usize].to_vec();
            let collides = |pair: &&Pair| boxes[pair.a as usize].contact(&boxes[pair.b as usize]).collides();
            let undecided: Vec<Pair> = application.read(undecided);
            found.extend(undecided[..outcome.undecided as usize].iter().filter(collides));
            found.sort_unstable();
            let both = |pair: &Pair| is_active[pair.a as usize] && is_active[pair.b as usize];
            let expected: Vec<Pair> = expected.iter().copied().filter(both).collect();
            assert!(expected.len() > 200, "{name}: {} pairs", expected.len());
            expect_pairs(name, &expected, &found);
        }
    }
}

/// Flags of bodies, about this part of which are active.
fn flags(percent: u64) -> Vec<u32> {
    let mut random = SplitMix(percent);
    (0..MOST)
        .map(|_| u32::from((random.unit() * 100.0) < percent as f64) * 7)
        .collect()
}

#[test]
fn c7_bodies_that_are_not_active_collide_with_nothing() {
    let application = Application::new();
    for (name, config) in all_settings() {
        for margin in [0.0, 0.3] {
            let config = Config {
                margin,
                ..config.clone()
            };
            let mut checker = application.checker(config.clone());
            make_room(&mut checker, name);
            for scene in [
                BodyScene::Boxes(Scene::Mixed),
                BodyScene::MixedKinds,
                BodyScene::Lattice,
            ] {
                let bodies = scene.bodies(MOST as usize, 6);
                let all = check(&mut cpu(config.clone()), name, bodies.all());
                let all = all.pairs().expect("asked for");
                if name == "split" && all.len() > 800 {
                    continue;
                }
                let buffer = checker.upload_bodies(bodies.all()).expect("a buffer");
                // The host decides what the device leaves undecided.
                let collides = |pair: &Pair| all.binary_search(pair).is_ok();
                for percent in [0, 1, 50, 99, 100] {
                    let active = flags(percent);
                    let flags = application.buffer(bytemuck::cast_slice(&active), STORAGE);
                    let query = FrameQuery::bodies(&buffer, counts_of(&bodies.all())).active(&flags);
                    let (outcome, found) = run(&application, &mut checker, query, &collides);
                    let what = format!("{name}, {scene}, margin {margin}, {percent}%");
                    let both = |pair: &Pair| active[pair.a as usize] > 0 && active[pair.b as usize] > 0;
                    let expected: Vec<Pair> = all.iter().copied().filter(both).collect();
                    assert_eq!((outcome.fits, outcome.bodies), (1, MOST), "{what}: {outcome:?}");
                    expect_pairs(&what, &expected, &found);
                }
            }
        }
    }
}

/// Anywhere in space, and for movers against a scene that surrounds them.
#[test]
fn bodies_that_are_not_active_are_out_of_reach_anywhere() {
    let application = Application::new();
    let active: Vec<u32> = (0..MOST).map(|k| k % 2).collect();
    let flags = application.buffer(bytemuck::cast_slice(&active), STORAGE);
    for (name, config) in all_settings().into_iter().filter(|(name, _)| *name != "split") {
        let mut checker = application.checker(config);
        for (scale, offset) in [(1.0, 0.0), (1e-9, 0.0), (1e9, 0.0), (1.0, 1e7), (1.0, -1e7)] {
            let boxes: Vec<Obb> = (Scene::Uniform.generate(MOST as usize, 7).into_iter())
                .map(|obb| Obb {
                    center: scale * obb.center + offset,
                    half_extents: scale * obb.half_extents,
                    ..obb
                })
                .collect();
            let collides = |pair: &Pair| boxes[pair.a as usize].contact(&boxes[pair.b as usize]).collides();
            let buffer = application.boxes(&boxes);
            let query = FrameQuery::boxes(&buffer, MOST).active(&flags);
            let (_, found) = run(&application, &mut checker, query, &collides);
            let mut expected = cpu_pairs(&boxes);
            expected.retain(|pair| pair.a % 2 == 1 && pair.b % 2 == 1);
            expect_pairs(&format!("{name}, {scale}, {offset}"), &expected, &found);
        }
        let boxes = Scene::Uniform.generate(2 * MOST as usize, 8);
        let (resting, movers) = boxes.split_at(MOST as usize);
        let scene = checker.checker().prepare(resting).expect("valid boxes");
        let expected = checker.checker().check(Query::against(&scene, movers));
        let mut expected = expected.expect("valid boxes").into_pairs().expect("asked for");
        expected.retain(|pair| pair.b % 2 == 1);
        let collides = |pair: &Pair| resting[pair.a as usize].contact(&movers[pair.b as usize]).collides();
        let buffer = application.boxes(movers);
        let query = FrameQuery::against(&scene, &buffer, MOST).active(&flags);
        let (_, found) = run(&application, &mut checker, query, &collides);
        assert!(expected.len() > 100, "{} pairs", expected.len());
        expect_pairs(name, &expected, &found);
    }
}

/// Counts the pairs of each body.
const DEGREES: &str = "
    @group(1) @binding(0) var<storage, read_write> degrees: array<atomic<u32>>;
    fn visit(pair: Pair, undecided: bool) {
        atomicAdd(&degrees[pair.a], 1u);
        atomicAdd(&degrees[pair.b], 1u);
    }
";

/// Counts and flags of the device together with rules, layers, degrees and a visitor.
#[test]
fn counts_of_the_device_go_with_rules_outputs_and_visitors() {
    let application = Application::new();
    let boxes = Scene::Crowd.generate(MOST as usize, 2);
    let (statics, worlds): (Vec<bool>, Vec<u32>) = (0..MOST).map(|k| (k % 5 == 0, k % 2)).unzip();
    let rules = Rules {
        statics: Some(&statics),
        worlds: Some(&worlds),
        ..Rules::default()
    };
    let expected = check(&mut cpu(Config::default()), "rules", Set::from(&boxes).with(rules));
    let active: Vec<u32> = (0..MOST).map(|k| u32::from(k % 7 != 0)).collect();
    let expected: Vec<Pair> = (expected.pairs().expect("asked for").iter().copied())
        .filter(|pair| pair.a.max(pair.b) < 1200 && pair.a % 7 != 0 && pair.b % 7 != 0)
        .collect();
    let (buffer, flags) = (
        application.boxes(&boxes),
        application.buffer(bytemuck::cast_slice(&active), STORAGE),
    );
    let count = application.buffer(bytemuck::bytes_of(&1200u32), STORAGE);
    let collides = |pair: &Pair| boxes[pair.a as usize].contact(&boxes[pair.b as usize]).collides();
    for (name, config) in all_settings().into_iter().filter(|(name, _)| *name != "split") {
        let mut checker = application.checker(Config {
            output: Output::Degrees,
            ..config.clone()
        });
        let uploaded = checker.upload_rules(RulesOf::boxes(&rules, MOST)).expect("rules");
        let query = FrameQuery::boxes(&buffer, MOST)
            .with(&uploaded)
            .counted(&count)
            .active(&flags);
        let mut encoder = application.encoder();
        let recorded = checker.record(&mut encoder, query).expect("a recorded frame");
        application.queue.submit([encoder.finish()]);
        let outcome: Outcome = checker.read(&recorded.outcome, 1).expect("an outcome")[0];
        let left: Vec<Pair> = checker.read(&recorded.undecided, outcome.undecided).expect("pairs");
        let mut degrees = obbligato::report::degrees(MOST as usize, &expected);
        for id in left
            .iter()
            .filter(|pair| collides(pair))
            .flat_map(|pair| [pair.a, pair.b])
        {
            degrees[id as usize] -= 1;
        }
        assert_eq!(outcome.fits, 1, "{name}: {outcome:?}");
        let found: Vec<u32> = checker.read(&recorded.degrees, MOST).expect("degrees");
        assert!(found == degrees, "{name}");

        let visits = application.buffer(&[0; 4 * MOST as usize], STORAGE);
        let visitor = FrameVisitor::new(DEGREES).bind(0, &visits);
        let mut encoder = application.encoder();
        checker
            .record(&mut encoder, query.visit(&visitor))
            .expect("a recorded frame");
        application.queue.submit([encoder.finish()]);
        let found: Vec<u32> = checker.read(&visits, MOST).expect("degrees");
        assert!(found == degrees, "{name}: visited");
    }
}

#[test]
fn counts_and_flags_must_fit_their_buffers() {
    let application = Application::new();
    let mut checker = application.checker(Config::default());
    checker.reserve(Capacity::default()).expect("no room");
    let buffer = application.boxes(&Scene::Uniform.generate(20, 1));
    let unbound = application.buffer(&[0; 80], wgpu::BufferUsages::COPY_SRC);
    let flags = application.buffer(&[0; 48], STORAGE);
    let query = FrameQuery::boxes(&buffer, 20);
    for query in [query.counted(&unbound), query.active(&unbound), query.active(&flags)] {
        let found = checker.record(&mut application.encoder(), query);
        assert!(matches!(found, Err(Error::InvalidBuffer { .. })), "{found:?}");
    }
}
