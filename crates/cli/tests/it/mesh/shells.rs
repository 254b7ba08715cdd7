//! Shells that overlap, and duplicate faces.

use crate::mesh::write;
use crate::program::{assert_failure, run, text};

/// Returns a cube as an OBJ, with its faces outward, or inward if they are reversed.
fn shell(low: i32, high: i32, is_reversed: bool) -> String {
    let corners = (0..8).map(|k| [k & 1, k >> 1 & 1, k >> 2].map(|bit| if bit == 0 { low } else { high }));
    let mut text: String = corners.map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    for [a, b, c, d] in [
        [8, 6, 5, 7],
        [4, 3, 1, 2],
        [8, 7, 3, 4],
        [6, 2, 1, 5],
        [8, 4, 2, 6],
        [7, 5, 1, 3],
    ] {
        // Outward: counter-clockwise seen from outside.
        let face = if is_reversed { [d, c, b, a] } else { [a, b, c, d] };
        text += &format!("f -{} -{} -{} -{}\n", face[0], face[1], face[2], face[3]);
    }
    text
}

/// A file, a rule, the states of the first two points, and words that are said about the file.
type Shells = (&'static str, &'static str, [&'static str; 2], Option<&'static str>);

const SHELLS: [Shells; 7] = [
    ("apart.obj", "parity", ["outside", "inside"], None),
    (
        "crossing.obj",
        "parity",
        ["outside", "inside"],
        Some("pairs of triangles pass through each other"),
    ),
    (
        "crossing.obj",
        "winding",
        ["inside", "inside"],
        Some("pairs of triangles pass through each other"),
    ),
    (
        "twice.obj",
        "parity",
        ["outside", "outside"],
        Some("12 triangles occur twice"),
    ),
    (
        "twice.obj",
        "winding",
        ["inside", "inside"],
        Some("12 triangles occur twice"),
    ),
    (
        "both.obj",
        "parity",
        ["outside", "outside"],
        Some("pairs of others lie on each other"),
    ),
    (
        "both.obj",
        "winding",
        ["outside", "outside"],
        Some("pairs of others lie on each other"),
    ),
];

/// Overlapping shells and duplicate faces are reported; `--inside-rule winding` counts them as
/// inside.
#[test]
fn overlapping_shells_are_reported() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    write(here, "apart.obj", &(shell(0, 2, false) + &shell(5, 7, false)));
    write(here, "crossing.obj", &(shell(0, 4, false) + &shell(1, 5, false)));
    write(here, "twice.obj", &(shell(0, 4, false) + &shell(0, 4, false)));
    write(here, "both.obj", &(shell(0, 4, false) + &shell(0, 4, true)));
    write(here, "points.csv", "x,y,z\n2.5,2.5,2.5\n0.5,0.5,0.5\n9,9,9\n");
    for (file, rule, states, said) in SHELLS {
        let arguments = [
            "mesh",
            file,
            "--inside",
            "points.csv",
            "--inside-rule",
            rule,
            "--out",
            "-",
        ];
        let output = run(here, &arguments);
        let (found, told) = (text(&output.stdout), text(&output.stderr));
        let [first, second] = states;
        assert_eq!(
            found,
            format!("point,state\n0,{first}\n1,{second}\n2,outside\n"),
            "{file}, {rule}: {told}"
        );
        match said {
            Some(words) => assert!(told.contains(file) && told.contains(words), "{told}"),
            None => assert!(!told.contains("note"), "{told}"),
        }
    }
    // Faces with inconsistent orientations.
    write(
        here,
        "turned.obj",
        &shell(0, 4, false).replace("f -4 -3 -1 -2", "f -2 -1 -3 -4"),
    );
    let output = run(
        here,
        &[
            "mesh",
            "turned.obj",
            "--inside",
            "points.csv",
            "--inside-rule",
            "winding",
            "--out",
            "x.csv",
        ],
    );
    assert_failure(
        "turned",
        &output,
        2,
        "turned.obj: triangles are oriented inconsistently at 4 edges",
    );
}
