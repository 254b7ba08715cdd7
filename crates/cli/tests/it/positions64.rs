//! Tests `--f64`: centers in `f64`, from text and from NPY.

use std::{fs, path::Path};

use obbligato::glam::DVec3;
use obbligato_files as files;
use obbligato_files::{ReadOptions, read_scene_with, write_scene_file};

use super::program::{assert_failure, json, run, succeed};
use super::{npy_integers, two_columns};

const HEADER: &str = "id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw";

/// Cubes in a row 4,000 km away, which touch, are a millimetre apart, and overlap by a millimetre.
const ROW: &str = "70,4000000.1,-5e6,0.5,0.5,0.5,0.5,0,0,0,1
5,4000001.1,-5e6,0.5,0.5,0.5,0.5,0,0,0,1
9,4000002.101,-5e6,0.5,0.5,0.5,0.5,0,0,0,1
11,4000003.1,-5e6,0.5,0.5,0.5,0.5,0,0,0,1
";

fn write(folder: &Path, name: &str, rows: &str) {
    fs::write(folder.join(name), format!("{HEADER}\n{rows}")).expect("it can be written");
}

fn check<'a>(file: &'a str, words: &'a str) -> Vec<&'a str> {
    let arguments = ["check", file, "--backend", "cpu"].into_iter();
    arguments.chain(words.split_whitespace()).collect()
}

/// Returns an NPY file of `float64` by the format's definition.
fn npy(rows: &[[f64; 10]], columns: usize) -> Vec<u8> {
    let shape = format!("({}, {columns})", rows.len() * 10 / columns);
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
    header += &" ".repeat(64 - (11 + header.len()) % 64);
    header.push('\n');
    let length = (header.len() as u16).to_le_bytes();
    let numbers = rows.iter().flatten().flat_map(|number| number.to_le_bytes());
    let data: Vec<u8> = numbers.collect();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), &data].concat()
}

#[test]
fn millimetres_on_a_map() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    write(here, "row.csv", ROW);
    let report = json(here, &check("row.csv", "--f64 --pairs p.csv --marks m.npy --json -"));
    // 4000001.1 - 4000000.1 is slightly more than 1 in f64: only the stored numbers count.
    let numbers: Vec<f64> = ["4000000.1", "4000001.1", "4000002.101", "4000003.1"]
        .map(|text| text.parse().expect("a number"))
        .to_vec();
    let expected: Vec<(u32, u32)> = [(0, 1, (5, 70)), (1, 2, (5, 9)), (2, 3, (9, 11))]
        .into_iter()
        .filter(|&(a, b, _)| numbers[b] - numbers[a] <= 1.0)
        .map(|(_, _, ids)| ids)
        .collect();
    assert!(
        expected.contains(&(9, 11)) && !expected.contains(&(5, 9)),
        "{expected:?}"
    );
    assert_eq!(two_columns(&here.join("p.csv"), "a,b"), expected);
    assert_eq!(npy_integers(&here.join("m.npy"))[2], 1);
    for (key, value) in [("boxes", 4), ("colliding_pairs", expected.len())] {
        assert_eq!(report[key], value, "{report}");
    }
    assert_eq!(
        (&report["backend"], &report["precision"]),
        (&"cpu".into(), &"exact".into())
    );
    // In f32 the second and the third touch, or worse.
    succeed(here, &check("row.csv", "--pairs p.csv"));
    assert!(two_columns(&here.join("p.csv"), "a,b").contains(&(5, 9)));
    // The gap of a millimetre, and its ends.
    let words = "--f64 --margin 0.002 --where a.id!=70,b.id!=70 --distances d.csv --json -";
    let report = json(here, &check("row.csv", words));
    assert_eq!(
        (&report["near_pairs"], &report["colliding_pairs"]),
        (&1.into(), &2.into()),
        "{report}"
    );
    let rows = fs::read_to_string(here.join("d.csv")).expect("the file is there");
    let near: Vec<&str> = rows.lines().nth(1).expect("a row").split(',').collect();
    let number = |k: usize| near[k].parse::<f64>().expect("a number");
    assert_eq!(near[..2], ["5", "9"]);
    assert!(
        (number(2) - 0.001).abs() < 1e-8 && number(3) == 4_000_001.6 && number(6) == 4_000_001.601,
        "{near:?}"
    );
    let verified = json(here, &["verify", "row.csv", "--f64", "--backend", "cpu", "--json", "-"]);
    assert_eq!(verified["passed"], true, "{verified}");
    assert_eq!(verified["verified"]["boxes"], 4, "{verified}");
}

#[test]
fn depths_and_points_on_a_map() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    write(here, "row.csv", ROW);
    let words = "--f64 --contacts c.csv --clashes d.csv --min-depth 0.0005 --html p.html --json -";
    let report = json(here, &check("row.csv", words));
    // The first two may touch.
    assert_eq!(
        (&report["colliding_pairs"], &report["touching_pairs"]),
        (&1.into(), &0.into()),
        "{report}"
    );
    let table = |name: &str| fs::read_to_string(here.join(name)).expect("the file is there");
    let numbers = |row: &str| {
        row.split(',')
            .filter_map(|cell| cell.parse().ok())
            .collect::<Vec<f64>>()
    };
    let clashes = table("d.csv");
    let rows: Vec<&str> = clashes.lines().collect();
    assert_eq!(rows.len(), 2, "{clashes}");
    let [9.0, 11.0, depth, 0.0, nx, ny, nz, x, y, z] = numbers(rows[1])[..] else {
        panic!("{clashes}");
    };
    assert!(
        (depth - 0.001).abs() < 1e-9 && [nx, ny, nz] == [1.0, 0.0, 0.0],
        "{clashes}"
    );
    assert!((x - 4_000_002.600_5).abs() < 1e-8 && [y, z] == [-5e6, 0.5], "{clashes}");
    let contacts = table("c.csv");
    assert_eq!(contacts.lines().count(), 5, "{contacts}");
    for row in contacts.lines().skip(1) {
        let [9.0, 11.0, _, nx, _, _, depth, pax, ..] = numbers(row)[..] else {
            panic!("{contacts}");
        };
        assert!(
            nx == 1.0 && (depth - 0.001).abs() < 1e-9 && pax == 4_000_002.601,
            "{contacts}"
        );
    }
    let page = table("p.html");
    assert!(page.contains("9 and 11, 0.001") && page.contains("<img"), "{page}");
    // Two files, the other way round.
    write(here, "other.csv", "1,4000003.6,-5e6,0.5,0.0005,0.5,0.5,0,0,0,1\n");
    succeed(here, &check("other.csv", "--f64 --against row.csv --clashes e.csv"));
    let [1.0, 11.0, depth, 0.0, -1.0, ..] = numbers(table("e.csv").lines().nth(1).expect("a row"))[..] else {
        panic!("{}", table("e.csv"));
    };
    assert!((depth - 0.0005).abs() < 1e-9, "{depth}");
}

/// Half extents and rotations are rounded to `f32` directly: this text is just above the midpoint
/// of two `f32` numbers, and its `f64` is the midpoint.
#[test]
fn text_is_rounded_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let half = "1.00000005960464477539062501";
    assert_eq!(half.parse::<f32>(), Ok(1.0f32.next_up()));
    assert_eq!(half.parse::<f64>().map(|half| half as f32), Ok(1.0));
    let rows = format!("1,0,0,0,{half},1,1,0,0,0,1\n2,2.00000011920928955078125,0,0,1,1,1,0,0,0,1\n");
    write(here, "half.csv", &rows);
    let report = json(here, &check("half.csv", "--f64 --json -"));
    assert_eq!(
        (&report["colliding_pairs"], &report["touching_pairs"]),
        (&1.into(), &1.into())
    );
    // Centers are rounded to f64: in f32 these two are equal.
    write(
        here,
        "centers.csv",
        "1,4e6,0,0,0,0,0,0,0,0,1\n2,4000000.0000000005,0,0,0,0,0,0,0,0,1\n",
    );
    let report = json(here, &check("centers.csv", "--f64 --json -"));
    assert_eq!(report["colliding_pairs"], 0, "{report}");
}

#[test]
fn npy_of_either_kind() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let row = |x: f64| [x, 1e6, 0.0, 0.5, 0.5, 0.5, 0.0, 0.0, 0.0, 1.0];
    let rows = [row(4e6), row(4_000_001.0), row(4_000_002.001)];
    fs::write(here.join("wide.npy"), npy(&rows, 10)).expect("it can be written");
    let report = json(here, &check("wide.npy", "--f64 --pairs p.npy --json -"));
    assert_eq!(
        (&report["colliding_pairs"], &report["touching_pairs"]),
        (&1.into(), &1.into())
    );
    assert_eq!(npy_integers(&here.join("p.npy")), [0, 1]);
    assert_failure("without --f64", &run(here, &check("wide.npy", "")), 2, "--f64");
    let verified = json(
        here,
        &["verify", "wide.npy", "--f64", "--backend", "cpu", "--json", "-"],
    );
    assert_eq!(verified["passed"], true, "{verified}");

    let mut bad = rows;
    bad[2][4] = -1.0;
    fs::write(here.join("bad.npy"), npy(&bad, 10)).expect("it can be written");
    assert_failure(
        "a bad row",
        &run(here, &check("bad.npy", "--f64")),
        2,
        "row 2 has a negative half extent",
    );
    fs::write(here.join("shape.npy"), npy(&rows[..2], 20)).expect("it can be written");
    assert_failure("a shape", &run(here, &check("shape.npy", "--f64")), 2, "not (N, 10)");

    // A float32 file is read unchanged.
    succeed(here, &["generate", "dense", "--count", "500", "--out", "f32.npy"]);
    let [plain, wide] = ["--json -", "--json - --f64"].map(|words| json(here, &check("f32.npy", words)));
    for key in ["checksum", "colliding_pairs", "touching_pairs", "boxes"] {
        assert_eq!(plain[key], wide[key], "{key}");
    }
}

#[test]
fn scenes_with_centers_in_f64_read_back() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let options = ReadOptions {
        f64: true,
        ..ReadOptions::default()
    };
    write(here, "row.csv", ROW);
    let scene = read_scene_with(&here.join("row.csv"), &options).expect("the file is sound");
    let centers = scene.centers.as_deref().expect("asked for");
    assert_eq!(centers[2], DVec3::new(4_000_002.101, -5e6, 0.5));
    assert_eq!(scene.boxes[2].center, centers[2].as_vec3());
    assert!(
        scene
            .boxes64()
            .expect("enough memory")
            .iter()
            .zip(centers)
            .all(|(obb, center)| obb.center == *center)
    );
    for name in ["again.csv", "again.npy"] {
        let mut scene = scene.clone();
        if name.ends_with("npy") {
            scene.ids = None;
        }
        write_scene_file(&here.join(name), &scene).expect("it can be written");
        let again = read_scene_with(&here.join(name), &options).expect("the file is sound");
        assert_eq!(again, scene, "{name}");
    }
    assert!(files::read_scene(&here.join("again.npy"), None).is_err());
}

#[test]
fn rules_frames_and_two_files() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let text = format!(
        "frame,owner,{HEADER}\n{}",
        ["1,7", "1,7", "2,", "2,"]
            .iter()
            .zip(["4e6", "4000000.5", "4000000", "4000000.9999999"])
            .zip([1, 2, 1, 2])
            .map(|((rules, x), id)| format!("{rules},{id},{x},0,0,0.5,0.5,0.5,0,0,0,1\n"))
            .collect::<String>()
    );
    fs::write(here.join("frames.csv"), text).expect("it can be written");
    succeed(here, &check("frames.csv", "--f64 --frame all --pairs p.csv"));
    let pairs = fs::read_to_string(here.join("p.csv")).expect("the file is there");
    assert_eq!(pairs, "frame,a,b\n2,1,2\n");

    write(here, "row.csv", ROW);
    write(here, "other.csv", "1,4000000.6,-5e6,0.5,0.001,0.5,0.5,0,0,0,1\n");
    succeed(here, &check("row.csv", "--f64 --against other.csv --pairs p.csv"));
    assert_eq!(two_columns(&here.join("p.csv"), "a,b"), [(5, 1), (70, 1)]);

    // Upright cuboids by their corners, a tenth of a millimetre apart.
    let cuboid = |x: f64| format!("{x},0,{},0,{},1,{x},1,0,1\n", x + 1.0, x + 1.0);
    let text = [
        "x0,y0,x1,y1,x2,y2,x3,y3,z_min,z_max\n",
        &cuboid(4e6),
        &cuboid(4_000_001.000_1),
    ]
    .concat();
    fs::write(here.join("upright.csv"), text).expect("it can be written");
    let report = json(here, &check("upright.csv", "--f64 --json -"));
    assert_eq!(report["colliding_pairs"], 0, "{report}");
}

#[test]
fn unsupported_options_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    write(here, "row.csv", ROW);
    fs::write(here.join("ball.csv"), "shape,cx,cy,cz,radius\nsphere,0,0,0,1\n").expect("it can be written");
    assert_failure(
        "a ball",
        &run(here, &check("ball.csv", "--f64")),
        2,
        "line 2 is a sphere",
    );
    let room = run(
        here,
        &[
            "room", "row.csv", "--f64", "--min", "0,0,0", "--max", "1,1,1", "--out", "o.csv",
        ],
    );
    assert_eq!(room.status.code(), Some(2));
    let verify = run(here, &["verify", "--scene", "dense", "--count", "9", "--f64"]);
    assert_eq!(verify.status.code(), Some(2));
}

#[test]
fn a_fault_is_detected_and_replayed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let rows = |id: u32| format!("{id},{}.25,5e6,0,0.5,0.5,0.5,0,0,0,1\n", 4_000_000 + id);
    write(here, "long.csv", &(0..300).map(rows).collect::<String>());
    let output = run(
        here,
        &[
            "verify",
            "long.csv",
            "--backend",
            "cpu",
            "--f64",
            "--inject-fault",
            "--replay-out",
            "again.csv",
        ],
    );
    assert_failure("a fault", &output, 1, "obbligato verify --f64 again.csv");
    let verified = json(
        here,
        &["verify", "again.csv", "--f64", "--backend", "cpu", "--json", "-"],
    );
    assert_eq!(
        (&verified["passed"], &verified["colliding_pairs"]),
        (&true.into(), &299.into())
    );
}
