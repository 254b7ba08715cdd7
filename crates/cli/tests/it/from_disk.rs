//! Tests `check --memory`: from disk, within the memory limit, and resumed after a kill.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use obbligato::glam::Vec3;
use obbligato::{Obb, Pair, report::checksum};
use obbligato_files::{Ids, SceneFile, write_scene, write_scene_file};
use serde_json::Value;

use super::program::{assert_failure, command, json, names, run, succeed, text};
use crate::processes::status_of;

/// Returns the peak memory of a process, in bytes, while it runs to its end.
fn peak_of(command: &mut Command) -> u64 {
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().expect("it is ours").is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
        peak = peak.max(1024 * kilobytes.unwrap_or_default());
        sleep(Duration::from_millis(5));
    }
    assert!(status_of(&mut child).success());
    peak
}

#[test]
fn it_finds_the_pairs_of_a_check_in_memory() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    succeed(here, &["generate", "dense", "--count", "20k", "--out", "s.parquet"]);
    let in_memory = json(
        here,
        &[
            "check",
            "s.parquet",
            "--backend",
            "cpu",
            "--pairs",
            "p.csv",
            "--json",
            "-",
        ],
    );
    for (tile, out) in [("3k", "q.csv"), ("500", "q.npy"), ("7k", "q.parquet")] {
        let arguments = [
            "--quiet",
            "check",
            "s.parquet",
            "--backend",
            "cpu",
            "--memory",
            "1GB",
            "--tile-boxes",
            tile,
        ];
        let from_disk = json(here, &[&arguments[..], &["--pairs", out, "--json", "-"]].concat());
        expect_alike(&from_disk, &in_memory, tile);
    }
    assert!(fs::read(here.join("p.csv")).expect("there") == fs::read(here.join("q.csv")).expect("there"));
    succeed(here, &["check", "s.parquet", "--backend", "cpu", "--pairs", "p.npy"]);
    assert!(fs::read(here.join("p.npy")).expect("there") == fs::read(here.join("q.npy")).expect("there"));
    let changes = [
        "--quiet",
        "check",
        "s.parquet",
        "--backend",
        "cpu",
        "--baseline",
        "q.parquet",
        "--json",
        "-",
    ];
    let compared = json(here, &changes);
    assert_eq!(compared["kept"], in_memory["colliding_pairs"]);
    assert_eq!((&compared["new"], &compared["gone"]), (&0.into(), &0.into()));
    // The folder of the work is gone.
    let left = ["p.csv", "p.npy", "q.csv", "q.npy", "q.parquet", "s.parquet"];
    assert_eq!(names(here), left.map(String::from).into());
}

/// Asserts that the report of a check from disk has the numbers of one in memory, and all times.
fn expect_alike(from_disk: &Value, in_memory: &Value, tile: &str) {
    for key in [
        "boxes",
        "colliding_pairs",
        "touching_pairs",
        "checksum",
        "precision",
        "complete",
        "backend",
    ] {
        assert_eq!(from_disk[key], in_memory[key], "{key}, {tile}");
    }
    assert!(from_disk["tiles"].as_u64() > Some(2), "{from_disk}");
    for step in [
        "load", "upload", "bounds", "broad", "narrow", "exact", "readback", "total",
    ] {
        assert!(from_disk["timings_ms"][step].is_f64(), "{step} in {from_disk}");
    }
}

#[test]
fn it_resumes_after_being_killed_at_any_moment() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    succeed(here, &["generate", "clusters", "--count", "300k", "--out", "s.npy"]);
    let arguments = [
        "--quiet",
        "check",
        "s.npy",
        "--backend",
        "cpu",
        "--memory",
        "512MiB",
        "--tile-boxes",
        "20k",
        "--pairs",
        "p.npy",
        "--json",
        "j.json",
    ];
    let start = Instant::now();
    succeed(here, &arguments);
    let mut taken = start.elapsed();
    let expected = [fs::read(here.join("p.npy")).expect("there"), strip_times(here)];
    let mut killed = 0;
    while killed < 10 {
        fs::remove_file(here.join("p.npy")).expect("there");
        let mut child = command(here, &arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        sleep(taken * (killed + 1) / 11);
        // SIGKILL: it cannot clean up.
        child.kill().expect("it is ours");
        if status_of(&mut child).success() {
            // It was faster than the first time.
            taken = taken * 9 / 10;
            continue;
        }
        killed += 1;
        succeed(here, &arguments);
        assert!(
            [fs::read(here.join("p.npy")).expect("there"), strip_times(here)] == expected,
            "moment {killed}"
        );
        assert_eq!(
            names(here),
            ["j.json", "p.npy", "s.npy"].map(String::from).into(),
            "moment {killed}"
        );
    }
}

/// Killed after it made its folder and before it recorded a plan, with an empty list and without.
#[test]
fn it_leaves_nothing_if_killed_before_it_begins() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    succeed(here, &["generate", "uniform", "--count", "2k", "--out", "s.npy"]);
    for has_list in [false, true] {
        let own = here.join("s.npy.work/obbligato-work");
        fs::create_dir_all(&own).expect("it is made");
        if has_list {
            fs::write(own.join("list"), "").expect("it is written");
        }
        let arguments = [
            "--quiet",
            "check",
            "s.npy",
            "--backend",
            "cpu",
            "--memory",
            "512MiB",
            "--pairs",
            "p.npy",
        ];
        succeed(here, &arguments);
        assert_eq!(names(here), ["p.npy", "s.npy"].map(String::from).into(), "{has_list}");
        // A folder that existed before is kept.
        fs::create_dir(here.join("mine")).expect("it is made");
        succeed(here, &[&arguments[..], &["--work", "mine"]].concat());
        assert_eq!(
            names(here),
            ["mine", "p.npy", "s.npy"].map(String::from).into(),
            "{has_list}"
        );
        fs::remove_dir(here.join("mine")).expect("it is empty");
    }
}

/// Returns the JSON without the parts that differ from run to run.
fn strip_times(here: &Path) -> Vec<u8> {
    let text = fs::read(here.join("j.json")).expect("it is there");
    let mut value: serde_json::Value = serde_json::from_slice(&text).expect("it is JSON");
    for key in [
        "timings_ms",
        "tiles_before",
        "adapter",
        "backend",
        "driver",
        "broad_phase",
    ] {
        value.as_object_mut().expect("an object").remove(key);
    }
    value.to_string().into_bytes()
}

#[test]
fn it_stays_below_the_memory_limit() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    // In memory this takes twice as much.
    succeed(here, &["generate", "dense", "--count", "4M", "--out", "s.npy"]);
    let check = ["check", "s.npy", "--backend", "cpu"];
    let in_memory = peak_of(&mut command(here, &[&check[..], &["--pairs", "p.npy"]].concat()));
    assert!(in_memory > 700 << 20, "{in_memory} bytes: the test shows little");
    let from_disk = peak_of(&mut command(
        here,
        &[&check[..], &["--memory", "512MiB", "--pairs", "p.npy"]].concat(),
    ));
    assert!(from_disk < 512 << 20, "{from_disk} bytes");
    let least = peak_of(&mut command(
        here,
        &[&check[..], &["--memory", "256MB", "--pairs", "p.npy"]].concat(),
    ));
    assert!(least < 256_000_000, "{least} bytes");
    // Compressed columns, read by more threads than there is memory for at once.
    succeed(here, &["generate", "dense", "--count", "1M", "--out", "s.parquet"]);
    let check = [
        "check",
        "s.parquet",
        "--backend",
        "cpu",
        "--memory",
        "256MB",
        "--pairs",
        "p.npy",
    ];
    let many = peak_of(command(here, &check).env("RAYON_NUM_THREADS", "24"));
    assert!(many < 256_000_000, "{many} bytes");
}

#[test]
fn unsupported_options_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    succeed(here, &["generate", "uniform", "--count", "1k", "--out", "s.npy"]);
    succeed(here, &["generate", "uniform", "--count", "1k", "--out", "s.csv"]);
    let refused = |arguments: &[&str], words: &str| {
        let output = run(here, &[&["--quiet", "check"], arguments].concat());
        assert_failure(&arguments.join(" "), &output, 2, words);
    };
    let output = run(
        here,
        &[
            "check",
            "s.npy",
            "--backend",
            "cpu",
            "--memory",
            "1GB",
            "--tile-boxes",
            "300",
        ],
    );
    assert_eq!(output.status.code(), Some(0));
    let [said, shown] = [&output.stderr, &output.stdout].map(|bytes| text(bytes));
    assert!(
        said.contains("1_000 boxes in 4 tiles need 0.0 MB on disk, where") && said.contains("are free (s.npy.work)"),
        "{said}"
    );
    assert!(
        shown.contains("\ntiles            4\n") && shown.contains("with reading and writing"),
        "{shown}"
    );
    refused(&["s.csv", "--memory", "1GB"], "give the scene as .npy or .parquet");
    refused(&["s.npy", "--memory", "much"], "expected bytes such as 4GB");
    refused(&["s.npy", "--memory", "1GB", "--contacts", "c.csv"], "--contacts");
    refused(&["s.npy", "--work", "here"], "--memory");
    refused(&["s.npy", "--memory", "1GB", "--tile-boxes", "0"], "from 1");
    refused(&["s.npy", "--memory", "100MB"], "at least 256MB");
    // Rejected arguments leave nothing behind, nor does bad input.
    succeed(here, &["generate", "uniform", "--count", "1k", "--out", "bad.npy"]);
    let mut bad = fs::read(here.join("bad.npy")).expect("it is there");
    let end = bad.len();
    bad[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    fs::write(here.join("bad.npy"), bad).expect("it can be written");
    refused(&["bad.npy", "--memory", "1GB"], "row 999");
    refused(&["s.npy", "--memory", "1GB", "--margin", "-1"], "margin");
    let before = names(here);
    assert!(!before.iter().any(|name| name.contains("work")), "{before:?}");
    // An output at the place of the work.
    refused(
        &["s.npy", "--memory", "1GB", "--json", "s.npy.work"],
        "is also the folder of the work",
    );
    refused(
        &["s.npy", "--memory", "1GB", "--work", "w", "--json", "./w"],
        "is also the folder of the work",
    );
    refused(
        &["s.npy", "--memory", "1GB", "--work", "s.npy"],
        "is both an input and the folder of the work",
    );
    assert_eq!(names(here), before);
}

/// A check in a folder that holds its input, its results, and the files of others, with names like
/// those of its work.
#[test]
fn inputs_and_outputs_may_share_the_work_folder() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let own = here.join("obbligato-work");
    fs::create_dir(&own).expect("a folder");
    let scene = ["generate", "dense", "--count", "5k", "--out"];
    succeed(here, &[&scene[..], &["part-7.npy"]].concat());
    succeed(here, &[&scene[..], &["obbligato-work/part-000000.npy"]].concat());
    fs::write(here.join("tile-1.json"), "mine").expect("it can be written");
    fs::write(own.join("thesis.unfinished"), "mine").expect("it can be written");
    let check = ["--quiet", "check", "--backend", "cpu", "--pairs"];
    succeed(here, &[&check[..], &["expected.csv", "part-7.npy"]].concat());
    let from_disk = ["--memory", "256MB", "--work", ".", "--tile-boxes", "500"];
    for input in ["part-7.npy", "obbligato-work/part-000000.npy"] {
        for out in [
            "pairs-1.csv",
            "obbligato-work/pairs-000000.csv",
            "obbligato-work/list.csv",
        ] {
            let json = format!("{out}.unfinished");
            let outputs = [out, input, "--json", &json];
            succeed(here, &[&check[..], &outputs, &from_disk].concat());
            let read = |name: &str| fs::read(here.join(name)).expect("it is there");
            assert!(read(out) == read("expected.csv"), "{out}");
            assert!(read(&json).starts_with(b"{"), "{out}");
        }
    }
    let left = [
        "obbligato-work",
        "part-7.npy",
        "tile-1.json",
        "expected.csv",
        "pairs-1.csv",
        "pairs-1.csv.unfinished",
    ];
    assert_eq!(names(here), left.map(String::from).into());
    let left = ["part-000000.npy", "thesis.unfinished", "pairs-000000.csv", "list.csv"].map(String::from);
    let json = ["pairs-000000.csv.unfinished", "list.csv.unfinished"].map(String::from);
    assert_eq!(names(&own), left.into_iter().chain(json).collect());
}

/// The smallest memory limit suffices, whatever the ids, and so does every amount that an error
/// names.
#[test]
fn small_scenes_take_little_memory() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let scene = SceneFile {
        boxes: vec![Obb::axis_aligned(Vec3::ZERO, Vec3::ONE); 6],
        ids: Some(Ids::Numbers(vec![5, u32::MAX, 0, 1 << 31, 77, 1])),
        ..SceneFile::default()
    };
    write_scene_file(&here.join("six.parquet"), &scene).expect("it can be written");
    let check = [
        "--quiet",
        "check",
        "six.parquet",
        "--backend",
        "cpu",
        "--pairs",
        "p.csv",
        "--memory",
    ];
    let said = run(here, &[&check[..], &["much"]].concat());
    let said = text(&said.stderr).trim_end().to_owned();
    let named: Vec<&str> = said
        .rsplit(" such as ")
        .next()
        .expect("a word")
        .split([' ', ',', ';'])
        .collect();
    let named: Vec<&str> = named.into_iter().filter(|word| word.ends_with('B')).collect();
    assert_eq!(named.len(), 3, "{said}");
    for memory in named.into_iter().chain(["256MB", "256000000", "0.25GiB"]) {
        succeed(here, &[&check[..], &[memory]].concat());
        let pairs = fs::read_to_string(here.join("p.csv")).expect("there");
        assert_eq!(pairs.lines().count(), 1 + 15, "{memory}");
        assert!(pairs.ends_with("2147483648,4294967295\n"), "{memory}: {pairs}");
    }
}

/// Boxes in one place, which no plane separates, have more pairs than fit into memory: they are
/// counted in pieces.
#[test]
fn counts_need_no_memory_for_pairs() {
    const BOXES: u32 = 16_000;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let pile = vec![Obb::axis_aligned(Vec3::ONE, Vec3::ONE); BOXES as usize];
    write_scene(&here.join("pile.npy"), &pile).expect("it can be written");
    // 128 million pairs, of 8 bytes each.
    let arguments = [
        "--quiet",
        "check",
        "pile.npy",
        "--backend",
        "cpu",
        "--memory",
        "600MB",
        "--json",
        "-",
    ];
    let found = json(here, &arguments);
    let pairs = u64::from(BOXES) * u64::from(BOXES - 1) / 2;
    assert_eq!(
        (&found["colliding_pairs"], &found["touching_pairs"]),
        (&pairs.into(), &0.into())
    );
    let of_row = |a: u32| (a + 1..BOXES).map(|b| Pair { a, b }).collect::<Vec<_>>();
    let sums = (0..BOXES).map(|a| checksum(&of_row(a)));
    let sum = sums.fold(0, u64::wrapping_add);
    assert_eq!(found["checksum"], format!("{sum:016x}"));
}
