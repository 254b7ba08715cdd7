//! Scenes of every scale, and of many scales at once: the correct pairs, at nearly the same cost.

use obbligato::glam::Vec3;
use obbligato::{Checker, Config, Obb, Pair, Query, Report, Rules, Set, shape::Aabb};
use obbligato_verify::reference::{colliding_pairs, overlapping_bounds};
use obbligato_verify::scenes::Scene;

use crate::support::cases::Numbers;
use crate::support::gpu::{backends, expect_pairs};

/// All lengths times `2^exponent`; subnormal numbers are rounded.
fn scaled(boxes: &[Obb], exponent: i32) -> Vec<Obb> {
    let by = |length: Vec3| (length.as_dvec3() * 2f64.powi(exponent)).as_vec3();
    let scaled = |b: &Obb| Obb {
        center: by(b.center),
        half_extents: by(b.half_extents),
        ..*b
    };
    boxes.iter().map(scaled).collect()
}

/// Checkers of each kind that take a scene as a whole.
fn whole_backends() -> Vec<(&'static str, Checker)> {
    let mut backends = backends(&Config {
        count_operations: true,
        ..Config::default()
    });
    backends.pop();
    backends
}

/// The work of a check, in comparisons of bounds.
fn work(report: &Report) -> f64 {
    let operations = report.operations.expect("operations are counted");
    (operations.comparisons + 10 * operations.rows + report.candidate_pairs) as f64
}

fn bounds_of(boxes: &[Obb]) -> Vec<Aabb> {
    let bounds = |b: &Obb| Aabb::new(b.center - b.half_extents, b.center + b.half_extents);
    boxes.iter().map(bounds).collect()
}

#[test]
fn scale_changes_neither_pairs_nor_work() {
    let boxes = Scene::Uniform.generate(3000, 5);
    for (backend, checker) in &mut whole_backends() {
        let unscaled = checker.check(&boxes).expect("a report");
        expect_pairs(backend, &colliding_pairs(&boxes), unscaled.pairs().expect("asked for"));
        for exponent in [
            -149, -145, -140, -133, -126, -115, -110, -100, -90, -70, -60, -30, 30, 50,
        ] {
            let what = format!("2^{exponent}, {backend}");
            let boxes = scaled(&boxes, exponent);
            let expected = match exponent {
                // Nothing is rounded.
                -100.. => unscaled.pairs().expect("asked for").to_vec(),
                _ => colliding_pairs(&boxes),
            };
            let report = checker.check(&boxes).expect(&what);
            expect_pairs(&what, &expected, report.pairs().expect("asked for"));
            // Near the smallest number, boxes are as large as the distances between them.
            if exponent > -145 {
                let ratio = work(&report) / work(&unscaled);
                assert!((0.5..1.5).contains(&ratio), "{what}: {ratio} times the work");
                let [cell, unit] = [&report, &unscaled].map(|report| f64::from(report.grid[0].cell_size));
                let ratio = cell / (unit * 2f64.powi(exponent));
                assert!((0.5..1.5).contains(&ratio), "{what}: cells of {cell}");
            }
            // Given pairs, two sets, and bounds.
            let report = checker.check(Query::pairs(&boxes, &expected)).expect(&what);
            expect_pairs(&what, &expected, report.pairs().expect("asked for"));
            let half = boxes.len() / 2;
            let of_both = |pair: &&Pair| (pair.a as usize) < half && pair.b as usize >= half;
            let renamed = |pair: &Pair| Pair {
                b: pair.b - half as u32,
                ..*pair
            };
            let between: Vec<Pair> = expected.iter().filter(of_both).map(renamed).collect();
            let report = checker
                .check(Query::between(&boxes[..half], &boxes[half..]))
                .expect(&what);
            expect_pairs(&what, &between, report.pairs().expect("asked for"));
            let bounds = bounds_of(&boxes);
            let report = checker.check(Query::from(&bounds)).expect(&what);
            expect_pairs(&what, &overlapping_bounds(&bounds), report.pairs().expect("asked for"));
        }
    }
}

/// Crowds of all these sizes about the origin, one within the other.
fn nested(exponents: &[i32], each: usize) -> Vec<Obb> {
    let crowd = |(k, exponent): (usize, &i32)| scaled(&Scene::Uniform.generate(each, k as u64), *exponent);
    exponents.iter().enumerate().flat_map(crowd).collect()
}

#[test]
fn small_boxes_are_separated_in_a_large_world() {
    let giant = Obb::axis_aligned(Vec3::ZERO, Vec3::splat(2f32.powi(58)));
    let wall = Obb::axis_aligned(Vec3::splat(2f32.powi(57)), Vec3::splat(2f32.powi(50)));
    let mut two = nested(&[-90, 0], 1500);
    two.extend([giant, wall]);
    let scenes = [
        ("two crowds and two giants", 6.0, two),
        // Small boxes search every coarser level.
        ("crowds of forty octaves", 30.0, nested(&[-20, -12, -4, 4, 12, 20], 500)),
        ("crowds beside crowds", 6.0, {
            let mut boxes = nested(&[-30, 0], 1500);
            boxes.iter_mut().skip(1500).for_each(|b| b.center.x += 2f32.powi(13));
            boxes.push(giant);
            boxes
        }),
    ];
    let uniform = Scene::Uniform.generate(3000, 5);
    for (what, most, boxes) in &scenes {
        let expected = colliding_pairs(boxes);
        assert!(expected.len() > 1000, "{what}: {} pairs", expected.len());
        for (backend, checker) in &mut whole_backends() {
            let what = format!("{what}, {backend}");
            let report = checker.check(boxes).expect(&what);
            expect_pairs(&what, &expected, report.pairs().expect("asked for"));
            let ratio = work(&report) / work(&checker.check(&uniform).expect("a report"));
            assert!(ratio < *most, "{what}: {ratio} times the work");

            // Worlds are separated in such levels, too.
            let worlds: Vec<u32> = (0..boxes.len() as u32).map(|k| k % 3).collect();
            let rules = Rules {
                worlds: Some(&worlds),
                ..Rules::default()
            };
            let of_one_world = |pair: &&Pair| worlds[pair.a as usize] == worlds[pair.b as usize];
            let within: Vec<Pair> = expected.iter().filter(of_one_world).copied().collect();
            let report = checker.check(Set::from(boxes).with(rules)).expect(&what);
            expect_pairs(&what, &within, report.pairs().expect("asked for"));

            // Movers of all sizes, and some that end within the world of the boxes at rest.
            let scene = checker.prepare(&boxes[..boxes.len() / 2]).expect(&what);
            let movers = &boxes[boxes.len() / 2..];
            let report = checker.check(Query::against(&scene, movers)).expect(&what);
            let at_rest = scene.boxes().len() as u32;
            let moved = |pair: &&Pair| pair.a < at_rest && pair.b >= at_rest;
            let renamed = |pair: &Pair| Pair {
                b: pair.b - at_rest,
                ..*pair
            };
            let expected: Vec<Pair> = expected.iter().filter(moved).map(renamed).collect();
            expect_pairs(&what, &expected, report.pairs().expect("asked for"));
        }
    }
}

#[test]
fn points_and_plates_anywhere() {
    // Bounds without an extent, close to zero and far from it, at every power of two.
    let mut numbers = Numbers::new(3);
    let mut coordinate = |exponent: f32| (numbers.part() - 0.5) * 2f32.powf(exponent);
    let mut bounds = Vec::new();
    for k in 0..3000 {
        let exponent = -110.0 + (k % 170) as f32;
        let [x, y, z] = [0.0, 1.0, 2.0].map(|more| coordinate(exponent - more));
        let low = Vec3::new(x, y, z);
        let high = match k % 3 {
            0 => low,
            1 => low + Vec3::new(coordinate(exponent).abs(), 0.0, 0.0),
            _ => low + Vec3::splat(coordinate(exponent - 3.0).abs()),
        };
        bounds.extend([Aabb::new(low, high); 2]);
    }
    let expected = overlapping_bounds(&bounds);
    assert!(expected.len() > 3000, "{} pairs", expected.len());
    for (backend, checker) in &mut backends(&Config::default()) {
        let report = checker.check(Query::from(&bounds)).expect("a report");
        expect_pairs(backend, &expected, report.pairs().expect("asked for"));
    }
}
