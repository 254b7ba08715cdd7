//! Bad questions, each with its own error.

use obbligato::glam::{DVec3, Vec3};
use obbligato::query::{NeighbourQuery, Points};
use obbligato::shape::{Aabb, Triangle};
use obbligato::{Config, Error, Obb, Obb64, Rules, Set, Sphere, Stop};

use crate::support::gpu::cpu;

fn refused(query: &NeighbourQuery<'_>) -> Error {
    cpu(Config::default()).check(*query).expect_err("a bad question")
}

#[test]
fn c2_bad_numbers_are_refused() {
    let balls = [Sphere::new(Vec3::ZERO, 1.0); 2];
    let query = NeighbourQuery::of(&balls);
    for bad in [
        query.nearest(0),
        query.nearest_within(0, 1.0),
        query.by_surface().nearest(0),
    ] {
        assert!(matches!(refused(&bad), Error::InvalidSearch { what: "number", .. }));
    }
    for radius in [-1.0, f64::NAN, f64::NEG_INFINITY] {
        assert!(matches!(
            refused(&query.within(radius)),
            Error::InvalidSearch { what: "radius", .. }
        ));
        assert!(matches!(
            refused(&query.nearest_within(3, radius)),
            Error::InvalidSearch { what: "radius", .. }
        ));
    }
    let message = refused(&query.within(-2.0)).to_string();
    assert_eq!(
        message,
        "the radius of neighbours is -2: give a number that is at least 0"
    );
}

#[test]
fn c2_bad_bodies_and_points_are_refused() {
    let boxes = [
        Obb::axis_aligned(Vec3::ZERO, Vec3::ONE),
        Obb::axis_aligned(Vec3::NAN, Vec3::ONE),
    ];
    assert!(matches!(
        refused(&NeighbourQuery::of(&boxes)),
        Error::InvalidBox { index: 1, count: 1, .. }
    ));
    let balls = [Sphere::new(Vec3::ZERO, -1.0)];
    assert!(matches!(
        refused(&NeighbourQuery::of(&balls).by_surface()),
        Error::InvalidBody { index: 0, .. }
    ));
    let wide = [Obb64::axis_aligned(DVec3::splat(1e30), Vec3::ONE)];
    assert!(matches!(refused(&NeighbourQuery::of(&wide)), Error::InvalidBox { .. }));
    let good = [Sphere::new(Vec3::ZERO, 1.0)];
    let single = [Vec3::ZERO, Vec3::NAN, Vec3::INFINITY];
    let double = [DVec3::ZERO, DVec3::splat(1e20), DVec3::NAN];
    for points in [Points::from(&single), Points::from(&double)] {
        let error = refused(&NeighbourQuery::around(points, &good));
        assert!(
            matches!(
                error,
                Error::InvalidPoint {
                    index: 1,
                    count: 2,
                    group: None,
                    ..
                }
            ),
            "{error}"
        );
    }
    let rules = Rules {
        owners: Some(&[1, 2]),
        ..Rules::default()
    };
    assert!(matches!(
        refused(&NeighbourQuery::of(Set::from(&good).with(rules))),
        Error::InvalidRule { .. }
    ));
}

#[test]
fn c2_other_shapes_are_refused() {
    let bounds = [Aabb::new(Vec3::ZERO, Vec3::ONE)];
    let triangles = [Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y)];
    for query in [NeighbourQuery::of(&bounds), NeighbourQuery::of(&triangles)] {
        assert!(matches!(refused(&query), Error::Unavailable { .. }));
    }
    let balls = [Sphere::new(Vec3::ZERO, 1.0)];
    let query = NeighbourQuery::around(&[DVec3::ONE], &balls);
    assert!(cpu(Config::default()).check(query).is_ok());
    assert!(matches!(refused(&query.by_surface()), Error::Unavailable { .. }));
}

#[test]
fn c2_a_search_can_be_stopped() {
    let stop = Stop::default();
    let mut checker = cpu(Config {
        stop: stop.clone(),
        ..Config::default()
    });
    let balls = [Sphere::new(Vec3::ZERO, 1.0); 9];
    stop.request();
    assert!(matches!(checker.check(NeighbourQuery::of(&balls)), Err(Error::Stopped)));
    stop.clear();
    assert!(checker.check(NeighbourQuery::of(&balls)).is_ok());
}
