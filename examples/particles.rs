//! Particles that live on the GPU, which moves, checks and marks them frame by frame, with one submission and one wait
//! for all frames.
//!
//! `cargo run --release --example particles`

use obbligato::gpu::FrameQuery;
use obbligato::gpu::{GpuChecker, Outcome, Recorded, required_features, required_limits};
use obbligato::scenes::Scene;
use obbligato::{Config, Obb, Precision, wgpu};

const PARTICLES: usize = 20_000;
const FRAMES: usize = 60;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    pollster::block_on(run())
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = instance.request_adapter(&Default::default()).await?;
    let (device, queue) = adapter
        .request_device(&wgpu::DeviceDescriptor {
            label: Some("particles"),
            required_features: required_features(&adapter),
            required_limits: required_limits(&adapter),
            ..Default::default()
        })
        .await?;
    // Marks are for display: pairs that nearly touch may go either way.
    let config = Config {
        precision: Precision::Fast,
        ..Config::default()
    };
    let mut checker = GpuChecker::new(&device, &queue, config)?;

    let particles = Scene::Particles.generate(PARTICLES, 1);
    let boxes = storage(&device, "boxes", size_of_val(&particles[..]));
    queue.write_buffer(&boxes, 0, bytemuck::cast_slice::<Obb, u8>(&particles));
    let marks = storage(&device, "marks", 4 * PARTICLES);
    let kernels = Kernels::new(&device);

    let mut encoder = device.create_command_encoder(&Default::default());
    let mut last = None;
    for _ in 0..FRAMES {
        let bindings = kernels.bind(&device, &kernels.shift, &[&boxes]);
        kernels.run(&mut encoder, &kernels.shift, &bindings, PARTICLES);
        // No submission, no wait: the results stay in buffers for the next kernel.
        let found: Recorded = checker.record(&mut encoder, FrameQuery::boxes(&boxes, PARTICLES as u32))?;
        encoder.clear_buffer(&marks, 0, None);
        let bindings = kernels.bind(&device, &kernels.mark, &[&found.outcome, &found.pairs, &marks]);
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&kernels.mark);
        pass.set_bind_group(0, &bindings, &[]);
        // One invocation per pair: the GPU knows how many there are, and the host need not.
        pass.dispatch_workgroups_indirect(&found.outcome, 0);
        drop(pass);
        last = Some(found);
    }

    // Read back only to print something: a renderer would draw the boxes by their marks.
    let Some(found) = last else { return Ok(()) };
    let read_outcome = copy(&device, &mut encoder, &found.outcome);
    let read_marks = copy(&device, &mut encoder, &marks);
    queue.submit([encoder.finish()]);
    read_outcome.map_async(wgpu::MapMode::Read, .., |_| ());
    read_marks.map_async(wgpu::MapMode::Read, .., |_| ());
    device.poll(wgpu::PollType::wait_indefinitely())?;
    let outcome: Outcome = bytemuck::pod_read_unaligned(&read_outcome.get_mapped_range(..)?);
    let marks: Vec<u32> = bytemuck::pod_collect_to_vec(&read_marks.get_mapped_range(..)?);
    println!(
        "frame {FRAMES}: {} pairs among {PARTICLES} particles, {} particles marked, {}",
        outcome.pairs,
        marks.iter().filter(|&&mark| mark > 0).count(),
        match outcome.complete {
            1 => "complete".to_owned(),
            _ => format!("incomplete: {} pairs need room", outcome.pairs_needed),
        }
    );
    Ok(())
}

/// The application's own kernels.
struct Kernels {
    shift: wgpu::ComputePipeline,
    mark: wgpu::ComputePipeline,
}

impl Kernels {
    fn new(device: &wgpu::Device) -> Self {
        let module = device.create_shader_module(wgpu::include_wgsl!("particles.wgsl"));
        let pipeline = |entry_point| {
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry_point),
                layout: None,
                module: &module,
                entry_point: Some(entry_point),
                compilation_options: Default::default(),
                cache: None,
            })
        };
        Self {
            shift: pipeline("shift"),
            mark: pipeline("mark"),
        }
    }

    fn bind(
        &self,
        device: &wgpu::Device,
        kernel: &wgpu::ComputePipeline,
        buffers: &[&wgpu::Buffer],
    ) -> wgpu::BindGroup {
        let entries: Vec<_> = (0..)
            .zip(buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &kernel.get_bind_group_layout(0),
            entries: &entries,
        })
    }

    fn run(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        kernel: &wgpu::ComputePipeline,
        bindings: &wgpu::BindGroup,
        items: usize,
    ) {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(kernel);
        pass.set_bind_group(0, bindings, &[]);
        pass.dispatch_workgroups(items.div_ceil(64) as u32, 1, 1);
    }
}

fn storage(device: &wgpu::Device, label: &str, bytes: usize) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: bytes as u64,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    })
}

/// Copies a buffer, as it is at this point in the encoder, to one that the host can read.
fn copy(device: &wgpu::Device, encoder: &mut wgpu::CommandEncoder, source: &wgpu::Buffer) -> wgpu::Buffer {
    let target = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("copy"),
        size: source.size(),
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    encoder.copy_buffer_to_buffer(source, 0, &target, 0, source.size());
    target
}
