//! Scenes in the plane: every command takes them.

use std::fs;
use std::path::Path;

use super::program::{assert_failure, json, run, succeed};

/// Two squares that overlap by a quarter, a stadium beside them that touches the second, a disc
/// inside the first, and a line across both.
const SCENE: &str = "id,shape,cx,cy,hx,hy,radius,yaw,qz,qw
1,box,0,0,1,1,,0,,
2,box,1.75,0,1,1,,,0,1
3,capsule,2.75,1.5,1,,0.5,0,,
4,sphere,-0.5,-0.5,,,0.25,,,
5,box,0.5,0.875,3,0,,0,,
";

const CROWD: &str = "id,frame,shape,cx,cy,radius,vx,vy
a,1,sphere,0,0,0.5,1,0
b,1,sphere,3,0,0.5,-1,0
a,2,sphere,1,0,0.5,1,0
b,2,sphere,1.75,0,0.5,-1,0
";

const SPACE: &str = "cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n0,0,0,1,1,1,0,0,0,1\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("it can be written");
    write("scene.csv", SCENE);
    write("crowd.csv", CROWD);
    write("space.csv", SPACE);
    folder
}

#[test]
fn c4_check_of_a_plane() {
    let folder = folder();
    let here = folder.path();
    let check = |more: &[&str]| succeed(here, &[&["check", "scene.csv"], more].concat());
    assert_eq!(check(&["--pairs", "-"]), "a,b\n1,2\n1,4\n1,5\n2,3\n2,5\n");
    let report = json(here, &["check", "scene.csv", "--json", "-"]);
    // The line has no area, and the stadium lies on the square.
    assert_eq!([&report["colliding_pairs"], &report["touching_pairs"]], [5, 3]);
    let listed = json(here, &["check", "scene.csv", "--clashes", "clashes.csv", "--json", "-"]);
    assert_eq!(listed["touching_pairs"], 3);
    let contacts = check(&["--contacts", "-"]);
    let rows: Vec<Vec<&str>> = contacts.lines().skip(1).map(|line| line.split(',').collect()).collect();
    for row in &rows {
        assert!([5, 9, 12].iter().all(|&k| row[k] == "0.0"), "{row:?}");
    }
    assert_eq!(rows[0][..7], ["1", "2", "0", "1.0", "0.0", "0.0", "0.25"], "{contacts}");
    let of_disc = rows.iter().find(|row| row[1] == "4").expect("a contact");
    assert_eq!(of_disc[6], "0.75", "{contacts}");
    let distances = check(&["--margin", "0.5", "--distances", "-"]);
    assert!(distances.contains("\n1,3,0.4"), "{distances}");
    let clashes = fs::read_to_string(here.join("clashes.csv")).expect("written");
    let lines = clashes
        .lines()
        .filter(|line| line.contains(",5,") && line.split(',').nth(3) == Some("1"));
    assert_eq!(lines.count(), 2, "{clashes}");
}

#[test]
fn c4_plane_against_space_is_refused() {
    let folder = folder();
    let here = folder.path();
    for [file, other] in [["scene.csv", "space.csv"], ["space.csv", "scene.csv"]] {
        let output = run(here, &["check", file, "--against", other]);
        assert_failure(file, &output, 2, "give both in the plane");
    }
    let pairs = succeed(here, &["check", "scene.csv", "--against", "scene.csv", "--pairs", "-"]);
    assert!(pairs.starts_with("a,b\n1,1\n1,2\n"), "{pairs}");
}

/// Rows that are not bodies of a plane.
#[test]
fn c4_bad_rows_of_a_plane() {
    let folder = folder();
    let here = folder.path();
    for (text, words) in [
        (
            "cx,cy,hx,hy\n0,0,1,1\n",
            "lacks columns of a scene in the plane (yaw, or qz and qw)",
        ),
        ("cx,cy,hx,hy,qz\n0,0,1,1,0\n", "yaw, or qz and qw"),
        ("cx,cy,cz,hx,hy,qx,qy,qz,qw\n0,0,0,1,1,0,0,0,1\n", "lacks columns (hz)"),
        (
            "cx,cy,hx,hy,yaw\n0,0,1,1,0\n0,nan,1,1,0\n",
            "line 3 has a number that is NaN",
        ),
        ("cx,cy,hx,hy,yaw\n0,0,1,1,inf\n", "line 2 has a number that is NaN"),
        ("cx,cy,hx,hy,yaw\n0,0,1,-1,0\n", "line 2 has a negative half extent"),
        (
            "cx,cy,hx,hy,yaw\n0,0,1,1,\n",
            "line 2 has \"\" in column yaw instead of a number",
        ),
        (
            "cx,cy,hx,hy,qz,qw\n0,0,1,1,0.5,0.5\n",
            "line 2 has a rotation whose length is not 1",
        ),
        (
            "shape,cx,cy,hx,radius,qz,qw\ncapsule,0,0,1,1,0.5,0.5\n",
            "line 2 has a rotation whose length is not 1",
        ),
        (
            "shape,cx,cy,hx,radius,qz,qw\ncapsule,0,0,1,1,1,1\n",
            "line 2 has a rotation whose length is not 1",
        ),
        (
            "shape,cx,cy,radius\nsphere,0,0,1\nbox,0,0,1\n",
            "line 3 is a box, which needs columns that the file lacks (hx, hy, yaw, or qz and qw)",
        ),
        (
            "shape,cx,cy,cz,hz,radius,qx,qy,qz,qw\ncapsule,0,0,0,1,1,-0,0.5,0,0.5\n",
            "line 2 has a rotation whose length is not 1",
        ),
    ] {
        fs::write(here.join("bad.csv"), text).expect("it can be written");
        assert_failure(text, &run(here, &["check", "bad.csv"]), 2, words);
    }
    fs::write(here.join("up.csv"), "id,cx,cy,hx,hy,yaw,vz\n7,0,0,1,1,0,2\n").expect("it can be written");
    assert_failure(
        "up.csv",
        &run(here, &["sweep", "up.csv", "--dt", "1"]),
        2,
        "(id 7) has 2 in column vz",
    );
    succeed(here, &["check", "up.csv"]);
}

/// The other commands.
#[test]
fn c4_every_command_takes_a_plane() {
    let folder = folder();
    let here = folder.path();
    let verified = json(here, &["verify", "scene.csv", "--backend", "cpu", "--json", "-"]);
    assert_eq!(verified["colliding_pairs"], 5);
    let neighbours = succeed(
        here,
        &["neighbours", "scene.csv", "--k", "1", "--by", "surface", "--out", "-"],
    );
    assert!(neighbours.contains("1,0,2,0.0"), "{neighbours}");
    let walls = succeed(
        here,
        &["room", "scene.csv", "--min", "-1,-2", "--max", "9,2", "--out", "-"],
    );
    assert_eq!(walls.lines().nth(1), Some("1,crossing,1"), "{walls}");
    assert!(walls.contains("\n2,inside,0\n") && !walls.contains("16"), "{walls}");
    assert_failure(
        "a room without z",
        &run(
            here,
            &["room", "space.csv", "--min", "-1,-2", "--max", "9,2", "--out", "-"],
        ),
        2,
        "three numbers",
    );
    succeed(
        here,
        &[
            "render",
            "scene.csv",
            "--contacts",
            "--size",
            "64x48",
            "--out",
            "picture.png",
        ],
    );
    succeed(here, &["bench", "scene.csv", "--frames", "1", "--backend", "cpu"]);
    succeed(here, &["check", "scene.csv", "--html", "page.html"]);
    sweep_and_track(here);
    fit(here);
}

fn sweep_and_track(here: &Path) {
    let impacts = succeed(
        here,
        &["sweep", "crowd.csv", "--frame", "1", "--dt", "4", "--impacts", "-"],
    );
    let row: Vec<&str> = impacts.lines().nth(1).expect("they meet").split(',').collect();
    assert_eq!(
        [row[0], row[1], row[3], row[6], row[9]],
        ["a", "b", "impact", "0.0", "0.0"],
        "{impacts}"
    );
    let time: f64 = row[2].parse().expect("a number");
    assert!((time - 1.0).abs() < 1e-5, "{impacts}");
    let near = succeed(
        here,
        &[
            "sweep",
            "crowd.csv",
            "--frame",
            "1",
            "--dt",
            "4",
            "--margin",
            "1",
            "--approach",
            "-",
        ],
    );
    assert_eq!(near.lines().count(), 2, "{near}");
    let tracked = succeed(here, &["track", "crowd.csv", "--contacts", "-"]);
    assert_eq!(tracked.lines().nth(1), Some("2,a,b,r0,r0,0,"), "{tracked}");
    let frames = succeed(here, &["check", "crowd.csv", "--frame", "all", "--contacts", "-"]);
    assert!(
        frames
            .lines()
            .nth(1)
            .is_some_and(|line| line.starts_with("2,a,b,0,1.0,0.0,0.0,0.25")),
        "{frames}"
    );
}

/// Points without z have rectangles around them, which are a scene in the plane.
fn fit(here: &Path) {
    fs::write(here.join("points.csv"), "id,x,y\n3,0,0\n3,3,3\n3,2,4\n3,-1,1\n9,5,5\n").expect("it can be written");
    succeed(here, &["fit", "points.csv", "--out", "fitted.csv"]);
    let fitted = fs::read_to_string(here.join("fitted.csv")).expect("written");
    assert!(fitted.starts_with("id,cx,cy,hx,hy,qz,qw\n3,"), "{fitted}");
    let report = json(here, &["check", "fitted.csv", "--json", "-"]);
    assert_eq!([&report["boxes"], &report["colliding_pairs"]], [2, 0]);
}

/// A yaw is read as the rotation by it, and scenes are written as they are read.
#[test]
fn c4_turns_are_read_from_yaw() {
    let folder = folder();
    let here = folder.path();
    let text = "shape,cx,cy,hx,hy,radius,yaw\nbox,0,0,1,2,,2.5\ncapsule,0,0,1,,0.5,-2.5\nsphere,1,2,,,3,\n";
    fs::write(here.join("yaw.csv"), text).expect("it can be written");
    let scene = obbligato_files::read_scene(&here.join("yaw.csv"), None).expect("valid");
    assert!(scene.in_plane);
    let (sine, cosine) = 1.25f64.sin_cos();
    let turn = scene.boxes[0].rotation;
    assert_eq!([turn.x, turn.y, turn.z, turn.w], [0.0, 0.0, sine as f32, cosine as f32]);
    let [x, y, z, w] = scene.capsules[0].rotation.to_array();
    assert_eq!(
        [2.0 * x, 2.0 * y, 2.0 * z, 2.0 * w],
        [sine as f32, cosine as f32, -(sine as f32), cosine as f32]
    );
    for name in ["again.csv", "again.parquet"] {
        obbligato_files::write_scene_file(&here.join(name), &scene).expect("written");
        let again = obbligato_files::read_scene(&here.join(name), None).expect("valid");
        assert_eq!(again, scene, "{name}");
    }
    let far = "cx,cy,hx,hy,yaw\n4000000.1,0,1,1,0\n4000002.1,0,1,1,0\n4000002.099,0,1,1,0\n";
    fs::write(here.join("far.csv"), far).expect("it can be written");
    let pairs = succeed(here, &["check", "far.csv", "--f64", "--pairs", "-"]);
    assert!(pairs.contains("0,2\n"), "{pairs}");
    let contacts = succeed(here, &["check", "far.csv", "--f64", "--contacts", "-"]);
    assert!(
        contacts
            .lines()
            .skip(1)
            .all(|line| line.split(',').nth(5) == Some("0.0")),
        "{contacts}"
    );
}
