//! The broad phase alone: the caller's bounds, compared unchanged, against all pairs.

use obbligato::Query;
use obbligato::glam::Vec3;
use obbligato::{
    Checker, Config, Error, GpuConfig, Obb, Output, Pair, Report,
    error::BoxProblem,
    shape::{Aabb, COORDINATE_LIMIT},
};
use obbligato_verify::compare::difference;
use obbligato_verify::reference::overlapping_bounds;

use crate::support::cases::{self, Numbers};
use crate::support::gpu::{OUTPUTS, cpu, cpu_pairs, expect_pairs, gpu};

/// The smallest positive number.
const TINY: f32 = f32::from_bits(1);

fn check(checker: &mut Checker, what: &str, bounds: &[Aabb]) -> Report {
    checker
        .check(Query::from(bounds))
        .unwrap_or_else(|error| panic!("{what}: {error}"))
}

/// The backends, one of them in parts.
fn backends(config: &Config) -> Vec<(&'static str, Checker)> {
    let parts = GpuConfig {
        max_buffer_bytes: Some(1 << 15),
        initial_candidates: 1,
        initial_pairs: 1,
        ..GpuConfig::default()
    };
    vec![
        ("the CPU", cpu(config.clone())),
        ("the GPU", gpu(config.clone())),
        (
            "the GPU in parts",
            gpu(Config {
                gpu: parts,
                ..config.clone()
            }),
        ),
    ]
}

/// Returns `true` for a scene that may not fit into 32 KiB: too many bounds at one place.
fn is_dense(name: &str) -> bool {
    name.contains("coincident") || name.contains("huge") || name.contains("limit") || name.contains("octaves")
}

/// Checks scenes one after the other with one checker for each backend.
fn expect_all(cases: impl IntoIterator<Item = (String, Vec<Aabb>)>) {
    let mut backends = backends(&Config::default());
    for (what, bounds) in cases {
        let expected = overlapping_bounds(&bounds);
        for (backend, checker) in &mut backends {
            if *backend == "the GPU in parts" && is_dense(&what) {
                continue;
            }
            let what = format!("{what}, {backend}");
            let report = check(checker, &what, &bounds);
            if *backend == "the CPU" {
                expect_pairs(&what, &expected, report.pairs().expect("asked for"));
            } else {
                expect_flushed(&what, &bounds, &expected, report.pairs().expect("asked for"));
            }
            assert_eq!(report.boxes, bounds.len(), "{what}");
            assert_eq!(
                report.colliding_pairs,
                report.pairs().expect("asked for").len() as u64,
                "{what}"
            );
            assert!(report.candidate_pairs >= report.colliding_pairs, "{what}");
            assert_eq!(report.touching_pairs, None, "{what}");
            assert_eq!((report.undecided_pairs, report.complete), (0, true), "{what}");
        }
    }
}

/// A GPU may flush subnormal numbers to zero: it may list pairs with gaps that small, and misses
/// none.
#[track_caller]
fn expect_flushed(what: &str, bounds: &[Aabb], expected: &[Pair], found: &[Pair]) {
    assert!(found.windows(2).all(|two| two[0] < two[1]), "{what}: sorted, each once");
    let difference = difference(expected, found);
    assert!(
        difference.missing.is_empty(),
        "{what}: {:?} are missing",
        difference.missing
    );
    for pair in difference.extra {
        let (a, b) = (&bounds[pair.a as usize], &bounds[pair.b as usize]);
        let gap = (a.min.as_dvec3() - b.max.as_dvec3()).max(b.min.as_dvec3() - a.max.as_dvec3());
        assert!(
            gap.max_element() < f64::from(f32::MIN_POSITIVE),
            "{what}: {pair:?} is extra"
        );
    }
}

/// The box given by center and half extents, ignoring the rotation, and not widened.
fn unturned(solid: &Obb) -> Aabb {
    Aabb::new(solid.center - solid.half_extents, solid.center + solid.half_extents)
}

#[test]
fn e12_all_scenes() {
    let cases = cases::counts()
        .into_iter()
        .chain(cases::scenes(1500))
        .chain(cases::edges());
    expect_all(cases.flat_map(|(name, boxes)| {
        let limit = Vec3::splat(COORDINATE_LIMIT);
        let within = |b: Aabb| Aabb::new(b.min.clamp(-limit, limit), b.max.clamp(-limit, limit));
        [
            (
                format!("{name}, bounds"),
                boxes.iter().map(|solid| within(solid.bounds())).collect(),
            ),
            (
                format!("{name}, not widened"),
                boxes.iter().map(|solid| within(unturned(solid))).collect(),
            ),
        ]
    }));
}

/// Boxes in a row along an axis, each beginning exactly where the previous one ends.
fn chain(count: usize, axis: usize, start: f32, step: impl Fn(&mut Numbers) -> f32) -> Vec<Aabb> {
    let mut numbers = Numbers::new(count as u64);
    let mut end = start;
    let mut links: Vec<Aabb> = (0..count)
        .map(|_| {
            let mut link = Aabb::new(Vec3::ZERO, Vec3::ONE);
            link.min[axis] = end;
            end += step(&mut numbers);
            link.max[axis] = end;
            link
        })
        .collect();
    // In random order.
    for i in 0..count {
        links.swap(i, (numbers.part() * count as f32) as usize);
    }
    links
}

#[test]
fn links_of_a_chain_touch() {
    let chains = [
        ("equal", chain(5000, 0, 0.0, |_| 0.1)),
        ("far away", chain(5000, 1, 123_456.7, |_| 1.3)),
        ("uneven", chain(5000, 2, -777.7, |numbers| numbers.part())),
        ("one ulp each", chain(5000, 0, 1e6, |_| 0.0625)),
        ("subnormal", chain(3000, 1, -1e-42, |_| TINY)),
        (
            "across zero",
            chain(3000, 2, -1500.0 * f32::MIN_POSITIVE, |_| f32::MIN_POSITIVE),
        ),
        ("huge", chain(3000, 0, -COORDINATE_LIMIT, |_| COORDINATE_LIMIT / 1501.0)),
    ];
    for (name, links) in &chains {
        // Those that begin and end at the same number meet more than two others.
        let expected = overlapping_bounds(links);
        assert!(expected.len() >= links.len() - 1, "{name}: {} pairs", expected.len());
    }
    expect_all(chains.map(|(name, links)| (name.to_owned(), links)));
}

/// The cells of a lattice, which all touch.
fn lattice(edge: usize, origin: Vec3, cell: f32) -> Vec<Aabb> {
    let corner = |i: usize| Vec3::new((i % edge) as f32, (i / edge % edge) as f32, (i / edge / edge) as f32);
    (0..edge * edge * edge)
        .map(|i| Aabb::new(origin + corner(i) * cell, origin + (corner(i) + 1.0) * cell))
        .collect()
}

#[test]
fn extreme_bounds() {
    let point = |p: Vec3| Aabb::new(p, p);
    let mut numbers = Numbers::new(3);
    let limit = COORDINATE_LIMIT;
    let mut huge: Vec<Aabb> = (0..300)
        .map(|i| {
            let center = numbers.point() * limit;
            let half = Vec3::splat(limit / 2f32.powi(i % 40));
            let inside = |p: Vec3| p.clamp(Vec3::splat(-limit), Vec3::splat(limit));
            Aabb::new(inside(center - half), inside(center + half))
        })
        .collect();
    huge.push(Aabb::new(Vec3::splat(-limit), Vec3::splat(limit)));
    huge.extend([limit, -limit, 0.0, -0.0, TINY, -TINY].map(|x| point(Vec3::splat(x))));
    let plates = |i: usize| {
        let mut size = Vec3::ONE;
        size[i % 3] = 0.0;
        size
    };
    let cases = vec![
        ("none", Vec::new()),
        ("points at one place", vec![point(Vec3::splat(7.0)); 100]),
        (
            "points on a lattice, each twice",
            (0..2000)
                .map(|i| point(Vec3::new((i % 10) as f32, (i / 10 % 10) as f32, (i / 100 % 10) as f32)))
                .collect(),
        ),
        (
            "zeros of both signs, and their neighbours",
            [0.0, -0.0, TINY, -TINY, f32::MIN_POSITIVE]
                .map(|x| point(Vec3::splat(x)))
                .repeat(20),
        ),
        ("a box many times", vec![Aabb::new(-Vec3::ONE, Vec3::ONE); 300]),
        ("plates", {
            let corner = |_| (numbers.point() * 6.0).round();
            let corners: Vec<Vec3> = (0..1500).map(corner).collect();
            let plate = |(i, &p): (usize, &Vec3)| Aabb::new(p, p + plates(i));
            corners.iter().enumerate().map(plate).collect()
        }),
        ("a lattice", lattice(12, Vec3::ZERO, 1.0)),
        ("a lattice of odd cells", lattice(12, Vec3::new(1e4, -1e5, 0.3), 0.7)),
        ("a lattice of subnormal cells", lattice(10, Vec3::ZERO, 3.0 * TINY)),
        ("huge", huge),
    ];
    expect_all(cases.into_iter().map(|(name, bounds)| (name.to_owned(), bounds)));
}

#[test]
fn every_output() {
    let bounds = lattice(14, Vec3::splat(0.3), 0.9);
    let pairs = overlapping_bounds(&bounds);
    let degrees = obbligato::report::degrees(bounds.len(), &pairs);
    for output in OUTPUTS {
        let config = Config {
            output,
            list_touching: true,
            ..Config::default()
        };
        for (backend, mut checker) in backends(&config) {
            let what = format!("{output:?}, {backend}");
            let report = check(&mut checker, &what, &bounds);
            assert_eq!(report.colliding_pairs, pairs.len() as u64, "{what}");
            assert!(report.complete && report.touching().is_err(), "{what}");
            assert!(
                report.pairs().ok() == (output == Output::Pairs).then_some(&pairs[..]),
                "{what}"
            );
            assert!(
                report.degrees().ok() == (output == Output::Degrees).then_some(&degrees[..]),
                "{what}"
            );
        }
    }
    for most in [0, 10, pairs.len(), usize::MAX] {
        let config = Config {
            max_pairs: Some(most),
            ..Config::default()
        };
        for (backend, mut checker) in backends(&config) {
            let what = format!("at most {most}, {backend}");
            let report = check(&mut checker, &what, &bounds);
            assert_eq!(
                report.pairs().expect("asked for").len(),
                most.min(pairs.len()),
                "{what}"
            );
            assert!(
                report
                    .pairs()
                    .expect("asked for")
                    .iter()
                    .all(|pair| pairs.binary_search(pair).is_ok()),
                "{what}"
            );
            assert!(
                report.pairs().expect("asked for").windows(2).all(|two| two[0] < two[1]),
                "{what}"
            );
            assert_eq!(report.colliding_pairs, pairs.len() as u64, "{what}");
            assert_eq!(report.complete, most >= pairs.len(), "{what}");
        }
    }
}

#[test]
fn checks_of_boxes_and_bounds_may_alternate() {
    let bounds = lattice(5, Vec3::ZERO, 1.0);
    let boxes: Vec<Obb> = cases::scenes(500).swap_remove(0).1;
    let expected = (overlapping_bounds(&bounds), cpu_pairs(&boxes));
    for (backend, mut checker) in backends(&Config::default()) {
        for _ in 0..2 {
            assert!(
                check(&mut checker, backend, &bounds).pairs().expect("asked for") == expected.0,
                "{backend}"
            );
            let report = checker.check(&boxes).expect("valid boxes");
            assert!(report.pairs().expect("asked for") == expected.1, "{backend}");
            let report = pollster::block_on(checker.check_async(Query::from(&bounds)));
            assert!(
                report.expect("valid bounds").pairs().expect("asked for") == expected.0,
                "{backend}"
            );
        }
    }
}

#[test]
fn bad_bounds_are_named() {
    use BoxProblem::{Inverted, NotFinite, TooLarge};
    let good = lattice(20, Vec3::ZERO, 1.0);
    let above = COORDINATE_LIMIT.next_up();
    let bad = [
        (NotFinite, Vec3::new(f32::NAN, 0.0, 0.0), Vec3::ONE),
        (NotFinite, Vec3::ZERO, Vec3::new(1.0, 1.0, f32::NAN)),
        (NotFinite, Vec3::splat(f32::NEG_INFINITY), Vec3::splat(f32::INFINITY)),
        (Inverted, Vec3::new(0.0, 1.0f32.next_up(), 0.0), Vec3::ONE),
        (Inverted, Vec3::new(0.0, 0.0, TINY), Vec3::ZERO),
        (Inverted, Vec3::splat(f32::MAX), Vec3::ZERO),
        (TooLarge, Vec3::ZERO, Vec3::new(1.0, above, 1.0)),
        (TooLarge, Vec3::new(1.0, 1.0, -above), Vec3::ONE),
        (TooLarge, Vec3::splat(-f32::MAX), Vec3::splat(f32::MAX)),
    ];
    for (backend, mut checker) in backends(&Config::default()) {
        for (problem, min, max) in bad {
            for places in [&[0][..], &[7999], &[17, 4095, 4096, 7000]] {
                let mut bounds = good.clone();
                places.iter().for_each(|&place| bounds[place] = Aabb::new(min, max));
                match checker.check(Query::from(&bounds)) {
                    Err(Error::InvalidBox {
                        index,
                        problem: found,
                        count,
                    }) => assert_eq!((index, found, count), (places[0], problem, places.len()), "{backend}"),
                    other => panic!("{min} to {max}, {backend}: {other:?}"),
                }
            }
        }
        let limit = Vec3::splat(COORDINATE_LIMIT);
        for fine in [Aabb::new(Vec3::ZERO, -Vec3::ZERO), Aabb::new(-limit, Vec3::ZERO)] {
            assert_eq!(fine.problem(), None);
            assert!(checker.check(Query::from(&[fine])).is_ok(), "{fine:?}, {backend}");
        }
    }
}
