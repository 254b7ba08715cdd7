//! `obbligato room`.

use std::fs;

use obbligato::{glam::Vec3, region::Room};
use obbligato_verify::scenes::Scene;

use super::program::{THREE, names, run_with_stdin, succeed, text};

#[test]
fn room_writes_states_and_walls_in_ids() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("three.csv"), THREE).expect("it can be written");
    // The first box is cut by three walls and the second touches three others.
    let room = ["--min", "-0.5,-.5,0", "--max", "2,2,2", "--out", "w.csv"];
    for backend in ["cpu", "gpu"] {
        let arguments = [&["room", "three.csv", "--backend", backend], &room[..]].concat();
        let summary = succeed(here, &arguments);
        assert!(
            summary.contains("\nboxes            3\ninside           0\ncrossing         2\noutside          1\n"),
            "{summary}"
        );
        assert!(
            summary.contains("walls            -x 1, +x 2, -y 2, +y 1, -z 3, +z 1\n"),
            "{summary}"
        );
        let written = fs::read_to_string(here.join("w.csv")).expect("the file is there");
        assert_eq!(
            written, "id,state,walls\n70,crossing,21\n5,crossing,58\n9,outside,22\n",
            "{backend}"
        );
    }
    assert_eq!(names(here), ["three.csv", "w.csv"].map(String::from).into());
}

#[test]
fn a_room_is_rotated_about_its_center() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    // Rotated by a quarter turn about z, the room reaches from 3 to 5 in x and from -3 to 5 in y,
    // and its own x is the world's y.
    let boxes = "frame,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw
0,0,0,0,9,9,9,0,0,0,1
7,4,4.5,1,.5,.5,.5,0,0,0,1
7,4,4.25,1,.5,.5,.5,0,0,0,1
7,5.5,1,1,.5,.5,.5,0,0,0,1
7,4,1,1,.5,.5,.5,0,0,0,1
";
    let arguments =
        "room - --backend cpu --frame 7 --min 0,0,-1 --max 8,2,3 --rotation 0,0,.70710677,.70710677 --out w.csv";
    let output = run_with_stdin(here, &arguments.split(' ').collect::<Vec<_>>(), boxes);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let written = fs::read_to_string(here.join("w.csv")).expect("the file is there");
    assert_eq!(
        written,
        "id,state,walls\n1,crossing,2\n2,inside,0\n3,crossing,4\n4,inside,0\n"
    );
}

#[test]
fn a_room_with_many_boxes_and_with_none() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    for (file, count) in [("s.npy", 1500), ("none.npy", 0), ("none.csv", 0)] {
        let count_text = count.to_string();
        succeed(here, &["generate", "crowd", "--count", &count_text, "--out", file]);
        let room = [
            "--min",
            "-20,-20,0",
            "--max",
            "20,20,1.5",
            "--backend",
            "cpu",
            "--out",
            "w.csv",
        ];
        succeed(here, &[&["room", file], &room[..]].concat());
        let room = Room::new(Vec3::new(-20.0, -20.0, 0.0), Vec3::new(20.0, 20.0, 1.5)).expect("a room");
        let found = room.enclosures(&Scene::Crowd.generate(count, 1)).expect("valid boxes");
        let mut expected = String::from("id,state,walls\n");
        for (id, found) in found.iter().enumerate() {
            expected += &format!("{id},{},{}\n", found.state.name(), found.walls);
        }
        assert!(
            fs::read_to_string(here.join("w.csv")).expect("the file is there") == expected,
            "{file}"
        );
    }
}
