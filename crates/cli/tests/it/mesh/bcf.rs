//! Tests `mesh --scene --bcf`: clashes of elements as topics.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use serde_json::Value;

use super::scene::{cuboid, gltf};
use crate::bcf::{Files, read, unpack};
use crate::bcf_format::{expect_valid, problem};
use crate::processes::output_of;
use crate::program::{assert_failure, command, run, text};

const WALL: &str = "0ABCDEFGHIJKLMNOPQRST0";
const PIPE: &str = "1abcdefghijklmnopqrst_";
const BOX: &str = "2ABCDEFGHIJKLMNOPQRS$1";
const SLAB: &str = "3ABCDEFGHIJKLMNOPQRS$2";
const LAMP: &str = "0bcdefghijklmnopqrst_$";

/// A wall, a pipe through it, a box in it, a slab that it stands on, and a lamp above it.
fn model(here: &Path, pipe: f64) {
    let element = |name: &str, low, high, before| cuboid(&format!("o {name}"), low, high, before);
    let elements = [
        element(WALL, [0.0, 0.0, 0.0], [4.0, 0.5, 3.0], 0),
        element(PIPE, [pipe, -1.0, 1.0], [pipe + 0.25, 2.0, 1.25], 8),
        element(BOX, [3.0, 0.125, 1.0], [3.5, 0.375, 2.0], 16),
        element(SLAB, [-1.0, -1.0, -0.5], [5.0, 5.0, 0.0], 24),
        element(LAMP, [1.0, 0.0, 3.25], [2.0, 0.5, 3.5], 32),
    ];
    fs::write(here.join("model.obj"), elements.concat()).expect("it can be written");
}

const MESH: [&str; 9] = [
    "mesh",
    "--scene",
    "model.obj",
    "--backend",
    "cpu",
    "--clearance",
    "0.25",
    "--bcf",
    "c.bcf",
];

/// Runs a check at a time, in days since 1970, and returns the numbers of topics: new, changed,
/// unchanged and closed.
fn topics(here: &Path, day: u64, more: &[&str]) -> [u64; 4] {
    let arguments = [&MESH[..], more, &["--json", "-"]].concat();
    let output = output_of(command(here, &arguments).env("SOURCE_DATE_EPOCH", (day * 86_400).to_string()));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    ["new", "changed", "unchanged", "closed"].map(|key| report["topics"][key].as_u64().expect("a number"))
}

/// The markup of the topic of two elements.
fn markup<'f>(files: &'f Files, names: [&str; 2]) -> (&'f str, &'f str) {
    let title = format!("<Title>{}</Title>", names.join(" / "));
    let mut all = files.iter().filter(|(name, _)| name.ends_with("/markup.bcf"));
    let found = all.find(|(_, bytes)| text(bytes).contains(&title)).expect("a topic");
    (found.0.strip_suffix("/markup.bcf").expect("a folder"), text(found.1))
}

/// The numbers of a vector of a viewpoint.
fn vector(view: &str, name: &str) -> Vec<f64> {
    let inner = view.split(&format!("{name}>")).nth(1).expect("a vector");
    let numbers = inner.split(['<', '>']).filter_map(|part| part.trim().parse().ok());
    numbers.collect()
}

/// The number of pixels of a picture, and of those that are more red than green and blue.
fn pixels(png: &[u8]) -> [usize; 2] {
    let mut reader = png::Decoder::new(Cursor::new(png)).read_info().expect("a picture");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut bytes).expect("its pixels");
    let step = info.color_type.samples();
    let all: Vec<&[u8]> = bytes[..info.buffer_size()].chunks(step).collect();
    let red = all
        .iter()
        .filter(|pixel| pixel[0] > pixel[1].saturating_add(40).max(pixel[2].saturating_add(40)));
    [all.len(), red.count()]
}

#[test]
fn a5_topics_of_elements() {
    for (version, files_beside) in [("2.1", 1), ("3.0", 2)] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let here = folder.path();
        model(here, 1.0);
        assert_eq!(topics(here, 0, &["--bcf-version", version]), [4, 0, 0, 0]);
        let first = read(here);
        assert_eq!(first.len(), files_beside + 4 * 3);
        expect_valid(&first);
        for (names, label, priority) in [
            ([WALL, PIPE], "overlap", "High"),
            ([WALL, BOX], "contain", "High"),
            ([WALL, SLAB], "touch", "Low"),
            ([WALL, LAMP], "near", "Low"),
        ] {
            let (folder, markup) = markup(&first, names);
            assert!(
                markup.contains(&format!(">{label}<")) && markup.contains(&format!("<Priority>{priority}<")),
                "{markup}"
            );
            let view = text(&first[&format!("{folder}/viewpoint.bcfv")]);
            for name in names {
                assert_eq!(view.matches(name).count(), 2, "selected, and coloured");
            }
            let [all, red] = pixels(&first[&format!("{folder}/snapshot.png")]);
            assert_eq!(all, 480 * 360);
            if label == "overlap" || label == "contain" {
                assert!(red > 1000, "{label}: {red}");
            }
        }
        let (_, near) = markup(&first, [WALL, LAMP]);
        assert!(near.contains("near, 0.25 apart"), "{near}");

        // Nothing has changed; then the pipe moves, and is gone.
        assert_eq!(topics(here, 1, &[]), [0, 0, 4, 0]);
        assert_eq!(read(here), first);
        model(here, 2.0);
        assert_eq!(topics(here, 2, &[]), [0, 1, 3, 0]);
        expect_valid(&read(here));
        model(here, 7.0);
        assert_eq!(topics(here, 3, &[]), [0, 0, 3, 1]);
        assert_eq!(problem(&read(here)), None);
    }
}

#[test]
fn a5_topics_of_elements_look_at_the_clash() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    model(here, 1.0);
    topics(here, 0, &[]);
    let files = read(here);
    let (topic, _) = markup(&files, [WALL, PIPE]);
    let view = text(&files[&format!("{topic}/viewpoint.bcfv")]);
    let [eye, direction] = ["CameraViewPoint", "CameraDirection"].map(|name| vector(view, name));
    // The line of sight passes near the pipe's part in the wall.
    let middle = [1.125, 0.25, 1.125];
    let along: f64 = (0..3).map(|k| (middle[k] - eye[k]) * direction[k]).sum();
    let aside: f64 = (0..3)
        .map(|k| (eye[k] + along * direction[k] - middle[k]).powi(2))
        .sum();
    assert!(along > 0.0 && aside.sqrt() < 1.0 && direction[2] < 0.0, "{view}");
    // The topics of the boxes of the same two elements are the same.
    let rows = format!(
        "guid,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n{WALL},2,0.25,1.5,2,0.25,1.5,0,0,0,1\n{PIPE},1.125,0.5,1.125,0.125,1.5,0.125,0,0,0,1\n"
    );
    fs::write(here.join("boxes.csv"), rows).expect("it can be written");
    let check = [
        "check",
        "boxes.csv",
        "--backend",
        "cpu",
        "--id-column",
        "guid",
        "--bcf",
        "b.bcf",
    ];
    assert!(run(here, &check).status.success());
    let boxes = unpack(&fs::read(here.join("b.bcf")).expect("an archive"));
    assert!(boxes.contains_key(&format!("{topic}/markup.bcf")));
    // On stdout.
    let output = run(here, &[&MESH[..8], &["-"]].concat());
    assert_eq!(unpack(&output.stdout).len(), files.len());
}

/// In glTF y is up, and in BCF z.
#[test]
fn a5_topics_of_gltf_have_z_up() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let node = |name: &str, x: f64| format!("{{\"mesh\":0,\"name\":\"{name}\",\"translation\":[{x},10,4]}}");
    let nodes = [node(WALL, 0.0), node(PIPE, 0.25)].join(",");
    fs::write(here.join("model.gltf"), gltf(&nodes)).expect("it can be written");
    let mesh = ["mesh", "--scene", "model.gltf", "--backend", "cpu", "--bcf", "c.bcf"];
    assert!(run(here, &mesh).status.success());
    let files = read(here);
    expect_valid(&files);
    let (topic, _) = markup(&files, [WALL, PIPE]);
    let view = text(&files[&format!("{topic}/viewpoint.bcfv")]);
    let [eye, direction, up] = ["CameraViewPoint", "CameraDirection", "CameraUpVector"].map(|name| vector(view, name));
    // The triangles are at -4 in y and from 10 to 11 in z.
    assert!(eye[2] > 10.5 && (eye[1] + 4.0).abs() < 4.0, "{view}");
    let along = (-4.0 - eye[1]) / direction[1];
    let height = eye[2] + along * direction[2];
    assert!(along > 0.0 && (10.0..11.0).contains(&height) && up[2] > 0.5, "{view}");
}

#[test]
fn a5_topics_need_guids_as_names() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let other = cuboid("o wall", [0.0; 3], [1.0; 3], 0);
    fs::write(here.join("model.obj"), other).expect("it can be written");
    let words = "--bcf needs elements whose names are IFC GUIDs of 22 characters, but wall is not one (1 such in all)";
    assert_failure(words, &run(here, &MESH), 2, words);
    assert!(!here.join("c.bcf").exists());
    let words = "required arguments";
    assert_failure(words, &run(here, &["mesh", "model.obj", "--bcf", "c.bcf"]), 2, words);
}
