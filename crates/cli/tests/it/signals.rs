//! A program that is ended while it runs leaves no temporary files, and removes those of earlier
//! ones.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::program::{THREE, command, names, run};
use crate::processes::{output_of, status_of};

/// Makes a command begin with these signals ignored and with the default actions of the other ones
/// that end a program. The actions of this process do not matter: it may be in the background of a
/// script.
#[allow(unsafe_code, reason = "the standard library does not set what happens on a signal")]
fn ignoring<'a>(command: &'a mut Command, ignored: &'static [i32]) -> &'a mut Command {
    use std::os::unix::process::CommandExt;

    let set = move || {
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGTERM] {
            let action = match ignored.contains(&signal) {
                true => libc::SIG_IGN,
                false => libc::SIG_DFL,
            };
            // SAFETY: the signals may be set to their default actions or ignored, and `signal` may
            // be called after a fork.
            if unsafe { libc::signal(signal, action) } == libc::SIG_ERR {
                return Err(std::io::Error::last_os_error());
            }
        }
        Ok(())
    };
    // SAFETY: the code between fork and exec neither allocates nor takes a lock.
    unsafe { command.pre_exec(set) }
}

/// Returns a folder where `check` with [`CHECK`] writes one file, under its temporary name, and
/// waits for a reader of the other.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("three.csv"), THREE).expect("it can be written");
    let made = output_of(Command::new("mkfifo").arg(folder.path().join("r.neighbours.npy")));
    assert!(made.status.success());
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
    send_to(signal, &child.id().to_string());
}

fn send_to(signal: &str, process: &str) {
    let sent = output_of(Command::new("sh").args(["-c", &format!("kill -{signal} {process}")]));
    assert!(sent.status.success());
}

/// Returns a check that has begun, with the default actions of signals.
fn begun(folder: &Path) -> Child {
    let child = ignoring(&mut command(folder, &CHECK), &[]).spawn().expect("it starts");
    wait_for_temporary(folder);
    child
}

#[test]
fn a_signal_leaves_no_files() {
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let folder = folder();
        let here = folder.path();
        let before = names(here);
        let mut child = begun(here);
        send(signal, &child);
        let status = status_of(&mut child);
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
    let shell = ignoring(shell.current_dir(here).stdin(Stdio::null()), &[]);
    let mut shell = shell.spawn().expect("a shell starts");
    wait_for_temporary(here);
    let temporary = names(here)
        .into_iter()
        .find(|name| name.ends_with(".tmp"))
        .expect("a temporary file");
    let process = temporary.split('-').nth(1).expect("the number of the process");
    send_to("TERM", process);
    assert_eq!(status_of(&mut shell).code(), Some(128 + 15));
    assert!(!names(here).contains(&temporary));
}

#[test]
fn ignored_signals_stay_ignored() {
    let folder = folder();
    let here = folder.path();
    let before = names(here);
    // As nohup does, and a shell that starts a program in the background of a script.
    let child = ignoring(&mut command(here, &CHECK), &[libc::SIGHUP, libc::SIGINT]).spawn();
    let mut child = child.expect("the program starts");
    wait_for_temporary(here);
    for signal in ["HUP", "INT", "HUP", "INT", "TERM"] {
        send(signal, &child);
    }
    let status = status_of(&mut child);
    assert_eq!(status.signal(), Some(15), "{status}");
    assert_eq!(names(here), before);
}

#[test]
fn files_of_ended_processes_are_removed() {
    let folder = folder();
    let here = folder.path();
    let before = names(here);
    let mut child = begun(here);
    send("KILL", &child);
    status_of(&mut child);
    assert_eq!(
        names(here).len(),
        before.len() + 1,
        "nothing removes files of a killed process at once"
    );
    // A file of another process that has ended, one of a process that lives, one that is in use,
    // and files of others.
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

/// The first signal ends a soak with its summary.
#[test]
fn an_interrupted_soak_has_a_summary() {
    for signal in ["INT", "TERM"] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let arguments = ["soak", "--minutes", "60", "--backend", "cpu", "--large", "1k"];
        let mut child = ignoring(&mut command(folder.path(), &arguments), &[])
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
        let heading = lines.next().expect("a line").expect("UTF-8");
        assert!(heading.starts_with("soak: seed "), "{heading}");
        send(signal, &child);
        let rest: Vec<String> = lines.map_while(Result::ok).collect();
        assert_eq!(status_of(&mut child).code(), Some(0), "{rest:?}");
        assert_eq!(rest.last().map(String::as_str), Some("passed until it was interrupted"));
    }
}

/// The tests above set the actions of signals, so that they hold wherever they run.
#[test]
fn signal_tests_pass_where_signals_are_ignored() {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "trap '' HUP INT TERM; exec \"$@\"", "sh"])
        .arg(std::env::current_exe().expect("the path of this program"))
        .args(["--exact", "signals::a_signal_leaves_no_files"])
        .args([
            "signals::a_shell_sees_128_and_the_signal",
            "signals::ignored_signals_stay_ignored",
        ])
        .arg("signals::files_of_ended_processes_are_removed")
        .arg("signals::an_interrupted_soak_has_a_summary");
    let output = output_of(&mut shell);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("5 passed"), "{said}");
}
