//! Tests of rows of the table of features in docs/src/status.md, named after the row's code, and
//! the check that every row has one, here or elsewhere.

mod engine;
mod pictures;
mod readme;
mod rows;
mod volumes;

use obbligato::{Backend, Checker, Config, Obb, Pair, Report};

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
