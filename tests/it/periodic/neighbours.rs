//! Neighbours in space that repeats, against the nearest of all images in rational arithmetic.

use std::cmp::Ordering;

use obbligato::glam::{DVec3, Vec3};
use obbligato::query::NeighbourQuery;
use obbligato::report::Neighbours;
use obbligato::shape::{BodyRef, Image, OwnedBodies};
use obbligato::{Config, Error, Obb64, Pair, Period, Rules, Set, Sphere, error::PeriodProblem};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference;
use obbligato_verify::reference::rational::Rational;

use super::images::moved;
use super::{LATTICES, Lengths, PLACES, Place, Random};
use crate::neighbours::Asked;
use crate::support::gpu::cpu;

/// Questions by number, by radius, beyond the period, and by both.
const ASKED: [Asked; 5] = [
    Asked(Some(1), None),
    Asked(Some(7), None),
    Asked(None, Some(2.5)),
    Asked(None, Some(30.0)),
    Asked(Some(3), Some(2.0)),
];

/// Returns the square of the distance of a point and the nearest image of another.
fn square(from: DVec3, to: DVec3, lengths: Lengths) -> Rational {
    let along = |k: usize| {
        let apart = Rational::from(to[k]) - Rational::from(from[k]);
        let Some(length) = lengths[k] else {
            return apart.square();
        };
        let middle = ((from[k] - to[k]) / length).round();
        let images = [-1.0, 0.0, 1.0].map(|more| {
            let moved = Rational::from(length) * Rational::from(middle + more);
            (apart.clone() + moved).square()
        });
        images.into_iter().min().expect("there are three")
    };
    along(0) + along(1) + along(2)
}

/// Returns the [`square`] of each point and each place.
fn squares(points: &[DVec3], places: &[DVec3], lengths: Lengths) -> Vec<Vec<Rational>> {
    let of = |from: &DVec3| places.iter().map(|to| square(*from, *to, lengths)).collect();
    points.iter().map(of).collect()
}

/// Asserts that the rows of points are right, given the squares of the distances of all bodies, and
/// the test of whether a pair may be.
#[track_caller]
fn assert_rows(
    what: &str,
    found: &Neighbours,
    squares: &[Vec<Rational>],
    asked: Asked,
    allow: impl Fn(usize, usize) -> bool,
) {
    let Asked(count, radius) = asked;
    assert_eq!(found.len(), squares.len());
    for (row, squares) in squares.iter().enumerate() {
        let others = (0..squares.len()).filter(|&id| allow(row, id));
        let mut near: Vec<(Rational, u32)> = others.map(|id| (squares[id].clone(), id as u32)).collect();
        if let Some(radius) = radius {
            near.retain(|(square, _)| *square <= Rational::from(radius).square());
        }
        near.sort();
        let cut = radius.is_some() && count.is_some_and(|count| near.len() > count);
        near.truncate(count.unwrap_or(usize::MAX));
        let ids: Vec<u32> = near.iter().map(|(_, id)| *id).collect();
        assert_eq!(found.row(row), ids, "{what}: row {row} of {asked:?}");
        assert_eq!(found.cut()[row], cut, "{what}: row {row} of {asked:?}");
        for ((square, _), &distance) in near.iter().zip(found.distances_of(row)) {
            let [low, high] = [distance.next_down().next_down().max(0.0), distance.next_up().next_up()];
            let of = |x: f64| Rational::from(x).square();
            assert!(
                of(low) <= *square && *square <= of(high),
                "{what}: row {row} at {distance:e}"
            );
        }
    }
}

fn answer(query: &NeighbourQuery<'_>, asked: Asked, lengths: Lengths) -> Neighbours {
    let query = asked.of(query).periodic(Period::new(lengths));
    cpu(Config::default()).check(query).expect("valid bodies")
}

#[test]
fn c1_neighbours_by_the_nearest_image() {
    let mut random = Random(SplitMix(51));
    for lengths in LATTICES {
        for place in PLACES {
            let bodies = random.bodies(place, [40, 20, 20]);
            let all = bodies.all();
            let centers: Vec<DVec3> = (0..80).map(|id| all.at(id).center().as_dvec3()).collect();
            let squares = squares(&centers, &centers, lengths);
            for asked in ASKED {
                let found = answer(&NeighbourQuery::of(all), asked, lengths);
                let what = format!("{lengths:?} {place:?}");
                assert_rows(&what, &found, &squares, asked, |row, id| row != id);
            }
        }
    }
}

/// Half a period away, an image on either side is as near; a bit less or more, one is nearer.
#[test]
fn c1_neighbours_half_a_period_away() {
    for length in [8.0f64, 7.1, 0.3] {
        // A vector of half a period less than this rounds to half a period.
        let (half, tiny) = (0.5 * length, 2f64.powi(-80));
        let at = |x: f64| DVec3::new(x, 0.0, 0.0);
        let xs = [
            0.0,
            half,
            half.next_down(),
            half.next_up(),
            half + length,
            1e9 * length + half,
            -half,
            3.3 * length,
            tiny,
            -tiny,
        ];
        let boxes = xs.map(|x| Obb64::axis_aligned(at(x), Vec3::splat(0.01)));
        let centers = xs.map(at);
        let lengths = [Some(length), Some(5.0), None];
        let squares = squares(&centers, &centers, lengths);
        for asked in [
            Asked(Some(9), None),
            Asked(None, Some(half)),
            Asked(None, Some(half.next_down())),
        ] {
            let found = answer(&NeighbourQuery::of(&boxes), asked, lengths);
            assert_rows(&format!("{length}"), &found, &squares, asked, |row, id| row != id);
        }
    }
}

#[test]
fn c1_neighbours_of_points_and_boxes_in_f64() {
    let mut random = Random(SplitMix(52));
    for (lengths, place) in [
        (LATTICES[0], Place::Halves),
        (LATTICES[1], Place::Strays),
        (LATTICES[4], Place::Anywhere),
    ] {
        let bodies = random.bodies(place, [60, 0, 0]);
        let boxes: Vec<Obb64> = bodies.boxes.iter().map(|&obb| obb.into()).collect();
        let centers: Vec<DVec3> = boxes.iter().map(|obb| obb.center).collect();
        let points: Vec<DVec3> = (0..30).map(|_| random.center(place)).collect();
        let rounded: Vec<Vec3> = points.iter().map(|point| point.as_vec3()).collect();
        let back: Vec<DVec3> = rounded.iter().map(|point| point.as_dvec3()).collect();
        let of_points = [&centers, &points, &back].map(|points| squares(points, &centers, lengths));
        for asked in ASKED {
            let what = format!("{lengths:?} {place:?}");
            let of_boxes = answer(&NeighbourQuery::of(&boxes), asked, lengths);
            assert_rows(&what, &of_boxes, &of_points[0], asked, |row, id| row != id);
            let in_f64 = answer(&NeighbourQuery::around(&points, &bodies.boxes), asked, lengths);
            assert_rows(&what, &in_f64, &of_points[1], asked, |_, _| true);
            let in_f32 = answer(&NeighbourQuery::around(&rounded, &bodies.boxes), asked, lengths);
            assert_rows(&what, &in_f32, &of_points[2], asked, |_, _| true);
        }
    }
}

#[test]
fn c1_neighbours_with_rules_and_ids() {
    let mut random = Random(SplitMix(53));
    let (bodies, lengths) = (random.bodies(Place::Halves, [20, 20, 20]), LATTICES[0]);
    let all = bodies.all();
    let centers: Vec<DVec3> = (0..60).map(|id| all.at(id).center().as_dvec3()).collect();
    let owners: Vec<u32> = (0..60).map(|id| id / 4).collect();
    let rules = Rules {
        owners: Some(&owners),
        ..Rules::default()
    };
    let set = Set::from(all).with(rules);
    let squares = squares(&centers, &centers, lengths);
    for asked in ASKED {
        let found = answer(&NeighbourQuery::of(set), asked, lengths);
        assert_rows("owners", &found, &squares, asked, |row, id| row / 4 != id / 4);
        // Backwards, ties are in the opposite order.
        let ids: Vec<u32> = (0..60).rev().collect();
        let (back, found) = (
            answer(&NeighbourQuery::of(all).ties_by(&ids), asked, lengths),
            answer(&NeighbourQuery::of(all), asked, lengths),
        );
        for row in 0..60 {
            assert_eq!(back.distances_of(row), found.distances_of(row));
            let pairs = back.row(row).iter().zip(back.distances_of(row));
            assert!(
                pairs.clone().zip(pairs.skip(1)).all(|(a, b)| a.1 < b.1 || a.0 > b.0),
                "{asked:?}"
            );
        }
    }
}

/// On a lattice of a length that is a power of two, images in `f32` are not rounded.
#[test]
fn c1_neighbours_by_surface() {
    let mut random = Random(SplitMix(54));
    let bodies = random.bodies(Place::Halves, [24, 10, 10]);
    let (all, count) = (bodies.all(), 44);
    let lengths = [Some(8.0), None, Some(8.0)];
    let images: Vec<Image> = (-3..=3).flat_map(|i| (-3..=3).map(move |k| [i, 0, k])).collect();
    let scenes: Vec<OwnedBodies> = images.iter().map(|&image| moved(all, image)).collect();
    let colliding = reference::periodic_pairs(all, lengths, 0.0);
    let collide = |a: u32, b: u32| colliding.iter().any(|(pair, _)| *pair == Pair::new(a, b));
    let distance = |a: u32, b: u32| {
        let of = |other: BodyRef<'_>| all.at(a).distance(other);
        scenes
            .iter()
            .map(|scene| of(scene.all().at(b)))
            .fold(f64::INFINITY, f64::min)
    };
    let expected: Vec<Vec<f64>> = (0..count)
        .map(|a| (0..count).map(|b| distance(a, b)).collect())
        .collect();
    for asked in ASKED {
        let Asked(number, radius) = asked;
        let found = answer(&NeighbourQuery::of(all).by_surface(), asked, lengths);
        for row in 0..count {
            let mut near: Vec<f64> = (0..count)
                .filter(|id| *id != row)
                .map(|id| expected[row as usize][id as usize])
                .collect();
            near.sort_by(f64::total_cmp);
            near.retain(|distance| radius.is_none_or(|radius| *distance <= radius));
            near.truncate(number.unwrap_or(usize::MAX));
            let (ids, distances) = (found.row(row as usize), found.distances_of(row as usize));
            assert_eq!(ids.len(), near.len(), "{asked:?} {row}");
            for ((&id, &distance), nearest) in ids.iter().zip(distances).zip(near) {
                let own = expected[row as usize][id as usize];
                assert!(
                    (distance - own).abs() < 1e-12 && (distance - nearest).abs() < 1e-12,
                    "{asked:?} {row} {id}"
                );
                assert_eq!(distance == 0.0, collide(row, id), "{asked:?} {row} {id}");
            }
            let order = |k: usize| distances[k - 1].total_cmp(&distances[k]).then(ids[k - 1].cmp(&ids[k]));
            assert!((1..ids.len()).all(|k| order(k) == Ordering::Less), "{asked:?} {row}");
            let mut sorted = ids.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), ids.len(), "{asked:?} {row}");
        }
    }
}

/// Lengths that are no `f32`, and bodies thousands of cells away from each other, compared with the
/// distances of all pairs.
#[test]
fn c1_neighbours_by_surface_anywhere() {
    let mut random = Random(SplitMix(55));
    for (lengths, place) in [
        (LATTICES[1], Place::Strays),
        (LATTICES[0], Place::Anywhere),
        (LATTICES[3], Place::Cell),
    ] {
        let bodies = random.bodies(place, [30, 0, 0]);
        let boxes: Vec<Obb64> = bodies.boxes.iter().map(|&obb| obb.into()).collect();
        let pairs: Vec<Pair> = (0..30)
            .flat_map(|a| (a + 1..30).map(move |b| Pair::new(a, b)))
            .collect();
        let query = obbligato::query::DistanceQuery::within(&boxes, &pairs).periodic(Period::new(lengths));
        let all = cpu(Config::default()).check(query).expect("valid boxes");
        let distance = |a: u32, b: u32| {
            let place = pairs
                .iter()
                .position(|pair| *pair == Pair::new(a, b))
                .expect("all pairs");
            all.found[place].distance
        };
        for set in [Set::from(&boxes), Set::from(&bodies.boxes)] {
            let found = answer(&NeighbourQuery::of(set).by_surface(), Asked(Some(4), None), lengths);
            for row in 0..30u32 {
                let mut near: Vec<f64> = (0..30).filter(|id| *id != row).map(|id| distance(row, id)).collect();
                near.sort_by(f64::total_cmp);
                for (found, near) in found.distances_of(row as usize).iter().zip(near) {
                    assert!(
                        (found - near).abs() < 1e-9,
                        "{lengths:?} {place:?} {row}: {found} {near}"
                    );
                }
            }
        }
    }
}

#[test]
fn c1_neighbours_that_are_not_offered() {
    let balls = [Sphere::new(Vec3::ZERO, 0.5), Sphere::new(Vec3::ONE, 2.0)];
    let mut checker = cpu(Config::default());
    let period = |x: f64| Period::new([Some(x), None, None]);
    match checker.check(NeighbourQuery::of(&balls).periodic(period(4.0))) {
        Err(Error::OutOfPeriod {
            index: 1,
            problem: PeriodProblem::TooWide { axis: 'x' },
            count: 1,
        }) => {}
        other => panic!("{other:?}"),
    }
    match checker.check(NeighbourQuery::around(&[DVec3::X * 1e17], &balls).periodic(period(5.0))) {
        Err(Error::OutOfPeriod {
            index: 2,
            problem: PeriodProblem::TooFar { axis: 'x' },
            count: 1,
        }) => {}
        other => panic!("{other:?}"),
    }
    match checker.check(NeighbourQuery::of(&balls).periodic(period(0.0))) {
        Err(Error::InvalidPeriod { axis: 'x', .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn c1_neighbours_in_prepared_scenes() {
    let mut random = Random(SplitMix(58));
    for (lengths, place) in LATTICES.into_iter().zip([
        Place::Halves,
        Place::Strays,
        Place::Anywhere,
        Place::Cell,
        Place::Halves,
    ]) {
        let bodies = random.bodies(place, [40, 10, 10]);
        let points: Vec<Vec3> = (0..100).map(|_| random.center(Place::Anywhere).as_vec3()).collect();
        let mut checker = cpu(Config::default());
        let scene = checker.prepare(bodies.all()).expect("valid bodies");
        let period = Period::new(lengths);
        for by_surface in [false, true] {
            let asked = |query: NeighbourQuery<'_>| {
                let query = query.nearest(3).periodic(period);
                let query = if by_surface { query.by_surface() } else { query };
                cpu(Config::default()).check(query).expect("valid bodies")
            };
            let found = asked(NeighbourQuery::against(&points, &scene));
            let expected = asked(NeighbourQuery::around(&points, bodies.all()));
            assert_eq!(found.neighbours(), expected.neighbours(), "{lengths:?} {by_surface}");
            assert_eq!(found.distances(), expected.distances(), "{lengths:?} {by_surface}");
        }
    }
}
