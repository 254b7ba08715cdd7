//! Closest approaches of spheres in `f32`, against those in `f64`.

use obbligato::glam::Vec3;
use obbligato::motion::{Approaching, Motion, MovingSet, Step};
use obbligato::query::ApproachQuery;
use obbligato::shape::OwnedBodies;
use obbligato::{Config, Obb, Pair, Precision, Sphere};
use obbligato_support::split_mix::SplitMix;

use crate::support::gpu::cpu;

/// A crowd of discs among which some stand, and a box and a disc that speeds up, which are exact.
#[test]
fn c5_spheres_in_f32_approach_as_in_f64_within_the_error() {
    const ERROR: f64 = 2e-6;
    let mut random = SplitMix(72);
    let mut number = |size: f64| (size * (2.0 * random.unit() - 1.0)) as f32;
    let mut bodies = OwnedBodies::default();
    bodies.boxes.push(Obb::axis_aligned(Vec3::ZERO, Vec3::ONE));
    let mut motions = vec![Motion::linear(Vec3::new(0.5, 0.25, 0.0))];
    for k in 0..1_500 {
        let center = Vec3::new(number(40.0), number(40.0), 0.0);
        bodies.spheres.push(Sphere::new(center, 0.3 + number(0.2)));
        let velocity = Vec3::new(number(2.0), number(2.0), 0.0);
        motions.push(Motion::linear(if k % 9 == 0 { Vec3::ZERO } else { velocity }));
    }
    motions[7].acceleration = Vec3::new(0.0, 0.5, 0.0);
    let (all, step, within) = (bodies.all(), Step::new(2.5), 0.25);
    let answer = |precision| {
        let query = ApproachQuery::new(MovingSet::new(all, &motions), &step, within);
        let found = cpu(Config {
            precision,
            ..Config::default()
        })
        .check(query)
        .expect("a valid scene");
        assert!(
            found
                .approaches
                .is_sorted_by_key(|one| (one.nearest.time.to_bits(), one.pair))
        );
        found.approaches
    };
    let in_order = |mut all: Vec<Approaching>| {
        all.sort_by_key(|one| one.pair);
        all
    };
    let [exact, fast] = [Precision::Exact, Precision::Fast].map(answer).map(in_order);
    let size = |pair: Pair| {
        let [(a, of_a), (b, of_b)] = [pair.a, pair.b].map(|id| (all.at(id), &motions[id as usize]));
        let apart = b.center().as_dvec3().distance(a.center().as_dvec3());
        apart + step.dt * of_b.velocity.as_dvec3().distance(of_a.velocity.as_dvec3()) + 4.0
    };
    let of = |list: &[Approaching], pair| list.iter().find(|one| one.pair == pair).map(|one| one.nearest);
    let mut both = 0;
    for one in &exact {
        match of(&fast, one.pair) {
            Some(near) => {
                both += 1;
                assert!(
                    (near.distance - one.nearest.distance).abs() <= ERROR * size(one.pair),
                    "{one:?} {near:?}"
                );
                let is_exact = [one.pair.a, one.pair.b].iter().any(|id| [0, 7].contains(id));
                assert!(!is_exact || near == one.nearest, "{one:?} {near:?}");
            }
            None => assert!(one.nearest.distance > within - ERROR * size(one.pair), "{one:?}"),
        }
    }
    for one in fast.iter().filter(|one| of(&exact, one.pair).is_none()) {
        assert!(one.nearest.distance > within - ERROR * size(one.pair), "{one:?}");
    }
    assert!(both > 1_000, "{both}");
}
