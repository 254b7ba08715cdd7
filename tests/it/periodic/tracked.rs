//! A tracker in space that repeats, frame by frame against fresh checks.

use std::collections::BTreeSet;

use obbligato::glam::Vec3;
use obbligato::tracking::{Coherence, EventKind, Tracker, TrackerConfig};
use obbligato::{BroadPhase, Pair, Period, Query, Sphere};
use obbligato_support::split_mix::SplitMix;

use super::{Place, Random, config};
use crate::support::gpu::{cpu, gpu};

/// Bodies of all kinds cross the border and drift away, some disappear, and ids do not ascend: the
/// pairs are those of fresh checks, and the events are their differences, whatever the coherence.
#[test]
fn c1_tracked_pairs_are_those_of_fresh_checks() {
    let lengths = [Some(8.0), None, Some(8.0)];
    let period = Period::new(lengths);
    for coherence in [Coherence::Auto, Coherence::Fattened, Coherence::SweepLists] {
        for is_gpu in [false, true] {
            let checker = || match is_gpu {
                true => gpu(config(BroadPhase::Auto, 0.0)),
                false => cpu(config(BroadPhase::Auto, 0.0)),
            };
            let settings = TrackerConfig {
                coherence,
                persisting: true,
                period: Some(period),
            };
            let mut tracker = Tracker::new(checker(), settings);
            let mut all_at_once = checker();
            let mut random = Random(SplitMix(3));
            let mut bodies = random.bodies(Place::Cell, [60, 20, 20]);
            let mut before = BTreeSet::new();
            let mut crossing = 0;
            for frame in 0..12 {
                for (k, ball) in bodies.spheres.iter_mut().enumerate() {
                    ball.center += Vec3::new(0.5, 0.25, -0.75) * (k % 3) as f32;
                }
                bodies.boxes.iter_mut().for_each(|obb| obb.center.x += 0.375);
                if frame % 4 == 3 {
                    bodies.boxes.truncate(bodies.boxes.len() - 5);
                }
                let count = (bodies.boxes.len() + bodies.capsules.len() + bodies.spheres.len()) as u32;
                let ids: Vec<u32> = (0..count).map(|k| 1000 - 3 * k).collect();
                let fresh = all_at_once
                    .check(Query::from(bodies.all()).periodic(period))
                    .expect("valid bodies");
                let fresh = fresh.pairs().expect("asked for").iter();
                let named: BTreeSet<Pair> = fresh
                    .map(|pair| Pair::new(ids[pair.b as usize], ids[pair.a as usize]))
                    .collect();
                let found = tracker.update(&ids, bodies.all()).expect("valid bodies");
                assert!(found.pairs.iter().eq(&named), "{coherence:?}, frame {frame}");
                let of = |kind| -> BTreeSet<Pair> {
                    let events = found.events.iter().filter(|event| event.kind == kind);
                    events.map(|event| event.pair).collect()
                };
                assert_eq!(of(EventKind::Begin), &named - &before, "frame {frame}");
                assert_eq!(of(EventKind::End), &before - &named, "frame {frame}");
                assert_eq!(of(EventKind::Persist), &named & &before, "frame {frame}");
                let open = checker().check(bodies.all()).expect("valid bodies").colliding_pairs;
                crossing += named.len() - open as usize;
                before = named;
            }
            assert!(crossing > 100, "{crossing} pairs by their images");
        }
    }
}

/// A body that is as wide as the period is refused, and the next frame is right.
#[test]
fn a_frame_that_fails_is_ignored() {
    let settings = TrackerConfig {
        period: Some(Period::new([Some(8.0), None, None])),
        ..TrackerConfig::default()
    };
    let mut tracker = Tracker::new(cpu(config(BroadPhase::Auto, 0.0)), settings);
    let balls = |radius| [0.5, 7.5].map(|x| Sphere::new(Vec3::X * x, radius));
    let frame = tracker.update_by_position(&balls(0.75)).expect("valid bodies");
    assert_eq!((frame.begin, frame.persist, frame.end), (1, 0, 0));
    assert!(tracker.update_by_position(&balls(4.0)).is_err());
    let frame = tracker.update_by_position(&balls(0.75)).expect("valid bodies");
    assert_eq!((frame.begin, frame.persist, frame.end), (0, 1, 0));
}
