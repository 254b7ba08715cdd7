//! The fuzz targets of the readers. The tests of the readers replay the corpora with them, without
//! a fuzzer.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use obbligato::Config;
use obbligato_files::out_of_core::{OutOfCore, check};
use obbligato_files::{
    BcfFile, Error, NamedPairs, Origins, PointGroups, ReadOptions, Result, SceneFile, read_frames, read_mesh,
    read_mesh_and_points, read_pairs, read_point_list, read_points_about, read_scene_from, read_scene_with,
    write_scene_file,
};

/// A target: it may write files into the folder, and panics where something is wrong.
type Target = fn(&Path, &[u8]);

/// The targets by name. Those of files are named by their extension.
pub const TARGETS: [(&str, Target); 16] = [
    ("csv_scene", csv_scene),
    ("csv_points", csv_points),
    ("csv_pairs", csv_pairs),
    ("gzip", gzip),
    ("npy", npy),
    ("parquet", parquet),
    ("obj", |folder, data| mesh(folder, "obj", data)),
    ("stl", |folder, data| mesh(folder, "stl", data)),
    ("ply", |folder, data| mesh(folder, "ply", data)),
    ("glb", |folder, data| mesh(folder, "glb", data)),
    ("gltf", |folder, data| mesh(folder, "gltf", data)),
    ("bcf", bcf),
    ("list", list),
    ("list_npy", list_npy),
    ("list_parquet", list_parquet),
    ("mesh_and_points", mesh_and_points),
];

/// Calls the target of this name.
///
/// # Panics
/// If there is none, or if it finds something wrong.
pub fn run(name: &str, folder: &Path, data: &[u8]) {
    let (_, target) = TARGETS.iter().find(|(known, _)| *known == name).expect("a target");
    target(folder, data);
}

/// Writes a file of the folder.
fn file(folder: &Path, name: &str, data: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, data).expect("the folder can be written");
    path
}

/// Returns the result if there is one. An error is one line of bounded length.
#[track_caller]
fn result<T>(result: Result<T>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            let message = error.to_string();
            assert!(!message.contains('\n') && message.len() < 2000, "{message:?}");
            let is_known = matches!(error, Error::File { .. } | Error::NoColumn { .. } | Error::Engine(_));
            assert!(is_known, "{message}");
            None
        }
    }
}

/// The ways to read a scene.
fn options() -> [ReadOptions; 3] {
    let plain = ReadOptions::default();
    let columns = ReadOptions {
        motions: true,
        id_column: Some("type".into()),
        columns: vec!["type".into(), "id".into()],
        ..plain.clone()
    };
    let precise = ReadOptions {
        f64: true,
        frame: Some(1),
        ..plain.clone()
    };
    [plain, columns, precise]
}

/// A scene that was read has only valid bodies, and lists of their length.
fn expect_valid(scene: &SceneFile) {
    assert!(scene.boxes.iter().all(|obb| obb.problem().is_none()));
    assert!(scene.capsules.iter().all(|capsule| capsule.problem().is_none()));
    assert!(scene.spheres.iter().all(|sphere| sphere.problem().is_none()));
    let lengths = [
        scene.rows.as_ref().map(Vec::len),
        scene.ids.as_ref().map(|ids| ids.len()),
        scene.groups.as_ref().map(Vec::len),
        scene.owners.as_ref().map(Vec::len),
        scene.worlds.as_ref().map(Vec::len),
        scene.statics.as_ref().map(Vec::len),
        scene.motions.as_ref().map(Vec::len),
    ];
    let columns = scene.columns.iter().map(|column| column.values.len());
    assert!(
        lengths
            .into_iter()
            .flatten()
            .chain(columns)
            .all(|length| length == scene.len())
    );
    if let Some(centers) = &scene.centers {
        assert_eq!(centers.len(), scene.boxes.len());
    }
}

/// A scene that was read can be written and is the same when it is read again.
fn expect_round_trip(folder: &Path, scene: &SceneFile) {
    let path = folder.join("again.csv");
    if scene.in_plane || scene.centers.is_some() || result(write_scene_file(&path, scene)).is_none() {
        return;
    }
    let motions = ReadOptions {
        motions: scene.motions.is_some(),
        ..ReadOptions::default()
    };
    let again = read_scene_with(&path, &motions).expect("what was written can be read");
    assert_eq!(again.len(), scene.len());
    assert_eq!(bits(&again), bits(scene));
}

/// The numbers of all bodies, by their rows.
fn bits(scene: &SceneFile) -> Vec<String> {
    let name = |k: usize| scene.rows.as_ref().map_or(k, |rows| rows[k] as usize);
    let mut bodies: Vec<(usize, String)> = (0..scene.len())
        .map(|k| (name(k), format!("{:?}", scene.bodies().at(k as u32))))
        .collect();
    bodies.sort();
    bodies.into_iter().map(|(_, body)| body).collect()
}

fn csv_scene(folder: &Path, data: &[u8]) {
    for (k, options) in options().into_iter().enumerate() {
        let contents = Cursor::new(data.to_vec());
        if let Some(scene) = result(read_scene_from("s.csv".as_ref(), contents, &options)) {
            expect_valid(&scene);
            if k == 0 {
                expect_round_trip(folder, &scene);
            }
        }
    }
    let path = file(folder, "frames.csv", data);
    for (_, frame) in result(read_frames(&path, &ReadOptions::default()))
        .into_iter()
        .flatten()
    {
        expect_valid(&frame);
    }
}

fn csv_points(folder: &Path, data: &[u8]) {
    let path = file(folder, "points.csv", data);
    for (column, origins) in [(None, Origins::Common), (Some("type"), Origins::Each)] {
        let groups: Option<PointGroups> = result(read_points_about(&path, column, origins));
        drop(groups);
    }
    let points = result(read_point_list(&path)).unwrap_or_default();
    assert!(points.iter().all(|point| point.is_finite()));
}

fn csv_pairs(folder: &Path, data: &[u8]) {
    let pairs: Option<NamedPairs> = result(read_pairs(&file(folder, "pairs.csv", data)));
    if let Some(pairs) = pairs {
        assert_eq!(pairs.a.len(), pairs.b.len());
    }
}

/// The first byte chooses: the text of a scene to compress, or a compressed file.
fn gzip(_: &Path, data: &[u8]) {
    let options = ReadOptions::default();
    let Some((&choice, data)) = data.split_first() else {
        return;
    };
    if choice != b't' {
        result(read_scene_from(
            "s.csv.gz".as_ref(),
            Cursor::new(data.to_vec()),
            &options,
        ));
        return;
    }
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packer, data).expect("memory");
    let packed = packer.finish().expect("memory");
    let unpacked = result(read_scene_from("s.csv.gz".as_ref(), Cursor::new(packed), &options));
    let plain = result(read_scene_from("s.csv".as_ref(), Cursor::new(data.to_vec()), &options));
    assert_eq!(unpacked.map(|scene| bits(&scene)), plain.map(|scene| bits(&scene)));
}

fn npy(folder: &Path, data: &[u8]) {
    scene_file(folder, "s.npy", data);
}

fn parquet(folder: &Path, data: &[u8]) {
    let path = scene_file(folder, "s.parquet", data);
    result(read_frames(&path, &ReadOptions::default()));
    result(read_pairs(&path));
    result(read_points_about(&path, None, Origins::Common));
}

fn scene_file(folder: &Path, name: &str, data: &[u8]) -> PathBuf {
    let path = file(folder, name, data);
    for options in options() {
        if let Some(scene) = result(read_scene_with(&path, &options)) {
            expect_valid(&scene);
            expect_round_trip(folder, &scene);
        }
    }
    path
}

fn mesh(folder: &Path, ending: &str, data: &[u8]) {
    let path = file(folder, &format!("mesh.{ending}"), data);
    if let Some(mesh) = result(read_mesh(&path)) {
        assert!(mesh.triangles.iter().all(|triangle| triangle.problem().is_none()));
        assert!(mesh.notes.iter().all(|note| note.to_string().len() < 2000));
    }
}

/// A mesh and points in one input, with a line of a dash between them.
fn mesh_and_points(folder: &Path, data: &[u8]) {
    const BETWEEN: &[u8] = b"\n-\n";
    let at = data.windows(BETWEEN.len()).position(|bytes| bytes == BETWEEN);
    let Some(at) = at else { return };
    let mesh = file(folder, "mesh.obj", &data[..at]);
    let points = file(folder, "points.csv", &data[at + BETWEEN.len()..]);
    if let Some((mesh, points)) = result(read_mesh_and_points(&mesh, &points)) {
        assert!(mesh.triangles.iter().all(|triangle| triangle.problem().is_none()));
        assert!(points.iter().all(|point| point.is_finite()));
    }
}

/// An archive of an earlier run, which a new run takes over.
fn bcf(folder: &Path, data: &[u8]) {
    let path = file(folder, "earlier.bcf", data);
    if let Some(archive) = result(BcfFile::begin(&path, "2026-01-31T12:00:00Z".into(), None)) {
        result(archive.finish());
    }
}

/// The list of a check from disk, of a file of three boxes.
fn list(folder: &Path, data: &[u8]) {
    let mut rows = b"\x93NUMPY\x01\0v\0{'descr': '<f4', 'fortran_order': False, 'shape': (3, 10), }".to_vec();
    rows.resize(127, b' ');
    rows.push(b'\n');
    let row = [0.0f32, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    rows.extend([row; 3].as_flattened().iter().flat_map(|number| number.to_le_bytes()));
    let own = folder.join("work/obbligato-work");
    let _ = fs::remove_dir_all(folder.join("work"));
    fs::create_dir_all(&own).expect("the folder can be written");
    file(&own, "list", data);
    let path = file(folder, "three.npy", &rows);
    if let Some(pairs) = from_disk(folder, &path) {
        assert_eq!(pairs, 3);
    }
}

fn list_npy(folder: &Path, data: &[u8]) {
    let _ = fs::remove_dir_all(folder.join("work"));
    from_disk(folder, &file(folder, "boxes.npy", data));
}

fn list_parquet(folder: &Path, data: &[u8]) {
    let _ = fs::remove_dir_all(folder.join("work"));
    from_disk(folder, &file(folder, "boxes.parquet", data));
}

/// Returns the number of pairs of a check from disk.
fn from_disk(folder: &Path, path: &Path) -> Option<u64> {
    let config = Config {
        backend: obbligato::Backend::Cpu,
        ..Config::default()
    };
    let checked = result(check(
        path,
        &config,
        &OutOfCore::in_folder(folder.join("work")),
        &mut |_| {},
    ))?;
    Some(checked.totals.colliding_pairs)
}
