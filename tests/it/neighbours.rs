//! The neighbours of bodies and points, compared with rational arithmetic.

mod refused;
mod rules;
mod surfaces;

use obbligato::glam::{DVec3, Vec3};
use obbligato::query::NeighbourQuery;
use obbligato::report::Neighbours;
use obbligato::{Checker, Config, Obb, Obb64, Set, Sphere};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference::nearest_points;
use obbligato_verify::scenes::{BodyScene, Scene};

use crate::support::gpu::{backends, cpu};

/// The question: a number, a radius, or both.
#[derive(Clone, Copy, Debug)]
pub struct Asked(pub Option<usize>, pub Option<f64>);

impl Asked {
    pub fn of<'a>(self, query: &NeighbourQuery<'a>) -> NeighbourQuery<'a> {
        match self {
            Self(Some(count), Some(radius)) => query.nearest_within(count, radius),
            Self(Some(count), None) => query.nearest(count),
            Self(None, Some(radius)) => query.within(radius),
            Self(None, None) => *query,
        }
    }
}

/// Asserts that a row is that of the reference, distances included, and that it is cut if the
/// radius holds more.
fn assert_row(what: &str, found: &Neighbours, row: usize, asked: Asked, from: DVec3, others: &[(u32, DVec3)]) {
    let Asked(count, radius) = asked;
    let expected = nearest_points(from, others.iter().copied(), count, radius);
    let ids: Vec<u32> = expected.iter().map(|near| near.id).collect();
    assert_eq!(found.row(row), ids, "{what}: row {row} of {asked:?}");
    for (near, &distance) in expected.iter().zip(found.distances_of(row)) {
        assert!(
            near.has_distance(distance),
            "{what}: row {row}, {near:?} at {distance:e}"
        );
    }
    let more = radius.is_some()
        && count
            .is_some_and(|count| nearest_points(from, others.iter().copied(), Some(count + 1), radius).len() > count);
    assert_eq!(found.cut()[row], more, "{what}: row {row} of {asked:?}");
}

/// Asserts that the rows of some points of a set are right.
fn assert_among(what: &str, found: &Neighbours, centers: &[DVec3], asked: Asked, step: usize) {
    assert_eq!(found.len(), centers.len());
    for row in (0..centers.len()).step_by(step) {
        let others: Vec<(u32, DVec3)> = (0..)
            .zip(centers.iter().copied())
            .filter(|(id, _)| *id as usize != row)
            .collect();
        assert_row(what, found, row, asked, centers[row], &others);
    }
}

pub fn centers(boxes: &[Obb]) -> Vec<DVec3> {
    boxes.iter().map(|obb| obb.center.as_dvec3()).collect()
}

fn answer(checker: &mut Checker, query: &NeighbourQuery<'_>) -> Neighbours {
    checker.check(*query).expect("valid bodies")
}

#[test]
fn c2_neighbours_of_all_named_scenes() {
    let mut checker = cpu(Config::default());
    for scene in Scene::ALL {
        let boxes = scene.generate(10_000, 1);
        let centers = centers(&boxes);
        for asked in [
            Asked(Some(1), None),
            Asked(Some(10), None),
            Asked(None, Some(1.25)),
            Asked(Some(4), Some(1.75)),
        ] {
            let found = answer(&mut checker, &asked.of(&NeighbourQuery::of(&boxes)));
            assert_among(scene.name(), &found, &centers, asked, 457);
        }
    }
}

/// In the tree of a set, the nearest points of one block limit the search of the next.
#[test]
fn c2_all_rows_of_small_sets() {
    let mut checker = cpu(Config::default());
    for scene in [Scene::Uniform, Scene::Bricks, Scene::Clusters, Scene::Coincident] {
        let boxes = scene.generate(700, 3);
        let centers = centers(&boxes);
        let others: Vec<(u32, DVec3)> = (0..).zip(centers.iter().copied()).collect();
        let points: Vec<Vec3> = boxes.iter().map(|obb| obb.center.yzx() * 0.75).collect();
        for count in [1, 2, 3, 9] {
            let asked = Asked(Some(count), None);
            let found = answer(&mut checker, &NeighbourQuery::of(&boxes).nearest(count));
            assert_among(scene.name(), &found, &centers, asked, 1);
            let found = answer(&mut checker, &NeighbourQuery::around(&points, &boxes).nearest(count));
            for (row, point) in points.iter().enumerate() {
                assert_row(scene.name(), &found, row, asked, point.as_dvec3(), &others);
            }
        }
    }
}

#[test]
fn c2_every_backend_gives_the_same_neighbours() {
    let bodies = BodyScene::MixedKinds.bodies(3000, 2);
    let mut all = Vec::new();
    for (what, mut checker) in backends(&Config::default()) {
        let by_center = answer(&mut checker, &NeighbourQuery::of(bodies.all()).nearest(7));
        let centers: Vec<DVec3> = (0..3000).map(|id| bodies.all().at(id).center().as_dvec3()).collect();
        assert_among(what, &by_center, &centers, Asked(Some(7), None), 13);
        let by_surface = answer(&mut checker, &NeighbourQuery::of(bodies.all()).by_surface().nearest(3));
        all.push((by_center, by_surface));
    }
    assert!(all.len() > 1 && all.iter().all(|found| *found == all[0]));
}

/// Points of a lattice, of which many are at the same distance, in an arbitrary order.
fn lattice(side: usize, step: f64) -> Vec<DVec3> {
    let mut points: Vec<DVec3> = (0..side.pow(3))
        .map(|k| DVec3::new((k % side) as f64, (k / side % side) as f64, (k / side / side) as f64) * step)
        .collect();
    let mut random = SplitMix(3);
    for k in (1..points.len()).rev() {
        points.swap(k, (random.next() % (k as u64 + 1)) as usize);
    }
    points
}

#[test]
fn c2_ties_of_lattices_are_in_the_order_of_positions() {
    let mut checker = cpu(Config::default());
    for step in [1.0, 0.1, 1e-3, 1e-30, 3e15] {
        let points = lattice(9, step);
        let balls: Vec<Sphere> = points.iter().map(|point| Sphere::new(point.as_vec3(), 0.0)).collect();
        let rounded: Vec<DVec3> = balls.iter().map(|ball| ball.center.as_dvec3()).collect();
        let boxes: Vec<Obb64> = points
            .iter()
            .map(|&point| Obb64::axis_aligned(point, Vec3::ZERO))
            .collect();
        for asked in [
            Asked(Some(1), None),
            Asked(Some(6), None),
            Asked(Some(10), None),
            Asked(Some(100), None),
            Asked(None, Some(step)),
            Asked(None, Some(f64::from((2.0 * step) as f32))),
            Asked(Some(5), Some(1.5 * step)),
        ] {
            let found = answer(&mut checker, &asked.of(&NeighbourQuery::of(&balls)));
            assert_among("f32", &found, &rounded, asked, 31);
            let found = answer(&mut checker, &asked.of(&NeighbourQuery::of(&boxes)));
            assert_among("f64", &found, &points, asked, 31);
        }
    }
    // Exactly the radius counts.
    let found = answer(
        &mut checker,
        &NeighbourQuery::of(&[0.0, 1.0, 2.0].map(|x| Sphere::new(Vec3::X * x, 0.0))).within(1.0),
    );
    assert_eq!(found.offsets(), [0, 1, 3, 4]);
}

/// Points of very different sizes and digits, some in one place.
fn odd_points() -> Vec<DVec3> {
    let mut random = SplitMix(11);
    let mut points = Vec::new();
    for scale in [1.0, 1e-7, 1e-40, 1e-200, 1e-320, 1e17] {
        for _ in 0..16 {
            let mut number = || scale * (random.unit() - 0.5);
            let point = DVec3::new(number(), number(), number());
            points.extend([point, -point, point.yzx(), point]);
        }
    }
    points
}

use obbligato::glam::Vec3Swizzles;

#[test]
fn c2_centers_in_f64_are_compared_without_rounding() {
    let mut checker = cpu(Config::default());
    let points = odd_points();
    let boxes: Vec<Obb64> = points
        .iter()
        .map(|&point| Obb64::axis_aligned(point, Vec3::ONE))
        .collect();
    for asked in [
        Asked(Some(9), None),
        Asked(None, Some(0.5)),
        Asked(Some(3), Some(1e-200)),
        Asked(None, Some(0.0)),
    ] {
        let found = answer(&mut checker, &asked.of(&NeighbourQuery::of(&boxes)));
        assert_among("f64", &found, &points, asked, 17);
        let halves: Vec<Sphere> = points.iter().map(|point| Sphere::new(point.as_vec3(), 1.0)).collect();
        let rounded: Vec<DVec3> = halves.iter().map(|ball| ball.center.as_dvec3()).collect();
        let found = answer(&mut checker, &asked.of(&NeighbourQuery::of(&halves)));
        assert_among("f32", &found, &rounded, asked, 17);
    }
    // Scenes of numbers as small as there are.
    let tiny: Vec<DVec3> = (0..300)
        .map(|k| DVec3::new((k % 7) as f64, (k % 11) as f64, k as f64) * 5e-324)
        .collect();
    let boxes: Vec<Obb64> = tiny
        .iter()
        .map(|&point| Obb64::axis_aligned(point, Vec3::ZERO))
        .collect();
    let found = answer(&mut checker, &NeighbourQuery::of(&boxes).nearest(5));
    assert_among("tiny", &found, &tiny, Asked(Some(5), None), 7);
}

#[test]
fn c2_points_of_the_caller_among_a_set_and_a_scene() {
    let mut checker = cpu(Config::default());
    let boxes = Scene::Clusters.generate(5000, 3);
    let centers = centers(&boxes);
    let all: Vec<(u32, DVec3)> = (0..).zip(centers.iter().copied()).collect();
    let mut random = SplitMix(8);
    let mut number = || 40.0 * (random.unit() - 0.5);
    let mut points: Vec<DVec3> = (0..501).map(|_| DVec3::new(number(), number(), number())).collect();
    points.extend(&centers[..50]);
    let single: Vec<Vec3> = points.iter().map(|point| point.as_vec3()).collect();
    let scene = checker.prepare(&boxes).expect("valid boxes");
    for asked in [
        Asked(Some(1), None),
        Asked(Some(20), None),
        Asked(None, Some(2.0)),
        Asked(Some(2), Some(3.0)),
    ] {
        let in_set = answer(&mut checker, &asked.of(&NeighbourQuery::around(&single, &boxes)));
        let in_scene = answer(&mut checker, &asked.of(&NeighbourQuery::against(&single, &scene)));
        assert_eq!(in_set, in_scene);
        let double = answer(&mut checker, &asked.of(&NeighbourQuery::around(&points, &boxes)));
        let double_in_scene = answer(&mut checker, &asked.of(&NeighbourQuery::against(&points, &scene)));
        assert_eq!(double, double_in_scene);
        for row in (0..points.len()).step_by(9) {
            assert_row("f32", &in_set, row, asked, single[row].as_dvec3(), &all);
            assert_row("f64", &double, row, asked, points[row], &all);
        }
    }
    // Tiny points among a scene at rest, which is not scaled with them.
    let dust = [
        Sphere::new(Vec3::splat(1e-30), 0.0),
        Sphere::new(Vec3::splat(3e-30), 0.0),
    ];
    let scene = checker.prepare(&dust).expect("valid spheres");
    let near = answer(
        &mut checker,
        &NeighbourQuery::against(&[Vec3::splat(2.5e-30), Vec3::ONE], &scene),
    );
    assert_eq!(near.neighbours(), [1, 1]);
}

#[test]
fn c2_rows_of_a_fixed_width_say_what_they_leave_out() {
    let mut checker = cpu(Config::default());
    let balls: Vec<Sphere> = (0..100).map(|k| Sphere::new(Vec3::X * k as f32, 0.25)).collect();
    let all = answer(&mut checker, &NeighbourQuery::of(&balls).within(3.0));
    let few = answer(&mut checker, &NeighbourQuery::of(&balls).nearest_within(4, 3.0));
    for rows in [all.to_rows(4), few.to_rows(4)] {
        let rows = rows.expect("memory");
        assert_eq!((rows.width, rows.neighbours.len(), rows.distances.len()), (4, 400, 400));
        assert_eq!(
            rows.counts,
            few.offsets()
                .windows(2)
                .map(|ends| (ends[1] - ends[0]) as u32)
                .collect::<Vec<_>>()
        );
        assert_eq!(rows.cut, few.cut());
        assert_eq!(rows.neighbours[..4], [1, 2, 3, u32::MAX]);
        assert_eq!(rows.distances[..4], [1.0, 2.0, 3.0, f64::INFINITY]);
        assert_eq!(rows.neighbours[200..204], [49, 51, 48, 52]);
    }
    assert!(few.cut().iter().filter(|cut| **cut).count() == 96 && all.cut().iter().all(|cut| !cut));
    let none = all.to_rows(0).expect("memory");
    assert!(none.neighbours.is_empty() && none.cut.iter().all(|cut| *cut));
}

#[test]
fn c2_few_bodies_or_none() {
    let mut checker = cpu(Config::default());
    let none: [Obb; 0] = [];
    let found = answer(&mut checker, &NeighbourQuery::of(&none).nearest(3));
    assert!(found.is_empty() && found.offsets() == [0]);
    for query in [
        NeighbourQuery::around(&[Vec3::ONE; 2], &none),
        NeighbourQuery::around(&[Vec3::ONE; 2], &none).by_surface(),
    ] {
        assert_eq!(answer(&mut checker, &query.within(f64::INFINITY)).offsets(), [0, 0, 0]);
    }
    for count in 1..20 {
        let balls: Vec<Sphere> = (0..count).map(|k| Sphere::new(Vec3::Y * (k * k) as f32, 1.0)).collect();
        let centers: Vec<DVec3> = balls.iter().map(|ball| ball.center.as_dvec3()).collect();
        for asked in [
            Asked(Some(usize::MAX), None),
            Asked(Some(2), None),
            Asked(None, Some(f64::INFINITY)),
            Asked(None, Some(1e300)),
        ] {
            let found = answer(&mut checker, &asked.of(&NeighbourQuery::of(Set::from(&balls))));
            let asked = Asked(asked.0.map(|count| count.min(100)), asked.1);
            assert_among("few", &found, &centers, asked, 1);
        }
    }
}
