//! Whole scenes, by every broad phase and on both backends.

use obbligato::contact::Contact;
use obbligato::glam::{DVec2, Vec2};
use obbligato::shape::yaw;
use obbligato::{BroadPhase, Config, Obb, Obb64, Output, Pair, Period, Query, Sphere};
use obbligato_support::split_mix::SplitMix;

use super::{FAMILIES, Family, Random, compare, config, scene};
use crate::in_plane::oracle::{Figure, relation};
use crate::support::gpu::{cpu, gpu};

/// Random figures of all kinds, and all pairs that collide.
fn crowd(family: Family, seed: u64) -> (Vec<Figure>, Vec<(Pair, Contact)>) {
    let mut random = Random(SplitMix(seed));
    let figures: Vec<Figure> = (0..90)
        .map(|k| {
            let mut figure = random.figure(family, k % 3);
            figure.center = figure.center.map(|x| 3.0 * x);
            figure
        })
        .collect();
    let (_, sorted) = scene(&figures);
    let count = sorted.len() as u32;
    let all = (0..count).flat_map(|a| (a + 1..count).map(move |b| Pair { a, b }));
    let related = all.map(|pair| (pair, relation(&sorted[pair.a as usize], &sorted[pair.b as usize])));
    (figures, related.filter(|(_, contact)| contact.collides()).collect())
}

#[test]
fn c4_every_broad_phase_finds_all_pairs() {
    for (seed, family) in (0..).zip(FAMILIES) {
        let (figures, expected) = crowd(family, 300 + seed);
        let (bodies, _) = scene(&figures);
        assert!(expected.len() > 20, "{family:?}: {}", expected.len());
        for &phase in BroadPhase::ALL {
            let query = Query::from(bodies.all()).in_plane();
            let report = cpu(config(phase)).check(query).expect("valid figures");
            compare(&format!("{family:?} {phase}"), &report, &expected);
        }
        for phase in [BroadPhase::Grid, BroadPhase::Lbvh] {
            let query = Query::from(bodies.all()).in_plane();
            let report = gpu(config(phase)).check(query).expect("valid figures");
            compare(&format!("{family:?} {phase} on the GPU"), &report, &expected);
        }
    }
}

/// Totals and visitors count touching pairs as lists do.
#[test]
fn c4_every_output_counts_touching_pairs() {
    let (figures, expected) = crowd(Family::Lines, 7);
    let (bodies, _) = scene(&figures);
    let touching = expected.iter().filter(|(_, contact)| *contact == Contact::Touching);
    let count = touching.count() as u64;
    assert!(count > 10, "{count}");
    for output in [Output::Pairs, Output::Degrees, Output::Count] {
        let config = Config {
            output,
            ..Config::default()
        };
        for mut checker in [cpu(config.clone()), gpu(config)] {
            let report = checker.check(Query::from(bodies.all()).in_plane()).expect("valid");
            assert_eq!(report.touching_pairs, Some(count), "{output:?}");
            assert_eq!(report.colliding_pairs, expected.len() as u64, "{output:?}");
        }
    }
    let visit = |_: &[Pair]| {};
    let visited = Query::from(bodies.all()).visit(&visit).in_plane();
    let report = cpu(Config::default()).check(visited).expect("valid");
    assert_eq!(report.touching_pairs, Some(count));
}

/// Two sets, boxes with centers in `f64`, and space that repeats.
#[test]
fn c4_sets_far_centers_and_periods() {
    let line = Obb::in_plane(Vec2::ZERO, Vec2::new(3.0, 0.0), yaw(0.7));
    let square = Obb::in_plane(Vec2::new(0.5, 0.0), Vec2::ONE, yaw(0.0));
    let ball = [Sphere::new(Vec2::new(9.75, 0.0).extend(0.0), 0.5)];
    let mut checker = cpu(config(BroadPhase::Auto));
    let (lines, squares) = ([line], [square, square]);
    let between = Query::between(&lines, &squares).in_plane();
    let report = checker.check(between).expect("valid");
    assert_eq!(
        report.touching().expect("listed"),
        [Pair { a: 0, b: 0 }, Pair { a: 0, b: 1 }]
    );
    let far = [line, square].map(|obb| {
        let center = obb.center.truncate().as_dvec2() + DVec2::new(4e6, 5e6);
        Obb64::in_plane(center, obb.half_extents.truncate(), obb.rotation)
    });
    let report = checker.check(Query::from(&far).in_plane()).expect("valid");
    assert_eq!((report.colliding_pairs, report.touching_pairs), (1, Some(1)));
    let period = Period::new([Some(10.0), None, None]);
    let bodies = obbligato::Bodies {
        boxes: &[square],
        spheres: &ball,
        ..Default::default()
    };
    let report = checker
        .check(Query::from(bodies).periodic(period).in_plane())
        .expect("valid");
    assert_eq!(
        (report.pairs().expect("listed"), report.touching_pairs),
        (&[Pair::new(0, 1)][..], Some(0))
    );
}
