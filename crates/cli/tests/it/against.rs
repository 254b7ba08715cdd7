//! Tests `check --against`: one file against another, and rules in files.

use std::fs;

use obbligato::{Pair, report::checksum};

use super::program::{assert_failure, json, run, run_with_stdin, succeed, text};
use super::{npy_integers, two_columns};

const HEADER: &str = "id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw";

/// Walls 20 and 10, which intersect.
const WALLS: &str = "20,0,0,0,1,1,1,0,0,0,1
10,1,0,0,1,1,1,0,0,0,1
";
/// A pipe through wall 10 only, one through both, and one through neither.
const PIPES: &str = "7,2.5,0,0,1,0.1,0.1,0,0,0,1
9,0.5,0,0,1,0.1,0.1,0,0,0,1
8,9,0,0,1,0.1,0.1,0,0,0,1
";

#[test]
fn a_file_against_another() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("walls.csv"), format!("{HEADER}\n{WALLS}")).expect("it can be written");
    fs::write(here.join("pipes.csv"), format!("{HEADER}\n{PIPES}")).expect("it can be written");
    let check = ["check", "walls.csv", "--against", "pipes.csv", "--backend", "cpu"];
    let outputs = ["--pairs", "p.csv", "--marks", "m.csv", "--rows", "r"];
    let summary = succeed(here, &[&check[..], &outputs].concat());
    assert!(
        summary.contains("boxes            2, 0 of them free, against 3\n"),
        "{summary}"
    );
    assert_eq!(two_columns(&here.join("p.csv"), "a,b"), [(10, 7), (10, 9), (20, 9)]);
    assert_eq!(two_columns(&here.join("m.csv"), "id,degree"), [(20, 1), (10, 2)]);
    // Rows belong to the walls, by positions: pipe 9 is the second, pipe 7 the first.
    assert_eq!(npy_integers(&here.join("r.offsets.npy")), [0, 1, 3]);
    assert_eq!(npy_integers(&here.join("r.neighbours.npy")), [1, 0, 1]);

    let report = json(here, &[&check[..], &["--json", "-"]].concat());
    assert_eq!((&report["boxes"], &report["against_boxes"]), (&2.into(), &3.into()));
    assert_eq!(report["colliding_pairs"], 3);
    let pairs = [(10, 7), (10, 9), (20, 9)].map(|(a, b)| Pair { a, b });
    assert_eq!(report["checksum"], format!("{:016x}", checksum(&pairs)));

    // The other way round; the ids of a file without ids are its rows; one file comes from stdin.
    let rows = format!(
        "{}\n{}",
        &HEADER[3..],
        PIPES.replace("7,", "").replace("9,0.5", "0.5").replace("8,9", "9")
    );
    let turned = [
        "check",
        "-",
        "--against",
        "walls.csv",
        "--backend",
        "cpu",
        "--pairs",
        "t.csv",
    ];
    let output = run_with_stdin(here, &turned, &rows);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(two_columns(&here.join("t.csv"), "a,b"), [(0, 10), (1, 10), (1, 20)]);
}

#[test]
fn bad_second_files_are_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("walls.csv"), format!("{HEADER}\n{WALLS}")).expect("it can be written");
    fs::write(here.join("bad.csv"), format!("{HEADER}\n1,0,0,0,-1,1,1,0,0,0,1\n")).expect("it can be written");
    for (against, words) in [("bad.csv", "bad.csv: line 2"), ("none.csv", "none.csv: cannot be read")] {
        let output = run(here, &["check", "walls.csv", "--against", against, "--backend", "cpu"]);
        assert_failure("check", &output, 2, words);
    }
    let output = run(here, &["check", "-", "--against", "-"]);
    assert_failure("check", &output, 2, "stdin can be read only once");
    let output = run(
        here,
        &["check", "walls.csv", "--against", "bad.csv", "--pairs", "bad.csv"],
    );
    assert_failure("check", &output, 2, "bad.csv: is also the input");
}

#[test]
fn rules_in_a_file_apply() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let body = "0,0,0,1,1,1,0,0,0,1";
    // Boxes 0 to 5 in one place: two with the same owner, one in another world, and static ones.
    let rows = ["3,0,0", "3,0,0", ",1,0", ",0,1", ",0,1", ",0,0"];
    let rows: String = rows.iter().map(|rules| format!("{body},{rules}\n")).collect();
    let text = format!("{},owner,world,static\n{rows}", &HEADER[3..]);
    fs::write(here.join("ruled.csv"), text).expect("it can be written");
    succeed(here, &["check", "ruled.csv", "--backend", "cpu", "--pairs", "p.csv"]);
    let expected = [(0, 3), (0, 4), (0, 5), (1, 3), (1, 4), (1, 5), (3, 5), (4, 5)];
    assert_eq!(two_columns(&here.join("p.csv"), "a,b"), expected);
}
