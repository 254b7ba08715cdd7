//! Lists of pairs of bodies.

use obbligato::query::{ContactQuery, DistanceQuery};
use obbligato::{
    Backend, Bodies, Capsule, Checker, Config, Error, Obb, Pair, Sphere,
    contact::{closest_points, contacts},
    shape::BodyRef,
};

use crate::body_contacts::{Body, Random};

/// A scene, all pairs of it, and pairs between its halves.
fn scene(count: u64) -> (Vec<Obb>, Vec<Capsule>, Vec<Sphere>, Vec<Pair>) {
    let (mut boxes, mut capsules, mut spheres) = (Vec::new(), Vec::new(), Vec::new());
    let mut random = Random::new(2);
    for _ in 0..count {
        match random.body() {
            Body::Box(obb) => boxes.push(obb),
            Body::Capsule(capsule) => capsules.push(capsule),
            Body::Sphere(sphere) => spheres.push(sphere),
        }
    }
    let ids = 0..count as u32;
    let mut pairs: Vec<Pair> = ids
        .clone()
        .flat_map(|a| ids.clone().map(move |b| Pair { a, b }))
        .collect();
    pairs.sort_by_key(|pair| u64::from(pair.a.wrapping_mul(0x9e37_79b9) ^ pair.b.wrapping_mul(0x85eb_ca6b)));
    (boxes, capsules, spheres, pairs)
}

#[test]
fn s1_results_keep_the_order_of_the_pairs() {
    let (boxes, capsules, spheres, pairs) = scene(60);
    let bodies = Bodies {
        boxes: &boxes,
        capsules: &capsules,
        spheres: &spheres,
    };
    let of_boxes = Bodies::from(&boxes);
    let is_round = |pair: &Pair| pair.a.max(pair.b) as usize >= boxes.len();
    let two_boxes: Vec<Pair> = pairs.iter().copied().filter(|pair| !is_round(pair)).collect();
    assert!(two_boxes.len() > 100 && two_boxes.len() < pairs.len() / 2);
    for backend in [Backend::Cpu, Backend::Gpu] {
        let mut checker = Checker::new(Config {
            backend,
            ..Config::default()
        })
        .expect("a checker");
        let found = checker.check(ContactQuery::within(bodies, &pairs)).expect("contacts");
        let points = checker.check(DistanceQuery::within(bodies, &pairs)).expect("points");
        let mut of_two = checker
            .check(ContactQuery::within(of_boxes, &two_boxes))
            .expect("contacts");
        let points_of_two = checker
            .check(DistanceQuery::new([&boxes, &boxes], &two_boxes))
            .expect("points");
        assert_eq!((found.penetrations().len(), points.len()), (pairs.len(), pairs.len()));
        let mut of_boxes_only = (0..two_boxes.len()).map(|next| {
            let (penetration, own) = (of_two.penetrations()[next], of_two.points_of(next));
            (penetration, own, points_of_two[next])
        });
        for (k, pair) in pairs.iter().enumerate() {
            let own = (found.penetrations()[k], found.points_of(k), points[k]);
            if !is_round(pair) {
                assert_eq!(Some(own), of_boxes_only.next(), "{pair:?}");
                continue;
            }
            let (a, b) = (bodies.at(pair.a), bodies.at(pair.b));
            let manifold = a.manifold(b);
            let penetration = manifold.as_ref().map(|manifold| *manifold.penetration());
            let of_manifold = manifold.as_ref().map_or(&[][..], |manifold| manifold.points());
            assert_eq!(own, (penetration, of_manifold, a.closest_points(b)), "{pair:?}");
        }
        drop(of_boxes_only);
        of_two.update([bodies; 2], &pairs).expect("contacts");
        if backend == Backend::Cpu {
            assert_eq!(of_two, found);
            assert_eq!(contacts([bodies; 2], &pairs).expect("contacts"), found);
            assert_eq!(closest_points([bodies; 2], &pairs).expect("points"), points);
        }
        expect_between(&mut checker, &capsules, &spheres);
        expect_errors(&mut checker, bodies, &pairs);
    }
}

/// Asserts the distances between two lists of one kind each.
fn expect_between(checker: &mut Checker, capsules: &[Capsule], spheres: &[Sphere]) {
    let [capsules_first, spheres_then] = [Bodies::from(capsules), Bodies::from(spheres)];
    let between = [Pair { a: 1, b: 0 }, Pair { a: 0, b: 1 }];
    let found = checker
        .check(DistanceQuery::new([capsules_first, spheres_then], &between))
        .expect("points");
    assert_eq!(
        found[0],
        BodyRef::from(&capsules[1]).closest_points((&spheres[0]).into())
    );
    assert_eq!(
        found[1],
        BodyRef::from(&capsules[0]).closest_points((&spheres[1]).into())
    );
}

/// Asserts the errors for a missing and for an invalid body.
fn expect_errors(checker: &mut Checker, bodies: Bodies<'_>, pairs: &[Pair]) {
    let missing = [Pair { a: 0, b: 60 }];
    let error = checker
        .check(ContactQuery::within(bodies, &missing))
        .expect_err("no such body");
    assert!(
        matches!(
            error,
            Error::InvalidPair {
                named: 60,
                boxes: 60,
                ..
            }
        ),
        "{error}"
    );
    let mut bad = bodies.spheres.to_vec();
    bad[1].radius = -1.0;
    let with_bad = Bodies {
        spheres: &bad,
        ..bodies
    };
    let error = checker
        .check(DistanceQuery::new([bodies, with_bad], pairs))
        .expect_err("a bad ball");
    // Positions continue from the first list to the second.
    let index = bodies.len() + bodies.boxes.len() + bodies.capsules.len() + 1;
    assert!(
        matches!(error, Error::InvalidBody { index: at, kind: "sphere", count: 1, .. } if at == index),
        "{error}"
    );
}
