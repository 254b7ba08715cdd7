//! The number of threads that the user requests.

use std::fs;
use std::time::{Duration, Instant};

use super::program::{THREE, command, text};

#[test]
fn invalid_settings_are_reported_and_ignored() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("three.csv"), THREE).expect("it can be written");
    for (setting, words) in [
        ("", ""),
        ("0", ""),
        ("2", ""),
        ("40000", "note: RAYON_NUM_THREADS is 40000: "),
        ("99999999999999999999999", "note: RAYON_NUM_THREADS is 9999"),
        ("abc", "note: RAYON_NUM_THREADS is \"abc\" and no number: "),
        ("-3", "and no number"),
        ("\u{1b}[2J", "and no number"),
    ] {
        for quiet in [false, true] {
            let start = Instant::now();
            let mut program = command(here, &["check", "three.csv", "--backend", "cpu"]);
            program.env("RAYON_NUM_THREADS", setting);
            if quiet {
                program.arg("--quiet");
            }
            let output = program.output().expect("the program starts");
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{setting:?}: {said}");
            assert_eq!(said.is_empty(), quiet || words.is_empty(), "{setting:?}: {said}");
            assert!(quiet || said.contains(words), "{setting:?}: {said}");
            assert!(!said.contains('\u{1b}') && said.lines().count() <= 1, "{said:?}");
            assert!(start.elapsed() < Duration::from_secs(60), "{setting:?}");
        }
    }
}
