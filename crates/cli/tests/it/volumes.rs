//! Tests `check --volumes`: the volumes that boxes share, as a table.

use std::fs;
use std::path::Path;

use super::program::{assert_failure, run, succeed};

/// A cube, one that overlaps it by a quarter, one that touches that, an equal one, a plate without
/// thickness, and one apart; the ids are unsorted.
const BOXES: &str = "id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw
7,0,0,0,1,1,1,0,0,0,1
3,1.5,0,0,1,1,1,0,0,0,1
9,3.5,0,0,1,1,1,0,0,0,1
5,0,0,0,1,1,1,0,0,0,-1
8,0,0,0,1,1,0,0,0,0,1
4,50,0,0,1,1,1,0,0,0,1
";

const ROWS: &str = "a,b,volume,iou
3,5,2.0,0.14285714285714285
3,7,2.0,0.14285714285714285
3,8,0.0,0.0
3,9,0.0,0.0
5,7,8.0,1.0
5,8,0.0,0.0
7,8,0.0,0.0
";

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("it can be written");
    }
    folder
}

fn volumes(here: &Path, more: &[&str]) -> String {
    succeed(here, &[&["check"], more, &["--volumes", "-"]].concat())
}

#[test]
fn a6_volumes_of_colliding_pairs() {
    let folder = folder(&[("boxes.csv", BOXES)]);
    let here = folder.path();
    // Pairs that are only within the margin are not listed.
    for more in [
        &[][..],
        &["--margin", "100"],
        &["--f64"],
        &["--backend", "cpu"],
        &["--backend", "gpu"],
    ] {
        assert_eq!(volumes(here, &[&["boxes.csv"], more].concat()), ROWS, "{more:?}");
    }
    // The plate is deep in the cubes, and shares no volume.
    let deep = volumes(here, &["boxes.csv", "--min-depth", "0.1"]);
    assert_eq!(deep, ROWS.replace("3,9,0.0,0.0\n", ""));
    let against = volumes(here, &["boxes.csv", "--against", "boxes.csv", "--where", "a.id=9"]);
    assert_eq!(against, "a,b,volume,iou\n9,3,0.0,0.0\n9,9,8.0,1.0\n");
    let failure = run(here, &["check", "boxes.csv", "--volumes", "volumes.npy"]);
    assert_failure("volumes.npy", &failure, 2, "volumes");
}

#[test]
fn a6_volumes_of_frames_and_text_ids() {
    let text = "guid,frame,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw
wall,1,0,0,0,1,1,1,0,0,0,1
pipe,1,1,0,0,1,1,1,0,0,0,1
wall,2,0,0,0,1,1,1,0,0,0,1
pipe,2,0,0,0,0.5,0.5,0.5,0.6,0,0,0.8
";
    let folder = folder(&[("frames.csv", text)]);
    let found = volumes(folder.path(), &["frames.csv", "--id-column", "guid", "--frame", "all"]);
    let expected = "frame,a,b,volume,iou\n1,pipe,wall,4.0,0.3333333333333333\n2,pipe,wall,1.0,0.125\n";
    assert_eq!(found, expected);
}

#[test]
fn a6_volumes_of_upright_cuboids_and_areas() {
    let cuboids = "id,x0,y0,x1,y1,x2,y2,x3,y3,z_min,z_max
1,0,0,2,0,2,2,0,2,0,1
2,1,0,3,0,3,2,1,2,0.5,2
";
    let plane = "id,cx,cy,hx,hy,yaw
1,0,0,1,1,0
2,1.5,0,1,1,0
3,0,0,1,0,0
";
    let folder = folder(&[("cuboids.csv", cuboids), ("plane.csv", plane)]);
    let here = folder.path();
    assert_eq!(
        volumes(here, &["cuboids.csv"]),
        "a,b,volume,iou\n1,2,1.0,0.1111111111111111\n"
    );
    let areas = "a,b,volume,iou\n1,2,1.0,0.14285714285714285\n1,3,0.0,0.0\n2,3,0.0,0.0\n";
    assert_eq!(volumes(here, &["plane.csv"]), areas);
}

#[test]
fn a6_c4_areas_contacts_and_distances_of_images() {
    let plane = "id,cx,cy,hx,hy,yaw
1,0,0,1,1,0
2,7.5,0.5,1,1,0
3,0,0,1,0,0
";
    let folder = folder(&[("plane.csv", plane)]);
    let here = folder.path();
    let rows = |options: &[&str]| -> Vec<String> {
        let found = run(here, &[&["check", "plane.csv", "--period", "9,9,-"], options].concat());
        assert!(found.status.success(), "{options:?}: {found:?}");
        let text = String::from_utf8(found.stdout).unwrap();
        text.lines().map(str::to_owned).collect()
    };
    assert_eq!(
        rows(&["--volumes", "-"]),
        [
            "a,b,volume,iou,ia,ib,ic",
            "1,2,0.75,0.10344827586206896,-1,0,0",
            "1,3,0.0,0.0,0,0,0",
            "2,3,0.0,0.0,1,0,0",
        ]
    );
    let contacts = rows(&["--contacts", "-"]);
    assert!(
        contacts[1].starts_with("1,2,0,-1.0,0.0,0.0,0.5,-1.0,-0.5,0.0,-0.5,-0.5,0.0,"),
        "{contacts:?}"
    );
    assert!(contacts[1].ends_with(",-1,0,0"), "{contacts:?}");
    let distances = rows(&["--margin", "6", "--distances", "-"]);
    assert!(distances[1].starts_with("1,2,0.0,"), "{distances:?}");
}

#[test]
fn a6_volumes_of_images() {
    let text = "id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw
1,0,0,0,1,1,1,0,0,0,1
2,8.5,0,0,1,1,1,0,0,0,1
3,13,0,0,0.5,0.5,0.5,0,0,0,1
";
    let folder = folder(&[("scene.csv", text)]);
    let found = volumes(folder.path(), &["scene.csv", "--period", "10,-,-"]);
    assert_eq!(found, "a,b,volume,iou,ia,ib,ic\n1,2,2.0,0.14285714285714285,-1,0,0\n");
    // Body 3 is within 1.5 of body 1, moved by one period.
    let near = ["scene.csv", "--period", "10,-,-", "--margin", "1.5"];
    assert_eq!(volumes(folder.path(), &near), found);
}

#[test]
fn a6_volumes_of_round_bodies_are_refused() {
    let text = "id,shape,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,radius
1,box,0,0,0,1,1,1,0,0,0,1,
2,sphere,0,0,0,,,,,,,,1
";
    let folder = folder(&[("scene.csv", text)]);
    let failure = run(folder.path(), &["check", "scene.csv", "--volumes", "volumes.csv"]);
    assert_failure(
        "a sphere",
        &failure,
        2,
        "--volumes is offered for boxes and upright cuboids",
    );
    assert!(!folder.path().join("volumes.csv").exists());
}
