//! `obbligato bench`.

use std::{fs, path::Path};

use obbligato::{AdapterKind, checksum, gpu::adapters, scenes::Scene};
use serde_json::json;

use super::{
    colliding_pairs,
    program::{THREE, assert_failure, command, json as run_json, names, run, run_with_stdin, succeed, text},
};

#[test]
fn bench_rows() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let arguments = [
        "--backend",
        "cpu",
        "--scene",
        "uniform,dense",
        "--scene",
        "crowd",
        "--count",
        "0,1k",
        "--frames",
        "2",
    ];
    let rows = run_json(here, &[&arguments[..], &["--json", "-"]].concat());
    let rows = rows.as_array().expect("an array");
    assert_eq!(rows.len(), 6);
    for row in rows {
        let boxes = &row["boxes"];
        assert_eq!(
            row["verified"],
            json!({ "boxes": boxes, "of": boxes, "passed": true }),
            "{row}"
        );
        assert_eq!(row["seed"], 1, "{row}");
        assert_eq!(row["frames"], 2, "{row}");
        assert_eq!(row["backend"], "cpu", "{row}");
        assert!(row["hardware"].is_null(), "{row}");
        assert_eq!(row["version"], env!("CARGO_PKG_VERSION"), "{row}");
        assert!(row["memory_gb_per_s"].is_null(), "{row}");
        assert!(row["gpu_ms"].is_object() && row["gpu_total_ms"].is_null(), "{row}");
        assert!(row["wall_ms"].as_f64() >= row["wall_min_ms"].as_f64(), "{row}");
        for key in [
            "boxes_per_s",
            "pairs_per_s",
            "device_bytes",
            "candidate_pairs",
            "adapter",
            "stages_ms",
            "startup_ms",
            "date",
            "gpu_bytes",
            "gpu_gb_per_s",
            "roofline_ratio",
        ] {
            assert!(!row[key].is_null(), "{key} in {row}");
        }
    }
    let pairs = checksum(&colliding_pairs(&Scene::Uniform.generate(1000, 1)));
    assert_eq!(rows[0]["operations"], json!({ "rows": 0, "comparisons": 0 }));
    for row in rows.iter().filter(|row| row["boxes"] == 1000) {
        let comparisons = row["operations"]["comparisons"].as_u64();
        assert!(
            comparisons >= row["candidate_pairs"].as_u64() && comparisons > Some(0),
            "{row}"
        );
        assert!(row["operations"]["rows"].as_u64() >= Some(1000), "{row}");
    }
    assert_eq!(rows[1]["checksum"], format!("{pairs:016x}"));

    let files = ["--json", "b.json", "--csv", "b.csv", "--no-verify"];
    let table = succeed(here, &[&["bench"], &arguments[..], &files[..]].concat());
    assert!(table.starts_with("CPU backend") && table.contains("not run"), "{table}");
    assert!(
        table.contains("; start-up ") && !table.contains("unmeasured"),
        "{table}"
    );
    let lines: Vec<&str> = table.lines().skip_while(|line| !line.starts_with("scene")).collect();
    assert_eq!(lines.len(), 7, "{table}");
    let csv = fs::read_to_string(here.join("b.csv")).expect("the file is there");
    assert!(csv.starts_with("scene,boxes,backend,adapter,"), "{csv}");
    assert!(
        csv.lines()
            .next()
            .is_some_and(|names| names.contains(",date,version,mode,")),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), 7, "{csv}");
    assert_eq!(names(here), ["b.csv", "b.json"].map(String::from).into());
}

#[test]
fn bench_says_what_a_gpu_is_worth() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let arguments = "bench --backend gpu --scene uniform --count 500 --frames 2 --json b.json --plot p.svg";
    let table = succeed(here, &arguments.split(' ').collect::<Vec<_>>());
    let text = fs::read_to_string(here.join("b.json")).expect("the file is there");
    let rows: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let all = adapters();
    let adapter = all.first().expect("this test needs an adapter, a software one will do");
    let plot = fs::read_to_string(here.join("p.svg")).expect("the file is there");
    let software = adapter.kind == AdapterKind::Software;
    for text in [&table, &plot] {
        assert_eq!(text.contains("unmeasured on hardware"), software, "{text}");
    }
    let row = &rows[0];
    assert_eq!(row["hardware"], !software, "{row}");
    assert_eq!(row["memory_gb_per_s"].as_f64() > Some(0.0), adapter.timestamps, "{row}");
    assert_eq!(table.contains(" GB/s"), adapter.timestamps, "{table}");
    assert!(row["startup_ms"].as_f64() > Some(0.0), "{row}");
    let keys = |name: &str| row[name].as_object().expect("an object").keys();
    assert!(keys("gpu_bytes").all(|stage| row["gpu_ms"][stage].is_f64()), "{row}");
    if adapter.timestamps {
        assert!(keys("gpu_bytes").eq(keys("roofline_ratio")), "{row}");
        assert!(keys("gpu_bytes").eq(keys("gpu_gb_per_s")), "{row}");
    }
}

/// The picture that the CPU backend's rows make.
fn plot(folder: &Path, arguments: &str) -> String {
    let words = format!("bench --backend cpu --frames 1 --no-verify --plot p.svg {arguments}");
    succeed(folder, &words.split(' ').collect::<Vec<_>>());
    fs::read_to_string(folder.join("p.svg")).expect("the file is there")
}

/// The numbers of points of all lines as thick as a scene's.
fn lines(svg: &str) -> Vec<usize> {
    let tags = svg.split("<polyline").skip(1).filter_map(|rest| rest.split('>').next());
    let thick = tags.filter(|tag| tag.contains("stroke-width=\"2\""));
    let points = thick.filter_map(|tag| tag.split("points=\"").nth(1)?.split('"').next());
    points.map(|points| points.split_whitespace().count()).collect()
}

#[test]
fn bench_plots() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let svg = plot(here, "--scene uniform,dense --count 2k,100,500");
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");
    for words in [
        "uniform",
        "dense",
        "boxes",
        "milliseconds",
        "CPU backend",
        "\n100\n",
        "\n1k\n",
    ] {
        assert!(svg.contains(words), "no {words:?} in {svg}");
    }
    let (width, height) = (1080, 640);
    let white = format!("width=\"{width}\" height=\"{height}\" opacity=\"1\" fill=\"#FFFFFF\"");
    assert!(svg.contains(&white), "{svg}");
    // Each scene has a line and its sample in the legend.
    let mut found = lines(&svg);
    found.sort();
    assert_eq!(found, [2, 2, 3, 3], "{svg}");
    assert_eq!(svg.matches("<circle").count(), 3 + 3 + 2, "{svg}");
    assert_eq!(names(here), ["p.svg".to_owned()].into());

    // One point, and none at all: the axes are there all the same.
    for (arguments, circles, label) in [
        ("--scene crowd --count 10", 2, "\n100\n"),
        ("--scene crowd --count 0", 1, "\n10\n"),
    ] {
        let svg = plot(here, arguments);
        assert_eq!(svg.matches("<circle").count(), circles, "{svg}");
        assert!(svg.contains(label) && svg.contains("crowd"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}

/// A file of the folder as text.
fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("the file is there")
}

/// Runs the benchmark of a small scene on the CPU with these words besides.
fn small(words: &str) -> Vec<&str> {
    let small = "bench --backend cpu --scene uniform --count 1e3 --frames 3";
    small.split(' ').chain(words.split_whitespace()).collect()
}

/// Every column is there on every backend, and everything that the JSON says about stages has one.
#[test]
fn bench_columns_are_the_same_everywhere() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let mut headers = Vec::new();
    for backend in ["cpu", "gpu", "gpu --resident"] {
        let words = format!("bench --backend {backend} --scene mixed --count 500 --frames 2 --csv b.csv --json b.json");
        succeed(here, &words.split(' ').collect::<Vec<_>>());
        let csv = read(here, "b.csv");
        assert!(!csv.contains(['{', '[']), "{csv}");
        let (header, row) = csv.trim_end().split_once('\n').expect("two lines");
        let columns: Vec<&str> = header.split(',').collect();
        let rows: serde_json::Value = serde_json::from_str(&read(here, "b.json")).expect("it is JSON");
        for (key, value) in rows[0].as_object().expect("a row") {
            let names = match value.as_object() {
                Some(parts) => parts.keys().map(|part| format!("{key}.{part}")).collect(),
                None if ["grid", "verified", "change", "kernels", "peers"].contains(&key.as_str()) => Vec::new(),
                None => vec![key.clone()],
            };
            for name in names {
                assert!(columns.contains(&name.as_str()), "{name} of {backend} in {header}");
            }
        }
        let levels = columns
            .iter()
            .position(|column| *column == "grid.levels")
            .expect("it is there");
        // Names of adapters have commas, but they come before: count from the end.
        let fields: Vec<&str> = row.rsplit(',').collect();
        let count = rows[0]["grid"].as_array().expect("levels").len().to_string();
        assert_eq!(fields[columns.len() - 1 - levels], count, "{csv}");
        headers.push(header.to_owned());
    }
    assert!(headers.iter().all(|header| *header == headers[0]));
}

/// Whether the adapter that the program takes has timestamps.
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
    let rows: serde_json::Value = serde_json::from_str(&read(here, "b.json")).expect("it is JSON");
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
        if !has_timestamps() {
            assert!(row["kernels"].is_null() && row["gpu_total_ms"].is_null(), "{row}");
            continue;
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
        assert_eq!(of("obb_bounds")["limit"], "copy", "{row}");
        assert!(of("finish")["limit"].is_null(), "{row}");
        let share: f64 = kernels.iter().filter_map(|kernel| kernel["share"].as_f64()).sum();
        assert!(share > 0.3 && share < 1.01, "{share}");
        assert!(row["gpu_ms"]["other"].is_f64(), "{row}");
        for rate in row["device_rates"].as_object().expect("rates").values() {
            assert!(rate.as_f64() > Some(0.0), "{row}");
        }
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
    // A line a submission.
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

#[test]
fn bench_shows_what_a_peer_took() {
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
        let rows: serde_json::Value = serde_json::from_str(&read(here, "b.json")).expect("it is JSON");
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
        command
            .env("OBBLIGATO_CONSTANTS", constants)
            .output()
            .expect("the program starts")
    };
    let checksum = |output: &std::process::Output| {
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let rows: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
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
        // No such workgroup: the kernel is refused, not the constant ignored.
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
    let environment: serde_json::Value = serde_json::from_str(&read(&out, "environment.json")).expect("it is JSON");
    assert!(
        environment["adapter"].is_string() && environment["limits"]["max_buffer_size"].is_u64(),
        "{environment}"
    );
    let results: Vec<serde_json::Value> = read(&out, "results.jsonl")
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

    // What there is no time for is told, and what is there is not written over.
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
        lines.lines().count() == results.len() && lines.lines().all(|line| line.contains("left_out")),
        "{lines}"
    );
    for (words, complaint) in [
        ("--hardware out --count 50 --backend gpu", "name a new folder"),
        ("--hardware new --backend cpu", "use --backend gpu"),
        ("--hardware new --scene uniform", "cannot be used with"),
        ("--minutes 3", "--hardware"),
    ] {
        let words: Vec<&str> = ["bench"].into_iter().chain(words.split(' ')).collect();
        assert_failure("hardware", &run(here, &words), 2, complaint);
    }
    assert!(!here.join("new").exists());
}

#[test]
fn bench_times_a_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let header = "frame,id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,owner";
    let boxes = [
        "1,4,0,0,0,1,1,1,0,0,0,1,",
        "2,70,0,0,0,1,1,1,0,0,0,1,8",
        "2,5,1,1,1,1,1,1,0,0,0,1,8",
    ];
    let more = "2,9,0,1,0,1,1,1,0,0,0,1,";
    fs::write(here.join("s.csv"), format!("{header}\n{}\n{more}\n", boxes.join("\n"))).expect("it can be written");
    let rows = run_json(
        here,
        &["bench", "s.csv", "--frame", "2", "--backend", "cpu", "--json", "-"],
    );
    let row = &rows[0];
    assert_eq!(row["scene"], "s.csv frame 2", "{row}");
    assert_eq!(
        (&row["boxes"], &row["colliding_pairs"]),
        (&json!(3), &json!(2)),
        "{row}"
    );
    assert_eq!(row["verified"], json!({ "boxes": 3, "of": 3, "passed": true }), "{row}");
    assert!(row["seed"].is_null(), "{row}");

    let output = run_with_stdin(here, &["bench", "-", "--backend", "cpu"], THREE);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("\n-  "), "{}", text(&output.stdout));
    for (words, complaint) in [
        ("s.csv", "--frame"),
        ("none.csv", "none.csv"),
        ("s.csv --frame 2 --count 10", "cannot be used with"),
        ("s.csv --frame 2 --seed 7", "cannot be used with"),
        ("s.csv --frame 2 --csv s.csv", "is also the input"),
    ] {
        let words: Vec<&str> = ["bench"].into_iter().chain(words.split(' ')).collect();
        assert_failure("file", &run(here, &words), 2, complaint);
    }
}

#[test]
fn bench_takes_a_seed_and_says_where_it_ran() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let row = |words: &str| run_json(here, &small(&format!("{words} --json -")))[0].clone();
    let (plain, other) = (row(""), row("--seed 7"));
    assert_eq!((&plain["seed"], &other["seed"]), (&json!(1), &json!(7)));
    assert_ne!(plain["checksum"], other["checksum"]);
    let expected = checksum(&colliding_pairs(&Scene::Uniform.generate(1000, 7)));
    assert_eq!(other["checksum"], format!("{expected:016x}"));
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        assert!(
            plain["cpu"].as_str().is_some_and(|model| !model.trim().is_empty()),
            "{plain}"
        );
    }
    let commit = &plain["commit"];
    let is_commit = |text: &str| text.trim_end_matches("-dirty").len() >= 7;
    assert!(commit.is_null() || commit.as_str().is_some_and(is_commit), "{commit}");
}

#[test]
fn bench_writes_the_times_of_all_frames() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    succeed(here, &small("--samples s.csv --json b.json"));
    let samples = read(here, "s.csv");
    let mut lines = samples.lines();
    assert_eq!(lines.next(), Some("scene,boxes,frame,clock,stage,ms"));
    let totals: Vec<f64> = lines
        .filter_map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            assert_eq!(fields.len(), 6, "{line}");
            assert_eq!(fields[..2], ["uniform", "1000"], "{line}");
            (fields[4] == "total").then(|| fields[5].parse().expect("a time"))
        })
        .collect();
    assert_eq!(totals.len(), 3, "{samples}");
    let rows: serde_json::Value = serde_json::from_str(&read(here, "b.json")).expect("it is JSON");
    let least = totals.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(rows[0]["wall_min_ms"].as_f64(), Some(least), "{samples}");
    assert!(samples.contains("uniform,1000,2,wall,bounds,"), "{samples}");
}

/// Rows as `--json` writes them, with all times multiplied.
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

    // As fast as an hour, and as slow as a thousandth of a time.
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

    // Another scene, another seed, another number of threads: nothing to compare.
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
