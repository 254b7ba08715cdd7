//! Spheres and capsules in files, through every command.

mod motion;

use std::{fs, io::Write, path::Path};

use flate2::{Compression, write::GzEncoder};
use obbligato::{Pair, report::checksum};

use super::program::{assert_failure, json, names, run, succeed, text};
use super::{npy_integers, two_columns};

/// Bodies in any order of shapes, each with garbage in the fields that its shape does not use.
///
/// By rows: 3 and 9, 8 and an end of 2, and others touch by 3-4-5; 0 and 2 overlap; 4 and 6 are
/// points in one place.
const MIXED: &str = "shape,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,radius
sphere,20,0,-.5,NaN,wall,,x,,-,7,1
box,-5,0,0,3,1,1,0,0,0,1,-3
capsule,20,0,0,inf,,3,.5,.5,.5,.5,1
sphere,0,0,0,,,,,,,,2
 capsule ,100,100,100,,,0,0,0,0,1,0
,20,0,3,1,1,2,0,0,0,1,word
sphere,100,100,100,-1,-1,-1,2,2,2,2,0
capsule,3,4,10,,,2,0,0,0,1,5
sphere,26,4,0,,,,,,,,4
sphere,3,4,0,,,,,,,,3
";

/// The pairs of [`MIXED`] by rows; all but the first only touch.
const PAIRS: [(u32, u32); 7] = [(0, 2), (1, 3), (2, 5), (2, 8), (3, 9), (4, 6), (7, 9)];

/// Ids for the rows, none of which is a number.
const IDS: [&str; 10] = ["h", "c", "e", "a", "i", "f", "j", "d", "g", "b"];

/// Returns a folder with the unchanged bodies, and with more columns before theirs.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path(), "m.csv", MIXED);
    write(folder.path(), "ids.csv", &with("id", |row| IDS[row].to_owned()));
    folder
}

fn write(folder: &Path, name: &str, content: &str) {
    fs::write(folder.join(name), content).expect("it can be written");
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("the file is there")
}

/// Returns [`MIXED`] with columns before its own.
fn with(header: &str, fields: impl Fn(usize) -> String) -> String {
    let mut lines = MIXED.lines();
    let mut content = format!("{header},{}\n", lines.next().expect("a header"));
    for (row, line) in lines.enumerate() {
        content += &format!("{},{line}\n", fields(row));
    }
    content
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// Returns the pairs that a check of a file writes.
fn pairs(folder: &Path, check: &str) -> Vec<(u32, u32)> {
    succeed(folder, &words(&format!("check {check} --backend cpu --pairs p.csv")));
    two_columns(&folder.join("p.csv"), "a,b")
}

#[test]
fn a_check_names_rows_of_all_shapes() {
    let folder = folder();
    let here = folder.path();
    let gpu = json(here, &words("check m.csv --backend gpu --pairs p.csv --json -"));
    assert_eq!(two_columns(&here.join("p.csv"), "a,b"), PAIRS);
    let check = "check m.csv --backend cpu --pairs p.csv --marks m.npy --rows r --json -";
    let report = json(here, &words(check));
    assert_eq!(two_columns(&here.join("p.csv"), "a,b"), PAIRS);
    for key in ["boxes", "touching_pairs", "checksum"] {
        assert_eq!(gpu[key], report[key], "{key}");
    }
    assert_eq!(
        (&report["boxes"], &report["colliding_pairs"], &report["touching_pairs"]),
        (&10.into(), &7.into(), &6.into()),
        "{report}"
    );
    let sum = checksum(&PAIRS.map(|(a, b)| Pair::new(a, b)));
    assert_eq!(report["checksum"], format!("{sum:016x}"));
    let degrees = [1, 1, 3, 2, 1, 1, 1, 1, 1, 2];
    assert_eq!(npy_integers(&here.join("m.npy")), degrees);
    assert_eq!(
        npy_integers(&here.join("r.neighbours.npy")),
        [2, 3, 0, 5, 8, 1, 9, 6, 2, 4, 9, 2, 3, 7]
    );
    assert_eq!(
        npy_integers(&here.join("r.offsets.npy")),
        [0, 1, 2, 5, 7, 8, 9, 10, 11, 12, 14]
    );
    let summary = succeed(here, &words("check m.csv --backend cpu --marks m.csv.csv"));
    assert!(summary.contains("\nbodies           10, 0 of them free\n"), "{summary}");
    assert!(read(here, "m.csv.csv").starts_with("id,degree\n0,1\n1,1\n2,3\n3,2\n"));
    // Body 0 is half a unit away from body 5.
    let mut near = PAIRS.to_vec();
    near.insert(1, (0, 5));
    assert_eq!(pairs(here, "m.csv --margin 1"), near);
    let report = json(here, &words("check m.csv --backend cpu --margin 1 --json -"));
    assert_eq!(report["near_pairs"], 1);
    assert_eq!(pairs(here, "m.csv --margin .25"), PAIRS);
    // Without rounding: with the next smaller radius they are apart.
    write(here, "less.csv", &MIXED.replace("4\nsphere,3", "3.9999998\nsphere,3"));
    assert_eq!(pairs(here, "less.csv").len(), 6);
}

#[test]
fn ids_frames_and_two_files_name_rows() {
    let folder = folder();
    let here = folder.path();
    succeed(here, &words("check ids.csv --backend cpu --pairs p.csv --marks k.csv"));
    assert_eq!(read(here, "p.csv"), "a,b\na,b\na,c\nb,d\ne,f\ne,g\ne,h\ni,j\n");
    assert!(read(here, "k.csv").starts_with("id,degree\nh,1\nc,1\ne,3\na,2\n"));
    // Numbers that sort differently from the rows.
    write(here, "n.csv", &with("id", |row| (90 - 10 * row).to_string()));
    let mut expected = PAIRS.map(|(a, b)| (90 - 10 * b, 90 - 10 * a));
    expected.sort_unstable();
    assert_eq!(pairs(here, "n.csv"), expected);
    // Against itself: pairs in both orders, and each body with itself.
    let found = pairs(here, "m.csv --against n.csv");
    let both = PAIRS.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
    let mut expected: Vec<_> = both
        .chain((0..10).map(|row| (row, row)))
        .map(|(a, b)| (a, 90 - 10 * b))
        .collect();
    expected.sort_unstable();
    assert_eq!(found, expected);
    let frames = with("frame", |row| (row % 2).to_string());
    write(here, "f.csv", &frames);
    assert_eq!(pairs(here, "f.csv --frame 0"), [(0, 2), (2, 8), (4, 6)]);
    succeed(here, &words("check f.csv --backend cpu --frame all --pairs p.csv"));
    let all = "frame,a,b\n0,0,2\n0,2,8\n0,4,6\n1,1,3\n1,3,9\n1,7,9\n";
    assert_eq!(read(here, "p.csv"), all);
    // The pairs of an earlier check, and the columns of a pair.
    succeed(here, &words("check ids.csv --backend cpu --pairs old.csv"));
    let check = "check ids.csv --backend cpu --baseline old.csv --where a.shape=capsule --pairs p.csv --json j.json";
    run(here, &words(check));
    assert_eq!(read(here, "p.csv"), "a,b\nb,d\ne,f\ne,g\ne,h\ni,j\n");
    let mut zipped = GzEncoder::new(Vec::new(), Compression::fast());
    zipped.write_all(MIXED.as_bytes()).expect("memory");
    fs::write(here.join("m.csv.gz"), zipped.finish().expect("memory")).expect("it can be written");
    assert_eq!(pairs(here, "m.csv.gz"), PAIRS);
}

#[test]
fn rules_apply_to_all_shapes() {
    let folder = folder();
    let here = folder.path();
    let without = |row: u32| -> Vec<(u32, u32)> {
        let pairs = PAIRS.into_iter();
        pairs.filter(|(a, b)| *a != row && *b != row).collect()
    };
    // Row 9, a sphere, is in a group that meets no other; then row 2, a capsule, meets no other.
    let groups = |row| format!("{},7", if row == 9 { 8 } else { 1 });
    write(here, "s.csv", &with("memberships,filter", groups));
    assert_eq!(pairs(here, "s.csv"), without(9));
    write(
        here,
        "g.csv",
        &with("filter", |row| if row == 2 { "0" } else { "4294967295" }.into()),
    );
    assert_eq!(pairs(here, "g.csv"), without(2));
    write(
        here,
        "o.csv",
        &with("owner", |row| if row > 5 { "4" } else { "" }.into()),
    );
    assert_eq!(pairs(here, "o.csv"), PAIRS[..6]);
    write(here, "o.csv", &with("world", |row| (row / 6).to_string()));
    assert_eq!(pairs(here, "o.csv"), [(0, 2), (1, 3), (2, 5), (7, 9)]);
    write(here, "o.csv", &with("static", |row| u8::from(row < 4).to_string()));
    assert_eq!(pairs(here, "o.csv"), PAIRS[2..]);
    for file in ["s.csv", "o.csv"] {
        let report = succeed(here, &words(&format!("verify {file} --backend cpu")));
        assert!(
            report.contains("the rules by definition against the backend: passed"),
            "{report}"
        );
    }
}

#[test]
fn verify_and_bench_compare_all_shapes_with_the_reference() {
    let folder = folder();
    let here = folder.path();
    let report = json(here, &words("verify m.csv --backend cpu --json -"));
    let compared = &report["comparisons"][0];
    assert_eq!(
        (&compared["expected_touching"], &compared["passed"]),
        (&6.into(), &true.into())
    );
    assert_eq!((&report["boxes"], &report["colliding_pairs"]), (&10.into(), &7.into()));
    let summary = succeed(here, &words("verify ids.csv --backend cpu"));
    assert!(
        summary.contains("ids.csv: 10 bodies\n") && summary.contains("all bodies\n"),
        "{summary}"
    );
    let fault = run(
        here,
        &words("verify ids.csv --backend cpu --inject-fault --replay-out r.csv"),
    );
    assert_eq!(fault.status.code(), Some(1), "{}", text(&fault.stderr));
    // The replay has the same rows and ids.
    assert_eq!(
        read(here, "r.csv").lines().nth(1),
        Some("h,sphere,20.0,0.0,-0.5,,,,,,,,1.0")
    );
    succeed(here, &words("check r.csv --backend cpu --pairs p.csv"));
    assert!(read(here, "p.csv").contains("\ni,j\n"));
    let fault = run(
        here,
        &words("verify ids.csv --backend cpu --inject-fault --replay-out r.npy"),
    );
    assert_failure(
        "npy",
        &fault,
        2,
        "r.npy: cannot hold spheres and capsules: name it .csv",
    );
    let rows = json(here, &words("bench m.csv --backend cpu --frames 1 --json -"));
    assert_eq!(
        (
            &rows[0]["boxes"],
            &rows[0]["colliding_pairs"],
            &rows[0]["verified"]["boxes"]
        ),
        (&10.into(), &7.into(), &10.into()),
        "{rows}"
    );
    assert_eq!(rows[0]["verified"]["passed"], true);
    let sum = checksum(&PAIRS.map(|(a, b)| Pair::new(a, b)));
    assert_eq!(rows[0]["checksum"], format!("{sum:016x}"));
}

/// Files that are rejected, and words of their errors.
const BAD: [(&str, &str); 12] = [
    (
        "shape,cx,cy,cz,radius\nsphere,0,0,0,1\nsphere,0,0,0,-1\nsphere,0,0,0,-2\n",
        "line 3 has a negative radius (2 bad rows in all)",
    ),
    (
        "shape,cx,cy,cz,radius\ncone,0,0,0,1\n",
        "line 2 has \"cone\" in column shape instead of box, sphere or capsule (1 bad row",
    ),
    ("shape,cx,cy,cz,radius\nSphere,0,0,0,1\n", "\"Sphere\" in column shape"),
    (
        "shape,cx,cy,cz,radius\nsphere,0,NaN,0,1\n",
        "line 2 has a number that is NaN or infinite",
    ),
    (
        "shape,cx,cy,cz,radius\nsphere,0,0,0,inf\n",
        "line 2 has a number that is NaN or infinite",
    ),
    (
        "shape,cx,cy,cz,radius\nsphere,0,0,0,\n",
        "line 2 has \"\" in column radius instead of a number",
    ),
    (
        "shape,cx,cy,cz,radius\nsphere,0,2e18,0,1\n",
        "line 2 has a coordinate beyond 1.152",
    ),
    (
        "shape,cx,cy,cz\nsphere,0,0,0\n",
        "line 2 is a sphere, which needs columns that the file lacks (radius)",
    ),
    (
        "id,shape,cx,cy,cz,radius\na,sphere,0,0,0,1\nb,capsule,0,0,0,1\nc,,0,0,0,1\n",
        "line 3 (id b) is a capsule, which needs columns that the file lacks (hz, qx, qy, qz, qw) (2 bad rows in all)",
    ),
    (
        "shape,cx,cy,cz,hz,qx,qy,qz,qw,radius\ncapsule,0,0,0,-1,0,0,0,1,1\n",
        "line 2 has a negative half extent",
    ),
    (
        "shape,cx,cy,cz,hz,qx,qy,qz,qw,radius\ncapsule,0,0,0,1,0,0,0,2,1\n",
        "line 2 has a rotation whose length is not 1",
    ),
    (
        "cx,cy,cz,radius\n0,0,0,1\n",
        "lacks columns (hx, hy, hz, qx, qy, qz, qw): add them; the first row of a CSV file names all columns, separated by commas or semicolons, and spheres and capsules need a column shape",
    ),
];

#[test]
fn bad_rows_are_named_and_leave_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    for (content, why) in BAD {
        write(here, "bad.csv", content);
        let commands = [
            "check bad.csv --pairs o.csv",
            "verify bad.csv",
            "room bad.csv --min 0,0,0 --max 1,1,1 --out o.csv",
            "sweep bad.csv --dt 1 --impacts o.csv",
            "bench bad.csv",
        ];
        for command in commands {
            let output = run(here, &words(&format!("{command} --backend cpu")));
            assert_failure(content, &output, 2, why);
        }
        assert_eq!(names(here), ["bad.csv".to_owned()].into());
    }
}

#[test]
fn columns_that_no_row_uses_may_be_missing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    write(
        here,
        "s.csv",
        "radius;cz;shape;cx;cy\n2;0;sphere;0;0\n3;0;sphere;3;4\n\n1;0;sphere;9;9\n",
    );
    assert_eq!(pairs(here, "s.csv"), [(0, 1)]);
    // Upright cuboids and a sphere on top of one.
    let upright = "shape,x0,y0,x1,y1,x2,y2,x3,y3,z_min,z_max,cx,cy,cz,radius
sphere,,,,,,,,,,,1,1,3,2
box,0,0,2,0,2,2,0,2,0,1,,,,
box,0,0,2,0,2,2,0,2,0,.5,,,,
";
    write(here, "u.csv", upright);
    assert_eq!(pairs(here, "u.csv"), [(0, 1), (1, 2)]);
    write(here, "none.csv", "shape,cx,cy,cz,radius\n");
    assert_eq!(pairs(here, "none.csv"), []);
}

#[test]
fn a_room_classifies_each_row() {
    let folder = folder();
    let here = folder.path();
    succeed(
        here,
        &words("room ids.csv --backend cpu --min -1,-3,-4 --max 29,9,20 --out w.csv"),
    );
    // Row d touches one wall from inside and crosses another, and so does g.
    assert_eq!(
        read(here, "w.csv"),
        "id,state,walls\nh,inside,0\nc,outside,1\ne,inside,0\na,crossing,1\ni,outside,42\nf,inside,0\nj,outside,42\n\
         d,crossing,9\ng,crossing,18\nb,inside,0\n"
    );
}

#[test]
fn named_scenes_of_all_shapes_are_written_and_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    for scene in ["spheres", "capsules", "lattice", "mixed-kinds"] {
        let said = succeed(here, &words(&format!("generate {scene} --count 300 --out s.csv")));
        assert!(said.starts_with(&format!("wrote 300 bodies of {scene} ")), "{said}");
        let named = json(
            here,
            &words(&format!("verify --scene {scene} --count 300 --backend cpu --json -")),
        );
        let read = json(here, &words("verify s.csv --backend cpu --json -"));
        assert_eq!(named["checksum"], read["checksum"], "{scene}");
        assert_eq!(named["passed"], true, "{scene}");
        assert!(
            named["colliding_pairs"].as_u64().is_some_and(|pairs| pairs > 50),
            "{named}"
        );
        let rows = words("bench --scene mixed-kinds --count 300 --backend cpu --frames 1 --json -");
        assert_eq!(json(here, &rows)[0]["verified"]["passed"], true);
    }
    let refused = run(here, &words("generate spheres --count 10 --out s.npy"));
    assert_failure(
        "npy",
        &refused,
        2,
        "s.npy: cannot hold spheres and capsules: name it .csv",
    );
    assert_eq!(names(here), ["s.csv".to_owned()].into());
}

/// Returns the row of a table about a pair, as numbers; other fields are NaN.
fn row(table: &str, pair: &str) -> Vec<f64> {
    let row = table.lines().find(|line| line.starts_with(pair));
    let fields = row.unwrap_or_else(|| panic!("no {pair} in {table}")).split(',');
    fields.map(|field| field.parse().unwrap_or(f64::NAN)).collect()
}

fn assert_near(found: &[f64], expected: &[f64]) {
    let off = found.iter().zip(expected).map(|(x, y)| (x - y).abs());
    assert!(off.fold(0.0, f64::max) < 1e-9, "{found:?} {expected:?}");
    assert!(found.len() >= expected.len(), "{found:?} {expected:?}");
}

#[test]
fn contacts_distances_and_clashes_name_rows() {
    let folder = folder();
    let here = folder.path();
    let check =
        "check m.csv --backend cpu --margin 1 --distances d.csv --contacts c.csv --clashes k.csv --keep shape,radius";
    succeed(here, &words(check));
    let distances = read(here, "d.csv");
    assert_eq!(distances.lines().count(), 9);
    assert_near(
        &row(&distances, "0,5,"),
        &[0.0, 5.0, 0.5, 20.0, 0.0, 0.5, 20.0, 0.0, 1.0],
    );
    assert_near(&row(&distances, "3,9,"), &[3.0, 9.0, 0.0, 1.2, 1.6, 0.0, 1.2, 1.6, 0.0]);
    assert_near(
        &row(&distances, "2,8,"),
        &[2.0, 8.0, 0.0, 23.6, 0.8, 0.0, 23.6, 0.8, 0.0],
    );
    let contacts = read(here, "c.csv");
    let touch = [3.0, 9.0, 0.0, 0.6, 0.8, 0.0, 0.0, 1.2, 1.6, 0.0, 1.2, 1.6, 0.0];
    assert_near(&row(&contacts, "3,9,"), &touch);
    assert_near(
        &row(&contacts, "1,3,"),
        &[1.0, 3.0, 0.0, 1.0, 0.0, 0.0, 0.0, -2.0, 0.0, 0.0],
    );
    let clashes = read(here, "k.csv");
    let first: Vec<&str> = clashes.lines().take(3).collect();
    assert_eq!(
        first[0],
        "a,b,depth,touching,nx,ny,nz,x,y,z,a_shape,b_shape,a_radius,b_radius,kind"
    );
    assert!(
        first[1].ends_with(",sphere,capsule,1,1,overlap") && first[2].ends_with(",box,sphere,-3,2,touch"),
        "{clashes}"
    );
    // The deepest first, out along z; then the others by rows.
    assert_near(
        &row(&clashes, "0,2,"),
        &[0.0, 2.0, 1.5, 0.0, 0.0, 0.0, 1.0, 20.0, 0.0, -0.25],
    );
    assert_near(&row(&clashes, "1,3,"), &[1.0, 3.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
    assert_eq!(clashes.lines().count(), 8);
    assert_eq!(pairs(here, "m.csv --min-depth 1"), [(0, 2)]);
    // By ids the pair is reversed, and so are its normal and its points.
    succeed(here, &words("check ids.csv --backend cpu --clashes k.csv"));
    assert_near(&row(&read(here, "k.csv"), "e,h,")[2..7], &[1.5, 0.0, 0.0, 0.0, -1.0]);
}
