//! `obbligato solids`.

use std::fs;
use std::path::Path;

use obbligato::{Pair, report::checksum};
use serde_json::Value;

use super::program::{assert_failure, json, names, run, run_with_stdin, succeed, text};

/// A tetrahedron, a point on its slanted face, a plate that cuts it, a rod half a unit above its
/// top, and a point far away; the rows are unsorted.
const POINTS: &str = "x,id,note,y,z
0,70,a,0,0
2,5,b,2,2
6,70,c,0,0
-1,12,d,1,-1
-1,12,d,1,1
0,70,e,6,0
1,12,d,1,0
0,70,f,0,6
0,9,g,0,6.5
0,9,g,0,9
100,1,h,0,0
";

fn write(here: &Path, name: &str, text: &str) {
    fs::write(here.join(name), text).expect("it can be written");
}

fn read(here: &Path, name: &str) -> String {
    fs::read_to_string(here.join(name)).expect("the file is there")
}

#[test]
fn pairs_are_in_ids() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    write(here, "p.csv", POINTS);
    let arguments = ["solids", "p.csv", "--backend", "cpu", "--pairs", "out.csv"];
    let summary = succeed(here, &[&arguments[..], &["--json", "j.json"]].concat());
    assert!(summary.contains("solids           5, of 11 points\n"), "{summary}");
    assert!(
        summary.contains("colliding pairs  2, 1 of them only touch\n"),
        "{summary}"
    );
    assert_eq!(read(here, "out.csv"), "a,b\n5,70\n12,70\n");
    assert_eq!(names(here), ["j.json", "out.csv", "p.csv"].map(String::from).into());
    let report: Value = serde_json::from_str(&read(here, "j.json")).expect("it is JSON");
    for (key, number) in [
        ("boxes", 5),
        ("colliding_pairs", 2),
        ("touching_pairs", 1),
        ("undecided_pairs", 0),
    ] {
        assert_eq!(report[key], number, "{key}");
    }
    let pairs = [Pair { a: 5, b: 70 }, Pair { a: 12, b: 70 }];
    assert_eq!(report["checksum"], format!("{:016x}", checksum(&pairs)));
    assert_eq!((&report["complete"], &report["backend"]), (&true.into(), &"cpu".into()));
    for step in [
        "load", "upload", "bounds", "broad", "narrow", "exact", "readback", "total",
    ] {
        assert!(report["timings_ms"][step].is_number(), "{step} in {report}");
    }
    assert!(report["candidate_pairs"].as_u64() >= Some(2), "{report}");

    let stdin = ["solids", "-", "--backend", "cpu", "--pairs", "-"];
    let output = run_with_stdin(here, &stdin, POINTS);
    assert_eq!(text(&output.stdout), "a,b\n5,70\n12,70\n", "{}", text(&output.stderr));
    succeed(here, &["solids", "p.csv", "--backend", "gpu", "--pairs", "gpu.csv"]);
    assert_eq!(read(here, "gpu.csv"), "a,b\n5,70\n12,70\n");
}

#[test]
fn distances_within_a_margin() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    write(here, "p.csv", POINTS);
    let near = |margin: &str, outputs: &[&str]| {
        let arguments = ["solids", "p.csv", "--backend", "cpu", "--margin", margin, "--json", "-"];
        json(here, &[&arguments[..], outputs].concat())
    };
    let report = near("0.5", &["--distances", "d.csv", "--pairs", "out.csv"]);
    assert_eq!(read(here, "out.csv"), "a,b\n5,70\n9,70\n12,70\n");
    assert_eq!(
        (&report["colliding_pairs"], &report["near_pairs"]),
        (&3.into(), &1.into())
    );
    let distances = read(here, "d.csv");
    let mut lines = distances.lines();
    assert_eq!(lines.next(), Some("a,b,distance,pax,pay,paz,pbx,pby,pbz"));
    let rows: Vec<Vec<f64>> = lines
        .map(|line| line.split(',').map(|field| field.parse().expect("a number")).collect())
        .collect();
    assert_eq!(rows.len(), 3);
    assert_eq!(
        (&rows[0][..3], &rows[2][..3]),
        (&[5.0, 70.0, 0.0][..], &[12.0, 70.0, 0.0][..])
    );
    assert_eq!(rows[1], [9.0, 70.0, 0.5, 0.0, 0.0, 6.5, 0.0, 0.0, 6.0]);
    let report = near("0.49999", &[]);
    assert_eq!(
        (&report["colliding_pairs"], &report["near_pairs"]),
        (&2.into(), &0.into())
    );
}

#[test]
fn ids_may_be_texts() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    write(
        here,
        "p.csv",
        "guid,x,y,z\nwall,0,0,0\nDoor,1,0,0\nwall,2,0,0\n10,1,0,0\n",
    );
    let arguments = ["solids", "p.csv", "--id-column", "guid", "--backend", "cpu"];
    succeed(here, &[&arguments[..], &["--pairs", "out.csv"]].concat());
    assert_eq!(read(here, "out.csv"), "a,b\n10,Door\n10,wall\nDoor,wall\n");
    let output = run(here, &[&arguments[..], &["--pairs", "out.npy"]].concat());
    assert_failure("texts as NPY", &output, 2, "cannot hold ids that are texts as NPY");
}

#[test]
fn bad_input_is_one_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let good = "id,x,y,z\n1,0,0,0\n";
    let cases = [
        ("id,x,y,z\n1,0,NaN,0\n2,0,inf,0\n", "line 2"),
        ("id,x,y,z\n1,0,0,0\n1,0,0,2e18\n", "line 3"),
        ("id,x,y,z\n1,0,0,one\n", "line 2"),
        ("id,x,y,z\n1,0,0\n", "line 2"),
        ("id,x,y,z\n,0,0,0\n", "line 2"),
        ("id,x,y\n1,0,0\n", "z"),
        ("x,y,z\n1,0,0\n", "id"),
        ("", "is empty"),
    ];
    for (text, words) in cases {
        write(here, "p.csv", text);
        let output = run(here, &["solids", "p.csv", "--backend", "cpu", "--pairs", "out.csv"]);
        assert_failure(text, &output, 2, words);
    }
    write(here, "p.csv", good);
    for (arguments, words) in [
        (&["--margin", "-1"][..], "margin"),
        (&["--margin", "NaN"], "margin"),
        (
            &["--margin", "1", "--distances", "d.npy"],
            "cannot hold distances as NPY",
        ),
        (&["--pairs", "p.csv"], "is also the input"),
        (&["--pairs", "a.csv", "--json", "a.csv"], "is named for two outputs"),
        (&["--pairs", "-", "--json", "-"], "is named for two outputs"),
    ] {
        let output = run(here, &[&["solids", "p.csv", "--backend", "cpu"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(
            text(&output.stderr).contains(words),
            "{arguments:?}: {}",
            text(&output.stderr)
        );
    }
    assert_eq!(names(here), ["p.csv".to_owned()].into());
    // No rows, and one solid.
    write(here, "p.csv", "id,x,y,z\n");
    let report = json(here, &["solids", "p.csv", "--backend", "cpu", "--json", "-"]);
    assert_eq!((&report["boxes"], &report["colliding_pairs"]), (&0.into(), &0.into()));
    write(here, "p.csv", good);
    let report = json(here, &["solids", "p.csv", "--backend", "cpu", "--json", "-"]);
    assert_eq!((&report["boxes"], &report["colliding_pairs"]), (&1.into(), &0.into()));
}

/// Far from the origin of coordinates, solids meet where they do near it, and closest points are at
/// the coordinates of the file.
#[test]
fn coordinates_of_a_map() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let write = |name: &str, at: [f64; 2]| {
        let mut rows = String::from("id,x,y,z\n");
        for wall in 0..20 {
            for corner in 0..8 {
                let [x, y, z] = [0, 1, 2].map(|axis| f64::from(corner >> axis & 1));
                let place = [at[0] + 0.4 * f64::from(wall) + 0.1 * x, at[1] + 4.0 * y, 0.3 + 2.5 * z];
                let words = place.map(|number| format!("{number:.1}"));
                rows += &format!("{wall},{}\n", words.join(","));
            }
        }
        fs::write(here.join(name), rows).expect("it can be written");
    };
    write("near.csv", [0.0, 0.0]);
    write("far.csv", [441_871.6, 6_329_700.7]);
    for file in ["near.csv", "far.csv"] {
        let of = |others: &[&'static str]| run(here, &[&["solids", file], others].concat());
        let output = of(&["--pairs", "-"]);
        assert_eq!(text(&output.stdout), "a,b\n", "{file}");
        assert!(!text(&output.stderr).contains("note"), "{}", text(&output.stderr));
        let output = of(&["--margin", "0.35", "--distances", "-"]);
        let table = text(&output.stdout);
        let rows: Vec<Vec<f64>> = table
            .lines()
            .skip(1)
            .map(|line| line.split(',').map(|word| word.parse().expect("a number")).collect())
            .collect();
        assert_eq!(rows.len(), 19, "{file}: {table}");
        let first = if file == "far.csv" { 441_871.6 } else { 0.0 };
        for row in rows {
            assert!((row[2] - 0.3).abs() < 1e-5, "{row:?}");
            assert!((row[3] - (first + 0.4 * row[0] + 0.1)).abs() < 1e-5, "{row:?}");
        }
    }
    // A small solid far from all others.
    fs::write(
        here.join("away.csv"),
        "id,x,y,z\n1,0.3,0,0\n1,1.3,0,0\n2,100000000.3,0,0\n2,100000001.3,0,0\n",
    )
    .expect("it can be written");
    let output = run(here, &["solids", "away.csv"]);
    let said = text(&output.stderr);
    assert!(
        said.contains("away.csv: 1 id has points that are moved by more than a millionth"),
        "{said}"
    );
}
