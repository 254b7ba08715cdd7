//! Files that the program reads in addition to a scene, or from any position, must be on disk and
//! of a sensible length: anything else is rejected immediately.

use std::fs::{self, File};
use std::path::Path;

use super::program::{THREE, assert_failure, run_within, text};

const BENCH: &str = "bench --backend cpu --scene uniform --count 1e3 --frames 1";

/// Runs the program with these words, for at most a minute.
fn run(here: &Path, words: &str) -> std::process::Output {
    run_within(60, here, &words.split(' ').collect::<Vec<_>>())
}

fn make_pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.expect("it starts").success());
}

#[test]
fn files_of_results_have_a_limit() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let large = File::create(here.join("large.json")).expect("a file");
    large.set_len(1 << 40).expect("zeros take no room");
    for option in ["--peer-file", "--compare"] {
        let output = run(here, &format!("{BENCH} {option} large.json"));
        assert_failure(option, &output, 2, "large.json: is longer than 64 MiB");
    }
}

#[test]
fn pipes_folders_and_devices_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let pipes = ["p.json", "p.parquet", "p.npy", "p.bin"];
    pipes.iter().for_each(|name| make_pipe(&here.join(name)));
    for name in ["f.json", "f.parquet", "f.npy", "f.bin", "f.csv", "f.obj"] {
        fs::create_dir(here.join(name)).expect("a folder");
    }
    for name in ["p", "f"] {
        let document =
            format!(r#"{{"asset": {{"version": "2.0"}}, "buffers": [{{"uri": "{name}.bin", "byteLength": 9}}]}}"#);
        fs::write(here.join(format!("{name}.gltf")), document).expect("it can be written");
    }
    let pipe = "cannot be read, as it is a pipe or a device: name a file on disk";
    for (name, words) in [("p", pipe), ("f", "cannot be read, as it is a folder: name a file")] {
        for (command, file) in [
            (format!("{BENCH} --peer-file {name}.json"), "json"),
            (format!("{BENCH} --compare {name}.json"), "json"),
            (format!("check {name}.parquet"), "parquet"),
            (format!("check {name}.npy --memory 1GB"), "npy"),
            (format!("mesh {name}.gltf"), "bin"),
        ] {
            assert_failure(&command, &run(here, &command), 2, &format!("{name}.{file}: {words}"));
        }
    }
    let folder = "cannot be read, as it is a folder: name a file";
    for (command, file) in [
        ("check f.csv", "f.csv"),
        ("check f.npy", "f.npy"),
        ("mesh f.obj", "f.obj"),
    ] {
        assert_failure(command, &run(here, command), 2, &format!("{file}: {folder}"));
    }
    let device = run(here, &format!("{BENCH} --peer-file /dev/zero"));
    assert_failure("a device", &device, 2, &format!("/dev/zero: {pipe}"));
    // A cache is not an input: without it the program continues.
    fs::write(here.join("three.csv"), THREE).expect("it can be written");
    let output = run(here, "check three.csv --backend gpu --pipeline-cache p.bin");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(
        text(&output.stderr).contains("pipeline cache"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn results_may_have_any_line_endings() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let line = r#"{"tool":"x","boxes":1,"pairs":1,"gpu_total_ms":1}"#;
    for end in ["\n", "\r\n", "\r"] {
        fs::write(here.join("peers.jsonl"), [line, "", line, "{}", ""].join(end)).expect("it can be written");
        let output = run(here, &format!("{BENCH} --peer-file peers.jsonl"));
        assert_failure("peers", &output, 2, "peers.jsonl: line 4 has no tool");
    }
}
