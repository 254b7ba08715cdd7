//! A program that is ended on the way leaves no temporary files, nor those of earlier ones.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::program::{THREE, command, names, run};

/// A folder where `check` with [`CHECK`] has written one file, under its temporary name, and waits for a reader of the other.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("three.csv"), THREE).expect("it can be written");
    let pipe = Command::new("mkfifo")
        .arg(folder.path().join("r.neighbours.npy"))
        .status();
    assert!(pipe.expect("it starts").success());
    folder
}

const CHECK: [&str; 6] = ["check", "three.csv", "--backend", "cpu", "--rows", "r"];

/// Waits until the program has written its temporary file.
fn wait_for_temporary(folder: &Path) {
    let start = Instant::now();
    loop {
        let entries = fs::read_dir(folder).expect("the folder is there").flatten();
        let mut temporary = entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(".tmp"));
        if temporary.any(|entry| entry.metadata().is_ok_and(|found| found.len() > 0)) {
            return;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "no temporary file");
        sleep(Duration::from_millis(5));
    }
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("sh")
        .args(["-c", &format!("kill -{signal} {}", child.id())])
        .status();
    assert!(sent.expect("a shell starts").success());
}

#[test]
fn a_signal_leaves_no_files() {
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let folder = folder();
        let here = folder.path();
        let before = names(here);
        let mut child = command(here, &CHECK).spawn().expect("the program starts");
        wait_for_temporary(here);
        send(signal, &child);
        let status = child.wait().expect("it ends");
        assert_eq!(status.signal(), Some(number), "{status}");
        assert_eq!(names(here), before, "{signal}");
    }
}

#[test]
fn a_shell_sees_128_and_the_signal() {
    let folder = folder();
    let here = folder.path();
    let script = "\"$@\" & wait $!";
    let mut shell = Command::new("sh");
    shell
        .args(["-c", script, "sh", env!("CARGO_BIN_EXE_obbligato")])
        .args(CHECK);
    let mut shell = shell.current_dir(here).spawn().expect("a shell starts");
    wait_for_temporary(here);
    let temporary = names(here)
        .into_iter()
        .find(|name| name.ends_with(".tmp"))
        .expect("a temporary file");
    let process = temporary.split('-').nth(1).expect("the number of the process");
    let sent = Command::new("sh")
        .args(["-c", &format!("kill -TERM {process}")])
        .status();
    assert!(sent.expect("a shell starts").success());
    assert_eq!(shell.wait().expect("it ends").code(), Some(128 + 15));
    assert!(!names(here).contains(&temporary));
}

#[test]
fn ignored_signals_stay_ignored() {
    let folder = folder();
    let here = folder.path();
    let before = names(here);
    // As nohup does it.
    let mut ignoring = Command::new("sh");
    ignoring
        .args(["-c", "trap '' HUP; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_obbligato")])
        .args(CHECK);
    let mut child = ignoring.current_dir(here).spawn().expect("a shell starts");
    wait_for_temporary(here);
    send("HUP", &child);
    send("HUP", &child);
    send("TERM", &child);
    let status = child.wait().expect("it ends");
    assert_eq!(status.signal(), Some(15), "{status}");
    assert_eq!(names(here), before);
}

#[test]
fn files_of_ended_processes_are_removed() {
    let folder = folder();
    let here = folder.path();
    let before = names(here);
    let mut child = command(here, &CHECK).spawn().expect("the program starts");
    wait_for_temporary(here);
    send("KILL", &child);
    child.wait().expect("it ends");
    assert_eq!(
        names(here).len(),
        before.len() + 1,
        "nothing removes files of a killed process at once"
    );
    // One of another process that has ended, one of a process that lives, one that is in use, and others' files.
    let kept = [
        format!(".obbligato-{}-0.tmp", std::process::id()),
        ".obbligato-4194999-3.tmp".to_owned(),
        ".obbligato-notes.tmp".to_owned(),
        "obbligato-1-1.tmp".to_owned(),
    ];
    for name in [".obbligato-4194999-0.tmp"]
        .into_iter()
        .chain(kept.iter().map(String::as_str))
    {
        fs::write(here.join(name), "left").expect("it can be written");
    }
    let in_use = fs::File::open(here.join(&kept[1])).expect("it is there");
    in_use.lock().expect("it can be locked");
    let output = run(here, &["check", "three.csv", "--backend", "cpu", "--pairs", "p.csv"]);
    assert!(output.status.success(), "{output:?}");
    let mut expected = before;
    expected.extend(kept);
    expected.insert("p.csv".to_owned());
    assert_eq!(names(here), expected);
}
