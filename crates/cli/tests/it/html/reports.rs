//! The pages of `verify` and `bench`.

use std::fs;

use serde_json::Value;

use super::page::Page;
use crate::program::{assert_failure, run, succeed, text};

#[test]
fn a_page_of_a_verification_states_its_outcome() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let verify = [
        "verify",
        "--scene",
        "dense",
        "--count",
        "1k",
        "--backend",
        "cpu",
        "--html",
        "v.html",
    ];
    succeed(here, &[&verify[..], &["--json", "v.json"]].concat());
    let json: Value =
        serde_json::from_str(&fs::read_to_string(here.join("v.json")).expect("the file is there")).expect("it is JSON");
    let page = Page::read(&here.join("v.html"));
    assert!(page.text("p.verdict").starts_with("Passed: "));
    assert_eq!(page.facts()["compared with the reference"], "all boxes");
    let answers = page.table("answers-table");
    assert_eq!(answers.rows[0][1], json["colliding_pairs"].to_string());
    assert_eq!(answers.rows[0][3], json["checksum"].as_str().expect("a text"));
    let compared = page.table("comparisons-table");
    let first = &json["comparisons"][0];
    assert_eq!(compared.rows.len(), json["comparisons"].as_array().map_or(0, Vec::len));
    let keys = [
        "boxes",
        "of",
        "expected_pairs",
        "found_pairs",
        "missing_pairs",
        "extra_pairs",
    ];
    assert_eq!(compared.rows[0][2..8], keys.map(|key| first[key].to_string()));
    assert_eq!(page.count("#differences-0"), 0);

    let sample = succeed(here, &[&verify[..], &["--verify-boxes", "100"]].concat());
    assert!(sample.contains("100 of 1_000"), "{sample}");
    let page = Page::read(&here.join("v.html"));
    assert_eq!(page.facts()["compared with the reference"], "100 of 1_000 boxes");

    let failed = run(here, &[&verify[..], &["--inject-fault"]].concat());
    assert_failure("fault", &failed, 1, "1 missing and 0 extra pairs");
    let page = Page::read(&here.join("v.html"));
    assert!(
        page.text("p.verdict").starts_with("FAILED, as it should"),
        "{}",
        page.text("p.verdict")
    );
    let removed = page.facts()["fault injected"].clone();
    let missing = page.table("pairs-0");
    let [a, b, what] = [0, 1, 2].map(|k| missing.rows[0][k].as_str());
    assert_eq!((removed, what), (format!("removed pair ({a}, {b})"), "missing"));
    assert_eq!(page.table("boxes-0").rows.len(), 2);
    assert_eq!(page.table("comparisons-table").rows[0][1], "NO");
}

#[test]
fn a_page_of_hard_pairs_has_families_and_stages() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let verify = [
        "verify",
        "--adversarial",
        "500",
        "--backend",
        "cpu",
        "--html",
        "a.html",
        "--json",
        "a.json",
    ];
    succeed(here, &verify);
    let json: Value =
        serde_json::from_str(&fs::read_to_string(here.join("a.json")).expect("the file is there")).expect("it is JSON");
    let page = Page::read(&here.join("a.html"));
    assert!(page.text("p.verdict").starts_with("Passed: "));
    for row in page.table("families-table").rows {
        let truth = &json["families"][&row[0]];
        let wanted = ["separated", "touching", "overlapping"].map(|key| truth[key].to_string());
        assert_eq!(row[1..4], wanted, "{row:?}");
    }
    let stages = page.table("stages-table").rows;
    assert_eq!(stages.len(), json["stages"].as_object().map_or(0, serde_json::Map::len));
    for row in stages {
        let stage = &json["stages"][&row[0]];
        assert_eq!(
            row[1..],
            ["right", "open", "wrong"].map(|key| stage[key].to_string()),
            "{row:?}"
        );
    }
}

#[test]
fn a_page_of_a_benchmark_has_its_rows_and_plots() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let scenes = [
        "--scene",
        "uniform,dense",
        "--count",
        "500,1k",
        "--frames",
        "2",
        "--backend",
        "cpu",
    ];
    let files = ["--html", "b.html", "--json", "b.json", "--plot", "b.svg"];
    let table = succeed(here, &[&["bench"], &scenes[..], &files].concat());
    let json: Value =
        serde_json::from_str(&fs::read_to_string(here.join("b.json")).expect("the file is there")).expect("it is JSON");
    let page = Page::read(&here.join("b.html"));
    assert!(
        page.text("p.verdict").contains("4 of 4 rows"),
        "{}",
        page.text("p.verdict")
    );
    expect_rows(&page, &json, &table);
    // A line of the plot for each scene, and a bar of the stages for each row.
    assert!(page.count("polyline") >= 2);
    for scene in ["uniform 500", "uniform 1_000", "dense 500", "dense 1_000"] {
        assert!(page.text("#stages").contains(scene), "{scene}");
    }
    assert_eq!(["#kernels-0", "#changes", "#peers"].map(|id| page.count(id)), [0; 3]);

    let compared = [
        "--compare",
        "b.json",
        "--threshold",
        "1e9",
        "--html",
        "c.html",
        "--no-verify",
    ];
    succeed(here, &[&["bench"], &scenes[..], &compared].concat());
    let page = Page::read(&here.join("c.html"));
    assert!(page.text("p.verdict").contains("not verified"));
    let changes = page.table("changes-table");
    assert_eq!(changes.rows.len(), 4);
    for (row, json) in changes.rows.iter().zip(json.as_array().expect("rows")) {
        assert_eq!(row[1].parse::<f64>().ok(), json["wall_ms"].as_f64(), "{row:?}");
        assert_eq!(row[5], "yes", "{row:?}");
    }
}

/// Asserts that a page has the rows of the report and of the printed table.
fn expect_rows(page: &Page, json: &Value, table: &str) {
    let rows = page.table("rows-table");
    assert_eq!(rows.rows.len(), 4);
    for (row, json) in rows.rows.iter().zip(json.as_array().expect("rows")) {
        assert!(table.contains(&row[0]));
        for (heading, key) in [
            ("boxes", "boxes"),
            ("pairs", "colliding_pairs"),
            ("candidates", "candidate_pairs"),
        ] {
            let column = rows
                .headings
                .iter()
                .position(|other| other == heading)
                .expect("a column");
            assert_eq!(row[column], json[key].to_string(), "{heading}");
        }
        let column = rows
            .headings
            .iter()
            .position(|other| other == "checksum")
            .expect("a column");
        assert_eq!(row[column], json["checksum"].as_str().expect("a text"));
    }
}

#[test]
fn a_page_of_resident_frames_has_their_kernels() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let bench = [
        "bench",
        "--scene",
        "uniform",
        "--count",
        "500",
        "--frames",
        "2",
        "--backend",
        "gpu",
        "--resident",
    ];
    let output = run(here, &[&bench[..], &["--html", "b.html", "--json", "b.json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let json: Value =
        serde_json::from_str(&fs::read_to_string(here.join("b.json")).expect("the file is there")).expect("it is JSON");
    let page = Page::read(&here.join("b.html"));
    let kernels = json[0]["kernels"].as_array();
    assert_eq!(
        page.count("#kernels-0") == 1,
        kernels.is_some(),
        "a device without timestamps times no kernels"
    );
    for (row, kernel) in kernels
        .iter()
        .flat_map(|all| page.table("kernels-0-table").rows.into_iter().zip(*all))
    {
        assert_eq!(row[0], kernel["kernel"].as_str().expect("a name"));
        assert_eq!(row[3].parse::<f64>().ok(), kernel["ms"].as_f64());
        let limit = kernel["limit"].as_str().unwrap_or_default();
        assert_eq!(row[6], limit);
        assert!(page.text("#kernels-0").contains(&format!("of the {limit} limit")) || limit.is_empty());
    }
}
