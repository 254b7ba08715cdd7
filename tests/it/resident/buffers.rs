//! Buffers of recorded frames: the caller's kernels read them, and unsuitable ones are refused.

use obbligato::GpuChecker;
use obbligato::gpu::FrameQuery;
use obbligato::{Config, Error, GpuConfig, Precision, wgpu};
use obbligato_verify::scenes::Scene;

use crate::support::application::Application;
use crate::support::gpu::gpu_checker;

/// Marks the boxes of every pair, on the GPU.
const MARK: &str = "
struct Outcome { workgroups: vec3<u32>, pairs: u32 }
@group(0) @binding(0) var<storage, read> outcome: Outcome;
@group(0) @binding(1) var<storage, read> pairs: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read_write> marks: array<atomic<u32>>;
@compute @workgroup_size(64)
fn mark(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let k = (workgroup.y * outcome.workgroups.x + workgroup.x) * 64u + local;
    if k >= outcome.pairs { return; }
    atomicAdd(&marks[pairs[k].x], 1u);
    atomicAdd(&marks[pairs[k].y], 1u);
}
";

#[test]
fn the_callers_kernels_can_read_the_results() {
    let application = Application::new();
    let module = application.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("mark"),
        source: wgpu::ShaderSource::Wgsl(MARK.into()),
    });
    let pipeline = application
        .device
        .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("mark"),
            layout: None,
            module: &module,
            entry_point: Some("mark"),
            compilation_options: Default::default(),
            cache: None,
        });
    let mut checker = application.checker(Config {
        precision: Precision::Fast,
        ..Config::default()
    });
    for scene in [Scene::Uniform, Scene::Dense] {
        let boxes = scene.generate(5000, 8);
        let buffer = application.boxes(&boxes);
        let marks = application.buffer(
            &vec![0; 4 * boxes.len()],
            wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
        );
        let mut encoder = application.encoder();
        let recorded = checker
            .record(&mut encoder, FrameQuery::boxes(&buffer, boxes.len() as u32))
            .expect("a recorded frame");
        let entries: Vec<_> = [&recorded.outcome, &recorded.pairs, &marks]
            .into_iter()
            .zip(0..)
            .map(|(buffer, binding)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let bindings = application.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("mark"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bindings, &[]);
        pass.dispatch_workgroups_indirect(&recorded.outcome, 0);
        drop(pass);
        let copy = application.copy(&mut encoder, &marks);
        application.queue.submit([encoder.finish()]);
        let report = checker.checker().check(&boxes).expect("a report");
        assert_eq!(
            application.read::<u32>(&copy),
            obbligato::report::degrees(boxes.len(), report.pairs().expect("asked for")),
            "{scene}"
        );
    }
}

#[test]
fn unsuitable_buffers_are_refused() {
    let application = Application::new();
    let mut checker = application.checker(Config {
        gpu: GpuConfig {
            max_buffer_bytes: Some(1 << 18),
            ..GpuConfig::default()
        },
        ..Config::default()
    });
    let boxes = Scene::Uniform.generate(100, 10);
    let mut encoder = application.encoder();
    let short = application.boxes(&boxes[..99]);
    let error = checker
        .record(&mut encoder, FrameQuery::boxes(&short, 100))
        .expect_err("a short buffer");
    assert!(matches!(error, Error::InvalidBuffer { .. }), "{error}");
    let unbound = application.buffer(bytemuck::cast_slice(&boxes), wgpu::BufferUsages::COPY_SRC);
    let error = checker
        .record(&mut encoder, FrameQuery::boxes(&unbound, 100))
        .expect_err("a usage");
    assert!(matches!(error, Error::InvalidBuffer { .. }), "{error}");
    // More boxes than three times 256 KiB hold, in a buffer that the caller can create.
    let large = application.boxes(&Scene::Uniform.generate(30_000, 10));
    let error = checker
        .record(&mut encoder, FrameQuery::boxes(&large, 30_000))
        .expect_err("a limit");
    assert!(matches!(error, Error::LimitExceeded { .. }), "{error}");
    checker
        .record(&mut encoder, FrameQuery::boxes(&large, 500))
        .expect("a part of it");
}

#[test]
fn buffers_are_read_back_or_refused() {
    let mut checker = gpu_checker(Config::default());
    let (device, queue) = (checker.device().clone(), checker.queue().clone());
    let buffer = |usage| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 400,
            usage: usage | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    };
    let numbers = buffer(wgpu::BufferUsages::COPY_SRC);
    let expected: Vec<u32> = (0..100).collect();
    queue.write_buffer(&numbers, 0, bytemuck::cast_slice(&expected));
    for count in [100, 0, 7, 100] {
        let found: Vec<u32> = checker.read(&numbers, count).expect("numbers");
        assert_eq!(found, expected[..count as usize]);
    }
    let found = pollster::block_on(checker.read_async::<u64>(&numbers, 1)).expect("a number");
    assert_eq!(found, [1 << 32]);
    let refused = |found: obbligato::Result<Vec<u16>>, why: &str| match found {
        Err(Error::InvalidBuffer { reason }) => assert!(reason.contains(why), "{reason}"),
        other => panic!("{why}: {other:?}"),
    };
    refused(checker.read(&numbers, 201), "400 bytes instead of 402");
    refused(checker.read(&numbers, 3), "not a multiple of 4");
    refused(checker.read(&buffer(wgpu::BufferUsages::STORAGE), 2), "COPY_SRC");
    assert_eq!(checker.read::<u32>(&numbers, 1).expect("a number"), [0]);
    for count in [0, 1, 2, 3, 100] {
        let expected: Vec<u16> = (1..=count).collect();
        let uploaded = checker.upload(&expected).expect("a buffer");
        let most = u32::from(count) / 2 * 2;
        let found: Vec<u16> = checker.read(&uploaded, most).expect("numbers");
        assert_eq!(found, expected[..most as usize]);
        let padded: Vec<u32> = checker.read(&uploaded, u32::from(count).div_ceil(2)).expect("numbers");
        assert!(
            padded
                .iter()
                .copied()
                .flat_map(|two| [two as u16, (two >> 16) as u16])
                .take(count.into())
                .eq(expected)
        );
    }
    let nowhere = Config {
        adapter: Some("no such adapter".to_owned()),
        ..Config::default()
    };
    assert!(matches!(GpuChecker::open(nowhere), Err(Error::NoAdapter { .. })));
}
