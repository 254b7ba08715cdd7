//! One test for each row of the table of features in docs/src/status.md marked "works", named after
//! the row's code.

mod boxes;
mod broad_phases;
mod engine;
mod meshes;
mod pictures;
mod readme;
mod rows;
mod shapes;
mod tracking;
mod upright;
mod volumes;

use obbligato::{Backend, Checker, Config, GpuConfig, Obb, Pair, Report};

/// A configuration for any adapter, including software; without an adapter the test fails.
fn on_gpu() -> Config {
    Config {
        backend: Backend::Gpu,
        ..Config::default()
    }
}

fn on_cpu() -> Config {
    Config {
        backend: Backend::Cpu,
        ..Config::default()
    }
}

/// Buffers of 16 KiB with an initial capacity of one pair: scenes of more than 768 boxes are
/// checked in parts.
fn on_tiny_gpu() -> Config {
    Config {
        gpu: GpuConfig {
            initial_candidates: 1,
            initial_pairs: 1,
            max_buffer_bytes: Some(1 << 14),
            ..GpuConfig::default()
        },
        ..on_gpu()
    }
}

fn check(config: Config, boxes: &[Obb]) -> Report {
    let mut checker = Checker::new(config).expect("the backend is there");
    checker.check(boxes).expect("the boxes are valid")
}

/// Asserts that both backends find `expected`, and that it is not empty.
fn assert_found(name: &str, boxes: &[Obb], expected: &[Pair]) {
    assert!(!expected.is_empty(), "{name}: a scene without pairs shows nothing");
    for config in [on_gpu(), on_cpu()] {
        let backend = config.backend;
        let report = check(config, boxes);
        assert!(report.pairs().expect("asked for") == expected, "{name} on {backend:?}");
        assert!(report.complete, "{name} on {backend:?}");
    }
}
