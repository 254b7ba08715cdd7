//! `obbligato bench`.

use std::{fs, path::Path};

use obbligato::{AdapterKind, checksum, gpu::adapters, scenes::Scene};
use serde_json::json;

use super::{
    colliding_pairs,
    program::{json as run_json, names, succeed},
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
        assert_eq!(row["verified"], true, "{row}");
        assert_eq!(row["frames"], 2, "{row}");
        assert_eq!(row["backend"], "cpu", "{row}");
        assert_eq!(row["hardware"], true, "{row}");
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
        csv.lines().next().is_some_and(|names| names.ends_with(",date,version")),
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
