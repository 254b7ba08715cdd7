//! One frame of several: results name a box by its id, or by its row in the whole file.

use std::fs;
use std::path::Path;

use obbligato::{Pair, report::checksum};
use serde_json::Value;

use super::program::{json, succeed};
use super::two_columns;

const HEADER: &str = "frame,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw";

/// Frame 7 is rows 1, 3 and 4, of which the last two collide.
const FRAMES: &str = "6,0,0,0,1,1,1,0,0,0,1
7,50,0,0,1,1,1,0,0,0,1
6,0,0,0,1,1,1,0,0,0,1
7,0,0,0,1,1,1,0,0,0,1
7,1,0,0,1,1,1,0,0,0,1
";

/// Returns the first two fields of each row after the header.
fn named(path: &Path) -> Vec<String> {
    let content = fs::read_to_string(path).expect("the file is there");
    let rows = content.lines().skip(1);
    rows.map(|row| row.split(',').take(2).collect::<Vec<_>>().join(","))
        .collect()
}

#[test]
fn boxes_without_ids_are_named_by_rows_of_the_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("frames.csv"), format!("{HEADER}\n{FRAMES}")).expect("it can be written");
    let frame = ["frames.csv", "--frame", "7", "--backend", "cpu"];
    let outputs = [
        "--pairs",
        "p.csv",
        "--marks",
        "m.csv",
        "--contacts",
        "c.csv",
        "--rows",
        "r",
    ];
    let distances = ["--margin", "0.5", "--distances", "d.csv", "--json", "-"];
    let report: Value = json(here, &[&["check"], &frame[..], &outputs, &distances].concat());
    assert_eq!(report["checksum"], format!("{:016x}", checksum(&[Pair { a: 3, b: 4 }])));
    assert_eq!(two_columns(&here.join("p.csv"), "a,b"), [(3, 4)]);
    assert_eq!(two_columns(&here.join("m.csv"), "id,degree"), [(1, 0), (3, 1), (4, 1)]);
    assert_eq!(named(&here.join("d.csv")), ["3,4"]);
    assert_eq!(named(&here.join("c.csv")), ["3,4"; 4]);

    let room = ["--min", "-9,-9,-9", "--max", "9,9,9", "--out", "w.csv"];
    succeed(here, &[&["room"], &frame[..], &room].concat());
    assert_eq!(named(&here.join("w.csv")), ["1,outside", "3,inside", "4,inside"]);
    let against = ["--against", "frames.csv", "--pairs", "a.csv"];
    succeed(here, &[&["check"], &frame[..], &against].concat());
    let expected = [(1, 1), (3, 3), (3, 4), (4, 3), (4, 4)];
    assert_eq!(two_columns(&here.join("a.csv"), "a,b"), expected);
}
