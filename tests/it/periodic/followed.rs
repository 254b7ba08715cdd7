//! Recorded frames in space that repeats, one after the other: bodies drift across the border and
//! are put into the cell again, and their pairs, contact points and partners are followed.

use std::collections::{BTreeMap, BTreeSet};

use obbligato::glam::Vec3;
use obbligato::gpu::{
    AdjacencyOf, Capacity, ContactsOf, EventCounts, EventRecord, EventsOf, FrameQuery, ImageRecord, ImagesOf,
    ManifoldRecord, Outcome, PointRecord, RecordedEvents, SortPairs,
};
use obbligato::report::Direction;
use obbligato::shape::{BodyCounts, OwnedBodies};
use obbligato::tracking::{Event, EventKind, NEW};
use obbligato::{Capsule, Config, GpuChecker, GpuConfig, Obb, Pair, Period, Precision, Query, Sphere};
use obbligato_support::split_mix::SplitMix;

use super::{LATTICES, Lengths, Place, Random};
use crate::support::gpu::{cpu, gpu_checker};

const TURNED: u32 = RecordedEvents::TURNED;

/// Room for images and for contact points.
const MOST: u32 = 2000;

/// The results of a frame.
#[derive(Default)]
struct Frame {
    /// As listed: of bodies and images.
    pairs: Vec<Pair>,
    /// Of their bodies.
    of_bodies: Vec<Pair>,
    undecided: BTreeSet<Pair>,
    manifolds: Vec<ManifoldRecord>,
    points: Vec<PointRecord>,
    events: Vec<Event>,
    counts: EventCounts,
    previous_pairs: Vec<u32>,
    previous_points: Vec<u32>,
    offsets: Vec<u32>,
    neighbours: Vec<u32>,
    numbers: Vec<u32>,
}

impl Frame {
    /// The pair at a place is one whose first body has the greater position.
    fn is_turned(&self, place: usize) -> bool {
        self.pairs[place].a != self.of_bodies[place].a
    }

    /// The features of each contact point of a pair, and its place. Those of turned pairs are
    /// swapped.
    fn points_of(&self, place: usize) -> Vec<(u32, u32)> {
        let manifold = &self.manifolds[place];
        let places = manifold.first..manifold.first + manifold.len() as u32;
        let features = |place: u32| self.points[place as usize].bits & 0xffff;
        let swapped = |features: u32| features >> 8 | (features & 0xff) << 8;
        places
            .map(|point| match self.is_turned(place) {
                true => (swapped(features(point)), point),
                false => (features(point), point),
            })
            .collect()
    }
}

/// Records the bodies in a period, and everything about their pairs.
fn run(checker: &mut GpuChecker, bodies: &OwnedBodies, lengths: Lengths) -> Frame {
    let all = bodies.all();
    let buffer = checker.upload_bodies(all).expect("a buffer");
    let (device, queue) = (checker.device().clone(), checker.queue().clone());
    let mut encoder = device.create_command_encoder(&Default::default());
    let asked = ImagesOf::new(&buffer, BodyCounts::from(all), Period::new(lengths), MOST);
    let images = checker.record(&mut encoder, asked).expect("images");
    let found = checker
        .record(&mut encoder, FrameQuery::images(&images))
        .expect("a frame");
    checker.record(&mut encoder, SortPairs(&found)).expect("sorted pairs");
    let rows = checker.record(&mut encoder, AdjacencyOf::new(&found, Direction::Both));
    let rows = rows.expect("an adjacency");
    let contacts = checker
        .record(&mut encoder, ContactsOf::new(&found, MOST))
        .expect("contacts");
    let events = EventsOf::new(&found).points(&contacts).persisting();
    let events = checker.record(&mut encoder, events).expect("events");
    queue.submit([encoder.finish()]);

    let outcome: Outcome = checker.read(&found.outcome, 1).expect("an outcome")[0];
    assert_eq!(outcome.fits, 1, "{outcome:?}");
    assert_eq!(rows.rows, images.count, "a row for each body");
    let records: Vec<ImageRecord> = checker
        .read(&images.images, outcome.bodies - outcome.first_image)
        .expect("images");
    let body = |position: u32| match position.checked_sub(outcome.first_image) {
        Some(image) => records[image as usize].body,
        None => position,
    };
    let of_bodies = |pair: &Pair| Pair::new(body(pair.a), body(pair.b));
    let counts: EventCounts = checker.read(&events.counts, 1).expect("counts")[0];
    let records: Vec<EventRecord> = checker.read(&events.events, counts.listed).expect("events");
    let pairs: Vec<Pair> = checker.read(&found.pairs, outcome.pairs).expect("pairs");
    let undecided: Vec<Pair> = checker.read(&found.undecided, outcome.undecided).expect("pairs");
    let points = events.previous_points.expect("with points");
    let mut numbers = |buffer, count| checker.read::<u32>(buffer, count).expect("numbers");
    Frame {
        of_bodies: pairs.iter().map(of_bodies).collect(),
        undecided: undecided.iter().map(of_bodies).collect(),
        events: records.iter().map(EventRecord::event).collect(),
        counts,
        previous_pairs: numbers(&events.previous_pairs, outcome.pairs),
        previous_points: numbers(&points, MOST),
        offsets: numbers(&rows.offsets, rows.rows + 1),
        neighbours: numbers(&rows.neighbours, 2 * outcome.pairs),
        numbers: numbers(&rows.pairs, 2 * outcome.pairs),
        manifolds: checker.read(&contacts.manifolds, outcome.pairs).expect("manifolds"),
        points: checker.read(&contacts.points, MOST).expect("points"),
        pairs,
    }
}

/// Asserts that the pairs are those of a check, and that the rows are those of the pairs.
#[track_caller]
fn expect_pairs(what: &str, frame: &Frame, bodies: &OwnedBodies, lengths: Lengths) {
    let query = Query::from(bodies.all()).periodic(Period::new(lengths));
    let report = cpu(Config::default()).check(query).expect("valid bodies");
    let expected: BTreeSet<Pair> = report.pairs().expect("pairs").iter().copied().collect();
    let found: BTreeSet<Pair> = frame.of_bodies.iter().copied().collect();
    let left: BTreeSet<Pair> = expected.intersection(&frame.undecided).copied().collect();
    assert_eq!(found.union(&left).copied().collect::<BTreeSet<_>>(), expected, "{what}");
    assert!(frame.of_bodies.is_sorted(), "{what}");

    for body in 0..bodies.all().len() as u32 {
        let row = frame.offsets[body as usize] as usize..frame.offsets[body as usize + 1] as usize;
        let numbers = (0..).zip(&frame.of_bodies);
        let of_body = numbers.filter_map(|(number, pair)| match (pair.a == body, pair.b == body) {
            (true, _) => Some((pair.b, number)),
            (_, true) => Some((pair.a, number)),
            _ => None,
        });
        let mut expected: Vec<(u32, u32)> = of_body.collect();
        expected.sort();
        let partners = frame.neighbours[row.clone()].iter().copied();
        let found: Vec<(u32, u32)> = partners.zip(frame.numbers[row].iter().copied()).collect();
        assert_eq!(found, expected, "{what}: body {body}");
    }
}

/// Numbers of pairs and points that were in the previous frame.
#[derive(Clone, Copy, Debug, Default)]
struct Kept {
    pairs: usize,
    turned: usize,
    points: usize,
    points_of_turned: usize,
    several: usize,
}

/// Asserts that events and places are those of two frames that follow each other.
#[track_caller]
fn expect_changes(what: &str, before: &Frame, now: &Frame, kept: &mut Kept) {
    let mut first = BTreeMap::new();
    for (place, pair) in before.of_bodies.iter().enumerate() {
        first.entry(*pair).or_insert(place);
    }
    let there: BTreeSet<Pair> = now.of_bodies.iter().copied().collect();
    kept.several += now.of_bodies.len() - there.len();
    let mut events: Vec<Event> = now
        .of_bodies
        .iter()
        .map(|pair| match first.contains_key(pair) {
            true => Event {
                pair: *pair,
                kind: EventKind::Persist,
            },
            false => Event {
                pair: *pair,
                kind: EventKind::Begin,
            },
        })
        .collect();
    let ended = before.of_bodies.iter().filter(|pair| !there.contains(pair));
    events.extend(ended.map(|pair| Event {
        pair: *pair,
        kind: EventKind::End,
    }));
    let sorted = |events: &[Event]| {
        let mut keys: Vec<_> = events.iter().map(|event| (event.pair, event.kind as u8)).collect();
        keys.sort();
        keys
    };
    assert_eq!(sorted(&now.events), sorted(&events), "{what}");
    assert_eq!(now.counts.listed as usize, events.len(), "{what}");

    for (place, pair) in now.of_bodies.iter().enumerate() {
        let previous = first.get(pair);
        let turned = previous.is_some_and(|previous| before.is_turned(*previous) != now.is_turned(place));
        let expected = previous.map_or(NEW, |previous| *previous as u32 | if turned { TURNED } else { 0 });
        assert_eq!(now.previous_pairs[place], expected, "{what}: {pair:?}");
        let mut points = previous.map_or_else(Vec::new, |previous| before.points_of(*previous));
        for (features, point) in now.points_of(place) {
            let found = points.iter().position(|(before, _)| *before == features);
            let expected = found.map_or(NEW, |k| points.remove(k).1);
            assert_eq!(
                now.previous_points[point as usize], expected,
                "{what}: {pair:?} {features:x}"
            );
            kept.points += usize::from(expected != NEW);
            kept.points_of_turned += usize::from(expected != NEW && turned);
        }
        kept.pairs += usize::from(previous.is_some());
        kept.turned += usize::from(turned);
    }
}

/// Bodies in the cell: of one kind, or of all if it is 3.
pub fn bodies_of(random: &mut Random, kind: usize, count: usize, lengths: Lengths, size: f32) -> OwnedBodies {
    let mut center = || Vec3::from(lengths.map(|length| random.below(length.unwrap_or(6.0)) as f32));
    let centers: Vec<Vec3> = (0..count).map(|_| center()).collect();
    let mut bodies = OwnedBodies::default();
    for (k, center) in centers.into_iter().enumerate() {
        let turn = random.rotation(Place::Cell);
        match if kind == 3 { k % 3 } else { kind } {
            0 => bodies
                .boxes
                .push(Obb::new(center, size * Vec3::new(1.0, 0.7, 0.8), turn)),
            1 => bodies.capsules.push(Capsule::new(center, size, turn, 0.6 * size)),
            _ => bodies.spheres.push(Sphere::new(center, size)),
        }
    }
    bodies
}

/// Moves all bodies by a common step and some of their own, and puts those that leave the cell into
/// it again.
fn moved(bodies: &mut OwnedBodies, lengths: Lengths, frame: usize) {
    let centers = bodies.boxes.iter_mut().map(|obb| &mut obb.center);
    let centers = centers.chain(bodies.capsules.iter_mut().map(|capsule| &mut capsule.center));
    let centers = centers.chain(bodies.spheres.iter_mut().map(|sphere| &mut sphere.center));
    for (k, center) in centers.enumerate() {
        *center += Vec3::new(0.15, -0.1, 0.05);
        if (k + frame).is_multiple_of(9) {
            center.y += 0.3;
        }
        for (axis, length) in lengths.into_iter().enumerate() {
            if let Some(length) = length {
                center[axis] = center[axis].rem_euclid(length as f32);
            }
        }
    }
}

fn open(gpu: GpuConfig) -> GpuChecker {
    let mut checker = gpu_checker(Config {
        gpu,
        precision: Precision::Exact,
        ..Config::default()
    });
    let capacity = Capacity {
        boxes: 2 * MOST,
        candidates: 20 * MOST,
        pairs: 5 * MOST,
        undecided: MOST,
    };
    checker.reserve(capacity).expect("room");
    checker
}

#[test]
fn c3_recorded_frames_follow_pairs_across_the_border() {
    let mut random = Random(SplitMix(95));
    let portable = GpuConfig {
        subgroups: false,
        max_workgroups_per_dimension: Some(3),
        ..GpuConfig::default()
    };
    let mut checkers = [GpuConfig::default(), portable].map(open);
    let mut kept = [Kept::default(); 4];
    for (lengths, size, count) in [
        (LATTICES[1], 0.55, 150),
        (LATTICES[2], 0.55, 150),
        // So large that two bodies meet in several images.
        ([Some(4.0), Some(4.5), None], 1.1, 30),
    ] {
        for (kind, kept) in kept.iter_mut().enumerate() {
            for (which, checker) in checkers.iter_mut().enumerate() {
                let mut bodies = bodies_of(&mut random, kind, count, lengths, size);
                // A frame without pairs separates the scenes.
                run(checker, &OwnedBodies::default(), lengths);
                let mut before = Frame::default();
                for frame in 0..7 - 4 * which {
                    let what = format!("{lengths:?}, kind {kind}, setting {which}, frame {frame}");
                    let now = run(checker, &bodies, lengths);
                    expect_pairs(&what, &now, &bodies, lengths);
                    expect_changes(&what, &before, &now, kept);
                    before = now;
                    moved(&mut bodies, lengths, frame);
                }
            }
        }
    }
    for (kind, kept) in kept.iter().enumerate() {
        assert!(
            kept.pairs > 1000 && kept.turned > 50 && kept.several > 10,
            "{kind}: {kept:?}"
        );
        assert!(kept.points > 300 && kept.points_of_turned > 20, "{kind}: {kept:?}");
    }
}
