//! NPY files of every version, long ones, and those of another library.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use obbligato::Obb;
use obbligato::glam::Vec3;
use obbligato_files::{ReadOptions, read_scene, read_scene_from, write_scene};
use obbligato_verify::scenes::Scene;

use crate::{awkward_boxes, bits, file, npy, raw_npy, unit_rows};

/// Rows are read by several threads at once, a few thousand at a time; in memory in sequence.
#[test]
fn long_npy_files_are_read_in_order() {
    let boxes = Scene::Uniform.generate(30_000, 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.npy");
    write_scene(&path, &boxes).unwrap();
    assert_eq!(bits(&read_scene(&path, None).unwrap().boxes), bits(&boxes));

    let whole = fs::read(&path).unwrap();
    let in_memory = |bytes: &[u8]| {
        read_scene_from(
            Path::new("scene.npy"),
            Cursor::new(bytes.to_vec()),
            &ReadOptions::default(),
        )
    };
    assert_eq!(bits(&in_memory(&whole).unwrap().boxes), bits(&boxes));
    for (length, problem) in [
        (whole.len() - 40 * 4_321 - 1, "only 25678 of 30000 rows are complete"),
        (whole.len() + 1, "holds more data"),
    ] {
        let mut bytes = whole.clone();
        bytes.resize(length, 0);
        let error = in_memory(&bytes).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
        fs::write(&path, bytes).unwrap();
        let error = read_scene(&path, None).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
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
