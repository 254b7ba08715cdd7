//! Random scenes: the GPU backend, the CPU backend and the reference agree on all of them.

use obbligato::glam::Vec3;
use obbligato::{Config, GpuConfig, Obb};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::support::gpu::{check, cpu, expect_reference, expect_same, gpu};
use crate::support::random::{any_pair, cases, scene};

/// Several pairs of any kind in one scene, each far from the others or not.
fn pairs_of_boxes() -> impl Strategy<Value = Vec<Obb>> {
    let placed = (any_pair(), prop::array::uniform3(-1e3f32..1e3), any::<bool>());
    prop::collection::vec(placed, 1..60).prop_map(|placed| {
        let moved = |solid: Obb, offset: Vec3| Obb {
            center: solid.center + offset,
            ..solid
        };
        placed
            .into_iter()
            .flat_map(|((a, b), offset, away)| {
                let offset = if away { Vec3::from(offset) } else { Vec3::ZERO };
                [moved(a, offset), moved(b, offset)]
            })
            .collect()
    })
}

/// Compares the backends with each other and with the reference on `count` scenes of a strategy,
/// with one checker each.
fn agree(count: u32, scenes: impl Strategy<Value = Vec<Obb>>, settings: GpuConfig) {
    let config = Config {
        list_touching: true,
        gpu: settings,
        ..Config::default()
    };
    let gpu = std::cell::RefCell::new(gpu(config.clone()));
    let cpu = std::cell::RefCell::new(cpu(config));
    let outcome = TestRunner::new(cases(count)).run(&scenes, |boxes| {
        let expected = check(&mut cpu.borrow_mut(), "the CPU", &boxes);
        let found = check(&mut gpu.borrow_mut(), "the GPU", &boxes);
        expect_same("GPU and CPU", &expected, &found);
        expect_reference("the reference", &boxes, found.pairs().expect("asked for"));
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn crowded_scenes() {
    agree(60, scene(300), GpuConfig::default());
}

#[test]
fn crowded_scenes_without_subgroups() {
    let settings = GpuConfig {
        subgroups: false,
        shader_checks: true,
        ..GpuConfig::default()
    };
    agree(40, scene(300), settings);
}

#[test]
fn pairs_of_every_kind() {
    agree(100, pairs_of_boxes(), GpuConfig::default());
}

#[test]
fn crowded_scenes_with_tiny_buffers() {
    let settings = GpuConfig {
        initial_candidates: 1,
        initial_pairs: 1,
        ..GpuConfig::default()
    };
    // Several runs, because buffers grow with the scenes of a run.
    for _ in 0..3 {
        agree(10, scene(300), settings.clone());
    }
}
