//! Scene and result files: exact round trips, and an error with the place for every kind of bad input.

use std::fs;
use std::path::{Path, PathBuf};

use npyz::WriterBuilder;
use obbligato::files::{
    SceneFile, check_output_path, check_rows_path, read_scene, write_degrees, write_pairs, write_rows, write_scene,
};
use obbligato::glam::{Quat, Vec3};
use obbligato::scenes::Scene;
use obbligato::{Error, Obb, Pair};
use tempfile::TempDir;

const HEADER: &str = "cx,cy,cz,hx,hy,hz,qx,qy,qz,qw";
const GOOD: &str = "1,2,3,0.5,0.5,0.5,0,0,0,1";

/// A folder with one file in it.
fn file(name: &str, content: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    (folder, path)
}

fn read_text(text: &str) -> obbligato::Result<SceneFile> {
    let (_folder, path) = file("scene.csv", text);
    read_scene(&path, None)
}

/// The names in a folder, temporary ones included.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// An NPY file written by another library.
fn npy<T: npyz::AutoSerialize + Copy>(shape: &[u64], order: npyz::Order, numbers: &[T]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let options = npyz::WriteOptions::<T>::new()
        .default_dtype()
        .shape(shape)
        .order(order)
        .writer(&mut bytes);
    let mut writer = options.begin_nd().unwrap();
    writer.extend(numbers.iter().copied()).unwrap();
    writer.finish().unwrap();
    bytes
}

/// Rows of a unit cube at the origin.
fn unit_rows(rows: usize) -> Vec<f32> {
    [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0].repeat(rows)
}

/// An NPY file with a header of our making.
fn raw_npy(version: u8, dictionary: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    match version {
        1 => bytes.extend((dictionary.len() as u16).to_le_bytes()),
        _ => bytes.extend((dictionary.len() as u32).to_le_bytes()),
    }
    bytes.extend(dictionary.as_bytes());
    bytes.extend(data);
    bytes
}

/// Boxes whose numbers are hard to print and read.
fn awkward_boxes() -> Vec<Obb> {
    let mut boxes = Scene::Mixed.generate(500, 3);
    boxes.extend(Scene::Far.generate(500, 4));
    let numbers = [
        0.0,
        -0.0,
        f32::MIN_POSITIVE,
        1e-45,
        0.1,
        16_777_216.0,
        1.1529215e18,
        1e-7,
        123456.79,
    ];
    boxes.extend(numbers.map(|x| Obb::axis_aligned(Vec3::new(x, -x, x), Vec3::splat(x.abs()))));
    boxes
}

fn bits(boxes: &[Obb]) -> Vec<u32> {
    bytemuck::cast_slice(boxes).to_vec()
}

#[test]
fn scenes_read_back_exactly() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["scene.csv", "scene.npy", "SCENE.CSV"] {
        for boxes in [awkward_boxes(), Vec::new(), Scene::Crowd.generate(20_001, 1)] {
            let path = folder.path().join(name);
            write_scene(&path, &boxes).unwrap();
            let read = read_scene(&path, None).unwrap();
            assert_eq!(bits(&read.boxes), bits(&boxes), "{name}");
            assert_eq!(read.ids, None);
        }
    }
    assert_eq!(names(folder.path()), ["SCENE.CSV", "scene.csv", "scene.npy"]);
}

#[test]
fn groups_are_kept_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let boxes = [
        Obb::axis_aligned(Vec3::ZERO, Vec3::ONE).with_groups(5, u32::MAX),
        Scene::Far.generate(1, 1)[0],
    ];
    let path = folder.path().join("scene.csv");
    write_scene(&path, &boxes).unwrap();
    assert_eq!(bits(&read_scene(&path, None).unwrap().boxes), bits(&boxes));
    let error = write_scene(&folder.path().join("scene.npy"), &boxes)
        .unwrap_err()
        .to_string();
    assert!(error.contains("groups") && error.contains(".csv"), "{error}");
    assert_eq!(names(folder.path()), ["scene.csv"]);
}

#[test]
fn npy_agrees_with_another_library() {
    let boxes = awkward_boxes();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.npy");
    write_scene(&path, &boxes).unwrap();
    let theirs = npyz::NpyFile::new(fs::File::open(&path).unwrap()).unwrap();
    assert_eq!(
        (theirs.shape(), theirs.order()),
        (&[boxes.len() as u64, 10][..], npyz::Order::C)
    );
    let numbers: Vec<f32> = theirs.into_vec().unwrap();
    assert_eq!(numbers[..3], boxes[0].center.to_array());
    fs::write(&path, npy(&[boxes.len() as u64, 10], npyz::Order::C, &numbers)).unwrap();
    assert_eq!(bits(&read_scene(&path, None).unwrap().boxes), bits(&boxes));
}

#[test]
fn npy_of_every_version_and_key_order() {
    let data: Vec<u8> = unit_rows(3).into_iter().flat_map(f32::to_le_bytes).collect();
    for version in [1, 2, 3] {
        for dictionary in [
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 10), }\n",
            "{\"shape\":(3,10),\"fortran_order\" : False,\"descr\":\"<f4\"}",
        ] {
            let (_folder, path) = file("scene.npy", raw_npy(version, dictionary, &data));
            let boxes = read_scene(&path, None).unwrap().boxes;
            assert_eq!(
                boxes,
                [Obb::axis_aligned(Vec3::ZERO, Vec3::ONE); 3],
                "{version} {dictionary}"
            );
        }
    }
}

#[test]
fn csv_columns_in_any_order_with_all_its_liberties() {
    let text = "\u{feff}name, qw,qz,qy,qx ,hz,hy,hx,cz,cy,cx,id,filter,memberships\r\n\
        \"a, \"\"b\"\"\nc\",1,0,0,0,6,5,4,3,2,1, 40 ,7,8\r\n\
        \r\n\n\
        plain,\"1\",0,0,0,6,5,4,3,2,+1e0,4294967295,7,8";
    let scene = read_text(text).unwrap();
    let obb = Obb::axis_aligned(Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)).with_groups(8, 7);
    assert_eq!(scene.boxes, [obb; 2]);
    assert_eq!(scene.ids, Some(vec![40, u32::MAX]));
}

#[test]
fn empty_scenes_are_fine() {
    assert_eq!(read_text(HEADER).unwrap(), SceneFile::default());
    assert_eq!(
        read_text(&format!("id,frame,{HEADER}\n")).unwrap().ids,
        Some(Vec::new())
    );
    let (_folder, path) = file("scene.npy", npy::<f32>(&[0, 10], npyz::Order::C, &[]));
    assert_eq!(read_scene(&path, None).unwrap(), SceneFile::default());
}

/// Two frames of the same two tracks, as a tracker writes them.
const TRACKS: &str = "frame,time_s,id,category,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n\
    3,0,7,CAR,13.07,23.9,0.08,2.1,0.9,0.7,-0.0008,0.0028,0.6929,-0.7210\n\
    3,0,2,BICYCLE,20.6,24.2,0.13,0.7,0.2,0.5,0,0,0.6,0.8\n\
    4,0.1,7,CAR,14.07,23.9,0.08,2.1,0.9,0.7,-0.0008,0.0028,0.6929,-0.7210\n\
    6,0.3,2,BICYCLE,21.6,24.2,0.13,0.7,0.2,0.5,0,0,0.6,0.8\n";

#[test]
fn a_frame_is_picked() {
    let (_folder, path) = file("tracks.csv", TRACKS);
    let frame = read_scene(&path, Some(3)).unwrap();
    assert_eq!((frame.boxes.len(), frame.ids.as_deref()), (2, Some(&[7, 2][..])));
    let frame = read_scene(&path, Some(6)).unwrap();
    assert_eq!((frame.boxes[0].center.x, frame.ids.as_deref()), (21.6, Some(&[2][..])));
    let (_folder, path) = file("one.csv", TRACKS.lines().take(3).collect::<Vec<_>>().join("\n"));
    assert_eq!(read_scene(&path, None).unwrap().boxes.len(), 2);
}

#[test]
fn frames_that_cannot_be_picked() {
    let cases = [
        (TRACKS, None, "has 3 frames from 3 to 6: pick one with --frame"),
        (TRACKS, Some(5), "has no frame 5 but 3 frames from 3 to 6: pick one"),
        (
            "frame,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n-2,1,2,3,1,1,1,0,0,0,1",
            Some(0),
            "has no frame 0 but only frame -2:",
        ),
        (
            "frame,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw",
            Some(0),
            "has no frame 0 but no rows at all",
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

#[test]
fn real_building() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/building.csv");
    let scene = read_scene(&path, None).unwrap();
    assert_eq!((scene.boxes.len(), scene.ids), (182, None));
    assert_eq!(scene.boxes[0].center, Vec3::new(-10.682_668, 0.851_701_56, 2.0));
    assert!(scene.boxes.iter().any(|obb| obb.rotation != Quat::IDENTITY));
}

/// Asserts that reading fails with one line that has the file and every expected part.
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
fn bad_rows_of_csv() {
    // The rows follow the header and one good row, so the first of them is line 3.
    let cases: [(&str, &[&str]); 22] = [
        (
            "nan,2,3,1,1,1,0,0,0,1",
            &[
                "line 3 has a number that is NaN or infinite",
                "(1 bad row in all)",
                "mend",
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
            "\"1,2,3,1,1,1,0,0,0,1\n1,2,3,1,1,1,0,0,0,1\n",
            &["line 3 has 1 column but the header has 10"],
        ),
    ];
    for (rows, expected) in cases {
        assert_refused("scene.csv", format!("{HEADER}\n{GOOD}\n{rows}").as_bytes(), expected);
    }
    let latin = [HEADER.as_bytes(), b"\n1,2,3,1,1,1,0,0,0,1\xe9\n"].concat();
    assert_refused("scene.csv", &latin, &["line 2 has \"1\u{fffd}\" in column qw"]);
}

#[test]
fn bad_ids_and_groups_of_csv() {
    let cases: [(&str, &str, &[&str]); 11] = [
        (
            "id",
            "5\n6\n5",
            &["line 4 (id 5) has an id that an earlier row has", "(1 bad row"],
        ),
        (
            "id",
            "9\n3\n4\n9\n3",
            &["line 5 (id 9) has an id that an earlier row has", "(2 bad rows"],
        ),
        ("id", "7\n7", &["line 3 (id 7) has an id"]),
        (
            "id",
            "-1",
            &["line 2 has \"-1\" in column id instead of a whole number from 0 to 4294967295"],
        ),
        ("id", "4294967296", &["line 2 has \"4294967296\" in column id"]),
        ("id", "1.0", &["line 2 has \"1.0\" in column id"]),
        ("id", "", &["line 2 has \"\" in column id"]),
        (
            "frame",
            "1.5",
            &["line 2 has \"1.5\" in column frame instead of a whole number"],
        ),
        ("frame", "first", &["line 2 has \"first\" in column frame"]),
        ("memberships", "-1", &["line 2 has \"-1\" in column memberships"]),
        ("filter", "0xFF", &["line 2 has \"0xFF\" in column filter"]),
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
fn bad_headers_of_csv() {
    let cases: [(&[u8], &[&str]); 8] = [
        (b"", &["is empty", "header row", HEADER]),
        (b"\n \n", &["is empty"]),
        (
            GOOD.as_bytes(),
            &[
                "lacks the columns cx, cy, cz, hx, hy, hz, qx, qy, qz, qw",
                "first row has to name them",
            ],
        ),
        (b"cx,cy,cz,hx,hy,qx,qy,qz\n", &["lacks the columns hz, qw:"]),
        (
            b"cx;cy;cz;hx;hy;hz;qx;qy;qz;qw\n",
            &["lacks the columns cx,", "separated by commas"],
        ),
        (b"cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,cx\n", &["has two columns cx"]),
        (b"id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,id\n", &["has two columns id"]),
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
fn bad_npy() {
    let f4 = |shape: &[u64], numbers: &[f32]| npy(shape, npyz::Order::C, numbers);
    let mut bad = unit_rows(9000);
    bad[8500 * 10 + 4] = -1.0;
    bad[8999 * 10 + 2] = f32::NAN;
    let mut turned = unit_rows(2);
    turned[6] = 0.1;
    let whole = f4(&[3, 10], &unit_rows(3));
    let claims = |shape: &str, data: &[u8]| {
        raw_npy(
            1,
            &format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n"),
            data,
        )
    };
    let big_endian = raw_npy(
        1,
        "{'descr': '>f4', 'fortran_order': False, 'shape': (1, 10), }",
        &[0; 40],
    );
    let structure = raw_npy(
        1,
        "{'descr': [('cx', '<f4')], 'fortran_order': False, 'shape': (1, 10), }",
        &[0; 40],
    );
    let cases: [(Vec<u8>, &[&str]); 21] = [
        (
            f4(&[9000, 10], &bad),
            &["row 8500 has a negative half extent", "(2 bad rows in all)", "mend"],
        ),
        (f4(&[2, 10], &turned), &["row 0 has a rotation", "(1 bad row in all)"]),
        (f4(&[10], &unit_rows(1)), &["has shape (10), not (N, 10)"]),
        (f4(&[5, 6], &unit_rows(3)), &["has shape (5, 6), not (N, 10)"]),
        (f4(&[10, 3], &unit_rows(3)), &["has shape (10, 3), not"]),
        (f4(&[3, 1, 10], &unit_rows(3)), &["has shape (3, 1, 10), not"]),
        (
            npy(&[1, 10], npyz::Order::C, &[0.0f64; 10]),
            &["type <f8, not <f4 (little-endian float32)"],
        ),
        (npy(&[1, 10], npyz::Order::C, &[0i32; 10]), &["type <i4, not <f4"]),
        (
            npy(&[3, 10], npyz::Order::Fortran, &unit_rows(3)),
            &["is in Fortran order, not C order", "numpy.save"],
        ),
        (big_endian, &["type >f4 (big-endian), not <f4"]),
        (structure, &["a structure", "not <f4"]),
        (
            whole[..whole.len() - 1].to_vec(),
            &["is cut off: its shape is (3, 10) but it ends after 2 rows"],
        ),
        ([whole.clone(), vec![0]].concat(), &["goes on after the 3 rows"]),
        (
            claims("(10000000000000, 10)", &[0; 80]),
            &["is cut off", "(10000000000000, 10)", "after 2 rows"],
        ),
        (
            claims("(18446744073709551615, 10)", &[]),
            &["is cut off", "after 0 rows"],
        ),
        (claims("(99999999999999999999, 10)", &[]), &["is not an NPY file"]),
        (claims("(-1, 10)", &[]), &["is not an NPY file"]),
        (raw_npy(9, "{}", &[]), &["NPY of version 9"]),
        (raw_npy(1, "{'shape': (1, 10)}", &[0; 40]), &["is not an NPY file"]),
        (Vec::new(), &["is not an NPY file"]),
        (
            b"\x93NUMPY\x02\0\xff\xff\xff\xff{'descr'".to_vec(),
            &["is not an NPY file"],
        ),
    ];
    for (content, expected) in cases {
        assert_refused("scene.npy", &content, expected);
    }
}

#[test]
fn unknown_endings_and_unreadable_files() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::create_dir(place.join("folder.csv")).unwrap();
    let read_cases = [
        ("scene.txt", "no known ending: name it .csv or .npy"),
        ("scene", "no known ending"),
        ("absent.csv", "cannot be read"),
        ("absent.npy", "check the path"),
        ("folder.csv", "cannot be read"),
    ];
    for (name, expected) in read_cases {
        let error = read_scene(&place.join(name), None).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains(name), "{error}");
    }
    let write_cases = [
        ("pairs.txt", "no known ending"),
        ("pairs", "no known ending"),
        ("absent/pairs.csv", "a folder that does not exist"),
        ("folder.csv", "is a folder"),
    ];
    for (name, expected) in write_cases {
        let path = place.join(name);
        let results = [
            check_output_path(&path),
            write_pairs(&path, &[]),
            write_degrees(&path, None, &[]),
            write_scene(&path, &[]),
        ];
        for error in results.map(|result| result.unwrap_err().to_string()) {
            assert!(error.contains(expected) && error.contains(name), "{error}");
        }
    }
    assert!(check_rows_path(&place.join("absent/rows")).is_err());
    assert!(write_rows(&place.join("absent/rows"), 0, &[]).is_err());
    for name in ["pairs.csv", "PAIRS.NPY"] {
        check_output_path(&place.join(name)).unwrap();
    }
    check_output_path(Path::new("beside.csv")).unwrap();
    check_rows_path(&place.join("rows")).unwrap();
    assert_eq!(names(place), ["folder.csv"], "nothing is left behind");
}

#[test]
fn pairs_and_degrees() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let pairs = [Pair::new(0, 12), Pair::new(3, u32::MAX)];
    write_pairs(&path("pairs.csv"), &pairs).unwrap();
    assert_eq!(
        fs::read_to_string(path("pairs.csv")).unwrap(),
        "a,b\n0,12\n3,4294967295\n"
    );
    write_pairs(&path("pairs.npy"), &pairs).unwrap();
    assert_eq!(
        numbers::<u32>(&path("pairs.npy")),
        (vec![2, 2], vec![0, 12, 3, u32::MAX])
    );
    write_degrees(&path("marks.csv"), None, &[0, 2]).unwrap();
    assert_eq!(fs::read_to_string(path("marks.csv")).unwrap(), "id,degree\n0,0\n1,2\n");
    write_degrees(&path("marks.csv"), Some(&[9, 4]), &[0, 2]).unwrap();
    assert_eq!(fs::read_to_string(path("marks.csv")).unwrap(), "id,degree\n9,0\n4,2\n");
    write_degrees(&path("marks.npy"), Some(&[9, 4]), &[0, 2]).unwrap();
    assert_eq!(numbers::<u32>(&path("marks.npy")), (vec![2], vec![0, 2]));
    assert_eq!(
        names(folder.path()),
        ["marks.csv", "marks.npy", "pairs.csv", "pairs.npy"]
    );
}

/// Shape and numbers of an NPY file, by another library.
fn numbers<T: npyz::Deserialize>(path: &Path) -> (Vec<u64>, Vec<T>) {
    let file = npyz::NpyFile::new(fs::File::open(path).unwrap()).unwrap();
    (file.shape().to_vec(), file.into_vec().unwrap())
}

#[test]
fn rows_in_both_directions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows");
    let pairs = [Pair::new(2, 3), Pair::new(0, 3), Pair::new(0, 2), Pair::new(3, 4)];
    write_rows(&path, 6, &pairs).unwrap();
    assert_eq!(names(folder.path()), ["rows.neighbours.npy", "rows.offsets.npy"]);
    let offsets = numbers::<u32>(&folder.path().join("rows.offsets.npy"));
    assert_eq!(offsets, (vec![7], vec![0, 2, 2, 4, 7, 8, 8]));
    let neighbours = numbers::<u32>(&folder.path().join("rows.neighbours.npy"));
    assert_eq!(neighbours, (vec![8], vec![2, 3, 0, 3, 0, 2, 4, 3]));
    write_rows(&path, 0, &[]).unwrap();
    assert_eq!(
        numbers::<u32>(&folder.path().join("rows.offsets.npy")),
        (vec![1], vec![0])
    );
}

#[test]
fn ids_of_positions() {
    let scene = SceneFile {
        boxes: Scene::Uniform.generate(3, 1),
        ids: Some(vec![8, 5, 6]),
    };
    assert_eq!((scene.id_of(0), scene.id_of(1)), (8, 5));
    let pairs = [Pair::new(0, 1), Pair::new(0, 2), Pair::new(1, 2)];
    assert_eq!(
        scene.pairs_of_ids(&pairs),
        [Pair::new(5, 6), Pair::new(5, 8), Pair::new(6, 8)]
    );
    let plain = SceneFile { ids: None, ..scene };
    assert_eq!(plain.id_of(2), 2);
    assert_eq!(plain.pairs_of_ids(&pairs), pairs);
}
