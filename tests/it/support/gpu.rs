//! Checkers of both backends, and comparisons of their reports.

use std::sync::{Mutex, OnceLock, PoisonError};

use obbligato::gpu::{required_features, required_limits};
use obbligato::unstable::gpu::beside;
use obbligato::{
    Backend, Checker, Config, GpuChecker, GpuConfig, Obb, Output, Pair, Query, Report, contact::Contact, wgpu,
};
use obbligato_verify::compare::difference;
use obbligato_verify::reference;

/// A checker on the GPU. Without an adapter the test fails.
pub fn gpu(config: Config) -> Checker {
    gpu_checker(config).into()
}

/// A checker on the device of all tests that do it no harm. These checkers share their compiled
/// shaders, which take a software driver longer than most checks.
pub fn gpu_checker(config: Config) -> GpuChecker {
    static SHARED: OnceLock<Mutex<GpuChecker>> = OnceLock::new();
    let shared = SHARED.get_or_init(|| {
        let adapter = adapter();
        let (device, queue) = device(required_features(&adapter), required_limits(&adapter));
        Mutex::new(GpuChecker::new(&device, &queue, Config::default()).expect("a checker"))
    });
    beside(&mut shared.lock().unwrap_or_else(PoisonError::into_inner), config).expect("a checker")
}

/// A checker on the GPU with settings of the GPU backend.
pub fn gpu_with(settings: GpuConfig) -> Checker {
    gpu(Config {
        gpu: settings,
        ..Config::default()
    })
}

/// A checker on the GPU that opens a device of its own, which it may lose or keep busy.
pub fn gpu_alone(settings: GpuConfig) -> Checker {
    let config = Config {
        backend: Backend::Gpu,
        gpu: settings,
        ..Config::default()
    };
    Checker::new(config)
        .unwrap_or_else(|error| panic!("this test needs a GPU adapter, a software one will do: {error}"))
}

/// A checker on the CPU.
pub fn cpu(config: Config) -> Checker {
    let config = Config {
        backend: Backend::Cpu,
        ..config
    };
    Checker::new(config).expect("the CPU is always there")
}

/// A device owned by the test, on any adapter.
pub fn device(features: wgpu::Features, limits: wgpu::Limits) -> (wgpu::Device, wgpu::Queue) {
    let descriptor = wgpu::DeviceDescriptor {
        label: Some("device of the caller"),
        required_features: features,
        required_limits: limits,
        ..Default::default()
    };
    pollster::block_on(adapter().request_device(&descriptor)).expect("a device with these features and limits")
}

/// Any adapter.
pub fn adapter() -> wgpu::Adapter {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))
        .unwrap_or_else(|error| panic!("this test needs a GPU adapter, a software one will do: {error}"))
}

/// The report of a check that must succeed.
pub fn check<'a>(checker: &mut Checker, what: &str, query: impl Into<Query<'a>>) -> Report {
    checker
        .check(query.into())
        .unwrap_or_else(|error| panic!("{what}: {error}"))
}

/// The pairs of the CPU backend.
pub fn cpu_pairs(boxes: &[Obb]) -> Vec<Pair> {
    check(&mut cpu(Config::default()), "the CPU", boxes)
        .into_pairs()
        .expect("asked for")
}

/// Compares pairs with the expected ones.
#[track_caller]
pub fn expect_pairs(what: &str, expected: &[Pair], found: &[Pair]) {
    assert!(found.is_sorted(), "{what}: the pairs are not sorted");
    let difference = difference(expected, found);
    assert!(
        difference.is_empty(),
        "{what}: of {} pairs {} are missing, and {} are extra: {:?}, {:?}",
        expected.len(),
        difference.missing.len(),
        difference.extra.len(),
        &difference.missing[..difference.missing.len().min(5)],
        &difference.extra[..difference.extra.len().min(5)],
    );
}

/// Compares everything about collisions in two reports of the same boxes.
#[track_caller]
pub fn expect_same(what: &str, expected: &Report, found: &Report) {
    expect_pairs(
        what,
        expected.pairs().unwrap_or_default(),
        found.pairs().unwrap_or_default(),
    );
    assert_eq!(expected.pairs().is_ok(), found.pairs().is_ok(), "{what}: pairs");
    let totals = |report: &Report| {
        (
            report.boxes,
            report.colliding_pairs,
            report.touching_pairs,
            report.complete,
        )
    };
    assert_eq!(totals(expected), totals(found), "{what}: totals");
    assert_eq!(
        expected.touching().ok(),
        found.touching().ok(),
        "{what}: touching pairs"
    );
    assert_eq!(expected.degrees().ok(), found.degrees().ok(), "{what}: degrees");
}

/// Compares pairs with the reference's.
#[track_caller]
pub fn expect_reference(what: &str, boxes: &[Obb], found: &[Pair]) {
    expect_pairs(what, &reference::colliding_pairs(boxes), found);
}

/// Compares pairs and touching pairs with the reference's, and returns the numbers of both.
#[track_caller]
pub fn expect_contacts(what: &str, boxes: &[Obb], found: &Report) -> [usize; 2] {
    let contacts = reference::contacts(boxes);
    let touching = contacts.iter().filter(|(_, contact)| *contact == Contact::Touching);
    let touching: Vec<Pair> = touching.map(|(pair, _)| *pair).collect();
    let pairs: Vec<Pair> = contacts.iter().map(|(pair, _)| *pair).collect();
    expect_pairs(what, &pairs, found.pairs().expect("asked for"));
    expect_pairs(what, &touching, found.touching().expect("asked for"));
    assert_eq!(found.touching_pairs, Some(touching.len() as u64), "{what}");
    [pairs.len(), touching.len()]
}

/// Every output.
pub const OUTPUTS: [Output; 3] = [Output::Pairs, Output::Degrees, Output::Count];

/// Compares a report with any output with the pairs that the scene has.
#[track_caller]
pub fn expect_output(what: &str, output: Output, boxes: &[Obb], pairs: &[Pair], report: &Report) {
    assert_eq!(report.colliding_pairs, pairs.len() as u64, "{what}: total");
    assert!(report.complete, "{what}: complete");
    match (output, report.pairs()) {
        (Output::Pairs, found) => expect_pairs(what, pairs, found.expect("the pairs")),
        (Output::Degrees | Output::Count, found) => assert!(found.is_err(), "{what}: pairs"),
    }
    match (output, report.degrees()) {
        (Output::Degrees, found) => {
            assert!(
                found.expect("the degrees") == obbligato::report::degrees(boxes.len(), pairs),
                "{what}: degrees"
            );
        }
        (Output::Pairs | Output::Count, found) => assert!(found.is_err(), "{what}: degrees"),
    }
}

/// A checker of each kind; the last one is on a GPU and works in many parts and ranges.
pub fn backends(config: &Config) -> Vec<(&'static str, Checker)> {
    let with = |gpu| Config { gpu, ..config.clone() };
    let portable = GpuConfig {
        subgroups: false,
        shader_checks: true,
        ..GpuConfig::default()
    };
    let small = GpuConfig {
        max_buffer_bytes: Some(1 << 15),
        initial_candidates: 1,
        initial_pairs: 1,
        ..GpuConfig::default()
    };
    vec![
        ("the CPU", cpu(config.clone())),
        ("the GPU", gpu(config.clone())),
        ("a GPU without subgroups", gpu(with(portable))),
        ("a GPU with small buffers", gpu(with(small))),
    ]
}
