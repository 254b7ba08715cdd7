//! The places that pairs and contact points of recorded frames had in the previous frame.

use std::collections::HashMap;

use obbligato::gpu::{
    Capacity, ContactsOf, EventsOf, FrameQuery, ManifoldRecord, Outcome, PointRecord, Recorded, RecordedContacts,
    RecordedEvents, SortPairs,
};
use obbligato::tracking::NEW;
use obbligato::{Config, GpuChecker, Obb, Pair, Precision, wgpu};
use obbligato_verify::scenes::Scene;

use crate::support::application::Application;

/// The results of a frame.
#[derive(Default)]
struct Frame {
    pairs: Vec<Pair>,
    manifolds: Vec<ManifoldRecord>,
    points: Vec<PointRecord>,
    previous_pairs: Vec<u32>,
    previous_points: Option<Vec<u32>>,
}

impl Frame {
    /// The places of its points by their pair, their features, and how many points of the pair
    /// before them have the same features.
    fn places(&self) -> HashMap<(Pair, u32, usize), u32> {
        let mut places = HashMap::new();
        for (pair, manifold) in self.pairs.iter().zip(&self.manifolds) {
            for place in manifold.first..manifold.first + manifold.len() as u32 {
                let features = self.points[place as usize].bits & 0xffff;
                let mut equals = 0;
                while places.contains_key(&(*pair, features, equals)) {
                    equals += 1;
                }
                places.insert((*pair, features, equals), place);
            }
        }
        places
    }

    /// Asserts that the places of a frame are those in this one. Returns how many pairs and points
    /// were there.
    #[track_caller]
    fn expect_before(&self, now: &Frame, what: &str) -> [usize; 2] {
        let of: HashMap<Pair, u32> = (0..).zip(&self.pairs).map(|(place, pair)| (*pair, place)).collect();
        let expected: Vec<u32> = now.pairs.iter().map(|pair| *of.get(pair).unwrap_or(&NEW)).collect();
        assert_eq!(now.previous_pairs, expected, "{what}");
        let mut kept = [expected.iter().filter(|place| **place != NEW).count(), 0];
        let Some(found) = &now.previous_points else {
            return kept;
        };
        let before = self.places();
        for (key, place) in now.places() {
            let expected = *before.get(&key).unwrap_or(&NEW);
            assert_eq!(found[place as usize], expected, "{what}: {key:?}");
            kept[1] += usize::from(expected != NEW);
        }
        kept
    }
}

/// A frame that is recorded, and its encoder.
struct InEncoder {
    encoder: wgpu::CommandEncoder,
    recorded: Recorded,
    contacts: Option<RecordedContacts>,
    events: RecordedEvents,
}

fn record(application: &Application, checker: &mut GpuChecker, boxes: &[Obb], max_points: Option<u32>) -> InEncoder {
    let uploaded = application.boxes(boxes);
    let mut encoder = application.encoder();
    let count = boxes.len() as u32;
    let capacity = Capacity {
        boxes: count,
        candidates: 100 * count,
        pairs: 50 * count,
        undecided: 1000,
    };
    checker.reserve(capacity).expect("room");
    let recorded = checker
        .record(&mut encoder, FrameQuery::boxes(&uploaded, count))
        .expect("a frame");
    let contacts = max_points.map(|most| {
        checker.record(&mut encoder, SortPairs(&recorded)).expect("a sort");
        let contacts = checker.record(&mut encoder, ContactsOf::new(&recorded, most));
        contacts.expect("contacts")
    });
    let events = EventsOf::new(&recorded);
    let events = contacts.as_ref().map_or(events, |contacts| events.points(contacts));
    let events = checker.record(&mut encoder, events).expect("events");
    InEncoder {
        encoder,
        recorded,
        contacts,
        events,
    }
}

fn run(application: &Application, checker: &mut GpuChecker, boxes: &[Obb], max_points: Option<u32>) -> Frame {
    let InEncoder {
        mut encoder,
        recorded,
        contacts,
        events,
    } = record(application, checker, boxes, max_points);
    let mut copy = |buffer: &wgpu::Buffer| application.copy(&mut encoder, buffer);
    let [outcome, pairs, places] = [&recorded.outcome, &recorded.pairs, &events.previous_pairs].map(&mut copy);
    let lists = contacts.map(|contacts| [contacts.manifolds, contacts.points].map(|list| copy(&list)));
    let of_points = events.previous_points.map(|places| copy(&places));
    application.queue.submit([encoder.finish()]);
    let outcome: Outcome = application.read(&outcome)[0];
    assert_eq!(outcome.fits, 1, "{outcome:?}");
    let count = outcome.pairs as usize;
    let mut frame = Frame {
        pairs: application.read(&pairs)[..count].to_vec(),
        previous_pairs: application.read(&places)[..count].to_vec(),
        previous_points: of_points.map(|places| application.read(&places)),
        ..Frame::default()
    };
    if let Some([manifolds, points]) = lists {
        frame.manifolds = application.read(&manifolds)[..count].to_vec();
        frame.points = application.read(&points);
    }
    frame
}

fn checker(application: &Application) -> GpuChecker {
    application.checker(Config {
        precision: Precision::Fast,
        ..Config::default()
    })
}

/// Moves a fifth of the boxes.
fn moved(all: &[Obb], count: usize, frame: usize) -> Vec<Obb> {
    let mut boxes = all[..count].to_vec();
    for (k, obb) in boxes.iter_mut().enumerate().filter(|(k, _)| k % 5 == frame % 5) {
        obb.center.x += 0.05 * (k % 7) as f32;
    }
    boxes
}

#[test]
fn c3_recorded_frames_name_the_places_of_pairs_and_points_before() {
    let application = Application::new();
    let mut checker = checker(&application);
    let all = Scene::Dense.generate(1500, 9);
    let mut before = Frame::default();
    let (many, few) = (Some(60_000), Some(200));
    // More and fewer boxes, none, room for few points, and frames without contacts.
    let frames = [
        (300, many),
        (1500, many),
        (1500, many),
        (700, many),
        (700, few),
        (900, many),
        (900, None),
        (900, many),
        (0, many),
        (1200, many),
        (1200, many),
    ];
    let mut kept = Vec::new();
    for (k, (count, max_points)) in frames.into_iter().enumerate() {
        let now = run(&application, &mut checker, &moved(&all, count, k), max_points);
        kept.push(before.expect_before(&now, &format!("frame {k}")));
        before = now;
    }
    let is_kept = |of: usize| -> Vec<bool> { kept.iter().map(|kept| kept[of] > 20).collect() };
    let pairs = [false, true, true, true, true, true, true, true, false, false, true];
    let points = [false, true, true, true, true, true, false, false, false, false, true];
    assert_eq!((is_kept(0), is_kept(1)), (pairs.to_vec(), points.to_vec()), "{kept:?}");
}

/// The previous frame is the last one whose commands were submitted, or one without pairs if the
/// buffers were replaced for commands that were not.
#[test]
fn c3_frames_that_are_never_submitted_are_passed_over() {
    let application = Application::new();
    let mut checker = checker(&application);
    let all = Scene::Dense.generate(1500, 9);
    let points = Some(60_000);
    let first = run(&application, &mut checker, &all[..700], points);
    drop(record(&application, &mut checker, &moved(&all, 500, 1), points));
    drop(record(&application, &mut checker, &moved(&all, 500, 1), None));
    let second = run(&application, &mut checker, &moved(&all, 700, 2), points);
    assert!(first.expect_before(&second, "as large")[1] > 1000);
    drop(record(&application, &mut checker, &all, points));
    let third = run(&application, &mut checker, &moved(&all, 700, 3), points);
    Frame::default().expect_before(&third, "after larger ones");
}
