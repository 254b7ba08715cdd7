//! The exact stage against an independent oracle, on pairs made to be hard.

#[path = "support/oracle.rs"]
mod oracle;

use std::time::{SystemTime, UNIX_EPOCH};

use obbligato::adversarial::{self, FAMILIES, Family};
use obbligato::glam::{Quat, Vec3};
use obbligato::narrow_phase::exact::{Tally, classify, classify_all, classify_each_way, retain_colliding};
use obbligato::narrow_phase::obb_sat_f64::{Bounds, Decision, classify_within};
use obbligato::{Contact, Obb, Pair};
use rayon::prelude::*;

/// About as many as the oracle judges in half a minute on two cores.
const PAIRS: u64 = 200_000;

/// Every run tries other pairs; the seed is printed, and a failing pair is printed with it.
fn fresh_seed() -> u64 {
    let seed = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(1, |time| time.as_nanos() as u64);
    println!("seed {seed}");
    seed
}

#[test]
fn every_way_of_deciding_is_right() {
    let seed = fresh_seed();
    (0..PAIRS).into_par_iter().for_each(|index| {
        let (a, b) = adversarial::pair(index, seed);
        let truth = oracle::contact(&a, &b);
        let case = || {
            format!(
                "pair {index} of seed {seed}, {:?}: {a:?} {b:?}",
                adversarial::family(index)
            )
        };
        let ways = classify_each_way(&a, &b);
        assert_eq!(ways.general, truth, "all axes, {}", case());
        assert!(
            ways.aligned.is_none_or(|contact| contact == truth),
            "aligned, {ways:?}, {}",
            case()
        );
        assert!(
            ways.parallel.is_none_or(|contact| contact == truth),
            "parallel, {ways:?}, {}",
            case()
        );
        if let Decision::Decided(contact) = ways.f64 {
            assert_eq!(contact, truth, "f64, {}", case());
        }
        assert_eq!(classify(&a, &b), truth, "{}", case());
        assert_eq!(b.contact(&a), truth, "swapped, {}", case());
    });
}

/// A test of near contacts proves nothing if there are none: every family must bring forth what it is named for.
#[test]
fn the_pairs_are_hard() {
    let seed = fresh_seed();
    for (number, family) in FAMILIES.into_iter().enumerate() {
        let mut counts = [0; 3];
        let mut undecided = 0;
        for round in 0..2_000 {
            let (a, b) = adversarial::pair(round * FAMILIES.len() as u64 + number as u64, seed);
            assert_eq!(a.problem().or(b.problem()), None, "{a:?} {b:?}");
            counts[classify(&a, &b) as usize] += 1;
            undecided += usize::from(matches!(classify_each_way(&a, &b).f64, Decision::Unclear(_)));
        }
        println!("{family:?}: {counts:?} separated, touching, overlapping; {undecided} undecided by f64");
        let [separated, touching, overlapping] = counts;
        match family {
            Family::Coincident | Family::Contained => assert!(overlapping > 500),
            Family::ZeroExtents => assert!(separated > 100 && touching > 100),
            Family::ExactContact | Family::Aligned | Family::Bricks => assert!(touching > 100 && overlapping > 20),
            _ => assert!(separated > 100 && overlapping > 100),
        }
    }
}

/// What f64 answers wrongly with other constants, out of `pairs`.
fn f64_errors(bounds: Bounds, pairs: u64) -> usize {
    let wrong = |index: &u64| {
        let (a, b) = adversarial::pair(*index, 1);
        matches!(classify_within(&a, &b, bounds), Decision::Decided(contact) if contact != classify(&a, &b))
    };
    (0..pairs).into_par_iter().filter(wrong).count()
}

/// Both constants are needed, and the pairs notice when one is missing.
#[test]
fn a_fault_in_the_bounds_is_noticed() {
    let proved = Bounds::PROVED;
    assert_eq!(f64_errors(proved, 200_000), 0);
    assert!(
        f64_errors(
            Bounds {
                error_factor: 0.0,
                ..proved
            },
            200_000
        ) > 100
    );
    assert!(f64_errors(Bounds { kappa: 0.0, ..proved }, 200_000) > 100);
}
