//! Neighbours by the distance of surfaces, compared with all distances by other formulas.

use obbligato::glam::{DVec3, Vec3};
use obbligato::query::NeighbourQuery;
use obbligato::report::Neighbours;
use obbligato::shape::BodyRef;
use obbligato::{Bodies, Config, Obb, Obb64, Sphere};
use obbligato_verify::reference::{body_distance, collides, distance};
use obbligato_verify::scenes::{BodyScene, Scene};

use super::{Asked, answer};
use crate::support::gpu::cpu;
use crate::support::positions::moved;

/// The tolerance of a distance, relative to the size of the coordinates.
const TOLERANCE: f64 = 1e-6;

/// The distance of two bodies, which is 0 exactly if they collide.
fn reference(a: BodyRef<'_>, b: BodyRef<'_>) -> f64 {
    match (a, b) {
        (BodyRef::Box(a), BodyRef::Box(b)) => {
            if collides(a, b) {
                0.0
            } else {
                distance(a, b)
            }
        }
        _ => body_distance(a, b),
    }
}

/// Asserts that a row has the nearest bodies, given all distances.
fn assert_nearest(
    what: &str,
    found: &Neighbours,
    row: usize,
    Asked(count, radius): Asked,
    all: &[(u32, f64)],
    size: f64,
) {
    let (ids, distances) = (found.row(row), found.distances_of(row));
    let tolerance = TOLERANCE * size;
    for (id, distance) in ids.iter().zip(distances) {
        let expected = all.iter().find(|(other, _)| other == id).expect("one of the others").1;
        assert!(
            (distance - expected).abs() <= tolerance,
            "{what}: {row} and {id}: {distance} but {expected}"
        );
        assert_eq!(*distance == 0.0, expected == 0.0, "{what}: {row} and {id}");
    }
    let keys: Vec<(f64, u32)> = distances.iter().copied().zip(ids.iter().copied()).collect();
    assert!(keys.is_sorted_by(|a, b| a < b), "{what}: {keys:?}");
    let within = all
        .iter()
        .filter(|(_, distance)| radius.is_none_or(|radius| *distance <= radius))
        .count();
    let expected = within.min(count.unwrap_or(usize::MAX));
    assert_eq!(ids.len(), expected, "{what}: row {row}");
    assert_eq!(
        found.cut()[row],
        radius.is_some() && within > expected,
        "{what}: row {row}"
    );
    // None of the others is nearer; those that collide are the first.
    let farthest = keys.last().map_or(0.0, |last| last.0);
    for (id, distance) in all.iter().filter(|(id, _)| !ids.contains(id)) {
        let is_out = expected < within || radius.is_some_and(|radius| *distance > radius);
        assert!(
            is_out && (*distance >= farthest - tolerance || expected == within),
            "{what}: {row} and {id}"
        );
        assert!(
            *distance > 0.0 || farthest == 0.0 && keys.iter().all(|key| key.1 < *id),
            "{what}: {row} and {id}"
        );
    }
}

#[test]
fn c2_surfaces_of_bodies_of_all_kinds() {
    let mut checker = cpu(Config::default());
    for scene in [
        BodyScene::MixedKinds,
        BodyScene::Lattice,
        BodyScene::Boxes(Scene::Bricks),
        BodyScene::Boxes(Scene::Mixed),
    ] {
        let bodies = scene.bodies(1500, 4);
        let bodies = bodies.all();
        for asked in [
            Asked(Some(1), None),
            Asked(Some(6), None),
            Asked(None, Some(0.3)),
            Asked(Some(4), Some(0.3)),
        ] {
            let found = answer(&mut checker, &asked.of(&NeighbourQuery::of(bodies).by_surface()));
            for row in (0..bodies.len() as u32).step_by(97) {
                let others = (0..bodies.len() as u32).filter(|&other| other != row);
                let all: Vec<(u32, f64)> = others
                    .map(|other| (other, reference(bodies.at(row), bodies.at(other))))
                    .collect();
                assert_nearest(scene.name(), &found, row as usize, asked, &all, 30.0);
            }
        }
    }
}

#[test]
fn c2_surfaces_and_points() {
    let mut checker = cpu(Config::default());
    let bodies = BodyScene::MixedKinds.bodies(800, 6);
    let bodies = bodies.all();
    let points: Vec<Vec3> = (0..200)
        .map(|id| bodies.at(3 * id).center() + Vec3::new(0.5, 0.25, 1.0))
        .collect();
    for asked in [Asked(Some(3), None), Asked(None, Some(0.75))] {
        let found = answer(
            &mut checker,
            &asked.of(&NeighbourQuery::around(&points, bodies).by_surface()),
        );
        for (row, point) in points.iter().enumerate() {
            let ball = Sphere::new(*point, 0.0);
            let all: Vec<(u32, f64)> = (0..800)
                .map(|other| (other, reference((&ball).into(), bodies.at(other))))
                .collect();
            assert_nearest("points", &found, row, asked, &all, 30.0);
        }
    }
    // Points and boxes in f64, far from the origin.
    let far = DVec3::new(4e9, -5e9, 1e9);
    let boxes: Vec<Obb64> = bodies.boxes.iter().map(|obb| moved(obb, far)).collect();
    let only = Bodies {
        boxes: bodies.boxes,
        ..Bodies::default()
    };
    let near = answer(&mut checker, &NeighbourQuery::of(only).by_surface().nearest(3));
    let near_far = answer(&mut checker, &NeighbourQuery::of(&boxes).by_surface().nearest(3));
    assert_eq!(near.offsets(), near_far.offsets());
    for (a, b) in near.distances().iter().zip(near_far.distances()) {
        assert!((a - b).abs() < 1e-5, "{a} {b}");
    }
    let moved: Vec<DVec3> = points.iter().map(|point| point.as_dvec3() + far).collect();
    let around = answer(&mut checker, &NeighbourQuery::around(&points, only).by_surface());
    let around_far = answer(&mut checker, &NeighbourQuery::around(&moved, &boxes).by_surface());
    for (a, b) in around.distances().iter().zip(around_far.distances()) {
        assert!((a - b).abs() < 1e-5, "{a} {b}");
    }
    // The kinds of numbers may be mixed.
    let exact: Vec<DVec3> = points.iter().map(|point| point.as_dvec3()).collect();
    let boxes: Vec<Obb64> = only.boxes.iter().map(|&obb: &Obb| obb.into()).collect();
    for query in [
        NeighbourQuery::around(&exact, only),
        NeighbourQuery::around(&points, &boxes),
    ] {
        let found = answer(&mut checker, &query.by_surface());
        assert_eq!(found.offsets(), around.offsets());
        assert!(
            found
                .distances()
                .iter()
                .zip(around.distances())
                .all(|(a, b)| (a - b).abs() < 1e-9)
        );
    }
}
