//! Neighbours in a mesh that share more than their corners.

use obbligato::glam::Vec3;
use obbligato::{Backend, Checker, Config, Query, shape::Triangle};
use obbligato_verify::reference::triangles_meet_in_mesh;

use crate::triangles::{at, pairs};

const A: Vec3 = at(0, 0, 0);
const B: Vec3 = at(4, 0, 0);
const C: Vec3 = at(0, 4, 0);

/// A name, the corners of a neighbour of the triangle of these corners, and `true` if the two share
/// more than their corners.
const NEIGHBOURS: [(&str, [Vec3; 3], bool); 20] = [
    ("the same twice", [A, B, C], true),
    ("turned over", [B, A, C], true),
    ("turned", [C, A, B], true),
    ("through the face, from a corner", [A, at(1, 1, -1), at(1, 1, 1)], true),
    (
        "through the far edge, from a corner",
        [A, at(4, 4, -1), at(4, 4, 1)],
        true,
    ),
    ("an edge on the face", [A, at(1, 1, 0), at(0, 0, 5)], true),
    ("an edge along an edge", [A, at(9, 0, 0), at(0, 0, 5)], true),
    ("folded flat along an edge", [A, B, at(1, 1, 0)], true),
    ("folded flat, beyond", [A, B, at(9, 9, 0)], true),
    ("flat, one corner, within", [A, at(1, 0, 0), at(0, 1, 0)], true),
    ("flat, one corner, across", [A, at(9, 1, 0), at(1, 9, 0)], true),
    ("flat, one corner, about", [A, at(9, -1, 0), at(-1, 9, 0)], true),
    ("beside, along an edge", [A, B, at(1, -1, 0)], false),
    ("up from an edge", [A, B, at(1, 1, 1)], false),
    (
        "up from an edge, by the least",
        [A, B, Vec3::new(1.0, 1.0, 1e-44)],
        false,
    ),
    ("flat, one corner, opposite", [A, at(-4, 0, 0), at(0, -4, 0)], false),
    ("flat, one corner, beside", [A, at(-1, 2, 0), at(-4, 1, 0)], false),
    ("up from a corner", [A, at(1, 1, 1), at(2, 1, 1)], false),
    (
        "about a corner, crossing the plane behind",
        [A, at(-1, -1, -1), at(-1, -1, 1)],
        false,
    ),
    (
        "beside a corner, crossing the plane",
        [A, at(5, -1, -1), at(5, -1, 1)],
        false,
    ),
];

/// Neighbours that share more than their corners, in a mesh that meets itself. Another rule
/// excludes them.
#[test]
fn colliding_neighbours_are_found_unless_excluded() {
    for config in [Backend::Cpu, Backend::Gpu].map(|backend| Config {
        backend,
        ..Config::default()
    }) {
        let mut checker = Checker::new(config).expect("the backend is there");
        for (name, other, expected) in NEIGHBOURS {
            // With a flat sheet of neighbours around them, so that there are pairs of all kinds.
            let pair = [Triangle { corners: [A, B, C] }, Triangle { corners: other }];
            assert_eq!(
                triangles_meet_in_mesh(&pair[0], &pair[1]),
                expected,
                "{name}, by the reference"
            );
            assert_eq!(pair[0].meets_in_mesh(&pair[1]), expected, "{name}");
            let found = pairs(&mut checker, Query::mesh(&pair));
            assert_eq!(found.len(), usize::from(expected), "{name}");
            assert_eq!(pairs(&mut checker, Query::mesh_without_neighbours(&pair)), [], "{name}");
            assert_eq!(pairs(&mut checker, Query::from(&pair)).len(), 1, "{name}");
        }
    }
}
