//! Rules and flags of bodies in recorded frames in space that repeats: the pairs of checks with the
//! same rules.

use std::collections::BTreeSet;

use obbligato::glam::Vec3;
use obbligato::gpu::{FrameQuery, ImageCounts, ImageRecord, ImagesOf, Outcome, RulesOf};
use obbligato::query::ExcludedPairs;
use obbligato::shape::BodyCounts;
use obbligato::{Bodies, BroadPhase, Config, Error, GpuChecker, Pair, Period, Query, Rules, Set, Sphere, wgpu};
use obbligato_support::split_mix::SplitMix;

use super::{LATTICES, Lengths, Random};
use crate::periodic::followed::bodies_of;
use crate::support::gpu::{cpu, gpu_checker};

/// Room for images.
const MOST: u32 = 1500;

/// Returns the pairs of a frame by the positions of their bodies, the undecided ones apart.
fn frame(
    checker: &mut GpuChecker,
    bodies: Bodies<'_>,
    lengths: Lengths,
    rules: Option<RulesOf<'_>>,
    active: Option<&wgpu::Buffer>,
) -> [BTreeSet<Pair>; 2] {
    let buffer = checker.upload_bodies(bodies).expect("a buffer");
    let rules = rules.map(|rules| checker.upload_rules(rules).expect("rules"));
    let (device, queue) = (checker.device().clone(), checker.queue().clone());
    let mut encoder = device.create_command_encoder(&Default::default());
    let images = ImagesOf::new(&buffer, BodyCounts::from(bodies), Period::new(lengths), MOST);
    let images = active.map_or(images, |active| images.active(active));
    let images = rules.as_ref().map_or(images, |rules| images.with(rules));
    let images = checker.record(&mut encoder, images).expect("images");
    let query = FrameQuery::images(&images);
    let found = checker.record(&mut encoder, query).expect("a frame");
    queue.submit([encoder.finish()]);
    let outcome: Outcome = checker.read(&found.outcome, 1).expect("an outcome")[0];
    assert_eq!(outcome.fits, 1, "{outcome:?}");
    let stored = outcome.bodies - outcome.first_image;
    let records: Vec<ImageRecord> = checker.read(&images.images, stored).expect("images");
    let body = |position: u32| match position.checked_sub(outcome.first_image) {
        Some(image) => records[image as usize].body,
        None => position,
    };
    [(&found.pairs, outcome.pairs), (&found.undecided, outcome.undecided)].map(|(buffer, count)| {
        let pairs: Vec<Pair> = checker.read(buffer, count).expect("pairs");
        pairs.iter().map(|pair| Pair::new(body(pair.a), body(pair.b))).collect()
    })
}

/// Asserts that a frame finds the pairs of a check.
#[track_caller]
fn compare(what: &str, [found, undecided]: [BTreeSet<Pair>; 2], expected: &BTreeSet<Pair>) {
    let all: BTreeSet<Pair> = found
        .union(&undecided.intersection(expected).copied().collect())
        .copied()
        .collect();
    assert_eq!(&all, expected, "{what}");
}

/// The pairs of a check on the CPU.
fn expected_of<'a>(query: impl Into<Query<'a>>, lengths: Lengths) -> BTreeSet<Pair> {
    let report = cpu(Config::default())
        .check(query.into().periodic(Period::new(lengths)))
        .expect("valid bodies");
    report.pairs().expect("pairs").iter().copied().collect()
}

/// The entries of every rule.
struct Lists {
    owners: Vec<u32>,
    worlds: Vec<u32>,
    statics: Vec<bool>,
    active: Vec<bool>,
    groups: Vec<[u32; 2]>,
    excluded: ExcludedPairs,
}

impl Lists {
    /// Those of this many bodies. Some of these pairs are excluded.
    fn new(count: u32, pairs: &BTreeSet<Pair>) -> Self {
        let excluded: Vec<Pair> = pairs.iter().step_by(3).copied().collect();
        Self {
            owners: (0..count).map(|id| id % 5).collect(),
            worlds: (0..count).map(|id| id / 7 % 2 * 1000).collect(),
            statics: (0..count).map(|id| id % 2 == 0).collect(),
            active: (0..count).map(|id| id % 3 == 0).collect(),
            groups: (0..count).map(|id| [1 << (id % 3), 6 >> (id % 2)]).collect(),
            excluded: ExcludedPairs::new(&excluded).expect("memory"),
        }
    }

    /// Each rule alone, and several together.
    fn all(&self) -> Vec<Rules<'_>> {
        let all = Rules {
            owners: Some(&self.owners),
            worlds: Some(&self.worlds),
            statics: Some(&self.statics),
            active: Some(&self.active),
            groups: Some(&self.groups),
            excluded: Some(&self.excluded),
            ..Rules::default()
        };
        let none = Rules::default();
        vec![
            Rules {
                owners: all.owners,
                ..none
            },
            Rules {
                worlds: all.worlds,
                ..none
            },
            Rules {
                statics: all.statics,
                ..none
            },
            Rules {
                active: all.active,
                ..none
            },
            Rules {
                groups: all.groups,
                ..none
            },
            Rules {
                excluded: all.excluded,
                ..none
            },
            Rules {
                active: None,
                groups: None,
                owners: None,
                ..all
            },
        ]
    }
}

#[test]
fn c1_rules_apply_to_images_in_recorded_frames() {
    let mut random = Random(SplitMix(96));
    for broad_phase in [BroadPhase::Grid, BroadPhase::Lbvh] {
        let mut checker = gpu_checker(Config {
            broad_phase,
            ..Config::default()
        });
        for (kind, lengths) in [(0, LATTICES[1]), (1, LATTICES[2]), (2, LATTICES[1]), (3, LATTICES[1])] {
            let bodies = bodies_of(&mut random, kind, 300, lengths, 0.5);
            let bodies = bodies.all();
            let open = expected_of(bodies, lengths);
            let count = bodies.len() as u32;
            compare("no rules", frame(&mut checker, bodies, lengths, None, None), &open);
            for rules in Lists::new(count, &open).all() {
                let what = format!("kind {kind}, {broad_phase}, {rules:?}");
                let expected = expected_of(Set::from(bodies).with(rules), lengths);
                assert!(!expected.is_empty() && expected.len() < open.len(), "{what}");
                let of_frame = RulesOf::boxes(&rules, count).with_images(MOST);
                compare(
                    &what,
                    frame(&mut checker, bodies, lengths, Some(of_frame), None),
                    &expected,
                );
            }
        }
    }
}

/// The first and the other bodies of each kind.
fn split(bodies: Bodies<'_>) -> [Bodies<'_>; 2] {
    let part = |second: bool| {
        fn of<T>(all: &[T], second: bool) -> &[T] {
            let (first, other) = all.split_at(2 * all.len() / 5);
            if second { other } else { first }
        }
        Bodies {
            boxes: of(bodies.boxes, second),
            capsules: of(bodies.capsules, second),
            spheres: of(bodies.spheres, second),
        }
    };
    [part(false), part(true)]
}

#[test]
fn c1_recorded_pairs_of_two_sets_with_images() {
    let mut random = Random(SplitMix(97));
    let mut checker = gpu_checker(Config::default());
    let lengths = LATTICES[1];
    for kind in [2, 3] {
        let bodies = bodies_of(&mut random, kind, 300, lengths, 0.5);
        let sets = split(bodies.all());
        let excluded: Vec<Pair> = (0..100).map(|k| Pair { a: k, b: k * 7 % 180 }).collect();
        let excluded = ExcludedPairs::new(&excluded).expect("memory");
        let rules = Rules {
            excluded: Some(&excluded),
            ..Rules::default()
        };
        let none = Rules::default();
        // Of both sets, in the order of the buffer of a frame.
        let mut positions = [Vec::new(), Vec::new()];
        let counts = sets.map(BodyCounts::from);
        let of_kinds = counts.map(|counts| [counts.boxes, counts.capsules, counts.spheres]);
        let mut next = 0;
        for of_kind in 0..3 {
            for (positions, counts) in positions.iter_mut().zip(of_kinds) {
                positions.extend(next..next + counts[of_kind]);
                next += counts[of_kind];
            }
        }
        for rules in [none, rules] {
            let query = Query::between(Set::from(sets[0]).with(rules), sets[1]);
            let report = cpu(Config::default()).check(query.periodic(Period::new(lengths)));
            let report = report.expect("valid bodies");
            let place = |pair: &Pair| Pair::new(positions[0][pair.a as usize], positions[1][pair.b as usize]);
            let expected: BTreeSet<Pair> = report.pairs().expect("pairs").iter().map(place).collect();
            assert!(expected.len() > 50, "{}", expected.len());
            let of_frame = RulesOf::between_bodies([(&rules, counts[0]), (&none, counts[1])]).with_images(MOST);
            let found = frame(&mut checker, bodies.all(), lengths, Some(of_frame), None);
            compare(&format!("two sets, kind {kind}"), found, &expected);
        }
    }
}

/// Margins of bodies, with and without one of all, and with other rules: images are listed as far
/// as the margins reach.
#[test]
fn c1_recorded_images_reach_as_far_as_own_margins() {
    let mut random = Random(SplitMix(103));
    for broad_phase in [BroadPhase::Grid, BroadPhase::Lbvh] {
        for margin in [0.0, 0.1] {
            let config = Config {
                broad_phase,
                margin,
                ..Config::default()
            };
            let mut checker = gpu_checker(config.clone());
            for kind in 0..4 {
                let lengths = LATTICES[kind % 3];
                let bodies = bodies_of(&mut random, kind, 90, lengths, 0.3);
                let owners: Vec<u32> = (0..90).map(|id| id % 9).collect();
                let few = |least: f32| (0..90).map(move |id| if id % 11 == 0 { least } else { 0.05 * (id % 4) as f32 });
                let (margins, none) = (few(1.3).collect::<Vec<f32>>(), few(0.0).collect::<Vec<f32>>());
                let mut found = Vec::new();
                for margins in [&margins, &none] {
                    let rules = Rules {
                        margins: Some(margins),
                        owners: Some(&owners),
                        ..Rules::default()
                    };
                    let query = Query::from(Set::from(bodies.all()).with(rules)).periodic(Period::new(lengths));
                    let cpu_config = Config {
                        margin,
                        ..Config::default()
                    };
                    let report = cpu(cpu_config).check(query).expect("valid bodies");
                    let expected: BTreeSet<Pair> = report.pairs().expect("pairs").iter().copied().collect();
                    let of_frame = RulesOf::boxes(&rules, 90).with_images(MOST);
                    let what = format!("{broad_phase}, kind {kind}, margin {margin}");
                    compare(
                        &what,
                        frame(&mut checker, bodies.all(), lengths, Some(of_frame), None),
                        &expected,
                    );
                    found.push(expected.len());
                }
                assert!(found[0] > found[1] + 20, "{found:?}");
            }
        }
    }
}

/// A body that is within the sum of its margins of its own image is too wide for the period.
#[test]
fn c1_recorded_images_of_bodies_too_wide_with_their_margins() {
    let mut checker = gpu_checker(Config {
        margin: 0.25,
        ..Config::default()
    });
    for (own, out) in [(0.5, 0), (0.86, 0), (0.89, 2)] {
        let spheres = [1.0, 5.0].map(|x| Sphere::new(Vec3::new(x, 0.0, 0.0), 3.0));
        let margins = [own; 2];
        let rules = Rules {
            margins: Some(&margins),
            ..Rules::default()
        };
        let uploaded = checker
            .upload_rules(RulesOf::boxes(&rules, 2).with_images(9))
            .expect("rules");
        let (device, queue) = (checker.device().clone(), checker.queue().clone());
        let buffer = checker.upload(&spheres).expect("a buffer");
        let mut encoder = device.create_command_encoder(&Default::default());
        let period = Period::new([Some(8.0), None, None]);
        let asked = ImagesOf::new(&buffer, BodyCounts::from(Bodies::from(&spheres)), period, 9).with(&uploaded);
        let images = checker.record(&mut encoder, asked).expect("images");
        let found = checker
            .record(&mut encoder, FrameQuery::images(&images))
            .expect("a frame");
        queue.submit([encoder.finish()]);
        let counts: ImageCounts = checker.read(&images.counts, 1).expect("counts")[0];
        let outcome: Outcome = checker.read(&found.outcome, 1).expect("an outcome")[0];
        assert_eq!((counts.out_of_period, outcome.suspects), (out, out), "{own}");
    }
}

/// Bodies that are not active meet nothing, wherever they are.
#[test]
fn c1_recorded_images_of_active_bodies() {
    let mut random = Random(SplitMix(98));
    let mut checker = gpu_checker(Config::default());
    let lengths = LATTICES[0];
    for kind in 0..4 {
        let mut bodies = bodies_of(&mut random, kind, 200, lengths, 0.6);
        let flags: Vec<u32> = (0..200).map(|id| u32::from(id % 3 > 0) * (id + 5)).collect();
        let expected: BTreeSet<Pair> = expected_of(bodies.all(), lengths)
            .into_iter()
            .filter(|pair| [pair.a, pair.b].iter().all(|id| flags[*id as usize] > 0))
            .collect();
        assert!(expected.len() > 50, "{}", expected.len());
        // They may be anywhere.
        let far = Vec3::new(-3000.0, 9.0, 1e6);
        let centers = bodies.boxes.iter_mut().map(|obb| &mut obb.center);
        let centers = centers.chain(bodies.capsules.iter_mut().map(|capsule| &mut capsule.center));
        let centers = centers.chain(bodies.spheres.iter_mut().map(|sphere| &mut sphere.center));
        centers.step_by(3).for_each(|center| *center = far);
        let active = checker.upload(&flags).expect("a buffer");
        let found = frame(&mut checker, bodies.all(), lengths, None, Some(&active));
        compare(&format!("kind {kind}"), found, &expected);
    }
}

#[test]
fn c1_rules_of_images_have_typed_errors() {
    let mut checker = gpu_checker(Config::default());
    let spheres = [Sphere::new(Vec3::ZERO, 0.5); 4];
    let scene = checker.checker().prepare(&spheres).expect("a scene");
    let rules = Rules::default();
    match checker.upload_rules(RulesOf::against(&scene, &rules, 4).with_images(9)) {
        Err(Error::Unavailable { what, .. }) => assert_eq!(what, "a prepared scene with images of its movers"),
        other => panic!("{other:?}"),
    }

    let (device, buffer) = (checker.device().clone(), checker.upload(&spheres).expect("a buffer"));
    let mut encoder = device.create_command_encoder(&Default::default());
    let counts = BodyCounts {
        spheres: 4,
        ..BodyCounts::default()
    };
    let period = Period::new([Some(8.0), None, None]);
    let asked = ImagesOf::new(&buffer, counts, period, 9);
    for (uploaded, problem) in [
        (RulesOf::boxes(&rules, 4), "has room for 0 of 9 images"),
        (RulesOf::boxes(&rules, 4).with_images(8), "has room for 8 of 9 images"),
        (
            RulesOf::boxes(&rules, 13).with_images(9),
            "is for 13 boxes but the frame has 4",
        ),
    ] {
        let uploaded = checker.upload_rules(uploaded).expect("rules");
        let error = checker.record(&mut encoder, asked.with(&uploaded)).expect_err(problem);
        assert!(
            matches!(&error, Error::InvalidRule { problem: found, .. } if found.starts_with(problem)),
            "{error}"
        );
    }
    let many = checker.upload_rules(RulesOf::boxes(&rules, 4).with_images(u32::MAX));
    assert!(matches!(many, Err(Error::LimitExceeded { .. })), "{many:?}");
    // Rules with room for images serve other frames, too.
    let uploaded = checker
        .upload_rules(RulesOf::boxes(&rules, 4).with_images(9))
        .expect("rules");
    let other = FrameQuery::bodies(&buffer, counts).with(&uploaded);
    checker.record(&mut encoder, other).expect("a frame");
    // Rules and flags belong to the list of images.
    let images = checker.record(&mut encoder, asked).expect("images");
    match checker.record(&mut encoder, FrameQuery::images(&images).with(&uploaded)) {
        Err(Error::Unavailable { what, .. }) => assert_eq!(what, "rules for a frame with images"),
        other => panic!("{other:?}"),
    }
    let images = checker.record(&mut encoder, asked.with(&uploaded)).expect("images");
    let query = FrameQuery::images(&images);
    checker
        .record(&mut encoder, query.with(&uploaded))
        .expect("the rules that it has");
    let few = checker.upload(&[1u32; 3]).expect("a buffer");
    let flagged = ImagesOf::new(&buffer, counts, period, 9).active(&few);
    let error = checker.record(&mut encoder, flagged).expect_err("too few flags");
    assert!(matches!(error, Error::InvalidBuffer { .. }), "{error}");
}
