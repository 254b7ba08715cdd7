//! A machine with too little memory: the program ends with an error, instead of being ended.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::program::{THREE, assert_failure, text};

/// The program with an address space of so many bytes.
fn limited(folder: &Path, bytes: u64, arguments: &[&str]) -> Command {
    let limited = format!("ulimit -v {} && exec \"$0\" \"$@\"", bytes / 1024);
    let mut command = Command::new("sh");
    command
        .args(["-c", &limited, env!("CARGO_BIN_EXE_obbligato")])
        .args(arguments)
        .env("RAYON_NUM_THREADS", "2")
        .current_dir(folder);
    command
}

/// Runs the program with an address space of so many bytes.
fn run_in(folder: &Path, bytes: u64, arguments: &[&str]) -> Output {
    limited(folder, bytes, arguments).output().expect("a shell starts")
}

#[test]
fn boxes_beyond_the_memory_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let arguments = [
        "bench",
        "--scene",
        "uniform",
        "--count",
        "3M",
        "--backend",
        "cpu",
        "--frames",
        "1",
        "--no-verify",
    ];
    // 144 MB of boxes are there, 300 MB of grid are not.
    let output = run_in(folder.path(), 400 << 20, &arguments);
    assert_failure("boxes", &output, 3, "bytes for the grid");
}

#[test]
fn pairs_beyond_the_memory_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // All boxes meet all others: 72 million pairs, 576 MB.
    let mut rows = String::from("cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n");
    for i in 0..12_000 {
        writeln!(rows, "{},0,0,100,100,100,0,0,0,1", f64::from(i) / 1000.0).expect("a string");
    }
    fs::write(folder.path().join("stack.csv"), rows).expect("a file");
    let output = run_in(folder.path(), 400 << 20, &["check", "stack.csv", "--backend", "cpu"]);
    assert_failure("pairs", &output, 3, "bytes for the pairs");
}

#[test]
fn threads_that_cannot_start_are_done_without() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("three.csv"), THREE).expect("a file");
    // There is no room for one thread more, for a few of them, and for half of them.
    for megabytes in [60, 400, 5000] {
        let output = limited(
            folder.path(),
            megabytes << 20,
            &["check", "three.csv", "--backend", "cpu"],
        )
        .env("RAYON_NUM_THREADS", "64")
        .output()
        .expect("a shell starts");
        let errors = text(&output.stderr);
        assert_eq!((output.status.code(), errors), (Some(0), ""), "{megabytes} MB");
        assert!(
            text(&output.stdout).contains("colliding pairs  1"),
            "{megabytes} MB: {output:?}"
        );
    }
}
