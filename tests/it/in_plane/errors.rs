//! Bodies that are not in the plane.

use obbligato::error::PlaneProblem;
use obbligato::glam::{Quat, Vec2, Vec3};
use obbligato::motion::{Motion, MovingSet, Step};
use obbligato::query::{ContactQuery, DistanceQuery, Sweep};
use obbligato::shape::{Aabb, yaw};
use obbligato::{Bodies, BroadPhase, Capsule, Error, Obb, Pair, Query, Sphere};

use super::config;
use crate::support::gpu::cpu;

#[track_caller]
fn expect<T>(result: obbligato::Result<T>, index: usize, problem: PlaneProblem, count: usize) {
    match result {
        Err(Error::NotInPlane {
            index: first,
            problem: found,
            count: all,
        }) => assert_eq!((first, found, all), (index, problem, count)),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("{problem:?} is accepted"),
    }
}

#[test]
fn c4_bodies_off_the_plane_are_refused() {
    let square = Obb::in_plane(Vec2::ZERO, Vec2::ONE, yaw(0.5));
    let plank = Capsule::in_plane(Vec2::ONE, 1.0, yaw(0.5), 0.5);
    let mut checker = cpu(config(BroadPhase::Auto));
    let raised = Obb {
        center: Vec3::Z,
        ..square
    };
    let tilted = Obb {
        rotation: Quat::from_xyzw(0.6, 0.0, 0.0, 0.8),
        ..square
    };
    let flat = Obb {
        half_extents: Vec3::new(1.0, 1.0, 0.0),
        ..square
    };
    let upright = Capsule::new(Vec3::ZERO, 1.0, Quat::IDENTITY, 0.5);
    for (obb, problem) in [
        (raised, PlaneProblem::OffPlane),
        (tilted, PlaneProblem::Tilted),
        (flat, PlaneProblem::NoHeight),
    ] {
        let boxes = [square, obb, obb];
        expect(checker.check(Query::from(&boxes).in_plane()), 1, problem, 2);
        expect(
            checker.check(Query::between(&[square], &boxes).in_plane()),
            2,
            problem,
            2,
        );
        let listed = [Pair::new(0, 1)];
        expect(
            checker.check(ContactQuery::within(&boxes, &listed).in_plane()),
            1,
            problem,
            2,
        );
        expect(
            checker.check(DistanceQuery::within(&boxes, &listed).in_plane()),
            1,
            problem,
            2,
        );
    }
    let bodies = Bodies {
        boxes: &[square],
        capsules: &[plank, upright],
        spheres: &[Sphere::new(Vec3::X, 1.0)],
    };
    expect(
        checker.check(Query::from(bodies).in_plane()),
        2,
        PlaneProblem::Tilted,
        1,
    );
    let bounds = [Aabb::new(Vec3::ZERO, Vec3::ONE)];
    let refused = checker.check(Query::from(&bounds).in_plane());
    assert!(matches!(refused, Err(Error::Unavailable { .. })));
}

#[test]
fn c4_motions_out_of_the_plane_are_refused() {
    let squares = [Obb::in_plane(Vec2::ZERO, Vec2::ONE, yaw(0.5)); 2];
    let mut checker = cpu(config(BroadPhase::Auto));
    for motion in [
        Motion::linear(Vec3::Z),
        Motion::REST.turning(Vec3::X),
        Motion::REST.accelerated(Vec3::Z),
    ] {
        let motions = [Motion::REST, motion];
        let sweep = Sweep::new(MovingSet::new(&squares, &motions), &Step::new(1.0));
        expect(checker.check(sweep.in_plane()), 1, PlaneProblem::LeavesPlane, 1);
    }
    // The turn of a ball makes no difference.
    let balls = [Sphere::new(Vec3::ZERO, 1.0); 2];
    let motions = [Motion::REST.turning(Vec3::X); 2];
    let sweep = Sweep::new(MovingSet::new(&balls, &motions), &Step::new(1.0));
    assert_eq!(checker.check(sweep.in_plane()).expect("in the plane").impacts.len(), 1);
}

/// A capsule's rotation may be of length 1/√2 only as `in_plane` makes it.
#[test]
fn c4_turns_of_capsules_are_checked() {
    assert!(Capsule::in_plane(Vec2::ZERO, 1.0, yaw(2.0), 0.5).problem().is_none());
    let short = Quat::from_xyzw(0.0, 0.0, 0.5, 0.5);
    assert!(Capsule::new(Vec3::ZERO, 1.0, short, 0.5).problem().is_some());
    let wrong = [
        Quat::from_xyzw(0.6, 0.0, 0.0, 0.8),
        yaw(f64::NAN),
        yaw(1.0) * 1.1,
        Quat::from_xyzw(0.0, 0.0, 1.0, 1.0),
    ];
    for turn in wrong {
        assert!(
            Capsule::in_plane(Vec2::ZERO, 1.0, turn, 0.5).problem().is_some(),
            "{turn}"
        );
    }
    assert!(
        Obb::in_plane(Vec2::ZERO, Vec2::ONE, yaw(f64::INFINITY))
            .problem()
            .is_some()
    );
}
