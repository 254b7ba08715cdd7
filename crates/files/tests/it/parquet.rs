//! Parquet: the same scenes as CSV files, and files written by other programs
//! (`crates/files/tests/parquet/make.py`).

use std::fs;
use std::path::{Path, PathBuf};

use obbligato::glam::{DVec3, Vec3};
use obbligato::{Capsule, Pair, Sphere, motion::Motion, query::NO_OWNER, shape::OwnedBodies};
use obbligato_files::{
    Id, Ids, ReadOptions, SceneFile, read_frames, read_pairs, read_scene, read_scene_with, write_degrees, write_pairs,
    write_scene, write_scene_file,
};
use obbligato_verify::scenes::BodyScene;

use super::{awkward_boxes, names};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parquet").join(name)
}

/// The message of an error about a file of that folder.
fn error_of(name: &str) -> String {
    let error = read_scene(&data(name), None).expect_err(name).to_string();
    assert!(error.contains(name) && error.lines().count() == 1, "{error}");
    error
}

#[test]
fn all_compressions_and_encodings_of_another_library() {
    for name in ["none", "snappy", "gzip", "zstd", "lz4", "pages2", "groups", "split"] {
        let scene = read_scene(&data(&format!("{name}.parquet")), None).unwrap_or_else(|error| panic!("{error}"));
        let centers: Vec<f32> = scene.boxes.iter().map(|obb| obb.center.x).collect();
        assert_eq!(centers, [0.0, 1.5, 3.0, 9.0, 10.5], "{name}");
        assert!(
            scene
                .boxes
                .iter()
                .all(|obb| obb.half_extents == Vec3::ONE && obb.rotation.w == 1.0),
            "{name}"
        );
        assert_eq!(
            scene,
            SceneFile {
                boxes: scene.boxes.clone(),
                ..SceneFile::default()
            }
        );
    }
}

#[test]
fn columns_of_all_kinds() {
    let options = ReadOptions {
        columns: vec!["note".into(), "static".into()],
        motions: true,
        ..ReadOptions::default()
    };
    let scene = read_scene_with(&data("rules.parquet"), &options).expect("it is sound");
    let ids: Vec<Id> = (0..5).map(|k| scene.id_of(k)).collect();
    assert_eq!(ids, ["e", "d", "c", "b", "a"].map(Id::Text));
    assert_eq!(scene.owners.as_deref(), Some(&[1, NO_OWNER, NO_OWNER, 2, 2][..]));
    assert_eq!(scene.worlds.as_deref(), Some(&[0, 0, 0, 7, 7][..]));
    assert_eq!(scene.statics.as_deref(), Some(&[false, true, false, false, true][..]));
    let memberships: Vec<u32> = scene.boxes.iter().map(|obb| obb.memberships).collect();
    assert_eq!(memberships, [1, 2, 2, u32::MAX, 1]);
    let velocities: Vec<f32> = scene.motions.iter().flatten().map(|motion| motion.velocity.x).collect();
    assert_eq!(velocities, [0.0, 1.0, 2.5, 0.0, 0.0]);
    let notes: Vec<&str> = scene.column("note").expect("asked for").iter().collect();
    assert_eq!(notes, ["a, b", "", "\"", "", "z"]);
    let flags: Vec<&str> = scene.column("static").expect("asked for").iter().collect();
    assert_eq!(flags, ["false", "true", "false", "false", "true"]);
    // Ids are texts if one of them is not a non-negative integer.
    let signed = read_scene(&data("signed.parquet"), None).expect("it is sound");
    assert_eq!(signed.id_of(3), Id::Text("-3"));
    // Integers are valid coordinates.
    let whole = read_scene(&data("whole.parquet"), None).expect("it is sound");
    assert_eq!(whole.boxes[4].center.x, 10.0);
    // Text that parses as a number counts as one, as in CSV.
    let words = error_of("words.parquet");
    assert!(
        words.contains("row 3 has \"nine\" in column cx instead of a number (1 bad row in all)"),
        "{words}"
    );
}

#[test]
fn invalid_columns_are_refused() {
    for (name, words) in [
        (
            "gap.parquet",
            "row 1 has nothing in column cy instead of a number (2 bad rows in all)",
        ),
        ("nested.parquet", "lacks columns (cz)"),
    ] {
        let error = error_of(name);
        assert!(error.contains(words), "{name}: {error}");
    }
}

#[test]
fn unread_columns_may_be_of_any_type() {
    for (column, words) in [("tags.list.element", "lists"), ("price", "decimals")] {
        let options = ReadOptions {
            columns: vec![column.into()],
            ..ReadOptions::default()
        };
        let error = read_scene_with(&data("rules.parquet"), &options)
            .expect_err(column)
            .to_string();
        assert!(error.contains(&format!("holds {words} in column {column}")), "{error}");
    }
}

/// Scenes with everything that a file can contain.
fn scenes() -> Vec<(&'static str, SceneFile)> {
    let boxes = awkward_boxes();
    let count = boxes.len();
    let plain = SceneFile {
        boxes: boxes.clone(),
        ..SceneFile::default()
    };
    let ruled = SceneFile {
        boxes: boxes.iter().map(|obb| obb.with_groups(5, 1 << 31)).collect(),
        ids: Some(Ids::Numbers((0..count as u32).map(|k| u32::MAX - 3 * k).collect())),
        owners: Some(
            (0..count as u32)
                .map(|k| if k % 2 == 0 { NO_OWNER } else { k })
                .collect(),
        ),
        worlds: Some((0..count as u32).map(|k| k << 20).collect()),
        statics: Some((0..count).map(|k| k % 3 == 0).collect()),
        ..SceneFile::default()
    };
    let moving = SceneFile {
        boxes: boxes.clone(),
        motions: Some(
            (0..count)
                .map(|k| {
                    let motion = Motion::linear(Vec3::new(1.0 / 3.0, k as f32, -0.0)).turning(Vec3::Y);
                    if k == 1 { motion.accelerated(Vec3::Z) } else { motion }
                })
                .collect(),
        ),
        ..SceneFile::default()
    };
    let wide = SceneFile {
        centers: Some(
            boxes
                .iter()
                .map(|obb| obb.center.as_dvec3() + DVec3::splat(1e-13))
                .collect(),
        ),
        boxes: boxes.clone(),
        ..SceneFile::default()
    };
    let OwnedBodies { boxes: some, .. } = "uniform".parse::<BodyScene>().expect("a scene").bodies(3, 1);
    let shaped = SceneFile {
        boxes: some,
        capsules: vec![Capsule::new(Vec3::X, 2.0, boxes[0].rotation, 0.1).with_groups(1, 2)],
        spheres: vec![Sphere::new(Vec3::Y, 0.5), Sphere::new(Vec3::Z, 0.0)],
        ..SceneFile::default()
    };
    vec![
        ("plain", plain),
        ("ruled", ruled),
        ("moving", moving),
        ("wide", wide),
        ("shaped", shaped),
    ]
}

#[test]
fn scenes_read_back_as_from_csv() {
    let folder = tempfile::tempdir().unwrap();
    for (name, scene) in scenes() {
        let read: Vec<SceneFile> = ["csv", "parquet"]
            .map(|ending| {
                let path = folder.path().join(format!("{name}.{ending}"));
                write_scene_file(&path, &scene).unwrap_or_else(|error| panic!("{name}: {error}"));
                let options = ReadOptions {
                    motions: scene.motions.is_some(),
                    f64: scene.centers.is_some(),
                    ..ReadOptions::default()
                };
                read_scene_with(&path, &options).unwrap_or_else(|error| panic!("{name}: {error}"))
            })
            .into();
        assert_eq!(read[0], read[1], "{name}");
        assert_eq!(
            (&read[1].owners, &read[1].statics, &read[1].centers),
            (&scene.owners, &scene.statics, &scene.centers)
        );
        // Centers in f64 take precedence.
        assert!(read[1].boxes == scene.boxes || name == "wide", "{name}");
    }
    assert_eq!(names(folder.path()).len(), 10, "no temporary file stays");
}

#[test]
fn many_row_groups_come_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.parquet");
    // More than a row group, which has 2^20 rows.
    let boxes = obbligato_verify::scenes::Scene::Uniform.generate((1 << 20) + 1000, 1);
    write_scene(&path, &boxes).unwrap();
    assert!(read_scene(&path, None).unwrap().boxes == boxes);
}

/// Boxes without ids and rules are read by a separate code path.
#[test]
fn plain_boxes_match_the_general_reader() {
    let both = |path: &Path| {
        let options = ReadOptions {
            motions: true,
            ..ReadOptions::default()
        };
        let plain = read_scene(path, None).map_err(|error| error.to_string());
        let table = read_scene_with(path, &options).map_err(|error| error.to_string());
        assert_eq!(
            plain,
            table.map(|scene| SceneFile { motions: None, ..scene }),
            "{path:?}"
        );
        plain.map(|scene| scene.len())
    };
    let mut wrong = 0;
    for entry in fs::read_dir(data("")).expect("the folder is there") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|ending| ending == "parquet") {
            wrong += u32::from(both(&path).is_err());
        }
    }
    assert!(wrong >= 3, "{wrong}");
    // Several tasks, the last one short; then one invalid box among the rows of each.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.parquet");
    let mut boxes = obbligato_verify::scenes::Scene::Uniform.generate(600_001, 1);
    write_scene(&path, &boxes).unwrap();
    assert_eq!(both(&path), Ok(600_001));
    let groups = boxes.iter().map(|obb| obb.with_groups(3, 1)).collect::<Vec<_>>();
    write_scene(&path, &groups).unwrap();
    assert_eq!(both(&path), Ok(600_001));
    for place in [5, 262_144, 600_000] {
        boxes[place].half_extents.y = -1.0;
    }
    write_scene(&path, &boxes).unwrap();
    let error = both(&path).expect_err("a bad box");
    assert!(
        error.contains("row 5 ") && error.contains("3 bad rows in all"),
        "{error}"
    );
}

#[test]
fn frames_and_results() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let pairs = [
        Pair { a: 3, b: 70 },
        Pair {
            a: 4_000_000_000,
            b: 4_294_967_294,
        },
    ];
    let path = here.join("pairs.parquet");
    write_pairs(&path, &pairs).unwrap();
    let read = read_pairs(&path).unwrap();
    let numbers: Vec<[&str; 2]> = read.a.iter().zip(read.b.iter()).map(|(a, b)| [a, b]).collect();
    assert_eq!(numbers, [["3", "70"], ["4000000000", "4294967294"]]);
    assert_eq!(read.frames, None);
    write_degrees(&here.join("degrees.parquet"), None, &[5, 0, 1]).unwrap();
    // A table without a required column is not a scene, and one without frames has none.
    let error = read_scene(&here.join("degrees.parquet"), None)
        .expect_err("no scene")
        .to_string();
    assert!(error.contains("lacks columns (cx"), "{error}");
    let error = read_frames(&data("none.parquet"), &ReadOptions::default())
        .expect_err("no frames")
        .to_string();
    assert!(error.contains("has no column frame"), "{error}");
    // A table may have no rows.
    write_pairs(&path, &[]).unwrap();
    assert!(read_pairs(&path).unwrap().a.is_empty());
}

#[test]
fn damaged_files_are_an_error_and_never_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.parquet");
    let mut errors = 0;
    for name in ["snappy", "zstd", "groups", "rules", "split"] {
        let whole = fs::read(data(&format!("{name}.parquet"))).unwrap();
        let mut check = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            if let Err(error) = read_scene(&path, None) {
                let error = error.to_string();
                assert_eq!(error.lines().count(), 1, "{error}");
                errors += 1;
            }
        };
        for length in (0..whole.len()).step_by(37) {
            check(&whole[..length]);
        }
        for place in (0..whole.len()).step_by(5) {
            let mut bytes = whole.clone();
            bytes[place] ^= 0x55;
            check(&bytes);
        }
    }
    assert!(errors > 500, "{errors}");
}
