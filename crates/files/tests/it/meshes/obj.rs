//! Wavefront OBJ.

use std::fmt::Write;

use obbligato_files::NoteKind;

use super::{ABOVE_THE_MIDDLE, Mesh, counts, expect_refusal, read, triangle, triangles};

pub(super) fn encode(mesh: &Mesh) -> String {
    let mut text = String::from("# a mesh\n");
    for vertex in &mesh.vertices {
        writeln!(text, "v {:e} {} {}", vertex.x, vertex.y, vertex.z).expect("text grows");
    }
    for [a, b, c] in &mesh.faces {
        writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1).expect("text grows");
    }
    text
}

#[test]
fn all_elements_of_a_file_are_read() {
    // Polygons, negative numbers, textures and normals, comments, a fourth number, colors, names, a
    // continued line, a vertex defined later.
    let text = "\u{feff}# exported by hand, to C:\\\\ \\
mtllib scene.mtl
o house # 12
v 0 0 0 1.0\r
v 1\t0 0
  v 1 1 0 0.5 0.25 nonsense
vt 0 0
vn 0 0 1
v 0 1 0
g front back
usemtl red
s off

f 1/1 2/1 3/1 4/1
f 1//1 2//1 5//1
f -4/-1/-1 -3/1/1 \\
   -2/1/1
v 0 0 1 # the apex
f -1 1 2
p 1 2
\\
\\

l 1 2 3
l 4 5
f 1 1 1";
    let mesh = read("a.obj", text).expect("it is sound");
    let expected = [
        triangle([[0, 0, 0], [1, 0, 0], [1, 1, 0]]),
        triangle([[0, 0, 0], [1, 1, 0], [0, 1, 0]]),
        triangle([[0, 0, 0], [1, 0, 0], [0, 0, 1]]),
        triangle([[0, 0, 0], [1, 0, 0], [1, 1, 0]]),
        triangle([[0, 0, 1], [0, 0, 0], [1, 0, 0]]),
        triangle([[0, 0, 0], [0, 0, 0], [0, 0, 0]]),
    ];
    assert_eq!(mesh.triangles, expected);
    assert_eq!(counts(&mesh), [(NoteKind::Points, 2), (NoteKind::Lines, 3)]);
}

#[test]
fn vertices_may_have_weights_and_colours() {
    for more in [
        "",
        " 1",
        " 1e300",
        " 0.5 0.5 0.5",
        " red green blue",
        " nan nan nan",
        " 1 0.5 0.5 0.5",
        " 1 0.5 0.5 none",
        " 0.5 0.5 0.5 1",
        " 1 255 255 255 255",
        " # v 4 0 0",
    ] {
        let text = format!("v 1 2 3{more}\nf 1 1 1\n");
        assert_eq!(triangles("a.obj", text), [triangle([[1, 2, 3]; 3])], "{more}");
    }
}

#[test]
fn text_is_rounded_once() {
    let text = format!("v {ABOVE_THE_MIDDLE} 16777217 1e-45\nf 1 1 1\n");
    let corner = triangles("a.obj", text)[0].corners[0];
    assert_eq!(corner.to_array(), [1.000_000_1, 16_777_216.0, f32::from_bits(1)]);
}

#[test]
fn bad_lines_are_named() {
    let start = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    let cases = [
        ("f 1 2 4\n", "line 4 names vertex 4, but there are 3"),
        (
            "v 1 1 1\nf 1 2 4\nf 9 1 2\nf 8 1 2\n",
            "line 6 names vertex 9, but there are 4",
        ),
        ("f 1 2 -4\n", "line 4 names vertex -4, but there are 3"),
        (
            "f 1 2 -9223372036854775808\n",
            "line 4 names vertex -9223372036854775808",
        ),
        ("f 1 2 9223372036854775807\n", "line 4 names vertex 9223372036854775807"),
        ("f 1 2 1000000000000000000\n", "line 4 names vertex 1000000000000000000"),
        (
            "f 1 2 99999999999999999999999\n",
            "line 4 names vertex 99999999999999999999999",
        ),
        ("f 1 2 0\n", "line 4 names vertex 0: the first one is 1"),
        ("\n\nf 1 2\n", "line 6 has a face with 2 corners"),
        ("f\n", "line 4 has a face with 0 corners"),
        ("f 1 2 x\n", "line 4 has \"x\" instead of the number of a vertex"),
        ("f 1 2 3/x\n", "line 4 has \"3/x\" instead of the number of a vertex"),
        ("f 1 2 /3\n", "line 4 has \"/3\" instead of the number of a vertex"),
        ("f 1 2 3.0\n", "line 4 has \"3.0\" instead"),
        ("v 1 2\n", "line 4 has 2 coordinates instead of three"),
        ("v 1 2 # 3\n", "line 4 has 2 coordinates instead of three"),
        ("v 1 2 1,5\n", "line 4 has \"1,5\" instead of a number"),
        ("v 1 2 nan\n", "line 4 has \"nan\", which is not finite as f32"),
        ("v 1 -inf 2\n", "line 4 has \"-inf\", which is not finite as f32"),
        ("v 1 1e39 2\n", "line 4 has \"1e39\", which is not finite as f32"),
        (
            "vertex 1 2 3\n",
            "line 4 begins with \"vertex\", which is not an OBJ keyword",
        ),
        (
            "surf 0 1 0 1 1 2 3 4\n",
            "line 4 begins with \"surf\", but only polygons are read",
        ),
        ("call other.obj\n", "line 4 begins with \"call\""),
        ("f 1 2 \\\n7\n", "line 4 names vertex 7"),
        ("\0\u{1}\u{2}\n", "line 4 begins with"),
        ("v 0 0 0 abc\n", "line 4 has \"abc\" instead of a number"),
        ("v 0 0 0 0 0\n", "line 4 has 5 fields after v"),
        ("v 0 0 0 1 2 3 4 5 6\n", "line 4 has 9 fields after v"),
        ("v 0 0 0 v 4 0 0\n", "line 4 has \"v\" instead of a number"),
        ("v 0 0 0 vt 0 0\n", "line 4 has \"vt\", which begins a statement"),
        ("v 0 0 0 1 f 1 2 3\n", "line 4 has \"f\", which begins a statement"),
        ("v 0 0 0 f 1 2 3\n", "line 4 has \"f\" instead of a number"),
        ("v 0 0 0v 4 0 0\n", "line 4 has \"0v\" instead of a number"),
    ];
    for (more, words) in cases {
        expect_refusal("bad.obj", format!("{start}{more}"), words);
    }
    expect_refusal("long.obj", format!("v {} 0 0\n", "9x".repeat(1 << 20)), "line 1 has");
}
