//! Collisions on a wgpu device that the application already has.
//!
//! `cargo run --release --example own_device`

use obbligato::{Config, wgpu};
use obbligato::{
    GpuChecker,
    gpu::{required_features, required_limits},
};
use obbligato_verify::scenes::Scene;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    pollster::block_on(run())
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = instance.request_adapter(&Default::default()).await?;
    let (device, queue) = adapter
        .request_device(&wgpu::DeviceDescriptor {
            label: Some("the application's device"),
            // None of these is required; they allow faster checks and larger scenes.
            required_features: required_features(&adapter),
            required_limits: required_limits(&adapter),
            ..Default::default()
        })
        .await?;
    let mut checker = GpuChecker::new(&device, &queue, Config::default())?;
    let boxes = Scene::Particles.generate(20_000, 1);
    let report = checker.checker().check_async(&boxes).await?;
    println!(
        "{} of {} candidate pairs collide",
        report.colliding_pairs, report.candidate_pairs
    );
    for (stage, milliseconds) in &report.timings.gpu {
        println!("{stage:>8} {milliseconds:8.3} ms on the GPU");
    }
    Ok(())
}
