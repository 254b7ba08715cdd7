//! Scene and result files: exact round trips here, motions in `motions.rs`, other shapes than boxes
//! in `shapes.rs`, triangles in `meshes`, and an error for every kind of bad input in `refused.rs`.

mod building;
#[cfg(all(feature = "bcf", feature = "parquet"))]
mod fuzzed;
mod meshes;
mod motions;
mod npy_files;
#[cfg(feature = "parquet")]
mod out_of_core;
#[cfg(feature = "parquet")]
mod parquet;
#[path = "../../../../tests/it/support/processes.rs"]
mod processes;
mod refused;
mod shapes;
mod value_rows;

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use npyz::WriterBuilder;
use obbligato::glam::{Quat, Vec3};
use obbligato::{
    Obb, Pair,
    query::NO_OWNER,
    report::{Adjacency, Direction},
};
use obbligato_files::{
    Id, Ids, ReadOptions, SceneFile, check_scene_path, read_pairs, read_point_list, read_scene, read_scene_from,
    read_scene_with, write_degrees, write_pairs, write_rows, write_scene, write_scene_file,
};
use obbligato_verify::scenes::Scene;
use tempfile::TempDir;

const HEADER: &str = "cx,cy,cz,hx,hy,hz,qx,qy,qz,qw";
const UPRIGHT_HEADER: &str = "x0,y0,x1,y1,x2,y2,x3,y3,z_min,z_max";

/// A folder with one file in it.
fn file(name: &str, content: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    (folder, path)
}

fn read_text(text: &str) -> obbligato_files::Result<SceneFile> {
    let (_folder, path) = file("scene.csv", text);
    read_scene(&path, None)
}

#[test]
fn tables_may_have_any_line_endings() {
    let row = |id: &str, x: u32| format!("{id},{x},0,0,1,1,1,0,0,0,1");
    let lines = [
        format!("id,{HEADER}"),
        String::new(),
        row("\"a\"", 0),
        row("\"b\rc\"", 1),
        row("d", 2),
        String::new(),
    ];
    let expected = read_text(&lines.join("\n")).unwrap();
    assert_eq!((expected.len(), expected.id_of(1)), (3, Id::Text("b\rc")));
    for end in ["\r\n", "\r"] {
        assert_eq!(read_text(&lines.join(end)).unwrap(), expected, "{end:?}");
        let bad = [&lines[..4], &[row("e", 3) + ",4"]].concat().join(end);
        let error = read_text(&bad).unwrap_err().to_string();
        assert!(error.contains("line 5 (id e) has 12 columns"), "{end:?}: {error}");
        let (_folder, path) = file("points.csv", ["x;y;z", "1;2;3", "4;5;6"].join(end));
        let points = read_point_list(&path).unwrap();
        assert_eq!(points, [Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)], "{end:?}");
        let (_folder, path) = file("pairs.csv", ["a,b", "1,2", "3,4"].join(end));
        assert_eq!(
            read_pairs(&path).unwrap().b.iter().collect::<Vec<_>>(),
            ["2", "4"],
            "{end:?}"
        );
    }
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

/// An NPY file with a handwritten header.
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
fn ids_and_rules_are_kept_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let scene = SceneFile {
        boxes: awkward_boxes()[..3].to_vec(),
        ids: Some(vec![7, 0, u32::MAX].into()),
        owners: Some(vec![NO_OWNER, 4, NO_OWNER - 1]),
        worlds: Some(vec![0, 9, u32::MAX]),
        statics: Some(vec![true, false, true]),
        ..SceneFile::default()
    };
    let mut grouped = scene.clone();
    grouped.boxes[1] = grouped.boxes[1].with_groups(2, 5);
    let with = |change: fn(&mut SceneFile, &SceneFile)| {
        let mut one = SceneFile {
            boxes: scene.boxes.clone(),
            ..SceneFile::default()
        };
        change(&mut one, &scene);
        one
    };
    let ids = with(|one, scene| one.ids = scene.ids.clone());
    let owners = with(|one, scene| one.owners = scene.owners.clone());
    let worlds = with(|one, scene| one.worlds = scene.worlds.clone());
    let statics = with(|one, scene| one.statics = scene.statics.clone());
    for scene in [scene.clone(), grouped, ids, owners, worlds, statics] {
        let path = folder.path().join("scene.csv");
        write_scene_file(&path, &scene).unwrap();
        assert_eq!(read_scene(&path, None).unwrap(), scene);
        let path = folder.path().join("scene.npy");
        for refused in [check_scene_path(&path, &scene), write_scene_file(&path, &scene)] {
            let error = refused.unwrap_err().to_string();
            assert!(
                error.contains("scene.npy: cannot hold the ids, groups and rules"),
                "{error}"
            );
        }
        assert!(scene.needs_csv());
    }
    let plain = with(|_, _| {});
    write_scene_file(&folder.path().join("scene.npy"), &plain).unwrap();
    assert_eq!(read_scene(&folder.path().join("scene.npy"), None).unwrap(), plain);
    let short = with(|one, _| one.worlds = Some(vec![1]));
    let error = write_scene_file(&folder.path().join("short.csv"), &short)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("worlds has length 1 but the number of bodies is 3"),
        "{error}"
    );
    assert_eq!(names(folder.path()), ["scene.csv", "scene.npy"]);
}

#[test]
fn csv_columns_may_have_any_order_and_notation() {
    let text = "\u{feff}name, qw,qz,qy,qx ,hz,hy,hx,cz,cy,cx,id,filter,memberships\r\n\
        \"a, \"\"b\"\"\nc\",1,0,0,0,6,5,4,3,2,1, 40 ,7,8\r\n\
        \r\n\n\
        plain,\"1\",0,0,0,6,5,4,3,2,+1e0,4294967295,7,8";
    let scene = read_text(text).unwrap();
    let obb = Obb::axis_aligned(Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)).with_groups(8, 7);
    assert_eq!(scene.boxes, [obb; 2]);
    assert_eq!(scene.ids, Some(vec![40, u32::MAX].into()));
}

/// The bytes compressed by gzip.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn semicolons_and_gzip() {
    let boxes = awkward_boxes();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.csv");
    write_scene(&path, &boxes).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let semicolons = format!(
        "note, with commas;{}",
        text.replace('\n', "\n\"a;\nb\";").replace(',', ";")
    );
    let semicolons = semicolons.trim_end_matches("\"a;\nb\";").to_owned();
    let (first, rest) = text.split_at(text.len() / 3);
    let several = [gzip(first.as_bytes()), gzip(b""), gzip(rest.as_bytes())].concat();
    for (name, content) in [
        ("semicolons.csv", semicolons.clone().into_bytes()),
        ("marked.csv", format!("\u{feff}{semicolons}").into_bytes()),
        ("one.csv.gz", gzip(text.as_bytes())),
        ("both.CSV.GZ", gzip(semicolons.as_bytes())),
        ("several.csv.gz", several),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, &content).unwrap();
        assert_eq!(bits(&read_scene(&path, None).unwrap().boxes), bits(&boxes), "{name}");
        let from_memory = read_scene_from(Path::new(name), Cursor::new(content), &ReadOptions::default());
        assert_eq!(bits(&from_memory.unwrap().boxes), bits(&boxes), "{name}");
    }
}

#[test]
fn ids_as_texts_and_other_columns() {
    let text = format!(
        "id,type,guid,{HEADER}\n1,\"a, b\",x,{0}\n2, ,\"y\"\"\",{0}\n",
        "1,2,3,4,5,6,0,0,0,1"
    );
    let (_folder, path) = file("scene.csv", &text);
    let options = ReadOptions {
        id_column: Some("guid".into()),
        columns: vec!["type".into(), "id".into()],
        ..ReadOptions::default()
    };
    let scene = read_scene_with(&path, &options).unwrap();
    assert_eq!((scene.id_of(0), scene.id_of(1)), (Id::Text("x"), Id::Text("y\"")));
    let types: Vec<&str> = scene.column("type").unwrap().iter().collect();
    assert_eq!(types, ["a, b", ""]);
    assert_eq!(scene.columns[1].values.get(1), "2");
    // The ids are kept, the columns are not.
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.csv");
    write_scene_file(&copy, &scene).unwrap();
    let again = read_scene(&copy, None).unwrap();
    assert_eq!((again.ids, again.columns), (scene.ids, Vec::new()));
}

#[test]
fn many_texts_are_found_and_unique() {
    // Ids that are not sorted, the first ones numbers.
    let id = |i: u32| {
        if i < 700 {
            format!("{}", i * 7919 % 1000)
        } else {
            format!("id{}", i * 7919 % 1000)
        }
    };
    let rows: String = (0..1000).map(|i| format!("{},1,2,3,4,5,6,0,0,0,1\n", id(i))).collect();
    let scene = read_text(&format!("id,{HEADER}\n{rows}")).unwrap();
    let order = scene.order().unwrap();
    let mut ranked: Vec<(u32, String)> = (0..1000).map(|i| (order.rank(i), id(i))).collect();
    ranked.sort();
    assert!(ranked.iter().map(|(_, id)| id).is_sorted());
    assert!((0..1000).all(|i| order.find(&id(i)) == Some(i)));
    assert_eq!((order.find("id"), order.find("")), (None, None));
    let twice = format!("id,{HEADER}\n{rows}{},1,2,3,4,5,6,0,0,0,1\n", id(17));
    let error = read_text(&twice).unwrap_err().to_string();
    assert!(error.contains(&format!("line 1002 (id {}) repeats", id(17))), "{error}");
}

#[test]
fn rules_are_columns() {
    let rows = ["0,9,1", ",0,0", "4294967294, 4294967295 ,1"];
    let rows: String = rows
        .iter()
        .map(|rules| format!("\n1,2,3,4,5,6,0,0,0,1,{rules}"))
        .collect();
    let scene = read_text(&format!("{HEADER},owner,world,static{rows}\n")).unwrap();
    assert_eq!(scene.owners, Some(vec![0, NO_OWNER, NO_OWNER - 1]));
    assert_eq!(scene.worlds, Some(vec![9, 0, u32::MAX]));
    assert_eq!(scene.statics, Some(vec![true, false, true]));
    let rules = scene.set().rules;
    assert_eq!(rules.owners, scene.owners.as_deref());
    assert_eq!(rules.worlds, scene.worlds.as_deref());
    assert_eq!(rules.statics, scene.statics.as_deref());
    assert!(rules.active.is_none() && rules.excluded.is_none());
    // A rule without a column is absent.
    let scene = read_text(&format!("{HEADER},world\n1,2,3,4,5,6,0,0,0,1,3\n")).unwrap();
    assert_eq!((scene.owners, scene.worlds, scene.statics), (None, Some(vec![3]), None));
}

#[test]
fn empty_scenes_are_fine() {
    assert_eq!(read_text(HEADER).unwrap(), SceneFile::default());
    assert_eq!(
        read_text(&format!("id,frame,{HEADER}\n")).unwrap().ids,
        Some(Ids::Numbers(Vec::new()))
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
    assert_eq!((frame.boxes.len(), frame.ids), (2, Some(vec![7, 2].into())));
    let frame = read_scene(&path, Some(6)).unwrap();
    assert_eq!((frame.boxes[0].center.x, frame.ids), (21.6, Some(vec![2].into())));
    let (_folder, path) = file("one.csv", TRACKS.lines().take(3).collect::<Vec<_>>().join("\n"));
    assert_eq!(read_scene(&path, None).unwrap().boxes.len(), 2);
}

#[test]
fn a_frame_without_ids_is_named_by_rows_of_the_file() {
    let row = "0,0,0,1,1,1,0,0,0,1";
    let text = format!("frame,{HEADER}\n2,{row}\n1,{row}\n\n2,{row}\n1,{row}\n");
    let (_folder, path) = file("frames.csv", &text);
    assert_eq!(read_scene(&path, Some(1)).unwrap().ids, Some(vec![1, 3].into()));
    assert_eq!(read_scene(&path, Some(2)).unwrap().ids, Some(vec![0, 2].into()));
    let (_folder, path) = file("one.csv", format!("frame,{HEADER}\n2,{row}\n"));
    assert_eq!(read_scene(&path, None).unwrap().ids, None);
}

#[test]
fn real_building() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/building.csv");
    let scene = read_scene(&path, None).unwrap();
    assert_eq!((scene.boxes.len(), scene.ids), (182, None));
    assert_eq!(scene.boxes[0].center, Vec3::new(-10.682_668, 0.851_701_56, 2.0));
    assert!(scene.boxes.iter().any(|obb| obb.rotation != Quat::IDENTITY));
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
    write_degrees(&path("marks.csv"), Some(&vec![9, 4].into()), &[0, 2]).unwrap();
    assert_eq!(fs::read_to_string(path("marks.csv")).unwrap(), "id,degree\n9,0\n4,2\n");
    write_degrees(&path("marks.npy"), Some(&vec![9, 4].into()), &[0, 2]).unwrap();
    assert_eq!(numbers::<u32>(&path("marks.npy")), (vec![2], vec![0, 2]));
    assert_eq!(
        names(folder.path()),
        ["marks.csv", "marks.npy", "pairs.csv", "pairs.npy"]
    );
}

/// The shape and the numbers of an NPY file, read by another library.
fn numbers<T: npyz::Deserialize>(path: &Path) -> (Vec<u64>, Vec<T>) {
    let file = npyz::NpyFile::new(fs::File::open(path).unwrap()).unwrap();
    (file.shape().to_vec(), file.into_vec().unwrap())
}

#[test]
fn rows_in_both_directions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows");
    let pairs = [Pair::new(2, 3), Pair::new(0, 3), Pair::new(0, 2), Pair::new(3, 4)];
    let write = |boxes, pairs: &[Pair]| write_rows(&path, &Adjacency::new(boxes, pairs, Direction::Both).unwrap());
    write(6, &pairs).unwrap();
    assert_eq!(names(folder.path()), ["rows.neighbours.npy", "rows.offsets.npy"]);
    let offsets = numbers::<u32>(&folder.path().join("rows.offsets.npy"));
    assert_eq!(offsets, (vec![7], vec![0, 2, 2, 4, 7, 8, 8]));
    let neighbours = numbers::<u32>(&folder.path().join("rows.neighbours.npy"));
    assert_eq!(neighbours, (vec![8], vec![2, 3, 0, 3, 0, 2, 4, 3]));
    write(0, &[]).unwrap();
    assert_eq!(
        numbers::<u32>(&folder.path().join("rows.offsets.npy")),
        (vec![1], vec![0])
    );
}

#[test]
fn ids_of_positions() {
    let scene = SceneFile {
        boxes: Scene::Uniform.generate(3, 1),
        ids: Some(vec![8, 5, 6].into()),
        ..SceneFile::default()
    };
    assert_eq!((scene.id_of(0), scene.id_of(1)), (Id::Number(8), Id::Number(5)));
    let pairs = [Pair::new(0, 1), Pair::new(0, 2), Pair::new(1, 2)];
    assert_eq!(
        scene.pairs_of_ids(&pairs).expect("memory"),
        [Pair::new(5, 6), Pair::new(5, 8), Pair::new(6, 8)]
    );
    let plain = SceneFile { ids: None, ..scene };
    assert_eq!(plain.id_of(2), Id::Number(2));
    assert_eq!(plain.pairs_of_ids(&pairs).expect("memory"), pairs);
}

#[test]
fn upright_cuboids_become_boxes() {
    // In any order of columns, with the columns that every scene may have.
    let text = format!(
        "id,{UPRIGHT_HEADER},memberships,note\n\
         7,0,0,4,0,4,2,0,2,0,2.5,3,a\n\
         9,1,0,-1,0,0,1,0,-1,-1,-1,1,b\n\
         2,100000.25,5,100000.25,5,100000.25,5,100000.25,5,1,2,1,a post\n"
    );
    let scene = read_text(&text).expect("three cuboids");
    assert_eq!(scene.ids, Some(vec![7, 9, 2].into()));
    let [hall, diamond, post] = scene.boxes[..] else {
        panic!("{:?}", scene.boxes);
    };
    let expected = Obb::axis_aligned(Vec3::new(2.0, 1.0, 1.25), Vec3::new(2.0, 1.0, 1.25));
    assert_eq!(hall, expected.with_groups(3, u32::MAX));
    assert_eq!((diamond.center, diamond.memberships), (Vec3::new(0.0, 0.0, -1.0), 1));
    let half = std::f32::consts::FRAC_1_SQRT_2;
    assert!((diamond.half_extents - Vec3::new(half, half, 0.0)).length() < 1e-7);
    let corner = Obb::axis_aligned(Vec3::new(0.99, 0.0, -1.0), Vec3::ZERO);
    assert!(diamond.contact(&corner).collides());
    assert_eq!(post.center, Vec3::new(100_000.25, 5.0, 1.5));
    assert_eq!(post.half_extents, Vec3::new(0.0, 0.0, 0.5));

    // A file without ids is written as boxes, and reads back as the same boxes.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("boxes.csv");
    write_scene(&path, &scene.boxes).unwrap();
    assert_eq!(read_scene(&path, None).unwrap().boxes, scene.boxes);
}
