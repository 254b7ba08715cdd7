//! The rows about the program in the table of features in docs/src/status.md: each row is in the
//! name of its test.

use std::fs;

use obbligato::gpu::adapters;
use obbligato::{Backend, Checker, Config, Obb, Pair, report::checksum};
use obbligato_files::{read_pairs, read_scene, write_scene};
use obbligato_verify::compare::{DisagreementKind, verify_all};
use obbligato_verify::reference::colliding_pairs;
use obbligato_verify::scenes::Scene;
use serde_json::Value;

use super::determinism::compare;
use super::npy_integers;
use super::program::{json, run, text};

fn check(backend: Backend, boxes: &[Obb]) -> Vec<Pair> {
    let config = Config {
        backend,
        ..Config::default()
    };
    let mut checker = Checker::new(config).expect("the backend is there");
    let report = checker.check(boxes).expect("the boxes are valid");
    report.into_pairs().expect("asked for")
}

#[test]
fn e10_verify_finds_differences_and_replays_them() {
    let boxes = Scene::Dense.generate(1_000, 1);
    let mut found = check(Backend::Gpu, &boxes);
    assert!(verify_all(&boxes, &found).passed());
    let lost = found.remove(100);
    let verification = verify_all(&boxes, &found);
    assert!(!verification.passed());
    assert_eq!(verification.missing.len(), 1);
    assert_eq!(
        (verification.missing[0].pair, verification.missing[0].kind),
        (lost, DisagreementKind::Missing)
    );
    assert_eq!(verification.degree_mismatches.len(), 2);

    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let scene = ["verify", "--scene", "dense", "--count", "1k", "--backend", "gpu"];
    assert_eq!(run(here, &scene).status.code(), Some(0));
    let spoiled = [&scene[..], &["--inject-fault", "--replay-out", "failed.npy"]].concat();
    assert_eq!(run(here, &spoiled).status.code(), Some(1));
    let replay = read_scene(&here.join("failed.npy"), None).expect("the scene was written");
    assert!(replay.boxes == boxes);
    assert_eq!(
        run(here, &["verify", "failed.npy", "--backend", "gpu"]).status.code(),
        Some(0)
    );
}

/// Each theorem that a verification names is among those that `proofs/check` prints, and none is
/// named where the proofs do not apply.
#[test]
fn t2_verify_names_the_theorems_that_it_rests_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let printed = fs::read_to_string("../../proofs/Report.v").expect("the list of theorems");
    let theorems = |words: &str| -> Vec<String> {
        let words: Vec<&str> = words.split_whitespace().collect();
        let report = json(here, &words);
        let grounds = report["grounds"].as_array().expect("a list");
        let is_compared = |ground: &Value| ground["by"] == "comparison" && ground["compared"].is_string();
        assert!(grounds.iter().any(is_compared), "{report}");
        let named = grounds.iter().filter_map(|ground| ground["theorems"].as_array());
        named
            .flatten()
            .map(|name| name.as_str().expect("a name").to_owned())
            .collect()
    };
    let on_cpu = theorems("verify --scene uniform --count 500 --backend cpu --json -");
    let on_gpu = theorems("verify --scene uniform --count 500 --backend gpu --json -");
    for name in on_cpu.iter().chain(&on_gpu) {
        assert!(printed.contains(&format!("\nCheck {name}.\n")), "{name}");
    }
    let is_shaders = |name: &String| name.starts_with("f32_shader");
    assert!(on_cpu.len() > 8 && !on_cpu.iter().any(is_shaders), "{on_cpu:?}");
    assert!(on_gpu.iter().any(is_shaders), "{on_gpu:?}");
    let of_spheres = theorems("verify --scene spheres --count 500 --backend cpu --json -");
    let has = |names: &[String], name: &str| names.iter().any(|other| other == name);
    for name in &of_spheres {
        assert!(printed.contains(&format!("\nCheck {name}.\n")), "{name}");
    }
    assert!(has(&of_spheres, "balls_separated") && !has(&on_cpu, "balls_separated"));
    assert!(has(&on_cpu, "fifteen_axes") && !has(&of_spheres, "fifteen_axes"));
    let periodic = theorems("verify --scene uniform --count 200 --period 50,50,50 --backend cpu --json -");
    assert!(periodic.is_empty(), "{periodic:?}");
}

/// Checks a scene from disk, in tiles, within less memory than the scene takes in one piece.
#[test]
fn x1_a_scene_in_tiles_from_disk() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let boxes = Scene::Clusters.generate(20_000, 1);
    write_scene(&folder.path().join("scene.npy"), &boxes).expect("it can be written");
    let arguments =
        "check scene.npy --backend cpu --memory 600MB --tile-boxes 1500 --pairs pairs.npy --json report.json";
    let output = run(folder.path(), &arguments.split(' ').collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(0));
    let pairs = check(Backend::Cpu, &boxes);
    let flat: Vec<u32> = pairs.iter().flat_map(|pair| [pair.a, pair.b]).collect();
    assert!(flat.len() > 10_000 && npy_integers(&folder.path().join("pairs.npy")) == flat);
    let report = std::fs::read(folder.path().join("report.json")).expect("the file is there");
    let report: serde_json::Value = serde_json::from_slice(&report).expect("it is JSON");
    assert!(report["tiles"].as_u64() > Some(10), "{report}");
}

/// Draws one line for each scene, on axes with the numbers of boxes.
#[test]
fn x2_plots_of_benchmarks() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let arguments = "bench --backend cpu --scene crowd,bricks --count 100,1e3 --frames 1 --plot times.svg --quiet";
    let output = run(folder.path(), &arguments.split(' ').collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(0));
    let plot = std::fs::read_to_string(folder.path().join("times.svg")).expect("the file is there");
    for words in ["crowd", "bricks", "milliseconds", "\n100\n", "\n1k\n"] {
        assert!(plot.contains(words), "no {words:?} in {plot}");
    }
    assert_eq!(plot.matches("<circle").count(), 2 + 2 + 2, "{plot}");
}

#[test]
fn e11_benchmark_reports_verified_gpu_times() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let arguments =
        "bench --backend gpu --scene uniform,dense --count 1k,2k --frames 2 --csv times.csv --plot times.svg --json -";
    let output = run(folder.path(), &arguments.split(' ').collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(0));
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).expect("stdout is JSON");
    let rows = rows.as_array().expect("an array");
    let expected = [Scene::Uniform, Scene::Dense]
        .into_iter()
        .flat_map(|scene| [1_000, 2_000].map(|n| (scene, n)));
    assert_eq!(rows.len(), 4);
    let timed = adapters().first().is_some_and(|adapter| adapter.timestamps);
    for (row, (scene, count)) in rows.iter().zip(expected) {
        let pairs = colliding_pairs(&scene.generate(count, 1));
        assert_eq!(row["scene"], scene.name());
        assert_eq!(row["checksum"], format!("{:016x}", checksum(&pairs)), "{row}");
        assert_eq!(row["verified"]["passed"], true, "{row}");
        for stage in ["bounds", "plan", "sort", "pairs", "narrow"] {
            assert_eq!(row["gpu_ms"][stage].is_f64(), timed, "{stage} in {row}");
            assert_eq!(row["roofline_ratio"][stage].is_f64(), timed, "{stage} in {row}");
        }
    }
    let csv = std::fs::read_to_string(folder.path().join("times.csv")).expect("the file is there");
    assert_eq!(csv.lines().count(), 5);
    let plot = std::fs::read_to_string(folder.path().join("times.svg")).expect("the file is there");
    assert!(plot.contains(">\nuniform\n") && plot.contains(">\ndense\n"), "{plot}");
}

#[test]
fn x3_csv_npy_and_parquet_keep_every_bit() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let boxes = Scene::Mixed.generate(1_000, 1);
    for name in ["scene.csv", "scene.npy", "scene.parquet"] {
        let path = folder.path().join(name);
        write_scene(&path, &boxes).expect("it can be written");
        assert!(
            read_scene(&path, None).expect("it can be read").boxes == boxes,
            "{name}"
        );
        let pairs = check(Backend::Cpu, &boxes);
        let out = format!("pairs-{name}");
        let arguments = ["check", name, "--backend", "cpu", "--pairs", &out];
        assert_eq!(run(folder.path(), &arguments).status.code(), Some(0));
        let out = folder.path().join(out);
        let numbers = match name {
            "scene.npy" => npy_integers(&out),
            "scene.parquet" => {
                let read = read_pairs(&out).expect("it can be read");
                let texts = read.a.iter().zip(read.b.iter()).flat_map(|(a, b)| [a, b]);
                texts.map(|number| number.parse().expect("a number")).collect()
            }
            _ => {
                let text = std::fs::read_to_string(&out).expect("the file is there");
                let numbers = text.lines().skip(1).flat_map(|line| line.split(','));
                numbers.map(|number| number.parse().expect("a number")).collect()
            }
        };
        assert!(numbers == pairs.iter().flat_map(|pair| [pair.a, pair.b]).collect::<Vec<_>>());
    }
}

#[test]
fn e13_every_run_writes_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = compare(folder.path(), &["--json", "-"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("stdout is JSON");
    assert_eq!(report["passed"], true, "{report}");
    let engines = report["engines"].as_array().expect("a list");
    let of = |key: &str| -> Vec<&Value> { engines.iter().map(|engine| &engine[key]).collect() };
    assert_eq!(of("threads"), [1, 2, 4, 8].map(Value::from).each_ref());
    assert_eq!(of("lanes"), [4; 4].map(Value::from).each_ref());
    assert!(of("files").iter().all(|files| files.as_u64() > Some(30)), "{report}");
    assert!(of("digest").iter().all(|digest| *digest == of("digest")[0]), "{report}");
}

#[test]
fn e14_soak_finds_no_difference_on_either_backend() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for backend in ["cpu", "gpu"] {
        let arguments = [
            "soak",
            "--seed",
            "5",
            "--frames",
            "150",
            "--json",
            "-",
            "--backend",
            backend,
        ];
        let report = json(folder.path(), &arguments);
        assert_eq!(report["passed"], true, "{report}");
        assert_eq!(report["frames"], 150, "{report}");
        assert!(report["checks"].as_u64() >= Some(6), "{report}");
        assert_eq!(report["device_bytes"].as_u64() > Some(0), backend == "gpu", "{report}");
    }
}
