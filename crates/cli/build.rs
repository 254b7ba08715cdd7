//! Sets `OBBLIGATO_COMMIT` to the commit that the program is built from; nothing else depends on
//! this.

use std::process::Command;

/// The sources of the program.
const SOURCES: [&str; 5] = ["src", "shaders", "crates", "Cargo.toml", "Cargo.lock"];

/// The root of the project, relative to this crate.
const PROJECT: &str = "../..";

fn main() {
    // Not on every new commit: unchanged sources need no new build.
    for source in SOURCES {
        println!("cargo:rerun-if-changed={PROJECT}/{source}");
    }
    println!("cargo:rerun-if-env-changed=OBBLIGATO_COMMIT");
    let given = std::env::var("OBBLIGATO_COMMIT").ok();
    if let Some(commit) = given.or_else(packaged).or_else(checked_out) {
        println!("cargo:rustc-env=OBBLIGATO_COMMIT={commit}");
    }
}

/// Returns the commit that `cargo package` records in a package.
fn packaged() -> Option<String> {
    let note = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let commit = note.split("\"sha1\"").nth(1)?.split('"').nth(1)?;
    let dirty = note.contains("\"dirty\": true");
    named(commit, dirty)
}

/// Returns the commit of the repository with the root [`PROJECT`], if git is available.
fn checked_out() -> Option<String> {
    std::fs::metadata(format!("{PROJECT}/.git")).ok()?;
    let git = |arguments: &[&str]| {
        let output = Command::new("git").current_dir(PROJECT).args(arguments).output().ok()?;
        output
            .status
            .success()
            .then(|| String::from_utf8(output.stdout).ok())
            .flatten()
    };
    let commit = git(&["rev-parse", "HEAD"])?;
    let changes = git(&[&["status", "--porcelain", "--"][..], &SOURCES].concat())?;
    named(commit.trim(), !changes.trim().is_empty())
}

/// Returns the first twelve digits of a commit, with a suffix if there are local changes.
fn named(commit: &str, dirty: bool) -> Option<String> {
    let is_commit = commit.len() >= 12 && commit.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_commit.then(|| format!("{}{}", &commit[..12], if dirty { "-dirty" } else { "" }))
}
