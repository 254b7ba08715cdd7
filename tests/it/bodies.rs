//! Boxes, capsules and spheres in one scene, against rational arithmetic.

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::{
    Backend, Bodies, Capsule, Checker, Config, Obb, Pair, Query, Rules, Set, Sphere, contact::Contact, shape::BodyRef,
};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference::body_contact;

/// Bodies of all kinds, with small integers if `exact` is set, so that many of them touch.
#[derive(Default)]
pub struct Scene {
    pub boxes: Vec<Obb>,
    pub capsules: Vec<Capsule>,
    pub spheres: Vec<Sphere>,
}

impl Scene {
    /// This many bodies of each kind in a cube of this size.
    pub fn random(seed: u64, counts: [usize; 3], size: f64, exact: bool) -> Self {
        let mut random = SplitMix(seed);
        let mut number = |low: f64, high: f64| {
            let number = low + (high - low) * random.unit();
            (if exact { number.round() } else { number }) as f32
        };
        let mut scene = Self::default();
        let mut rotation = SplitMix(seed ^ 0x9e37);
        let mut rotation = || match exact {
            // Rotations by multiples of 90 or 120 degrees, and one whose matrix has entries of 3/5
            // and 4/5.
            true => match rotation.next() % 4 {
                0 => Quat::from_xyzw(0.5, 0.5, 0.5, 0.5),
                1 => Quat::from_xyzw(0.5, -0.5, 0.5, 0.5),
                _ => Quat::IDENTITY,
            },
            false => {
                let [x, y, z, w] = [0; 4].map(|_| rotation.unit() as f32 - 0.5);
                Quat::from_xyzw(x, y, z, w + 0.01).normalize()
            }
        };
        let center = |number: &mut dyn FnMut(f64, f64) -> f32| Vec3::from([0; 3].map(|_| number(0.0, size)));
        for _ in 0..counts[0] {
            let half = Vec3::from([0; 3].map(|_| number(0.0, 2.0)));
            scene.boxes.push(Obb::new(center(&mut number), half, rotation()));
        }
        for _ in 0..counts[1] {
            let (half, radius) = (number(0.0, 3.0), number(0.0, 2.0));
            scene
                .capsules
                .push(Capsule::new(center(&mut number), half, rotation(), radius));
        }
        for _ in 0..counts[2] {
            let radius = number(0.0, 3.0);
            scene.spheres.push(Sphere::new(center(&mut number), radius));
        }
        scene
    }

    pub fn bodies(&self) -> Bodies<'_> {
        Bodies {
            boxes: &self.boxes,
            capsules: &self.capsules,
            spheres: &self.spheres,
        }
    }
}

/// Returns `true` if two bodies collide or are within the margin, by rational arithmetic; two boxes
/// by their own exact test.
///
/// Rational arithmetic is slow. If a search in `f64` finds a distance clearly larger or smaller
/// than the reach, that decides.
pub fn meet(a: BodyRef<'_>, b: BodyRef<'_>, margin: f64) -> bool {
    let (round, other) = match (a, b) {
        (BodyRef::Box(a), BodyRef::Box(b)) => return a.contact(b).collides() || a.distance(b) <= margin,
        (BodyRef::Box(_), _) => (b, a),
        _ => (a, b),
    };
    let reach = radius(a) + radius(b) + margin;
    let rest = distance_of_cores(round, other) - reach;
    match rest.abs() > 1e-6 {
        true => rest < 0.0,
        false => body_contact(a, b, margin).collides(),
    }
}

fn radius(body: BodyRef<'_>) -> f64 {
    match body {
        BodyRef::Box(_) => 0.0,
        BodyRef::Capsule(capsule) => capsule.radius.into(),
        BodyRef::Sphere(sphere) => sphere.radius.into(),
    }
}

/// The middle of a core, and the vector from there to its end.
fn core(body: BodyRef<'_>) -> (DVec3, DVec3) {
    match body {
        BodyRef::Box(obb) => (obb.center.as_dvec3(), DVec3::ZERO),
        BodyRef::Capsule(capsule) => {
            let way = capsule.rotation.as_dquat().normalize() * DVec3::Z * f64::from(capsule.half_length);
            (capsule.center.as_dvec3(), way)
        }
        BodyRef::Sphere(sphere) => (sphere.center.as_dvec3(), DVec3::ZERO),
    }
}

/// The distance of a point from the core of a body.
fn distance_of_point(point: DVec3, body: BodyRef<'_>) -> f64 {
    let (center, way) = core(body);
    let apart = point - center;
    match body {
        BodyRef::Box(obb) => {
            let local = obb.rotation.as_dquat().normalize().inverse() * apart;
            let half = obb.half_extents.as_dvec3();
            local.distance(local.clamp(-half, half))
        }
        _ => {
            let square = way.length_squared().max(f64::MIN_POSITIVE);
            apart.distance(way * (apart.dot(way) / square).clamp(-1.0, 1.0))
        }
    }
}

/// The distance of two cores of which the first is round. Along the first the distance to the other
/// is convex, so a ternary search can discard the thirds that are farther away.
fn distance_of_cores(round: BodyRef<'_>, other: BodyRef<'_>) -> f64 {
    let (center, way) = core(round);
    let at = |place: f64| distance_of_point(center + way * place, other);
    let (mut low, mut high) = (-1.0, 1.0);
    while way != DVec3::ZERO && high - low > 1e-9 {
        let (first, second) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        match at(first) < at(second) {
            true => high = second,
            false => low = first,
        }
    }
    at(0.5 * (low + high))
}

/// The pairs of a scene by brute force.
pub fn pairs_of(bodies: Bodies<'_>, margin: f64) -> Vec<Pair> {
    let count = bodies.len() as u32;
    let later = |a: u32| (a + 1..count).map(move |b| Pair::new(a, b));
    let all = (0..count).flat_map(later);
    all.filter(|pair| meet(bodies.at(pair.a), bodies.at(pair.b), margin))
        .collect()
}

/// The backends under test.
pub fn backends() -> Vec<Backend> {
    vec![Backend::Cpu, Backend::Gpu]
}

fn checker(backend: Backend, margin: f64) -> Checker {
    let config = Config {
        backend,
        margin,
        ..Config::default()
    };
    Checker::new(config).expect("a checker")
}

/// A checker of each backend, which several scenes share.
fn checkers(margin: f64) -> Vec<(Backend, Checker)> {
    let of = |backend| (backend, checker(backend, margin));
    backends().into_iter().map(of).collect()
}

/// Scenes small enough for brute force, and large enough for a grid.
fn scenes() -> impl Iterator<Item = (u64, Scene)> {
    (0..12).map(|case| {
        let counts = [
            [60, 60, 60],
            [0, 0, 180],
            [0, 180, 0],
            [1, 5, 150],
            [90, 90, 0],
            [20, 20, 20],
        ][case as usize % 6];
        (case, Scene::random(case, counts, 20.0, case % 4 < 2))
    })
}

#[test]
fn s1_pairs_of_all_kinds_match_exact_fractions() {
    for margin in [0.0, 0.5, 1.0] {
        let mut checkers = checkers(margin);
        for (case, scene) in scenes() {
            let expected = pairs_of(scene.bodies(), margin);
            assert!(!expected.is_empty(), "scene {case}");
            let count = |contact: fn(Contact) -> bool| {
                let of = |pair: &&Pair| contact(scene.bodies().at(pair.a).contact(scene.bodies().at(pair.b)));
                Some(expected.iter().filter(of).count() as u64)
            };
            for (backend, checker) in &mut checkers {
                let report = checker.check(scene.bodies()).expect("valid bodies");
                assert_eq!(
                    report.pairs().expect("pairs"),
                    expected,
                    "{backend:?}, scene {case}, margin {margin}"
                );
                assert_eq!(
                    [report.touching_pairs, report.near_pairs],
                    [
                        count(|contact| contact == Contact::Touching),
                        count(|contact| !contact.collides())
                    ],
                    "{backend:?}, scene {case}, margin {margin}: touching and near"
                );
            }
        }
    }
}

#[test]
fn s1_two_sets_of_bodies_and_bodies_at_rest_have_the_pairs_between_them() {
    for (at, margin) in [0.0, 0.75].into_iter().enumerate() {
        let mut checkers = checkers(margin);
        for (case, first) in scenes().skip(at).step_by(2) {
            let second = Scene::random(case + 100, [30, 20, 40], 20.0, case % 4 < 2);
            let (first, second) = (first.bodies(), second.bodies());
            let mut expected = Vec::new();
            for a in 0..first.len() as u32 {
                let of_a = (0..second.len() as u32).filter(|&b| meet(first.at(a), second.at(b), margin));
                expected.extend(of_a.map(|b| Pair { a, b }));
            }
            for (backend, checker) in &mut checkers {
                let between = checker.check(Query::between(first, second)).expect("valid bodies");
                assert_eq!(
                    between.pairs().expect("pairs"),
                    expected,
                    "{backend:?}, scene {case}: two sets"
                );
                let scene = checker.prepare(first).expect("valid bodies");
                let against = checker.check(Query::against(&scene, second)).expect("valid bodies");
                assert_eq!(
                    against.pairs().expect("pairs"),
                    expected,
                    "{backend:?}, scene {case}: movers"
                );
            }
        }
    }
}

#[test]
fn s1_rules_and_given_pairs_use_the_numbering_of_bodies() {
    let mut checkers = checkers(0.0);
    for (case, scene) in scenes() {
        let bodies = scene.bodies();
        let all = pairs_of(bodies, 0.0);
        let count = bodies.len() as u32;
        let groups: Vec<[u32; 2]> = (0..count).map(|id| [1 << (id % 3), !(1 << (id / 3 % 3))]).collect();
        let owners: Vec<u32> = (0..count).map(|id| id % 7).collect();
        let rules = Rules {
            groups: Some(&groups),
            owners: Some(&owners),
            ..Rules::default()
        };
        let allowed = |pair: &Pair| {
            let [a, b] = [pair.a, pair.b].map(|id| (groups[id as usize], owners[id as usize]));
            a.0[0] & b.0[1] != 0 && b.0[0] & a.0[1] != 0 && a.1 != b.1
        };
        let expected: Vec<Pair> = all.iter().copied().filter(allowed).collect();
        assert!(expected.len() < all.len());
        let given: Vec<Pair> = (0..count)
            .flat_map(|a| (a + 1..count).map(move |b| Pair::new(a, b)))
            .collect();
        let set = || Set::from(bodies).with(rules);
        for (backend, checker) in &mut checkers {
            let report = checker.check(set()).expect("valid bodies");
            assert_eq!(
                report.pairs().expect("pairs"),
                expected,
                "{backend:?}, scene {case}: rules"
            );
            let report = checker.check(Query::pairs(set(), &given)).expect("valid bodies");
            assert_eq!(
                report.pairs().expect("pairs"),
                expected,
                "{backend:?}, scene {case}: given pairs"
            );
        }
    }
}

#[test]
fn bodies_have_their_own_groups_and_margins() {
    let mut checkers = checkers(0.0);
    for (case, mut scene) in scenes() {
        let groups = |k: usize| [1 << (k % 3), !(1 << (k / 3 % 3))];
        for (k, obb) in scene.boxes.iter_mut().enumerate() {
            [obb.memberships, obb.filter] = groups(k);
        }
        for (k, capsule) in scene.capsules.iter_mut().enumerate() {
            [capsule.memberships, capsule.filter] = groups(k);
        }
        let bodies = scene.bodies();
        let of = |id: u32| match bodies.at(id) {
            BodyRef::Box(obb) => [obb.memberships, obb.filter],
            BodyRef::Capsule(capsule) => [capsule.memberships, capsule.filter],
            BodyRef::Sphere(_) => [u32::MAX; 2],
        };
        let count = bodies.len() as u32;
        let margins: Vec<f32> = (0..count).map(|id| (id % 5) as f32 / 8.0).collect();
        let meet = |pair: &Pair| {
            let ([in_a, a_meets], [in_b, b_meets]) = (of(pair.a), of(pair.b));
            let margin = f64::from(margins[pair.a as usize] + margins[pair.b as usize]);
            in_a & b_meets != 0 && in_b & a_meets != 0 && meet(bodies.at(pair.a), bodies.at(pair.b), margin)
        };
        let all = (0..count).flat_map(|a| (a + 1..count).map(move |b| Pair::new(a, b)));
        let expected: Vec<Pair> = all.filter(meet).collect();
        let rules = Rules {
            margins: Some(&margins),
            ..Rules::default()
        };
        for (backend, checker) in &mut checkers {
            let report = checker.check(bodies.with(rules)).expect("valid bodies");
            assert_eq!(report.pairs().expect("pairs"), expected, "{backend:?}, scene {case}");
        }
    }
}

#[test]
fn touching_bodies_are_reported() {
    let upright = Quat::IDENTITY;
    let capsule = Capsule::new(Vec3::new(0.0, 0.0, 5.0), 2.0, upright, 1.0);
    let cases: [(BodyRef<'_>, BodyRef<'_>, Contact); 5] = [
        // A 3-4-5 triangle.
        (
            BodyRef::Sphere(&Sphere::new(Vec3::ZERO, 2.0)),
            BodyRef::Sphere(&Sphere::new(Vec3::new(3.0, 4.0, 0.0), 3.0)),
            Contact::Touching,
        ),
        (
            BodyRef::Sphere(&Sphere::new(Vec3::new(3.0, 4.0, 6.0), 4.0)),
            BodyRef::Capsule(&capsule),
            Contact::Touching,
        ),
        (
            BodyRef::Sphere(&Sphere::new(Vec3::new(3.0, 4.0, 6.0), 3.999_999_8)),
            BodyRef::Capsule(&capsule),
            Contact::Separated,
        ),
        (
            BodyRef::Box(&Obb::axis_aligned(Vec3::ZERO, Vec3::new(1.0, 1.0, 2.0))),
            BodyRef::Capsule(&capsule),
            Contact::Touching,
        ),
        // A point in a sphere of radius 0.
        (
            BodyRef::Sphere(&Sphere::new(Vec3::ONE, 0.0)),
            BodyRef::Sphere(&Sphere::new(Vec3::ONE, 0.0)),
            Contact::Touching,
        ),
    ];
    for (a, b, expected) in cases {
        for (a, b) in [(a, b), (b, a)] {
            assert_eq!(a.contact(b), expected, "{a:?} {b:?}");
            assert_eq!(body_contact(a, b, 0.0), expected, "{a:?} {b:?}");
        }
    }
}
