//! `obbligato sweep`.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use obbligato::glam::Vec3;
use obbligato::query::Sweep;
use obbligato::{
    Backend, Checker, Config, Pair,
    motion::{ImpactState, Impacts, Motion, MovingSet, Step},
    report::checksum,
};
use obbligato_files::{Ids, ReadOptions, SceneFile, read_scene_with, write_scene_file};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::scenes::Scene;
use serde_json::Value;

use super::program::{assert_failure, json, names, run, run_with_stdin, succeed, text};

const HEADER: &str = "a,b,time,state,nx,ny,nz,px,py,pz";

/// A bullet, the plate that it hits after 9.9945 ms, a box that overlaps the plate, and a box far
/// away.
const RANGE: &str = "id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,vx,az
70,-10,0,0,.005,.005,.005,0,0,0,1,1000,
5,0,0,0,.0005,1,1,0,0,0,1,,
9,0,0,1.5,.0005,1,1,0,0,0,1,0,
11,500,0,0,1,1,1,0,0,0,1,0,-9.81
";

/// Returns the time at which the bullet meets the plate, computed from the stored numbers.
fn true_time() -> f64 {
    (10.0 - f64::from(0.005f32) - f64::from(0.0005f32)) / 1000.0
}

/// A row of impacts.
#[derive(Debug, PartialEq)]
struct Row {
    a: String,
    b: String,
    time: f64,
    state: String,
    normal: [f64; 3],
    point: [f64; 3],
}

fn parse(table: &str) -> Vec<Row> {
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some(HEADER));
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |field: usize| fields[field].parse().expect("a number");
        assert_eq!(fields.len(), 10, "{line}");
        Row {
            a: fields[0].into(),
            b: fields[1].into(),
            time: number(2),
            state: fields[3].into(),
            normal: [4, 5, 6].map(number),
            point: [7, 8, 9].map(number),
        }
    };
    lines.map(row).collect()
}

fn rows(path: &Path) -> Vec<Row> {
    parse(&fs::read_to_string(path).expect("the file is there"))
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).expect("it is in memory");
    encoder.finish().expect("it is in memory")
}

#[test]
fn impacts_have_ids_and_normals_from_a_to_b() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("range.csv"), RANGE).expect("it can be written");
    fs::write(here.join("range.csv.gz"), gzip(RANGE)).expect("it can be written");
    for file in ["range.csv", "range.csv.gz"] {
        let arguments = ["sweep", file, "--dt", "0.0166", "--backend", "cpu"];
        let outputs = ["--impacts", "i.csv", "--json", "j.json"];
        let summary = succeed(here, &[&arguments[..], &outputs].concat());
        assert!(
            summary.contains("impacts          2, 1 of them from the start\n"),
            "{summary}"
        );
        let found = rows(&here.join("i.csv"));
        let [start, hit] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!(
            (&*start.a, &*start.b, &*start.state, start.time),
            ("5", "9", "start", 0.0)
        );
        assert_eq!((&*hit.a, &*hit.b, &*hit.state), ("5", "70", "impact"));
        assert!(hit.time <= true_time() && hit.time > true_time() - 1e-7, "{hit:?}");
        // The bullet is on the plate's negative side.
        assert!(
            (hit.normal[0] + 1.0).abs() < 1e-6 && hit.point[0].abs() < 1e-3,
            "{hit:?}"
        );

        let text = fs::read_to_string(here.join("j.json")).expect("the file is there");
        let report: Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(
            (&report["boxes"], &report["impacts"], &report["starting"]),
            (&4.into(), &2.into(), &1.into())
        );
        assert!(report["candidate_pairs"].as_u64() >= Some(2), "{report}");
        let pairs = [Pair { a: 5, b: 9 }, Pair { a: 5, b: 70 }];
        assert_eq!(report["checksum"], format!("{:016x}", checksum(&pairs)));
        assert_eq!(
            (&report["backend"], report["adapter"].is_string()),
            (&"cpu".into(), true)
        );
        assert!(
            ["load", "total"].iter().all(|key| report["timings_ms"][key].is_f64()),
            "{report}"
        );
    }
    assert_eq!(
        names(here),
        ["i.csv", "j.json", "range.csv", "range.csv.gz"]
            .map(String::from)
            .into()
    );
    // The check does not read the motions, not even the invalid ones.
    fs::write(here.join("nan.csv"), RANGE.replace(",1000,", ",NaN,fast")).expect("it can be written");
    let report = json(here, &["check", "nan.csv", "--backend", "cpu", "--json", "-"]);
    assert_eq!(report["colliding_pairs"], 1);
}

#[test]
fn results_go_to_stdout_and_scenes_come_from_stdin() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let arguments = ["sweep", "-", "--dt", "0.0166", "--backend", "cpu", "--impacts", "-"];
    let output = run_with_stdin(here, &[&arguments[..], &["--json", "j.json"]].concat(), RANGE);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(parse(text(&output.stdout)).len(), 2);
    let output = run_with_stdin(here, &[&arguments[..6], &["--json", "-"]].concat(), RANGE);
    let report: Value = serde_json::from_slice(&output.stdout).expect("stdout is JSON");
    assert_eq!(report["impacts"], 2);
    let output = run_with_stdin(here, &[&arguments[..], &["--json", "-"]].concat(), RANGE);
    assert_failure("both", &output, 2, "is named for two outputs");
    assert_eq!(names(here), ["j.json"].map(String::from).into());
    // Nothing moves in a step of no duration.
    let output = run_with_stdin(
        here,
        &["sweep", "-", "--dt", "0", "--backend", "cpu", "--impacts", "-"],
        RANGE,
    );
    let found = parse(text(&output.stdout));
    assert_eq!((found.len(), &*found[0].state), (1, "start"));
}

#[test]
fn ids_may_be_texts_and_rules_apply() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    // By bytes, "10" is before "9", and both before "b".
    let named = RANGE
        .replace("\n70,", "\n9,")
        .replace("\n9,0", "\nb,0")
        .replace("\n5,", "\n10,");
    fs::write(here.join("range.csv"), named.replace("id,", "guid,")).expect("it can be written");
    let arguments = [
        "sweep",
        "range.csv",
        "--dt",
        "1",
        "--id-column",
        "guid",
        "--backend",
        "cpu",
    ];
    let report = json(here, &[&arguments[..], &["--impacts", "i.csv", "--json", "-"]].concat());
    let found: Vec<_> = rows(&here.join("i.csv"))
        .into_iter()
        .map(|row| (row.a, row.b))
        .collect();
    assert_eq!(found, [("10", "b"), ("10", "9")].map(|(a, b)| (a.into(), b.into())));
    // The ranks of 10, 11, 9 and b.
    let pairs = [Pair { a: 0, b: 3 }, Pair { a: 0, b: 2 }];
    assert_eq!(report["checksum"], format!("{:016x}", checksum(&pairs)));

    for (rule, values, left) in [
        ("owner", ["1", "1", "2", ""], 1),
        ("world", ["0", "0", "1", "1"], 1),
        ("static", ["0", "1", "1", "0"], 1),
        ("memberships", ["1", "2", "1", "1"], 2),
    ] {
        let lines = RANGE.lines().zip([rule].into_iter().chain(values));
        let table: String = lines.map(|(line, value)| format!("{line},{value}\n")).collect();
        fs::write(here.join("ruled.csv"), table).expect("it can be written");
        let report = json(
            here,
            &["sweep", "ruled.csv", "--dt", "1", "--backend", "cpu", "--json", "-"],
        );
        assert_eq!(report["impacts"], left, "{rule}");
    }
}

#[test]
fn one_frame_of_several_is_named_by_rows_of_the_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let header = "frame,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,vy\n";
    let table = [
        header,
        "3,0,0,0,1,1,1,0,0,0,1,0\n4,0,5,0,1,1,1,0,0,0,1,-3\n4,0,0,0,1,1,1,0,0,0,1,\n",
    ]
    .concat();
    fs::write(here.join("frames.csv"), table).expect("it can be written");
    let sweep = [
        "sweep",
        "frames.csv",
        "--dt",
        "2",
        "--backend",
        "cpu",
        "--impacts",
        "i.csv",
    ];
    assert_failure("no frame", &run(here, &sweep), 2, "pick one with --frame");
    assert_eq!(names(here), ["frames.csv"].map(String::from).into());
    succeed(here, &[&sweep[..], &["--frame", "4"]].concat());
    let found = rows(&here.join("i.csv"));
    assert_eq!((found.len(), &*found[0].a, &*found[0].b), (1, "1", "2"));
    assert!(found[0].time <= 1.0 && found[0].time > 1.0 - 1e-5, "{found:?}");
    assert!((found[0].normal[1] + 1.0).abs() < 1e-6, "{found:?}");
}

/// Returns a thousand boxes in motion with unsorted ids.
fn moving_scene() -> SceneFile {
    let mut random = SplitMix(11);
    let mut vector = |most: f32| Vec3::from([0; 3].map(|_| (random.unit() * 2.0 - 1.0) as f32 * most));
    let boxes = Scene::Uniform.generate(1000, 5);
    let motions = boxes.iter().map(|_| Motion::linear(vector(9.0))).collect();
    let ids = (0..1000u32).map(|position| position * 7919 % 1009).collect::<Vec<_>>();
    SceneFile {
        boxes,
        ids: Some(Ids::Numbers(ids)),
        motions: Some(motions),
        ..SceneFile::default()
    }
}

fn swept(scene: &SceneFile, dt: f64) -> Impacts {
    let config = Config {
        backend: Backend::Cpu,
        ..Config::default()
    };
    let mut checker = Checker::new(config).expect("the CPU is always there");
    let motions = scene.motions.as_deref().unwrap_or_default();
    let mut set = MovingSet::new(scene.bodies(), motions).with(scene.rules());
    // Any numbers in the order of the ids are ranks.
    set.ranks = scene.ids.as_ref().and_then(Ids::numbers);
    checker
        .check(Sweep::new(set, &Step::new(dt)))
        .expect("the scene is sound")
}

#[test]
fn files_contain_what_the_library_finds() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let scene = moving_scene();
    let found = swept(&scene, 0.25);
    assert!(
        found.impacts.len() > 100 && found.starting() > 10,
        "{}",
        found.impacts.len()
    );
    write_scene_file(&here.join("s.csv"), &scene).expect("it can be written");
    let options = ReadOptions {
        motions: true,
        ..ReadOptions::default()
    };
    assert!(read_scene_with(&here.join("s.csv"), &options).expect("it can be read") == scene);
    let sweep = [
        "sweep",
        "s.csv",
        "--dt",
        "0.25",
        "--backend",
        "cpu",
        "--impacts",
        "i.csv",
        "--json",
        "-",
    ];
    let report = json(here, &sweep);
    let ids = |impact: &obbligato::motion::Impact| {
        let id = |position: u32| position * 7919 % 1009;
        Pair::new(id(impact.pair.a), id(impact.pair.b))
    };
    let pairs: Vec<Pair> = found.impacts.iter().map(ids).collect();
    assert_eq!(report["checksum"], format!("{:016x}", checksum(&pairs)));
    let mut expected: Vec<_> = found.impacts.iter().zip(&pairs).collect();
    expected.sort_by(|(x, p), (y, q)| x.first.time.total_cmp(&y.first.time).then(p.cmp(q)));
    let rows = rows(&here.join("i.csv"));
    assert_eq!(rows.len(), expected.len());
    for (row, (impact, pair)) in rows.iter().zip(expected) {
        let state = match impact.first.state {
            ImpactState::Start => "start",
            ImpactState::Impact => "impact",
        };
        assert_eq!((&row.a, &row.b), (&pair.a.to_string(), &pair.b.to_string()));
        assert_eq!((row.time.to_bits(), &*row.state), (impact.first.time.to_bits(), state));
        assert_eq!(row.point, impact.first.point.to_array());
        assert_eq!(row.normal, impact.first.normal.to_array());
    }

    expect_arrays(here, scene);
}

/// Asserts the results of a scene without ids, as an array of N x 16, and at rest, as N x 10.
fn expect_arrays(here: &Path, scene: SceneFile) {
    let plain = SceneFile { ids: None, ..scene };
    let found = swept(&plain, 0.25);
    write_scene_file(&here.join("s.npy"), &plain).expect("it can be written");
    let report = json(
        here,
        &["sweep", "s.npy", "--dt", "0.25", "--backend", "cpu", "--json", "-"],
    );
    assert_eq!(report["checksum"], format!("{:016x}", found.checksum()));
    let report = json(here, &["check", "s.npy", "--backend", "cpu", "--json", "-"]);
    assert_eq!(report["colliding_pairs"], found.starting());
    // At rest, as N x 10.
    let at_rest = SceneFile { motions: None, ..plain };
    write_scene_file(&here.join("r.npy"), &at_rest).expect("it can be written");
    let report = json(
        here,
        &["sweep", "r.npy", "--dt", "1e30", "--backend", "cpu", "--json", "-"],
    );
    assert_eq!(
        (&report["impacts"], &report["starting"]),
        (&found.starting().into(), &found.starting().into())
    );
}

/// Writes arrays with numbers that are not finite, of a wrong shape, and truncated.
fn write_bad_arrays(write: &dyn Fn(&str, &[u8])) {
    let npy = |shape: &str, numbers: &[f32]| {
        let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n");
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let length = (header.len() as u16).to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), &bytes].concat()
    };
    let row = [
        0.0,
        0.0,
        0.0,
        1.0,
        1.0,
        1.0,
        0.0,
        0.0,
        0.0,
        1.0,
        0.0,
        0.0,
        f32::INFINITY,
        0.0,
        0.0,
        0.0,
    ];
    write("nan.npy", &npy("(2, 16)", &[row, row].concat()));
    write("thirteen.npy", &npy("(1, 13)", &row[..13]));
    write("cut.npy", &npy("(2, 16)", &row));
}

/// Arguments, and words of the complaint about them.
const BAD_MOTION: [(&[&str], &str); 17] = [
    (&["range.csv"], "--dt"),
    (&["range.csv", "--dt", "-1"], "'-1' for '--dt <S>'"),
    (&["range.csv", "--dt", "NaN"], "a finite number from 0"),
    (&["range.csv", "--dt", "inf"], "a finite number from 0"),
    (&["range.csv", "--dt", "1e999"], "a finite number from 0"),
    (
        &["range.csv", "--dt", "1", "--tolerance", "0"],
        "a finite number above 0",
    ),
    (
        &["range.csv", "--dt", "1", "--tolerance", "-2"],
        "'-2' for '--tolerance <D>'",
    ),
    (
        &["range.csv", "--dt", "1", "--tolerance", "inf"],
        "a finite number above 0",
    ),
    (
        &["nan.csv", "--dt", "1"],
        "nan.csv: line 2 (id 70) has \"NaN\" in column vx instead of a finite number",
    ),
    (&["word.csv", "--dt", "1"], "line 5 (id 11) has \"down\" in column az"),
    (
        &["fast.csv", "--dt", "1"],
        "fast.csv: the motion of box 70 leads beyond",
    ),
    (&["twice.csv", "--dt", "1"], "two columns vx"),
    (
        &["nan.npy", "--dt", "1"],
        "nan.npy: row 0 has a number that is NaN or infinite, in its motion (2 bad rows in all)",
    ),
    (
        &["thirteen.npy", "--dt", "1"],
        "has shape (1, 13), not (N, 10) or (N, 16)",
    ),
    (
        &["cut.npy", "--dt", "1"],
        "is truncated: its shape is (2, 16) but only 1 of 2 rows",
    ),
    (&["nan.npy", "--dt", "1", "--frame", "1"], "has no frames"),
    (
        &["range.csv", "--dt", "1", "--impacts", "o.npy"],
        "o.npy: cannot hold impacts as NPY",
    ),
];

#[test]
fn bad_motion_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let write = |name: &str, content: &[u8]| fs::write(here.join(name), content).expect("it can be written");
    write("range.csv", RANGE.as_bytes());
    write("nan.csv", RANGE.replace(",1000,", ",NaN,").as_bytes());
    write("word.csv", RANGE.replace("-9.81", "down").as_bytes());
    write("fast.csv", RANGE.replace(",1000,", ",3e38,").as_bytes());
    write("twice.csv", RANGE.replace(",az", ",vx").as_bytes());
    write_bad_arrays(&write);
    let before = names(here);
    for (arguments, words) in BAD_MOTION {
        let outputs: &[&str] = match arguments.contains(&"--impacts") {
            true => &["--json", "j.json", "--backend", "cpu"],
            false => &["--impacts", "i.csv", "--json", "j.json", "--backend", "cpu"],
        };
        let output = run(here, &[&["sweep"], arguments, outputs].concat());
        assert_failure(words, &output, 2, words);
        assert_eq!(names(here), before, "{words}");
    }
}
