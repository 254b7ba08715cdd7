//! Capsules and spheres in rooms and regions, against rational arithmetic.

use obbligato::glam::{Quat, Vec3, Vec4};
use obbligato::query::Containment;
use obbligato::{
    Backend, Bodies, Capsule, Checker, Config, Error, Obb, Sphere,
    region::{Enclosure, EnclosureState, Frustum, Region, Room},
    shape::{Aabb, BodyRef},
};
use obbligato_verify::reference::body_enclosure;

use crate::body_contacts::{Body, Random};
use crate::support::gpu::gpu;

/// The position of a round body relative to a room: by rational arithmetic, on the CPU and on the
/// GPU.
fn everywhere(gpu: &mut Checker, room: &Room, body: Body) -> Enclosure {
    let expected = body_enclosure(room, body.of());
    assert_eq!(room.enclosure(body.of()), expected, "{room:?} {body:?}");
    let found = match body {
        Body::Box(_) => panic!("the fractions are of round bodies"),
        Body::Capsule(capsule) => gpu.check(Containment::new(room, &[capsule])),
        Body::Sphere(ball) => gpu.check(Containment::new(room, &[ball])),
    };
    assert_eq!(found.expect("a valid body"), [expected], "{room:?} {body:?}");
    expected
}

/// A room for a case: with integers or not, aligned or rotated, anywhere and of any size.
fn room(case: u64, random: &mut Random) -> Room {
    let half = random.vector(3.0).abs() + Vec3::ONE;
    let (corner, turn) = (random.vector(3.0), random.rotation());
    let room = match case % 3 {
        0 => Room::new(corner, corner + half),
        1 => Room::new(corner, corner + half).and_then(|room| room.turned(turn)),
        _ => Room::oriented(corner, half, turn),
    };
    room.expect("a room")
}

#[test]
fn enclosures_of_bodies_match_exact_fractions() {
    let mut states = [0; 3];
    let mut masks = [0; 64];
    for case in 0..20_000 {
        let mut random = Random::new(case);
        let (room, body) = (room(case, &mut random), random.body());
        if matches!(body, Body::Box(_)) {
            continue;
        }
        let (found, expected) = (room.enclosure(body.of()), body_enclosure(&room, body.of()));
        assert_eq!(found, expected, "{case}: {room:?} {body:?}");
        states[found.state as usize] += 1;
        masks[usize::from(found.walls)] += 1;
    }
    assert!(states.iter().all(|&count| count > 200), "{states:?}");
    assert!(masks.iter().all(|&count| count > 0), "{masks:?}");
}

#[test]
fn rooms_of_bodies_that_just_touch() {
    // Triples 3-4-5 and 2-3-6-7: beyond an edge, beyond a corner, at a wall, and smaller by one
    // unit in the last place.
    let room = Room::new(Vec3::ZERO, Vec3::splat(10.0)).expect("a room");
    let cases = [
        (Vec3::new(13.0, 14.0, 5.0), 5.0, EnclosureState::Crossing),
        (Vec3::new(13.0, 14.0, 5.0), 5f32.next_down(), EnclosureState::Outside),
        (Vec3::new(12.0, 13.0, -6.0), 7.0, EnclosureState::Crossing),
        (Vec3::new(12.0, 13.0, -6.0), 7f32.next_down(), EnclosureState::Outside),
        (Vec3::new(5.0, 5.0, 8.0), 2.0, EnclosureState::Crossing),
        (Vec3::new(5.0, 5.0, 8.0), 2f32.next_down(), EnclosureState::Inside),
        (Vec3::new(5.0, 5.0, 12.0), 2.0, EnclosureState::Crossing),
        (Vec3::new(5.0, 5.0, 12.0), 2f32.next_down(), EnclosureState::Outside),
    ];
    let gpu = &mut gpu(Config::default());
    for (center, radius, state) in cases {
        let ball = Sphere::new(center, radius);
        assert_eq!(everywhere(gpu, &room, Body::Sphere(ball)).state, state, "{ball:?}");
        // A capsule whose end is at this center, beyond the same walls.
        let away = if center.z > 10.0 || center.z < 0.0 {
            center.z.signum()
        } else {
            0.0
        };
        let capsule = Capsule::new(center + Vec3::Z * 3.0 * away, 3.0 * away.abs(), Quat::IDENTITY, radius);
        assert_eq!(
            everywhere(gpu, &room, Body::Capsule(capsule)).state,
            state,
            "{capsule:?}"
        );
        // This case far from the origin, and scaled by a power of two.
        let offset = Vec3::new(4096.0, -8192.0, 65536.0);
        let there = Room::new(offset, offset + 10.0).expect("a room");
        everywhere(gpu, &there, Body::Sphere(Sphere::new(center + offset, radius)));
        for factor in [2f64.powi(-130) as f32, 2f32.powi(50)] {
            let other = Room::new(Vec3::ZERO, Vec3::splat(10.0) * factor).expect("a room");
            everywhere(gpu, &other, Body::Sphere(Sphere::new(center * factor, radius * factor)));
        }
    }
}

#[test]
fn s1_checkers_and_regions_take_bodies() {
    let (mut boxes, mut capsules, mut spheres) = (Vec::new(), Vec::new(), Vec::new());
    let mut random = Random::new(3);
    for _ in 0..600 {
        match random.body() {
            Body::Box(obb) => boxes.push(obb),
            Body::Capsule(capsule) => capsules.push(capsule),
            Body::Sphere(sphere) => spheres.push(sphere),
        }
    }
    let bodies = Bodies {
        boxes: &boxes,
        capsules: &capsules,
        spheres: &spheres,
    };
    let room = Room::oriented(Vec3::ONE, Vec3::new(2.0, 3.0, 4.0), Quat::from_rotation_y(0.3)).expect("a room");
    let expected: Vec<_> = (0..bodies.len() as u32)
        .map(|id| match bodies.at(id) {
            BodyRef::Box(obb) => room.enclosure(obb),
            other => body_enclosure(&room, other),
        })
        .collect();
    assert!(expected.iter().any(|found| found.state == EnclosureState::Inside));
    assert_eq!(room.enclosures(bodies).expect("valid bodies"), expected);
    for backend in [Backend::Cpu, Backend::Gpu] {
        let mut checker = Checker::new(Config {
            backend,
            ..Config::default()
        })
        .expect("a checker");
        assert_eq!(
            checker.check(Containment::new(&room, bodies)).expect("valid bodies"),
            expected
        );
        let only = checker.check(Containment::new(&room, &spheres)).expect("valid balls");
        assert_eq!(only, expected[boxes.len() + capsules.len()..]);
        expect_invalid(&mut checker, &room, bodies);
    }

    let outside: Vec<bool> = expected
        .iter()
        .map(|found| found.state != EnclosureState::Outside)
        .collect();
    assert_eq!(Region::from(room).active(bodies).expect("valid bodies"), outside);
    let flat = Region::from(Aabb::new(Vec3::ZERO, Vec3::new(10.0, 10.0, 0.0)));
    let at = |z: f32, radius: f32| Sphere::new(Vec3::new(5.0, 5.0, z), radius);
    assert_eq!(
        flat.active(&[at(2.0, 2.0), at(2.0, 2f32.next_down())])
            .expect("valid balls"),
        [true, false]
    );
}

/// Asserts that an invalid sphere is named.
fn expect_invalid(checker: &mut Checker, room: &Room, bodies: Bodies<'_>) {
    let mut bad = bodies.spheres.to_vec();
    bad[2].center.x = f32::NAN;
    let error = checker
        .check(Containment::new(
            room,
            Bodies {
                spheres: &bad,
                ..bodies
            },
        ))
        .expect_err("a bad ball");
    let index = bodies.boxes.len() + bodies.capsules.len() + 2;
    assert!(
        matches!(error, Error::InvalidBody { index: at, kind: "sphere", count: 1, .. } if at == index),
        "{error}"
    );
}

#[test]
fn frusta_exclude_bodies_beyond_a_plane() {
    // The points with x >= 0. The other planes are no bounds.
    let mut planes = [Vec4::ZERO; 6];
    planes[2] = Vec4::new(2.0, 0.0, 0.0, 0.0);
    let half = Region::from(Frustum::from_planes(planes).expect("a frustum"));
    let ball = |x: f32| Sphere::new(Vec3::new(x, 0.0, 0.0), 1.0);
    let active = half
        .active(&[ball(-1.5), ball(-1.0), ball(-0.5), ball(3.0)])
        .expect("valid balls");
    assert_eq!(active, [false, true, true, true]);
    let lying = Quat::from_xyzw(0.5, 0.5, 0.5, 0.5);
    let capsule = |x: f32, turn| Capsule::new(Vec3::new(x, 0.0, 0.0), 2.0, turn, 1.0);
    let active = half.active(&[
        capsule(-2.5, lying),
        capsule(-2.5, Quat::IDENTITY),
        capsule(-3.5, lying),
    ]);
    assert_eq!(active.expect("valid capsules"), [true, false, false]);
    let boxes = [-1.5, -0.5].map(|x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE));
    assert_eq!(half.active(&boxes).expect("valid boxes"), [false, true]);
}
