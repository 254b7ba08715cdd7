//! Scenes of many spheres alone, which the CPU sorts and compares as spheres: tested against the
//! pairs by their exact contacts, and against the path for bodies of several kinds, which compares
//! bounds.

use obbligato::glam::Vec3;
use obbligato::{Backend, Bodies, Checker, Config, Obb, Output, Pair, Precision, Query, Report, Rules, Set, Sphere};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::scenes::BodyScene;

use crate::bodies::pairs_of;

/// Spheres anywhere in a cube of this size, with radii from `least` to 1, distributed evenly by
/// their logarithms.
fn anywhere(seed: u64, count: usize, size: f64, least: f64) -> Vec<Sphere> {
    let mut random = SplitMix(seed);
    let ball = |_| {
        let center = [0; 3].map(|_| (random.unit() * size) as f32);
        Sphere::new(center.into(), least.powf(random.unit()) as f32)
    };
    (0..count).map(ball).collect()
}

fn scenes() -> Vec<(&'static str, Vec<Sphere>)> {
    let at = |balls: Vec<Sphere>, offset: Vec3| -> Vec<Sphere> {
        let moved = |ball: &Sphere| Sphere::new(ball.center + offset, ball.radius);
        balls.iter().map(moved).collect()
    };
    let doubled = |ball: &Sphere| Sphere::new(2.0 * ball.center, 2.0 * ball.radius);
    let lattice = BodyScene::Lattice.bodies(1500, 3).spheres;
    let mut coincident = anywhere(5, 300, 20.0, 0.5);
    coincident.extend_from_within(..);
    coincident.extend(vec![Sphere::new(Vec3::ONE, 0.0); 40]);
    // The two spheres touch, and f32 cannot represent the squares.
    let triple = |k: u32| {
        let (low, k) = (Vec3::Z * (65536 * k) as f32, (997 + 41 * k) as f32);
        [low, low + Vec3::new(3.0 * k, 4.0 * k, 0.0)].map(|center| Sphere::new(center, 2.5 * k))
    };
    let triples: Vec<Sphere> = (0..100).flat_map(triple).collect();
    // In each pair, the second sphere lies just across a face of a cell, and along another axis
    // almost as far back as a walk of the first must begin. Cells are twice as large as spheres
    // here and begin at the first sphere.
    let mut axial = vec![Sphere::new(Vec3::ZERO, 0.5)];
    for place in 0..216 {
        let base = 8.000_16 * Vec3::from([1, 6, 36].map(|part| (1 + place / part % 6) as f32));
        let [back, across] = [[Vec3::X, Vec3::Y], [Vec3::X, Vec3::Z], [Vec3::Y, Vec3::Z]][place % 3];
        let first = base + 0.985 * back - 0.01 * across;
        let second = first - 0.999 * back + 0.02 * across;
        axial.extend([first, second].map(|center| Sphere::new(center, 0.5)));
    }
    let mut about_zero = at(anywhere(7, 200, 8e-4, 1e-4), Vec3::ZERO);
    about_zero.iter_mut().for_each(|ball| ball.radius *= 1e-4);
    about_zero.extend(anywhere(8, 200, 2e4, 0.5));
    vec![
        ("spread", anywhere(1, 1500, 26.0, 0.5)),
        ("crowded", anywhere(2, 700, 5.0, 0.5)),
        ("mixed sizes", anywhere(3, 1500, 9.0, 1e-3)),
        ("far", at(anywhere(4, 1000, 24.0, 0.5), Vec3::new(1e6, -3e6, 2e5))),
        (
            "flat",
            anywhere(6, 1000, 24.0, 0.5)
                .iter()
                .map(|ball| Sphere::new(ball.center * Vec3::new(1.0, 1.0, 0.0), ball.radius))
                .collect(),
        ),
        ("lattice", lattice.clone()),
        ("lattice, twice as large", lattice.iter().map(doubled).collect()),
        ("triples", triples),
        ("as far as possible", axial),
        ("coincident", coincident),
        ("about zero", about_zero),
    ]
}

fn checked<'a>(config: &Config, query: impl Into<Query<'a>>) -> Report {
    let mut checker = Checker::new(Config {
        backend: Backend::Cpu,
        ..config.clone()
    })
    .expect("a checker");
    checker.check(query).expect("valid balls")
}

/// The touching pairs in order, of bodies that are numbered from `first` on.
fn touching(report: &Report, first: u32) -> Vec<Pair> {
    let pairs = report.touching().expect("touching pairs").iter();
    let mut pairs: Vec<Pair> = pairs.map(|pair| Pair::new(pair.a + first, pair.b + first)).collect();
    pairs.sort();
    pairs
}

/// A box that meets nothing. It turns a scene of spheres into one of several kinds.
const BOX: Obb = Obb::axis_aligned(Vec3::splat(-1e5), Vec3::ONE);

/// The corresponding pairs in a scene with one box before the spheres.
fn behind_box(pairs: &[Pair]) -> Vec<Pair> {
    pairs.iter().map(|pair| Pair::new(pair.a + 1, pair.b + 1)).collect()
}

#[test]
fn pairs_of_balls_match_their_contacts() {
    for (name, balls) in scenes() {
        for margin in [0.0, 0.25] {
            let expected = pairs_of((&balls).into(), margin);
            let config = Config {
                margin,
                list_touching: true,
                ..Config::default()
            };
            let report = checked(&config, &balls);
            assert_eq!(report.pairs().expect("pairs"), expected, "{name}, margin {margin}");
            assert!(!expected.is_empty(), "{name}");
            let bodies = Bodies {
                boxes: &[BOX],
                spheres: &balls,
                ..Bodies::default()
            };
            let by_bounds = checked(&config, bodies);
            assert_eq!(
                behind_box(&expected),
                by_bounds.pairs().expect("pairs"),
                "{name}, margin {margin}"
            );
            assert_eq!(
                (report.touching_pairs, report.near_pairs, touching(&report, 1)),
                (by_bounds.touching_pairs, by_bounds.near_pairs, touching(&by_bounds, 0)),
                "{name}, margin {margin}"
            );
        }
    }
}

#[test]
fn balls_are_counted_in_every_output() {
    for (name, balls) in scenes() {
        let config = |output| Config {
            output,
            count_operations: true,
            ..Config::default()
        };
        let expected = pairs_of((&balls).into(), 0.0);
        let total = expected.len() as u64;
        let count = checked(&config(Output::Count), &balls);
        assert_eq!(count.colliding_pairs, total, "{name}");
        assert!(
            count.candidate_pairs >= total - count.touching_pairs.unwrap_or(0),
            "{name}"
        );
        let operations = count.operations.expect("counted");
        assert!(
            operations.comparisons >= total && operations.rows > 0,
            "{name}, {operations:?}"
        );
        let mut degrees = vec![0; balls.len()];
        for pair in &expected {
            degrees[pair.a as usize] += 1;
            degrees[pair.b as usize] += 1;
        }
        assert_eq!(
            checked(&config(Output::Degrees), &balls).degrees().expect("degrees"),
            degrees,
            "{name}"
        );
        let some = checked(
            &Config {
                max_pairs: Some(7),
                ..Config::default()
            },
            &balls,
        );
        assert_eq!((some.colliding_pairs, some.complete), (total, total <= 7), "{name}");
        let bold = checked(
            &Config {
                precision: Precision::Conservative,
                ..Config::default()
            },
            &balls,
        );
        let bold = bold.pairs().expect("pairs");
        assert!(expected.iter().all(|pair| bold.binary_search(pair).is_ok()), "{name}");
    }
}

#[test]
fn rules_apply_to_balls_and_two_sets_meet() {
    for (name, balls) in scenes() {
        let count = balls.len();
        let all = pairs_of((&balls).into(), 0.0);
        let worlds: Vec<u32> = (0..count as u32).map(|id| id % 3).collect();
        let rules = Rules {
            worlds: Some(&worlds),
            ..Rules::default()
        };
        let report = checked(&Config::default(), Set::from(&balls).with(rules));
        let expected: Vec<Pair> = all.iter().copied().filter(|pair| pair.a % 3 == pair.b % 3).collect();
        assert_eq!(report.pairs().expect("pairs"), expected, "{name}, worlds");

        let margins: Vec<f32> = (0..count).map(|id| (id % 4) as f32 / 16.0).collect();
        let rules = Rules {
            margins: Some(&margins),
            ..Rules::default()
        };
        let config = Config {
            margin: 0.125,
            ..Config::default()
        };
        let report = checked(&config, Set::from(&balls).with(rules));
        let within = |pair: &Pair| {
            let own = |id: u32| margins[id as usize];
            let both = [&balls[pair.a as usize], &balls[pair.b as usize]].map(|ball| vec![*ball]);
            let bodies = both.concat();
            !pairs_of((&bodies).into(), 0.125 + f64::from(own(pair.a) + own(pair.b))).is_empty()
        };
        let near = pairs_of((&balls).into(), 0.5);
        let expected: Vec<Pair> = near.into_iter().filter(within).collect();
        assert_eq!(report.pairs().expect("pairs"), expected, "{name}, margins");

        let half = count as u32 / 2;
        let (first, second) = balls.split_at(half as usize);
        let report = checked(&Config::default(), Query::between(first, second));
        let expected = all.iter().filter(|pair| pair.a < half && pair.b >= half);
        let expected: Vec<Pair> = expected
            .map(|pair| Pair {
                a: pair.a,
                b: pair.b - half,
            })
            .collect();
        assert_eq!(report.pairs().expect("pairs"), expected, "{name}, two sets");
    }
}
