//! Tests `check` among other tools of the shell: ids as texts, kept columns, conditions, and
//! changes since an earlier check.

mod frames;
mod streams;

use std::fs;
use std::path::Path;

use obbligato::{Pair, report::checksum};
use tempfile::TempDir;

use crate::program::{assert_failure, json, run, succeed, text};

/// Two walls, two pipes and a duct by GUIDs, unsorted. Wall w2 is in w1 by 0.5; pipe p1 in both
/// walls, p2 in w2; the duct touches w1; the boxes are axis-aligned, one deep.
const MODEL: &str = "guid,type,name,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw
w2,Wall,\"north, \"\"long\"\"\",1.5,0,0,1,1,1,0,0,0,1
w1,Wall,south,0,0,0,1,1,1,0,0,0,1
p1,Pipe,cold,0.75,0,0,0.125,2,0.125,0,0,0,1
p2,Pipe,hot,2.25,0,0,0.125,2,0.25,0,0,0,1
d1,Duct,air,-2,0,0,1,1,1,0,0,0,1
";

/// The pairs of the model, sorted by their ids as bytes.
const PAIRS: &str = "a,b\nd1,w1\np1,w1\np1,w2\np2,w2\nw1,w2\n";

/// Returns a folder with the model in `model.csv`.
fn model() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("model.csv"), MODEL).expect("it can be written");
    folder
}

/// Returns the arguments of a check of the model by its GUIDs, on the CPU.
fn check<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let check = ["check", "model.csv", "--backend", "cpu", "--id-column", "guid"];
    [&check, more].concat()
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("the file is there")
}

/// Returns some fields of each row after the header.
pub(super) fn columns(table: &str, names: &[&str]) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let place = |name: &&str| {
        header
            .iter()
            .position(|field| field == *name)
            .expect("the column is there")
    };
    let places: Vec<usize> = names.iter().map(place).collect();
    let rows = reader.records().map(|row| {
        let row = row.expect("a row");
        let fields: Vec<&str> = places.iter().map(|&place| &row[place]).collect();
        fields.join(" ")
    });
    rows.collect()
}

#[test]
fn ids_may_be_texts() {
    let folder = model();
    let here = folder.path();
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
    let near = ["--margin", "0.25", "--distances", "d.csv"];
    let summary = succeed(here, &check(&[&outputs[..], &near].concat()));
    assert_eq!(read(here, "p.csv"), PAIRS);
    assert_eq!(read(here, "m.csv"), "id,degree\nw2,3\nw1,3\np1,2\np2,1\nd1,1\n");
    assert_eq!(
        columns(&read(here, "d.csv"), &["a", "b"]).join("\n"),
        PAIRS[4..].trim_end().replace(',', " ")
    );
    let contacts = columns(&read(here, "c.csv"), &["a", "b", "nx", "ny", "nz"]);
    assert_eq!(
        (contacts[0].as_str(), contacts[contacts.len() - 1].as_str()),
        ("d1 w1 1.0 0.0 0.0", "w1 w2 1.0 0.0 0.0")
    );

    // The checksum uses ranks: d1 p1 p2 w1 w2 are 0 to 4.
    let ranks = [(0, 3), (1, 3), (1, 4), (2, 4), (3, 4)].map(|(a, b)| Pair { a, b });
    let sum = format!("{:016x}", checksum(&ranks));
    assert!(summary.contains(&sum), "{summary}");
    let verified = succeed(
        here,
        &["verify", "model.csv", "--id-column", "guid", "--backend", "cpu"],
    );
    assert!(verified.contains(&sum), "{verified}");
    // Degrees and rows need no ids, pairs do.
    succeed(here, &check(&["--marks", "m.npy"]));
    expect_no_texts_as_npy(here);
    let room = ["--min", "-9,-9,-9", "--max", "9,9,9", "--out", "-"];
    let walls = succeed(
        here,
        &[
            &["room", "model.csv", "--id-column", "guid", "--backend", "cpu"],
            &room[..],
        ]
        .concat(),
    );
    assert!(
        walls.starts_with("id,state,walls\nw2,inside,0\nw1,inside,0\n"),
        "{walls}"
    );
    let output = run(here, &["check", "model.csv", "--id-column", "uid"]);
    assert_failure(
        "id",
        &output,
        2,
        "model.csv: has no column uid: it has guid, type, name, cx",
    );
}

/// Asserts that ids that are texts are refused as NPY.
fn expect_no_texts_as_npy(here: &Path) {
    let output = run(here, &check(&["--pairs", "p.npy"]));
    assert_failure(
        "npy",
        &output,
        2,
        "p.npy: cannot hold ids that are texts as NPY: name it .csv",
    );
    let output = run(here, &check(&["--pairs", "-", "--format", "npy"]));
    assert_failure("npy", &output, 2, "leave --format npy out");
}

#[test]
fn ids_are_numbers_only_if_all_are() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let row = "0,0,0,1,1,1,0,0,0,1";
    let pairs = |ids: [&str; 3]| {
        let rows = ids.map(|id| format!("1,{id},{row}\n")).concat();
        let other = format!("2,z,{row}\n");
        let header = "frame,id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n";
        fs::write(here.join("one.csv"), format!("{header}{rows}")).expect("it can be written");
        fs::write(here.join("two.csv"), format!("{header}{rows}{other}")).expect("it can be written");
        let check = ["--backend", "cpu", "--pairs", "-", "--frame", "1"];
        let [one, two] = ["one.csv", "two.csv"].map(|file| succeed(here, &[&["check", file], &check[..]].concat()));
        [one, two].map(|text| text["a,b\n".len()..].replace('\n', " "))
    };
    // The second file has a text for an id, although in another frame.
    assert_eq!(
        pairs(["10", "9", "4294967295"]),
        ["9,10 9,4294967295 10,4294967295 ", "10,4294967295 10,9 4294967295,9 "]
    );
    for ids in [
        ["10", "9", "4294967296"],
        ["10", "9", "09"],
        ["10", "9", "-1"],
        ["10", "9", "+9"],
        ["10", "9", "1.5"],
    ] {
        let mut sorted = ids;
        sorted.sort_unstable();
        let [a, b, c] = sorted;
        let expected = format!("{a},{b} {a},{c} {b},{c} ");
        assert_eq!(pairs(ids), [expected.clone(), expected], "{ids:?}");
    }
    assert_eq!(
        pairs(["\"b,\"\"c\"\"\"", "ä", "b"])[0],
        "b,\"b,\"\"c\"\"\" b,ä \"b,\"\"c\"\"\",ä "
    );
}

#[test]
fn each_clash_has_a_row() {
    let folder = model();
    let here = folder.path();
    succeed(here, &check(&["--keep", "type,name", "--clashes", "c.csv"]));
    let table = read(here, "c.csv");
    assert_eq!(
        table.lines().next(),
        Some("a,b,depth,touching,nx,ny,nz,x,y,z,a_type,b_type,a_name,b_name,kind")
    );
    assert_eq!(
        columns(
            &table,
            &["a", "b", "depth", "touching", "nx", "x", "a_type", "b_name", "kind"]
        ),
        [
            "w1 w2 0.5 0 1.0 0.75 Wall north, \"long\" overlap",
            "p1 w1 0.375 0 -1.0 0.8125 Pipe south pierce",
            "p1 w2 0.375 0 1.0 0.6875 Pipe north, \"long\" pierce",
            "p2 w2 0.375 0 -1.0 2.3125 Pipe north, \"long\" pierce",
            "d1 w1 0.0 1 1.0 -1.0 Duct south touch",
        ]
    );
    // Other precisions do not determine which pairs only touch, and pairs that are only near do not
    // clash.
    succeed(
        here,
        &check(&["--precision", "fast", "--margin", "1", "--clashes", "f.csv"]),
    );
    let fast = columns(&read(here, "f.csv"), &["a", "b", "touching"]);
    assert_eq!((fast.len(), fast[0].as_str()), (5, "w1 w2 "));

    for (more, words) in [
        (
            &["--keep", "kind", "--clashes", "k.csv"][..],
            "has no column kind: it has guid, type, name",
        ),
        (&["--keep", "type"], "--clashes"),
        (
            &["--clashes", "k.npy"],
            "k.npy: cannot hold clashes as NPY: name it .csv",
        ),
        (&["--clashes", "k.txt"], "k.txt: has an unknown extension: name it .csv"),
        (&["--min-depth", "-1"], "expected a depth"),
        (&["--min-depth", "nan"], "expected a depth"),
    ] {
        assert_failure(words, &run(here, &check(more)), 2, words);
    }
}

#[test]
fn shallow_pairs_are_left_out_of_all_results() {
    let folder = model();
    let here = folder.path();
    let outputs = [
        "--pairs",
        "p.csv",
        "--marks",
        "m.csv",
        "--clashes",
        "c.csv",
        "--contacts",
        "k.csv",
        "--rows",
        "r",
    ];
    let report = json(
        here,
        &check(&[&outputs[..], &["--min-depth", "0.376", "--json", "-"]].concat()),
    );
    assert_eq!(
        (&report["colliding_pairs"], &report["below_min_depth"]),
        (&1.into(), &4.into())
    );
    assert_eq!(report["filtered_pairs"], serde_json::Value::Null);
    assert_eq!(report["checksum"], format!("{:016x}", checksum(&[Pair { a: 3, b: 4 }])));
    assert_eq!(read(here, "p.csv"), "a,b\nw1,w2\n");
    assert_eq!(read(here, "m.csv"), "id,degree\nw2,1\nw1,1\np1,0\np2,0\nd1,0\n");
    assert_eq!(columns(&read(here, "c.csv"), &["a", "b"]), ["w1 w2"]);
    assert!(
        columns(&read(here, "k.csv"), &["a", "b"])
            .iter()
            .all(|pair| pair == "w1 w2")
    );
    assert_eq!(super::npy_integers(&here.join("r.offsets.npy")), [0, 1, 2, 2, 2, 2]);

    let count = |more: &[&str]| {
        let report = json(here, &check(&[more, &["--json", "-"]].concat()));
        ["colliding_pairs", "touching_pairs", "near_pairs", "below_min_depth"].map(|key| report[key].as_u64())
    };
    assert_eq!(count(&[]), [Some(5), Some(1), Some(0), None]);
    assert_eq!(count(&["--min-depth", "0"]), [Some(5), Some(1), Some(0), Some(0)]);
    assert_eq!(count(&["--min-depth", "0.375"]), [Some(4), Some(0), Some(0), Some(1)]);
    // Pairs that are only near have no depth: w2 and d1 are 1.5 apart, w1 and p2 1.125.
    assert_eq!(count(&["--margin", "1.2"])[..3], [Some(6), Some(1), Some(1)]);
    assert_eq!(
        count(&["--margin", "1.2", "--min-depth", "0"]),
        [Some(5), Some(1), Some(0), Some(1)]
    );
}

#[test]
fn type_against_type() {
    let folder = model();
    let here = folder.path();
    let pairs = |condition: &str| {
        let text = succeed(here, &check(&["--where", condition, "--pairs", "-"]));
        text["a,b\n".len()..].trim_end().replace('\n', " ")
    };
    assert_eq!(pairs("a.type=Wall b.type=Pipe"), "p1,w1 p1,w2 p2,w2");
    assert_eq!(pairs("b.type=Wall and a.type='Pipe'|Duct"), "d1,w1 p1,w1 p1,w2 p2,w2");
    assert_eq!(pairs("a.type=b.type"), "w1,w2");
    assert_eq!(pairs("a.type!=b.type, a.name!=cold, b.name!=cold"), "d1,w1 p2,w2");
    assert_eq!(pairs("a.name='north, \"long\"' b.name=hot"), "p2,w2");
    assert_eq!(pairs("a.type=wall"), "");

    let where_ = [
        "--where",
        "a.type=Wall b.type=Duct|Pipe",
        "--min-depth",
        "0.1",
        "--json",
        "-",
    ];
    let report = json(here, &check(&where_));
    let numbers = ["colliding_pairs", "touching_pairs", "filtered_pairs", "below_min_depth"];
    assert_eq!(
        numbers.map(|key| report[key].as_u64()),
        [Some(3), Some(0), Some(1), Some(1)]
    );
    let summary = succeed(here, &check(&where_[..4]));
    assert!(
        summary.contains("left out         1 by --where, 1 by --min-depth\n"),
        "{summary}"
    );

    // With two files, a is of the first and b of the second, and each needs only its own columns.
    fs::write(here.join("plain.csv"), MODEL.replace("type,name", "kind,nothing")).expect("it can be written");
    let against = ["--against", "plain.csv", "--pairs", "-", "--where"];
    let two = succeed(here, &check(&[&against[..], &["a.type=Wall b.kind=Pipe"]].concat()));
    assert_eq!(two, "a,b\nw1,p1\nw2,p1\nw2,p2\n");
    for (condition, words) in [
        ("a.kind=x", "has no column kind: it has guid, type, name"),
        (
            "type=x",
            "'--where <EXPR>': \"type\" is not a column: write a.NAME or b.NAME; see `obbligato check --help`",
        ),
        ("a.type", "a.type needs = or != and a value"),
    ] {
        assert_failure(condition, &run(here, &check(&["--where", condition])), 2, words);
    }
    let condition = [&against[..], &["b.type=Wall"]].concat();
    assert_failure(
        "against",
        &run(here, &check(&condition)),
        2,
        "plain.csv: has no column type",
    );
    succeed(here, &["generate", "uniform", "--count", "9", "--out", "s.npy"]);
    let output = run(here, &["check", "s.npy", "--where", "a.type=x"]);
    assert_failure(
        "npy",
        &output,
        2,
        "s.npy: is an NPY file and has no column type: give the scene as .csv",
    );
}

#[test]
fn changes_since_an_earlier_check() {
    let folder = model();
    let here = folder.path();
    // An earlier check found w1 with w2 twice, also reversed, w2 with d1, and a box that no longer
    // exists.
    fs::write(
        here.join("old.csv"),
        "depth,b,a\n1,w2,w1\n1,w1,w2\n2,w2,d1\n3,x9,w1\n3,w1,x9\n4,w2,p2\n",
    )
    .expect("a file");
    let baseline = ["--baseline", "old.csv", "--clashes", "c.csv", "--keep", "type"];
    let output = run(here, &check(&[&baseline[..], &["--json", "-"]].concat()));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(
        ["new", "gone", "kept"].map(|key| report[key].as_u64()),
        [Some(3), Some(2), Some(2)]
    );
    assert_eq!(
        text(&output.stderr),
        "obbligato: note: since the baseline: 3 new, 2 gone, 2 kept\n\
         obbligato: note: gone: d1,w2\nobbligato: note: gone: w1,x9\n"
    );
    let clashes = read(here, "c.csv");
    assert!(
        clashes.starts_with("a,b,depth,touching,nx,ny,nz,x,y,z,a_type,b_type,status,kind\n"),
        "{clashes}"
    );
    assert_eq!(
        columns(&clashes, &["a", "b", "status"]),
        ["w1 w2 kept", "p1 w1 new", "p1 w2 new", "p2 w2 kept", "d1 w1 new"]
    );
    // Excluded pairs are gone.
    let output = run(here, &check(&["--baseline", "old.csv", "--min-depth", "0.4"]));
    assert!(
        text(&output.stdout).contains("since baseline   0 new, 3 gone, 1 kept\n"),
        "{output:?}"
    );
    // The pairs of a check are the baseline of the same check, for all kinds of ids.
    for ids in [&["--id-column", "guid"][..], &[]] {
        let same = [&["check", "model.csv", "--backend", "cpu"], ids].concat();
        succeed(
            here,
            &[&same[..], &["--pairs", "p.csv", "--contacts", "k.csv"]].concat(),
        );
        for baseline in ["p.csv", "k.csv"] {
            let output = run(here, &[&same[..], &["--baseline", baseline, "--pairs", "-"]].concat());
            assert_eq!(
                text(&output.stderr),
                "obbligato: note: since the baseline: 0 new, 0 gone, 5 kept\n"
            );
            assert_eq!(text(&output.stdout), read(here, "p.csv"));
        }
    }
    for (more, words) in [
        (&["--baseline", "none.csv"][..], "none.csv: cannot be read"),
        (&["--baseline", "model.csv"], "model.csv: has no column a: it has guid"),
        (&["--baseline", "old.npy"], "old.npy: is an NPY file"),
        (
            &["--baseline", "old.csv", "--pairs", "old.csv"],
            "old.csv: is also the input",
        ),
    ] {
        assert_failure(words, &run(here, &check(more)), 2, words);
    }
}

#[test]
fn counted_pairs_match_listed_pairs() {
    let folder = model();
    let here = folder.path();
    fs::write(here.join("others.csv"), MODEL.replace("w1,Wall", "w9,Wall")).expect("it can be written");
    succeed(here, &["generate", "dense", "--count", "3000", "--out", "dense.npy"]);
    let by_rows = ["check", "dense.npy"];
    let by_texts = ["check", "model.csv", "--id-column", "guid"];
    let cases = [
        by_rows.to_vec(),
        [&by_rows[..], &["--against", "dense.npy"]].concat(),
        [&by_rows[..], &["--margin", "0.5"]].concat(),
        [&by_rows[..], &["--precision", "conservative"]].concat(),
        by_texts.to_vec(),
        [&by_texts[..], &["--against", "others.csv"]].concat(),
        [&by_texts[..], &["--f64"]].concat(),
        [&by_texts[..], &["--f64", "--against", "others.csv"]].concat(),
    ];
    let numbers = [
        "boxes",
        "against_boxes",
        "candidate_pairs",
        "colliding_pairs",
        "touching_pairs",
        "near_pairs",
        "complete",
        "checksum",
    ];
    for case in cases {
        for backend in ["cpu", "gpu"] {
            let all = [
                &case[..],
                &["--backend", backend, "--json", "-", "--marks", "marks.csv"],
            ]
            .concat();
            let counted = json(here, &all);
            let marks = read(here, "marks.csv");
            let listed = json(here, &[&all[..], &["--pairs", "pairs.csv"]].concat());
            assert_eq!(marks, read(here, "marks.csv"), "{all:?}");
            for number in numbers {
                assert_eq!(counted[number], listed[number], "{all:?}: {number}");
            }
            assert!(counted["colliding_pairs"].as_u64() > Some(4), "{all:?}");
        }
    }
}
