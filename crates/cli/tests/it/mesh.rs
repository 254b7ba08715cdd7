//! `obbligato mesh`.

mod bcf;
mod scene;
mod shells;

use std::fs;
use std::path::Path;

use obbligato::{Pair, report::checksum};
use serde_json::Value;

use super::program::{assert_failure, json, names, run, run_with_stdin, succeed, text};

/// A tetrahedron, and a triangle that its slanted face cuts; also a point and two lines.
const A: &str = "v 0 0 0\nv 4 0 0\nv 0 4 0\nv 0 0 4\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4
v 1 1 1\nv 9 9 9\nv 9 9 8\nf -3 -2 -1\np 1\nl 1 2 3\n";

/// A point on a face of the tetrahedron, a triangle far away, and one that shares corners with it.
const B: &str = "solid b
facet normal 0 0 0\nouter loop\nvertex 1 1 0\nvertex 1 1 0\nvertex 1 1 0\nendloop\nendfacet
facet normal 0 0 0\nouter loop\nvertex 50 0 0\nvertex 51 0 0\nvertex 50 1 0\nendloop\nendfacet
facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 4 0 0\nvertex 0 -4 0\nendloop\nendfacet
endsolid\n";

fn write(here: &Path, name: &str, text: &str) {
    fs::write(here.join(name), text).expect("it can be written");
}

fn read(here: &Path, name: &str) -> String {
    fs::read_to_string(here.join(name)).expect("the file is there")
}

#[test]
fn one_mesh_and_two() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    write(here, "a.obj", A);
    write(here, "b.stl", B);
    let output = run(
        here,
        &[
            "mesh",
            "a.obj",
            "--backend",
            "cpu",
            "--pairs",
            "p.csv",
            "--json",
            "j.json",
        ],
    );
    let (shown, said) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(read(here, "p.csv"), "a,b\n3,4\n");
    assert!(shown.contains("triangles        5\n"), "{shown}");
    assert!(shown.contains("colliding pairs  1\n"), "{shown}");
    assert!(
        said.contains("note: a.obj: 1 point is left out\nobbligato: note: a.obj: 2 lines are left out\n"),
        "{said}"
    );
    let report: Value = serde_json::from_str(&read(here, "j.json")).expect("it is JSON");
    assert_eq!(report["triangles"], serde_json::json!([5]));
    assert_eq!(report["colliding_pairs"], 1);
    assert_eq!(report["checksum"], format!("{:016x}", checksum(&[Pair { a: 3, b: 4 }])));
    assert_eq!(report["backend"], "cpu");
    assert!(report["candidate_pairs"].as_u64() >= Some(1), "{report}");
    assert!(
        report["timings_ms"]["load"].is_number() && report["timings_ms"]["total"].is_number(),
        "{report}"
    );

    // The first triangle of a pair is of the first file, whatever their numbers; common corners
    // count.
    let of = |arguments: &[&'static str], backend| [&["mesh", "--quiet", "--backend", backend], arguments].concat();
    let report = json(here, &of(&["a.obj", "b.stl", "--pairs", "p.npy", "--json", "-"], "cpu"));
    assert_eq!(report["triangles"], serde_json::json!([5, 3]));
    assert_eq!(report["degenerate_triangles"], serde_json::json!([0, 1]));
    let expected = [[0, 0], [0, 2], [1, 2], [2, 2], [3, 2]];
    let pairs = expected.map(|[a, b]| Pair { a, b });
    assert_eq!(report["checksum"], format!("{:016x}", checksum(&pairs)));
    assert_eq!(super::npy_integers(&here.join("p.npy")), expected.as_flattened());
    for backend in ["cpu", "gpu"] {
        let pairs = succeed(here, &of(&["a.obj", "b.stl", "--pairs", "-"], backend));
        assert_eq!(pairs, "a,b\n0,0\n0,2\n1,2\n2,2\n3,2\n", "{backend}");
        let pairs = succeed(here, &of(&["b.stl", "a.obj", "--pairs", "-"], backend));
        assert_eq!(pairs, "a,b\n0,0\n2,0\n2,1\n2,2\n2,3\n", "{backend}");
    }

    write(here, "none.obj", "# nothing\n");
    for others in [&[][..], &["a.obj"], &["none.obj"]] {
        let report = json(here, &of(&[&["none.obj"], others, &["--json", "-"]].concat(), "cpu"));
        assert_eq!(
            (&report["colliding_pairs"], &report["triangles"][0]),
            (&0.into(), &0.into())
        );
        assert_eq!(report["checksum"], "0000000000000000");
    }
}

/// Returns a cube from 0 to 4, and one in it from 1 to 2: a hole.
fn cubes() -> String {
    let mut text = String::new();
    for (low, high) in [(0, 4), (1, 2)] {
        for k in 0..8 {
            let [x, y, z] = [k & 1, k >> 1 & 1, k >> 2].map(|bit| if bit == 0 { low } else { high });
            text += &format!("v {x} {y} {z}\n");
        }
        // Each face as a polygon of corners, counted back from the last vertex.
        for face in [
            "-8 -7 -5 -6",
            "-4 -3 -1 -2",
            "-8 -7 -3 -4",
            "-6 -5 -1 -2",
            "-8 -6 -2 -4",
            "-7 -5 -1 -3",
        ] {
            text += &format!("f {face}\n");
        }
    }
    text
}

#[test]
fn points_in_a_mesh() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    write(here, "cubes.obj", &cubes());
    let points = "z,note,x,y\n3,a,3,3\n1.5,b,1.5,1.5\n5,c,3,3\n4,d,3,3\n2,e,2,2\n\n4.0000005,f,4,4\n3,g,0.5,0.5\n";
    write(here, "points.csv", points);
    let expected = "point,state\n0,inside\n1,outside\n2,outside\n3,surface\n4,surface\n5,outside\n6,inside\n";
    let arguments = ["mesh", "cubes.obj", "--inside", "points.csv", "--out"];
    let shown = succeed(here, &[&arguments[..], &["o.csv"]].concat());
    assert_eq!(read(here, "o.csv"), expected);
    for line in [
        "triangles        24\n",
        "points           7\n",
        "inside           2\n",
        "outside          3\n",
        "surface          2\n",
    ] {
        assert!(shown.contains(line), "{shown}");
    }
    let report = json(here, &[&arguments[..], &["o.csv", "--json", "-"]].concat());
    assert_eq!((&report["points"], &report["inside"]), (&7.into(), &2.into()));
    let stdin = ["mesh", "cubes.obj", "--inside", "-", "--out", "-"];
    assert_eq!(text(&run_with_stdin(here, &stdin, points).stdout), expected);
    assert_eq!(text(&run_with_stdin(here, &stdin, "x,y,z\n").stdout), "point,state\n");

    write(here, "open.obj", &cubes().replace("f -4 -3 -1 -2\n", ""));
    let output = run(here, &["mesh", "open.obj", "--inside", "points.csv", "--out", "x.csv"]);
    assert_failure(
        "open",
        &output,
        2,
        "open.obj: the mesh has 8 open edges, with an odd number of triangles: close it",
    );
    for (points, words) in [
        ("x,y\n1,2\n", "has no column z"),
        (
            "x,y,z\n1,2,3\n1,2,inf\n1,2\n",
            "line 3 has a number that is NaN or infinite (2 bad rows in all)",
        ),
        ("x,y,z\n1,2,3e18\n", "line 2 has a coordinate beyond"),
        ("", "is empty: start with a header row such as x,y,z"),
    ] {
        write(here, "bad.csv", points);
        let output = run(here, &["mesh", "cubes.obj", "--inside", "bad.csv", "--out", "x.csv"]);
        assert_failure(points, &output, 2, words);
    }
    assert!(!names(here).contains("x.csv"));
}

/// Triangles that share more than their corners, and the rule without neighbours.
#[test]
fn the_neighbour_rule_is_an_option() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let vertices = "v 0 0 0\nv 4 0 0\nv 0 4 0\nv 1 1 -1\nv 1 1 1\nv 1 1 0\nv 5 5 5\n";
    // The floor, one triangle through it from a corner, one folded onto it along an edge, the floor
    // again, and one next to it.
    write(
        here,
        "a.obj",
        &format!("{vertices}f 1 2 3\nf 1 4 5\nf 1 2 6\nf 3 1 2\nf 2 3 7\n"),
    );
    for backend in ["cpu", "gpu"] {
        let of = |others: &[&'static str]| {
            succeed(
                here,
                &[
                    &["mesh", "a.obj", "--quiet", "--backend", backend, "--pairs", "-"],
                    others,
                ]
                .concat(),
            )
        };
        let all = "a,b\n0,1\n0,2\n0,3\n1,2\n1,3\n2,3\n";
        assert_eq!(of(&[]), all, "{backend}");
        assert_eq!(of(&["--neighbours", "crossing"]), all, "{backend}");
        assert_eq!(of(&["--neighbours", "none"]), "a,b\n", "{backend}");
    }
}

#[test]
fn omissions_are_reported_with_their_number() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    write(here, "points.csv", "x,y,z\n0.5,0.5,0.5\n");
    write(here, "cloud.obj", "v 0 0 0\nv 1 1 1\n");
    let told = "obbligato: note: cloud.obj: 2 vertices and no face: there are no triangles\n";
    for arguments in [
        &["mesh", "cloud.obj", "--pairs", "-"][..],
        &["mesh", "cloud.obj", "--inside", "points.csv", "--out", "-"],
    ] {
        let output = run(here, arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains(told), "{}", text(&output.stderr));
    }
    // Lines that end in CR alone have faces.
    write(here, "old.obj", &A.replace('\n', "\r"));
    let output = run(here, &["mesh", "old.obj", "--backend", "cpu", "--pairs", "-"]);
    assert_eq!(text(&output.stdout), "a,b\n3,4\n");
    // Names in a file are not control codes for a terminal.
    let document = r#"{"asset": {"version": "2.0"}, "nodes": [{"mesh": 0, "extensions": {"\u001b[31mX": {}}}],
        "meshes": [{"primitives": []}]}"#;
    write(here, "a.gltf", document);
    let output = run(here, &["mesh", "a.gltf"]);
    let said = text(&output.stderr);
    assert!(
        said.contains("1 use of an extension that is not read: \\u{1b}[31mX\n"),
        "{said}"
    );
}

/// Arguments, and words of the complaint about them.
const BAD_INPUT: [(&[&str], &str); 20] = [
    (&[], "<A>"),
    (
        &["bad.obj"],
        "bad.obj: line 2 names vertex 2, but there are 1: fix the line, or export the file again",
    ),
    (&["a.obj", "bad.obj", "--pairs", "p.csv"], "bad.obj: line 2"),
    (&["a.obj", "a.obj", "--neighbours", "none"], "--neighbours"),
    (&["a.obj", "--inside-rule", "winding"], "--inside"),
    (&["none.obj"], "none.obj: cannot be read"),
    (&["a.off"], "a.off: has an unknown extension"),
    (&["-"], "-: has an unknown extension"),
    (&["a.obj", "a.obj", "a.obj"], "--scene"),
    (&["a.obj", "--pairs", "a.obj"], "is also the input"),
    (
        &["a.obj", "--pairs", "p.csv", "--json", "p.csv"],
        "is named for two outputs",
    ),
    (&["a.obj", "--json", "a.obj"], "is also the input"),
    (&["a.obj", "--inside", "points.csv"], "--out"),
    (&["a.obj", "--out", "o.csv"], "--inside"),
    (
        &["a.obj", "a.obj", "--inside", "points.csv", "--out", "o.csv"],
        "--inside",
    ),
    (
        &["a.obj", "--inside", "points.csv", "--out", "o.csv", "--pairs", "p.csv"],
        "--pairs",
    ),
    (
        &["a.obj", "--inside", "points.csv", "--out", "o.npy"],
        "cannot hold states as NPY",
    ),
    (
        &["a.obj", "--inside", "points.csv", "--out", "points.csv"],
        "is also the input",
    ),
    (&["a.obj", "--inside", "none.csv", "--out", "o.csv"], "none.csv"),
    (
        &[
            "a.obj",
            "--inside",
            "points.csv",
            "--out",
            "o.csv",
            "--backend",
            "cpu",
            "--adapter",
            "x",
        ],
        "--adapter",
    ),
];

#[test]
fn bad_input_is_one_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    write(here, "a.obj", A);
    write(here, "bad.obj", "v 0 0 0\nf 1 1 2\n");
    write(here, "points.csv", "x,y,z\n");
    write(here, "a.off", "OFF\n");
    let before = names(here);
    for (arguments, words) in BAD_INPUT {
        let output = run(here, &[&["mesh", "--quiet"], arguments].concat());
        assert_failure(&format!("{arguments:?}"), &output, 2, words);
    }
    assert_eq!(names(here), before);
}

/// Returns walls of a house, 0.1 thick and 0.3 apart, in map coordinates, as an OBJ; moved by `at`.
fn walls(at: [f64; 2], count: usize) -> String {
    let mut text = String::new();
    for k in 0..count {
        let low = [at[0] + 0.4 * k as f64, at[1] + 0.1 * k as f64, 0.1];
        let sizes = [0.1, 4.0, 2.5];
        for corner in 0..8 {
            let number = |axis: usize| low[axis] + if corner >> axis & 1 == 1 { sizes[axis] } else { 0.0 };
            text += &format!("v {:.1} {:.1} {:.1}\n", number(0), number(1), number(2));
        }
        for face in [
            "-8 -6 -5 -7",
            "-4 -3 -1 -2",
            "-8 -7 -3 -4",
            "-6 -2 -1 -5",
            "-8 -4 -2 -6",
            "-7 -5 -1 -3",
        ] {
            text += &format!("f {face}\n");
        }
    }
    text
}

/// Far from the origin of coordinates, results for meshes are those near it.
#[test]
fn coordinates_of_a_map() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let map = [441_871.6, 6_329_700.7];
    write(here, "near.obj", &walls([0.0, 0.0], 20));
    write(here, "far.obj", &walls(map, 20));
    // Two walls, one of them within the first.
    write(here, "other.obj", &walls([map[0] + 0.1, map[1] + 1.0], 1));
    let points = |at: [f64; 2]| {
        let rows = [[0.05, 1.0], [0.15, 1.0], [0.25, 1.0], [0.45, 1.0], [0.62, 1.3]];
        let rows = rows.map(|[x, y]| format!("{:.2},{:.1},1.3\n", at[0] + x, at[1] + y));
        format!("x,y,z\n{}", rows.concat())
    };
    write(here, "near.csv", &points([0.0, 0.0]));
    write(here, "far.csv", &points(map));
    for backend in ["cpu", "gpu"] {
        for file in ["near.obj", "far.obj"] {
            let output = run(here, &["mesh", file, "--backend", backend, "--pairs", "-"]);
            assert_eq!(text(&output.stdout), "a,b\n", "{file}");
            assert!(
                !text(&output.stderr).contains("note"),
                "{file}: {}",
                text(&output.stderr)
            );
        }
    }
    // The faces of the other wall at x = 0.1 lie on the first one's: it only touches that.
    let pairs = succeed(here, &["mesh", "far.obj", "other.obj", "--quiet", "--pairs", "-"]);
    let walls: Vec<u32> = pairs
        .lines()
        .skip(1)
        .map(|line| line.split(',').next().and_then(|a| a.parse().ok()).expect("a number"))
        .collect();
    assert!(
        !walls.is_empty() && walls.iter().all(|&triangle| triangle < 12),
        "{pairs}"
    );
    for place in ["near", "far"] {
        let (mesh, points) = (format!("{place}.obj"), format!("{place}.csv"));
        let states = succeed(here, &["mesh", &mesh, "--quiet", "--inside", &points, "--out", "-"]);
        let expected = ["inside", "outside", "outside", "inside", "outside"];
        let rows = expected
            .iter()
            .enumerate()
            .map(|(row, state)| format!("{row},{state}\n"));
        assert_eq!(states, format!("point,state\n{}", rows.collect::<String>()), "{place}");
    }
    // A small mesh and one far away: no origin suits both.
    write(
        here,
        "away.obj",
        "v 100000000.3 0 0\nv 100000001.3 0 0\nv 100000000.3 1 0\nf 1 2 3\n",
    );
    write(here, "here.obj", "v 0.3 0 0\nv 1.3 0 0\nv 0.3 1 0\nf 1 2 3\n");
    let output = run(here, &["mesh", "here.obj", "away.obj"]);
    let said = text(&output.stderr);
    assert!(
        said.contains("away.obj: 3 corners are moved by more than a millionth of the mesh's extent by rounding to f32"),
        "{said}"
    );
}
