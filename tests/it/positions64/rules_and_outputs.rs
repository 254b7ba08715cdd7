//! Outputs, rules, errors and margins of boxes with centers in `f64`.

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::{
    Config, Error, Obb, Obb64, Output, Pair, Precision, Query, Rules, Set, error::BoxProblem, query::NO_OWNER,
};
use obbligato_verify::reference::{self, allowed, pairs_within};
use obbligato_verify::scenes::Scene;

use crate::positions64::{FAR, far_scene, pairs_of};
use crate::support::gpu::{OUTPUTS, backends, expect_pairs};

#[test]
fn outputs_and_precisions() {
    let boxes = far_scene(Scene::Dense, 3000, FAR[0]);
    let contacts = reference::contacts64(&boxes);
    let pairs = pairs_of(&contacts, |_| true);
    for output in OUTPUTS {
        let config = Config {
            output,
            ..Config::default()
        };
        for (name, mut checker) in backends(&config) {
            let report = checker.check(&boxes).expect("valid boxes");
            assert_eq!(report.colliding_pairs, pairs.len() as u64, "{name}, {output:?}");
            assert!(report.complete);
            match output {
                Output::Pairs => expect_pairs(name, &pairs, report.pairs().expect("asked for")),
                Output::Degrees => {
                    assert_eq!(
                        report.degrees().expect("asked for"),
                        obbligato::report::degrees(boxes.len(), &pairs)
                    );
                }
                Output::Count => assert!(report.pairs().is_err() && report.degrees().is_err()),
            }
        }
    }
    let config = Config {
        max_pairs: Some(100),
        ..Config::default()
    };
    for (name, mut checker) in backends(&config) {
        let report = checker.check(&boxes).expect("valid boxes");
        assert_eq!(report.colliding_pairs, pairs.len() as u64, "{name}");
        assert!(!report.complete && report.pairs().expect("asked for").len() == 100);
        assert!(
            report
                .pairs()
                .expect("asked for")
                .iter()
                .all(|pair| pairs.contains(pair))
        );
    }
    let bricks = far_scene(Scene::Bricks, 2000, DVec3::ZERO);
    let exact = pairs_of(&reference::contacts64(&bricks), |_| true);
    for precision in [Precision::Fast, Precision::Conservative] {
        let config = Config {
            precision,
            ..Config::default()
        };
        for (name, mut checker) in backends(&config) {
            let report = checker.check(&bricks).expect("valid boxes");
            let found = report.pairs().expect("asked for");
            assert_eq!(report.touching_pairs, None, "{name}");
            assert!(found.len().abs_diff(exact.len()) * 10 < exact.len(), "{name}");
            if precision == Precision::Conservative {
                assert!(exact.iter().all(|pair| found.binary_search(pair).is_ok()), "{name}");
            }
        }
    }
}

#[test]
fn x5_rules_and_two_sets() {
    let mut boxes = far_scene(Scene::Dense, 2000, FAR[1]);
    for (k, obb) in boxes.iter_mut().enumerate() {
        *obb = obb.with_groups(1 << (k % 5), if k % 7 == 0 { 0b1_0101 } else { u32::MAX });
    }
    let owners: Vec<u32> = (0..2000).map(|k| if k % 3 == 0 { NO_OWNER } else { k % 11 }).collect();
    let worlds: Vec<u32> = (0..2000).map(|k| k % 2).collect();
    let statics: Vec<bool> = (0..2000).map(|k| k % 4 == 0).collect();
    let all = pairs_of(&reference::contacts64(&boxes), |_| true);
    let cases = [
        Rules {
            owners: Some(&owners),
            ..Rules::default()
        },
        Rules {
            worlds: Some(&worlds),
            ..Rules::default()
        },
        Rules {
            owners: Some(&owners),
            statics: Some(&statics),
            ..Rules::default()
        },
    ];
    let mut backends = backends(&Config::default());
    for (case, rules) in cases.iter().enumerate() {
        let expected: Vec<Pair> = all.iter().copied().filter(|pair| allowed(rules, *pair)).collect();
        assert!(expected.len() > 100 && expected.len() < all.len());
        for (name, checker) in &mut backends {
            let report = checker.check(Set::from(&boxes).with(*rules)).expect("valid boxes");
            expect_pairs(
                &format!("{case}, {name}"),
                &expected,
                report.pairs().expect("asked for"),
            );
        }
    }
    let (first, second) = boxes.split_at(700);
    let crossing = all.iter().filter(|pair| pair.a < 700 && pair.b >= 700);
    let expected: Vec<Pair> = crossing
        .map(|pair| Pair {
            a: pair.a,
            b: pair.b - 700,
        })
        .collect();
    assert!(expected.len() > 100);
    for (name, checker) in &mut backends {
        let report = checker.check(Query::between(first, second)).expect("valid boxes");
        expect_pairs(name, &expected, report.pairs().expect("asked for"));
    }
}

#[test]
fn bad_boxes() {
    let good = Obb64::axis_aligned(FAR[0], Vec3::ONE);
    let with = |change: fn(&mut Obb64)| {
        let mut obb = good;
        change(&mut obb);
        obb
    };
    let bad = [
        (with(|obb| obb.center.y = f64::NAN), BoxProblem::NotFinite),
        (with(|obb| obb.center.z = f64::INFINITY), BoxProblem::NotFinite),
        (with(|obb| obb.half_extents.z = -1.0), BoxProblem::NegativeExtent),
        (with(|obb| obb.rotation.w = 0.9), BoxProblem::Rotation),
        (with(|obb| obb.center.x = 1.153e18), BoxProblem::TooLarge),
    ];
    for (name, mut checker) in backends(&Config::default()) {
        for (obb, expected) in bad {
            assert_eq!(obb.problem(), Some(expected));
            let mut boxes = [good; 300];
            boxes[177] = obb;
            boxes[200] = obb;
            match checker.check(&boxes) {
                Err(Error::InvalidBox { index, problem, count }) => {
                    assert_eq!((index, problem, count), (177, expected, 2), "{name}");
                }
                other => panic!("{name}: {other:?}"),
            }
        }
        assert!(checker.check(&[good; 3]).is_ok());
    }
}

/// Checks with margins, common and own: against distances of boxes in `f32` nearby, except where
/// `f32` cannot decide.
#[test]
fn margins_far_away() {
    const DOUBT: f64 = 1e-4;
    let boxes = far_scene(Scene::Uniform, 1200, FAR[0]);
    let local = |obb: &Obb64| Obb::new((obb.center - FAR[0]).as_vec3(), obb.half_extents, obb.rotation);
    let nearby: Vec<Obb> = boxes.iter().map(local).collect();
    let own: Vec<f32> = (0..1200).map(|k| (k % 3) as f32 * 0.125).collect();
    let colliding = reference::contacts64(&boxes).len() as u64;
    for (margin, own) in [(0.25, None), (0.125, Some(&own[..]))] {
        let of_pair = |pair: &Pair| {
            let own = |id: u32| own.map_or(0.0, |own| own[id as usize]);
            margin + f64::from(own(pair.a) + own(pair.b))
        };
        let widest = pairs_within(&nearby, 0.75);
        let within = |doubt: f64| {
            widest
                .iter()
                .filter(move |(pair, distance)| *distance <= of_pair(pair) + doubt)
        };
        let (sure, maybe) = (within(-DOUBT).count() as u64, within(DOUBT));
        let exact: Vec<Pair> = maybe
            .map(|(pair, _)| *pair)
            .filter(|pair| boxes[pair.a as usize].distance(&boxes[pair.b as usize]) <= of_pair(pair))
            .collect();
        assert!(
            exact.len() as u64 >= sure && sure > colliding + 100,
            "{} {sure} {colliding}",
            exact.len()
        );
        let config = Config {
            margin,
            ..Config::default()
        };
        let rules = Rules {
            margins: own,
            ..Rules::default()
        };
        for (name, mut checker) in backends(&config) {
            let report = checker.check(Set::from(&boxes).with(rules)).expect("valid boxes");
            expect_pairs(name, &exact, report.pairs().expect("asked for"));
            assert_eq!(report.near_pairs, Some(exact.len() as u64 - colliding), "{name}");
        }
    }
    for (pair, distance) in pairs_within(&nearby, 1.0) {
        let (a, b) = (&boxes[pair.a as usize], &boxes[pair.b as usize]);
        let found = a.closest_points(b);
        assert_eq!((found.distance, found.swapped()), (a.distance(b), b.closest_points(a)));
        assert!(
            (found.distance - distance).abs() < 1e-5,
            "{} {distance}",
            found.distance
        );
        assert!((found.on_a.distance(found.on_b) - found.distance).abs() < 1e-8);
        assert_eq!(found.distance == 0.0, a.contact(b).collides());
    }
}

/// Points whose distance is the margin, or differs from it by a number so small that it is lost in
/// products of lengths.
#[test]
fn margins_of_tiny_lengths() {
    let tiny = f64::from_bits(16);
    for power in [40, 54, 60, 90, 120] {
        let margin = 0.5f64.powi(power);
        let config = Config {
            margin,
            ..Config::default()
        };
        for (name, mut checker) in backends(&config) {
            for (beyond, expected) in [(tiny, 0), (0.0, 1), (-tiny, 1)] {
                let point = |y| Obb64::new(DVec3::new(0.0, y, 0.0), Vec3::ZERO, Quat::IDENTITY);
                let points = [-beyond, margin].map(point);
                let report = checker.check(&points).expect("valid boxes");
                assert_eq!(report.near_pairs, Some(expected), "{name}: 2^-{power}, {beyond:e}");
            }
        }
    }
}
