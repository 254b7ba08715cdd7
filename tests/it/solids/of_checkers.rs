//! The pairs of many solids that checkers find, and another library.

use obbligato::glam::Vec3;
use obbligato::query::SolidQuery;
use obbligato::{Backend, Checker, Config, Error, Output, Pair, contact::Contact, shape::Solid};
use obbligato_support::split_mix::SplitMix;

use crate::solids::{Maker, corners, moved, solid};

/// Hulls of random points in a cloud.
fn cloud(count: usize, seed: u64) -> Vec<Solid> {
    let mut random = Maker(SplitMix(seed));
    let made = (0..count).map(|_| {
        let by = 8.0 * random.any();
        solid(&moved(&random.many(1, 20, Maker::any), by))
    });
    made.collect()
}

#[test]
fn s2_checkers_find_the_pairs_of_many_solids() {
    let mut solids = cloud(2_000, 11);
    // Boxes that touch, and two equal ones.
    solids.extend((0..4).map(|k| solid(&corners(Vec3::new(k as f32, 20.0, 0.0), Vec3::splat(0.5)))));
    solids.push(solids[0].clone());
    let mut expected = Vec::new();
    let mut touching = Vec::new();
    for a in 0..solids.len() {
        for b in a + 1..solids.len() {
            let contact = solids[a].contact(&solids[b]);
            let pair = Pair::new(a as u32, b as u32);
            expected.extend(contact.collides().then_some(pair));
            touching.extend((contact == Contact::Touching).then_some(pair));
        }
    }
    assert!(
        expected.len() > 1_000 && touching.len() >= 3,
        "{} {}",
        expected.len(),
        touching.len()
    );
    for backend in [Backend::Cpu, Backend::Gpu] {
        let config = Config {
            backend,
            list_touching: true,
            ..Config::default()
        };
        let mut checker = Checker::new(config).expect("a checker");
        let report = checker.check(SolidQuery::new(&solids)).expect("an answer");
        assert_eq!(report.pairs().expect("pairs"), expected);
        assert_eq!(report.touching().expect("touching pairs"), touching);
        assert_eq!(
            (report.boxes, report.touching_pairs),
            (solids.len(), Some(touching.len() as u64))
        );
        assert!(report.candidate_pairs >= report.colliding_pairs);
    }
    expect_refused(&solids);
}

/// Asserts that outputs other than all pairs are refused, and that no solids have no pairs.
fn expect_refused(solids: &[Solid]) {
    let refused =
        |config: Config| Checker::new(config).and_then(|mut checker| checker.check(SolidQuery::new(solids)).map(drop));
    let config = || Config {
        backend: Backend::Cpu,
        ..Config::default()
    };
    for config in [
        Config {
            output: Output::Count,
            ..config()
        },
        Config {
            max_pairs: Some(3),
            ..config()
        },
    ] {
        assert!(matches!(refused(config), Err(Error::Unavailable { .. })));
    }
    let mut checker = Checker::new(config()).expect("a checker");
    assert_eq!(
        checker
            .check(SolidQuery::new(&[]))
            .expect("an answer")
            .pairs()
            .expect("pairs"),
        []
    );
}

#[test]
fn another_library_agrees_on_clear_cases() {
    use parry3d::math::{Pose, Vector};
    use parry3d::shape::ConvexPolyhedron;
    let mut random = Maker(SplitMix(13));
    let mut counts = [0; 2];
    for _ in 0..3_000 {
        let by = 1.5 * random.any();
        let first = random.many(8, 24, Maker::any);
        let second = moved(&random.many(8, 24, Maker::any), by);
        let [a, b] = [&first, &second].map(|points| {
            let points: Vec<Vector> = points.iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
            ConvexPolyhedron::from_convex_hull(&points).expect("points that span space")
        });
        let pose = Pose::IDENTITY;
        let contact = parry3d::query::contact(&pose, &a, &pose, &b, 10.0).expect("shapes it knows");
        let Some(contact) = contact else { continue };
        if contact.dist.abs() < 1e-3 {
            continue;
        }
        let collides = solid(&first).contact(&solid(&second)).collides();
        assert_eq!(collides, contact.dist < 0.0, "{first:?} {second:?}");
        counts[usize::from(collides)] += 1;
    }
    assert!(counts.iter().all(|&count| count > 500), "{counts:?}");
}
