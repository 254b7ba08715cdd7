//! Frames that stay on the GPU, their kernels, and all measurements on it.

use std::fs;
use std::path::Path;

use obbligato::gpu::adapters;
use obbligato::report::checksum;
use obbligato_verify::scenes::Scene;
use serde_json::{Value, json};

use crate::bench::{read, small};
use crate::colliding_pairs;
use crate::processes::output_of;
use crate::program::{assert_failure, command, run, succeed, text};

/// Returns `true` if the adapter that the program takes has timestamps.
fn has_timestamps() -> bool {
    adapters().first().is_some_and(|adapter| adapter.timestamps)
}

#[test]
fn bench_times_frames_that_stay_on_the_gpu() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let words =
        "bench --backend gpu --resident --scene dense,bricks --count 2k --frames 3 --json b.json --samples s.csv";
    let table = succeed(here, &words.split(' ').collect::<Vec<_>>());
    let rows: Value = serde_json::from_str(&read(here, "b.json")).expect("it is JSON");
    for (row, scene) in rows.as_array().expect("rows").iter().zip([Scene::Dense, Scene::Bricks]) {
        assert_eq!(
            (&row["mode"], &row["frames"]),
            (&json!("resident"), &json!(15)),
            "{row}"
        );
        assert_eq!(row["submissions"], 5, "{row}");
        let pairs = colliding_pairs(&scene.generate(2000, 1));
        assert_eq!(row["checksum"], format!("{:016x}", checksum(&pairs)), "{row}");
        assert_eq!(
            row["verified"],
            json!({ "boxes": 2000, "of": 2000, "passed": true }),
            "{row}"
        );
        assert!(row["wall_ms"].as_f64() > Some(0.0), "{row}");
        expect_kernels(row);
    }
    if has_timestamps() {
        for words in [
            "memory at best: copy ",
            "\ndense 2_000, resident, 3 frames timed by kernel\n",
            "% of the gather limit\n",
        ] {
            assert!(table.contains(words), "no {words:?} in {table}");
        }
    }
    assert_eq!(
        table.lines().filter(|line| line.ends_with("  resident")).count(),
        2,
        "{table}"
    );
    // One line per submission.
    assert_eq!(read(here, "s.csv").matches(",wall,total,").count(), 10);

    // Checks and frames are not compared.
    let words = "bench --backend gpu --scene dense --count 2k --frames 1 --compare b.json";
    let other = run(here, &words.split(' ').collect::<Vec<_>>());
    assert_failure("another mode", &other, 2, "b.json: no row has");
    std::fs::write(
        here.join("rules.csv"),
        "cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,owner\n0,0,0,1,1,1,0,0,0,1,3\n",
    )
    .expect("a file");
    for (words, complaint) in [
        ("--backend cpu", "use --backend gpu"),
        ("--backend gpu rules.csv", "has rules"),
    ] {
        let words: Vec<&str> = ["bench", "--resident"].into_iter().chain(words.split(' ')).collect();
        assert_failure("resident", &run(here, &words), 2, complaint);
    }
}

/// Asserts that a row has the times and limits of its kernels, if the adapter has timestamps.
fn expect_kernels(row: &Value) {
    if !has_timestamps() {
        assert!(row["kernels"].is_null() && row["gpu_total_ms"].is_null(), "{row}");
        return;
    }
    assert!(row["gpu_total_ms"].as_f64() <= row["wall_ms"].as_f64(), "{row}");
    let kernels = row["kernels"].as_array().expect("kernels");
    let names: Vec<_> = kernels.iter().filter_map(|kernel| kernel["kernel"].as_str()).collect();
    assert!(names.contains(&"obb_bounds") && names.contains(&"finish"), "{names:?}");
    assert!(kernels.iter().all(|kernel| kernel["calls"] == 1), "{row}");
    let of = |name: &str| {
        kernels
            .iter()
            .find(|kernel| kernel["kernel"] == name)
            .expect("it is there")
    };
    // It only goes through the slots.
    assert_eq!(of("allocate_runs")["limit"], "copy", "{row}");
    assert!(of("finish")["limit"].is_null(), "{row}");
    let share: f64 = kernels.iter().filter_map(|kernel| kernel["share"].as_f64()).sum();
    assert!(share > 0.3 && share < 1.01, "{share}");
    assert!(row["gpu_ms"]["other"].is_f64(), "{row}");
    for rate in row["device_rates"].as_object().expect("rates").values() {
        assert!(rate.as_f64() > Some(0.0), "{row}");
    }
}

/// Frames that keep the order of the first sort nothing, and find the same pairs.
#[test]
fn bench_times_refitted_frames() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let words = "bench --backend gpu --broad-phase lbvh --resident --scene dense --count 2k --frames 2 --json b.json";
    let row = |more: &str| {
        let table = succeed(here, &[words, more].join(" ").split_whitespace().collect::<Vec<_>>());
        let rows: Value = serde_json::from_str(&read(here, "b.json")).expect("it is JSON");
        (table, rows[0].clone())
    };
    let ((_, built), (table, refitted)) = (row(""), row("--refit"));
    assert_eq!(
        (&built["mode"], &refitted["mode"]),
        (&json!("resident"), &json!("refitted"))
    );
    assert!(table.lines().any(|line| line.ends_with("  refitted")), "{table}");
    assert_eq!(built["checksum"], refitted["checksum"]);
    if has_timestamps() {
        let kernels = |row: &Value| row["kernels"].as_array().expect("kernels").clone();
        for row in [&built, &refitted] {
            let last = kernels(row).last().map(|kernel| kernel["kernel"].clone());
            assert_eq!(last, Some(json!("finish")), "{row}");
        }
        let dispatches = |row| -> u64 { kernels(row).iter().filter_map(|kernel| kernel["calls"].as_u64()).sum() };
        assert_eq!(dispatches(&built) - dispatches(&refitted), 34, "{built} {refitted}");
    }
    let words = "bench --backend gpu --resident --refit --scene dense --count 2k";
    let output = run(here, &words.split(' ').collect::<Vec<_>>());
    assert_failure("the grid", &output, 2, "add --broad-phase lbvh, or drop --refit");
    let words = "bench --refit --scene dense --count 2k";
    assert_eq!(run(here, &words.split(' ').collect::<Vec<_>>()).status.code(), Some(2));
}

#[test]
fn bench_shows_the_times_of_a_peer() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let pairs = colliding_pairs(&Scene::Uniform.generate(1000, 1));
    let line = |tool: &str, boxes: usize, pairs: usize, more: &str| {
        format!("{{\"tool\":\"{tool}\",\"boxes\":{boxes},\"pairs\":{pairs},\"gpu_total_ms\":2.5{more}}}\n")
    };
    let sum = format!(",\"checksum\":\"{:016x}\"", checksum(&pairs));
    let lines = [
        line("same", 1000, pairs.len(), &sum),
        line("many", 1000, pairs.len() + 9, ""),
        line("small", 999, pairs.len(), ""),
        line("named", 1000, pairs.len(), ",\"scene\":\"dense\""),
        "\n".to_owned(),
    ];
    fs::write(here.join("peers.jsonl"), lines.concat()).expect("it can be written");
    // The scene is the file that a peer reads.
    succeed(here, &["generate", "uniform", "--count", "1k", "--out", "s.npy"]);
    for subject in ["--scene uniform --count 1k", "s.npy"] {
        let words = format!("bench {subject} --backend cpu --frames 2 --peer-file peers.jsonl --json b.json");
        let table = succeed(here, &words.split(' ').collect::<Vec<_>>());
        assert!(table.contains("\nbeside peers.jsonl\n"), "{table}");
        let rows: Value = serde_json::from_str(&read(here, "b.json")).expect("it is JSON");
        let peers = rows[0]["peers"].as_array().expect("peers");
        assert_eq!(peers.len(), 1, "{table}");
        assert_eq!(
            (&peers[0]["tool"], &peers[0]["same_pairs"]),
            (&json!("same"), &json!(true)),
            "{table}"
        );
        let ratio = 2.5 / rows[0]["wall_ms"].as_f64().expect("a time");
        let shown = peers[0]["ratio"].as_f64().expect("a ratio");
        assert!((shown / ratio - 1.0).abs() < 1e-3, "{shown} {ratio}");
        assert!(table.trim_end().ends_with("x  the same"), "{table}");
    }
    fs::write(here.join("bad.jsonl"), "\n{\"tool\": \"x\"}\n").expect("it can be written");
    fs::write(here.join("text.jsonl"), "fast\n").expect("it can be written");
    for (file, complaint) in [
        ("bad.jsonl", "bad.jsonl: line 2 has no boxes"),
        ("text.jsonl", "text.jsonl: line 1 is not JSON"),
        ("none.jsonl", "none.jsonl: cannot be read"),
        ("peers.jsonl --json peers.jsonl", "is also the input"),
    ] {
        assert_failure(file, &run(here, &small(&format!("--peer-file {file}"))), 2, complaint);
    }
    let none = succeed(here, &small("--count 30 --peer-file peers.jsonl"));
    assert!(none.contains("beside peers.jsonl"), "{none}");
}

#[test]
fn bench_sets_constants_of_kernels() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let words = "bench --backend gpu --scene dense --count 3k --frames 1 --json -";
    let with = |constants: &str| {
        let mut command = command(folder.path(), &words.split(' ').collect::<Vec<_>>());
        output_of(command.env("OBBLIGATO_CONSTANTS", constants))
    };
    let checksum = |output: &std::process::Output| {
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let rows: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        assert_eq!(rows[0]["verified"]["passed"], true);
        rows[0]["checksum"].clone()
    };
    let usual = checksum(&with(""));
    for constants in [
        "grid_pairs.KEPT=4u grid_pairs.WORKGROUP=32u pipeline.looping_workgroups=7",
        "grid_pairs.MOST_RECORDS_EACH=1u pipeline.appends_by_subgroups=0",
        "choose_levels.ROW_COST=3.0 count_slots.WORKGROUP=128u",
    ] {
        assert_eq!(checksum(&with(constants)), usual, "{constants}");
    }
    for (constants, message) in [
        (
            "grid_pairs.NONE=1u",
            "OBBLIGATO_CONSTANTS: grid_pairs.NONE was never used",
        ),
        ("KEPT=1", "OBBLIGATO_CONSTANTS: \"KEPT=1\" is not KERNEL.NAME=VALUE"),
        // An impossible workgroup size: the kernel is rejected, and the constant is not ignored.
        ("grid_pairs.WORKGROUP=0u", "grid_pairs"),
    ] {
        let output = with(constants);
        assert_ne!(output.status.code(), Some(0), "{constants}");
        assert!(text(&output.stderr).contains(message), "{}", text(&output.stderr));
        assert_eq!(text(&output.stderr).lines().count(), 1);
    }
}

#[test]
fn bench_measures_all_of_a_gpu() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let words = "bench --backend gpu --hardware out --count 50 --frames 2";
    let said = succeed(here, &words.split(' ').collect::<Vec<_>>());
    let out = here.join("out");
    assert_eq!(read(&out, "summary.txt"), said);
    let environment: Value = serde_json::from_str(&read(&out, "environment.json")).expect("it is JSON");
    assert!(
        environment["adapter"].is_string() && environment["limits"]["max_buffer_size"].is_u64(),
        "{environment}"
    );
    let results: Vec<Value> = read(&out, "results.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("it is JSON"))
        .collect();
    let steps: Vec<_> = results.iter().filter_map(|result| result["step"].as_str()).collect();
    assert_eq!(steps.len(), results.len());
    let count = |step: &str| steps.iter().filter(|other| **other == step).count();
    // Correctness comes first.
    let correctness = 1 + Scene::ALL.len();
    assert!(
        steps[..correctness]
            .iter()
            .all(|step| ["adversarial", "verify"].contains(step)),
        "{steps:?}"
    );
    let counts = [
        "verify",
        "rates",
        "resident",
        "check",
        "contacts",
        "distances",
        "start-up",
    ]
    .map(count);
    assert_eq!(counts, [Scene::ALL.len(), 1, 8, 3, 2, 2, 1], "{steps:?}");
    for result in &results {
        assert!(result["failed"].is_null() && result["left_out"].is_null(), "{result}");
        if let Some(verified) = result["verified"].as_object() {
            assert_eq!(verified["passed"], true, "{result}");
        }
    }
    assert!(
        results
            .iter()
            .any(|result| result["step"] == "resident" && result["boxes"] == 5000)
    );

    expect_left_out_and_refused(here, results.len());
}

/// Asserts that steps for which there is no time are reported, that existing files are not
/// overwritten, and that invalid arguments are refused.
fn expect_left_out_and_refused(here: &Path, results: usize) {
    let late = succeed(
        here,
        &[
            "bench",
            "--hardware",
            "late",
            "--backend",
            "gpu",
            "--count",
            "50",
            "--minutes",
            "1e-9",
        ],
    );
    assert!(late.contains("left out: adversarial 50: "), "{late}");
    let lines = read(&here.join("late"), "results.jsonl");
    assert!(
        lines.lines().count() == results && lines.lines().all(|line| line.contains("left_out")),
        "{lines}"
    );
    for (words, complaint) in [
        ("--hardware out --count 50 --backend gpu", "name a new folder"),
        ("--hardware new --backend cpu", "use --backend gpu"),
        ("--hardware new --scene uniform", "cannot be used with"),
        ("--minutes 3", "--hardware"),
        (
            "--hardware new --backend gpu --minutes 0",
            "expected a number of minutes above 0",
        ),
        (
            "--hardware new --backend gpu --minutes -1",
            "expected a number of minutes above 0",
        ),
        ("--hardware new --backend gpu --minutes 1e300", "at most 1000000"),
        (
            "--hardware new --backend gpu --minutes nan",
            "expected a number of minutes above 0",
        ),
        ("--compare old.json --threshold 0", "expected a ratio above 0"),
    ] {
        let words: Vec<&str> = ["bench"].into_iter().chain(words.split(' ')).collect();
        assert_failure("hardware", &run(here, &words), 2, complaint);
    }
    assert!(!here.join("new").exists());
}
