//! `obbligato soak`: moving scenes, compared with the reference.

use serde_json::Value;

use super::program::{assert_failure, json, run, succeed, text};

const SOAK: [&str; 7] = ["soak", "--seed", "3", "--large", "3k", "--backend", "cpu"];

fn soak<'a>(options: &[&'a str]) -> Vec<&'a str> {
    [&SOAK[..], options].concat()
}

/// Two runs of a seed have the same frames, small and large.
#[test]
fn a_seed_repeats_its_frames() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let report = |first, frames| {
        let options = ["--first", first, "--frames", frames, "--json", "-"];
        json(folder.path(), &soak(&options))
    };
    let pairs = |report: &Value| report["colliding_pairs"].as_u64().expect("a number");
    let whole = report("0", "502");
    for (key, number) in [("frames", 502), ("large_frames", 1), ("checks", 22), ("differences", 0)] {
        assert_eq!(whole[key], number, "{key} in {whole}");
    }
    let parts = [report("0", "77"), report("77", "425")];
    assert!(pairs(&parts[0]) > 0 && pairs(&parts[1]) > 0, "{parts:?}");
    assert_eq!(pairs(&parts[0]) + pairs(&parts[1]), pairs(&whole));
    if cfg!(target_os = "linux") {
        for key in ["start", "warm", "end", "peak"] {
            assert!(whole["host_bytes"][key].as_u64() > Some(1 << 20), "{key} in {whole}");
        }
    }
}

#[test]
fn a_fault_is_found_and_its_frame_can_be_repeated() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let output = run(here, &soak(&["--frames", "100", "--inject-fault"]));
    assert_failure("fault", &output, 1, "1 missing and 0 extra pairs, such as (");
    let stderr = text(&output.stderr);
    assert!(stderr.contains(" of seed 3 ("), "{stderr}");
    assert!(
        text(&output.stdout).contains("differences      1\n"),
        "{}",
        text(&output.stdout)
    );
    let repeat = stderr
        .split("`obbligato ")
        .nth(1)
        .and_then(|rest| rest.split('`').next());
    let repeat: Vec<&str> = repeat.expect("a command").split(' ').collect();
    assert!(
        succeed(here, &repeat).contains("passed"),
        "there is no fault without the option"
    );
    let again = run(here, &[&repeat[..], &["--inject-fault"]].concat());
    assert_eq!(text(&again.stderr), stderr, "the same frame");
}

#[test]
fn a_run_without_a_fault_does_not_pass_as_one_with_a_fault() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // Frames before the first comparison.
    let options = ["--first", "1", "--frames", "1", "--inject-fault"];
    let output = run(folder.path(), &soak(&options));
    assert_failure("no comparison", &output, 1, "no fault was injected");
}

#[test]
fn a_large_scene_is_compared() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = ["--first", "500", "--frames", "1"];
    assert!(succeed(folder.path(), &soak(&options)).contains("1, 1 of them large\n"));
    let output = run(folder.path(), &soak(&[&options[..], &["--inject-fault"]].concat()));
    assert_failure("fault", &output, 1, "(a large scene)");
}

#[test]
fn lengths_are_required() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (options, words) in [
        (&[][..], "--minutes <M>"),
        (&["--minutes", "0"], "a number of minutes above 0"),
        (&["--frames", "-1"], "--frames"),
    ] {
        assert_failure(words, &run(folder.path(), &soak(options)), 2, words);
    }
    assert!(succeed(folder.path(), &soak(&["--frames", "0"])).contains("0, 0 of them large"));
}
