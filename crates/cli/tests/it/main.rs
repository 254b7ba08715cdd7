//! Drives the program as a user does, mostly on the CPU backend.

mod against;
mod approach;
mod bad_input;
mod bcf;
mod bcf_format;
mod bench;
mod clash_rules;
mod clashes;
mod contacts;
#[cfg(target_os = "linux")]
mod damaged;
mod determinism;
#[cfg(unix)]
mod docs;
mod exactness;
#[cfg(target_os = "linux")]
mod faults;
mod features;
mod fit;
#[cfg(target_os = "linux")]
mod foreign_text;
mod frames;
#[cfg(target_os = "linux")]
mod from_disk;
#[cfg(target_os = "linux")]
mod full_disks;
mod help;
mod html;
mod manual;
#[cfg(target_os = "linux")]
mod memory;
mod mesh;
mod neighbours;
#[cfg(unix)]
mod on_disk;
mod outputs;
mod period;
mod plane;
mod positions64;
#[path = "../../../../tests/it/support/processes.rs"]
mod processes;
mod program;
mod progress;
mod quoted;
mod render;
mod room;
mod shapes;
mod shell;
#[cfg(target_os = "linux")]
mod signals;
mod soak;
mod solids;
mod sweep;
mod threads;
mod track;
mod verified;
mod volumes;

use std::{fs, path::Path, process::Stdio};

use obbligato::{Backend, Checker, Config, Obb, Pair, report::checksum};
use obbligato_files as files;
use obbligato_verify::{compare as verify, scenes::Scene};
use program::{COMMANDS, THREE, assert_failure, command, json, names, run, run_with_stdin, succeed, text};
use serde_json::Value;

use crate::processes::ended;

/// Returns the pairs that the library finds on the CPU, after comparing them with its reference.
fn colliding_pairs(boxes: &[Obb]) -> Vec<Pair> {
    let config = Config {
        backend: Backend::Cpu,
        ..Config::default()
    };
    let mut checker = Checker::new(config).expect("the CPU is always there");
    let pairs = checker
        .check(boxes)
        .expect("the scene is sound")
        .into_pairs()
        .expect("asked for");
    assert!(verify::verify_all(boxes, &pairs).passed());
    pairs
}

/// Returns the numbers of a CSV file of two columns after its header.
fn two_columns(path: &Path, header: &str) -> Vec<(u32, u32)> {
    let content = fs::read_to_string(path).expect("the file is there");
    let mut lines = content.lines();
    assert_eq!(lines.next(), Some(header));
    let number = |text: &str| text.parse().expect("a number");
    lines
        .map(|line| line.split_once(',').expect("two columns"))
        .map(|(a, b)| (number(a), number(b)))
        .collect()
}

/// Returns the numbers of an NPY file of 32-bit integers.
fn npy_integers(path: &Path) -> Vec<u32> {
    let bytes = fs::read(path).expect("the file is there");
    assert!(bytes.starts_with(b"\x93NUMPY\x01\x00"), "{}", path.display());
    let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert!(
        text(&bytes[10..header]).contains("'<u4'"),
        "{}",
        text(&bytes[10..header])
    );
    let values = bytes[header..].chunks_exact(4);
    values
        .map(|value| u32::from_le_bytes(value.try_into().expect("four bytes")))
        .collect()
}

#[test]
fn help_shows_examples() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for command in [""].into_iter().chain(COMMANDS) {
        for help in ["-h", "--help"] {
            let arguments: Vec<&str> = [command, help].into_iter().filter(|word| !word.is_empty()).collect();
            let shown = succeed(folder.path(), &arguments);
            let example = format!("\n  {}", ["obbligato", command].join(" ").trim());
            assert!(
                shown.contains("Example") && shown.contains(&example),
                "{arguments:?}: {shown}"
            );
        }
    }
    assert_eq!(
        succeed(folder.path(), &["--version"]),
        concat!("obbligato ", env!("CARGO_PKG_VERSION"), "\n")
    );
}

#[test]
fn check_writes_ids_in_every_result() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("three.csv"), THREE).expect("it can be written");
    let arguments = [
        "check",
        "three.csv",
        "--backend",
        "cpu",
        "--pairs",
        "p.csv",
        "--marks",
        "m.csv",
        "--rows",
        "r",
    ];
    let summary = succeed(here, &[&arguments[..], &["--json", "j.json"]].concat());
    assert!(
        summary.contains("colliding pairs  1, 0 of them only touch\n"),
        "{summary}"
    );
    assert_eq!(two_columns(&here.join("p.csv"), "a,b"), [(5, 70)]);
    assert_eq!(two_columns(&here.join("m.csv"), "id,degree"), [(70, 1), (5, 1), (9, 0)]);
    assert_eq!(npy_integers(&here.join("r.offsets.npy")).len(), 4);
    assert_eq!(npy_integers(&here.join("r.neighbours.npy")).len(), 2);
    let expected = [
        "j.json",
        "m.csv",
        "p.csv",
        "r.neighbours.npy",
        "r.offsets.npy",
        "three.csv",
    ];
    assert_eq!(names(here), expected.map(String::from).into(), "no partial files stay");

    let report: Value =
        serde_json::from_slice(&fs::read(here.join("j.json")).expect("the file is there")).expect("it is JSON");
    assert_eq!(report["boxes"], 3);
    assert_eq!(report["colliding_pairs"], 1);
    assert_eq!(
        report["checksum"],
        format!("{:016x}", checksum(&[Pair { a: 5, b: 70 }]))
    );
}

#[test]
fn checks_of_generated_scenes_match_the_reference() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    for (scene, file) in [(Scene::Dense, "s.npy"), (Scene::Mixed, "s.csv")] {
        succeed(
            here,
            &[
                "generate",
                scene.name(),
                "--count",
                "1.5k",
                "--seed",
                "3",
                "--out",
                file,
            ],
        );
        let arguments = [
            "check",
            file,
            "--backend",
            "cpu",
            "--pairs",
            "p.npy",
            "--marks",
            "m.npy",
            "--rows",
            "r",
        ];
        let report = json(here, &[&arguments[..], &["--json", "-"]].concat());
        let expected = colliding_pairs(&scene.generate(1500, 3));
        assert!(expected.len() > 100, "a scene without pairs shows nothing");

        let flat: Vec<u32> = expected.iter().flat_map(|pair| [pair.a, pair.b]).collect();
        assert!(npy_integers(&here.join("p.npy")) == flat, "{scene:?}");
        let degrees = obbligato::report::degrees(1500, &expected);
        assert!(npy_integers(&here.join("m.npy")) == degrees, "{scene:?}");
        let offsets = npy_integers(&here.join("r.offsets.npy"));
        assert_eq!(offsets.len(), 1501);
        assert!(
            offsets
                .windows(2)
                .zip(&degrees)
                .all(|(pair, &degree)| pair[1] - pair[0] == degree)
        );
        assert_eq!(npy_integers(&here.join("r.neighbours.npy")).len(), 2 * expected.len());
        assert_eq!(report["colliding_pairs"], expected.len());
        assert_eq!(report["checksum"], format!("{:016x}", checksum(&expected)));
    }
}

#[test]
fn the_json_of_check_has_every_key() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = run_with_stdin(folder.path(), &["check", "-", "--backend", "cpu", "--json", "-"], THREE);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("stdout is JSON");
    for key in ["boxes", "candidate_pairs", "colliding_pairs"] {
        assert!(report[key].is_u64(), "{key} in {report}");
    }
    for key in ["touching_pairs", "undecided_pairs", "driver"] {
        assert!(
            report.as_object().is_some_and(|keys| keys.contains_key(key)),
            "{key} in {report}"
        );
    }
    assert_eq!(report["checksum"].as_str().map(str::len), Some(16));
    assert_eq!(report["complete"], true);
    assert_eq!(report["backend"], "cpu");
    assert!(
        report["adapter"].is_string() && report["precision"].is_string(),
        "{report}"
    );
    for step in [
        "load", "upload", "bounds", "broad", "narrow", "exact", "readback", "total",
    ] {
        assert!(report["timings_ms"][step].is_f64(), "{step} in {report}");
    }
}

#[test]
fn counts_have_singular_and_plural_words() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (count, words) in [("1", "1 box"), ("2", "2 boxes"), ("1000", "1_000 boxes")] {
        let printed = succeed(
            folder.path(),
            &["generate", "crowd", "--count", count, "--out", "scene.csv"],
        );
        assert!(printed.starts_with(&format!("wrote {words} of ")), "{printed}");
    }
    fs::write(folder.path().join("three.csv"), THREE).expect("it can be written");
    let printed = succeed(folder.path(), &["verify", "three.csv", "--backend", "cpu"]);
    assert!(
        printed.contains("3 boxes") && printed.contains("1 pair ") && !printed.contains("1 pairs"),
        "{printed}"
    );
}

#[test]
fn verify_passes_and_detects_a_fault() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let scene = ["verify", "--backend", "cpu", "--scene", "dense", "--count"];
    let report = succeed(here, &[&scene[..], &["2k"]].concat());
    assert!(report.contains("passed"), "{report}");
    assert!(names(here).is_empty(), "nothing failed");

    // The last two have no pair to lose.
    for count in ["2k", "1", "0"] {
        let arguments = [&scene[..], &[count, "--inject-fault"]].concat();
        let output = run(here, &arguments);
        assert_failure(count, &output, 1, "obbligato-failure.npy");
        assert!(text(&output.stdout).contains("FAILED"), "{}", text(&output.stdout));
    }
    let output = run(
        here,
        &[&scene[..], &["2k", "--inject-fault", "--replay-out", "r.csv"]].concat(),
    );
    assert_failure("replay", &output, 1, "obbligato verify r.csv");
    assert_eq!(names(here), ["obbligato-failure.npy", "r.csv"].map(String::from).into());
    let replayed = succeed(here, &["verify", "r.csv", "--backend", "cpu"]);
    assert!(replayed.contains("2_000 boxes"), "{replayed}");
}

#[test]
fn a_replay_keeps_ids_groups_and_rules() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let header = "frame,id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,memberships,filter,owner,world,static";
    let rows = [
        "1,50,0,0,0,1,1,1,0,0,0,1,3,3,,0,0",
        "2,70,0,0,0,1,1,1,0,0,0,1,1,3,8,0,0",
        "2,5,1,1,1,1,1,1,0,0,0,1,3,1,,0,1",
        "2,9,0,1,0,1,1,1,0,0,0,1,3,3,8,6,1",
    ];
    fs::write(here.join("ruled.csv"), format!("{header}\n{}\n", rows.join("\n"))).expect("it can be written");
    let verify = ["verify", "ruled.csv", "--frame", "2", "--backend", "cpu"];
    let passed = succeed(here, &verify);
    let ids = [(5, 9), (5, 70), (9, 70)].map(|(a, b)| Pair { a, b });
    assert!(
        passed.contains(&format!("checksum {:016x}", checksum(&ids))),
        "{passed}"
    );

    let output = run(here, &[&verify[..], &["--inject-fault"]].concat());
    assert_failure("fault", &output, 1, "obbligato verify obbligato-failure.csv");
    let report = text(&output.stdout);
    let removed = ids
        .iter()
        .find(|Pair { a, b }| report.contains(&format!("fault injected: removed pair ({a}, {b})\n")));
    let Pair { a, b } = removed.expect("one of the pairs");
    assert!(report.contains(&format!("\n  pair ({a}, {b}) missing")), "{report}");
    assert!(
        report.contains(&format!("\n  box {b} has 2 partners, 1 found")),
        "{report}"
    );
    let original = files::read_scene(&here.join("ruled.csv"), Some(2)).expect("it can be read");
    let replay = files::read_scene(&here.join("obbligato-failure.csv"), None).expect("it can be read");
    assert_eq!(replay, original);

    let output = run(here, &[&verify[..], &["--replay-out", "r.npy"]].concat());
    assert_failure("npy", &output, 2, "r.npy: cannot hold the ids, groups and rules");
}

#[test]
fn equal_arguments_give_equal_bytes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    for (out, seed) in [("a.npy", "7"), ("b.npy", "7"), ("c.npy", "8")] {
        succeed(
            here,
            &["generate", "crowd", "--count", "2_000", "--seed", seed, "--out", out],
        );
        succeed(
            here,
            &["check", out, "--backend", "cpu", "--pairs", &format!("{out}.csv")],
        );
    }
    let bytes = |name: &str| fs::read(here.join(name)).expect("the file is there");
    assert!(bytes("a.npy") == bytes("b.npy"));
    assert!(bytes("a.npy.csv") == bytes("b.npy.csv"));
    assert!(bytes("a.npy") != bytes("c.npy"));
    assert!(bytes("a.npy.csv") != bytes("c.npy.csv"));
}

#[test]
fn an_empty_scene_has_no_pairs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    for file in ["s.csv", "s.npy"] {
        succeed(here, &["generate", "uniform", "--count", "0", "--out", file]);
        let report = json(
            here,
            &["check", file, "--backend", "cpu", "--pairs", "p.csv", "--json", "-"],
        );
        assert_eq!(report["boxes"], 0);
        assert_eq!(report["colliding_pairs"], 0);
        assert_eq!(report["checksum"], "0000000000000000");
        assert_eq!(two_columns(&here.join("p.csv"), "a,b"), []);
    }
}

#[test]
fn a_closed_pipe_ends_the_program_quietly() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("three.csv"), THREE).expect("it can be written");
    let bench = [
        "--backend",
        "cpu",
        "--scene",
        "uniform",
        "--count",
        "10",
        "--frames",
        "1",
    ];
    let check = ["check", "three.csv", "--backend", "cpu", "--json", "-"];
    for arguments in [&["--help"][..], &bench, &check] {
        let mut child = command(folder.path(), arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(child.stdout.take());
        let output = ended(child);
        assert_eq!(text(&output.stderr), "", "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("three.csv"), THREE).expect("it can be written");
    let full = || {
        fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .expect("the device is there")
    };
    let child = command(here, &["check", "three.csv", "--backend", "cpu"])
        .stdout(full())
        .stderr(Stdio::piped())
        .spawn();
    assert_failure("stdout", &ended(child.expect("it starts")), 2, "stdout");
    // Through links, so that a program that replaced its output would not replace the devices of
    // this machine.
    for device in ["full", "null"] {
        std::os::unix::fs::symlink(format!("/dev/{device}"), here.join(device)).expect("a link");
    }
    let output = run(here, &["check", "three.csv", "--backend", "cpu", "--json", "full"]);
    assert_failure("a device", &output, 2, "full: cannot be written");
    assert_eq!(
        succeed(here, &["check", "three.csv", "--backend", "cpu", "--json", "null"])
            .lines()
            .count(),
        8
    );
}
