//! Recorded sweeps, which miss nothing.

use obbligato::query::Sweep;
use obbligato::{
    Bodies, Config, Error, Pair, Rules,
    motion::{Motion, MovingSet, Step},
};
use obbligato::{
    GpuChecker,
    gpu::{EarliestImpact, ImpactRecord, Outcome, RulesOf, SweepQuery},
};

use crate::support::gpu::{cpu, gpu_checker};
use crate::sweeping::{ANY, BENDS, STRAIGHT, TURNS, expect, scene};

/// The results of a recorded sweep.
struct Left {
    outcome: Outcome,
    impacts: Vec<ImpactRecord>,
    earliest: Vec<EarliestImpact>,
}

fn record(checker: &mut GpuChecker, set: &MovingSet, dt: f32) -> Left {
    let count = set.bodies.boxes.len() as u32;
    let boxes = checker.upload(set.bodies.boxes).expect("memory");
    let motions = checker.upload(set.motions).expect("memory");
    let rules = checker.upload_rules(RulesOf::boxes(&set.rules, count)).expect("rules");
    let mut encoder = checker.device().create_command_encoder(&Default::default());
    let query = SweepQuery::new(&boxes, &motions, count, dt).with(&rules);
    let recorded = checker.record(&mut encoder, query).expect("a recorded sweep");
    checker.queue().submit([encoder.finish()]);
    let outcome: Outcome = checker.read(&recorded.outcome, 1).expect("an outcome")[0];
    Left {
        impacts: checker.read(&recorded.impacts, outcome.pairs).expect("impacts"),
        earliest: checker.read(&recorded.earliest, count).expect("the earliest"),
        outcome,
    }
}

/// Every impact that the host finds is listed, at a time that is not later; and the earliest of
/// each box is one of the impacts.
#[test]
fn recorded_sweeps_miss_nothing() {
    let mut checker = gpu_checker(Config::default());
    for (count, kind, dt) in [
        (1, STRAIGHT, 1.0f32),
        (700, STRAIGHT, 0.7),
        (300, STRAIGHT | TURNS, 1.0),
        (400, STRAIGHT | BENDS, 0.3),
        (400, ANY, 1.0),
        (300, STRAIGHT, 0.0),
    ] {
        let (boxes, motions) = scene(count, kind, 20 + u64::from(kind));
        let owners: Vec<u32> = (0..count as u32).map(|k| k / 3).collect();
        let rules = Rules {
            owners: Some(&owners),
            ..Rules::default()
        };
        let set = MovingSet::new(&boxes, &motions).with(rules);
        let step = Step::new(dt.into());
        let expected = cpu(Config::default())
            .check(Sweep::new(set, &step))
            .expect("valid motions");
        let left = record(&mut checker, &set, dt);
        let what = format!("{count} boxes, {kind}, {dt} s");
        assert_eq!((left.outcome.fits, left.outcome.suspects), (1, 0), "{what}");
        let mut found = left.impacts.clone();
        found.sort_by_key(|impact| (impact.a, impact.b));
        let straight = kind == STRAIGHT;
        // Hardly more pairs are listed than meet.
        assert!(
            !straight || found.len() <= expected.impacts.len() + 2,
            "{what}: {} listed",
            found.len()
        );
        let mut early = 0.0;
        for impact in &expected.impacts {
            let Pair { a, b } = impact.pair;
            let place = found.binary_search_by_key(&(a, b), |impact| (impact.a, impact.b));
            let own = found[place.unwrap_or_else(|_| panic!("{what}: {a} and {b} are missing"))];
            let (time, exact) = (f64::from(own.time) * step.dt, impact.first.time);
            assert!(time <= exact, "{what}: {a} and {b} meet at {exact}, not {time}");
            assert!(
                !straight || exact - time < 0.05,
                "{what}: {a} and {b} meet at {exact}, not {time}"
            );
            early += exact - time;
            let curved = [a, b].iter().any(|&k| !motions[k as usize].is_straight());
            assert_eq!(own.flags, u32::from(curved), "{what}");
        }
        let count = expected.impacts.len() as f64;
        assert!(!straight || early <= 1e-3 * count, "{what}: {early} s early");
        expect_earliest(&left.earliest, &found, &what);
    }
}

/// Asserts that the earliest impact of each body is the first of its impacts.
pub fn expect_earliest(earliest: &[EarliestImpact], impacts: &[ImpactRecord], what: &str) {
    for (id, own) in earliest.iter().enumerate() {
        let of_body = |impact: &&ImpactRecord| [impact.a, impact.b].contains(&(id as u32));
        let first = impacts.iter().filter(of_body).map(|impact| {
            let partner = if impact.a == id as u32 { impact.b } else { impact.a };
            (impact.time, partner)
        });
        let first = first.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let expected = first.unwrap_or((EarliestImpact::NEVER, u32::MAX));
        assert_eq!((own.time, own.partner), expected, "{what}: body {id}");
    }
}

#[test]
fn recorded_sweeps_report_invalid_input() {
    let mut checker = gpu_checker(Config::default());
    let (boxes, motions) = scene(40, ANY, 30);
    let faults: [fn(&mut Motion); 7] = [
        |motion| motion.velocity.x = f32::NAN,
        |motion| motion.acceleration.z = f32::INFINITY,
        |motion| motion.uncertainty = -1.0,
        |motion| motion.velocity.y = 1e20,
        |motion| motion.angular_velocity.y = 1e10,
        |motion| motion.acceleration.y = -1e25,
        |motion| motion.uncertainty = f32::NAN,
    ];
    for fault in faults {
        let mut bad = motions.clone();
        fault(&mut bad[17]);
        let left = record(&mut checker, &MovingSet::new(&boxes, &bad), 1.0);
        assert_eq!((left.outcome.suspects, left.outcome.fits), (1, 0), "{:?}", bad[17]);
    }
    let mut turned = boxes.clone();
    turned[3].rotation.w += 0.5;
    let left = record(&mut checker, &MovingSet::new(&turned, &motions), 1.0);
    assert_eq!((left.outcome.suspects, left.outcome.fits), (1, 0));
    let none = record(&mut checker, &MovingSet::new(Bodies::default(), &[]), 1.0);
    assert_eq!((none.outcome.pairs, none.outcome.fits), (0, 1));

    let buffer = checker.upload(&boxes).expect("memory");
    let short = checker.upload(&motions[..39]).expect("memory");
    let mut encoder = checker.device().create_command_encoder(&Default::default());
    let error = checker.record(&mut encoder, SweepQuery::new(&buffer, &short, 40, 1.0));
    assert!(matches!(error, Err(Error::InvalidBuffer { .. })));
    let error = checker.record(&mut encoder, SweepQuery::new(&buffer, &short, 39, f32::NAN));
    assert!(matches!(error, Err(Error::InvalidStep { .. })));
}

/// A checker on the caller's device that also sweeps for the host.
#[test]
fn checkers_of_a_device_sweep_too() {
    let (boxes, motions) = scene(300, ANY, 31);
    let set = MovingSet::new(&boxes, &motions);
    let mut checker = gpu_checker(Config::default());
    let before = record(&mut checker, &set, 1.0);
    let found = checker
        .checker()
        .check(Sweep::new(set, &Step::new(1.0)))
        .expect("valid motions");
    let expected = cpu(Config::default())
        .check(Sweep::new(set, &Step::new(1.0)))
        .expect("valid motions");
    expect("the device", &expected.impacts, &found);
    let after = record(&mut checker, &set, 1.0);
    assert_eq!(before.earliest, after.earliest);
}
