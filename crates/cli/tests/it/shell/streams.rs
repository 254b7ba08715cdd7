//! Results on stdout, into pipes and devices, and readers that leave early.

use std::fs;
use std::process::Stdio;

use crate::processes::{ended, output_of};
use crate::program::{assert_failure, command, names, run, run_with_stdin, succeed, text};
use crate::shell::{PAIRS, check, model, read};

#[test]
fn stdout_takes_one_result_and_nothing_else() {
    let folder = model();
    let here = folder.path();
    for stdout in ["-", "/dev/stdout", "/dev/fd/1"] {
        if cfg!(target_os = "linux") || stdout == "-" {
            assert_eq!(succeed(here, &check(&["--pairs", stdout])), PAIRS, "{stdout}");
        }
    }
    let marks = run(
        here,
        &[
            "check",
            "model.csv",
            "--backend",
            "cpu",
            "--marks",
            "-",
            "--format",
            "npy",
        ],
    );
    assert!(marks.stdout.starts_with(b"\x93NUMPY"), "{marks:?}");
    assert_eq!(marks.stdout.len(), 128 + 5 * 4);
    let scene = succeed(here, &["generate", "dense", "--count", "1k", "--out", "-"]);
    let piped = run_with_stdin(here, &["check", "-", "--backend", "cpu", "--pairs", "-"], &scene);
    let generate = ["generate", "dense", "--count", "1k", "--format", "npy", "--out"];
    assert!(
        run(here, &[&generate[..], &["-"]].concat())
            .stdout
            .starts_with(b"\x93NUMPY")
    );
    succeed(here, &[&generate[..], &["s.npy"]].concat());
    assert_eq!(
        succeed(here, &["check", "s.npy", "--backend", "cpu", "--pairs", "-"]),
        text(&piped.stdout)
    );
    assert!(piped.stdout.len() > 10_000);

    for (more, words) in [
        (&["--pairs", "-", "--marks", "-"][..], "-: is named for two outputs"),
        (&["--pairs", "-", "--json", "-"], "-: is named for two outputs"),
        (&["--rows", "-"], "--rows writes two files"),
        (
            &["--contacts", "-", "--format", "npy"],
            "-: cannot hold contacts as NPY: leave --format npy out",
        ),
        (&["--pairs", "p.csv.gz"], "p.csv.gz: cannot be written compressed"),
    ] {
        assert_failure(words, &run(here, &check(more)), 2, words);
    }
    assert_eq!(names(here), ["model.csv", "s.npy"].map(String::from).into());
}

#[cfg(target_os = "linux")]
#[test]
fn open_files_are_written_and_not_replaced() {
    let folder = model();
    let here = folder.path();
    for (name, stdout) in [
        ("one", "/dev/stdout"),
        ("two", "/proc/self/fd/1"),
        ("three", "link.csv"),
    ] {
        let _ = std::os::unix::fs::symlink("/dev/stdout", here.join("link.csv"));
        let mut file = fs::File::create(here.join(name)).expect("a file");
        std::io::Write::write_all(&mut file, b"before\n").expect("it can be written");
        let child = command(here, &check(&["--pairs", stdout])).stdout(file).spawn();
        assert!(ended(child.expect("it starts")).status.success());
        assert_eq!(read(here, name), format!("before\n{PAIRS}"), "{stdout}");
    }
    let errors = fs::File::create(here.join("errors")).expect("a file");
    let child = command(here, &check(&["--pairs", "/dev/stderr"]))
        .stdout(Stdio::piped())
        .stderr(errors)
        .spawn();
    assert!(text(&ended(child.expect("it starts")).stdout).contains("colliding pairs  5"));
    assert_eq!(read(here, "errors"), PAIRS);
    // A pipe without an extension is CSV.
    let made = output_of(std::process::Command::new("mkfifo").arg(here.join("pipe")));
    assert!(made.status.success());
    let mut reader = std::process::Command::new("cat");
    let reader = reader
        .arg(here.join("pipe"))
        .stdout(Stdio::piped())
        .spawn()
        .expect("a reader");
    succeed(here, &check(&["--pairs", "pipe"]));
    assert_eq!(text(&ended(reader).stdout), PAIRS);
}

#[test]
fn a_closed_reader_ends_results_quietly() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    succeed(here, &["generate", "dense", "--count", "20k", "--out", "s.npy"]);
    let check = ["check", "s.npy", "--backend", "cpu", "--pairs", "-"];
    let room = [
        "room",
        "s.npy",
        "--backend",
        "cpu",
        "--min",
        "0,0,0",
        "--max",
        "9,9,9",
        "--out",
        "-",
    ];
    for arguments in [
        &["generate", "dense", "--count", "20k", "--out", "-"][..],
        &check,
        &room,
    ] {
        let mut child = command(here, arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(child.stdout.take());
        let output = ended(child);
        assert_eq!(
            (output.status.code(), text(&output.stderr)),
            (Some(0), ""),
            "{arguments:?}"
        );
    }
}
