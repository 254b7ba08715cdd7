//! The part of a scene that is compared with the reference, and the remaining output with
//! `--quiet`.

use serde_json::{Value, json};

use super::program::{THREE, assert_failure, json as run_json, names, run, run_with_stdin, succeed, text};

/// Returns the arguments of `verify` of a named scene on the CPU, with additional words.
fn verify(words: &str) -> Vec<&str> {
    let verify = "verify --backend cpu --scene dense --count 2k";
    verify.split(' ').chain(words.split_whitespace()).collect()
}

#[test]
fn a_sampled_verification_is_labelled() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let report = run_json(here, &verify("--json -"));
    let all = json!({ "boxes": 2000, "of": 2000, "passed": true });
    assert_eq!(report["verified"], all, "{report}");
    let report = run_json(here, &verify("--verify-boxes 70 --json -"));
    assert_eq!(
        report["verified"],
        json!({ "boxes": 70, "of": 2000, "passed": true }),
        "{report}"
    );
    assert_eq!(report["comparisons"][0]["boxes"], 70, "{report}");
    for key in [
        "scene",
        "seed",
        "backend",
        "adapter",
        "colliding_pairs",
        "touching_pairs",
        "checksum",
        "passed",
    ] {
        assert!(!report[key].is_null(), "{key} in {report}");
    }
    for (extent, words) in [("70", "70 of 2_000 boxes"), ("all", "all boxes"), ("1M", "all boxes")] {
        let report = succeed(here, &verify(&format!("--verify-boxes {extent}")));
        assert!(
            report.contains(&format!("compared with the reference: {words}\n")),
            "{report}"
        );
    }

    let bench = [
        "bench",
        "--backend",
        "cpu",
        "--scene",
        "dense",
        "--count",
        "2k",
        "--frames",
        "1",
    ];
    let table = succeed(here, &[&bench[..], &["--verify-boxes", "70"]].concat());
    assert!(table.contains("  70 of 2_000  "), "{table}");
    let table = succeed(here, &bench);
    assert!(table.contains("  all  "), "{table}");
    let rows = run_json(here, &[&bench[..], &["--no-verify", "--json", "-"]].concat());
    assert!(rows[0]["verified"].is_null(), "{rows}");
    for words in ["0", "-1", "some", ""] {
        assert_failure(
            words,
            &run(here, &[&verify("--verify-boxes")[..], &[words]].concat()),
            2,
            "--verify-boxes",
        );
    }
    let output = run(here, &[&bench[..], &["--no-verify", "--verify-boxes", "all"]].concat());
    assert_failure("both", &output, 2, "cannot be used with");
    assert!(names(here).is_empty());
}

/// A verification of all boxes notices the loss of any pair; a verification of a sample that does
/// not notice it reports that, and fails.
#[test]
fn a_fault_may_be_in_any_pair() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let mut faults = Vec::new();
    for seed in 1..4 {
        let output = run(here, &verify(&format!("--inject-fault --seed {seed} --json v.json")));
        assert_failure("all", &output, 1, "1 missing and 0 extra pairs; the scene is in");
        let report: Value =
            serde_json::from_slice(&std::fs::read(here.join("v.json")).expect("it is there")).expect("it is JSON");
        assert_eq!(
            report["verified"],
            json!({ "boxes": 2000, "of": 2000, "passed": false }),
            "{report}"
        );
        assert_eq!(report["passed"], false, "{report}");
        faults.push(report["fault"].as_str().expect("a fault").to_owned());
    }
    faults.dedup();
    assert_eq!(faults.len(), 3, "{faults:?}");

    std::fs::remove_file(here.join("obbligato-failure.npy")).expect("it was written");
    let output = run(here, &verify("--inject-fault --verify-boxes 1"));
    assert_failure("outside", &output, 1, "the fault was not noticed: removed pair (");
    assert!(
        text(&output.stderr).contains("use --verify-boxes all"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(names(here), ["v.json".to_owned()].into(), "there is nothing to replay");
}

#[test]
fn adversarial_pairs_as_json() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let report = run_json(
        folder.path(),
        &["verify", "--backend", "cpu", "--adversarial", "1k", "--json", "-"],
    );
    assert_eq!(report["passed"], true, "{report}");
    assert_eq!(report["adversarial_pairs"], 1000, "{report}");
    assert_eq!(report["stages"]["reference"]["right"], 1000, "{report}");
}

#[test]
fn quiet_commands_print_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    for words in [
        "generate uniform --count 1e2 --out s.csv",
        "check s.csv --pairs p.csv",
        "room s.csv --min -1,-1,-1 --max 1,1,1 --out w.csv",
        "verify s.csv",
        "bench s.csv --frames 1",
        "bench --scene dense --count 10 --frames 1",
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        for words in [[&words[..], &["--quiet"]].concat(), [&["--quiet"], &words[..]].concat()] {
            assert_eq!(succeed(here, &words), "", "{words:?}");
        }
    }
    assert_eq!(
        succeed(
            here,
            &["--quiet", "--scene", "uniform", "--count", "9", "--frames", "1"]
        ),
        ""
    );
    let output = run_with_stdin(here, &["check", "-", "--quiet", "--json", "-"], THREE);
    assert!(text(&output.stdout).starts_with('{') && output.stderr.is_empty());
    assert_failure("errors", &run(here, &["check", "none.csv", "--quiet"]), 2, "none.csv");
    assert!(succeed(here, &["devices", "--quiet"]).contains("cpu  "));
    assert!(succeed(here, &["check", "--help", "--quiet"]).contains("Examples"));
}
