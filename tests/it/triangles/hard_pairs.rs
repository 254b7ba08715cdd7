//! Pairs of triangles with known answers.

use obbligato::glam::Vec3;
use obbligato::{Query, shape::Triangle};
use obbligato_verify::reference::{triangles_meet, triangles_meet_in_mesh};

use crate::triangles::{at, checker, pairs};

const FLOOR: Triangle = Triangle::new(at(0, 0, 0), at(12, 0, 0), at(0, 12, 0));

/// Returns the floor at this height.
const fn raised(z: f32) -> Triangle {
    Triangle::new(Vec3::new(0.0, 0.0, z), Vec3::new(12.0, 0.0, z), Vec3::new(0.0, 12.0, z))
}

/// The cases that Möller and later authors call hard: a name, a triangle that is compared with the
/// floor, and the number of points that describe the intersection.
const HARD_PAIRS: &[(&str, Triangle, usize)] = &[
    ("identical", FLOOR, 3),
    ("turned over", Triangle::new(at(0, 12, 0), at(12, 0, 0), at(0, 0, 0)), 3),
    ("parallel", raised(1.0), 0),
    ("parallel, by the least number", raised(f32::from_bits(1)), 0),
    (
        "through the middle",
        Triangle::new(at(3, 3, -3), at(3, 3, 3), at(30, 30, 0)),
        2,
    ),
    (
        "tip in the face",
        Triangle::new(at(3, 3, 0), at(3, 3, 9), at(4, 3, 9)),
        1,
    ),
    (
        "tip on an edge",
        Triangle::new(at(6, 0, 0), at(6, 0, 9), at(7, 0, 9)),
        1,
    ),
    (
        "tip on the long edge",
        Triangle::new(at(6, 6, 0), at(6, 6, 9), at(7, 9, 9)),
        1,
    ),
    (
        "tip beside the long edge",
        Triangle::new(at(7, 6, 0), at(6, 6, 9), at(7, 9, 9)),
        0,
    ),
    (
        "corner on corner",
        Triangle::new(at(12, 0, 0), at(20, 0, 5), at(20, 5, -5)),
        1,
    ),
    (
        "edges cross",
        Triangle::new(at(6, -3, -3), at(6, 3, 3), at(6, -9, 9)),
        1,
    ),
    (
        "edges cross, on the other side",
        Triangle::new(at(6, 9, 9), at(6, 3, -3), at(6, -3, 3)),
        2,
    ),
    (
        "edge in the face",
        Triangle::new(at(1, 1, 0), at(5, 1, 0), at(3, 1, 7)),
        2,
    ),
    (
        "edge through the face and out",
        Triangle::new(at(1, 1, 0), at(50, 1, 0), at(3, 1, 7)),
        2,
    ),
    ("shared edge", Triangle::new(at(0, 0, 0), at(12, 0, 0), at(5, 0, 5)), 2),
    (
        "shared edge, folded flat",
        Triangle::new(at(0, 0, 0), at(12, 0, 0), at(1, 1, 0)),
        3,
    ),
    (
        "shared edge, in the same plane beside",
        Triangle::new(at(0, 0, 0), at(12, 0, 0), at(5, -5, 0)),
        2,
    ),
    (
        "part of an edge",
        Triangle::new(at(3, 0, 0), at(30, 0, 0), at(5, 0, 5)),
        2,
    ),
    (
        "edges on one line, apart",
        Triangle::new(at(13, 0, 0), at(30, 0, 0), at(15, 0, 5)),
        0,
    ),
    (
        "flat, contained",
        Triangle::new(at(1, 1, 0), at(3, 1, 0), at(1, 3, 0)),
        3,
    ),
    (
        "flat, containing",
        Triangle::new(at(-20, -20, 0), at(60, -20, 0), at(-20, 60, 0)),
        3,
    ),
    (
        "flat, a star",
        Triangle::new(at(8, 8, 0), at(-4, 8, 0), at(8, -4, 0)),
        6,
    ),
    (
        "flat, a corner inside",
        Triangle::new(at(2, 2, 0), at(40, 2, 0), at(2, 40, 0)),
        3,
    ),
    (
        "flat, a corner on an edge",
        Triangle::new(at(6, 0, 0), at(9, -9, 0), at(3, -9, 0)),
        1,
    ),
    ("flat, apart", Triangle::new(at(7, 7, 0), at(20, 7, 0), at(7, 20, 0)), 0),
    (
        "flat, along the long edge",
        Triangle::new(at(3, 9, 0), at(9, 3, 0), at(12, 12, 0)),
        2,
    ),
    (
        "a point in the face",
        Triangle::new(at(2, 2, 0), at(2, 2, 0), at(2, 2, 0)),
        1,
    ),
    (
        "a point on a corner",
        Triangle::new(at(0, 12, 0), at(0, 12, 0), at(0, 12, 0)),
        1,
    ),
    (
        "a point beside",
        Triangle::new(at(7, 6, 0), at(7, 6, 0), at(7, 6, 0)),
        0,
    ),
    (
        "a segment through",
        Triangle::new(at(2, 2, -2), at(2, 2, 4), at(2, 2, 0)),
        1,
    ),
    (
        "a segment in the plane",
        Triangle::new(at(-2, 2, 0), at(40, 2, 0), at(4, 2, 0)),
        2,
    ),
    (
        "a segment on an edge",
        Triangle::new(at(-2, 0, 0), at(40, 0, 0), at(4, 0, 0)),
        2,
    ),
    (
        "a segment that ends at it",
        Triangle::new(at(3, 3, 0), at(3, 3, 4), at(3, 3, 2)),
        1,
    ),
    (
        "a sliver beside",
        Triangle::new(at(0, 0, 1), Vec3::new(12.0, 0.0, f32::MIN_POSITIVE), at(0, 12, 1)),
        0,
    ),
    (
        "a sliver through",
        Triangle::new(at(0, 0, 1), Vec3::new(12.0, 0.0, -f32::MIN_POSITIVE), at(0, 12, 1)),
        2,
    ),
];

/// The cases that Möller and later authors call hard.
#[test]
fn s3_hard_pairs_have_their_known_answers() {
    let mut checker = checker();
    for (name, other, count) in HARD_PAIRS {
        for turn in 0..6 {
            let mut turned = *other;
            turned.corners.rotate_left(turn % 3);
            if turn >= 3 {
                turned.corners.swap(0, 1);
            }
            for [a, b] in [[FLOOR, turned], [turned, FLOOR]] {
                assert_eq!(triangles_meet(&a, &b), *count > 0, "{name}, by the reference");
                assert_eq!(a.meets(&b), *count > 0, "{name}");
                let shared = a.intersection(&b);
                let points = shared.as_ref().map_or(&[][..], |shared| shared.points());
                assert_eq!(points.len(), *count, "{name}: {points:?}");
                let found = pairs(&mut checker, Query::from(&[a, b]));
                assert_eq!(found.len(), usize::from(*count > 0), "{name}");
                let is_neighbour = a.have_common_corner(&b);
                let found = pairs(&mut checker, Query::mesh_without_neighbours(&[a, b]));
                assert_eq!(found.len(), usize::from(*count > 0 && !is_neighbour), "{name}");
                let found = pairs(&mut checker, Query::mesh(&[a, b]));
                let meet = triangles_meet_in_mesh(&a, &b);
                assert_eq!(found.len(), usize::from(meet), "{name}");
            }
        }
    }
}
