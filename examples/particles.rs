//! Balls that stay on the GPU, which moves, checks and marks them frame by frame, with one
//! submission and one wait for all frames.
//!
//! `cargo run --release --example particles`

use obbligato::gpu::{FrameQuery, Outcome};
use obbligato::shape::BodyCounts;
use obbligato::{Config, GpuChecker, Pair, Precision, wgpu};
use obbligato_verify::scenes::BodyScene;

const PARTICLES: u32 = 20_000;
const FRAMES: usize = 60;

fn main() -> obbligato::Result<()> {
    // Marks are only for display, so pairs that nearly touch may be decided either way.
    let precision = Precision::Fast;
    let mut checker = GpuChecker::open(Config {
        precision,
        ..Config::default()
    })?;
    let (device, queue) = (checker.device().clone(), checker.queue().clone());

    let balls = checker.upload_bodies(BodyScene::Spheres.bodies(PARTICLES as usize, 1).all())?;
    let counts = BodyCounts {
        spheres: PARTICLES,
        ..BodyCounts::default()
    };
    let marks = checker.upload(&[0u32; PARTICLES as usize])?;
    let shader = [Outcome::WGSL, Pair::WGSL, include_str!("particles.wgsl")].concat();
    let source = wgpu::ShaderSource::Wgsl(shader.into());
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
    let (shift, mark) = (kernel(&device, &module, "shift"), kernel(&device, &module, "mark"));

    let mut encoder = device.create_command_encoder(&Default::default());
    let mut last = None;
    for _ in 0..FRAMES {
        bind(&device, &mut encoder, &shift, &[&balls]).dispatch_workgroups(PARTICLES.div_ceil(64), 1, 1);
        // No submission, no wait: the results stay in buffers for the next kernel.
        let found = checker.record(&mut encoder, FrameQuery::bodies(&balls, counts))?;
        encoder.clear_buffer(&marks, 0, None);
        // One invocation per pair: the GPU knows their number, and the host need not.
        bind(&device, &mut encoder, &mark, &[&found.outcome, &found.pairs, &marks])
            .dispatch_workgroups_indirect(&found.outcome, 0);
        last = Some(found);
    }
    queue.submit([encoder.finish()]);

    // Read back only to print something: a renderer would draw the balls by their marks.
    let Some(found) = last else { return Ok(()) };
    let outcome: Outcome = checker.read(&found.outcome, 1)?[0];
    let marks: Vec<u32> = checker.read(&marks, PARTICLES)?;
    let (pairs, marked) = (outcome.pairs, marks.iter().filter(|&&mark| mark > 0).count());
    // Pairs that `f32` cannot decide are left to the host; a simulation may ignore them.
    let left = outcome.undecided;
    let cut = ["; some did not fit", ""][outcome.fits as usize];
    println!(
        "frame {FRAMES}: {pairs} pairs among {PARTICLES} particles, {left} left to the host, {marked} particles marked{cut}"
    );
    Ok(())
}

fn kernel(device: &wgpu::Device, module: &wgpu::ShaderModule, name: &str) -> wgpu::ComputePipeline {
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(name),
        layout: None,
        module,
        entry_point: Some(name),
        compilation_options: Default::default(),
        cache: None,
    })
}

/// A pass that runs a kernel with these buffers.
fn bind<'a>(
    device: &wgpu::Device,
    encoder: &'a mut wgpu::CommandEncoder,
    kernel: &wgpu::ComputePipeline,
    buffers: &[&wgpu::Buffer],
) -> wgpu::ComputePass<'a> {
    let bound = (0..).zip(buffers).map(|(binding, buffer)| wgpu::BindGroupEntry {
        binding,
        resource: buffer.as_entire_binding(),
    });
    let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &kernel.get_bind_group_layout(0),
        entries: &bound.collect::<Vec<_>>(),
    });
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(kernel);
    pass.set_bind_group(0, &bindings, &[]);
    pass
}
