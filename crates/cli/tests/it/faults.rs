//! Disks that are full, signals at any moment, and files that change while they are read: no
//! output has its final name unless it is complete.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use super::program::{THREE, assert_failure, command, names, run, succeed, text};
use crate::processes::{output_of, status_of};

/// Commands with an output for each format, and the outputs.
const COMMANDS: [&str; 18] = [
    "check s.csv --pairs o.csv",
    "check s.csv --pairs o.npy",
    "check s.csv --pairs o.parquet",
    "check s.csv --marks o.csv",
    "check s.csv --rows o",
    "check s.csv --contacts o.csv",
    "check s.csv --margin 1 --distances o.csv",
    "check s.csv --clashes o.csv",
    "check s.csv --volumes o.csv",
    "check s.csv --html o.html",
    "sweep s.csv --dt 1 --impacts o.csv",
    "neighbours s.csv --k 3 --out o.csv",
    "room s.csv --min 0,0,0 --max 9,9,9 --out o.csv",
    "render s.csv --size 640x480 --out o.png",
    "render s.csv --out o.glb",
    "generate dense --count 400 --out o.csv",
    "generate dense --count 400 --out o.npy",
    "generate dense --count 400 --out o.parquet",
];

/// Runs the program with files of at most this many blocks.
fn limited(here: &Path, blocks: u32, words: &str) -> Output {
    let mut command = Command::new("sh");
    let script = format!("ulimit -f {blocks} && exec \"$0\" \"$@\"");
    command
        .args(["-c", &script, env!("CARGO_BIN_EXE_obbligato")])
        .args(words.split(' '));
    output_of(with_backend(&mut command, words).arg("--quiet").current_dir(here))
}

fn with_backend<'a>(command: &'a mut Command, words: &str) -> &'a mut Command {
    match words.starts_with("generate") {
        true => command,
        false => command.args(["--backend", "cpu"]),
    }
}

/// Returns the contents of all files of a folder.
fn contents(here: &Path) -> BTreeMap<String, Vec<u8>> {
    let read = |name: String| fs::read(here.join(&name)).map(|content| (name, content));
    names(here).into_iter().filter_map(|name| read(name).ok()).collect()
}

#[test]
fn a_disk_that_is_full_at_any_write_leaves_no_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    succeed(here, &["generate", "dense", "--count", "400", "--out", "s.csv"]);
    let before = names(here);
    let mut full = 0;
    for words in COMMANDS {
        for blocks in [0, 1, 8, 100_000] {
            let output = limited(here, blocks, words);
            if output.status.code() == Some(0) {
                assert_eq!(text(&output.stderr), "", "{words}, {blocks}");
                let written = names(here).into_iter().filter(|name| !before.contains(name));
                for name in written {
                    fs::remove_file(here.join(name)).expect("it is ours");
                }
                continue;
            }
            full += 1;
            assert!(blocks < 100_000, "{words}: {}", text(&output.stderr));
            assert_failure(&format!("{words}, {blocks}"), &output, 2, "cannot be written");
            assert_eq!(names(here), before, "{words}, {blocks}");
        }
    }
    println!("{full} full disks");
    assert!(full > 30, "{full}");
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
