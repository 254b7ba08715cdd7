//! Balls that push each other apart on the GPU, in space that repeats. A function of the
//! application's own, in WGSL, visits each pair in the kernel that finds it and adds up forces: no
//! pair is ever stored.
//!
//! `cargo run --release --example forces`

use obbligato::glam::Vec3;
use obbligato::gpu::{FrameQuery, FrameVisitor, ImageRecord, ImagesOf, Outcome};
use obbligato::shape::BodyCounts;
use obbligato::{Config, GpuChecker, Period, Precision, Query, Sphere, wgpu};
use obbligato_support::split_mix::SplitMix;

const BALLS: u32 = 20_000;
/// Room for the images of balls near the faces of the box.
const IMAGES: u32 = 10_000;
const FRAMES: usize = 60;
/// The sides of the box that repeats. The kernel that moves the balls has it too.
const SIDE: f32 = 32.0;

fn main() -> obbligato::Result<()> {
    // Balls that merely touch exert no force, so pairs may be decided either way.
    let precision = Precision::Fast;
    let mut checker = GpuChecker::open(Config {
        precision,
        ..Config::default()
    })?;
    let mut random = SplitMix(1);
    let mut place = || Vec3::from([0; 3].map(|_| SIDE * random.unit() as f32));
    let scene: Vec<Sphere> = (0..BALLS).map(|_| Sphere::new(place(), 0.5)).collect();
    let period = Period::new([Some(f64::from(SIDE)); 3]);
    let before = checker
        .checker()
        .check(Query::from(&scene).periodic(period))?
        .colliding_pairs;

    let balls = checker.upload(&scene)?;
    let forces = checker.upload(&vec![[0i32; 3]; BALLS as usize])?;
    let counts = BodyCounts {
        spheres: BALLS,
        ..BodyCounts::default()
    };
    let (device, queue) = (checker.device().clone(), checker.queue().clone());
    let (kernel, bindings) = mover(&device, [&forces, &balls]);
    let mut encoder = device.create_command_encoder(&Default::default());
    let (mut visitor, mut outcome) = (None, None);
    for _ in 0..FRAMES {
        let images = checker.record(&mut encoder, ImagesOf::new(&balls, counts, period, IMAGES))?;
        // The buffers are those of the first frame, because there is room for as many images.
        let visitor = visitor.get_or_insert_with(|| {
            FrameVisitor::new([ImageRecord::WGSL, include_str!("forces.wgsl")].concat())
                .bind(0, &forces)
                .bind(1, &images.bodies)
                .bind(2, &images.images)
        });
        let frame = checker.record(&mut encoder, FrameQuery::images(&images).visit(visitor))?;
        outcome = Some(frame.outcome);
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&kernel);
        pass.set_bind_group(0, &bindings, &[]);
        pass.dispatch_workgroups(BALLS.div_ceil(64), 1, 1);
    }
    queue.submit([encoder.finish()]);

    let last: Outcome = checker.read(&outcome.expect("there are frames"), 1)?[0];
    assert_eq!(last.fits, 1, "images, pairs and balls fit");
    let moved: Vec<Sphere> = checker.read(&balls, BALLS)?;
    let after = checker
        .checker()
        .check(Query::from(&moved).periodic(period))?
        .colliding_pairs;
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
