//! The fuzz targets of the engine: scenes of any bits of every kind of body, through the CPU
//! backend and compared with the reference. The tests of the engine replay the corpora with them, without a
//! fuzzer.

use obbligato::contact::Contact;
use obbligato::glam::{DVec3, Vec3};
use obbligato::motion::{Motion, MovingSet, Step};
use obbligato::query::{SolidQuery, Sweep};
use obbligato::region::ClosedMesh;
use obbligato::shape::{OwnedBodies, Solid, Triangle};
use obbligato::{
    Backend, BroadPhase, Checker, Config, Error, Obb, Obb64, Pair, Period, Query, Report, Result, Set, Sphere,
};
use obbligato_verify::reference;

use super::bytes::Bytes;
use super::calls::calls;

/// A target, which panics where something is wrong.
type Target = fn(&mut Bytes<'_>);

/// The targets by name.
pub const TARGETS: [(&str, Target); 8] = [
    ("bodies", bodies),
    ("boxes64", boxes64),
    ("solids", solids),
    ("triangles", triangles),
    ("inside", inside),
    ("sweeps", sweeps),
    ("periodic", periodic),
    ("calls", calls),
];

/// Calls the target of this name.
///
/// # Panics
/// If there is none, or if it finds something wrong.
pub fn run(name: &str, data: &[u8]) {
    let (_, target) = TARGETS.iter().find(|(known, _)| *known == name).expect("a target");
    target(&mut Bytes(data));
}

/// Returns a configuration of the CPU backend with any broad phase.
pub fn config(bytes: &mut Bytes<'_>) -> Config {
    Config {
        backend: Backend::Cpu,
        broad_phase: BroadPhase::ALL[bytes.below(BroadPhase::ALL.len())],
        list_touching: true,
        ..Config::default()
    }
}

/// Returns bodies of all kinds, up to `most` of each.
pub fn any_bodies(bytes: &mut Bytes<'_>, most: usize) -> OwnedBodies {
    OwnedBodies {
        boxes: bytes.list(most, Bytes::obb),
        capsules: bytes.list(most, Bytes::capsule),
        spheres: bytes.list(most, Bytes::sphere),
    }
}

/// Returns `true` if no body has a problem.
pub fn are_valid(bodies: &OwnedBodies) -> bool {
    bodies.boxes.iter().all(|obb| obb.problem().is_none())
        && bodies.capsules.iter().all(|capsule| capsule.problem().is_none())
        && bodies.spheres.iter().all(|sphere| sphere.problem().is_none())
}

/// Returns the report of a valid question. Any other is refused with an error about it, after which
/// the checker is right.
#[track_caller]
pub fn answer(checker: &mut Checker, result: Result<Report>, valid: bool) -> Option<Report> {
    match (result, valid) {
        (Ok(report), true) => Some(report),
        (Err(error), false) => {
            let message = error.to_string();
            assert!(!message.contains('\n') && message.len() < 2000, "{message:?}");
            let two = [Sphere::new(Vec3::ZERO, 1.0), Sphere::new(Vec3::X, 1.0)];
            let report = checker.check(&two).expect("valid spheres");
            assert_eq!(report.pairs().expect("asked for"), [Pair::new(0, 1)]);
            None
        }
        (Ok(_), false) => panic!("invalid input is accepted"),
        (Err(error), true) => panic!("valid input is refused: {error}"),
    }
}

/// Compares a report with pairs and how they meet.
#[track_caller]
pub fn expect(report: &Report, expected: &[(Pair, Contact)]) {
    let pairs: Vec<Pair> = expected.iter().map(|(pair, _)| *pair).collect();
    assert_eq!(report.pairs().expect("asked for"), pairs);
    let touching = expected.iter().filter(|(_, contact)| *contact == Contact::Touching);
    let touching: Vec<Pair> = touching.map(|(pair, _)| *pair).collect();
    assert_eq!(report.touching().expect("asked for"), touching);
}

fn bodies(bytes: &mut Bytes<'_>) {
    let mut checker = Checker::new(config(bytes)).expect("the CPU is always there");
    let bodies = any_bodies(bytes, 5);
    let result = checker.check(bodies.all());
    if let Some(report) = answer(&mut checker, result, are_valid(&bodies)) {
        expect(&report, &reference::contacts(bodies.all()));
    }
}

fn boxes64(bytes: &mut Bytes<'_>) {
    let mut checker = Checker::new(config(bytes)).expect("the CPU is always there");
    let far = match bytes.byte() {
        0..=127 => 0.0,
        kind => f64::from(kind) * 1e6 + 1.0 / 3.0,
    };
    let boxes: Vec<Obb64> = bytes.list(6, |bytes| {
        let obb = Obb64::from(bytes.obb());
        Obb64 {
            center: obb.center + DVec3::splat(far),
            ..obb
        }
    });
    let valid = boxes.iter().all(|obb| obb.problem().is_none());
    let result = checker.check(&boxes);
    if let Some(report) = answer(&mut checker, result, valid) {
        expect(&report, &reference::contacts64(&boxes));
    }
}

/// Returns all pairs of `count` items for which `meet` returns `true`.
pub fn all_pairs(count: usize, meet: impl Fn(usize, usize) -> bool) -> Vec<Pair> {
    let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
    let pairs = pairs.filter(|&(a, b)| meet(a, b));
    pairs.map(|(a, b)| Pair::new(a as u32, b as u32)).collect()
}

fn solids(bytes: &mut Bytes<'_>) {
    let config = Config {
        list_touching: false,
        ..config(bytes)
    };
    let groups: Vec<Vec<Vec3>> = bytes.list(4, |bytes| bytes.list(7, Bytes::point));
    let made: Vec<(Vec<Vec3>, Solid)> = groups
        .into_iter()
        .filter_map(|points| match Solid::from_points(&points) {
            Ok(solid) => Some((points, solid)),
            Err(error) => {
                let invalid = |point: &Vec3| !point.is_finite() || point.abs().max_element() > 1e18;
                assert!(points.is_empty() || points.iter().any(invalid), "{error}");
                None
            }
        })
        .collect();
    let solids: Vec<Solid> = made.iter().map(|(_, solid)| solid.clone()).collect();
    let mut checker = Checker::new(config).expect("the CPU is always there");
    let report = checker.check(SolidQuery::new(&solids)).expect("valid solids");
    let meet = |a: usize, b: usize| reference::solids_contact(&made[a].0, &made[b].0).collides();
    assert_eq!(report.pairs().expect("asked for"), all_pairs(made.len(), meet));
}

fn triangle(bytes: &mut Bytes<'_>) -> Triangle {
    Triangle::new(bytes.point(), bytes.point(), bytes.point())
}

/// Triangles of one mesh, with common corners, and of two.
fn triangles(bytes: &mut Bytes<'_>) {
    let config = Config {
        list_touching: false,
        ..config(bytes)
    };
    let mut list = bytes.list(6, triangle);
    for k in 1..list.len() {
        for corner in 0..3 {
            if bytes.below(3) == 0 {
                list[k].corners[corner] = list[k - 1].corners[bytes.below(3)];
            }
        }
    }
    let mut checker = Checker::new(config).expect("the CPU is always there");
    let valid = list.iter().all(|triangle| triangle.problem().is_none());
    let result = checker.check(Query::mesh(&list));
    let Some(report) = answer(&mut checker, result, valid) else {
        return;
    };
    let meet = |a: usize, b: usize| reference::triangles_meet_in_mesh(&list[a], &list[b]);
    assert_eq!(report.pairs().expect("asked for"), all_pairs(list.len(), meet));
    let (first, second) = list.split_at(list.len() / 2);
    let report = checker.check(Query::between(first, second)).expect("valid triangles");
    let meet = |a: usize, b: usize| reference::triangles_meet(&first[a], &second[b]);
    let expected = (0..first.len()).flat_map(|a| (0..second.len()).map(move |b| (a, b)));
    let expected: Vec<Pair> = expected
        .filter(|&(a, b)| meet(a, b))
        .map(|(a, b)| Pair {
            a: a as u32,
            b: b as u32,
        })
        .collect();
    assert_eq!(report.pairs().expect("asked for"), expected);
}

/// Points in a mesh of tetrahedra.
fn inside(bytes: &mut Bytes<'_>) {
    let mut list = Vec::new();
    for _ in 0..bytes.below(4) {
        let [a, b, c, d] = [0; 4].map(|_| bytes.point());
        list.extend([[a, c, b], [a, b, d], [b, c, d], [a, d, c]].map(|[a, b, c]| Triangle::new(a, b, c)));
    }
    let valid = list.iter().all(|triangle| triangle.problem().is_none());
    match ClosedMesh::new(&list) {
        Ok(mesh) => {
            assert!(valid, "invalid input is accepted");
            let points = bytes.list(6, Bytes::point);
            for point in points
                .into_iter()
                .filter(|point| point.is_finite() && point.abs().max_element() < 1e18)
            {
                assert_eq!(mesh.locate(point), reference::point_in_mesh(point, &list), "{point}");
            }
        }
        Err(error) => assert!(!valid, "{error}"),
    }
}

/// Boxes that move straight: the pairs are exact.
fn sweeps(bytes: &mut Bytes<'_>) {
    let config = Config {
        list_touching: false,
        ..config(bytes)
    };
    let boxes: Vec<Obb> = bytes.list(5, Bytes::obb);
    let motions: Vec<Motion> = boxes.iter().map(|_| Motion::linear(bytes.point())).collect();
    let dt = f64::from(bytes.size());
    let mut checker = Checker::new(config).expect("the CPU is always there");
    match checker.check(Sweep::new(MovingSet::new(&boxes, &motions), &Step::new(dt))) {
        Ok(found) => {
            let mut pairs: Vec<Pair> = found.impacts.iter().map(|impact| impact.pair).collect();
            pairs.sort_unstable();
            let meet = |a: usize, b: usize| {
                let velocities = [a, b].map(|k| motions[k].velocity);
                boxes[a].groups_meet(&boxes[b])
                    && reference::first_contact([&boxes[a], &boxes[b]], velocities, dt).is_some()
            };
            assert_eq!(pairs, all_pairs(boxes.len(), meet));
        }
        Err(error) => assert!(
            matches!(
                error,
                Error::InvalidBox { .. } | Error::InvalidMotion { .. } | Error::InvalidStep { .. }
            ),
            "{error}"
        ),
    }
}

fn periodic(bytes: &mut Bytes<'_>) {
    let config = Config {
        list_touching: false,
        ..config(bytes)
    };
    let lengths = [0; 3].map(|_| bytes.coin().then(|| f64::from(bytes.size())));
    let bodies = any_bodies(bytes, 3);
    let mut checker = Checker::new(config).expect("the CPU is always there");
    let query = Query::from(Set::from(bodies.all())).periodic(Period::new(lengths));
    match checker.check(query) {
        Ok(report) => {
            assert!(are_valid(&bodies), "invalid input is accepted");
            let expected = reference::periodic_pairs(bodies.all(), lengths, 0.0);
            let expected: Vec<Pair> = expected.into_iter().map(|(pair, _)| pair).collect();
            assert_eq!(report.pairs().expect("asked for"), expected);
        }
        Err(error) => {
            let of_period = matches!(error, Error::InvalidPeriod { .. } | Error::OutOfPeriod { .. });
            assert!(of_period || !are_valid(&bodies), "{error}");
        }
    }
}
