//! Triangles and bodies, compared with distances in rational arithmetic.

use glam::{Quat, Vec3};
use obbligato::query::{Containment, MeshQuery};
use obbligato::{
    Bodies, Capsule, Config, Error, Obb, Pair, Sphere,
    region::{ClosedMesh, EnclosureState, Room},
    shape::{BodyRef, Triangle},
};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference;

use crate::support::gpu::{backends, cpu};

/// Integers from -most to most.
fn corner(random: &mut SplitMix, most: i32) -> Vec3 {
    Vec3::from(std::array::from_fn(|_| {
        (random.next() % (2 * most as u64 + 1)) as f32 - most as f32
    }))
}

/// A rotation: none, by right angles, with short numbers, or any.
fn rotation(random: &mut SplitMix) -> Quat {
    match random.next() % 4 {
        0 => Quat::IDENTITY,
        1 => Quat::from_xyzw(0.5, 0.5, 0.5, 0.5),
        2 => Quat::from_xyzw(0.0, 153.0 / 256.0, 0.0, 205.0 / 256.0),
        _ => {
            let mut part = || (random.next() % 2001) as f32 - 1000.0;
            Quat::from_xyzw(part(), part(), part(), part() + 0.5).normalize()
        }
    }
}

/// The placement of the numbers: unchanged, far out, or at extreme scales.
const PLACES: [(f32, f32); 4] = [(0.0, 1.0), (4096.0, 0.25), (0.0, 1e-40), (0.0, 1e17)];

#[test]
fn triangles_and_bodies_match_exact_fractions() {
    let mut random = SplitMix(5);
    let mut met = [[0, 0]; 3];
    for round in 0..3_000 {
        let (offset, scale) = PLACES[round % PLACES.len()];
        let point = |random: &mut SplitMix| corner(random, 4) * scale + Vec3::splat(offset);
        let (a, b) = (point(&mut random), point(&mut random));
        // One in eight is a segment or a point.
        let c = match random.next() % 8 {
            0 => [a, b][(random.next() % 2) as usize],
            _ => point(&mut random),
        };
        let triangle = Triangle::new(a, b, c);
        let center = point(&mut random);
        let mut length = || (random.next() % 4) as f32 * scale;
        let (lengths, radius) = ([length(), length(), length()], length());
        let turn = rotation(&mut random);
        let ball = Sphere::new(center, radius);
        let capsule = Capsule::new(center, lengths[0], turn, radius);
        let obb = Obb::new(center, lengths.into(), turn);
        let bodies = [BodyRef::Sphere(&ball), BodyRef::Capsule(&capsule), BodyRef::Box(&obb)];
        for (body, met) in bodies.into_iter().zip(&mut met) {
            let expected = reference::triangle_meets_body(&triangle, body);
            assert_eq!(triangle.meets_body(body), expected, "{triangle:?} {body:?}");
            met[usize::from(expected)] += 1;
        }
    }
    assert!(met.iter().flatten().all(|&count| count > 300), "{met:?}");
}

#[test]
fn exact_contacts_are_contacts() {
    let floor = Triangle::new(
        Vec3::new(-9.0, -9.0, 0.0),
        Vec3::new(9.0, -9.0, 0.0),
        Vec3::new(0.0, 9.0, 0.0),
    );
    let cases = [
        // On its face, its edge, its corner, by Pythagorean triples.
        (Vec3::new(0.0, 0.0, 5.0), 5.0),
        (Vec3::new(0.0, -12.0, 4.0), 5.0),
        (Vec3::new(12.0, -9.0, 4.0), 5.0),
        (Vec3::new(11.0, -11.0, 1.0), 3.0),
    ];
    for (center, radius) in cases {
        for (radius, expected) in [(radius, true), (f32::next_down(radius), false)] {
            let ball = Sphere::new(center, radius);
            let capsule = Capsule::new(center + Vec3::Z * 2.0, 2.0, Quat::IDENTITY, radius);
            assert_eq!(floor.meets_body(BodyRef::Sphere(&ball)), expected, "{ball:?}");
            assert_eq!(floor.meets_body(BodyRef::Capsule(&capsule)), expected, "{capsule:?}");
        }
    }
    let on_edge = Obb::new(
        Vec3::new(0.0, 0.0, 2.0),
        Vec3::splat(2.0),
        Quat::from_xyzw(0.0, 0.0, 0.6, 0.8),
    );
    assert!(floor.meets_body(BodyRef::Box(&on_edge)));
    let above = Obb::new(
        on_edge.center,
        on_edge.half_extents.with_z(f32::next_down(2.0)),
        on_edge.rotation,
    );
    assert!(!floor.meets_body(BodyRef::Box(&above)));
}

/// Boxes, capsules and spheres about the origin.
fn bodies(random: &mut SplitMix, count: usize) -> (Vec<Obb>, Vec<Capsule>, Vec<Sphere>) {
    let lengths = |random: &mut SplitMix| Vec3::from(std::array::from_fn(|_| (random.next() % 3) as f32 * 0.5));
    let boxes = (0..count).map(|_| Obb::new(corner(random, 30), lengths(random), rotation(random)));
    let boxes = boxes.collect();
    let capsules = (0..count).map(|_| {
        let half = lengths(random);
        Capsule::new(corner(random, 30), half.x, rotation(random), half.y)
    });
    let capsules = capsules.collect();
    let balls = (0..count).map(|_| Sphere::new(corner(random, 30), lengths(random).x));
    (boxes, capsules, balls.collect())
}

#[test]
fn s4_a_mesh_among_bodies_is_checked_on_all_backends() {
    let mut random = SplitMix(11);
    let mesh: Vec<Triangle> = (0..2_000)
        .map(|_| {
            let at = corner(&mut random, 30);
            Triangle::new(at, at + corner(&mut random, 3), at + corner(&mut random, 3))
        })
        .collect();
    let (boxes, capsules, spheres) = bodies(&mut random, 500);
    let bodies = Bodies {
        boxes: &boxes,
        capsules: &capsules,
        spheres: &spheres,
    };
    let mut expected = Vec::new();
    for (a, triangle) in (0..).zip(&mesh) {
        let met = (0..bodies.len() as u32).filter(|&b| triangle.meets_body(bodies.at(b)));
        expected.extend(met.map(|b| Pair { a, b }));
    }
    assert!(expected.len() > 200, "{}", expected.len());
    for (backend, mut checker) in backends(&Config::default()) {
        let report = checker.check(MeshQuery::new(&mesh, bodies)).expect("a check");
        assert_eq!(report.pairs().expect("all pairs"), expected, "{backend}");
        assert_eq!(report.colliding_pairs, expected.len() as u64);
        assert!(report.candidate_pairs > report.colliding_pairs);
        // Empty meshes and empty sets.
        assert_eq!(
            checker
                .check(MeshQuery::new(&[], bodies))
                .expect("a check")
                .colliding_pairs,
            0
        );
        let none: &[Obb] = &[];
        assert_eq!(
            checker
                .check(MeshQuery::new(&mesh, none))
                .expect("a check")
                .colliding_pairs,
            0
        );
    }
}

#[test]
fn problems_of_meshes_and_bodies_are_reported() {
    let triangle = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y);
    let bad = Triangle::new(Vec3::NAN, Vec3::X, Vec3::Y);
    let ball = Sphere::new(Vec3::ZERO, 1.0);
    let mut checker = cpu(Config::default());
    let error = checker
        .check(MeshQuery::new(&[triangle, bad, bad], &[ball]))
        .unwrap_err();
    assert!(
        matches!(error, Error::InvalidTriangle { index: 1, count: 2, .. }),
        "{error}"
    );
    let error = checker.check(MeshQuery::new(&[triangle], &[ball, Sphere::new(Vec3::ZERO, -1.0)]));
    // Positions continue from the triangles to the bodies.
    assert!(matches!(error, Err(Error::InvalidBody { index: 2, .. })), "{error:?}");
    let config = Config {
        margin: 1.0,
        ..Config::default()
    };
    let error = cpu(config).check(MeshQuery::new(&[triangle], &[ball]));
    assert!(matches!(error, Err(Error::Unavailable { .. })), "{error:?}");
}

/// The twelve triangles of a box from corner to corner.
fn shell(low: Vec3, high: Vec3) -> Vec<Triangle> {
    let corner = |k: usize| Vec3::from(std::array::from_fn(|axis| [low, high][k >> axis & 1][axis]));
    let squares = [
        [0, 1, 3, 2],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 3, 7, 6],
        [0, 2, 6, 4],
        [1, 3, 7, 5],
    ];
    let halves = squares.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]);
    halves
        .map(|corners| Triangle {
            corners: corners.map(corner),
        })
        .collect()
}

#[test]
fn bodies_are_inside_a_closed_mesh_or_cross_it() {
    // A box inside a box: the volume between the two is solid.
    let mut walls = shell(Vec3::splat(-20.0), Vec3::splat(20.0));
    walls.extend(shell(Vec3::splat(-8.0), Vec3::splat(8.0)));
    let mesh = ClosedMesh::new(&walls).expect("a closed mesh");
    assert!(mesh.triangles().eq(walls.iter().copied()));
    let mut random = SplitMix(17);
    let (boxes, capsules, spheres) = bodies(&mut random, 800);
    let bodies = Bodies {
        boxes: &boxes,
        capsules: &capsules,
        spheres: &spheres,
    };
    let room = |half: f32| Room::new(Vec3::splat(-half), Vec3::splat(half)).expect("a room");
    let [outer, inner] = [20.0, 8.0].map(|half| room(half).enclosures(bodies).expect("valid bodies"));
    let expected: Vec<_> = outer
        .iter()
        .zip(&inner)
        .map(|(outer, inner)| match (outer.state, inner.state) {
            (EnclosureState::Crossing, _) | (_, EnclosureState::Crossing) => EnclosureState::Crossing,
            (EnclosureState::Inside, EnclosureState::Outside) => EnclosureState::Inside,
            _ => EnclosureState::Outside,
        })
        .collect();
    for state in [
        EnclosureState::Inside,
        EnclosureState::Crossing,
        EnclosureState::Outside,
    ] {
        assert!(
            expected.iter().filter(|&&found| found == state).count() > 30,
            "{state:?}"
        );
    }
    for (backend, mut checker) in backends(&Config::default()) {
        let found = checker.check(Containment::new(&mesh, bodies)).expect("valid bodies");
        assert_eq!(found, expected, "{backend}");
    }
}
