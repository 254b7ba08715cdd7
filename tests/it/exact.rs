//! The exact stage against an independent oracle, on pairs constructed to be hard.

mod by_hand;

use std::time::{SystemTime, UNIX_EPOCH};

use obbligato::glam::{Quat, Vec3};
use obbligato::unstable::exact::{Tally, classify, classify_all, classify_each_way, retain_colliding};
use obbligato::unstable::separating_axes::{Bounds, Decision, classify_within};
use obbligato::{Obb, Pair, contact::Contact};
use obbligato_verify::adversarial::{self, FAMILIES, Family};

/// Every run tests other pairs. The seed is printed, and a failing pair is printed with it.
fn fresh_seed() -> u64 {
    let seed = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(1, |time| time.as_nanos() as u64);
    println!("seed {seed}");
    seed
}

/// Checks that every family produces the contacts that it is named for: a test of near contacts
/// proves nothing if there are none.
#[test]
fn every_family_produces_its_contacts() {
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

/// The number of wrong answers of f64 with other constants, out of `pairs`.
fn f64_errors(bounds: Bounds, pairs: u64) -> usize {
    let wrong = |index: &u64| {
        let (a, b) = adversarial::pair(*index, 1);
        matches!(classify_within(&a, &b, bounds), Decision::Decided(contact) if contact != classify(&a, &b))
    };
    (0..pairs).filter(wrong).count()
}

/// Both constants are needed, and the pairs detect it when one is missing.
#[test]
fn a_fault_in_the_bounds_is_detected() {
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

#[test]
fn batches_agree_with_single_pairs() {
    let boxes: Vec<Obb> = (0..3_001)
        .flat_map(|index| <[Obb; 2]>::from(adversarial::pair(index, 2)))
        .collect();
    let mut pairs: Vec<Pair> = (0..3_001).map(|i| Pair::new(2 * i, 2 * i + 1)).collect();
    let (contacts, tally) = classify_all(&boxes, &pairs);
    let expected: Vec<Contact> = pairs
        .iter()
        .map(|p| classify(&boxes[p.a as usize], &boxes[p.b as usize]))
        .collect();
    assert_eq!(contacts, expected);
    assert_eq!(tally.aligned + tally.f64 + tally.wide, 3_001);
    assert!(
        tally.aligned > 200 && tally.f64 > 1_000 && tally.wide > 200,
        "{tally:?}"
    );
    let colliding: Vec<Pair> = pairs
        .iter()
        .zip(&expected)
        .filter(|(_, c)| c.collides())
        .map(|(&p, _)| p)
        .collect();
    assert_eq!(retain_colliding(&boxes, &mut pairs), tally);
    assert_eq!(pairs, colliding);
    assert_eq!(classify_all(&boxes, &[]), (Vec::new(), Tally::default()));
}

/// There is an answer for all numbers.
#[test]
fn invalid_boxes_do_no_harm() {
    let numbers = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        -1.0,
        0.0,
        f32::from_bits(1),
        1.0,
    ];
    for (i, &x) in numbers.iter().enumerate() {
        for &y in &numbers {
            let z = numbers[(i + 3) % numbers.len()];
            let a = Obb::new(Vec3::new(x, y, z), Vec3::new(z, x, y), Quat::from_xyzw(x, y, z, y));
            let b = Obb::new(Vec3::new(y, z, 1.0), Vec3::new(y, y, x), Quat::from_xyzw(y, x, 1.0, z));
            let _ = (
                classify_each_way(&a, &b),
                classify(&a, &b),
                classify_each_way(&a, &a),
                classify(&b, &a),
            );
        }
    }
}
