//! Calls that are stopped from another thread.

use std::thread;
use std::time::{Duration, Instant};

use obbligato::glam::Vec3;
use obbligato::query::Sweep;
use obbligato::{Backend, Checker, Config, Error, Motion, MovingSet, Obb, Output, Query, Step, Stop};
use obbligato_verify::scenes::Scene;

use crate::support::gpu::gpu;

fn checker(output: Output, stop: &Stop) -> Checker {
    Checker::new(Config {
        backend: Backend::Cpu,
        output,
        stop: stop.clone(),
        ..Config::default()
    })
    .expect("the CPU")
}

/// Boxes in one place, whose pairs take seconds.
fn pile(count: usize) -> Vec<Obb> {
    vec![Obb::axis_aligned(Vec3::ZERO, Vec3::ONE); count]
}

#[test]
fn calls_end_while_the_stop_switch_is_set() {
    let stop = Stop::default();
    let boxes = Scene::Dense.generate(3000, 1);
    let motions = vec![Motion::linear(Vec3::X); boxes.len()];
    let on_gpu = gpu(Config {
        stop: stop.clone(),
        ..Config::default()
    });
    for mut checker in [checker(Output::Pairs, &stop), on_gpu] {
        let expected = checker
            .check(&boxes)
            .expect("valid boxes")
            .into_pairs()
            .expect("asked for");
        let scene = checker.prepare(&boxes).expect("valid boxes");
        stop.request();
        let moving = MovingSet::new(&boxes, &motions);
        let calls = [
            checker.check(&boxes).map(drop),
            checker.check(&boxes[..100]).map(drop),
            checker.check(Query::between(&boxes, &boxes)).map(drop),
            checker.check(Query::pairs(&boxes, &expected)).map(drop),
            checker.check(Query::against(&scene, &boxes)).map(drop),
            checker.check(Sweep::new(moving, &Step::new(0.1))).map(drop),
        ];
        for (k, call) in calls.into_iter().enumerate() {
            assert!(matches!(call, Err(Error::Stopped)), "call {k}: {call:?}");
        }
        stop.clear();
        let found = checker
            .check(&boxes)
            .expect("valid boxes")
            .into_pairs()
            .expect("asked for");
        assert!(found == expected, "a check after one that was stopped");
    }
}

#[test]
fn a_long_call_ends_soon() {
    let boxes = pile(60_000);
    for output in [Output::Count, Output::Degrees, Output::Pairs] {
        let stop = Stop::default();
        let mut checker = checker(output, &stop);
        thread::scope(|scope| {
            let thrown = scope.spawn(|| {
                thread::sleep(Duration::from_millis(300));
                stop.request();
                Instant::now()
            });
            let found = checker.check(&boxes);
            let ended = Instant::now();
            assert!(matches!(found, Err(Error::Stopped)), "{output:?}: {found:?}");
            let late = ended.saturating_duration_since(thrown.join().expect("a thread"));
            // Milliseconds on an otherwise idle machine; a call that is not stopped takes longer
            // than this.
            assert!(late < Duration::from_secs(5), "{output:?}: {late:?} late");
        });
    }
}
