//! Contacts and distances, against support functions: a convex body is known by its reach in every
//! direction, and two bodies overlap along each by the sum of their reaches.

use obbligato::contact::{ClosestPoints, Contact, ContactPoint, Contacts, Penetration};
use obbligato::glam::{DVec2, DVec3, Vec2};
use obbligato::query::{ContactQuery, DistanceQuery};
use obbligato::shape::yaw;
use obbligato::{BroadPhase, Obb, Pair};

use super::{Axes, Body, FAMILIES, Family, config, pairs_of, scene};
use crate::in_plane::oracle::{Figure, relation};
use crate::support::gpu::{cpu, gpu};
use crate::support::positions::moved;

/// The number of directions in which overlaps are compared.
const DIRECTIONS: usize = 720;

/// The length by which two bodies overlap along a direction from the first to the second.
fn overlap([a, b]: [&Axes; 2], direction: DVec2) -> f64 {
    a.support(direction) + b.support(-direction)
}

/// Returns `true` if a point is in a body, up to an error.
fn contains(body: &Axes, point: DVec2, error: f64) -> bool {
    let from = point - body.center;
    let place = DVec2::new(from.dot(body.x), from.dot(body.x.perp()));
    let half = DVec2::from(body.half);
    (place - place.clamp(-half, half)).length() <= body.radius + error
}

fn flat(vector: DVec3) -> DVec2 {
    assert_eq!(vector.z.to_bits(), 0, "{vector}");
    vector.truncate()
}

/// Returns contacts and distances of pairs in both orders.
fn answers(pairs: &[[Figure; 2]]) -> Vec<(Contacts, Vec<ClosestPoints>)> {
    let mut checker = cpu(config(BroadPhase::Auto));
    let both = [false, true].map(|swapped| {
        let answer = |pair: &[Figure; 2]| {
            let order = if swapped { [pair[1], pair[0]] } else { *pair };
            let [(a, _), (b, _)] = order.map(|figure| scene(&[figure]));
            let listed = [Pair { a: 0, b: 0 }];
            let sets = || [a.all(), b.all()];
            let contacts = checker.check(ContactQuery::new(sets(), &listed).in_plane());
            let distances = checker.check(DistanceQuery::new(sets(), &listed).in_plane());
            (contacts.expect("valid"), distances.expect("valid"))
        };
        pairs.iter().map(answer).collect::<Vec<_>>()
    });
    both.into_iter().flatten().collect()
}

#[test]
fn c4_contacts_are_the_shortest_way_out_of_the_plane() {
    let mut points = [0; 3];
    for (seed, family) in (400..).zip(FAMILIES) {
        for kinds in [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]] {
            let pairs = pairs_of(kinds, family, 250, seed + 10 * kinds[0] as u64);
            let found = answers(&pairs);
            for (k, pair) in pairs.iter().enumerate() {
                let bodies = pair.each_ref().map(Axes::of);
                let size = 1e-12 * (bodies[0].size() + bodies[1].size());
                let (contacts, distances) = &found[k];
                let what = format!("{family:?} {kinds:?} {k}: {pair:?}");
                let collide = relation(&pair[0], &pair[1]).collides();
                assert_eq!(contacts.penetrations()[0].is_some(), collide, "{what}");
                assert_eq!(distances[0].distance == 0.0, collide, "{what}");
                match collide {
                    true => {
                        let found = contacts.penetrations()[0].expect("they collide");
                        check_contact(&bodies, (&found, contacts.points()), [1e-12, size, size], &what);
                    }
                    false => check_distance(&bodies, &distances[0], size, &what),
                }
                points[contacts.points().len()] += 1;
                let common = distances[0].on_a.truncate();
                let is_common = bodies.iter().all(|body| contains(body, common, size));
                assert!(!collide || is_common, "{what}: {common}");
                check_swapped(contacts, &found[pairs.len() + k].0, size, &what);
            }
        }
    }
    assert!(points[1] > 300 && points[2] > 300, "{points:?}");
}

/// Asserts that a contact is one of two bodies: the normal has length 1 up to `unit`, and they
/// overlap by the depth along it, up to an error, and by less in no other direction, up to a slop,
/// within which points are on both bodies.
pub(super) fn check_contact(
    [a, b]: &[Axes; 2],
    (found, points): (&Penetration, &[ContactPoint]),
    [unit, error, slop]: [f64; 3],
    what: &str,
) {
    let normal = flat(found.normal);
    assert!((normal.length() - 1.0).abs() < unit, "{what}: {found:?}");
    let along = overlap([a, b], normal);
    assert!(
        (along - found.depth).abs() <= error,
        "{what}: {} is not {along}",
        found.depth
    );
    for k in 0..DIRECTIONS {
        let direction = DVec2::from_angle(k as f64 * std::f64::consts::TAU / DIRECTIONS as f64);
        let other = overlap([a, b], direction);
        assert!(
            other >= found.depth - slop,
            "{what}: {} by {direction}, {found:?}",
            other
        );
    }
    assert!((1..=2).contains(&points.len()), "{what}");
    let deepest = points.iter().map(|point| point.depth).fold(0.0, f64::max);
    assert!((deepest - found.depth).abs() <= slop, "{what}: {points:?} {found:?}");
    for point in points {
        let (on_a, on_b) = (flat(point.on_a), flat(point.on_b));
        assert!(
            (on_a - on_b - normal * point.depth).length() <= error,
            "{what}: {point:?}"
        );
        assert!(
            contains(a, on_a, slop) && contains(b, on_b, slop),
            "{what}: {found:?} {point:?}"
        );
    }
}

fn check_distance([a, b]: &[Axes; 2], found: &ClosestPoints, error: f64, what: &str) {
    let (on_a, on_b) = (flat(found.on_a), flat(found.on_b));
    assert!(
        contains(a, on_a, error) && contains(b, on_b, error),
        "{what}: {found:?}"
    );
    assert!(
        ((on_b - on_a).length() - found.distance).abs() <= error,
        "{what}: {found:?}"
    );
    // Along the way from one to the other they are as far apart, so nothing is nearer.
    if found.distance > 1e6 * error {
        let way = (on_b - on_a).normalize();
        let gap = -overlap([a, b], way);
        assert!((gap - found.distance).abs() <= 10.0 * error, "{what}: {gap} {found:?}");
    }
}

/// The depth does not depend on the order.
fn check_swapped(contacts: &Contacts, swapped: &Contacts, error: f64, what: &str) {
    let depths = [contacts, swapped].map(|contacts| contacts.penetrations()[0].map(|found| found.depth));
    let [Some(depth), Some(other)] = depths else {
        assert_eq!(depths, [None, None], "{what}");
        return;
    };
    assert!((depth - other).abs() <= error, "{what}");
}

/// A flat box in space has depth 0; in the plane it has that of its sides.
#[test]
fn c4_flat_boxes_have_the_depth_of_the_plane() {
    let square = |x| Obb::in_plane(Vec2::new(x, 0.0), Vec2::new(1.0, 4.0), yaw(0.0));
    let boxes = [square(0.0), square(1.75)];
    let listed = [Pair::new(0, 1)];
    let far = boxes.map(|obb| moved(&obb, DVec3::new(3e9, -7e9, 0.0)));
    for mut checker in [cpu(config(BroadPhase::Auto)), gpu(config(BroadPhase::Auto))] {
        let near = checker.check(ContactQuery::within(&boxes, &listed).in_plane());
        let far = checker.check(ContactQuery::within(&far, &listed).in_plane());
        for contacts in [near, far].map(|contacts| contacts.expect("valid")) {
            let found = contacts.penetrations()[0].map(|found| (found.normal, found.depth));
            assert_eq!(found, Some((DVec3::X, 0.25)));
            let names: Vec<String> = contacts
                .points()
                .iter()
                .map(|point| format!("{} {}", point.feature_a, point.feature_b))
                .collect();
            assert_eq!(names, ["f1 c0", "f1 c2"]);
        }
    }
}

/// Crossing stadiums leave each other in the plane, though the way along z is shorter.
#[test]
fn c4_crossing_stadiums_leave_in_the_plane() {
    let stadium = |turn: [f32; 2]| Figure {
        center: [0.0; 2],
        half: [3.0, 0.0],
        turn,
        radius: 0.5,
        is_box: false,
    };
    let pair = [stadium([0.0, 1.0]), stadium([std::f32::consts::FRAC_1_SQRT_2; 2])];
    assert_eq!(relation(&pair[0], &pair[1]), Contact::Overlapping);
    let found = &answers(&[pair])[0].0;
    let depth = found.penetrations()[0].expect("they cross").depth;
    assert!((depth - 4.0).abs() < 1e-12, "{depth}");
    assert!(matches!(Body::of(&pair[0]), Body::Capsule(_)));
    let _ = Family::Any;
}
