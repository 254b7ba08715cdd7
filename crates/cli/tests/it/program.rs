//! Runs the program.

use std::{
    collections::BTreeSet,
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::processes::{ended, output_of};

/// Two colliding boxes and a free one, with ids that are not row numbers.
pub const THREE: &str = "id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw
70,0,0,0,1,1,1,0,0,0,1
5,1,1,1,1,1,1,0,0,0,1
9,100,0,0,1,1,1,0,0,0,1
";

/// All commands, in the order of the help.
pub const COMMANDS: [&str; 16] = [
    "bench",
    "devices",
    "generate",
    "check",
    "fit",
    "mesh",
    "neighbours",
    "render",
    "room",
    "solids",
    "sweep",
    "track",
    "verify",
    "soak",
    "completions",
    "man",
];

pub fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_obbligato"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

pub fn run(folder: &Path, arguments: &[&str]) -> Output {
    output_of(&mut command(folder, arguments))
}

/// Runs the program as [`run`] does, and fails the test if it takes longer than `seconds` seconds.
#[cfg(unix)]
pub fn run_within(seconds: u64, folder: &Path, arguments: &[&str]) -> Output {
    let mut child = command(folder, arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let start = Instant::now();
    while child.try_wait().expect("it can be waited for").is_none() {
        if start.elapsed() > Duration::from_secs(seconds) {
            child.kill().expect("it can be ended");
            child.wait().expect("it ends");
            panic!("{arguments:?} takes longer than {seconds} s");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().expect("the program ends")
}

pub fn run_with_stdin(folder: &Path, arguments: &[&str], stdin: &str) -> Output {
    let mut child = command(folder, arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut pipe = child.stdin.take().expect("stdin is piped");
    // A program that rejects its arguments does not wait for its input.
    let _ = pipe.write_all(stdin.as_bytes());
    drop(pipe);
    ended(child)
}

pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("the output is UTF-8")
}

/// Returns the stdout of a run that must succeed without messages on stderr.
pub fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "", "{arguments:?}");
    text(&output.stdout).to_owned()
}

/// Returns the stdout of a run that must succeed, which must be JSON and nothing else.
pub fn json(folder: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&succeed(folder, arguments)).expect("stdout is JSON")
}

/// Asserts that a run failed with `code` and one line on stderr that contains `words`.
pub fn assert_failure(name: &str, output: &Output, code: i32, words: &str) {
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{name}: {stderr}");
    assert_eq!(stderr.lines().count(), 1, "{name}: {stderr}");
    assert!(
        stderr.starts_with("obbligato: ") && stderr.ends_with('\n'),
        "{name}: {stderr}"
    );
    assert!(stderr.contains(words), "{name}: no {words:?} in {stderr}");
    assert!(!stderr.contains("panicked"), "{name}: {stderr}");
}

pub fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    entries
        .map(|entry| {
            entry
                .expect("it can be listed")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect()
}
