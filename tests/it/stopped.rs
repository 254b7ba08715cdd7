//! Calls that are stopped from another thread.

use std::collections::HashSet;
use std::sync::Mutex;
use std::thread::{self, ThreadId};

use obbligato::glam::Vec3;
use obbligato::query::Sweep;
use obbligato::{
    Backend, Checker, Config, Error, Obb, Output, Pair, Query, Sphere, Stop,
    motion::{Motion, MovingSet, Step},
};
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

/// Boxes in one place: all of them meet.
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

/// The maximum number of pairs in a batch.
const BATCH: usize = 1024;

/// Each thread checks the switch before it tests a batch. After the request, a thread therefore
/// passes on at most the batch that it is working on.
#[test]
fn a_long_call_ends_with_a_batch_of_each_thread() {
    let boxes = pile(3000);
    let half = boxes.len() / 2;
    let balls = vec![Sphere::new(Vec3::ZERO, 1.0); boxes.len()];
    let (first, second) = boxes.split_at(half);
    let queries: [(&str, Query); 3] = [
        ("boxes", Query::from(&boxes)),
        ("two sets", Query::between(first, second)),
        ("balls", Query::from(&balls)),
    ];
    for (what, query) in queries {
        let stop = Stop::default();
        let mut checker = checker(Output::Pairs, &stop);
        // The batches that threads passed on after the request.
        let late: Mutex<Vec<(ThreadId, usize)>> = Mutex::default();
        let visit = |pairs: &[Pair]| match stop.is_requested() {
            true => late
                .lock()
                .expect("no panic")
                .push((thread::current().id(), pairs.len())),
            false => stop.request(),
        };
        let found = checker.check(query.visit(&visit));
        assert!(matches!(found, Err(Error::Stopped)), "{what}: {found:?}");
        let late = late.into_inner().expect("no panic");
        let threads: HashSet<ThreadId> = late.iter().map(|(thread, _)| *thread).collect();
        assert_eq!(threads.len(), late.len(), "{what}: two batches of one thread, {late:?}");
        assert!(late.iter().all(|(_, pairs)| *pairs <= BATCH), "{what}: {late:?}");
    }
}
