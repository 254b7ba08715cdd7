//! Text from outside, in names of files and in their contents: none of its invisible characters
//! reach the terminal.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use super::program::{THREE, run, text};

/// Characters that clear the screen, change colours, end lines, and change the direction of
/// writing.
const UNSEEN: [&str; 8] = [
    "\u{1b}[2J",
    "\u{9b}31m",
    "\u{7}",
    "\r",
    "\u{202e}",
    "\u{2028}",
    "\u{2066}",
    "\u{feff}",
];

/// Returns a word with such characters, as a name.
fn word(unseen: &str) -> String {
    format!("ab{unseen}yz")
}

#[track_caller]
fn assert_seen(what: &str, shown: &[u8]) {
    let shown = text(shown);
    for unseen in UNSEEN {
        let first = unseen.chars().next().expect("a character");
        assert!(!shown.contains(first), "{what}: {unseen:?} in {shown:?}");
    }
}

/// Runs the program, and checks that its output has no such characters.
fn runs(folder: &Path, arguments: &[&str]) -> Output {
    let output = run(folder, arguments);
    assert_seen(&format!("stdout of {arguments:?}"), &output.stdout);
    assert_seen(&format!("stderr of {arguments:?}"), &output.stderr);
    output
}

#[test]
fn file_names_are_escaped() {
    const POINTS: &str = "id,x,y,z\n1,0,0,0\n1,1,1,1\n2,0,1,0\n";
    const MESH: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    for unseen in UNSEEN {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let here = folder.path();
        let [scene, points, mesh, none] =
            ["csv", "points.csv", "obj", "none.csv"].map(|end| format!("{}.{end}", word(unseen)));
        let out = format!("out-{}.csv", word(unseen));
        let picture = format!("{}.png", word(unseen));
        for (name, content) in [(&scene, THREE), (&points, POINTS), (&mesh, MESH)] {
            fs::write(here.join(name), content).expect("it can be written");
        }
        let moving = THREE.replace("qw\n", "qw,vx,frame\n").replace(",1\n", ",1,2,0\n");
        let frames = format!("f-{scene}");
        let name = word(unseen);
        let condition = format!("a.{name}=1");
        fs::write(here.join(&frames), moving).expect("it can be written");
        let cases: [&[&str]; 16] = [
            &["check", &scene, "--backend", "cpu", "--pairs", &out],
            &["check", &none],
            &["check", &scene, "--id-column", &name],
            &["check", &scene, "--where", &condition],
            &["verify", &scene, "--backend", "cpu"],
            &["verify", &none],
            &["bench", &scene, "--backend", "cpu", "--frames", "1"],
            &["bench", &none, "--peer-file", &none],
            &[
                "render",
                &scene,
                "--backend",
                "cpu",
                "--size",
                "64x64",
                "--out",
                &picture,
            ],
            &["render", &none, "--out", &picture],
            &["solids", &points, "--backend", "cpu"],
            &["fit", &points, "--out", &out],
            &["mesh", &mesh, "--backend", "cpu"],
            &["sweep", &frames, "--dt", "1", "--backend", "cpu"],
            &["track", &frames, "--backend", "cpu"],
            &[&name],
        ];
        for arguments in cases {
            let output = runs(here, arguments);
            let fails = arguments.contains(&none.as_str()) || arguments[0] == "check" && arguments[2] != "--backend";
            let expected = if fails || arguments.len() == 1 { 2 } else { 0 };
            assert_eq!(
                output.status.code(),
                Some(expected),
                "{arguments:?}: {}",
                text(&output.stderr)
            );
        }
    }
}

#[test]
fn contents_of_files_are_escaped() {
    for unseen in UNSEEN {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let here = folder.path();
        let tool = word(unseen);
        let peer = serde_json::json!({ "tool": tool, "boxes": 3, "pairs": 1, "gpu_total_ms": 2.5 });
        fs::write(here.join("peers.jsonl"), format!("{peer}\n")).expect("it can be written");
        let named = THREE.replace("id,", "name,").replace("70,", &format!("\"{tool}\","));
        fs::write(here.join("s.csv"), named).expect("it can be written");
        fs::write(here.join("three.csv"), THREE).expect("it can be written");
        let bench = ["bench", "three.csv", "--backend", "cpu", "--frames", "1"];
        let more = ["--peer-file", "peers.jsonl", "--json", "b.json", "--html", "b.html"];
        let output = runs(here, &[&bench[..], &more[..]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("ab"), "the tool is named");
        for name in ["b.json", "b.html"] {
            assert_seen(name, &fs::read(here.join(name)).expect("the file is there"));
        }
        // Readers of JSON get the name unchanged.
        let rows: Value = serde_json::from_slice(&fs::read(here.join("b.json")).expect("it is there")).expect("JSON");
        assert_eq!(rows[0]["peers"][0]["tool"], tool);
        let check = [
            "check",
            "s.csv",
            "--id-column",
            "name",
            "--backend",
            "cpu",
            "--json",
            "-",
        ];
        runs(
            here,
            &[&check[..], &["--html", "c.html", "--clashes", "c.csv"]].concat(),
        );
        assert_seen("c.html", &fs::read(here.join("c.html")).expect("the file is there"));
        // A duplicate id is an error that names it.
        let twice = fs::read_to_string(here.join("s.csv"))
            .expect("it is there")
            .replace("5,1,", &format!("\"{tool}\",1,"));
        fs::write(here.join("s.csv"), twice).expect("it can be written");
        let output = runs(here, &check);
        assert_eq!(output.status.code(), Some(2));
    }
}
