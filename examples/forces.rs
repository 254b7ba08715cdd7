//! Balls that push each other apart on the GPU. A function of the application's own, in WGSL,
//! visits each pair in the kernel that finds it and adds up forces: no pair is ever stored.
//!
//! `cargo run --release --example forces`

use obbligato::gpu::{FrameQuery, FrameVisitor};
use obbligato::shape::BodyCounts;
use obbligato::{Config, GpuChecker, Precision, wgpu};
use obbligato_verify::scenes::BodyScene;

const BALLS: u32 = 20_000;
const FRAMES: usize = 60;

fn main() -> obbligato::Result<()> {
    // Balls that merely touch exert no force, so pairs may be decided either way.
    let precision = Precision::Fast;
    let mut checker = GpuChecker::open(Config {
        precision,
        ..Config::default()
    })?;
    let scene = BodyScene::Spheres.bodies(BALLS as usize, 1);
    let balls = checker.upload_bodies(scene.all())?;
    let forces = checker.upload(&vec![[0i32; 3]; BALLS as usize])?;
    let counts = BodyCounts {
        spheres: BALLS,
        ..BodyCounts::default()
    };
    let visitor = FrameVisitor::new(include_str!("forces.wgsl"));
    let visitor = visitor.bind(0, &forces).bind(1, &balls);
    let query = FrameQuery::bodies(&balls, counts).visit(&visitor);
    let before = checker.checker().check(scene.all())?.colliding_pairs;

    let (device, queue) = (checker.device().clone(), checker.queue().clone());
    let (kernel, bindings) = mover(&device, [&forces, &balls]);
    let mut encoder = device.create_command_encoder(&Default::default());
    for _ in 0..FRAMES {
        checker.record(&mut encoder, query)?;
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&kernel);
        pass.set_bind_group(0, &bindings, &[]);
        pass.dispatch_workgroups(BALLS.div_ceil(64), 1, 1);
    }
    queue.submit([encoder.finish()]);

    let moved: Vec<obbligato::Sphere> = checker.read(&balls, BALLS)?;
    let after = checker.checker().check(&moved)?.colliding_pairs;
    println!("{BALLS} balls: {before} pairs overlap, after {FRAMES} frames {after}");
    Ok(())
}

/// The application's kernel, and its buffers.
fn mover(device: &wgpu::Device, buffers: [&wgpu::Buffer; 2]) -> (wgpu::ComputePipeline, wgpu::BindGroup) {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(include_str!("move.wgsl").into()),
    });
    let kernel = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("move_balls"),
        compilation_options: Default::default(),
        cache: None,
    });
    let bound = (0..).zip(buffers).map(|(binding, buffer)| wgpu::BindGroupEntry {
        binding,
        resource: buffer.as_entire_binding(),
    });
    let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &kernel.get_bind_group_layout(0),
        entries: &bound.collect::<Vec<_>>(),
    });
    (kernel, bindings)
}
