//! Inputs of trackers that change from frame to frame: rules, ids, errors and settings.

use std::collections::BTreeSet;

use obbligato::{
    Bodies, Config, Error, Obb, Output, Pair, Precision, Rules, Set,
    query::ExcludedPairs,
    tracking::{Coherence, FoundBy, Tracker, TrackerConfig},
};
use obbligato_verify::scenes::Scene;

use crate::tracking::{ALL, checker, drift, expect_frame, fresh, on_cpu, tracker};

/// Lists of rules that frames choose from.
struct Lists {
    owners: Vec<Vec<u32>>,
    flags: Vec<Vec<bool>>,
    margins: Vec<f32>,
    excluded: Vec<ExcludedPairs>,
}

impl Lists {
    /// The `k`-th rules.
    fn rules(&self, k: usize) -> Rules<'_> {
        let none = Rules::default();
        match k % 8 {
            0 => none,
            1 => Rules {
                owners: Some(&self.owners[k % 3]),
                ..none
            },
            2 => Rules {
                worlds: Some(&self.owners[k % 3]),
                ..none
            },
            3 => Rules {
                statics: Some(&self.flags[k % 3]),
                ..none
            },
            4 => Rules {
                active: Some(&self.flags[k % 3]),
                ..none
            },
            5 => Rules {
                excluded: Some(&self.excluded[k % 2]),
                ..none
            },
            6 => Rules {
                margins: Some(&self.margins),
                ..none
            },
            _ => Rules {
                owners: Some(&self.owners[k % 3]),
                excluded: Some(&self.excluded[k % 2]),
                ..none
            },
        }
    }
}

#[test]
fn rules_may_change_from_frame_to_frame() {
    let count = 600;
    let mut boxes = Scene::Dense.generate(count, 5);
    let owners: Vec<Vec<u32>> = (1..4)
        .map(|part| (0..count as u32).map(|k| k / 5 % (part * 7)).collect())
        .collect();
    let flags: Vec<Vec<bool>> = (2..5).map(|part| (0..count).map(|k| k % part == 0).collect()).collect();
    let margins: Vec<f32> = (0..count).map(|k| (k % 3) as f32 * 0.1).collect();
    let all = fresh(&mut checker(on_cpu()), Set::from(&boxes));
    let excluded: Vec<ExcludedPairs> = (2..4)
        .map(|step| all.iter().copied().step_by(step).collect::<Vec<_>>())
        .map(|pairs| ExcludedPairs::new(&pairs).expect("memory"))
        .collect();
    let lists = Lists {
        owners,
        flags,
        margins,
        excluded,
    };
    for coherence in ALL {
        let mut tracker = tracker(coherence, false);
        let mut plain = checker(on_cpu());
        let mut before = BTreeSet::new();
        for frame in 0..48 {
            let k = frame / 3;
            let rules = lists.rules(k);
            let set = Set::from(&boxes).with(rules);
            let now: BTreeSet<Pair> = fresh(&mut plain, set).into_iter().collect();
            // Backwards, by ids: the same boxes.
            let tracked = match frame % 5 {
                _ if rules.excluded.is_some() || frame % 5 != 0 => tracker.update_by_position(set),
                _ => tracker.update(&(0..count as u32).collect::<Vec<_>>(), set),
            };
            expect_frame(
                &format!("{coherence:?}, frame {frame}"),
                &tracked.expect("valid"),
                &before,
                &now,
                false,
            );
            before = now;
            drift(&mut boxes, 0.01);
        }
    }
}

#[test]
fn excluded_pairs_and_ids_in_any_order() {
    let mut boxes = Scene::Dense.generate(300, 5);
    let ids: Vec<u32> = (0..300).rev().collect();
    let all = fresh(&mut checker(on_cpu()), Set::from(&boxes));
    let excluded = ExcludedPairs::new(&all[..all.len() / 2]).expect("memory");
    let owners: Vec<u32> = (0..300).map(|k| k / 3).collect();
    for coherence in ALL {
        let mut tracker = tracker(coherence, false);
        for frame in 0..8 {
            let rules = Rules {
                excluded: (frame % 3 == 0).then_some(&excluded),
                owners: Some(&owners),
                ..Rules::default()
            };
            let set = Set::from(&boxes).with(rules);
            let named = |pair: Pair| Pair::new(ids[pair.a as usize], ids[pair.b as usize]);
            let now: BTreeSet<Pair> = fresh(&mut checker(on_cpu()), set).into_iter().map(named).collect();
            let tracked = tracker.update(&ids, set).expect("valid boxes");
            assert!(tracked.pairs.iter().eq(&now), "{coherence:?}, frame {frame}");
            drift(&mut boxes, 0.01);
        }
    }
}

/// Asserts the errors for bad boxes, ids and rules.
fn expect_errors(tracker: &mut Tracker, boxes: &[Obb], bad: &[Obb]) {
    let error = tracker.update_by_position(bad).expect_err("not a number");
    assert!(
        matches!(
            error,
            Error::InvalidBox {
                index: 1_234,
                count: 2,
                ..
            }
        ),
        "{error}"
    );
    let error = tracker.update(&[5; 2_000], boxes).expect_err("one id");
    assert!(
        matches!(
            error,
            Error::DuplicateId {
                id: 5,
                first: 0,
                second: 1
            }
        ),
        "{error}"
    );
    let error = tracker.update(&[5], boxes).expect_err("one id");
    assert!(matches!(error, Error::MissingIds { boxes: 2_000, ids: 1 }), "{error}");
    let ids: Vec<u32> = (0..2_000).rev().collect();
    let error = tracker.update(&ids, bad).expect_err("not a number");
    assert!(
        matches!(
            error,
            Error::InvalidBox {
                index: 1_234,
                count: 2,
                ..
            }
        ),
        "{error}"
    );
    let owners = [1];
    let rules = Rules {
        owners: Some(&owners),
        ..Rules::default()
    };
    let error = tracker
        .update_by_position(Set::from(boxes).with(rules))
        .expect_err("one owner");
    assert!(matches!(error, Error::InvalidRule { rule: "owners", .. }), "{error}");
}

#[test]
fn an_error_leaves_the_tracker_unchanged() {
    for coherence in ALL {
        let mut boxes = Scene::Dense.generate(2_000, 6);
        let mut tracker = tracker(coherence, false);
        let mut before = BTreeSet::new();
        for frame in 0..9 {
            let mut bad = boxes.clone();
            bad[1_234].center.y = f32::NAN;
            bad[77].half_extents.x += 1.0;
            bad[1_777].rotation.w = 3.0;
            if frame % 3 == 2 {
                expect_errors(&mut tracker, &boxes, &bad);
            }
            let now = fresh(&mut checker(on_cpu()), Set::from(&boxes)).into_iter().collect();
            let tracked = tracker.update_by_position(&boxes).expect("valid boxes");
            expect_frame(&format!("{coherence:?}, frame {frame}"), &tracked, &before, &now, false);
            before = now;
            drift(&mut boxes, 0.01);
        }
    }
}

#[test]
fn other_settings_match_fresh_checks() {
    let configs = [
        Config {
            margin: 0.3,
            ..on_cpu()
        },
        Config {
            precision: Precision::Conservative,
            ..on_cpu()
        },
        Config {
            max_pairs: Some(100_000),
            ..on_cpu()
        },
    ];
    for config in configs {
        let mut boxes = Scene::Dense.generate(1_500, 6);
        let settings = TrackerConfig {
            coherence: Coherence::Fattened,
            ..TrackerConfig::default()
        };
        let mut tracker = Tracker::new(checker(config.clone()), settings);
        for _ in 0..4 {
            let tracked = tracker.update_by_position(&boxes).expect("valid boxes");
            assert_eq!(tracked.pairs, fresh(&mut checker(config.clone()), Set::from(&boxes)));
            assert_eq!(tracked.work.found_by, FoundBy::FreshCheck);
            drift(&mut boxes, 0.01);
        }
    }
    for output in [Output::Count, Output::Degrees] {
        let mut tracker = Tracker::new(checker(Config { output, ..on_cpu() }), TrackerConfig::default());
        assert!(matches!(
            tracker.update_by_position(Bodies::default()),
            Err(Error::Unavailable { .. })
        ));
    }
    // Tiny numbers are scaled up for a check.
    let mut boxes = Scene::Dense.generate(1_500, 6);
    for obb in &mut boxes {
        obb.center *= 1e-30;
        obb.half_extents *= 1e-30;
    }
    let mut tracker = tracker(Coherence::Fattened, false);
    for _ in 0..3 {
        let expected = fresh(&mut checker(on_cpu()), Set::from(&boxes));
        assert_eq!(tracker.update_by_position(&boxes).expect("valid boxes").pairs, expected);
        drift(&mut boxes, 0.01);
    }
}
