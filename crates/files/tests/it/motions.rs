//! The motions of boxes in scene files.

use obbligato::glam::Vec3;
use obbligato::{Obb, motion::Motion};
use obbligato_files::{
    ReadOptions, SceneFile, check_scene_path, read_frames, read_scene, read_scene_with, write_scene_file,
};

use super::{HEADER, awkward_boxes, file, npy, raw_npy};

fn moving() -> ReadOptions {
    ReadOptions {
        motions: true,
        ..ReadOptions::default()
    }
}

/// Motions whose numbers are hard to print and read, accelerated if `accelerated` is set.
fn awkward_motions(count: usize, accelerated: bool) -> Vec<Motion> {
    let odd = [0.1, -3.0e-39, f32::MAX, -0.0, 1.0e-45, 16_777_217.0, 1.0 / 3.0];
    let vector = |k: usize| Vec3::new(odd[k % 7], odd[k / 7 % 7], odd[k / 49 % 7]);
    let motion = |k: usize| {
        let motion = Motion::linear(vector(k)).turning(vector(3 * k + 1));
        if accelerated {
            motion.accelerated(vector(5 * k + 2))
        } else {
            motion
        }
    };
    (0..count).map(motion).collect()
}

fn bits(motions: &Option<Vec<Motion>>) -> Vec<[u32; 12]> {
    let motions = motions.as_ref().expect("asked for");
    motions
        .iter()
        .map(|motion| obbligato::bytemuck::cast(*motion))
        .collect()
}

#[test]
fn motions_are_kept_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [csv, array] = ["scene.csv", "scene.npy"].map(|name| folder.path().join(name));
    // More rows than are read at once.
    let boxes: Vec<Obb> = awkward_boxes().into_iter().cycle().take(20_000).collect();
    for accelerated in [false, true] {
        let scene = SceneFile {
            motions: Some(awkward_motions(boxes.len(), accelerated)),
            boxes: boxes.clone(),
            ..SceneFile::default()
        };
        assert_eq!(scene.needs_csv(), accelerated);
        let paths = [Some(&csv), (!accelerated).then_some(&array)];
        for path in paths.into_iter().flatten() {
            write_scene_file(path, &scene).unwrap();
            let read = read_scene_with(path, &moving()).unwrap();
            assert_eq!(read.boxes, scene.boxes);
            assert!(bits(&read.motions) == bits(&scene.motions), "{}", path.display());
            let without = read_scene(path, None).unwrap();
            assert_eq!((without.boxes, without.motions), (read.boxes, None));
        }
        if accelerated {
            for refused in [check_scene_path(&array, &scene), write_scene_file(&array, &scene)] {
                let error = refused.unwrap_err().to_string();
                assert!(error.contains("nor accelerations: name it .csv"), "{error}");
            }
        }
    }
    let scene = SceneFile {
        boxes: boxes[..1].to_vec(),
        motions: Some(vec![Motion::REST.uncertain(1.0)]),
        ..SceneFile::default()
    };
    for path in [&csv, &array] {
        let error = write_scene_file(path, &scene).unwrap_err().to_string();
        assert!(error.contains("has no column for the uncertainty"), "{error}");
    }
    let short = SceneFile {
        motions: Some(Vec::new()),
        ..scene
    };
    let error = write_scene_file(&csv, &short).unwrap_err().to_string();
    assert!(
        error.contains("motions has length 0 but the number of bodies is 1"),
        "{error}"
    );
}

#[test]
fn columns_may_be_missing_and_fields_empty() {
    let text = format!("az,{HEADER},frame,wy\n ,0,0,0,1,1,1,0,0,0,1,4, 2.5\n-9.81,0,0,0,1,1,1,0,0,0,1,3,\n");
    let (_folder, path) = file("scene.csv", text);
    let frames = read_frames(&path, &moving()).unwrap();
    let of = |k: usize| frames[k].1.motions.clone();
    let falling = Motion::REST.accelerated(Vec3::new(0.0, 0.0, -9.81));
    assert_eq!((frames[0].0, of(0)), (3, Some(vec![falling])));
    assert_eq!(of(1), Some(vec![Motion::REST.turning(Vec3::new(0.0, 2.5, 0.0))]));
    for name in ["scene.csv", "scene.npy"] {
        let (_folder, path) = match name {
            "scene.csv" => file(name, format!("{HEADER}\n0,0,0,1,1,1,0,0,0,1\n")),
            _ => file(name, npy(&[1, 10], npyz::Order::C, &super::unit_rows(1))),
        };
        assert_eq!(
            read_scene_with(&path, &moving()).unwrap().motions,
            Some(vec![Motion::REST])
        );
    }
}

#[test]
fn bad_motions() {
    let rows = |fields: &[&str]| {
        let row = |field: &&str| format!("0,0,0,1,1,1,0,0,0,1,{field}\n");
        [format!("{HEADER},wz\n"), fields.iter().map(row).collect()].concat()
    };
    let mut numbers = [super::unit_rows(1), vec![0.5; 6]].concat().repeat(9000);
    numbers[8192 * 16 + 15] = f32::NAN;
    numbers[8999 * 16 + 10] = f32::NEG_INFINITY;
    let mut both = numbers.clone();
    both[5 * 16 + 3] = -1.0;
    let f4 = |numbers: &[f32]| npy(&[9000, 16], npyz::Order::C, numbers);
    let claims = raw_npy(
        1,
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 16), }",
        &[0; 127],
    );
    let cases: [(&str, Vec<u8>, &[&str]); 8] = [
        (
            "s.csv",
            rows(&["1", "inf", "", "nan"]).into(),
            &[
                "line 3 has \"inf\" in column wz instead of a finite number",
                "(2 bad rows in all)",
            ],
        ),
        ("s.csv", rows(&["1e39"]).into(), &["line 2 has \"1e39\" in column wz"]),
        ("s.csv", rows(&["1,5"]).into(), &["line 2 has 12 columns"]),
        ("s.csv", rows(&["\"1,5\""]).into(), &["the decimal mark is a point"]),
        ("s.csv", format!("{HEADER},ax,ax\n").into(), &["has two columns ax"]),
        (
            "s.npy",
            f4(&numbers),
            &[
                "row 8192 has a number that is NaN or infinite, in its motion",
                "(2 bad rows in all)",
            ],
        ),
        (
            "s.npy",
            f4(&both),
            &["row 5 has a negative half extent", "(3 bad rows in all)"],
        ),
        (
            "s.npy",
            claims,
            &["is truncated: its shape is (2, 16) but only 1 of 2 rows"],
        ),
    ];
    for (name, content, expected) in cases {
        let (_folder, path) = file(name, content);
        let error = read_scene_with(&path, &moving()).unwrap_err().to_string();
        assert!(
            expected.iter().all(|part| error.contains(part)),
            "{error} lacks {expected:?}"
        );
    }
    // Motions are read only on request.
    let (_folder, path) = file("s.npy", f4(&numbers));
    assert_eq!(read_scene(&path, None).unwrap().boxes.len(), 9000);
    let (_folder, path) = file("s.csv", rows(&["fast", "nan"]));
    assert_eq!(read_scene(&path, None).unwrap().boxes.len(), 2);
}
