//! The errors about periods, and about bodies that do not fit them.

use obbligato::error::PeriodProblem;
use obbligato::glam::{DVec3, Vec3};
use obbligato::motion::{Impacts, Motion, MovingSet, Step};
use obbligato::query::{InImages, Sweep};
use obbligato::shape::{Aabb, Triangle};
use obbligato::{BroadPhase, Config, Error, Obb, Obb64, Period, Query, Result, Sphere};

use super::{Lengths, config};
use crate::support::gpu::cpu;

const LENGTHS: Lengths = [Some(4.0), None, Some(3.0)];

fn refused<'a>(query: impl Into<Query<'a>>, lengths: Lengths, margin: f64) -> Error {
    let query = query.into().periodic(Period::new(lengths));
    let checked: Result<_> = cpu(config(BroadPhase::Auto, margin)).check(query);
    checked.expect_err("it is not allowed")
}

#[test]
fn c1_lengths_are_checked() {
    let balls = [Sphere::new(Vec3::ZERO, 0.1)];
    for length in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-40] {
        match refused(&balls, [None, Some(length), None], 0.0) {
            error @ Error::InvalidPeriod { axis: 'y', .. } => {
                assert!(error.to_string().starts_with("the period along y is "), "{error}");
            }
            other => panic!("{length}: {other}"),
        }
    }
}

#[test]
fn c1_bodies_narrower_than_the_period() {
    let wide = |x: f32| Obb::axis_aligned(Vec3::ZERO, Vec3::new(x, 9.0, 0.5));
    let boxes = [wide(1.0), wide(2.0), wide(2.0f32.next_down()), wide(3.0)];
    match refused(&boxes, LENGTHS, 0.0) {
        error @ Error::OutOfPeriod {
            index: 1,
            problem: PeriodProblem::TooWide { axis: 'x' },
            count: 2,
        } => {
            let text = "body 1 is as wide as the period along x, or wider (2 such bodies in all): give a longer \
                        period, or fix or remove them";
            assert_eq!(error.to_string(), text);
        }
        other => panic!("{other}"),
    }
    let period = Period::new(LENGTHS);
    let narrow = [boxes[0], boxes[2]];
    assert!(
        cpu(Config::default())
            .check(Query::from(&narrow).periodic(period))
            .is_ok()
    );
}

#[test]
fn c1_centers_within_reach_of_f64() {
    let far = Obb64::axis_aligned(DVec3::new(0.0, 0.0, 1e16), Vec3::splat(0.1));
    let near = Obb64 {
        center: DVec3::new(0.0, 0.0, 3e15),
        ..far
    };
    match refused(&[near, far], LENGTHS, 0.0) {
        Error::OutOfPeriod {
            index: 1,
            problem: PeriodProblem::TooFar { axis: 'z' },
            count: 1,
        } => {}
        other => panic!("{other}"),
    }
    let query = [near, near];
    assert!(
        cpu(Config::default())
            .check(Query::from(&query).periodic(Period::new(LENGTHS)))
            .is_ok()
    );
}

#[test]
fn c1_margins_of_many_periods() {
    let balls = [Sphere::new(Vec3::ZERO, 0.1), Sphere::new(Vec3::ONE, 0.1)];
    for query in [
        Query::from(&balls),
        Query::pairs(&balls, &[obbligato::Pair { a: 0, b: 1 }]),
    ] {
        let period = Period::new([Some(0.5), None, None]);
        assert!(cpu(config(BroadPhase::Auto, 8.0)).check(query.periodic(period)).is_ok());
        match refused(query, period.lengths, 100.0) {
            error @ Error::Unavailable { .. } => assert!(error.to_string().contains("16 periods"), "{error}"),
            other => panic!("{other}"),
        }
    }
}

/// A body that turns is as wide as it gets.
#[test]
fn c1_sweeps_of_bodies_narrower_than_the_period() {
    let rod = |x: f32| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::new(0.25, 2.0, 0.25));
    let boxes = [rod(0.0), rod(1.0), rod(2.0)];
    let turns = |speed: f32| Motion::REST.turning(Vec3::Z * speed);
    let sweep = |motions: &[Motion], dt: f64| {
        let sweep = Sweep::new(MovingSet::new(&boxes, motions), &Step::new(dt));
        cpu(Config::default()).check(sweep.periodic(Period::new(LENGTHS)))
    };
    // Only the second turns so that it is 4 wide; the third is then as if turned by half of that.
    let motions = [Motion::linear(Vec3::X * 20.0), turns(1.6), turns(0.8)];
    match sweep(&motions, 1.0) {
        Err(Error::OutOfPeriod {
            index: 1,
            problem: PeriodProblem::TooWide { axis: 'x' },
            count: 1,
        }) => {}
        other => panic!("{other:?}"),
    }
    assert!(sweep(&motions, 0.5).is_ok());
    assert!(sweep(&motions, 0.0).is_ok());
    let far = [Motion::linear(Vec3::X * 70.0), Motion::REST, Motion::REST];
    match sweep(&far, 1.0) {
        Err(error @ Error::Unavailable { .. }) => assert!(error.to_string().contains("16 periods"), "{error}"),
        other => panic!("{other:?}"),
    }
    assert!(sweep(&far, 0.9).is_ok());
    let second = [Sphere::new(Vec3::ZERO, 2.0)];
    let (sets, step) = (
        [MovingSet::new(&boxes, &far), MovingSet::new(&second, &[Motion::REST])],
        Step::new(0.1),
    );
    match cpu(Config::default()).check(Sweep::between(sets[0], sets[1], &step).periodic(Period::new(LENGTHS))) {
        Err(Error::OutOfPeriod { index: 3, count: 1, .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn c1_sweeps_that_are_not_offered() {
    let (balls, rest) = ([Sphere::new(Vec3::ZERO, 0.1)], [Motion::REST]);
    let (set, step, period) = (MovingSet::new(&balls, &rest), Step::new(1.0), Period::new(LENGTHS));
    let mut checker = cpu(Config::default());
    let words = |found: Result<InImages<Impacts>>, words: &str| {
        let error = found.expect_err("it is not offered");
        assert!(error.to_string().contains(words), "{error}");
    };
    let mut with_margin = cpu(config(BroadPhase::Auto, 0.5));
    words(
        with_margin.check(Sweep::new(set, &step).periodic(period)),
        "a sweep with a margin",
    );
    let none = Period::new([Some(0.0), None, None]);
    words(
        checker.check(Sweep::new(set, &step).periodic(none)),
        "the period along x",
    );
}

#[test]
fn c1_other_shapes_and_questions() {
    let balls = [Sphere::new(Vec3::ZERO, 0.1)];
    let bounds = [Aabb::new(Vec3::ZERO, Vec3::ONE)];
    let triangles = [Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y)];
    let mut checker = cpu(Config::default());
    let scene = checker.prepare(&balls).expect("a scene");
    let unavailable = |error: Error| assert!(matches!(error, Error::Unavailable { .. }), "{error}");
    unavailable(refused(&bounds, LENGTHS, 0.0));
    unavailable(refused(&triangles, LENGTHS, 0.0));
    unavailable(refused(Query::mesh(&triangles), LENGTHS, 0.0));
    unavailable(refused(Query::against(&scene, &triangles), LENGTHS, 0.0));
}
