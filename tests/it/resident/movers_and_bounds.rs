//! Recorded frames of bounds, and of movers against boxes at rest.

use obbligato::Query;
use obbligato::gpu::FrameQuery;
use obbligato::{Config, Error, Obb, Output, Pair, shape::Aabb, wgpu};
use obbligato_verify::reference::overlapping_bounds;
use obbligato_verify::scenes::Scene;

use crate::resident::{Copies, ROOM, decided};
use crate::support::application::Application;
use crate::support::gpu::{OUTPUTS, cpu_pairs, expect_pairs};

#[test]
fn bounds_are_recorded() {
    let application = Application::new();
    for output in OUTPUTS {
        let mut checker = application.checker(Config {
            output,
            ..Config::default()
        });
        checker.reserve(ROOM).expect("room");
        for count in [0, 1, 2500] {
            let bounds: Vec<Aabb> = Scene::Mixed.generate(count, 11).iter().map(Obb::bounds).collect();
            let expected = overlapping_bounds(&bounds);
            let buffer = application.buffer(bytemuck::cast_slice(&bounds), wgpu::BufferUsages::STORAGE);
            let mut encoder = application.encoder();
            let recorded = checker
                .record(&mut encoder, FrameQuery::bounds(&buffer, count as u32))
                .expect("a recorded frame");
            let copies = Copies::of(&application, &mut encoder, &recorded);
            application.queue.submit([encoder.finish()]);
            let frame = copies.read(&application);
            let what = format!("{count} bounds, {output:?}");
            assert_eq!((frame.outcome.fits, frame.outcome.undecided), (1, 0), "{what}");
            assert_eq!(frame.outcome.pairs_needed as usize, expected.len(), "{what}");
            match output {
                Output::Pairs => expect_pairs(&what, &expected, &frame.pairs),
                Output::Degrees => assert!(
                    frame.degrees[..count] == obbligato::report::degrees(count, &expected),
                    "{what}"
                ),
                Output::Count => assert_eq!(frame.outcome.pairs, 0, "{what}"),
            }
        }
    }
}

#[test]
fn movers_are_recorded_against_boxes_at_rest() {
    let application = Application::new();
    let mut checker = application.checker(Config::default());
    checker.reserve(ROOM).expect("room");
    let boxes = Scene::Mixed.generate(3000, 12);
    let (resting, movers) = boxes.split_at(2000);
    let scene = checker.checker().prepare(resting).expect("a scene");
    let expected = checker
        .checker()
        .check(Query::against(&scene, movers))
        .expect("a report")
        .into_pairs()
        .expect("asked for");
    assert!(expected.len() > 100, "{} pairs", expected.len());
    let buffer = application.boxes(movers);
    let mut encoder = application.encoder();
    // Between other frames: each has its own parameters and bindings.
    let plain = application.boxes(&boxes);
    let first = checker
        .record(&mut encoder, FrameQuery::boxes(&plain, 3000))
        .expect("a recorded frame");
    let first = Copies::of(&application, &mut encoder, &first);
    let against = checker
        .record(&mut encoder, FrameQuery::against(&scene, &buffer, movers.len() as u32))
        .expect("a recorded frame");
    let against = Copies::of(&application, &mut encoder, &against);
    let last = checker
        .record(&mut encoder, FrameQuery::boxes(&buffer, movers.len() as u32))
        .expect("a recorded frame");
    let last = Copies::of(&application, &mut encoder, &last);
    application.queue.submit([encoder.finish()]);

    expect_pairs("all", &cpu_pairs(&boxes), &decided(&first.read(&application), &boxes));
    expect_pairs(
        "movers alone",
        &cpu_pairs(movers),
        &decided(&last.read(&application), movers),
    );
    let frame = against.read(&application);
    let collides = |pair: &&Pair| resting[pair.a as usize].contact(&movers[pair.b as usize]).collides();
    let mut found = frame.pairs.clone();
    found.extend(frame.undecided.iter().filter(collides));
    found.sort();
    assert_eq!(frame.outcome.fits, 1);
    expect_pairs("movers", &expected, &found);

    let mut other = application.checker(Config::default());
    let foreign = other.record(&mut application.encoder(), FrameQuery::against(&scene, &buffer, 10));
    assert!(matches!(foreign, Err(Error::ForeignScene { .. })), "{foreign:?}");
}
