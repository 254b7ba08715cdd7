//! Polygons of OBJ and PLY files: their triangles cover them, whatever their first corner.

use std::fmt::Write;

use obbligato::glam::{Quat, Vec3};
use obbligato::{
    region::{ClosedMesh, PointState},
    shape::{Triangle, open_edges},
};
use obbligato_files::NoteKind;

use super::{counts, read, triangle, triangles};

/// The outline of a U, counter-clockwise.
const U: [[i32; 2]; 8] = [[0, 0], [6, 0], [6, 6], [4, 6], [4, 2], [2, 2], [2, 6], [0, 6]];

/// A polygon mesh, as in files.
struct Polyhedron {
    vertices: Vec<Vec3>,
    faces: Vec<Vec<usize>>,
}

impl Polyhedron {
    /// A prism of height 1 over an outline. Its caps begin at corner `first`, and everything is
    /// rotated by `turn`.
    fn prism(outline: &[[i32; 2]], first: usize, is_reversed: bool, turn: Quat) -> Self {
        let count = outline.len();
        let ends = [0.0, 1.0].into_iter();
        let vertices = ends
            .flat_map(|z| {
                outline
                    .iter()
                    .map(move |&[x, y]| turn * Vec3::new(x as f32, y as f32, z))
            })
            .collect();
        let mut cap: Vec<usize> = (0..count).collect();
        cap.rotate_left(first);
        if is_reversed {
            cap.reverse();
        }
        let sides = (0..count).map(|k| vec![k, (k + 1) % count, (k + 1) % count + count, k + count]);
        let top = cap.iter().map(|k| k + count).collect();
        let faces = sides.chain([cap.clone(), top]).collect();
        Self { vertices, faces }
    }

    /// The mesh in every format with polygons, by name; OBJ with the vertices first, and with the
    /// vertices last.
    fn files(&self) -> [(&'static str, String); 3] {
        let of = |ending: &str, first: usize| {
            let (mut vertices, mut faces) = (String::new(), String::new());
            for vertex in &self.vertices {
                let start = if ending == "obj" { "v " } else { "" };
                writeln!(vertices, "{start}{} {} {}", vertex.x, vertex.y, vertex.z).expect("text grows");
            }
            for face in &self.faces {
                let corners: Vec<String> = face.iter().map(|corner| (corner + first).to_string()).collect();
                let start = if ending == "obj" {
                    "f".to_owned()
                } else {
                    face.len().to_string()
                };
                writeln!(faces, "{start} {}", corners.join(" ")).expect("text grows");
            }
            [vertices, faces]
        };
        let [vertices, faces] = of("obj", 1);
        let [rows, lists] = of("ply", 0);
        let header = format!(
            "ply\nformat ascii 1.0\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z
element face {}\nproperty list uchar int vertex_indices\nend_header\n",
            self.vertices.len(),
            self.faces.len()
        );
        [
            ("a.obj", format!("{vertices}{faces}")),
            ("later.obj", format!("{faces}{vertices}")),
            ("a.ply", format!("{header}{rows}{lists}")),
        ]
    }
}

#[test]
fn a_concave_prism_is_closed_and_contains_its_points() {
    let points: Vec<Vec3> = (0..7)
        .flat_map(|x| (0..7).map(move |y| Vec3::new(x as f32 + 0.5, y as f32 + 0.4, 0.5)))
        .collect();
    let expected: Vec<bool> = points
        .iter()
        .map(|p| p.x < 6.0 && p.y < 6.0 && (p.y < 2.0 || !(2.0..4.0).contains(&p.x)))
        .collect();
    for first in 0..U.len() {
        for is_reversed in [false, true] {
            for turn in [Quat::IDENTITY, Quat::from_rotation_y(0.7), Quat::from_rotation_x(-2.0)] {
                let prism = Polyhedron::prism(&U, first, is_reversed, turn);
                for (name, content) in prism.files() {
                    let mesh = read(name, content).expect("it is sound");
                    assert!(mesh.notes.is_empty(), "{name}: {:?}", mesh.notes);
                    assert_eq!(mesh.triangles.len(), 8 * 2 + 2 * 6);
                    assert_eq!(open_edges(&mesh.triangles).expect("valid"), 0);
                    let closed = ClosedMesh::new(&mesh.triangles).expect("it is closed");
                    let found = points
                        .iter()
                        .map(|&point| closed.locate(turn * point) == PointState::Inside);
                    assert!(found.eq(expected.iter().copied()), "{name}, from {first}, {turn}");
                }
            }
        }
    }
}

#[test]
fn convex_polygons_are_fans_from_their_first_corner() {
    let pentagon = "v 0 0 0\nv 4 0 0\nv 5 3 0\nv 2 5 0\nv -1 3 0\nf 1 2 3 4 5\n";
    let expected = [
        triangle([[0, 0, 0], [4, 0, 0], [5, 3, 0]]),
        triangle([[0, 0, 0], [5, 3, 0], [2, 5, 0]]),
        triangle([[0, 0, 0], [2, 5, 0], [-1, 3, 0]]),
    ];
    assert_eq!(triangles("a.obj", pentagon), expected);
    // With a corner on an edge, and a repeated corner.
    let straight = triangles("a.obj", "v 0 0 0\nv 2 0 0\nv 4 0 0\nv 4 4 0\nf 1 2 3 3 4\n");
    assert_eq!(straight.len(), 3);
    assert!(straight.iter().all(|triangle| triangle.corners[0] == Vec3::ZERO));
}

#[test]
fn polygons_without_certain_area_are_reported() {
    let bow = "v 0 0 0\nv 4 4 0\nv 4 0 0\nv 0 3 0\n";
    let warped = "v 0 0 0\nv 4 0 1\nv 4 4 0\nv 0 4 1\n";
    let faces = "f -4 -3 -2 -1\n";
    let content = [bow, faces, warped, faces, faces].concat();
    let mesh = read("a.obj", &content).expect("it is sound");
    let fan = |[a, b, c, d]: [[i32; 3]; 4]| [triangle([a, b, c]), triangle([a, c, d])];
    let of_bow = fan([[0, 0, 0], [4, 4, 0], [4, 0, 0], [0, 3, 0]]);
    let of_warped = fan([[0, 0, 0], [4, 0, 1], [4, 4, 0], [0, 4, 1]]);
    assert_eq!(mesh.triangles, [of_bow, of_warped, of_warped].concat());
    assert_eq!(
        counts(&mesh),
        [(NoteKind::PolygonsNotFlat, 2), (NoteKind::PolygonsCrossing, 1)]
    );
    let notes: Vec<String> = mesh.notes.iter().map(|note| note.to_string()).collect();
    assert_eq!(
        notes,
        [
            "2 polygons are not flat, and are fans of triangles from the first corner",
            "1 polygon crosses itself, and is a fan of triangles from the first corner",
        ]
    );
    // Not flat, but only because the text has few digits.
    let text = "v 0.001 0.333 1.667\nv 0.577 0.001 1.422\nv 0.9 0.512 0.589\nv 0.41 0.51 1.08\nf 1 2 3 4\n";
    assert!(read("a.obj", text).expect("it is sound").notes.is_empty());
}

#[test]
fn a_polygon_with_a_hole_is_covered() {
    // To the hole and back along one edge, as exporters write it.
    let text = "v 0 0 0\nv 9 0 0\nv 9 9 0\nv 0 9 0\nv 3 3 0\nv 3 6 0\nv 6 6 0\nv 6 3 0\nf 1 2 3 4 1 5 6 7 8 5\n";
    let mesh = read("a.obj", text).expect("it is sound");
    assert!(mesh.notes.is_empty());
    assert_eq!(mesh.triangles.len(), 8);
    let holds = |x: f32, y: f32| {
        let at = |triangle: &&Triangle| triangle.contains(Vec3::new(x, y, 0.0));
        mesh.triangles.iter().filter(at).count()
    };
    assert_eq!(
        [holds(4.3, 4.6), holds(1.1, 1.2), holds(7.7, 4.1), holds(4.4, 8.3)],
        [0, 1, 1, 1]
    );
}
