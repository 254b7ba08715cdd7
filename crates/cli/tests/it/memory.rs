//! A machine with too little memory: the program ends with an error, and is not killed.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::program::{THREE, assert_failure, text};
use crate::processes::{ended, output_of};

/// Returns a command that runs the program with an address space of `bytes` bytes.
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

/// Runs the program with an address space of `bytes` bytes.
fn run_in(folder: &Path, bytes: u64, arguments: &[&str]) -> Output {
    output_of(&mut limited(folder, bytes, arguments))
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
    // There is room for 144 MB of boxes, but not for 300 MB of grid.
    let output = run_in(folder.path(), 500 << 20, &arguments);
    assert_failure("boxes", &output, 3, "bytes for the broad phase");
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
    let output = run_in(
        folder.path(),
        400 << 20,
        &["check", "stack.csv", "--backend", "cpu", "--pairs", "pairs.npy"],
    );
    assert_failure("pairs", &output, 3, "bytes for the pairs");
    // Results that list no pair need no memory for them.
    for output in [&[][..], &["--json", "stack.json"], &["--marks", "stack.npy"]] {
        let arguments = [&["check", "stack.csv", "--backend", "cpu"], output].concat();
        let counted = run_in(folder.path(), 200 << 20, &arguments);
        assert_eq!(
            (counted.status.code(), text(&counted.stderr)),
            (Some(0), ""),
            "{output:?}"
        );
        assert!(text(&counted.stdout).contains("71_994_000"), "{output:?}: {counted:?}");
    }
}

#[test]
fn tables_beyond_the_memory_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rows = "0,0,0,1,1,1,0,0,0,1\n".repeat(2000);
    let scene = format!("cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n{rows}");
    fs::write(folder.path().join("spot.csv"), scene).expect("a file");
    // The two million pairs fit, but not the results about each.
    for table in ["--distances", "--contacts"] {
        let arguments = [
            "check",
            "spot.csv",
            "--backend",
            "cpu",
            "--margin",
            "1",
            table,
            "table.csv",
        ];
        let output = run_in(folder.path(), 200 << 20, &arguments);
        assert_failure(table, &output, 3, "cannot allocate");
        assert!(!folder.path().join("table.csv").exists(), "{table}");
    }
}

#[test]
fn files_beyond_the_memory_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rows = "0,0,0,1,1,1,0,0,0,1\n".repeat(1_000_000);
    let scene = format!("cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n{rows}");
    fs::write(folder.path().join("many.csv"), scene).expect("a file");
    let output = run_in(folder.path(), 50 << 20, &["check", "many.csv", "--backend", "cpu"]);
    assert_failure("rows", &output, 3, "bytes for the rows of a table");
}

#[test]
fn endless_input_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let child = limited(folder.path(), 400 << 20, &["check", "-", "--backend", "cpu"])
        .stdin(fs::File::open("/dev/zero").expect("zeros"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let output = ended(child.expect("a shell starts"));
    assert_failure(
        "zeros",
        &output,
        2,
        "stdin: line 1 begins a row that is longer than 16 MiB",
    );
}

#[test]
fn no_memory_limit_causes_a_panic() {
    use std::os::unix::process::ExitStatusExt;

    const ABORTED: i32 = 6;
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("three.csv"), THREE).expect("a file");
    // From too little for loading the program to enough: memory may run out at any point in
    // between.
    let mut ended = Vec::new();
    for kilobytes in (10_000..44_000).step_by(500) {
        let output = run_in(
            folder.path(),
            kilobytes << 10,
            &["check", "three.csv", "--backend", "cpu"],
        );
        let (code, errors) = (output.status.code(), String::from_utf8_lossy(&output.stderr));
        // Before the program has begun, the C library ends it in this way, or the standard library,
        // whose first allocation is for the stack of the main thread's signals.
        let signal_stack =
            errors.contains("thread 'main'") && errors.contains("failed to allocate an alternative stack");
        if errors.contains("Fatal glibc error") || signal_stack {
            continue;
        }
        assert_ne!(output.status.signal(), Some(ABORTED), "{kilobytes} KB: {errors}");
        assert_ne!(code, Some(101), "{kilobytes} KB: {errors}");
        if code == Some(3) {
            assert_failure(&format!("{kilobytes} KB"), &output, 3, "cannot allocate");
        }
        ended.extend(code);
    }
    assert!(ended.contains(&3) && ended.last() == Some(&0), "{ended:?}");
}

#[test]
fn checks_run_without_threads_that_cannot_start() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("three.csv"), THREE).expect("a file");
    // There is no room for one more thread, for a few of them, and for half of them.
    for megabytes in [60, 400, 5000] {
        let check = ["check", "three.csv", "--backend", "cpu"];
        let mut command = limited(folder.path(), megabytes << 20, &check);
        let output = output_of(command.env("RAYON_NUM_THREADS", "64"));
        let errors = text(&output.stderr);
        assert_eq!((output.status.code(), errors), (Some(0), ""), "{megabytes} MB");
        assert!(
            text(&output.stdout).contains("colliding pairs  1"),
            "{megabytes} MB: {output:?}"
        );
    }
}
