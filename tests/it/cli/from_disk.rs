//! `check --memory`: from disk, within the memory that is allowed, and after a kill from where it stopped.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::program::{assert_failure, command, json, names, run, succeed, text};

/// The most memory that a process had, in bytes, while it ran to its end.
fn peak_of(command: &mut Command) -> u64 {
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().expect("it is ours").is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
        peak = peak.max(1024 * kilobytes.unwrap_or_default());
        sleep(Duration::from_millis(5));
    }
    assert!(child.wait().expect("it has ended").success());
    peak
}

#[test]
fn it_finds_what_a_check_in_memory_finds() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    succeed(here, &["generate", "dense", "--count", "20k", "--out", "s.parquet"]);
    let in_memory = json(
        here,
        &[
            "check",
            "s.parquet",
            "--backend",
            "cpu",
            "--pairs",
            "p.csv",
            "--json",
            "-",
        ],
    );
    for (tile, out) in [("3k", "q.csv"), ("500", "q.npy"), ("7k", "q.parquet")] {
        let arguments = [
            "--quiet",
            "check",
            "s.parquet",
            "--backend",
            "cpu",
            "--memory",
            "1GB",
            "--tile-boxes",
            tile,
        ];
        let from_disk = json(here, &[&arguments[..], &["--pairs", out, "--json", "-"]].concat());
        for key in [
            "boxes",
            "colliding_pairs",
            "touching_pairs",
            "checksum",
            "precision",
            "complete",
            "backend",
        ] {
            assert_eq!(from_disk[key], in_memory[key], "{key}, {tile}");
        }
        assert!(from_disk["tiles"].as_u64() > Some(2), "{from_disk}");
        for step in [
            "load", "upload", "bounds", "broad", "narrow", "exact", "readback", "total",
        ] {
            assert!(from_disk["timings_ms"][step].is_f64(), "{step} in {from_disk}");
        }
    }
    assert!(fs::read(here.join("p.csv")).expect("there") == fs::read(here.join("q.csv")).expect("there"));
    succeed(here, &["check", "s.parquet", "--backend", "cpu", "--pairs", "p.npy"]);
    assert!(fs::read(here.join("p.npy")).expect("there") == fs::read(here.join("q.npy")).expect("there"));
    let changes = [
        "--quiet",
        "check",
        "s.parquet",
        "--backend",
        "cpu",
        "--baseline",
        "q.parquet",
        "--json",
        "-",
    ];
    let compared = json(here, &changes);
    assert_eq!(compared["kept"], in_memory["colliding_pairs"]);
    assert_eq!((&compared["new"], &compared["gone"]), (&0.into(), &0.into()));
    // The folder of the work is gone.
    let left = ["p.csv", "p.npy", "q.csv", "q.npy", "q.parquet", "s.parquet"];
    assert_eq!(names(here), left.map(String::from).into());
}

#[test]
fn killed_at_any_moment_it_goes_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    succeed(here, &["generate", "clusters", "--count", "300k", "--out", "s.npy"]);
    let arguments = [
        "--quiet",
        "check",
        "s.npy",
        "--backend",
        "cpu",
        "--memory",
        "512MiB",
        "--tile-boxes",
        "20k",
        "--pairs",
        "p.npy",
        "--json",
        "j.json",
    ];
    let start = Instant::now();
    succeed(here, &arguments);
    let mut taken = start.elapsed();
    let expected = [fs::read(here.join("p.npy")).expect("there"), strip_times(here)];
    let mut killed = 0;
    while killed < 10 {
        fs::remove_file(here.join("p.npy")).expect("there");
        let mut child = command(here, &arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        sleep(taken * (killed + 1) / 11);
        // SIGKILL: it cannot tidy up.
        child.kill().expect("it is ours");
        if child.wait().expect("it has ended").success() {
            // It was faster than the first time.
            taken = taken * 9 / 10;
            continue;
        }
        killed += 1;
        succeed(here, &arguments);
        assert!(
            [fs::read(here.join("p.npy")).expect("there"), strip_times(here)] == expected,
            "moment {killed}"
        );
        assert_eq!(
            names(here),
            ["j.json", "p.npy", "s.npy"].map(String::from).into(),
            "moment {killed}"
        );
    }
}

/// The JSON without what differs from run to run.
fn strip_times(here: &Path) -> Vec<u8> {
    let text = fs::read(here.join("j.json")).expect("it is there");
    let mut value: serde_json::Value = serde_json::from_slice(&text).expect("it is JSON");
    for key in [
        "timings_ms",
        "tiles_before",
        "adapter",
        "backend",
        "driver",
        "broad_phase",
    ] {
        value.as_object_mut().expect("an object").remove(key);
    }
    value.to_string().into_bytes()
}

#[test]
fn it_stays_below_the_memory_that_is_allowed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    // In memory this takes twice as much.
    succeed(here, &["generate", "dense", "--count", "4M", "--out", "s.npy"]);
    let check = ["check", "s.npy", "--backend", "cpu"];
    let in_memory = peak_of(&mut command(here, &check));
    assert!(in_memory > 700 << 20, "{in_memory} bytes: the test shows little");
    let from_disk = peak_of(&mut command(
        here,
        &[&check[..], &["--memory", "512MiB", "--pairs", "p.npy"]].concat(),
    ));
    assert!(from_disk < 512 << 20, "{from_disk} bytes");
}

#[test]
fn what_it_cannot_do_is_said() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    succeed(here, &["generate", "uniform", "--count", "1k", "--out", "s.npy"]);
    succeed(here, &["generate", "uniform", "--count", "1k", "--out", "s.csv"]);
    let refused = |arguments: &[&str], words: &str| {
        let output = run(here, &[&["check"], arguments].concat());
        assert_failure(&arguments.join(" "), &output, 2, words);
    };
    let output = run(
        here,
        &[
            "check",
            "s.npy",
            "--backend",
            "cpu",
            "--memory",
            "1GB",
            "--tile-boxes",
            "300",
        ],
    );
    assert_eq!(output.status.code(), Some(0));
    let [said, shown] = [&output.stderr, &output.stdout].map(|bytes| text(bytes));
    assert!(
        said.contains("1_000 boxes in 4 tiles need 0.0 MB on disk, where") && said.contains("are free (s.npy.work)"),
        "{said}"
    );
    assert!(
        shown.contains("\ntiles            4\n") && shown.contains("with reading and writing"),
        "{shown}"
    );
    refused(&["s.csv", "--memory", "1GB"], "give the scene as .npy or .parquet");
    refused(&["s.npy", "--memory", "much"], "expected bytes such as 4GB");
    refused(&["s.npy", "--memory", "1GB", "--contacts", "c.csv"], "--contacts");
    refused(&["s.npy", "--work", "here"], "--memory");
    refused(&["s.npy", "--memory", "1GB", "--tile-boxes", "0"], "from 1");
    let output = run(here, &["check", "s.npy", "--memory", "100MB"]);
    assert_failure("little", &output, 3, "536870912 bytes for a check from disk");
}
