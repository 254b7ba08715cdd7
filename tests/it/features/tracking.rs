//! The rows on sequences of frames.

use std::collections::BTreeSet;

use obbligato::glam::{Quat, Vec3};
use obbligato::{
    Checker, Obb, Pair,
    contact::Contact,
    motion::{Motion, safe_time},
    tracking::{Coherence, EventKind, FoundBy, Tracker, TrackerConfig},
};
use obbligato_verify::reference::colliding_pairs;
use obbligato_verify::scenes::Scene;

use super::on_cpu;

fn tracker(coherence: Coherence) -> Tracker {
    let config = TrackerConfig {
        coherence,
        ..TrackerConfig::default()
    };
    Tracker::new(Checker::new(on_cpu()).expect("a CPU"), config)
}

/// The position of a box after a time.
fn placed(obb: &Obb, motion: &Motion, time: f32) -> Obb {
    let turn = Quat::from_scaled_axis(motion.angular_velocity * time);
    Obb {
        center: obb.center + motion.velocity * time,
        rotation: (turn * obb.rotation).normalize(),
        ..*obb
    }
}

/// The motion of a box, by its index.
fn motion(k: usize) -> Motion {
    let way = |part: usize| (k * part % 19) as f32 / 19.0 - 0.5;
    Motion::linear(Vec3::new(way(7), way(11), way(13))).turning(Vec3::new(way(3), way(5), way(17)))
}

fn drift(boxes: &mut [Obb], time: f32) {
    for (k, obb) in boxes.iter_mut().enumerate() {
        *obb = placed(obb, &motion(k), time);
    }
}

#[test]
fn m6_nothing_collides_before_its_safe_time() {
    let boxes = Scene::Dense.generate(600, 4);
    let mut some = 0;
    for a in 0..boxes.len() {
        for b in a + 1..boxes.len() {
            let time = safe_time(&boxes[a], &motion(a), &boxes[b], &motion(b));
            assert_eq!(time > 0.0, boxes[a].contact(&boxes[b]) == Contact::Separated, "{a} {b}");
            if time > 0.0 && time < 2.0 {
                some += 1;
                for part in [0.5, 0.9, 0.999] {
                    let [a, b] = [a, b].map(|k| placed(&boxes[k], &motion(k), part * time as f32));
                    assert_eq!(a.contact(&b), Contact::Separated, "{a:?} {b:?} {time}");
                }
            }
        }
    }
    assert!(some > 500, "{some}");
    let mut tracker = tracker(Coherence::Fattened);
    let mut boxes = Scene::Uniform.generate(600, 4);
    for _ in 0..3 {
        drift(&mut boxes, 0.02);
        tracker.update_by_position(&boxes).expect("valid boxes");
    }
    let distances = tracker.safe_distances().expect("memory");
    let safe = distances.iter().filter(|distance| **distance > 0.001).count();
    assert!(distances.len() == 600 && safe > 300, "{safe} of {}", distances.len());
    // Each box moves by almost that distance in its own direction, and nothing begins or ends.
    let pairs = colliding_pairs(&boxes);
    for (k, (obb, distance)) in boxes.iter_mut().zip(&distances).enumerate() {
        obb.center += motion(k).velocity.normalize_or_zero() * (0.999 * distance);
    }
    assert_eq!(colliding_pairs(&boxes), pairs);
}

#[test]
fn m7_frames_match_fresh_checks_with_less_work() {
    for coherence in [Coherence::Auto, Coherence::Fattened, Coherence::SweepLists] {
        let mut boxes = Scene::Uniform.generate(2_000, 2);
        let mut tracker = tracker(coherence);
        for frame in 0..12 {
            let tracked = tracker.update_by_position(&boxes).expect("valid boxes");
            assert_eq!(tracked.pairs, colliding_pairs(&boxes), "{coherence:?}, frame {frame}");
            if frame >= 2 {
                assert_eq!(tracked.work.found_by, FoundBy::Coherence, "{coherence:?}");
                assert!(coherence == Coherence::SweepLists || tracked.work.tested < tracked.work.watched);
            }
            drift(&mut boxes, 0.02);
        }
    }
}

#[test]
fn m8_pairs_begin_persist_and_end() {
    let mut boxes = Scene::Dense.generate(400, 2);
    let mut ids: Vec<u32> = (0..400).map(|k| u32::MAX - 7 * k).collect();
    let config = TrackerConfig {
        persisting: true,
        ..TrackerConfig::default()
    };
    let mut tracker = Tracker::new(Checker::new(on_cpu()).expect("a CPU"), config);
    let mut before = BTreeSet::new();
    for frame in 0..20 {
        let named = |pair: Pair| Pair::new(ids[pair.a as usize], ids[pair.b as usize]);
        let now: BTreeSet<Pair> = colliding_pairs(&boxes).into_iter().map(named).collect();
        let tracked = tracker.update(&ids, &boxes).expect("valid boxes");
        let of = |kind| {
            tracked
                .events
                .iter()
                .filter(move |event| event.kind == kind)
                .map(|event| &event.pair)
        };
        assert!(of(EventKind::Begin).eq(now.difference(&before)), "frame {frame}");
        assert!(of(EventKind::Persist).eq(now.intersection(&before)), "frame {frame}");
        assert!(of(EventKind::End).eq(before.difference(&now)), "frame {frame}");
        before = now;
        drift(&mut boxes, 0.1);
        // One box leaves, and another takes its id.
        ids.swap(frame, 399 - frame);
        boxes.swap_remove(frame);
        ids.swap_remove(frame);
    }
}
