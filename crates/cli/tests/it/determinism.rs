//! `verify --determinism`: output files compared byte by byte.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use super::program::{assert_failure, command, names, text};
use crate::processes::output_of;

/// Runs each command once on the CPU, with 1 to 8 threads and 4 lanes.
pub fn compare(folder: &Path, options: &[&str]) -> Output {
    let arguments = ["verify", "--determinism", "--runs", "1", "--backend", "cpu"];
    let mut command = command(folder, &[&arguments, options].concat());
    output_of(command.env("OBBLIGATO_LANES", "4"))
}

#[test]
fn a_changed_byte_is_found_and_both_files_are_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let output = compare(here, &["--inject-fault", "--json", "d.json"]);
    assert_failure("fault", &output, 1, "is not the same on CPU, 8 threads, 4 lanes, run 1");
    let stderr = text(&output.stderr);
    assert!(
        stderr.contains("with `RAYON_NUM_THREADS=8 OBBLIGATO_LANES=4 obbligato mesh "),
        "{stderr}"
    );
    assert!(text(&output.stdout).contains("\nFAILED: "), "{}", text(&output.stdout));
    let report = fs::read(here.join("d.json")).expect("it is there");
    let report: Value = serde_json::from_slice(&report).expect("it is JSON");
    assert_eq!(report["passed"], false, "{report}");
    assert_eq!(report["engines"].as_array().map(Vec::len), Some(3), "{report}");
    assert_eq!(
        report["difference"]["first_engine"], "CPU, 1 thread, 4 lanes",
        "{report}"
    );

    let file = report["difference"]["file"].as_str().expect("a name");
    let kept = here.join("obbligato-failure");
    let [first, other] = ["first", "other"].map(|run| fs::read(kept.join(run).join(file)).expect("it is kept"));
    assert_eq!(first.len(), other.len());
    assert_eq!(first.iter().zip(&other).filter(|(a, b)| a != b).count(), 1);
    assert!(names(&kept).contains("rings.obj"), "the inputs are kept");
}

#[test]
fn lanes_are_limited_by_the_environment() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (lanes, code) in [("4", 0), ("16", 0), ("", 2), ("5", 2), ("eight", 2), ("-4", 2)] {
        let mut command = command(folder.path(), &["devices"]);
        let output = output_of(command.env("OBBLIGATO_LANES", lanes));
        match code {
            0 => assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr)),
            _ => assert_failure(lanes, &output, code, "OBBLIGATO_LANES is "),
        }
    }
}
