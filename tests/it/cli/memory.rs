//! A machine with too little memory: the program ends with an error, instead of being ended.

use std::fmt::Write;
use std::fs;
use std::process::{Command, Output};

use super::program::assert_failure;

/// Runs the program with an address space of so many bytes.
fn run_in(folder: &std::path::Path, bytes: u64, arguments: &[&str]) -> Output {
    let limited = format!("ulimit -v {} && exec \"$0\" \"$@\"", bytes / 1024);
    Command::new("sh")
        .args(["-c", &limited, env!("CARGO_BIN_EXE_obbligato")])
        .args(arguments)
        .env("RAYON_NUM_THREADS", "2")
        .current_dir(folder)
        .output()
        .expect("a shell starts")
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
