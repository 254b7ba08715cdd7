//! Tests `check --clashes`: kinds and groups.

use std::fs;
use std::path::Path;

use super::program::{assert_failure, json, run, succeed, text};
use super::shell::columns;

/// A wall, a pipe through it and another one beside it, a box in it, the wall again, a slab that it
/// stands on, and a pipe far away through a wall of its own.
const MODEL: &str = "id,type,shape,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,radius
w1,Wall,,0,0,1.5,2,0.125,1.5,0,0,0,1,
p1,Pipe,,1,0,1,0.0625,1,0.0625,0,0,0,1,
p2,Pipe,,1.25,0,1,0.0625,1,0.0625,0,0,0,1,
b1,Box,,-1,0,1,0.125,0.0625,0.125,0,0,0,1,
w2,Wall,,0,0,1.5,0.125,2,1.5,0,0,0.70710677,0.70710677,
s1,Slab,,0,0,-0.125,4,4,0.125,0,0,0,1,
w9,Wall,,100,0,1.5,2,0.125,1.5,0,0,0,1,
p9,Pipe,capsule,100,0,1,,,1,0.70710677,0,0,0.70710677,0.0625
";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("model.csv"), MODEL).expect("it can be written");
    folder
}

/// The fields of some columns in each row of `--clashes`.
fn clashes(here: &Path, more: &[&str], names: &[&str]) -> Vec<String> {
    columns(&succeed(here, &[&["check"], more, &["--clashes", "-"]].concat()), names)
}

#[test]
fn a5_kinds_of_clashes() {
    let folder = folder();
    let here = folder.path();
    let expected = [
        "b1 w1 contain",
        "b1 w2 contain",
        "p1 w1 pierce",
        "p1 w2 pierce",
        "p2 w1 pierce",
        "p2 w2 pierce",
        "p9 w9 pierce",
        "s1 w1 touch",
        "s1 w2 touch",
        "w1 w2 duplicate",
    ];
    for more in [&[][..], &["--backend", "cpu"]] {
        let mut found = clashes(here, &[&["model.csv"], more].concat(), &["a", "b", "kind"]);
        found.sort_unstable();
        assert_eq!(found, expected, "{more:?}");
    }
    // A pipe that leaves on one side comes back on the other, and pierces the wall there.
    let rows = "id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n1,0,0,0,2,0.125,2,0,0,0,1\n2,0,9.5,0,0.125,1,0.125,0,0,0,1\n";
    fs::write(here.join("periodic.csv"), rows).expect("it can be written");
    let found = clashes(
        here,
        &["periodic.csv", "--period", "-,10,-"],
        &["a", "b", "ia", "ib", "ic", "kind"],
    );
    assert_eq!(found, ["1 2 0 -1 0 pierce"]);
    // In the plane, and with centers in f64.
    fs::write(
        here.join("plane.csv"),
        "cx,cy,hx,hy,yaw\n0,0,4,1,0\n0,0,0.5,3,0\n0,0,4,1,0\n",
    )
    .expect("a file");
    assert_eq!(clashes(here, &["plane.csv"], &["kind"]).len(), 3);
    let mut kinds = clashes(here, &["plane.csv"], &["a", "b", "kind"]);
    kinds.sort_unstable();
    assert_eq!(kinds, ["0 1 pierce", "0 2 duplicate", "1 2 pierce"]);
    let boxes = MODEL
        .lines()
        .filter(|line| !line.contains("capsule"))
        .collect::<Vec<_>>()
        .join("\n");
    fs::write(here.join("boxes.csv"), boxes).expect("it can be written");
    let mut found = clashes(here, &["boxes.csv", "--f64"], &["a", "b", "kind"]);
    found.sort_unstable();
    let without_capsule: Vec<&str> = expected.into_iter().filter(|row| !row.contains("p9")).collect();
    assert_eq!(found, without_capsule);
}

#[test]
fn a5_groups_by_place() {
    let folder = folder();
    let here = folder.path();
    // All at the first wall are connected: the wall and its duplicate clash over its whole length.
    let near = clashes(here, &["model.csv", "--group", "near"], &["a", "b", "group"]);
    let groups: Vec<(bool, &str)> = near
        .iter()
        .map(|row| (row.contains("w9"), &row[row.len() - 1..]))
        .collect();
    assert_eq!(groups.len(), 10);
    for (is_far, group) in groups {
        assert_eq!(group, if is_far { "1" } else { "0" }, "{near:?}");
    }
    // Without the duplicate, each pipe is a group of its own, and within a margin both are one.
    let alone = ["model.csv", "--where", "a.type=Pipe b.id!=w2", "--group", "near"];
    assert_eq!(
        clashes(here, &alone, &["a", "b", "group"]),
        ["p1 w1 0", "p9 w9 1", "p2 w1 2"]
    );
    assert_eq!(
        clashes(
            here,
            &[&alone[..], &["--margin", "0.125"]].concat(),
            &["a", "b", "group"]
        ),
        ["p1 w1 0", "p9 w9 1", "p2 w1 0"]
    );
}

#[test]
fn a5_groups_by_columns() {
    let folder = folder();
    let here = folder.path();
    // Columns, in either order; that of the deepest clash is 0.
    let types = clashes(
        here,
        &["model.csv", "--group", "type", "--keep", "type"],
        &["a_type", "b_type", "group"],
    );
    let mut distinct: Vec<&String> = types.iter().collect();
    distinct.dedup();
    let numbers: Vec<char> = distinct.iter().filter_map(|row| row.chars().last()).collect();
    let mut sorted = numbers.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted, ['0', '1', '2', '3'], "{types:?}");
    assert_eq!(numbers[0], '0');
    let report = json(
        here,
        &[
            "check",
            "model.csv",
            "--group",
            "type",
            "--clashes",
            "c.csv",
            "--json",
            "-",
        ],
    );
    assert_eq!(report["groups"], 4);
    assert_eq!(
        json(here, &["check", "model.csv", "--json", "-"])["groups"],
        serde_json::Value::Null
    );

    for (more, words) in [
        (&["--group", "near"][..], "--clashes"),
        (&["--group", "storey", "--clashes", "c.csv"], "has no column storey"),
        (&["--group", ",", "--clashes", "c.csv"], "expected column names"),
    ] {
        assert_failure(words, &run(here, &[&["check", "model.csv"], more].concat()), 2, words);
    }
    let page = ["check", "model.csv", "--group", "near", "--html", "page.html"];
    assert!(
        text(&run(here, &page).stdout).contains("groups"),
        "the summary counts them"
    );
    let page = fs::read_to_string(here.join("page.html")).expect("a page");
    for word in ["duplicate", "pierce", "contain", "touch", ">group<"] {
        assert!(page.contains(word), "{word}");
    }
}
