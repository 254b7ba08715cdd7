//! Comparisons of rows with those of an earlier run.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::bench::{read, small};
use crate::program::{assert_failure, run, succeed, text};

/// Writes rows as `--json` does, with all times multiplied by `factor`.
fn slowed(folder: &Path, factor: f64) {
    let mut rows: serde_json::Value = serde_json::from_str(&read(folder, "old.json")).expect("it is JSON");
    for row in rows.as_array_mut().expect("rows") {
        for key in ["wall_ms", "wall_min_ms"] {
            row[key] = json!(row[key].as_f64().expect("a time") * factor);
        }
    }
    fs::write(folder.join("other.json"), rows.to_string()).expect("it can be written");
}

#[test]
fn bench_compares_with_an_earlier_run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let arguments = "bench --backend cpu --scene uniform --count 500,1k --frames 3 --json old.json";
    succeed(here, &arguments.split(' ').collect::<Vec<_>>());

    // Earlier times that are a million times as long, then a thousandth as long.
    slowed(here, 1e6);
    let faster = succeed(here, &small("--compare other.json"));
    assert!(
        faster.contains("faster") && faster.contains("\nonly in other.json: uniform 500 (cpu, "),
        "{faster}"
    );
    slowed(here, 1e-3);
    let output = run(here, &small("--compare other.json --threshold 1.2 --json new.json"));
    assert_failure(
        "slower",
        &output,
        1,
        "slower than in other.json beyond 1.2x: uniform 1_000 takes ",
    );
    assert!(text(&output.stdout).contains("SLOWER"), "{}", text(&output.stdout));
    let rows: serde_json::Value = serde_json::from_str(&read(here, "new.json")).expect("it is JSON");
    let change = &rows[0]["change"];
    assert!(
        change["ratio"].as_f64() > Some(100.0) && change["slower"] == true,
        "{change}"
    );
    assert!(
        change["noise"].as_f64() >= Some(0.0) && change["same_pairs"] == true,
        "{change}"
    );

    expect_unmatched(here);
    fs::write(here.join("bad.json"), "{}").expect("it can be written");
    fs::write(here.join("row.json"), "[{\"scene\": \"uniform\"}]").expect("it can be written");
    for (file, complaint) in [
        ("bad.json", "bad.json: is not a list of rows"),
        ("row.json", "row.json: row 0 has no wall_ms"),
        ("none.json", "none.json: cannot be read"),
    ] {
        assert_failure(file, &run(here, &small(&format!("--compare {file}"))), 2, complaint);
    }
    for (words, complaint) in [
        ("--compare old.json --threshold 0", "expected a ratio above 0"),
        ("--compare old.json --json old.json", "is also the input"),
        ("--threshold 2", "--compare"),
    ] {
        assert_failure(words, &run(here, &small(words)), 2, complaint);
    }
}

/// Asserts that rows of other scenes are not compared.
fn expect_unmatched(here: &Path) {
    // Another seed, another scene: there is nothing to compare.
    for words in ["--seed 2", "--count 700 --scene dense"] {
        let words = format!("bench --backend cpu --frames 1 --compare old.json {words}");
        let words = if words.contains("--count") {
            words
        } else {
            format!("{words} --count 1k")
        };
        let output = run(here, &words.split(' ').collect::<Vec<_>>());
        assert_failure("unmatched", &output, 2, "old.json: no row has scene");
    }
    let both = run(
        here,
        &[
            "bench",
            "--count",
            "700,1k",
            "--scene",
            "uniform",
            "--compare",
            "old.json",
            "--backend",
            "cpu",
        ],
    );
    assert!(
        text(&both.stdout).contains("not there before"),
        "{}",
        text(&both.stdout)
    );
}
