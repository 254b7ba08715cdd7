//! Checks with a margin: the pairs whose distance is at most the margin, on both backends, against
//! an independent distance.

use obbligato::Query;
use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::query::SolidQuery;
use obbligato::{
    Bodies, Capsule, Checker, Config, Error, GpuConfig, Obb, Obb64, Output, Pair, Precision, Sphere,
    contact::Contact,
    shape::{Aabb, COORDINATE_LIMIT, Solid},
};
use obbligato_verify::adversarial;
use obbligato_verify::reference::{self, rational::Rational};
use obbligato_verify::scenes::Scene;

use crate::support::cases::{Numbers, edges};
use crate::support::gpu::{OUTPUTS, cpu, expect_output, expect_pairs, expect_same, gpu, gpu_with};

fn with_margin(margin: f64) -> Config {
    Config {
        margin,
        list_touching: true,
        ..Config::default()
    }
}

/// The distance of the centers plus all half extents.
fn size(a: &Obb, b: &Obb) -> f64 {
    let extents = (a.half_extents.as_dvec3() + b.half_extents.as_dvec3()).element_sum();
    a.center.as_dvec3().distance(b.center.as_dvec3()) + extents
}

/// Both backends with a margin.
struct Both {
    cpu: Checker,
    gpu: Checker,
    margin: f64,
}

impl Both {
    fn new(margin: f64) -> Self {
        Self {
            cpu: cpu(with_margin(margin)),
            gpu: gpu(with_margin(margin)),
            margin,
        }
    }
}

/// Compares both backends with the reference's distances, and returns the number of pairs that are
/// apart but within the margin.
#[track_caller]
fn compare(what: &str, boxes: &[Obb], checkers: &mut Both) -> usize {
    let found = checkers.cpu.check(boxes).expect(what);
    let on_gpu = checkers.gpu.check(boxes).expect(what);
    let margin = checkers.margin;
    expect_same(what, &found, &on_gpu);
    assert_eq!(found.near_pairs, on_gpu.near_pairs, "{what}");

    // The documented tolerance: that of `Obb::distance`.
    let tolerance = |pair: &Pair| 3e-14 * size(&boxes[pair.a as usize], &boxes[pair.b as usize]);
    let expected = reference::pairs_within(boxes, margin * (1.0 + 1e-9) + 1e-9);
    let sure: Vec<Pair> = expected
        .iter()
        .filter(|(pair, distance)| *distance <= margin - tolerance(pair))
        .map(|(pair, _)| *pair)
        .collect();
    let possible: Vec<Pair> = expected
        .iter()
        .filter(|(pair, distance)| *distance <= margin + tolerance(pair) || *distance == 0.0)
        .map(|(pair, _)| *pair)
        .collect();
    let missed = sure
        .iter()
        .find(|pair| found.pairs().expect("asked for").binary_search(pair).is_err());
    let added = found
        .pairs()
        .expect("asked for")
        .iter()
        .find(|pair| possible.binary_search(pair).is_err());
    assert_eq!((missed, added), (None, None), "{what}, margin {margin}");

    let count = |wanted: Contact| {
        let contact = |pair: &&Pair| boxes[pair.a as usize].contact(&boxes[pair.b as usize]) == wanted;
        found.pairs().expect("asked for").iter().filter(contact).count()
    };
    let near = count(Contact::Separated);
    assert_eq!(found.near_pairs, Some(near as u64), "{what}");
    assert_eq!(found.touching_pairs, Some(count(Contact::Touching) as u64), "{what}");
    assert_eq!(
        found.touching().expect("asked for").len(),
        count(Contact::Touching),
        "{what}"
    );
    near
}

#[test]
fn e9_scenes_against_an_independent_distance() {
    for margin in [1e-4, 0.05, 3.0] {
        let mut checkers = Both::new(margin);
        for scene in [
            Scene::Uniform,
            Scene::Mixed,
            Scene::Giants,
            Scene::Crowd,
            Scene::Bricks,
            Scene::Sticks,
            Scene::Far,
        ] {
            let near = compare(scene.name(), &scene.generate(500, 3), &mut checkers);
            assert!(near > 30 || margin < 3.0, "{scene}: {near} pairs");
        }
    }
    // Ten times the size of the boxes, in a world that is larger still.
    let mut numbers = Numbers::new(7);
    let boxes: Vec<Obb> = (0..400)
        .map(|_| Obb::new(numbers.point() * 60.0, Vec3::new(1.0, 0.5, 0.0), numbers.rotation()))
        .collect();
    let near = compare("scattered plates", &boxes, &mut Both::new(20.0));
    assert!((1_000..40_000).contains(&near), "{near}");
}

#[test]
fn extreme_scenes() {
    for margin in [1e-4, 0.3, 1e9] {
        let mut checkers = Both::new(margin);
        for (what, boxes) in edges() {
            compare(&what, &boxes[..boxes.len().min(120)], &mut checkers);
        }
    }
}

/// Pairs whose distance equals the margin up to rounding, of every kind, with closest features of
/// all kinds.
fn pairs_at(margin: f64) -> (Vec<Obb>, Vec<Pair>) {
    let (mut boxes, mut pairs) = (Vec::new(), Vec::new());
    for index in 0..20_000u64 {
        let (a, mut b) = adversarial::pair(index, 31);
        let largest = a.half_extents.max(b.half_extents).max_element();
        if !(1e-3..1e3).contains(&largest) || b.center.abs().max_element() > 1e4 {
            continue;
        }
        // Away from A, past it if necessary, and then along the line of the closest points.
        b.center += (b.center - a.center).try_normalize().unwrap_or(Vec3::Y) * (3.0 * largest);
        let closest = a.closest_points(&b);
        if closest.distance == 0.0 {
            continue;
        }
        let along = (closest.on_b - closest.on_a) / closest.distance;
        b.center = (b.center.as_dvec3() + along * (margin - closest.distance)).as_vec3();
        let first = boxes.len() as u32;
        pairs.push(Pair::new(first, first + 1));
        boxes.extend([a, b]);
    }
    (boxes, pairs)
}

#[test]
fn pairs_at_the_margin_are_decided_by_their_distance() {
    for margin in [0.01, 1.0, 20.0] {
        let (boxes, pairs) = pairs_at(margin);
        let distance = |pair: &Pair| boxes[pair.a as usize].distance(&boxes[pair.b as usize]);
        let within = |pair: &&Pair| {
            let [a, b] = [pair.a, pair.b].map(|k| &boxes[k as usize]);
            match (distance(pair) - margin).abs() > 1e-13 * (size(a, b) + margin) {
                true => distance(pair) < margin,
                false => reference::boxes_within(&(*a).into(), &(*b).into(), margin),
            }
        };
        let expected: Vec<Pair> = pairs.iter().filter(within).copied().collect();
        assert!(
            expected.len() > 1_000 && pairs.len() - expected.len() > 1_000,
            "{}",
            expected.len()
        );
        let checked = |mut checker: Checker| checker.check(Query::pairs(&boxes, &pairs)).expect("valid boxes");
        let found = checked(cpu(with_margin(margin)));
        expect_pairs("on the CPU", &expected, found.pairs().expect("asked for"));
        assert!(
            found.undecided_pairs > pairs.len() as u64 / 2,
            "{}",
            found.undecided_pairs
        );
        let found = checked(gpu(with_margin(margin)));
        expect_pairs("on the GPU", &expected, found.pairs().expect("asked for"));
        for pair in &pairs {
            let (a, b) = (&boxes[pair.a as usize], &boxes[pair.b as usize]);
            let error = (reference::distance(a, b) - a.distance(b)).abs();
            assert!(error <= 3e-14 * size(a, b), "{a:?} {b:?}");
        }

        for (precision, missing) in [(Precision::Conservative, 0), (Precision::Fast, usize::MAX)] {
            for backend in [cpu, gpu] {
                let found = checked(backend(Config {
                    precision,
                    ..with_margin(margin)
                }));
                assert_eq!((found.near_pairs, found.touching_pairs), (None, None));
                let lost: Vec<&Pair> = expected
                    .iter()
                    .filter(|pair| found.pairs().expect("asked for").binary_search(pair).is_err())
                    .collect();
                assert!(lost.len() <= missing, "{} lost", lost.len());
                // Wrong answers are within the error of f32.
                for pair in lost.into_iter().chain(found.pairs().expect("asked for")) {
                    let size = size(&boxes[pair.a as usize], &boxes[pair.b as usize]) + margin;
                    assert!((distance(pair) - margin).abs() <= 3e-5 * size || expected.contains(pair));
                }
            }
        }
    }
}

#[test]
fn every_output_and_capacity() {
    let boxes = Scene::Crowd.generate(1_500, 4);
    let expected = cpu(with_margin(0.2)).check(&boxes).expect("valid boxes");
    assert!(expected.near_pairs > Some(500), "{:?}", expected.near_pairs);
    let tiny = GpuConfig {
        initial_candidates: 1,
        initial_pairs: 1,
        max_buffer_bytes: Some(1 << 14),
        ..GpuConfig::default()
    };
    let plain = GpuConfig {
        subgroups: false,
        shader_checks: true,
        ..GpuConfig::default()
    };
    for output in OUTPUTS {
        let config = |gpu: &GpuConfig| Config {
            margin: 0.2,
            output,
            gpu: gpu.clone(),
            ..Config::default()
        };
        for (what, mut checker) in [
            ("CPU", cpu(config(&tiny))),
            ("GPU", gpu(config(&GpuConfig::default()))),
            ("GPU without subgroups", gpu(config(&plain))),
            ("GPU in parts", gpu(config(&tiny))),
        ] {
            let found = checker.check(&boxes).expect("valid boxes");
            expect_output(what, output, &boxes, expected.pairs().expect("asked for"), &found);
            assert_eq!(found.near_pairs, expected.near_pairs, "{what}, {output:?}");
        }
    }
    for backend in [cpu, gpu] {
        let found = backend(Config {
            max_pairs: Some(100),
            ..with_margin(0.2)
        })
        .check(&boxes)
        .expect("valid boxes");
        assert_eq!((found.pairs().expect("asked for").len(), found.complete), (100, false));
        assert_eq!(found.colliding_pairs, expected.colliding_pairs);
        assert!(
            found.pairs().expect("asked for").iter().all(|pair| expected
                .pairs()
                .expect("asked for")
                .binary_search(pair)
                .is_ok())
        );
    }
}

#[test]
fn movers_and_two_sets() {
    let boxes = Scene::Dense.generate(1_200, 5);
    let (scene, movers) = boxes.split_at(900);
    let mut expected = Vec::new();
    for (pair, _) in reference::pairs_within(&boxes, 0.3) {
        if pair.a < 900 && pair.b >= 900 {
            expected.push(Pair {
                a: pair.a,
                b: pair.b - 900,
            });
        }
    }
    assert!(expected.len() > 500);
    for backend in [cpu, gpu] {
        let mut checker = backend(with_margin(0.3));
        let prepared = checker.prepare(scene).expect("valid boxes");
        let against = checker.check(Query::against(&prepared, movers)).expect("valid boxes");
        expect_pairs("movers", &expected, against.pairs().expect("asked for"));
        assert!(against.near_pairs > Some(100), "{:?}", against.near_pairs);
    }
    let between = cpu(with_margin(0.3))
        .check(Query::between(scene, movers))
        .expect("valid boxes");
    expect_pairs("two sets", &expected, between.pairs().expect("asked for"));
}

#[test]
fn bounds_within_a_gap() {
    let at = |x: f32, y: f32| Aabb::new(Vec3::new(x, y, 0.0), Vec3::new(x + 1.0, y + 1.0, 1.0));
    let bounds = [at(0.0, 0.0), at(1.5, 0.0), at(3.0, 1.5), at(1.7501, 9.0), at(0.0, 9.0)];
    for backend in [cpu, gpu] {
        let found = backend(with_margin(0.75))
            .check(Query::from(&bounds))
            .expect("valid bounds");
        // The corners of 1 and 2 are 0.71 apart, and both gaps half a unit; 3 and 4 are slightly
        // too far apart.
        expect_pairs(
            "bounds",
            &[Pair::new(0, 1), Pair::new(1, 2)],
            found.pairs().expect("asked for"),
        );
        assert_eq!(found.near_pairs, None);
    }
}

#[test]
fn invalid_margins_are_refused() {
    let limit = f64::from(COORDINATE_LIMIT);
    for margin in [-1.0, -1e-300, f64::NAN, f64::INFINITY, limit.next_up()] {
        let refused = Checker::new(with_margin(margin)).err();
        assert!(
            matches!(refused, Some(Error::InvalidMargin { .. })),
            "{margin}: {refused:?}"
        );
    }
    let turned = Quat::from_rotation_z(0.5);
    let far = [Vec3::ZERO, Vec3::X * 1e18].map(|center| Obb::new(center, Vec3::ONE, turned));
    for backend in [cpu, gpu] {
        let found = backend(with_margin(limit)).check(&far).expect("valid boxes");
        assert_eq!(found.near_pairs, Some(1));
        let found = backend(with_margin(1e-300)).check(&far).expect("valid boxes");
        assert_eq!(found.near_pairs, Some(0));
    }
    // Without a margin.
    let found = gpu_with(GpuConfig::default()).check(&far).expect("valid boxes");
    assert_eq!((found.near_pairs, found.colliding_pairs), (Some(0), 0));
    let report = cpu(Config {
        output: Output::Count,
        ..with_margin(0.0)
    })
    .check(&far)
    .expect("valid boxes");
    assert_eq!(report.near_pairs, Some(0));
}

/// Margins that are not representable in `f32`, and some that are.
const MARGINS: [f64; 7] = [0.7, 0.1, 1.0 / 3.0, 0.25, 1e-9, 12.345678901234567, 1e6 + 0.1];

/// The margin, and the numbers before and after it.
fn about(margin: f64) -> [f64; 3] {
    [margin.next_down(), margin, margin.next_up()]
}

/// A cube of two units and one beside it, whose gap along x is as near to the margin as the numbers
/// allow: in `f32`, and in `f64`.
fn beside(margin: f64) -> ([Obb; 2], [Obb64; 2]) {
    let x = 2.0 + margin;
    let single = [0.0, x as f32].map(|x| Obb::axis_aligned(Vec3::X * x, Vec3::ONE));
    let double = [0.0, x].map(|x| Obb64::new(DVec3::X * x, Vec3::ONE, Quat::IDENTITY));
    (single, double)
}

#[test]
fn a_margin_keeps_its_exact_value() {
    for margin in MARGINS {
        let (boxes, boxes64) = beside(margin);
        // Exact: the difference of two numbers of which one is 2, or 1.
        let gap = f64::from(boxes[1].center.x) - 2.0;
        let gap64 = boxes64[1].center.x - 2.0;
        let face = (1.0 + margin) as f32;
        let gap_of_faces = f64::from(face) - 1.0;
        let bounds = [[-1.0, 1.0], [face, face + 2.0]]
            .map(|[low, high]| Aabb::new(Vec3::new(low, -1.0, -1.0), Vec3::new(high, 1.0, 1.0)));
        let solids = bounds.map(|bounds| {
            let corner = |k: usize| [bounds.min, bounds.max][k];
            let points: Vec<Vec3> = (0..8)
                .map(|k| Vec3::new(corner(k & 1).x, corner(k >> 1 & 1).y, corner(k >> 2).z))
                .collect();
            Solid::from_points(&points).expect("points")
        });
        let balls = boxes.map(|obb| Sphere::new(obb.center, 1.0));
        let capsules = boxes.map(|obb| Capsule::new(obb.center, 2.0, Quat::IDENTITY, 1.0));
        let all = [gap, gap64, gap_of_faces, margin];
        let asked = all.into_iter().flat_map(about).filter(|&asked| asked > 0.0);
        for (k, asked) in asked.enumerate() {
            // Only a few cases run on a GPU, because each needs a checker of its own.
            let backends = if margin < 0.5 && k < 3 {
                vec![cpu(with_margin(asked)), gpu(with_margin(asked))]
            } else {
                vec![cpu(with_margin(asked))]
            };
            for mut checker in backends {
                let what = format!("gaps {all:?}, margin {asked:e}, {:?}", checker.engine());
                let expected = u64::from(gap <= asked);
                let mut count = |query: Query<'_>| checker.check(query).expect(&what).colliding_pairs;
                assert_eq!(count(Query::from(&boxes[..])), expected, "boxes, {what}");
                assert_eq!(count(Query::from(&balls[..])), expected, "balls, {what}");
                assert_eq!(count(Query::from(&capsules[..])), expected, "capsules, {what}");
                let of_bounds = u64::from(gap_of_faces <= asked);
                assert_eq!(count(Query::from(&bounds[..])), of_bounds, "bounds, {what}");
                let of_boxes64 = u64::from(gap64 <= asked);
                assert_eq!(count(Query::from(&boxes64[..])), of_boxes64, "f64, {what}");
                for (a, b) in [(0, 1), (1, 0)] {
                    for (boxes, capsules, spheres) in [
                        (&boxes[a..=a], &capsules[b..=b], &[][..]),
                        (&boxes[a..=a], &[][..], &balls[b..=b]),
                        (&[][..], &capsules[a..=a], &balls[b..=b]),
                    ] {
                        let bodies = Bodies {
                            boxes,
                            capsules,
                            spheres,
                        };
                        assert_eq!(count(Query::from(bodies)), expected, "{bodies:?}, {what}");
                    }
                }
                let found = checker.check(SolidQuery::new(&solids)).expect(&what);
                assert_eq!(found.colliding_pairs, of_bounds, "solids, {what}");
                let prepared = checker.prepare(&boxes[..1]).expect(&what);
                let against = checker.check(Query::against(&prepared, &boxes[1..])).expect(&what);
                assert_eq!(against.colliding_pairs, expected, "movers, {what}");
            }
        }
    }
}

/// Rotated boxes whose distances `f64` cannot distinguish from the margin: against rational
/// arithmetic.
#[test]
fn pairs_undecided_in_f64_are_decided_without_rounding() {
    let (mut equal, mut asked) = (0, 0);
    let mut compare = |a: Obb64, b: Obb64, margin: f64| {
        if margin <= 0.0 || a.contact(&b).collides() {
            return;
        }
        let square = reference::boxes_distance_square(&a, &b);
        let expected = about(margin).map(|margin| square <= Rational::from(margin).square());
        let found = about(margin).map(|margin| {
            let report = cpu(with_margin(margin)).check(&[a, b][..]);
            report.expect("valid boxes").colliding_pairs == 1
        });
        assert_eq!(found, expected, "{margin:e}: {a:?} {b:?}");
        equal += usize::from(expected[0] != expected[1]);
        asked += 1;
    };
    for index in 0..600u64 {
        let (a, mut b) = adversarial::pair(index, 77);
        let largest = a.half_extents.max(b.half_extents).max_element();
        if !(1e-3..1e3).contains(&largest) || b.center.abs().max_element() > 1e4 {
            continue;
        }
        b.center += (b.center - a.center).try_normalize().unwrap_or(Vec3::Y) * (3.0 * largest);
        compare(a.into(), b.into(), a.distance(&b));
        let mut far = [Obb64::from(a), Obb64::from(b)];
        far.iter_mut().for_each(|obb| obb.center += DVec3::new(1e6, 0.1, -3e5));
        compare(far[0], far[1], far[0].distance(&far[1]));
    }
    // A rotation that takes x to (3, 4, 0) / 5, so that distances of faces, and in the last case of
    // edges, are representable.
    let turn = Quat::from_xyzw(0.0, 0.0, 0.447, 2.0 * 0.447);
    for (place, margin) in [
        (DVec3::new(1.5, 2.0, 0.0), 0.5),
        (DVec3::new(2.25, 3.0, 0.25), 1.75),
        (DVec3::new(3.0, 4.0, -1.0), 3.0),
        (DVec3::new(-6.0, 22.0, 0.5), 20.0),
    ] {
        for center in [DVec3::ZERO, DVec3::new(1e6, 3.5, 1.0)] {
            let [a, b] = [center, center + place].map(|center| Obb64::new(center, Vec3::ONE, turn));
            assert!(equal_of(&a, &b, margin), "{a:?} {b:?}");
            compare(a, b, margin);
        }
    }
    assert!(asked > 500 && equal >= 8, "{asked} pairs, {equal} at their margin");
}

/// Returns `true` if the distance is exactly this.
fn equal_of(a: &Obb64, b: &Obb64, distance: f64) -> bool {
    reference::boxes_within(a, b, distance) && !reference::boxes_within(a, b, distance.next_down())
}
