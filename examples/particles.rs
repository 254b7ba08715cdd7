//! Particles that live on the GPU, which moves, checks and marks them frame by frame, with one submission and one wait
//! for all frames.
//!
//! `cargo run --release --example particles`

use obbligato::gpu::{FrameQuery, GpuChecker, Outcome};
use obbligato::scenes::Scene;
use obbligato::wgpu::{self, BufferUsages as Usages, util::DeviceExt};
use obbligato::{Config, Obb, Pair, Precision, bytemuck};

const PARTICLES: u32 = 20_000;
const FRAMES: usize = 60;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Marks are for display: pairs that nearly touch may go either way.
    let precision = Precision::Fast;
    let mut checker = GpuChecker::open(Config {
        precision,
        ..Config::default()
    })?;
    let (device, queue) = (checker.device().clone(), checker.queue().clone());

    let particles = Scene::Particles.generate(PARTICLES as usize, 1);
    let storage = |contents: &[u8]| {
        let usage = Usages::STORAGE | Usages::COPY_DST | Usages::COPY_SRC;
        device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: None,
            contents,
            usage,
        })
    };
    let boxes = storage(bytemuck::cast_slice(&particles));
    let marks = storage(&[0; 4 * PARTICLES as usize]);
    let shader = [Obb::WGSL, Outcome::WGSL, Pair::WGSL, include_str!("particles.wgsl")].concat();
    let (shift, mark) = (kernel(&device, &shader, "shift"), kernel(&device, &shader, "mark"));

    let mut encoder = device.create_command_encoder(&Default::default());
    let mut last = None;
    for _ in 0..FRAMES {
        bind(&device, &mut encoder, &shift, &[&boxes]).dispatch_workgroups(PARTICLES.div_ceil(64), 1, 1);
        // No submission, no wait: the results stay in buffers for the next kernel.
        let found = checker.record(&mut encoder, FrameQuery::boxes(&boxes, PARTICLES))?;
        encoder.clear_buffer(&marks, 0, None);
        // One invocation per pair: the GPU knows how many there are, and the host need not.
        bind(&device, &mut encoder, &mark, &[&found.outcome, &found.pairs, &marks])
            .dispatch_workgroups_indirect(&found.outcome, 0);
        last = Some(found);
    }
    queue.submit([encoder.finish()]);

    // Read back only to print something: a renderer would draw the boxes by their marks.
    let Some(found) = last else { return Ok(()) };
    let outcome: Outcome = checker.read(&found.outcome, 1)?[0];
    let marks: Vec<u32> = checker.read(&marks, PARTICLES)?;
    let (pairs, marked) = (outcome.pairs, marks.iter().filter(|&&mark| mark > 0).count());
    let complete = if outcome.complete == 1 {
        "complete"
    } else {
        "incomplete"
    };
    println!("frame {FRAMES}: {pairs} pairs among {PARTICLES} particles, {marked} particles marked, {complete}");
    Ok(())
}

/// A kernel of the application's.
fn kernel(device: &wgpu::Device, shader: &str, entry_point: &str) -> wgpu::ComputePipeline {
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(entry_point),
        layout: None,
        module: &device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(entry_point),
            source: wgpu::ShaderSource::Wgsl(shader.into()),
        }),
        entry_point: Some(entry_point),
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
