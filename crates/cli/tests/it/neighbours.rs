//! `obbligato neighbours`.

use std::fs;
use std::path::Path;

use obbligato::glam::DVec3;
use obbligato_verify::reference::nearest_points;
use obbligato_verify::scenes::Scene;

use super::npy_integers;
use super::program::{assert_failure, names, run, run_with_stdin, succeed, text};

/// Balls whose ids are in another order than their rows, with ties, after a box of another kind.
const BALLS: &str = "id,shape,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,radius
30,sphere,0,0,0,,,,,,,,0.5
7,sphere,1,0,0,,,,,,,,0.25
12,box,-1,0,0,.125,.125,.125,0,0,0,1,
5,sphere,0,1,0,,,,,,,,0.25
";

fn written(here: &Path) -> String {
    fs::read_to_string(here.join("near.csv")).expect("the file is there")
}

/// Runs `neighbours balls.csv` with options in one text, and returns its summary.
fn neighbours(here: &Path, options: &str) -> String {
    let arguments: Vec<&str> = ["neighbours", "balls.csv"]
        .into_iter()
        .chain(options.split(' '))
        .collect();
    succeed(here, &arguments)
}

#[test]
fn c2_neighbours_are_in_the_order_of_ids() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("balls.csv"), BALLS).expect("it can be written");
    let nearest = "id,rank,neighbour,distance\n5,0,30,1.0\n7,0,30,1.0\n12,0,30,1.0\n30,0,5,1.0\n";
    for backend in ["cpu", "gpu"] {
        let summary = neighbours(here, &format!("--k 1 --out near.csv --backend {backend}"));
        assert!(
            summary.contains("neighbours       4\nwithout any      0\n"),
            "{summary}"
        );
        assert_eq!(written(here), nearest);
    }
    neighbours(here, "--radius 1 --k 2 --out near.csv");
    assert_eq!(written(here), [nearest, "30,1,7,1.0\n"].concat());
    let summary = neighbours(here, "--radius 0.3 --by surface --out near.csv");
    assert!(
        summary.contains("neighbours       4\nwithout any      1\n"),
        "{summary}"
    );
    assert_eq!(
        written(here),
        "id,rank,neighbour,distance\n5,0,30,0.25\n7,0,30,0.25\n30,0,5,0.25\n30,1,7,0.25\n"
    );
    neighbours(here, "--radius 0.5 --by surface --out near.npy");
    // Rows of the file: the ball 30, the ball 7, the box, the ball 5.
    assert_eq!(npy_integers(&here.join("near.offsets.npy")), [0, 3, 4, 5, 6]);
    assert_eq!(npy_integers(&here.join("near.neighbours.npy")), [3, 1, 2, 0, 0, 0]);
    let files = ["balls.csv", "near.csv", "near.neighbours.npy", "near.offsets.npy"];
    assert_eq!(names(here), files.map(String::from).into());
}

#[test]
fn c2_neighbours_go_to_stdout_and_obey_the_rules_of_the_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let scene = "id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,owner,static
a,0,0,0,1,1,1,0,0,0,1,1,1
b,1,0,0,1,1,1,0,0,0,1,1,0
c,3,0,0,1,1,1,0,0,0,1,,1
d,3.5,0,0,1,1,1,0,0,0,1,,0
";
    let output = run_with_stdin(here, &["neighbours", "-", "--k", "2", "--out", "-"], scene);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    let expected =
        "id,rank,neighbour,distance\na,0,d,3.5\nb,0,c,2.0\nb,1,d,2.5\nc,0,d,0.5\nc,1,b,2.0\nd,0,c,0.5\nd,1,b,2.5\n";
    assert_eq!(text(&output.stdout), expected);
    let none = run_with_stdin(
        here,
        &["neighbours", "-", "--k", "2", "--out", "-"],
        "cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n",
    );
    assert_eq!(text(&none.stdout), "id,rank,neighbour,distance\n");
    // Far from the origin, where f32 is too coarse.
    let far = "cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n1e9,0,0,1,1,1,0,0,0,1\n1000000001,0,0,1,1,1,0,0,0,1\n1000000003,0,0,1,1,1,0,0,0,1\n";
    let output = run_with_stdin(here, &["neighbours", "-", "--radius", "1", "--f64", "--out", "-"], far);
    assert_eq!(
        text(&output.stdout),
        "id,rank,neighbour,distance\n0,0,1,1.0\n1,0,0,1.0\n"
    );
}

#[test]
fn c2_neighbours_of_a_large_scene() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    succeed(here, &["generate", "crowd", "--count", "3000", "--out", "crowd.npy"]);
    succeed(here, &["neighbours", "crowd.npy", "--k", "5", "--out", "near.csv"]);
    let centers: Vec<DVec3> = Scene::Crowd
        .generate(3000, 1)
        .iter()
        .map(|obb| obb.center.as_dvec3())
        .collect();
    let text = written(here);
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 15_000);
    for id in (0..3000).step_by(101) {
        let others = (0..).zip(centers.iter().copied()).filter(|(other, _)| *other != id);
        let expected = nearest_points(centers[id as usize], others, Some(5), None);
        for (rank, near) in expected.iter().enumerate() {
            let row = &rows[5 * id as usize + rank];
            assert_eq!(row[..3], [id.to_string(), rank.to_string(), near.id.to_string()]);
            assert!(near.has_distance(row[3].parse().expect("a number")), "{row:?}");
        }
    }
}

#[test]
fn c2_bad_arguments_of_neighbours_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("balls.csv"), BALLS).expect("it can be written");
    for (arguments, words) in [
        (&["--out", "near.csv"][..], "<--k <K>|--radius <R>>"),
        (
            &["--k", "0", "--out", "near.csv"],
            "the number of neighbours is 0: give a number that is at least 1",
        ),
        (
            &["--radius", "-1", "--out", "near.csv"],
            "the radius of neighbours is -1: give a number that is at least 0",
        ),
        (
            &["--k", "3", "--radius", "nan", "--out", "near.csv"],
            "the radius of neighbours is NaN",
        ),
        (&["--k", "-3", "--out", "near.csv"], "--k"),
        (
            &["--k", "3", "--by", "corner", "--out", "near.csv"],
            "possible values: center, surface",
        ),
        (&["--k", "3", "--out", "near.txt"], "near.txt"),
        (&["--k", "3", "--out", "missing/near.npy"], "missing"),
        (&["--k", "3", "--out", "balls.csv"], "is also the input"),
        (&["--k", "3", "--f64", "--out", "near.csv"], "f64"),
    ] {
        let output = run(here, &[&["neighbours", "balls.csv"], arguments].concat());
        assert_failure(words, &output, 2, words);
    }
    assert_eq!(names(here), ["balls.csv".to_owned()].into());
}
