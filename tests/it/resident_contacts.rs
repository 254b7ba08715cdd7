//! Contact manifolds and closest points of frames that stay on the GPU.

use obbligato::gpu::FrameQuery;
use obbligato::gpu::{ClosestPointsOf, ContactsOf};
use obbligato::query::ContactQuery;
use obbligato::query::DistanceQuery;
use obbligato::{Config, Error, GpuConfig, Obb, Output, Pair, wgpu};
use obbligato::{
    GpuChecker,
    gpu::{ClosestRecord, ManifoldRecord, Outcome, PointRecord, Recorded},
};
use obbligato_verify::scenes::Scene;

use crate::support::application::Application;

/// A frame's pairs, and the records about them.
struct Frame {
    pairs: Vec<Pair>,
    manifolds: Vec<ManifoldRecord>,
    points: Vec<PointRecord>,
    points_needed: u32,
    closest: Vec<ClosestRecord>,
}

/// Records contacts and closest points of a frame, and reads them after they have run.
fn run(
    application: &Application,
    checker: &mut GpuChecker,
    max_points: u32,
    record: impl FnOnce(&mut GpuChecker, &mut wgpu::CommandEncoder) -> Recorded,
) -> Frame {
    let mut encoder = application.encoder();
    let recorded = record(checker, &mut encoder);
    let contacts = checker
        .record(&mut encoder, ContactsOf::new(&recorded, max_points))
        .expect("contacts");
    let closest = checker
        .record(&mut encoder, ClosestPointsOf(&recorded))
        .expect("closest points");
    let copies = [
        &recorded.outcome,
        &recorded.pairs,
        &contacts.manifolds,
        &contacts.points,
        &contacts.counts,
        &closest,
    ]
    .map(|buffer| application.copy(&mut encoder, buffer));
    application.queue.submit([encoder.finish()]);
    let [outcome, pairs, manifolds, points, counts, closest] = &copies;
    let outcome = application.read::<Outcome>(outcome)[0];
    assert_eq!(outcome.pairs, outcome.pairs_needed);
    let count = outcome.pairs as usize;
    let points_needed = application.read::<u32>(counts)[0];
    let first = |mut list: Vec<_>| {
        list.truncate(count);
        list
    };
    Frame {
        pairs: first(application.read::<Pair>(pairs)),
        manifolds: application.read(manifolds)[..count].to_vec(),
        points: application.read(points)[..points_needed.min(max_points) as usize].to_vec(),
        points_needed,
        closest: application.read(closest)[..count].to_vec(),
    }
}

/// Compares the records of a frame with the calls that return to the host.
#[track_caller]
fn expect_frame(what: &str, checker: &mut GpuChecker, sets: [&[Obb]; 2], frame: &Frame) {
    assert!(frame.pairs.len() > 100, "{what}: {} pairs", frame.pairs.len());
    let contacts = checker
        .checker()
        .check(ContactQuery::new(sets, &frame.pairs))
        .expect("contacts");
    let closest = checker
        .checker()
        .check(DistanceQuery::new(sets, &frame.pairs))
        .expect("closest points");
    let mut used = vec![false; frame.points.len()];
    for (k, pair) in frame.pairs.iter().enumerate() {
        let a = &sets[0][pair.a as usize];
        let (manifold, record) = (&frame.manifolds[k], &frame.closest[k]);
        if !record.is_undecided() {
            assert_eq!(record.closest_points(a), closest[k], "{what} {k}");
        }
        let own = manifold.first as usize..manifold.first as usize + manifold.len();
        used[own.clone()]
            .iter_mut()
            .for_each(|used| assert!(!std::mem::replace(used, true), "{what} {k}"));
        assert!(!manifold.is_empty(), "{what} {k}: no room for its points");
        if manifold.is_undecided() {
            continue;
        }
        assert_eq!(Some(manifold.penetration()), contacts.penetrations()[k], "{what} {k}");
        let points: Vec<_> = frame.points[own]
            .iter()
            .map(|point| point.contact_point(a, manifold))
            .collect();
        assert_eq!(points, contacts.points_of(k), "{what} {k}");
    }
    // The points are compact: each belongs to a pair.
    assert!(used.iter().all(|&used| used), "{what}");
    assert_eq!(used.len(), frame.points_needed as usize, "{what}");
}

fn settings() -> [GpuConfig; 3] {
    let small = GpuConfig {
        // Boxes over three bindings.
        max_buffer_bytes: Some(64 << 10),
        initial_pairs: 1 << 10,
        ..GpuConfig::default()
    };
    let portable = GpuConfig {
        subgroups: false,
        shader_checks: true,
        ..GpuConfig::default()
    };
    [GpuConfig::default(), portable, small]
}

#[test]
fn frames_have_contacts_and_closest_points() {
    let application = Application::new();
    for settings in settings() {
        let boxes = Scene::Dense.generate(2_000, 3);
        let buffer = application.boxes(&boxes);
        let small = settings.max_buffer_bytes.is_some();
        let mut checker = application.checker(Config {
            gpu: settings,
            ..Config::default()
        });
        // Few enough for buffers of 64 KiB.
        let (count, max_points) = if small { (500, 3_000) } else { (boxes.len(), 20_000) };
        for _ in 0..2 {
            let frame = run(&application, &mut checker, max_points, |checker, encoder| {
                checker
                    .record(encoder, FrameQuery::boxes(&buffer, count as u32))
                    .expect("a frame")
            });
            let boxes = &boxes[..count];
            expect_frame("dense", &mut checker, [boxes, boxes], &frame);
        }
    }
}

#[test]
fn movers_have_contacts_and_closest_points() {
    let application = Application::new();
    let boxes = Scene::Dense.generate(3_000, 3);
    let (resting, movers) = boxes.split_at(2_000);
    let mut checker = application.checker(Config::default());
    let scene = checker.checker().prepare(resting).expect("a scene");
    let buffer = application.boxes(movers);
    let frame = run(&application, &mut checker, 40_000, |checker, encoder| {
        checker
            .record(encoder, FrameQuery::against(&scene, &buffer, movers.len() as u32))
            .expect("a frame")
    });
    expect_frame("movers", &mut checker, [resting, movers], &frame);
}

#[test]
fn near_pairs_have_distances() {
    let application = Application::new();
    let boxes = Scene::Uniform.generate(2_000, 3);
    let margin = 0.5;
    let mut checker = application.checker(Config {
        margin,
        ..Config::default()
    });
    let buffer = application.boxes(&boxes);
    let frame = run(&application, &mut checker, 40_000, |checker, encoder| {
        checker
            .record(encoder, FrameQuery::boxes(&buffer, boxes.len() as u32))
            .expect("a frame")
    });
    expect_frame("near", &mut checker, [&boxes, &boxes], &frame);
    let apart = frame.closest.iter().filter(|closest| closest.distance > 0.0).count();
    assert!(apart > 100, "{apart}");
    assert!(
        frame
            .closest
            .iter()
            .all(|closest| f64::from(closest.distance) <= 1.001 * margin)
    );
    for (pair, manifold) in frame.pairs.iter().zip(&frame.manifolds) {
        let collides = boxes[pair.a as usize].contact(&boxes[pair.b as usize]).collides();
        assert!(collides || manifold.is_undecided(), "{pair:?}");
    }
}

/// If the capacity is too small, points are missing and their number is reported; none is written
/// past the end.
#[test]
fn points_beyond_the_capacity_are_counted() {
    let application = Application::new();
    let boxes = Scene::Dense.generate(2_000, 3);
    let buffer = application.boxes(&boxes);
    for subgroups in [true, false] {
        let mut checker = application.checker(Config {
            gpu: GpuConfig {
                subgroups,
                ..GpuConfig::default()
            },
            ..Config::default()
        });
        let mut frame = |max_points| {
            run(&application, &mut checker, max_points, |checker, encoder| {
                checker
                    .record(encoder, FrameQuery::boxes(&buffer, boxes.len() as u32))
                    .expect("a frame")
            })
        };
        let whole = frame(100_000);
        let len = |frame: &Frame| frame.manifolds.iter().map(ManifoldRecord::len).sum::<usize>();
        assert_eq!(len(&whole), whole.points_needed as usize);
        for max_points in [0, 1, 100, whole.points_needed - 1, whole.points_needed] {
            let part = frame(max_points);
            assert_eq!(part.points_needed, whole.points_needed);
            assert!(len(&part) <= max_points as usize);
            // All but those of one pair at the end.
            assert!(len(&part) + 8 > max_points as usize, "{max_points}: {}", len(&part));
            let inside = |manifold: &ManifoldRecord| manifold.first as usize + manifold.len() <= max_points as usize;
            assert!(
                part.manifolds
                    .iter()
                    .all(|manifold| manifold.is_empty() || inside(manifold))
            );
        }
    }
}

#[test]
fn frames_without_boxes_or_pairs_are_refused() {
    let application = Application::new();
    let boxes = Scene::Dense.generate(100, 3);
    let buffer = application.boxes(&boxes);
    let expect = |what: &str, refused: Result<(), Error>| match refused {
        Err(error @ Error::Unavailable { .. }) => assert!(error.to_string().contains("Output::Pairs"), "{error}"),
        other => panic!("{what}: {other:?}"),
    };
    let mut checker = application.checker(Config {
        output: Output::Degrees,
        ..Config::default()
    });
    let mut encoder = application.encoder();
    let recorded = checker
        .record(&mut encoder, FrameQuery::boxes(&buffer, 100))
        .expect("a frame");
    expect(
        "degrees",
        checker.record(&mut encoder, ContactsOf::new(&recorded, 1)).map(drop),
    );
    expect(
        "degrees",
        checker.record(&mut encoder, ClosestPointsOf(&recorded)).map(drop),
    );
    let mut checker = application.checker(Config::default());
    let recorded = checker
        .record(&mut encoder, FrameQuery::bounds(&buffer, 100))
        .expect("a frame");
    expect(
        "bounds",
        checker.record(&mut encoder, ContactsOf::new(&recorded, 1)).map(drop),
    );
    // Too many points for any buffer.
    let recorded = checker
        .record(&mut encoder, FrameQuery::boxes(&buffer, 100))
        .expect("a frame");
    let error = checker
        .record(&mut encoder, ContactsOf::new(&recorded, u32::MAX))
        .expect_err("no such buffer");
    assert!(matches!(error, Error::LimitExceeded { .. }), "{error}");
    checker
        .record(&mut encoder, ContactsOf::new(&recorded, 10))
        .expect("contacts");
}
