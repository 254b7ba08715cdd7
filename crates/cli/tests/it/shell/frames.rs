//! Several frames at once.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{assert_failure, json, run, succeed, text};
use crate::shell::{columns, model, read};

/// Frame 7 comes first, and one of its rows last.
const FRAMES: &str = "frame,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw
7,0,0,0,1,1,1,0,0,0,1
7,1.5,0,0,1,1,1,0,0,0,1
-2,0,0,0,1,1,1,0,0,0,1
-2,2,0,0,1,1,1,0,0,0,1
-2,3.5,0,0,1,1,1,0,0,0,1
5,0,0,0,1,1,1,0,0,0,1
7,3,0,0,1,1,1,0,0,0,1
";

#[test]
fn all_frames_in_one_call() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("frames.csv"), FRAMES).expect("it can be written");
    let all = ["check", "frames.csv", "--backend", "cpu", "--frame", "all"];
    let outputs = [
        "--pairs",
        "p.csv",
        "--marks",
        "m.csv",
        "--clashes",
        "c.csv",
        "--contacts",
        "k.csv",
    ];
    let near = ["--margin", "0.5", "--distances", "d.csv", "--json", "-"];
    let report = json(here, &[&all[..], &outputs, &near].concat());
    // Rows of the file name the boxes.
    assert_eq!(read(here, "p.csv"), "frame,a,b\n-2,2,3\n-2,3,4\n7,0,1\n7,1,6\n");
    assert_eq!(
        read(here, "m.csv"),
        "frame,id,degree\n-2,2,1\n-2,3,2\n-2,4,1\n5,5,0\n7,0,1\n7,1,2\n7,6,1\n"
    );
    assert_eq!(
        columns(&read(here, "c.csv"), &["frame", "a", "b", "depth"]),
        ["-2 3 4 0.5", "-2 2 3 0.0", "7 0 1 0.5", "7 1 6 0.5"]
    );
    assert_eq!(columns(&read(here, "d.csv"), &["frame", "a", "b"]).len(), 4);
    assert_eq!(columns(&read(here, "k.csv"), &["frame"])[15], "7");

    expect_totals(here, &all, &report);
    // Against another file, frame by frame; a frame that a file lacks has no boxes there.
    fs::write(here.join("other.csv"), FRAMES.replace("\n7,", "\n8,")).expect("it can be written");
    let against = json(
        here,
        &[&all[..], &["--against", "other.csv", "--pairs", "a.csv", "--json", "-"]].concat(),
    );
    assert_eq!(read(here, "a.csv").lines().count(), 1 + 7 + 1);
    assert_eq!(against["frames"].as_array().map(Vec::len), Some(4));
    assert_eq!((&against["boxes"], &against["against_boxes"]), (&7.into(), &7.into()));

    // No frames at all.
    fs::write(here.join("frames.csv"), &FRAMES[..FRAMES.find('\n').expect("a line")]).expect("it can be written");
    let none = json(here, &[&all[..], &["--pairs", "n.csv", "--json", "-"]].concat());
    assert_eq!(
        (&none["boxes"], &none["colliding_pairs"], &none["checksum"]),
        (&0.into(), &0.into(), &"0".repeat(16).into())
    );
    assert_eq!(read(here, "n.csv"), "frame,a,b\n");
}

/// Asserts that the totals are sums of those of the single frames.
fn expect_totals(here: &Path, all: &[&str], report: &Value) {
    let frames = report["frames"].as_array().expect("a list");
    assert_eq!(
        frames.iter().map(|frame| frame["frame"].as_i64()).collect::<Vec<_>>(),
        [Some(-2), Some(5), Some(7)]
    );
    let mut sum = 0u64;
    for frame in frames {
        let number = frame["frame"].to_string();
        let alone = json(
            here,
            &[&all[..5], &[&number, "--margin", "0.5", "--json", "-"]].concat(),
        );
        for key in [
            "boxes",
            "candidate_pairs",
            "colliding_pairs",
            "touching_pairs",
            "checksum",
            "grid",
        ] {
            assert_eq!(frame[key], alone[key], "{key} of {number}");
        }
        let one = frame["checksum"].as_str().expect("digits");
        sum = sum.wrapping_add(u64::from_str_radix(one, 16).expect("digits"));
    }
    assert_eq!(report["checksum"], format!("{sum:016x}"));
    let total = ["boxes", "colliding_pairs", "touching_pairs", "near_pairs"].map(|key| report[key].as_u64());
    assert_eq!(total, [Some(7), Some(4), Some(1), Some(0)]);
    assert!(report["timings_ms"]["load"].is_f64() && frames[0]["timings_ms"]["total"].is_f64());
    let summary = succeed(here, all);
    assert!(
        summary.contains("frames           3, from -2 to 7\nboxes            7, 1 of them free\n"),
        "{summary}"
    );
}

#[test]
fn several_frames_are_refused_where_unsupported() {
    let folder = model();
    let here = folder.path();
    fs::write(here.join("frames.csv"), FRAMES).expect("it can be written");
    succeed(here, &["generate", "uniform", "--count", "9", "--out", "s.npy"]);
    for (file, more, words) in [
        (
            "frames.csv",
            &["--pairs", "p.npy"][..],
            "p.npy: cannot hold several frames as NPY",
        ),
        ("frames.csv", &["--rows", "r"], "--rows cannot hold several frames"),
        ("frames.csv", &["--baseline", "p.csv"], "p.csv: has no column frame"),
        ("model.csv", &[], "model.csv: has no column frame: add one"),
        ("s.npy", &[], "s.npy: is an NPY file and has no frames"),
    ] {
        fs::write(here.join("p.csv"), "a,b\n").expect("it can be written");
        let output = run(here, &[&["check", file, "--frame", "all"], more].concat());
        assert_failure(words, &output, 2, words);
    }
    let output = run(here, &["check", "frames.csv"]);
    assert_failure(
        "frames",
        &output,
        2,
        "has 3 frames from -2 to 7: pick one with --frame (check takes all with --frame all)",
    );
}

#[test]
fn changes_frame_by_frame() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("frames.csv"), FRAMES).expect("it can be written");
    fs::write(
        here.join("old.csv"),
        "frame,a,b\n7,0,1\n-2,3,2\n9,1,2\n9,2,1\n-2,2,4\n5,0,1\n",
    )
    .expect("a file");
    let all = [
        "check",
        "frames.csv",
        "--backend",
        "cpu",
        "--baseline",
        "old.csv",
        "--frame",
    ];
    let output = run(
        here,
        &[&all[..], &["all", "--json", "-", "--clashes", "c.csv"]].concat(),
    );
    assert_eq!(
        text(&output.stderr),
        "obbligato: note: since the baseline: 2 new, 3 gone, 2 kept\n\
         obbligato: note: gone in frame -2: 2,4\nobbligato: note: gone in frame 5: 0,1\n\
         obbligato: note: gone in frame 9: 1,2\n"
    );
    assert_eq!(
        columns(&read(here, "c.csv"), &["frame", "a", "b", "status"]),
        ["-2 3 4 new", "-2 2 3 kept", "7 0 1 kept", "7 1 6 new"]
    );
    let output = run(here, &[&all[..], &["7"]].concat());
    assert_eq!(
        text(&output.stderr),
        "obbligato: note: since the baseline: 1 new, 0 gone, 1 kept\n"
    );
}
