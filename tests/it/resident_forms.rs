//! Result forms: sorted pairs, adjacency and marks, on the CPU, on the GPU, and of frames that stay
//! on the GPU.

mod carried;
mod reports;

use obbligato::gpu::{AdjacencyOf, ClosestPointsOf, ContactsOf, EventsOf, SortPairs};
use obbligato::{
    Config, Error, GpuConfig, Obb, Output, Pair, Precision,
    report::{Adjacency, Direction},
    tracking::{Event, EventKind},
    wgpu,
};
use obbligato::{
    GpuChecker,
    gpu::{Capacity, EventCounts, EventRecord, FrameQuery, ManifoldRecord, Outcome, Recorded},
};
use obbligato_verify::scenes::Scene;

use crate::support::application::Application;
use crate::support::gpu::{cpu_pairs, expect_pairs};
use crate::support::pairs::naive_rows;
use crate::support::random;

const DIRECTIONS: [Direction; 3] = [Direction::Both, Direction::AToB, Direction::BToA];

/// Scenes without boxes, without pairs and with one, random ones, with giants, and with all boxes
/// at one place.
fn scenes() -> Vec<(&'static str, Vec<Obb>)> {
    let mut scenes = vec![
        ("nothing", Vec::new()),
        ("one box", Scene::Uniform.generate(1, 1)),
        ("one pair", vec![Scene::Uniform.generate(1, 1)[0]; 2]),
        ("one spot", vec![Scene::Uniform.generate(1, 1)[0]; 300]),
    ];
    for scene in [Scene::Dense, Scene::Giants, Scene::Bricks] {
        scenes.push((scene.name(), scene.generate(1500, 1)));
    }
    scenes.extend(random::samples(random::scene(60), 5).map(|boxes| ("random", boxes)));
    scenes
}

#[track_caller]
fn expect_unavailable<T: std::fmt::Debug>(what: &str, hint: &str, refused: obbligato::Result<T>) {
    match refused {
        Err(error @ Error::Unavailable { .. }) => assert!(error.to_string().contains(hint), "{what}: {error}"),
        other => panic!("{what}: {other:?}"),
    }
}

/// A frame's pairs before sorting, and all forms of them.
struct Forms {
    outcome: Outcome,
    unsorted: Vec<Pair>,
    sorted: Vec<Pair>,
    /// Offsets, neighbours, and the indices of their pairs.
    rows: Vec<(Direction, [Vec<u32>; 3])>,
}

/// Records all forms of a frame, one after another, and reads them after they have run.
fn forms_of(
    application: &Application,
    checker: &mut GpuChecker,
    directions: &[Direction],
    record: impl FnOnce(&mut GpuChecker, &mut wgpu::CommandEncoder) -> Recorded,
) -> Forms {
    let mut encoder = application.encoder();
    let recorded = record(checker, &mut encoder);
    let unsorted = application.copy(&mut encoder, &recorded.pairs);
    checker.record(&mut encoder, SortPairs(&recorded)).expect("a sort");
    let sorted = application.copy(&mut encoder, &recorded.pairs);
    let rows: Vec<_> = directions
        .iter()
        .map(|&direction| {
            let rows = checker
                .record(&mut encoder, AdjacencyOf::new(&recorded, direction))
                .expect("an adjacency");
            let copies =
                [&rows.offsets, &rows.neighbours, &rows.pairs].map(|buffer| application.copy(&mut encoder, buffer));
            (direction, rows.rows, copies)
        })
        .collect();
    let outcome = application.copy(&mut encoder, &recorded.outcome);
    application.queue.submit([encoder.finish()]);

    let outcome: Outcome = application.read(&outcome)[0];
    let first = |mut pairs: Vec<Pair>| {
        pairs.truncate(outcome.pairs as usize);
        pairs
    };
    Forms {
        unsorted: first(application.read(&unsorted)),
        sorted: first(application.read(&sorted)),
        rows: rows
            .into_iter()
            .map(|(direction, rows, copies)| {
                let mut read = copies.map(|copy| application.read(&copy));
                read[0].truncate(rows as usize + 1);
                (direction, read)
            })
            .collect(),
        outcome,
    }
}

/// Compares all forms of a frame with a naive construction from its stored pairs.
#[track_caller]
fn expect_forms(what: &str, sizes: [usize; 2], forms: &Forms) {
    let mut sorted = forms.unsorted.clone();
    sorted.sort();
    expect_pairs(what, &sorted, &forms.sorted);
    for (direction, [offsets, neighbours, numbers]) in &forms.rows {
        let rows = sizes[usize::from(*direction == Direction::BToA)];
        let expected = naive_rows(rows, &sorted, *direction);
        let found = offsets
            .windows(2)
            .map(|row| &neighbours[row[0] as usize..row[1] as usize]);
        assert_eq!((found.len(), offsets[0]), (rows, 0), "{what}, {direction:?}");
        assert!(found.eq(expected.iter().map(Vec::as_slice)), "{what}, {direction:?}");
        for (row, ends) in offsets.windows(2).enumerate() {
            for k in ends[0] as usize..ends[1] as usize {
                let Pair { a, b } = forms.sorted[numbers[k] as usize];
                let (own, other) = (row as u32, neighbours[k]);
                let named = match direction {
                    Direction::AToB => (a, b) == (own, other),
                    Direction::BToA => (b, a) == (own, other),
                    Direction::Both => (a, b) == (own.min(other), own.max(other)),
                };
                assert!(
                    named,
                    "{what}, {direction:?}: neighbour {other} of {own} has pair {a}, {b}"
                );
            }
        }
    }
}

/// Records a frame of boxes with everything that the tests need.
fn record(
    application: &Application,
    boxes: &[Obb],
) -> impl FnOnce(&mut GpuChecker, &mut wgpu::CommandEncoder) -> Recorded {
    let buffer = application.boxes(boxes);
    let count = boxes.len() as u32;
    move |checker, encoder| {
        checker
            .record(encoder, FrameQuery::boxes(&buffer, count))
            .expect("a recorded frame")
    }
}

/// Settings that select other kernels or other numbers of workgroups.
fn settings() -> [GpuConfig; 3] {
    let few = GpuConfig {
        max_workgroups_per_dimension: Some(2),
        ..GpuConfig::default()
    };
    let plain = GpuConfig {
        subgroups: false,
        shader_f64: false,
        shader_checks: true,
        ..GpuConfig::default()
    };
    [GpuConfig::default(), few, plain]
}

#[test]
fn recorded_frames_have_rows() {
    let application = Application::new();
    for gpu in settings() {
        let mut checker = application.checker(Config {
            gpu,
            ..Config::default()
        });
        checker
            .reserve(Capacity {
                boxes: 2500,
                candidates: 200_000,
                pairs: 200_000,
                undecided: 50_000,
            })
            .expect("room");
        for (what, boxes) in scenes() {
            let forms = forms_of(&application, &mut checker, &DIRECTIONS, record(&application, &boxes));
            assert_eq!(forms.outcome.fits, 1, "{what}: {:?}", forms.outcome);
            expect_forms(what, [boxes.len(); 2], &forms);
            let left = forms.outcome.undecided as usize;
            let expected = cpu_pairs(&boxes).len();
            assert!((expected - left..=expected).contains(&forms.sorted.len()), "{what}");
        }
    }
}

#[test]
fn e6_recorded_rows_match_the_report() {
    let application = Application::new();
    // With this precision no pairs are left undecided.
    let mut checker = application.checker(Config {
        precision: Precision::Conservative,
        ..Config::default()
    });
    // All pairs of 600 boxes. How much a check makes room for depends on the time that it takes.
    checker
        .reserve(Capacity {
            boxes: 600,
            candidates: 180_000,
            pairs: 180_000,
            undecided: 50_000,
        })
        .expect("room");
    for scene in Scene::ALL {
        let boxes = scene.generate(600, 4);
        let report = checker.checker().check(&boxes).expect("a report");
        let forms = forms_of(&application, &mut checker, &DIRECTIONS, record(&application, &boxes));
        assert_eq!(forms.outcome.fits, 1, "{scene}");
        expect_pairs(scene.name(), report.pairs().expect("asked for"), &forms.sorted);
        for (direction, [offsets, neighbours, _]) in &forms.rows {
            let expected: Adjacency = report.adjacency(*direction).expect("rows");
            assert!(
                offsets
                    .iter()
                    .map(|&offset| u64::from(offset))
                    .eq(expected.offsets().iter().copied())
            );
            assert!(neighbours.starts_with(expected.neighbours()), "{scene}, {direction:?}");
        }
    }
}

#[test]
fn recorded_movers_have_rows_for_each_set() {
    let application = Application::new();
    let mut checker = application.checker(Config::default());
    let boxes = Scene::Mixed.generate(3000, 5);
    for resting in [2900, 500] {
        let (resting, movers) = boxes.split_at(resting);
        let scene = checker.checker().prepare(resting).expect("a scene");
        let buffer = application.boxes(movers);
        let forms = forms_of(&application, &mut checker, &DIRECTIONS[1..], |checker, encoder| {
            let recorded = checker.record(encoder, FrameQuery::against(&scene, &buffer, movers.len() as u32));
            let recorded = recorded.expect("a recorded frame");
            expect_unavailable(
                "two sets",
                "two sets",
                checker.record(encoder, AdjacencyOf::new(&recorded, Direction::Both)),
            );
            recorded
        });
        assert!(forms.sorted.len() > 50, "{}", forms.sorted.len());
        expect_forms("movers", [resting.len(), movers.len()], &forms);
    }
}

#[test]
fn an_overflowing_frame_has_rows_of_its_stored_pairs() {
    let application = Application::new();
    for room in [0, 1, 10, 1000] {
        let mut checker = application.checker(Config {
            max_pairs: Some(room),
            ..Config::default()
        });
        let boxes = Scene::Dense.generate(1200, 6);
        let forms = forms_of(&application, &mut checker, &DIRECTIONS, record(&application, &boxes));
        assert_eq!(
            (forms.outcome.fits, forms.outcome.pairs as usize),
            (0, room),
            "{:?}",
            forms.outcome
        );
        assert!(forms.outcome.pairs_needed > 1000);
        expect_forms(&format!("room for {room}"), [boxes.len(); 2], &forms);
    }
}

#[test]
fn frames_with_forms_follow_one_another_in_one_submission() {
    let application = Application::new();
    let mut checker = application.checker(Config::default());
    let mut encoder = application.encoder();
    // Sizes go up and down: buffers grow while earlier frames wait.
    let frames: Vec<_> = [50, 3000, 0, 700, 4000, 1]
        .into_iter()
        .map(|count| {
            let boxes = Scene::Dense.generate(count, count as u64);
            let recorded = record(&application, &boxes)(&mut checker, &mut encoder);
            let rows = checker
                .record(&mut encoder, AdjacencyOf::new(&recorded, Direction::Both))
                .expect("an adjacency");
            let copies = [
                &recorded.outcome,
                &recorded.pairs,
                &rows.offsets,
                &rows.neighbours,
                &rows.pairs,
            ];
            (boxes, copies.map(|buffer| application.copy(&mut encoder, buffer)))
        })
        .collect();
    application.queue.submit([encoder.finish()]);
    for (boxes, [outcome, pairs, offsets, neighbours, numbers]) in frames {
        let outcome: Outcome = application.read(&outcome)[0];
        assert_eq!(outcome.fits, 1, "{outcome:?}");
        let mut sorted: Vec<Pair> = application.read(&pairs);
        sorted.truncate(outcome.pairs as usize);
        let mut offsets: Vec<u32> = application.read(&offsets);
        offsets.truncate(boxes.len() + 1);
        let forms = Forms {
            outcome,
            unsorted: sorted.clone(),
            sorted,
            rows: vec![(
                Direction::Both,
                [offsets, application.read(&neighbours), application.read(&numbers)],
            )],
        };
        expect_forms(&format!("{} boxes", boxes.len()), [boxes.len(); 2], &forms);
        assert!(boxes.len() < 50 || forms.sorted.len() > 20);
    }
}

#[test]
fn frames_without_pairs_have_no_forms_of_pairs() {
    let application = Application::new();
    for output in [Output::Degrees, Output::Count] {
        let mut checker = application.checker(Config {
            output,
            ..Config::default()
        });
        let boxes = Scene::Dense.generate(100, 7);
        let mut encoder = application.encoder();
        let recorded = record(&application, &boxes)(&mut checker, &mut encoder);
        expect_unavailable(
            "a sort",
            "Output::Pairs",
            checker.record(&mut encoder, SortPairs(&recorded)),
        );
        let rows = checker.record(&mut encoder, AdjacencyOf::new(&recorded, Direction::Both));
        expect_unavailable("rows", "Output::Pairs", rows);
    }
}

#[test]
fn more_pairs_than_few_workgroups_can_sort_are_refused() {
    let application = Application::new();
    let gpu = GpuConfig {
        max_workgroups_per_dimension: Some(1),
        ..GpuConfig::default()
    };
    let mut checker = application.checker(Config {
        gpu,
        ..Config::default()
    });
    let boxes = Scene::Dense.generate(100, 7);
    let mut sort = |pairs| {
        let room = Capacity {
            pairs,
            ..Capacity::default()
        };
        checker.reserve(room).expect("room");
        let mut encoder = application.encoder();
        let recorded = record(&application, &boxes)(&mut checker, &mut encoder);
        checker.record(&mut encoder, SortPairs(&recorded))
    };
    sort(400_000).expect("few pairs");
    let refused = sort(500_000);
    assert!(matches!(refused, Err(Error::LimitExceeded { .. })), "{refused:?}");
}

#[test]
fn pairs_keep_the_order_used_by_contacts() {
    let application = Application::new();
    let mut checker = application.checker(Config::default());
    let boxes = Scene::Dense.generate(1000, 7);
    let in_order = "before those";
    for sorted_first in [false, true] {
        let mut encoder = application.encoder();
        let recorded = record(&application, &boxes)(&mut checker, &mut encoder);
        if sorted_first {
            checker.record(&mut encoder, SortPairs(&recorded)).expect("a sort");
        }
        let contacts = checker
            .record(&mut encoder, ContactsOf::new(&recorded, 100_000))
            .expect("contacts");
        let closest = checker.record(&mut encoder, ClosestPointsOf(&recorded));
        closest.expect("closest points");
        let clone = recorded.clone();
        let sort = checker.record(&mut encoder, SortPairs(&clone));
        let rows = checker.record(&mut encoder, AdjacencyOf::new(&recorded, Direction::Both));
        if !sorted_first {
            expect_unavailable("a sort", in_order, sort);
            expect_unavailable("rows", in_order, rows);
            continue;
        }
        // Sorted pairs stay in place, so contacts can be looked up by neighbour.
        sort.expect("a sort");
        let rows = rows.expect("rows");
        let copies = [&rows.offsets, &rows.neighbours, &rows.pairs, &contacts.manifolds];
        let [offsets, neighbours, pairs, manifolds] = copies.map(|buffer| application.copy(&mut encoder, buffer));
        application.queue.submit([encoder.finish()]);
        let offsets: Vec<u32> = application.read(&offsets);
        let neighbours: Vec<u32> = application.read(&neighbours);
        let pairs: Vec<u32> = application.read(&pairs);
        let manifolds: Vec<ManifoldRecord> = application.read(&manifolds);
        let mut compared = 0;
        for (i, row) in offsets.windows(2).enumerate().take(boxes.len()) {
            for k in row[0] as usize..row[1] as usize {
                let [a, b] = [i, neighbours[k] as usize].map(|k| k as u32);
                let [a, b] = [a.min(b), a.max(b)].map(|k| &boxes[k as usize]);
                let found = &manifolds[pairs[k] as usize];
                let depth = a.manifold(b).expect("a contact").penetration().depth as f32;
                if found.bits & ManifoldRecord::UNDECIDED == 0 {
                    assert!((found.depth - depth).abs() < 1e-4, "{found:?}: {depth}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 1000, "{compared}");
    }
    // The next frame has an order of its own.
    let mut encoder = application.encoder();
    let recorded = record(&application, &boxes)(&mut checker, &mut encoder);
    checker.record(&mut encoder, SortPairs(&recorded)).expect("a sort");
}

/// The events between two frames with these pairs, sorted by pair.
fn events_between(before: &[Pair], now: &[Pair]) -> Vec<Event> {
    let kind = |pair: &Pair| match (before.binary_search(pair).is_ok(), now.binary_search(pair).is_ok()) {
        (true, true) => EventKind::Persist,
        (true, false) => EventKind::End,
        _ => EventKind::Begin,
    };
    let mut events: Vec<Event> = before
        .iter()
        .chain(now)
        .map(|pair| Event {
            pair: *pair,
            kind: kind(pair),
        })
        .collect();
    events.sort_unstable_by_key(|event| event.pair);
    events.dedup();
    events
}

#[test]
fn events_of_recorded_frames_match_a_tracker() {
    let application = Application::new();
    let mut checker = application.checker(Config {
        precision: Precision::Fast,
        ..Config::default()
    });
    let all = Scene::Dense.generate(1500, 9);
    let mut before: Vec<Pair> = Vec::new();
    // More and fewer boxes, an unchanged count, none: the buffers grow in between.
    for (frame, count) in [300, 1500, 1500, 700, 0, 1200, 1200].into_iter().enumerate() {
        let persisting = frame % 2 == 0;
        let mut boxes = all[..count].to_vec();
        for (k, obb) in boxes.iter_mut().enumerate().filter(|(k, _)| k % 5 == frame) {
            obb.center.x += 0.3 * (k % 7) as f32;
        }
        let uploaded = application.boxes(&boxes);
        let mut encoder = application.encoder();
        checker
            .reserve(Capacity {
                boxes: count as u32,
                candidates: 100 * count as u32,
                pairs: 50 * count as u32,
                undecided: 1000,
            })
            .expect("room");
        let query = FrameQuery::boxes(&uploaded, count as u32);
        let recorded = checker.record(&mut encoder, query).expect("a frame");
        let query = match persisting {
            true => EventsOf::new(&recorded).persisting(),
            false => EventsOf::new(&recorded),
        };
        let events = checker.record(&mut encoder, query).expect("events");
        let buffers = [&events.counts, &events.events, &recorded.outcome, &recorded.pairs];
        let copies = buffers.map(|buffer| application.copy(&mut encoder, buffer));
        application.queue.submit([encoder.finish()]);
        let counts: EventCounts = application.read(&copies[0])[0];
        let records: Vec<EventRecord> = application.read(&copies[1]);
        let mut found: Vec<Event> = records[..counts.listed as usize]
            .iter()
            .map(EventRecord::event)
            .collect();
        found.sort_unstable_by_key(|event| event.pair);
        let outcome: Outcome = application.read(&copies[2])[0];
        let now: Vec<Pair> = application.read(&copies[3])[..outcome.pairs as usize].to_vec();
        assert!(now.is_sorted() && outcome.fits == 1, "frame {frame}: {outcome:?}");
        let mut expected = events_between(&before, &now);
        let count_of = |kind| expected.iter().filter(|event| event.kind == kind).count() as u32;
        let kinds = [EventKind::Begin, EventKind::Persist, EventKind::End].map(count_of);
        assert_eq!([counts.begin, counts.persist, counts.end], kinds, "frame {frame}");
        assert!(frame == 4 || kinds[0] > 0 || kinds[1] > 0);
        expected.retain(|event| persisting || event.kind != EventKind::Persist);
        assert_eq!(found, expected, "frame {frame}");
        before = now;
    }
}
