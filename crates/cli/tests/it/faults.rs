//! Work on a disk that is full, signals at any moment, and files that change while they are read:
//! no output has its final name unless it is complete.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use super::full_disks::limited;
use super::program::{THREE, assert_failure, command, names, run, succeed, text};
use crate::processes::{output_of, status_of};

/// Returns the contents of all files of a folder.
fn contents(here: &Path) -> BTreeMap<String, Vec<u8>> {
    let read = |name: String| fs::read(here.join(&name)).map(|content| (name, content));
    names(here).into_iter().filter_map(|name| read(name).ok()).collect()
}

#[test]
fn work_on_a_full_disk_is_resumed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    succeed(here, &["generate", "dense", "--count", "20k", "--out", "s.npy"]);
    let from_disk = "check s.npy --memory 300MB --tile-boxes 2k --work work --pairs p.csv";
    succeed(here, &["check", "s.npy", "--backend", "cpu", "--pairs", "expected.csv"]);
    for blocks in [0, 1, 16, 200, 1000, 1200] {
        let output = limited(here, blocks, from_disk);
        assert_failure(&format!("{blocks}"), &output, 2, ": ");
        assert!(!here.join("p.csv").exists(), "{blocks}");
    }
    let output = limited(here, 1_000_000, from_disk);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let read = |name: &str| fs::read(here.join(name)).expect("it is there");
    assert!(read("p.csv") == read("expected.csv"), "other pairs");
    assert!(!here.join("work").exists());
}

/// Runs with many outputs are ended at different moments: each output is complete or not there.
#[test]
fn signals_at_any_moment_leave_whole_files() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    succeed(here, &["generate", "dense", "--count", "4k", "--out", "s.csv"]);
    let check = "check s.csv --backend cpu --quiet --pairs p.csv --marks m.npy --contacts c.csv --volumes v.csv --rows r \
        --clashes k.csv";
    let words: Vec<&str> = check.split_whitespace().collect();
    let before = contents(here);
    succeed(here, &words);
    let complete = contents(here);
    let clear = || {
        let others = names(here).into_iter().filter(|name| !before.contains_key(name));
        others.for_each(|name| fs::remove_file(here.join(name)).expect("it is ours"));
    };
    let mut ended = 0;
    for (moment, signal) in (0..12).zip(["INT", "TERM", "KILL"].into_iter().cycle()) {
        clear();
        // How long a run takes depends on what else the machine does now.
        let start = Instant::now();
        succeed(here, &words);
        let taken = start.elapsed();
        clear();
        let mut child = command(here, &words)
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("it starts");
        sleep(taken * moment / 11);
        let kill = format!("kill -{signal} {} 2>/dev/null", child.id());
        output_of(Command::new("sh").args(["-c", &kill]));
        ended += u32::from(status_of(&mut child).code().is_none());
        for (name, content) in contents(here) {
            let unfinished = signal == "KILL" && name.ends_with(".tmp");
            assert!(
                unfinished || complete.get(&name) == Some(&content),
                "{name}, moment {moment}, {signal}"
            );
        }
    }
    assert!(ended > 2, "{ended} ended by a signal");
    clear();
    succeed(here, &words);
    assert!(contents(here) == complete);
}

/// Files that shrink and grow while they are read cause an error of one line, or none.
#[test]
fn files_may_change_while_they_are_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("three.csv"), THREE).expect("it can be written");
    for name in ["s.csv", "s.npy", "s.parquet"] {
        succeed(here, &["generate", "uniform", "--count", "20k", "--out", name]);
        let sound = fs::read(here.join(name)).expect("it is there");
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                for part in (0..8).cycle().take_while(|_| !done.load(Ordering::Relaxed)) {
                    let file = fs::OpenOptions::new()
                        .write(true)
                        .open(here.join(name))
                        .expect("it is there");
                    file.set_len((sound.len() * part / 8) as u64).expect("it can be cut");
                    sleep(Duration::from_millis(3));
                    fs::write(here.join(name), &sound).expect("it can be written");
                    sleep(Duration::from_millis(3));
                }
            });
            let check = ["check", name, "--backend", "cpu", "--quiet"];
            let outputs: Vec<Output> = (0..10).map(|_| run(here, &check)).collect();
            done.store(true, Ordering::Relaxed);
            for output in outputs {
                match output.status.code() {
                    Some(0) => assert_eq!(text(&output.stderr), ""),
                    _ => assert_failure(name, &output, 2, name),
                }
            }
        });
    }
}
