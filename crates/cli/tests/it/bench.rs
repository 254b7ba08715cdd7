//! `obbligato bench`.

mod compared;
mod on_gpu;

use std::fs;
use std::path::Path;

use obbligato::gpu::adapters;
use obbligato::report::{AdapterKind, checksum};
use obbligato_verify::scenes::Scene;
use serde_json::{Value, json};

use crate::colliding_pairs;
use crate::program::{THREE, assert_failure, json as run_json, names, run, run_with_stdin, succeed, text};

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
        "0,2k",
        "--frames",
        "2",
    ];
    let rows = run_json(here, &[&arguments[..], &["--json", "-"]].concat());
    let rows = rows.as_array().expect("an array");
    assert_eq!(rows.len(), 6);
    expect_rows_of_cpu(rows);
    let pairs = checksum(&colliding_pairs(&Scene::Uniform.generate(2000, 1)));
    assert_eq!(rows[0]["operations"], json!({ "rows": 0, "comparisons": 0 }));
    for row in rows.iter().filter(|row| row["boxes"] == 2000) {
        let comparisons = row["operations"]["comparisons"].as_u64();
        assert!(
            comparisons >= row["candidate_pairs"].as_u64() && comparisons > Some(0),
            "{row}"
        );
        assert!(row["operations"]["rows"].as_u64() >= Some(2000), "{row}");
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

/// Asserts that rows without a GPU have all that is known, and nothing else.
fn expect_rows_of_cpu(rows: &[Value]) {
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
}

#[test]
fn bench_marks_software_adapters_as_no_hardware() {
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

/// Returns the plot of the CPU backend's rows.
fn plot(folder: &Path, arguments: &str) -> String {
    let words = format!("bench --backend cpu --frames 1 --no-verify --plot p.svg {arguments}");
    succeed(folder, &words.split(' ').collect::<Vec<_>>());
    fs::read_to_string(folder.join("p.svg")).expect("the file is there")
}

/// Returns the numbers of points of all lines as thick as a scene's.
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

    // One point, and none at all: the axes are still drawn.
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

/// Returns a file of the folder as text.
fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("the file is there")
}

/// Returns the arguments of a benchmark of a small scene on the CPU, with additional words.
fn small(words: &str) -> Vec<&str> {
    let small = "bench --backend cpu --scene uniform --count 1e3 --frames 3";
    small.split(' ').chain(words.split_whitespace()).collect()
}

/// Every column exists on every backend, and every stage in the JSON has one.
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
        // Names of adapters may have commas, but they come earlier: count from the end.
        let fields: Vec<&str> = row.rsplit(',').collect();
        let count = rows[0]["grid"].as_array().expect("levels").len().to_string();
        assert_eq!(fields[columns.len() - 1 - levels], count, "{csv}");
        headers.push(header.to_owned());
    }
    assert!(headers.iter().all(|header| *header == headers[0]));
}

/// Frames of bodies of each kind stay on a GPU as frames of boxes do: they have the same pairs as a
/// check on the CPU, and their kernels are listed.
#[test]
fn bench_times_resident_frames_of_all_kinds() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let rows = |words: &str| {
        let words =
            format!("bench --scene spheres,capsules,mixed-kinds,lattice --count 3k --frames 2 {words} --json -");
        run_json(here, &words.split(' ').collect::<Vec<_>>())
    };
    let (checks, frames) = (rows("--backend cpu"), rows("--backend gpu --resident"));
    let kernels = [
        "sphere_sphere_pairs",
        "round_round_pairs",
        "box_round_pairs",
        "sphere_sphere_pairs",
    ];
    for (k, kernel) in kernels.into_iter().enumerate() {
        let (check, frame) = (&checks[k], &frames[k]);
        for key in ["scene", "boxes", "colliding_pairs", "checksum", "verified"] {
            assert_eq!(check[key], frame[key], "{key} of {frame}");
        }
        assert_eq!(frame["mode"], "resident", "{frame}");
        assert!(frame["colliding_pairs"].as_u64() > Some(1000), "{frame}");
        // Without timestamps they are not timed.
        if let Some(timed) = frame["kernels"].as_array() {
            assert!(timed.iter().any(|line| line["kernel"] == kernel), "{frame}");
            let balls = timed.iter().find(|line| line["kernel"] == "sphere_bounds");
            let has_limit = balls.is_some_and(|line| line["limit"].is_string());
            assert_eq!(has_limit, k != 1, "{frame}");
        }
    }
    let refitted =
        "bench --backend gpu --resident --broad-phase lbvh --refit --scene mixed-kinds --count 2k --frames 2 --json -";
    let row = &run_json(here, &refitted.split(' ').collect::<Vec<_>>())[0];
    assert_eq!(
        (&row["mode"], &row["verified"]["passed"]),
        (&json!("refitted"), &json!(true)),
        "{row}"
    );
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
fn bench_takes_a_seed_and_reports_the_machine() {
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
