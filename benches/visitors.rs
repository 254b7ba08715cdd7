//! Numbers of partners on the GPU: by a visitor in the kernels that find pairs, and by a kernel
//! over the list of pairs.
//!
//! ```text
//! cargo bench --bench visitors -- [--count N]
//! ```
//!
//! Prints milliseconds of a submission, the minimum of rounds that alternate between the two, and
//! the bytes of the tests of pairs as counted (`work_of`), with those that the kernel over the list
//! reads. Both must find the same numbers.

mod common {
    pub mod arguments;
}

use std::time::Instant;

use obbligato::gpu::{Capacity, FrameQuery, FrameVisitor, Outcome};
use obbligato::unstable::gpu::{SceneCounts, work_of};
use obbligato::{Config, GpuChecker, Pair, Precision, wgpu};
use obbligato_support::count::parse_count;
use obbligato_verify::scenes::Scene;

use common::arguments;

const SEED: u64 = 1;
const ROUNDS: usize = 8;

/// Counts in the kernel that finds a pair.
const VISIT: &str = "
@group(1) @binding(0) var<storage, read_write> counts: array<atomic<u32>>;

fn visit(pair: Pair, undecided: bool) {
    atomicAdd(&counts[pair.a], 1u);
    atomicAdd(&counts[pair.b], 1u);
}
";

/// Counts from the list.
const LIST: &str = "
@group(0) @binding(0) var<storage, read> outcome: Outcome;
@group(0) @binding(1) var<storage, read> pairs: array<Pair>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;

@compute @workgroup_size(64)
fn count(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let k = (workgroup.y * outcome.workgroups.x + workgroup.x) * 64u + local;
    if k >= outcome.pairs { return; }
    atomicAdd(&counts[pairs[k].a], 1u);
    atomicAdd(&counts[pairs[k].b], 1u);
}
";

fn main() -> Result<(), String> {
    let (count, rounds) = arguments::read(|arguments| {
        let count = arguments.value("--count", parse_count)?;
        Ok(match arguments.timed {
            true => (count.unwrap_or(200_000), ROUNDS),
            false => (count.unwrap_or(1_000), 1),
        })
    })?;
    let columns = ["scene", "pairs", "list ms", "visitor ms", "list bytes", "visitor bytes"];
    println!("{}", columns.map(|name| format!("{name:>15}")).concat());
    for scene in [Scene::Uniform, Scene::Dense] {
        row(scene, count, rounds).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn row(scene: Scene, count: usize, rounds: usize) -> obbligato::Result<()> {
    let mut checker = GpuChecker::open(Config {
        precision: Precision::Fast,
        ..Config::default()
    })?;
    let boxes = scene.generate(count, SEED);
    let report = checker.checker().check(&boxes)?;
    let room = Capacity {
        boxes: count as u32,
        candidates: report.candidate_pairs as u32 + 1000,
        pairs: report.colliding_pairs as u32 + 1000,
        undecided: 1000,
    };
    checker.reserve(room)?;
    let buffer = checker.upload(&boxes)?;
    let counts = checker.upload(&vec![0u32; count])?;
    let visitor = FrameVisitor::new(VISIT).bind(0, &counts);
    let list = list_kernel(checker.device());
    let query = FrameQuery::boxes(&buffer, count as u32);
    let (mut least, mut found) = ([f64::INFINITY; 2], [Vec::<u32>::new(), Vec::new()]);
    // The first round compiles.
    for round in 0..=rounds {
        let listed = with_list(&mut checker, query, &list, &counts)?;
        found[0] = checker.read(&counts, count as u32)?;
        let visited = with_visitor(&mut checker, query.visit(&visitor), &counts)?;
        found[1] = checker.read(&counts, count as u32)?;
        if round > 0 {
            least = [least[0].min(listed), least[1].min(visited)];
        }
    }
    assert!(found[0] == found[1], "{scene}: other numbers");
    let bytes = |visited| {
        let counts = SceneCounts {
            kinds: [count as u64, 0, 0],
            candidates: report.candidate_pairs,
            pairs: report.colliding_pairs,
            visited,
            ..SceneCounts::default()
        };
        work_of("obb_sat_pairs", &counts).map_or(0, |work| work.bytes)
    };
    let read_again = size_of::<Pair>() as u64 * report.colliding_pairs;
    println!(
        "{:>15}{:>15}{:>15.2}{:>15.2}{:>15}{:>15}",
        scene.name(),
        report.colliding_pairs,
        1e3 * least[0],
        1e3 * least[1],
        bytes(false) + read_again,
        bytes(true)
    );
    Ok(())
}

/// Runs a frame and the kernel over its list. Returns the seconds.
fn with_list(
    checker: &mut GpuChecker,
    query: FrameQuery<'_>,
    kernel: &wgpu::ComputePipeline,
    counts: &wgpu::Buffer,
) -> obbligato::Result<f64> {
    let device = checker.device().clone();
    let mut encoder = device.create_command_encoder(&Default::default());
    encoder.clear_buffer(counts, 0, None);
    let recorded = checker.record(&mut encoder, query)?;
    let bound = (0..).zip([&recorded.outcome, &recorded.pairs, counts]);
    let bound = bound.map(|(binding, buffer)| wgpu::BindGroupEntry {
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
    pass.dispatch_workgroups_indirect(&recorded.outcome, 0);
    drop(pass);
    Ok(time(checker, encoder))
}

/// Runs a frame with a visitor. Returns the seconds.
fn with_visitor(checker: &mut GpuChecker, query: FrameQuery<'_>, counts: &wgpu::Buffer) -> obbligato::Result<f64> {
    let mut encoder = checker.device().create_command_encoder(&Default::default());
    encoder.clear_buffer(counts, 0, None);
    let recorded = checker.record(&mut encoder, query)?;
    let seconds = time(checker, encoder);
    let outcome: Outcome = checker.read(&recorded.outcome, 1)?[0];
    assert_eq!(outcome.fits, 1, "{outcome:?}");
    Ok(seconds)
}

/// The seconds until recorded commands are done.
fn time(checker: &GpuChecker, encoder: wgpu::CommandEncoder) -> f64 {
    let commands = encoder.finish();
    let start = Instant::now();
    checker.queue().submit([commands]);
    checker
        .device()
        .poll(wgpu::PollType::wait_indefinitely())
        .expect("a device that works");
    start.elapsed().as_secs_f64()
}

fn list_kernel(device: &wgpu::Device) -> wgpu::ComputePipeline {
    let text = [Outcome::WGSL, Pair::WGSL, LIST].concat();
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(text.into()),
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("count"),
        compilation_options: Default::default(),
        cache: None,
    })
}
