//! Tests `--period`: scenes in space that repeats.

use std::fs;

use super::program::{assert_failure, json, run, succeed, text};

/// Two balls across the border of a cell of 10, which overlap by a quarter, and two boxes that
/// touch across it; ids are unsorted.
const SCENE: &str = "id,shape,cx,cy,cz,hx,hy,hz,radius,qx,qy,qz,qw
8,sphere,1,0,0,,,,1,,,,
3,sphere,9.25,20,0,,,,1,,,,
5,box,4,0.5,50,1,1,1,,0,0,0,1
2,box,4,8.5,50,1,1,1,,0,0,0,1
4,sphere,5,5,5,,,,0.5,,,,
";

const PERIOD: [&str; 2] = ["--period", "10,10,-"];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("scene.csv"), SCENE).expect("it can be written");
    folder
}

#[test]
fn c1_pairs_and_their_images() {
    let folder = folder();
    let here = folder.path();
    let check = |more: &[&str]| succeed(here, &[&["check", "scene.csv"], &PERIOD[..], more].concat());
    assert_eq!(check(&["--pairs", "-"]), "a,b\n2,5\n3,8\n");
    // The first of a pair is where it is.
    let contacts = check(&["--contacts", "-"]);
    let lines: Vec<&str> = contacts.lines().collect();
    let header = "a,b,point,nx,ny,nz,depth,pax,pay,paz,pbx,pby,pbz,feature_a,feature_b,ia,ib,ic";
    assert_eq!(lines[0], header);
    assert_eq!(lines.len(), 6, "{contacts}");
    assert!(
        lines[1..5]
            .iter()
            .all(|line| line.starts_with("2,5,") && line.ends_with(",0,1,0")),
        "{contacts}"
    );
    assert!(
        lines[5].starts_with("3,8,0,1.0,0.0,0.0,0.25,10.25,20.0,0.0,10.0,20.0,0.0,"),
        "{contacts}"
    );
    assert!(lines[5].ends_with(",1,2,0"), "{contacts}");
    let clashes = check(&["--clashes", "-"]);
    let expected =
        "a,b,depth,touching,nx,ny,nz,x,y,z,ia,ib,ic,kind\n3,8,0.25,0,1.0,0.0,0.0,10.125,20.0,0.0,1,2,0,overlap\n";
    assert!(clashes.starts_with(expected), "{clashes}");
    let distances = check(&["--margin", "2.5", "--distances", "-"]);
    let header = "a,b,distance,pax,pay,paz,pbx,pby,pbz,ia,ib,ic";
    assert_eq!(distances.lines().next(), Some(header));
    assert!(
        distances
            .lines()
            .all(|line| !line.starts_with("3,8,") || line.contains(",0.0,")),
        "{distances}"
    );
    let report = json(here, &[&["check", "scene.csv", "--json", "-"], &PERIOD[..]].concat());
    assert_eq!([&report["colliding_pairs"], &report["touching_pairs"]], [2, 1]);
    assert_eq!(report["backend"], "cpu");
    // In f64, and with the rows of a file that is checked against another.
    fs::write(
        here.join("boxes.csv"),
        "cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n0.25,0,0,1,1,1,0,0,0,1\n9,0,0,1,1,1,0,0,0,1\n",
    )
    .expect("it can be written");
    let pairs = succeed(
        here,
        &[&["check", "boxes.csv", "--f64", "--pairs", "-"], &PERIOD[..]].concat(),
    );
    assert_eq!(pairs, "a,b\n0,1\n");
    let against = [
        "check",
        "boxes.csv",
        "--against",
        "scene.csv",
        "--pairs",
        "-",
        "--period",
        "10,-,-",
    ];
    assert_eq!(succeed(here, &against), "a,b\n0,8\n1,8\n");
}

#[test]
fn c1_verified_and_drawn() {
    let folder = folder();
    let here = folder.path();
    let report = json(
        here,
        &[&["verify", "scene.csv", "--backend", "cpu", "--json", "-"], &PERIOD[..]].concat(),
    );
    assert_eq!(
        [&report["passed"], &report["colliding_pairs"]],
        [&serde_json::json!(true), &serde_json::json!(2)]
    );
    let faulty = run(
        here,
        &[
            &["verify", "scene.csv", "--backend", "cpu", "--inject-fault"],
            &PERIOD[..],
        ]
        .concat(),
    );
    assert_eq!(faulty.status.code(), Some(1));
    let drawn = succeed(
        here,
        &[&["render", "scene.csv", "--contacts", "--out", "a.png"], &PERIOD[..]].concat(),
    );
    assert!(drawn.contains("overlapping      2\n"), "{drawn}");
}

#[test]
fn c1_refused_combinations() {
    let folder = folder();
    let here = folder.path();
    for (arguments, words) in [
        (
            &["check", "scene.csv", "--period", "1.5,-,-"][..],
            "body 5 is as wide as the period along x, or wider (4 such bodies",
        ),
        (
            &["check", "scene.csv", "--period", "1e-40,-,-"],
            "the period along x is 1e-40",
        ),
        (
            &["check", "scene.csv", "--period", "3,-,-", "--margin", "99"],
            "a margin of more than 16 periods",
        ),
    ] {
        assert_failure(words, &run(here, arguments), 2, words);
    }
    for arguments in [
        &["check", "scene.csv", "--period", "0,1,1"][..],
        &["check", "scene.csv", "--period", "1,1"],
        &["check", "scene.csv", "--period", "10,10,10", "--html", "a.html"],
        &[
            "render",
            "scene.csv",
            "--period",
            "10,10,10",
            "--dt",
            "1",
            "--out",
            "a.png",
        ],
    ] {
        assert_eq!(run(here, arguments).status.code(), Some(2), "{arguments:?}");
    }
}

/// A rod that turns, and balls that meet across the border; ids are unsorted.
const MOVING: &str = "id,shape,cx,cy,cz,hx,hy,hz,radius,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz
7,sphere,1,0,0,,,,1,,,,,-1,0,0,0,0,0
4,sphere,7,20,0,,,,1,,,,,0,0,0,0,0,0
9,box,5,5,50,0.5,4,0.5,,0,0,0,1,0,0,0,0,0,1
";

#[test]
fn c1_sweeps_and_their_images() {
    let folder = folder();
    let here = folder.path();
    fs::write(here.join("moving.csv"), MOVING).expect("it can be written");
    let sweep = [
        "sweep",
        "moving.csv",
        "--dt",
        "3",
        "--tolerance",
        "1e-6",
        "--impacts",
        "-",
    ];
    let found = succeed(here, &[&sweep[..], &PERIOD].concat());
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines[0], "a,b,time,state,nx,ny,nz,px,py,pz,ia,ib,ic");
    assert_eq!(lines.len(), 2, "{found}");
    // The smaller id is the first, where it is: the other one, moved by 10 and 20, comes to 9.
    let fields: Vec<&str> = lines[1].split(',').collect();
    assert_eq!([fields[0], fields[1], fields[3]], ["4", "7", "impact"], "{found}");
    assert_eq!(fields[10..], ["1", "2", "0"], "{found}");
    let numbers = [2, 4, 5, 6, 7, 8, 9].map(|k: usize| fields[k].parse::<f64>().expect("a number"));
    for (number, expected) in numbers.into_iter().zip([2.0, 1.0, 0.0, 0.0, 8.0, 20.0, 0.0]) {
        assert!((number - expected).abs() < 1e-4, "{found}");
    }
    let open = succeed(here, &sweep);
    assert_eq!(open, "a,b,time,state,nx,ny,nz,px,py,pz\n");
    // The rod is 9 wide at its widest, which only counts if it turns so far.
    let words = "body 9 is as wide as the period along x, or wider (1 such body";
    let short = |dt| run(here, &["sweep", "moving.csv", "--dt", dt, "--period", "8,-,-"]);
    assert_failure(words, &short("3"), 2, words);
    assert!(short("0.1").status.success());
    let fast = MOVING.replace("-1,0,0,0,0,0", "-99,0,0,0,0,0");
    fs::write(here.join("moving.csv"), fast).expect("it can be written");
    let words = "moves over more than 16 periods";
    assert_failure(words, &run(here, &[&sweep[..], &PERIOD].concat()), 2, words);
}

/// People who walk around a track of 20 by 30, away from each other; ids are unsorted.
const WALKING: &str = "id,shape,cx,cy,cz,radius,vx,vy,vz
7,sphere,2,0,0,.25,-1,0,0
4,sphere,8,31,0,.25,1,0,0
9,sphere,0,15,0,.25,0,0,0
";

/// Two images meet at the same time. The answer is the first for the pair in the order of ids,
/// which is not that of the file.
#[test]
fn c1_tied_images_of_unsorted_ids() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let columns = "id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,vx,vy,vz";
    let rows = ["9,0,0,0,1,1,1,0,0,0,1,0,0,0", "3,5,0,3,4.5,1,1,0,0,0,1,0,0,-1"];
    fs::write(here.join("tied.csv"), [columns, rows[0], rows[1]].join("\n")).expect("it can be written");
    let sweep = ["sweep", "tied.csv", "--dt", "4", "--period", "10,-,-"];
    for near in [&["--impacts", "-"][..], &["--margin", "1", "--approach", "-"]] {
        let found = succeed(here, &[&sweep[..], near].concat());
        let row = found.lines().nth(1).expect("they meet");
        assert!(row.starts_with("3,9,") && row.ends_with(",0,0,0"), "{found}");
    }
}

#[test]
fn c1_c5_approaches_and_their_images() {
    let folder = folder();
    let here = folder.path();
    fs::write(here.join("walking.csv"), WALKING).expect("it can be written");
    let near = |margin| {
        let sweep = [
            "sweep",
            "walking.csv",
            "--dt",
            "10",
            "--approach",
            "-",
            "--margin",
            margin,
        ];
        run(here, &[&sweep[..], &["--period", "20,30,-"]].concat())
    };
    let found = text(&near("1").stdout).to_owned();
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines[0], "a,b,time,distance,ia,ib,ic");
    assert_eq!(lines.len(), 2, "{found}");
    // The smaller id is the first, where it is: the other one, moved by 20 and 30, comes to 15.
    let fields: Vec<&str> = lines[1].split(',').collect();
    assert_eq!(
        (&fields[..2], &fields[4..]),
        (&["4", "7"][..], &["1", "1", "0"][..]),
        "{found}"
    );
    for (field, expected) in [(fields[2], 7.0), (fields[3], 0.5)] {
        let number: f64 = field.parse().expect("a number");
        assert!((number - expected).abs() < 1e-8, "{found}");
    }
    let words = "reach over more than 16 periods";
    assert_failure(words, &near("400"), 2, words);
}

#[test]
fn c1_neighbours_and_their_images() {
    let folder = folder();
    let here = folder.path();
    let near = |more: &[&str]| {
        succeed(
            here,
            &[
                &["neighbours", "scene.csv", "--k", "1", "--out", "-"],
                &PERIOD[..],
                more,
            ]
            .concat(),
        )
    };
    let header = "id,rank,neighbour,distance";
    let found = near(&[]);
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines[..3], [header, "2,0,5,2.0", "3,0,8,1.75"]);
    assert!(lines[3].starts_with("4,0,8,8.1240"), "{found}");
    assert_eq!(lines[4..], ["5,0,2,2.0", "8,0,3,1.75"]);
    let found = near(&["--by", "surface", "--radius", "0.5"]);
    let expected = ["2,0,5,0.0", "3,0,8,0.0", "5,0,2,0.0", "8,0,3,0.0"];
    assert_eq!(found, format!("{header}\n{}\n", expected.join("\n")));
    let arguments = [
        "neighbours",
        "scene.csv",
        "--k",
        "1",
        "--out",
        "-",
        "--period",
        "1.5,-,-",
    ];
    let words = "body 5 is as wide as the period along x, or wider (4 such bodies";
    assert_failure(words, &run(here, &arguments), 2, words);
}
