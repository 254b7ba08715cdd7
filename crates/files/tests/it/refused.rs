//! Invalid input and invalid paths: every message names the file, the place in it and a remedy.

mod npy_files;

use std::fs;
use std::io::Cursor;
use std::path::Path;

use obbligato::{
    Obb,
    report::{Adjacency, Direction},
};
use obbligato_files::Error;
use obbligato_files::{
    ReadOptions, check_output_path, check_rows_path, read_frames, read_pairs, read_point_list, read_points, read_scene,
    read_scene_from, write_degrees, write_pairs, write_rows, write_scene,
};

use super::{HEADER, TRACKS, UPRIGHT_HEADER, file, names, npy, unit_rows};

const GOOD: &str = "1,2,3,0.5,0.5,0.5,0,0,0,1";

/// Asserts that reading fails with a one-line message that contains the file name and every
/// expected part.
fn assert_refused(name: &str, content: &[u8], expected: &[&str]) {
    let (_folder, path) = file(name, content);
    let error = read_scene(&path, None).expect_err(&format!("{expected:?}"));
    assert!(matches!(error, Error::File { .. }), "{error}");
    let message = error.to_string();
    assert!(
        message.starts_with(&*path.to_string_lossy()) && !message.contains('\n'),
        "{message:?}"
    );
    for part in expected {
        assert!(message.contains(part), "{message:?} lacks {part:?}");
    }
}

#[test]
fn broken_scenes_in_memory() {
    let refused = |name: &str, content: &[u8]| {
        let read = read_scene_from(Path::new(name), Cursor::new(content.to_vec()), &ReadOptions::default());
        read.expect_err("a broken scene").to_string()
    };
    assert_eq!(
        refused("scene.obj", b""),
        "scene.obj: has an unknown extension: name it .csv, .csv.gz or .npy"
    );
    if cfg!(feature = "parquet") {
        assert_eq!(
            refused("scene.parquet", b""),
            "scene.parquet: cannot be read here: give .csv, .csv.gz or .npy"
        );
    }
    let rows = npy(&[3, 10], npyz::Order::C, &unit_rows(3));
    let cut = refused("scene.npy", &rows[..rows.len() - 1]);
    assert!(cut.contains("only 2 of 3 rows are complete"), "{cut}");
    let long = refused("scene.npy", &[&rows[..], &[0]].concat());
    assert!(long.contains("holds more data than its shape (3, 10) allows"), "{long}");
}

/// Rows, and words of the message about them. They follow the header and one good row, so the first
/// of them is line 3.
const BAD_ROWS: [(&str, &[&str]); 25] = [
    (
        "nan,2,3,1,1,1,0,0,0,1",
        &[
            "line 3 has a number that is NaN or infinite",
            "(1 bad row in all)",
            "fix",
        ],
    ),
    ("1,2,-inf,1,1,1,0,0,0,1", &["line 3 ", "NaN or infinite"]),
    ("1,2,3,1,1,1,0,0,0,NaN", &["line 3 ", "NaN or infinite"]),
    ("1e39,2,3,1,1,1,0,0,0,1", &["line 3 ", "NaN or infinite"]),
    ("1,2,3,1,-0.1,1,0,0,0,1", &["line 3 has a negative half extent"]),
    (
        "1,2,3,1,1,1,0,0,0,1.002",
        &["line 3 has a rotation whose length is not 1"],
    ),
    ("1,2,3,1,1,1,0,0,0,0", &["line 3 has a rotation"]),
    ("2e18,2,3,1,1,1,0,0,0,1", &["line 3 has a coordinate beyond"]),
    ("1,2,3,1,1,1,0,0,0", &["line 3 has 9 columns but the header has 10"]),
    ("1,2,3,1,1,1,0,0,0,1,", &["line 3 has 11 columns but the header has 10"]),
    ("1,2,3", &["line 3 has 3 columns"]),
    (
        "1,2,x y,1,1,1,0,0,0,1",
        &["line 3 has \"x y\" in column cz instead of a number"],
    ),
    (
        "1,2,3,,1,1,0,0,0,1",
        &["line 3 has \"\" in column hx instead of a number"],
    ),
    ("1,2,3,1;5,1,1,0,0,0,1", &["\"1;5\" in column hx"]),
    ("1,\"2\n2\",3,1,1,1,0,0,0,1", &["line 3 has \"2\\n2\" in column cy"]),
    ("\n\n1,2,3,1,-1,1,0,0,0,1", &["line 5 has a negative"]),
    ("1,2,3,1,-1,1,0,0,0,1\r\n", &["line 3 has a negative"]),
    (
        "\"1\n\",2,3,1,1,1,0,0,0,1\n1,2,3,1,-1,1,0,0,0,1",
        &["line 5 has a negative"],
    ),
    (
        "1,2,3,1,-1,1,0,0,0,1\n1,2\nx,2,3,1,1,1,0,0,0,1",
        &["line 3 has a negative", "(3 bad rows in all)"],
    ),
    (
        "1,2,3,1,1,1,0,0,0,1\n1,2,3,1,-1,1,0,0,0,1\n",
        &["line 4 has a negative"],
    ),
    ("1,2,3,1,1,1,0,0,0,0x1", &["\"0x1\" in column qw"]),
    (
        "1,2,3,1,1,1,0,0,0,\"1\n\"\n1,2,3,1,-1,1,0,0,0,1",
        &["line 5 has a negative"],
    ),
    (
        "\"1,2,3,1,1,1,0,0,0,1\n1,2,3,1,1,1,0,0,0,1\n",
        &["line 3 opens a quote that is never closed"],
    ),
    (
        "1,2,3,1,-1,1,0,0,0,1\r\n1,2,3,1,1,1,0,0,0,\"1",
        &["line 4 opens a quote that is never closed"],
    ),
    (
        "\"1,2,3,1,1,1,0,0,0,1\n\"1\",2,3,1,1,1,0,0,0,1\n",
        &["line 3 opens a quote that closes in the middle of a field on line 4"],
    ),
];

#[test]
fn bad_rows_of_csv() {
    for (rows, expected) in BAD_ROWS {
        assert_refused("scene.csv", format!("{HEADER}\n{GOOD}\n{rows}").as_bytes(), expected);
    }
    let latin = [HEADER.as_bytes(), b"\n1,2,3,1,1,1,0,0,0,1\xe9\n"].concat();
    assert_refused("scene.csv", &latin, &["line 2 has \"1\u{fffd}\" in column qw"]);
}

#[test]
fn endless_rows_of_csv() {
    let header = "cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,note";
    let row = |note: &str| format!("0,0,0,1,1,1,0,0,0,1,{note}\n");
    let long = row(&"x".repeat(18 << 20));
    let words = ["begins a row that is longer than 16 MiB", "unless a quote continues"];
    assert_refused("long.csv", long.as_bytes(), &[&["line 1 "][..], &words].concat());
    let content = format!("{header}\n{}\n{}{}{long}", row("a"), row("\"b\nb\""), row("c"));
    assert_refused("long.csv", content.as_bytes(), &[&["line 7 "][..], &words].concat());
    let open = format!("{header}\n0,0,0,1,1,1,0,0,0,1,\"{}", "\n".repeat(18 << 20));
    assert_refused("long.csv", open.as_bytes(), &["line 2 "]);
}

#[test]
fn bad_ids_and_groups_of_csv() {
    let cases: [(&str, &str, &[&str]); 17] = [
        (
            "id",
            "5\n6\n5",
            &["line 4 (id 5) repeats the id of an earlier row", "(1 bad row"],
        ),
        (
            "id",
            "9\n3\n4\n9\n3",
            &["line 5 (id 9) repeats the id of an earlier row", "(2 bad rows"],
        ),
        ("id", "7\n7", &["line 3 (id 7) repeats the id"]),
        (
            "id",
            "9\n3\nwall\n9\nwall\nWall\n3",
            &["line 5 (id 9) repeats the id of an earlier row", "(3 bad rows"],
        ),
        ("id", "b\na\nb", &["line 4 (id b) repeats the id"]),
        // Numbers that are no longer ascending when read as texts.
        ("id", "9\n10\n5x\n9", &["line 5 (id 9) repeats the id"]),
        ("id", "5\n ", &["line 3 has no id in column id", "(1 bad row"]),
        ("id", "wall\n\"\"", &["line 3 has no id in column id"]),
        (
            "frame",
            "1.5",
            &["line 2 has \"1.5\" in column frame instead of a whole number"],
        ),
        ("frame", "first", &["line 2 has \"first\" in column frame"]),
        ("memberships", "-1", &["line 2 has \"-1\" in column memberships"]),
        ("filter", "0xFF", &["line 2 has \"0xFF\" in column filter"]),
        (
            "owner",
            "ann",
            &["line 2 has \"ann\" in column owner instead of a whole number from 0 to 4294967294, or nothing"],
        ),
        ("owner", "4294967295", &["line 2 has 4294967295 in column owner"]),
        ("world", "", &["line 2 has \"\" in column world"]),
        ("static", "2", &["line 2 has 2 in column static instead of 0 or 1"]),
        (
            "static",
            "yes",
            &["line 2 has \"yes\" in column static instead of 0 or 1"],
        ),
    ];
    for (column, fields, expected) in cases {
        let rows: Vec<String> = fields.split('\n').map(|field| format!("{GOOD},{field}")).collect();
        assert_refused(
            "scene.csv",
            format!("{HEADER},{column}\n{}\n", rows.join("\n")).as_bytes(),
            expected,
        );
    }
    let negative = format!("{HEADER},id\n{GOOD},3\n1,2,3,-1,1,1,0,0,0,1,17\n");
    assert_refused(
        "scene.csv",
        negative.as_bytes(),
        &["line 3 (id 17) has a negative half extent"],
    );
}

#[test]
fn decimal_commas() {
    let header = HEADER.replace(',', ";");
    for (row, expected) in [
        (
            "1,5;2;3;1;1;1;0;0;0;1",
            "line 2 has \"1,5\" in column cx instead of a number (the decimal mark is a point)",
        ),
        (
            "1;2;3;-1,5e0;1;1;0;0;0;1",
            "line 2 has \"-1,5e0\" in column hx instead of a number (the decimal mark",
        ),
        (
            "1;2;1,000,000;1;1;1;0;0;0;1",
            "line 2 has \"1,000,000\" in column cz instead of a number (1 bad row",
        ),
    ] {
        assert_refused("scene.csv", format!("{header}\n{row}\n").as_bytes(), &[expected]);
    }
    let quoted = format!("{HEADER}\n{}\n", GOOD.replacen("0.5", "\"0,5\"", 1));
    assert_refused(
        "scene.csv",
        quoted.as_bytes(),
        &["has \"0,5\" in column hx", "the decimal mark is a point"],
    );
}

#[test]
fn damaged_gzip() {
    let text = format!("{HEADER}\n{}", format!("{GOOD}\n").repeat(5000));
    let sound = super::gzip(text.as_bytes());
    let refused = |content: &[u8]| {
        assert_refused(
            "scene.csv.gz",
            content,
            &["is not a complete gzip file (", "compress it again"],
        )
    };
    for length in [0, 1, 5, 12, sound.len() / 2, sound.len() - 1] {
        refused(&sound[..length]);
    }
    refused(text.as_bytes());
    refused(&[&sound[..], b"more"].concat());
    // A byte of the checksum over the whole text.
    let mut damaged = sound.clone();
    let last = damaged.len() - 8;
    damaged[last] ^= 1;
    refused(&damaged);
    assert_refused(
        "scene.csv.gz",
        &super::gzip(b""),
        &["is empty: start with a header row"],
    );
    assert_refused(
        "scene.csv.gz",
        &super::gzip(format!("{HEADER}\n1,2\n").as_bytes()),
        &["line 2 has 2 columns"],
    );
}

#[test]
fn bad_rows_of_upright_cuboids() {
    let cases = [
        ("0,0,1,0,1,1,0,1,2,1", "line 3 has a z_min above its z_max"),
        (
            "0,0,1,0,1,1,0,1.1,0,1",
            "line 3 has corners that do not form a rectangle (one is off by 5.0",
        ),
        ("0,0,1,0,1,1,0,nan,0,1", "line 3 has a number that is NaN or infinite"),
        (
            "0,0,1,0,1,1,0,one,0,1",
            "line 3 has \"one\" in column y3 instead of a number",
        ),
        ("0,0,2e18,0,2e18,1,0,1,0,1", "line 3 has a coordinate beyond"),
        ("0,0,1,0,1,1,0,1,0", "line 3 has 9 columns"),
    ];
    for (row, expected) in cases {
        let content = format!("{UPRIGHT_HEADER}\n0,0,1,0,1,1,0,1,0,1\n{row}\n");
        assert_refused(
            "scene.csv",
            content.as_bytes(),
            &[expected, "(1 bad row in all)", "fix"],
        );
    }
}

#[test]
fn bad_headers_of_csv() {
    let cases: [(&[u8], &[&str]); 12] = [
        (b"", &["is empty", "header row", HEADER]),
        (b"\n \n", &["is empty"]),
        (
            GOOD.as_bytes(),
            &[
                "lacks columns (cx, cy, cz, hx, hy, hz, qx, qy, qz, qw)",
                "the first row of a CSV file names all columns",
            ],
        ),
        (b"cx,cy,cz,hx,hy,qx,qy,qz\n", &["lacks columns (hz, qw):"]),
        (
            b"cx cy cz hx hy hz qx qy qz qw\n",
            &["lacks columns (cx,", "separated by commas or semicolons"],
        ),
        (b"cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,cx\n", &["has two columns cx"]),
        (b"x0,y0,x1,y1,x2,y2,x3,y3,z_min\n", &["lacks columns (z_max):"]),
        (b"x0,y0,x1,y1,x2,y2,x3,y3,z_min,z_max,y3\n", &["has two columns y3"]),
        (
            b"x0,y0,x1,y1,x2,y2,x3,y3,z_min,z_max,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n",
            &["oriented boxes and upright cuboids", "remove one set"],
        ),
        (b"id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,id\n", &["has two columns id"]),
        (
            b"\n\"cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n1,2,3,1,1,1,0,0,0,1\n",
            &["line 2 opens a quote that is never closed"],
        ),
        (
            b"\xff\xfec\0x\0,\0c\0y\0\n\0",
            &["is not UTF-8 text", "save it as UTF-8"],
        ),
    ];
    for (content, expected) in cases {
        assert_refused("scene.csv", content, expected);
    }
}

#[test]
fn unknown_endings_and_unreadable_files() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::create_dir(place.join("folder.csv")).unwrap();
    let read_cases = [
        ("scene.txt", "an unknown extension: name it .csv, .csv.gz, .npy"),
        ("scene.txt.gz", "an unknown extension"),
        ("scene", "an unknown extension"),
        ("absent.csv", "cannot be read"),
        ("absent.npy", "check the path"),
        ("folder.csv", "cannot be read"),
    ];
    for (name, expected) in read_cases {
        let error = read_scene(&place.join(name), None).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains(name), "{error}");
    }
    #[cfg(all(unix, feature = "parquet"))]
    {
        fs::create_dir(place.join("folder.parquet")).unwrap();
        let mut pipe = std::process::Command::new("mkfifo");
        let mut made = pipe.arg(place.join("pipe.parquet")).spawn().expect("it starts");
        assert!(crate::processes::status_of(&mut made).success());
        for (name, expected) in [
            ("folder.parquet", "it is a folder: name a file"),
            ("pipe.parquet", "it is a pipe or a device: name a file on disk"),
            ("absent.parquet", "check the path"),
        ] {
            let path = place.join(name);
            let scene = read_scene(&path, None).unwrap_err().to_string();
            let points = read_points(&path, None).unwrap_err().to_string();
            for error in [scene, points] {
                assert!(error.contains(expected) && error.contains(name), "{error}");
            }
        }
    }
    #[cfg(all(unix, feature = "parquet"))]
    {
        fs::remove_dir(place.join("folder.parquet")).unwrap();
        fs::remove_file(place.join("pipe.parquet")).unwrap();
    }
    // The advice names the formats that the reader accepts.
    let path = place.join("table.txt");
    let errors = [
        read_points(&path, None).map(drop),
        read_point_list(&path).map(drop),
        read_pairs(&path).map(drop),
        read_frames(&path, &ReadOptions::default()).map(drop),
    ];
    for error in errors.map(|result| result.unwrap_err().to_string()) {
        assert!(error.contains("name it .csv") && !error.contains(".npy"), "{error}");
    }
    expect_unwritable(place);
    assert!(check_rows_path(&place.join("absent/rows")).is_err());
    let nothing = Adjacency::new(0, &[], Direction::Both).unwrap();
    assert!(write_rows(&place.join("absent/rows"), &nothing).is_err());
    for name in ["pairs.csv", "PAIRS.NPY"] {
        check_output_path(&place.join(name)).unwrap();
    }
    check_output_path(Path::new("beside.csv")).unwrap();
    check_rows_path(&place.join("rows")).unwrap();
    assert_eq!(names(place), ["folder.csv"], "nothing is left behind");
}

/// Asserts the messages about paths that cannot be written.
fn expect_unwritable(place: &Path) {
    let write_cases = [
        ("pairs.txt", "an unknown extension"),
        ("pairs", "an unknown extension"),
        ("absent/pairs.csv", "a folder that does not exist"),
        ("folder.csv", "is a folder"),
    ];
    for (name, expected) in write_cases {
        let path = place.join(name);
        let results = [
            check_output_path(&path),
            write_pairs(&path, &[]),
            write_degrees(&path, None, &[]),
            write_scene(&path, &[] as &[Obb]),
        ];
        for error in results.map(|result| result.unwrap_err().to_string()) {
            assert!(error.contains(expected) && error.contains(name), "{error}");
        }
    }
}

#[test]
fn frames_that_cannot_be_picked() {
    let cases = [
        (TRACKS, None, "has 3 frames from 3 to 6: pick one with --frame"),
        (TRACKS, Some(5), "has no frame 5 (it has 3 frames from 3 to 6): pick"),
        (
            "frame,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n-2,1,2,3,1,1,1,0,0,0,1",
            Some(0),
            "has no frame 0 (it has only frame -2):",
        ),
        (
            "frame,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw",
            Some(0),
            "has no frame 0 (it has no rows at all)",
        ),
        (HEADER, Some(0), "has no column frame: leave --frame out"),
    ];
    for (text, frame, expected) in cases {
        let (_folder, path) = file("tracks.csv", text);
        let error = read_scene(&path, frame).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let (_folder, path) = file("scene.npy", npy(&[1, 10], npyz::Order::C, &unit_rows(1)));
    assert!(
        read_scene(&path, Some(0))
            .unwrap_err()
            .to_string()
            .contains("has no frames")
    );
}
