//! Solids within a margin of each other.

use obbligato::glam::Vec3;
use obbligato::query::SolidQuery;
use obbligato::{Backend, Checker, Config, contact::Contact, shape::Solid};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference::{rational::Rational, solids_distance_square};

use crate::solids::{KINDS, Maker, Points};
use crate::solids_apart::solid;

/// Returns `true` if a check finds two solids that are apart within a margin.
fn near(a: &Solid, b: &Solid, margin: f64) -> bool {
    let config = Config {
        backend: Backend::Cpu,
        margin,
        ..Config::default()
    };
    let mut checker = Checker::new(config).expect("the CPU");
    let report = checker
        .check(SolidQuery::new(&[a.clone(), b.clone()]))
        .expect("valid solids");
    assert_eq!(report.near_pairs, Some(report.colliding_pairs));
    report.colliding_pairs == 1
}

#[test]
fn a_gap_of_the_margin_is_within_it() {
    let cube = |center: Vec3| {
        let corner = |k: u32| center + Vec3::from([0, 1, 2].map(|axis| (k >> axis & 1) as f32 - 0.5));
        solid(&(0..8).map(corner).collect::<Points>())
    };
    // A cube of whole numbers with any rotation, with edges of length 3, and one next to it.
    let turned_cube = |by: Vec3| {
        let [u, v, w] = [
            Vec3::new(2.0, -2.0, 1.0),
            Vec3::new(2.0, 1.0, -2.0),
            Vec3::new(1.0, 2.0, 2.0),
        ];
        let corner = |k: u32| by + (k & 1) as f32 * u + (k >> 1 & 1) as f32 * v + (k >> 2) as f32 * w;
        solid(&(0..8).map(corner).collect::<Points>())
    };
    let way = Vec3::new(1.0, 2.0, 2.0);
    for (what, a, b, gap) in [
        ("faces", cube(Vec3::ZERO), cube(Vec3::new(1.75, 0.25, 0.0)), 0.75),
        ("edges", cube(Vec3::ZERO), cube(Vec3::new(1.375, 1.5, 0.5)), 0.625),
        ("corners", cube(Vec3::ZERO), cube(Vec3::new(1.25, 1.5, 1.5)), 0.75),
        (
            "far away",
            cube(Vec3::splat(4096.0)),
            cube(Vec3::new(4097.5, 4096.0, 4096.0)),
            0.5,
        ),
        (
            "turned faces",
            turned_cube(Vec3::ZERO),
            turned_cube(1.0625 * way),
            0.1875,
        ),
        (
            "turned and aside",
            turned_cube(Vec3::ZERO),
            turned_cube(1.25 * way + Vec3::new(1.0, -1.0, 0.5)),
            0.75,
        ),
    ] {
        assert!(near(&a, &b, gap), "{what}: the gap itself");
        assert!(near(&a, &b, gap.next_up()), "{what}: more than the gap");
        assert!(!near(&a, &b, gap.next_down()), "{what}: less than the gap");
    }
}

#[test]
fn margins_next_to_the_distance_are_decided_as_by_fractions() {
    let mut apart = 0;
    let mut decided = [0; 2];
    for kind in &KINDS {
        let mut random = Maker(SplitMix(11));
        for pair in 0..60 {
            let [a, b] = (kind.make)(&mut random);
            let (first, second) = (solid(&a), solid(&b));
            if first.contact(&second) != Contact::Separated {
                continue;
            }
            apart += 1;
            let square = solids_distance_square(&a, &b).expect("solids that are apart");
            let distance = square.root();
            let margins = [
                distance.next_down(),
                distance,
                distance.next_up(),
                distance * (1.0 + 1e-12),
            ];
            for margin in margins.into_iter().filter(|&margin| margin > 0.0) {
                let expected = square <= Rational::from(margin).square();
                let found = near(&first, &second, margin);
                assert_eq!(
                    found, expected,
                    "{}, pair {pair}: {a:?} and {b:?}, margin {margin:e}",
                    kind.name
                );
                decided[usize::from(found)] += 1;
            }
        }
    }
    assert!(
        apart > 100 && decided.iter().all(|&count| count > 100),
        "{apart} pairs, {decided:?}"
    );
}
