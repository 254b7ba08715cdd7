//! Tracked frames against fresh checks, the reference, and plain set differences.

mod carried;
mod histories;
mod inputs;

use std::collections::BTreeSet;

use obbligato::glam::{Quat, Vec3};
use obbligato::{
    Backend, Bodies, Checker, Config, Obb, Pair, Set, Sphere,
    report::Engine,
    tracking::{Coherence, Event, EventKind, FoundBy, TrackedFrame, Tracker, TrackerConfig},
};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference::colliding_pairs;
use obbligato_verify::scenes::Scene;

const ALL: [Coherence; 4] = [
    Coherence::Auto,
    Coherence::Fattened,
    Coherence::SweepLists,
    Coherence::None,
];

fn on_cpu() -> Config {
    Config {
        backend: Backend::Cpu,
        ..Config::default()
    }
}

fn checker(config: Config) -> Checker {
    Checker::new(config).expect("a valid configuration")
}

fn tracker(coherence: Coherence, persisting: bool) -> Tracker {
    let config = TrackerConfig {
        coherence,
        persisting,
        ..TrackerConfig::default()
    };
    Tracker::new(checker(on_cpu()), config)
}

fn fresh(checker: &mut Checker, set: Set<'_>) -> Vec<Pair> {
    checker
        .check(set)
        .and_then(obbligato::Report::into_pairs)
        .expect("a valid scene")
}

/// The events between two sets of pairs, by a naive method.
fn plain_events(before: &BTreeSet<Pair>, now: &BTreeSet<Pair>, persisting: bool) -> Vec<Event> {
    let of = |kind: EventKind| move |&pair: &Pair| Event { pair, kind };
    let mut all: Vec<Event> = now.difference(before).map(of(EventKind::Begin)).collect();
    all.extend(before.difference(now).map(of(EventKind::End)));
    if persisting {
        all.extend(now.intersection(before).map(of(EventKind::Persist)));
    }
    all.sort_by_key(|event| event.pair);
    all
}

/// Compares a frame with the pairs that it should have.
fn expect_frame(what: &str, frame: &TrackedFrame<'_>, before: &BTreeSet<Pair>, now: &BTreeSet<Pair>, persisting: bool) {
    if !frame.pairs.iter().eq(now) {
        let missing: Vec<&Pair> = now
            .iter()
            .filter(|pair| frame.pairs.binary_search(pair).is_err())
            .collect();
        let extra: Vec<&Pair> = frame.pairs.iter().filter(|pair| !now.contains(pair)).collect();
        panic!("{what}: missing {missing:?}, extra {extra:?}, {:?}", frame.work);
    }
    assert!(frame.pairs.is_sorted_by(|a, b| a < b), "{what}");
    assert_eq!(
        frame.events,
        plain_events(before, now, persisting),
        "{what}: {:?}",
        frame.work
    );
    let persist = now.intersection(before).count();
    let counts = [now.len() - persist, persist, before.len() - persist];
    assert_eq!([frame.begin, frame.persist, frame.end], counts, "{what}");
}

#[test]
fn a_removed_box_makes_room_for_another() {
    let unit = |x: f32| Obb::axis_aligned(Vec3::X * x, Vec3::splat(0.5));
    for coherence in ALL {
        let mut tracker = tracker(coherence, false);
        let boxes = [unit(0.0), unit(0.75), unit(9.0)];
        for (ids, events) in [
            ([1, 2, 3], 1),
            ([1, 2, 3], 0),
            ([1, 4, 5], 2),
            ([1, 4, 5], 0),
            ([2, 4, 9], 2),
        ] {
            let frame = tracker.update(&ids, &boxes).expect("valid boxes");
            assert_eq!(frame.pairs, [Pair::new(ids[0], ids[1])], "{coherence:?}");
            assert_eq!(frame.events.len(), events, "{coherence:?}, {ids:?}: {:?}", frame.events);
        }
    }
}

/// Moves each box in its own direction by a fraction of its size, and rotates every third.
fn drift(boxes: &mut [Obb], part: f32) {
    for (k, obb) in boxes.iter_mut().enumerate() {
        let mut random = SplitMix(k as u64);
        let mut number = || random.unit() as f32 - 0.5;
        let size = obb.half_extents.max_element();
        obb.center += Vec3::new(number(), number(), number()).normalize() * (part * size);
        if k % 3 == 0 {
            let turn = Quat::from_scaled_axis(Vec3::new(number(), number(), number()) * part);
            obb.rotation = (turn * obb.rotation).normalize();
        }
    }
}

/// In each frame one box leaves, and another takes its id.
#[test]
fn m8_ids_are_reused_in_a_crowd() {
    for coherence in ALL {
        let mut boxes = Scene::Dense.generate(400, 2);
        let mut ids: Vec<u32> = (0..400).map(|k| u32::MAX - 7 * k).collect();
        let (mut tracker, mut before) = (tracker(coherence, true), BTreeSet::new());
        for frame in 0..20 {
            let named = |pair: Pair| Pair::new(ids[pair.a as usize], ids[pair.b as usize]);
            let now = colliding_pairs(&boxes).into_iter().map(named).collect();
            let tracked = tracker.update(&ids, &boxes).expect("valid boxes");
            expect_frame(&format!("{coherence:?}, frame {frame}"), &tracked, &before, &now, true);
            before = now;
            drift(&mut boxes, 0.1);
            ids.swap(frame, 399 - frame);
            boxes.swap_remove(frame);
            ids.swap_remove(frame);
        }
    }
}

#[test]
fn p1_m7_every_scene_in_motion_has_the_pairs_of_fresh_checks() {
    let mut plain = checker(on_cpu());
    let coherences = [Coherence::Auto, Coherence::Fattened, Coherence::SweepLists];
    for scene in Scene::ALL {
        let count = if scene == Scene::Coincident { 1_500 } else { 3_000 };
        let mut boxes = scene.generate(count, 2);
        let mut trackers = coherences.map(|coherence| (coherence, tracker(coherence, false), 0));
        let mut before = BTreeSet::new();
        for frame in 0..14 {
            let now = fresh(&mut plain, Set::from(&boxes)).into_iter().collect();
            for (coherence, tracker, coherent) in &mut trackers {
                let tracked = tracker.update_by_position(&boxes).expect("valid boxes");
                *coherent += usize::from(tracked.work.found_by == FoundBy::Coherence);
                let what = format!("{scene}, {coherence:?}, frame {frame}");
                expect_frame(&what, &tracked, &before, &now, false);
            }
            before = now;
            // Occasionally some jump, including two to a common place where they meet.
            drift(&mut boxes, 0.01);
            if frame % 3 == 1 {
                let there = boxes[500].center;
                for k in [7, 8, 9, 100] {
                    boxes[k].center = there;
                }
            }
        }
        for (coherence, _, coherent) in trackers {
            assert!(
                coherent > 8 || coherence == Coherence::Auto,
                "{scene}, {coherence:?}: {coherent}"
            );
        }
    }
}

#[test]
fn m7_slow_boxes_are_followed_and_fast_ones_checked_afresh() {
    let frames = |part: f32| {
        let mut boxes = Scene::Uniform.generate(20_000, 3);
        let mut tracker = tracker(Coherence::Auto, false);
        let mut works = Vec::new();
        for _ in 0..12 {
            works.push(tracker.update_by_position(&boxes).expect("valid boxes").work);
            drift(&mut boxes, part);
        }
        works.split_off(3)
    };
    let slow = frames(0.005);
    assert!(slow.iter().all(|work| work.found_by == FoundBy::Coherence), "{slow:?}");
    assert!(
        slow.iter()
            .all(|work| work.moved == 20_000 && (work.rebuilt || work.tested < work.watched / 3)),
        "{slow:?}"
    );
    assert!(slow.iter().filter(|work| work.rebuilt).count() <= 2, "{slow:?}");
    let fast = frames(1.0);
    assert!(fast.iter().all(|work| work.found_by == FoundBy::FreshCheck), "{fast:?}");
}

#[test]
fn boxes_at_rest_are_skipped() {
    // All bricks touch.
    let mut boxes = Scene::Bricks.generate(5_000, 1);
    let mut tracker = tracker(Coherence::Auto, true);
    for frame in 0..6 {
        let tracked = tracker.update_by_position(&boxes).expect("valid boxes");
        assert_eq!(tracked.pairs.len(), tracked.events.len());
        if frame >= 2 {
            assert_eq!(
                (tracked.work.found_by, tracked.work.moved, tracked.work.tested),
                (FoundBy::Coherence, 0, 0)
            );
        }
    }
    boxes[2_500].center.x += 1.0 / 64.0;
    let work = tracker.update_by_position(&boxes).expect("valid boxes").work;
    assert_eq!(work.moved, 1);
    assert!((1..60).contains(&work.tested), "{work:?}");
}

#[test]
fn long_travels_start_over() {
    let mut boxes = Scene::Uniform.generate(2_000, 1);
    let mut tracker = tracker(Coherence::Fattened, false);
    let mut plain = checker(on_cpu());
    for frame in 0..60 {
        let side = if frame % 2 == 0 { 50.0 } else { -50.0 };
        for obb in boxes.iter_mut().step_by(40) {
            obb.center.x += side;
        }
        drift(&mut boxes, 0.002);
        let tracked = tracker.update_by_position(&boxes).expect("valid boxes");
        assert_eq!(tracked.pairs, fresh(&mut plain, Set::from(&boxes)), "frame {frame}");
    }
}

#[test]
fn m6_moves_within_safe_distances_change_no_pair() {
    let mut boxes = Scene::Dense.generate(3_000, 8);
    let mut tracker = tracker(Coherence::Fattened, false);
    let mut plain = checker(on_cpu());
    for frame in 0..6 {
        tracker.update_by_position(&boxes).expect("valid boxes");
        let distances = tracker.safe_distances().expect("memory");
        assert_eq!(distances.len(), boxes.len());
        let sum: f32 = distances.iter().sum();
        assert!(frame < 1 || sum > 3.0, "{sum}");
        let before = fresh(&mut plain, Set::from(&boxes));
        let mut moved = boxes.clone();
        // Smaller distances would be lost to rounding.
        for (k, obb) in moved.iter_mut().enumerate().filter(|(k, _)| distances[*k] > 1e-3) {
            let mut random = SplitMix(k as u64 + 77);
            let mut number = || random.unit() as f32 - 0.5;
            obb.center += Vec3::new(number(), number(), number()).normalize() * (0.99 * distances[k]);
        }
        assert_eq!(before, fresh(&mut plain, Set::from(&moved)), "frame {frame}");
        drift(&mut boxes, 0.01);
    }
}

#[test]
fn empty_scenes_are_valid_frames() {
    for coherence in ALL {
        let mut tracker = tracker(coherence, true);
        let boxes = [Obb::axis_aligned(Vec3::ZERO, Vec3::ONE); 3];
        for (count, begin, end) in [
            (0, 0, 0),
            (3, 3, 0),
            (3, 0, 0),
            (0, 0, 3),
            (0, 0, 0),
            (2, 1, 0),
            (1, 0, 1),
        ] {
            let frame = tracker.update_by_position(&boxes[..count]).expect("valid boxes");
            assert_eq!((frame.begin, frame.end), (begin, end), "{coherence:?}");
        }
    }
}

/// A spawned wall takes the first index. Bodies tracked by ids keep their identity; tracked by
/// positions, all spheres change theirs.
#[test]
fn ids_stay_when_a_wall_is_spawned() {
    // Pairs that touch, far from each other.
    let place = |k: u32| Vec3::X * (9 * (k / 2) + k % 2) as f32;
    let spheres: Vec<Sphere> = (0..1000).map(|k| Sphere::new(place(k), 0.5)).collect();
    let wall = [Obb::axis_aligned(Vec3::new(0.0, 9.0, 0.0), Vec3::ONE)];
    let bodies = |boxes| Bodies {
        boxes,
        spheres: &spheres,
        ..Bodies::default()
    };
    let ids: Vec<u32> = (1000..2000).collect();
    let with_wall = [&[7][..], &ids[..]].concat();
    for coherence in ALL {
        let mut by_ids = tracker(coherence, false);
        assert_eq!(by_ids.update(&ids, bodies(&[])).expect("valid bodies").begin, 500);
        let frame = by_ids.update(&with_wall, bodies(&wall)).expect("valid bodies");
        assert_eq!((frame.events, frame.persist), (&[][..], 500), "{coherence:?}");
        let frame = by_ids.update(&ids, bodies(&[])).expect("valid bodies");
        assert_eq!((frame.events, frame.persist), (&[][..], 500), "{coherence:?}");

        let mut by_position = tracker(coherence, false);
        by_position.update_by_position(bodies(&[])).expect("valid bodies");
        let frame = by_position.update_by_position(bodies(&wall)).expect("valid bodies");
        assert_eq!((frame.begin, frame.end, frame.persist), (500, 500, 0), "{coherence:?}");
    }
}

/// The checker of a tracker answers other queries between frames.
#[test]
fn a_tracker_lends_its_checker() {
    let boxes = Scene::Dense.generate(2000, 1);
    let ids: Vec<u32> = (0..2000).rev().collect();
    let mut tracker = tracker(Coherence::Fattened, false);
    let pairs = tracker.update(&ids, &boxes).expect("valid boxes").pairs.to_vec();
    assert!(matches!(tracker.checker().engine(), Engine::Cpu { .. }));
    let found = tracker
        .checker_mut()
        .check(&boxes[..500])
        .expect("valid boxes")
        .colliding_pairs;
    assert!(found > 0);
    let frame = tracker.update(&ids, &boxes).expect("valid boxes");
    assert_eq!(
        (frame.pairs, frame.events, frame.work.found_by),
        (&pairs[..], &[][..], FoundBy::Coherence)
    );
    let mut checker = tracker.into_checker();
    assert_eq!(
        checker.check(&boxes).expect("valid boxes").colliding_pairs,
        pairs.len() as u64
    );
}
