//! Sets of all shapes: which questions take them, and the error where one does not.

use obbligato::contact::{closest_points, contacts};
use obbligato::glam::{DVec2, DVec3, Quat, Vec3};
use obbligato::motion::{Motion, MovingSet, Step};
use obbligato::query::{ContactQuery, DistanceQuery, MeshQuery, Sweep, TileQuery};
use obbligato::shape::{Aabb, Shapes, Triangle, Upright};
use obbligato::tiles::Tiling;
use obbligato::tracking::{Tracker, TrackerConfig};
use obbligato::{Bodies, Capsule, Config, Error, Obb, Obb64, Pair, Query, Rules, Set, Sphere};
use obbligato_verify::reference;
use obbligato_verify::scenes::Scene;

use crate::support::gpu::{backends, check, cpu};

/// Shapes of every kind, near each other.
struct Lists {
    boxes: Vec<Obb>,
    capsules: [Capsule; 1],
    spheres: [Sphere; 1],
    boxes64: [Obb64; 1],
    uprights: [Upright; 1],
    bounds: [Aabb; 1],
    triangles: [Triangle; 1],
}

impl Lists {
    fn new() -> Self {
        let upright = Upright::from_yaw(DVec2::new(0.5, 0.0), DVec2::ONE, 0.3, [-1.0, 1.0]);
        Self {
            boxes: vec![Obb::axis_aligned(Vec3::ZERO, Vec3::ONE); 2],
            capsules: [Capsule::new(Vec3::ZERO, 1.0, Quat::IDENTITY, 0.5)],
            spheres: [Sphere::new(Vec3::ZERO, 0.5)],
            boxes64: [Obb64::axis_aligned(DVec3::new(1.5, 0.0, 0.0), Vec3::ONE)],
            uprights: [upright.expect("a valid cuboid")],
            bounds: [Aabb::new(Vec3::ZERO, Vec3::ONE)],
            triangles: [Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y)],
        }
    }

    /// All lists; the first four are bodies or upright cuboids, the first and the next are boxes.
    fn all(&self) -> [(&'static str, Shapes<'_>); 7] {
        [
            ("boxes", (&self.boxes).into()),
            ("upright", (&self.uprights).into()),
            ("capsules", (&self.capsules).into()),
            ("spheres", (&self.spheres).into()),
            ("f64", (&self.boxes64).into()),
            ("bounds", (&self.bounds).into()),
            ("triangles", (&self.triangles).into()),
        ]
    }
}

fn is_of_bodies(what: &str) -> bool {
    ["boxes", "upright", "capsules", "spheres"].contains(&what)
}

fn is_of_boxes(what: &str) -> bool {
    ["boxes", "upright", "f64"].contains(&what)
}

/// An answer, or the error that the question is not offered for these shapes.
fn is_offered<T>(what: &str, answer: Result<T, Error>) -> bool {
    match answer {
        Ok(_) => true,
        Err(Error::Unavailable { hint, .. }) if hint.contains("pass ") => false,
        Err(other) => panic!("{what}: {other}"),
    }
}

/// Two sets meet if both are bodies, if both are boxes of any kind, or if both are the same shape.
#[test]
fn two_sets_of_all_shapes_are_compared_or_refused() {
    let lists = Lists::new();
    for (backend, mut checker) in backends(&Config::default()) {
        for (first, a) in lists.all() {
            for (second, b) in lists.all() {
                let what = format!("{backend}: {first} and {second}");
                let expected = first == second
                    || is_of_bodies(first) && is_of_bodies(second)
                    || is_of_boxes(first) && is_of_boxes(second);
                assert_eq!(
                    is_offered(&what, checker.check(Query::between(a, b))),
                    expected,
                    "{what}"
                );
            }
        }
    }
}

/// Queries that take bodies also take upright cuboids, and reject all other shapes.
#[test]
fn questions_about_bodies_refuse_other_shapes() {
    let lists = Lists::new();
    let tiling = Tiling::of_sample(&lists.boxes, 1).expect("a tiling");
    let tile = tiling.tiles()[0];
    let mut checker = cpu(Config::default());
    let scene = checker.prepare(&lists.boxes).expect("a scene");
    for (what, shapes) in lists.all() {
        assert!(is_offered(what, checker.check(shapes)), "{what}");
        for query in [Query::mesh(shapes), Query::mesh_without_neighbours(shapes)] {
            assert_eq!(is_offered(what, checker.check(query)), what == "triangles", "{what}");
        }
        assert_eq!(
            is_offered(what, checker.check(Query::pairs(shapes, &[]))),
            is_of_bodies(what),
            "{what}"
        );
        assert_eq!(
            is_offered(what, checker.check(Query::against(&scene, shapes))),
            is_of_bodies(what),
            "{what}"
        );
        assert_eq!(is_offered(what, checker.prepare(shapes)), is_of_bodies(what), "{what}");
        assert_eq!(
            is_offered(what, checker.check(TileQuery::new(&tile, shapes))),
            what == "boxes",
            "{what}"
        );
        let mut tracker = Tracker::new(cpu(Config::default()), TrackerConfig::default());
        assert_eq!(
            is_offered(what, tracker.update_by_position(shapes)),
            is_of_bodies(what),
            "{what}"
        );
        for (other, shapes_of_other) in lists.all() {
            let what = &format!("{what} and {other}");
            let names = [what.split(' ').next().expect("a name"), other];
            let expected = names.iter().all(|name| is_of_bodies(name)) || names.iter().all(|name| is_of_boxes(name));
            let (sets, pairs) = ([shapes, shapes_of_other], [Pair { a: 0, b: 0 }]);
            assert_eq!(is_offered(what, contacts(sets, &pairs)), expected, "{what}");
            assert_eq!(is_offered(what, closest_points(sets, &pairs)), expected, "{what}");
            assert_eq!(
                is_offered(what, checker.check(ContactQuery::new(sets, &pairs))),
                expected,
                "{what}"
            );
            assert_eq!(
                is_offered(what, checker.check(DistanceQuery::new(sets, &pairs))),
                expected,
                "{what}"
            );
        }
    }
}

/// Boxes compared with boxes with centers in `f64`: the pairs, contacts and distances of both sets
/// as boxes with centers in `f64`, on every backend.
#[test]
fn boxes_meet_boxes_with_centers_in_f64() {
    let boxes = Scene::Dense.generate(3000, 5);
    let (near, far) = boxes.split_at(1000);
    let far: Vec<Obb64> = far.iter().copied().map(Obb64::from).collect();
    let all: Vec<Obb64> = near
        .iter()
        .copied()
        .map(Obb64::from)
        .chain(far.iter().copied())
        .collect();
    let between: Vec<Pair> = reference::contacts64(&all)
        .iter()
        .filter(|(pair, _)| pair.a < 1000 && pair.b >= 1000)
        .map(|(pair, _)| Pair {
            a: pair.a,
            b: pair.b - 1000,
        })
        .collect();
    assert!(between.len() > 500);
    for (backend, mut checker) in backends(&Config::default()) {
        let report = check(&mut checker, backend, Query::between(near, &far));
        assert_eq!(report.pairs().expect("a list"), between, "{backend}");
        let turned = check(&mut checker, backend, Query::between(&far, near));
        let mut turned: Vec<Pair> = (turned.pairs().expect("a list").iter())
            .map(|pair| Pair { a: pair.b, b: pair.a })
            .collect();
        turned.sort_unstable();
        assert_eq!(turned, between, "{backend}");
        let sets = [Shapes::from(near), Shapes::from(&far)];
        let found = checker.check(ContactQuery::new(sets, &between)).expect("contacts");
        assert_eq!(
            found,
            contacts([&all[..1000], &far], &between).expect("contacts"),
            "{backend}"
        );
        assert!(found.penetrations().iter().all(Option::is_some));
    }
}

/// Two sets of bounds: the pairs of the rule that one owner's bounds do not meet.
#[test]
fn two_sets_of_bounds_are_those_of_two_owners() {
    let bounds: Vec<Aabb> = Scene::Dense.generate(3000, 6).iter().map(Obb::bounds).collect();
    let owners: Vec<u32> = (0..3000).map(|k| u32::from(k >= 1200)).collect();
    let rules = Rules {
        owners: Some(&owners),
        ..Rules::default()
    };
    for (backend, mut checker) in backends(&Config::default()) {
        let joined = check(&mut checker, backend, Query::from(Set::from(&bounds).with(rules)));
        let expected: Vec<Pair> = (joined.pairs().expect("a list").iter())
            .map(|pair| Pair {
                a: pair.a,
                b: pair.b - 1200,
            })
            .collect();
        let found = check(&mut checker, backend, Query::between(&bounds[..1200], &bounds[1200..]));
        assert_eq!(found.pairs().expect("a list"), expected, "{backend}");
        assert!(expected.len() > 500);
    }
}

/// Upright cuboids among other bodies are the boxes that they convert to.
#[test]
fn upright_cuboids_are_their_boxes() {
    let agent = |k: u32| {
        let place = DVec2::new(f64::from(k % 20), f64::from(k / 20)) * 0.45;
        Upright::from_yaw(place, DVec2::new(0.3, 0.2), f64::from(k), [0.0, 1.8]).expect("a valid cuboid")
    };
    let agents: Vec<Upright> = (0..400).map(agent).collect();
    let boxes = Upright::to_boxes(&agents).expect("memory");
    let spheres: Vec<Sphere> = (0..50)
        .map(|k| Sphere::new(Vec3::new(0.2 * k as f32, 3.0, 1.0), 0.25))
        .collect();
    let bodies = Bodies {
        spheres: &spheres,
        ..Bodies::default()
    };
    for (backend, mut checker) in backends(&Config::default()) {
        let expected = check(&mut checker, backend, Query::between(&boxes, bodies));
        let found = check(&mut checker, backend, Query::between(&agents, bodies));
        assert_eq!(
            found.pairs().expect("a list"),
            expected.pairs().expect("a list"),
            "{backend}"
        );
        assert!(found.colliding_pairs > 20);
        let listed = [Pair::new(0, 1), Pair::new(0, 399)];
        let found = check(&mut checker, backend, Query::pairs(&agents, &listed));
        assert_eq!(found.pairs().expect("a list"), [Pair::new(0, 1)], "{backend}");
        let scene = checker.prepare(&agents).expect("a scene");
        let found = check(&mut checker, backend, Query::against(&scene, &spheres));
        assert_eq!(
            found.pairs().expect("a list"),
            expected.pairs().expect("a list"),
            "{backend}"
        );
    }
}

/// Of two lists, positions in errors continue from the first to the second, whatever the question.
#[test]
fn positions_in_errors_continue_into_the_second_list() {
    let lists = Lists::new();
    let wrong = [Sphere::new(Vec3::ZERO, 1.0), Sphere::new(Vec3::ZERO, -1.0)];
    let wrong64 = [Obb64::axis_aligned(DVec3::ZERO, -Vec3::ONE)];
    let (boxes, pairs) = (Shapes::from(&lists.boxes), [Pair::new(0, 0)]);
    let (rest, step) = ([Motion::REST; 2], Step::new(1.0));
    let fast = [Motion::REST, Motion::linear(Vec3::NAN)];
    let index = |error: Error| match error {
        Error::InvalidBox { index, .. } | Error::InvalidBody { index, .. } | Error::InvalidMotion { index, .. } => {
            index
        }
        other => panic!("{other}"),
    };
    for (backend, mut checker) in backends(&Config::default()) {
        let errors = [
            (checker.check(Query::between(&lists.boxes, &wrong)).err(), 3),
            (checker.check(MeshQuery::new(&lists.triangles, &wrong)).err(), 2),
            (
                checker
                    .check(ContactQuery::new([boxes, Shapes::from(&wrong)], &pairs))
                    .err(),
                3,
            ),
            (
                checker
                    .check(DistanceQuery::new([boxes, Shapes::from(&wrong64)], &pairs))
                    .err(),
                2,
            ),
            (
                checker
                    .check(Sweep::between(
                        MovingSet::new(&lists.boxes, &rest),
                        MovingSet::new(&wrong, &rest),
                        &step,
                    ))
                    .err(),
                3,
            ),
            (
                checker
                    .check(Sweep::between(
                        MovingSet::new(&lists.boxes, &rest),
                        MovingSet::new(&lists.boxes, &fast),
                        &step,
                    ))
                    .err(),
                3,
            ),
        ];
        for (number, (error, expected)) in errors.into_iter().enumerate() {
            assert_eq!(error.map(index), Some(expected), "{backend}, question {number}");
        }
    }
}
