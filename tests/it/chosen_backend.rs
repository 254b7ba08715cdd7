//! The backend that a checker chooses.

use obbligato::report::Engine;
use obbligato::unstable::gpu::{find, has_searched};
use obbligato::{Backend, Checker, Config, GpuConfig, Query};
use obbligato_verify::scenes::Scene;

fn is_cpu(engine: &Engine) -> bool {
    matches!(engine, Engine::Cpu { .. })
}

#[test]
fn small_scenes_are_the_cpus() {
    let gpu = GpuConfig {
        least_boxes: 1000,
        ..GpuConfig::default()
    };
    let mut checker = Checker::new(Config {
        gpu,
        ..Config::default()
    })
    .expect("a valid configuration");
    let small = Scene::Uniform.generate(999, 1);
    assert!(is_cpu(&checker.check(&small).expect("valid boxes").engine));
    assert!(is_cpu(&checker.engine_for(999)));
    assert!(!has_searched(&checker), "nothing has asked for a GPU");

    // Any available adapter stands in for a real GPU, which these tests cannot rely on.
    let config = Config {
        backend: Backend::Gpu,
        ..Config::default()
    };
    find(&mut checker, &config).expect("an adapter");
    let large = Scene::Uniform.generate(1000, 1);
    assert!(is_cpu(&checker.check(&small).expect("valid boxes").engine));
    assert!(!is_cpu(&checker.check(&large).expect("valid boxes").engine));
    assert!(is_cpu(&checker.engine_for(999)) && !is_cpu(&checker.engine_for(1000)));
    // Two sets count together. Checks against a prepared scene run where it was prepared,
    // regardless of the number of movers.
    let between = Query::between(&large[..500], &large[500..]);
    assert!(!is_cpu(&checker.check(between).expect("valid boxes").engine));
    for (boxes, on_cpu) in [(&small, true), (&large, false)] {
        let scene = checker.prepare(boxes).expect("valid boxes");
        assert_eq!(is_cpu(scene.engine()), on_cpu);
        for movers in [&small, &large] {
            let report = checker.check(Query::against(&scene, movers)).expect("the same checker");
            assert_eq!(is_cpu(&report.engine), on_cpu);
        }
    }
    let estimate = |boxes: usize| checker.memory_estimate(boxes, 0).device_bytes;
    assert!(estimate(999) == 0 && estimate(1000) > 0);
}

#[test]
fn the_cpu_is_asked_for_without_a_search() {
    let checker = Checker::new(Config {
        backend: Backend::Cpu,
        ..Config::default()
    });
    let checker = checker.expect("a valid configuration");
    assert!(is_cpu(checker.engine()) && checker.warnings().is_empty());
}
