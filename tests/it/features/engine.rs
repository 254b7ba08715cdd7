//! Rows E1 to E12.

use std::path::Path;

use obbligato::Query;
use obbligato::glam::{Quat, Vec3};
use obbligato::gpu::AdjacencyOf;
use obbligato::gpu::FrameQuery;
use obbligato::{
    Checker, Config, GpuConfig, Obb, Output as Form, Pair, Rules, Set,
    contact::Contact,
    query::ExcludedPairs,
    report::{Adjacency, Direction, Engine},
    shape::Aabb,
    wgpu,
};
use obbligato::{
    GpuChecker,
    gpu::{Outcome, adapters, required_features, required_limits},
};
use obbligato_files::write_rows;
use obbligato_verify::adversarial;
use obbligato_verify::reference::{allowed, colliding_pairs, contact, overlapping_bounds, pairs_against, pairs_within};
use obbligato_verify::scenes::Scene;

use super::rows::read_npy;
use super::{assert_found, check, on_cpu, on_gpu, on_tiny_gpu};

#[test]
fn e1_gpu_finds_all_pairs() {
    let mut checker = Checker::new(on_gpu()).expect("an adapter is there");
    assert!(matches!(checker.engine(), Engine::Gpu { .. }));
    for scene in Scene::ALL {
        let boxes = scene.generate(1_500, 1);
        let expected = colliding_pairs(&boxes);
        assert!(expected.len() > 100, "{scene}");
        let report = checker.check(&boxes).expect("the boxes are valid");
        assert!(report.pairs().expect("asked for") == expected, "{scene}");
    }
}

#[test]
fn e2_cpu_finds_all_pairs() {
    let mut checker = Checker::new(on_cpu()).expect("the CPU is always there");
    for scene in Scene::ALL {
        let boxes = scene.generate(1_500, 2);
        let expected = colliding_pairs(&boxes);
        assert!(expected.len() > 100, "{scene}");
        let report = checker.check(&boxes).expect("the boxes are valid");
        assert!(report.pairs().expect("asked for") == expected, "{scene}");
        assert!(matches!(report.engine, Engine::Cpu { threads: 1.. }));
    }
    let checker = Checker::new(Config::default()).expect("one of the two is there");
    let has_gpu = adapters().iter().any(|adapter| adapter.kind.is_gpu());
    assert_eq!(matches!(checker.engine(), Engine::Gpu { .. }), has_gpu);
}

/// Small boxes, boxes a thousand times smaller than others, a few as large as the world, and
/// everything far from the origin.
fn of_all_sizes() -> Vec<Obb> {
    let mut boxes = Scene::Mixed.generate(2_000, 3);
    boxes.extend(Scene::Giants.generate(1_000, 4));
    boxes.extend(Scene::Clusters.generate(1_000, 5));
    boxes.push(Obb::new(Vec3::ZERO, Vec3::splat(60.0), Quat::from_rotation_z(0.3)));
    boxes.push(Obb::axis_aligned(Vec3::ZERO, Vec3::new(1e4, 1e-4, 1e4)));
    for solid in &mut boxes {
        solid.center += Vec3::new(3e4, -2e4, 1e4);
    }
    boxes
}

#[test]
fn e3_sizes_giants_clusters_far_away() {
    let boxes = of_all_sizes();
    assert_found("of all sizes", &boxes, &colliding_pairs(&boxes));
    for scene in [
        Scene::Mixed,
        Scene::Giants,
        Scene::Clusters,
        Scene::Far,
        Scene::Coincident,
    ] {
        let boxes = scene.generate(3_000, 3);
        assert_found(scene.name(), &boxes, &colliding_pairs(&boxes));
    }
}

#[test]
fn e4_never_lossy() {
    let boxes = Scene::Dense.generate(2_000, 1);
    let expected = colliding_pairs(&boxes);
    // 2,048 pairs fill a buffer: the result needs several, however it is divided.
    assert!(expected.len() > 4_096);
    let in_parts = check(on_tiny_gpu(), &boxes);
    assert!(
        in_parts.complete && in_parts.pairs().expect("asked for") == expected,
        "in parts"
    );
    let in_windows = check(
        Config {
            gpu: GpuConfig {
                max_buffer_bytes: Some(1 << 17),
                ..on_tiny_gpu().gpu
            },
            ..on_gpu()
        },
        &boxes,
    );
    assert!(
        in_windows.complete && in_windows.pairs().expect("asked for") == expected,
        "in windows"
    );

    for config in [on_gpu(), on_tiny_gpu(), on_cpu()] {
        let max_pairs = Some(100);
        let report = check(Config { max_pairs, ..config }, &boxes);
        assert_eq!(report.colliding_pairs, expected.len() as u64);
        assert_eq!(report.pairs().expect("asked for").len(), 100);
        assert!(!report.complete);
        assert!(
            report
                .pairs()
                .expect("asked for")
                .iter()
                .all(|pair| expected.binary_search(pair).is_ok())
        );
    }
}

/// The boxes of hard pairs, all of them in one scene.
fn hard_scene(pairs: u64) -> Vec<Obb> {
    (0..pairs)
        .flat_map(|index| {
            let (a, b) = adversarial::pair(index, 1);
            [a, b]
        })
        .collect()
}

#[test]
fn e5_exact() {
    let boxes = hard_scene(130);
    let all = (0..boxes.len() as u32).flat_map(|a| (a + 1..260).map(move |b| Pair { a, b }));
    let contacts = all.map(|pair| (pair, contact(&boxes[pair.a as usize], &boxes[pair.b as usize])));
    let contacts: Vec<_> = contacts.filter(|(_, contact)| contact.collides()).collect();
    let expected: Vec<Pair> = contacts.iter().map(|(pair, _)| *pair).collect();
    let touching: Vec<Pair> = contacts
        .iter()
        .filter(|(_, contact)| *contact == Contact::Touching)
        .map(|(pair, _)| *pair)
        .collect();
    assert!(touching.len() > 10 && expected.len() > 100, "too easy a scene");
    for config in [on_gpu(), on_cpu()] {
        let list_touching = true;
        let report = check(
            Config {
                list_touching,
                ..config
            },
            &boxes,
        );
        assert!(report.pairs().expect("asked for") == expected);
        assert!(report.touching().expect("asked for") == touching);
        assert_eq!(report.touching_pairs, Some(touching.len() as u64));
    }

    let wall = Scene::Bricks.generate(1_000, 1);
    let report = check(on_gpu(), &wall);
    assert_eq!(report.touching_pairs, Some(report.colliding_pairs), "bricks only touch");
    assert!(report.pairs().expect("asked for") == colliding_pairs(&wall));
}

#[test]
fn e6_result_forms() {
    let boxes = Scene::Dense.generate(1_000, 1);
    let expected = colliding_pairs(&boxes);
    let mut rows = vec![Vec::new(); boxes.len()];
    for pair in &expected {
        rows[pair.b as usize].push(pair.a);
    }
    for pair in &expected {
        rows[pair.a as usize].push(pair.b);
    }
    for config in [on_gpu(), on_cpu()] {
        let form = |output| {
            check(
                Config {
                    output,
                    ..config.clone()
                },
                &boxes,
            )
        };
        let pairs = form(Form::Pairs);
        assert!(pairs.pairs().expect("asked for") == expected && pairs.degrees().is_err());
        let adjacency = pairs.adjacency(Direction::Both).expect("the report has all pairs");
        assert!(adjacency.rows().eq(rows.iter().map(Vec::as_slice)));
        let once = pairs.adjacency(Direction::AToB).expect("the report has all pairs");
        assert!(once.neighbours().iter().eq(expected.iter().map(|pair| &pair.b)));
        let degrees_alone = form(Form::Degrees);
        assert!(
            degrees_alone
                .degrees()
                .expect("asked for")
                .iter()
                .map(|&degree| degree as usize)
                .eq(rows.iter().map(Vec::len))
        );
        let collides = rows.iter().map(|row| !row.is_empty());
        for report in [&pairs, &degrees_alone] {
            assert!(report.marks().expect("marks").into_iter().eq(collides.clone()));
        }
        let count = form(Form::Count);
        assert!(count.pairs().is_err() && count.degrees().is_err());
        for report in [pairs, degrees_alone, count] {
            assert_eq!(report.colliding_pairs, expected.len() as u64);
        }
    }
}

#[test]
fn e6_rows_as_files() {
    let boxes = Scene::Dense.generate(1_000, 1);
    let expected = colliding_pairs(&boxes);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("rows");
    let rows = Adjacency::new(boxes.len(), &expected, Direction::Both).expect("memory");
    write_rows(&path, &rows).expect("it can be written");
    let [offsets, neighbours] = [".offsets.npy", ".neighbours.npy"].map(|ending| {
        let mut name = path.clone().into_os_string();
        name.push(ending);
        read_npy(Path::new(&name))
    });
    let from_rows = offsets.windows(2).enumerate().flat_map(|(a, row)| {
        let own = &neighbours[row[0] as usize..row[1] as usize];
        assert!(own.is_sorted());
        own.iter().map(move |&b| (a as u32, b)).filter(|(a, b)| a < b)
    });
    assert!(from_rows.map(|(a, b)| Pair { a, b }).eq(expected.iter().copied()));
    assert_eq!(neighbours.len(), 2 * expected.len());
}

#[test]
fn e6_forms_that_stay_on_the_gpu() {
    let (device, queue) = device();
    let mut checker = GpuChecker::new(&device, &queue, Config::default()).expect("the device suits");
    let boxes = Scene::Dense.generate(1_000, 1);
    let buffer = box_buffer(&device, &queue, &boxes);
    let mut encoder = device.create_command_encoder(&Default::default());
    let recorded = checker
        .record(&mut encoder, FrameQuery::boxes(&buffer, 1_000))
        .expect("a recorded frame");
    let rows = checker.record(&mut encoder, AdjacencyOf::new(&recorded, Direction::Both));
    let rows = rows.expect("a recorded adjacency");
    let copies = [&recorded.outcome, &recorded.pairs, &rows.offsets, &rows.neighbours]
        .map(|buffer| copied(&device, &mut encoder, buffer));
    queue.submit([encoder.finish()]);
    let [outcome, pairs, offsets, neighbours] = copies.map(|copy| read(&device, &copy));
    let outcome: Outcome = bytemuck::pod_read_unaligned(&outcome[..size_of::<Outcome>()]);
    assert_eq!((outcome.fits, outcome.undecided), (1, 0), "{outcome:?}");

    let report = check(on_cpu(), &boxes);
    let pairs: Vec<Pair> = bytemuck::pod_collect_to_vec(&pairs);
    assert!(pairs.starts_with(report.pairs().expect("asked for")), "they are sorted");
    let expected = report.adjacency(Direction::Both).expect("the report has all pairs");
    let [offsets, neighbours] = [offsets, neighbours].map(|bytes| bytemuck::pod_collect_to_vec::<_, u32>(&bytes));
    assert!(
        expected
            .offsets()
            .iter()
            .zip(&offsets)
            .all(|(&expected, &found)| expected == u64::from(found))
    );
    assert!(neighbours.starts_with(expected.neighbours()));
}

/// A device without any preparation for this library, beyond its own recommendations.
fn device() -> (wgpu::Device, wgpu::Queue) {
    let descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    let adapter = pollster::block_on(wgpu::Instance::new(descriptor).request_adapter(&Default::default()))
        .expect("an adapter is there");
    let descriptor = wgpu::DeviceDescriptor {
        required_features: required_features(&adapter),
        required_limits: required_limits(&adapter),
        ..Default::default()
    };
    pollster::block_on(adapter.request_device(&descriptor)).expect("the adapter gives a device")
}

/// A buffer of boxes on the GPU.
fn box_buffer(device: &wgpu::Device, queue: &wgpu::Queue, boxes: &[Obb]) -> wgpu::Buffer {
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("boxes"),
        size: size_of_val(boxes) as u64,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    queue.write_buffer(&buffer, 0, bytemuck::cast_slice(boxes));
    buffer
}

/// A copy that the host can read.
fn copied(device: &wgpu::Device, encoder: &mut wgpu::CommandEncoder, source: &wgpu::Buffer) -> wgpu::Buffer {
    let copy = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("a copy"),
        size: source.size(),
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    encoder.copy_buffer_to_buffer(source, 0, &copy, 0, copy.size());
    copy
}

fn read(device: &wgpu::Device, copy: &wgpu::Buffer) -> Vec<u8> {
    copy.map_async(wgpu::MapMode::Read, .., |result| result.expect("a mapped buffer"));
    device.poll(wgpu::PollType::wait_indefinitely()).expect("an end");
    copy.get_mapped_range(..).expect("a range").to_vec()
}

#[test]
fn e7_on_the_callers_device() {
    let (device, queue) = device();
    let mut checker = GpuChecker::new(&device, &queue, Config::default()).expect("the device suits");
    let boxes = Scene::Uniform.generate(1_000, 1);
    let report = checker.checker().check(&boxes).expect("the boxes are valid");
    assert!(report.pairs().expect("asked for") == colliding_pairs(&boxes));
    let report = pollster::block_on(checker.checker().check_async(&boxes)).expect("the boxes are valid");
    assert!(report.pairs().expect("asked for") == colliding_pairs(&boxes));
}

#[test]
fn e7_recorded_frames_stay_on_the_gpu() {
    let (device, queue) = device();
    let mut checker = GpuChecker::new(&device, &queue, Config::default()).expect("the device suits");
    let boxes = Scene::Uniform.generate(1_000, 1);
    let buffer = box_buffer(&device, &queue, &boxes);
    let mut encoder = device.create_command_encoder(&Default::default());
    let recorded = checker
        .record(&mut encoder, FrameQuery::boxes(&buffer, 1_000))
        .expect("a recorded frame");
    let copy = copied(&device, &mut encoder, &recorded.outcome);
    queue.submit([encoder.finish()]);
    let outcome: Outcome = bytemuck::pod_read_unaligned(&read(&device, &copy));
    assert_eq!((outcome.fits, outcome.undecided), (1, 0), "{outcome:?}");
    assert_eq!(outcome.pairs as usize, colliding_pairs(&boxes).len());
}

#[test]
fn e8_rules_decide_what_is_reported() {
    let mut boxes = Scene::Dense.generate(1_000, 1);
    let all = colliding_pairs(&boxes);
    for (i, solid) in boxes.iter_mut().enumerate() {
        // Group 0 meets all, group 1 meets only group 0.
        *solid = if i.is_multiple_of(3) {
            solid.with_groups(1, 0b11)
        } else {
            solid.with_groups(0b10, 1)
        };
    }
    let meets = |pair: &&Pair| pair.a.is_multiple_of(3) || pair.b.is_multiple_of(3);
    let expected: Vec<Pair> = all.iter().filter(meets).copied().collect();
    assert!(expected.len() < all.len());
    assert_found("groups", &boxes, &expected);

    let all = colliding_pairs(&boxes);
    let list = |divisor: u32| -> Vec<u32> { (0..1_000).map(|i| i % divisor).collect() };
    let (owners, worlds, excluded) = (list(5), list(3), ExcludedPairs::new(&all[..9]).expect("memory"));
    let statics: Vec<bool> = owners.iter().map(|&owner| owner > 1).collect();
    let rules = Rules {
        owners: Some(&owners),
        worlds: Some(&worlds),
        statics: Some(&statics),
        excluded: Some(&excluded),
        ..Rules::default()
    };
    let allowed = all[9..].iter().filter(|pair| allowed(&rules, **pair));
    let expected: Vec<Pair> = allowed.copied().collect();
    assert!(!expected.is_empty());
    let (first, second) = boxes.split_at(400);
    for config in [on_gpu(), on_cpu()] {
        let mut checker = Checker::new(config).expect("a checker");
        let report = checker.check(Set::from(&boxes).with(rules)).expect("a report");
        assert_eq!(report.pairs().expect("asked for"), expected);
        let report = checker.check(Query::between(first, second)).expect("a report");
        assert_eq!(report.pairs().expect("asked for"), pairs_against(first, second));
    }
}

#[test]
fn e9_margin_finds_pairs_within_it() {
    let boxes = Scene::Uniform.generate(500, 9);
    let distances = pairs_within(&boxes, 0.6);
    for margin in [0.1, 0.5] {
        let expected: Vec<Pair> = distances
            .iter()
            .filter(|(_, distance)| *distance <= margin)
            .map(|(pair, _)| *pair)
            .collect();
        for config in [on_gpu(), on_cpu()] {
            let report = check(Config { margin, ..config }, &boxes);
            assert!(
                report.pairs().expect("asked for") == expected,
                "margin {margin} on {:?}",
                report.engine
            );
            let near = distances
                .iter()
                .filter(|(pair, distance)| *distance > 0.0 && expected.contains(pair));
            assert_eq!(report.near_pairs, Some(near.count() as u64));
        }
        assert!(expected.len() > colliding_pairs(&boxes).len() + 20, "margin {margin}");
    }
}

#[test]
fn e12_the_callers_bounds_give_candidate_pairs() {
    let mut checkers = [on_cpu(), on_gpu()].map(|config| Checker::new(config).expect("the backend is there"));
    for scene in Scene::ALL {
        let bounds: Vec<Aabb> = scene.generate(1_500, 12).iter().map(Obb::bounds).collect();
        let expected = overlapping_bounds(&bounds);
        assert!(expected.len() > 100, "{scene}");
        for checker in &mut checkers {
            let report = checker.check(Query::from(&bounds)).expect("the bounds are valid");
            assert!(
                report.pairs().expect("asked for") == expected,
                "{scene} on {:?}",
                checker.engine()
            );
        }
    }
}
