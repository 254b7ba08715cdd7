//! Checks from disk: the same pairs as a check in memory, for any tiles and however often the work
//! is interrupted.

mod damage;
mod ownership;

use std::fs;
use std::path::{Path, PathBuf};

use obbligato::glam::Vec3;
use obbligato::{Backend, Checker, Config, Error, Obb, Pair, report::checksum};
use obbligato_files::out_of_core::{Checked, OutOfCore, Step, check};
use obbligato_files::{Ids, SceneFile, write_scene, write_scene_file};
use obbligato_verify::scenes::Scene;

fn config() -> Config {
    Config {
        backend: Backend::Cpu,
        ..Config::default()
    }
}

fn options(folder: &Path, tile_boxes: usize) -> OutOfCore {
    OutOfCore {
        tile_boxes: Some(tile_boxes),
        ..OutOfCore::in_folder(folder.join("work"))
    }
}

/// The folder that a check creates within the given one.
fn own(options: &OutOfCore) -> PathBuf {
    options.folder.join("obbligato-work")
}

/// The files of the work whose names begin with `start`.
fn files_of(options: &OutOfCore, start: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(own(options)).expect("a folder").flatten();
    let starts = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with(start))
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(starts).collect();
    files.sort();
    files
}

/// Truncates the list of the work to the entries that `keep` selects by their numbers and texts, as
/// if the check had been killed.
fn cut_list(options: &OutOfCore, keep: impl Fn(usize, &str) -> bool) {
    let list = own(options).join("list");
    let text = fs::read_to_string(&list).expect("a list");
    let kept = text
        .split_inclusive('\n')
        .enumerate()
        .filter(|(line, text)| keep(*line, text));
    fs::write(&list, kept.map(|(_, text)| text).collect::<String>()).expect("it can be written");
}

fn pairs_of(checked: &Checked) -> Vec<Pair> {
    let mut pairs = Vec::new();
    checked
        .pairs(|some| {
            pairs.extend_from_slice(some);
            Ok(())
        })
        .expect("they were kept");
    pairs
}

/// Checks a file from disk, removes the work, and compares the answer with one from memory.
fn agree(folder: &Path, file: &Path, boxes: &[Obb], names: Option<&[u32]>, config: &Config, tile_boxes: usize) {
    let report = Checker::new(config.clone())
        .and_then(|mut checker| checker.check(boxes))
        .expect("sound");
    let named = |pair: &Pair| names.map_or(*pair, |names| Pair::new(names[pair.a as usize], names[pair.b as usize]));
    let mut expected: Vec<Pair> = report.pairs().expect("asked for").iter().map(named).collect();
    expected.sort_unstable();
    let options = options(folder, tile_boxes);
    let checked = check(file, config, &options, &mut |_| {}).expect("it is sound");
    let what = format!("{}, tiles of {tile_boxes}: {} tiles", file.display(), checked.tiles);
    assert!(checked.tiles > 1 || boxes.len() <= tile_boxes, "{what}");
    assert!(pairs_of(&checked) == expected, "{what}");
    let totals = checked.totals;
    assert_eq!(totals.boxes, boxes.len() as u64, "{what}");
    assert_eq!(totals.colliding_pairs, report.colliding_pairs, "{what}");
    assert_eq!(totals.touching_pairs, report.touching_pairs, "{what}");
    assert_eq!(totals.near_pairs, report.near_pairs, "{what}");
    assert_eq!(totals.checksum, checksum(&expected), "{what}");
    assert!(totals.candidate_pairs >= report.candidate_pairs, "{what}");
    checked.remove().expect("it was there");
    assert!(!options.folder.exists(), "{what}");
}

#[test]
fn every_scene_from_either_format() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    for scene in Scene::ALL {
        let boxes = scene.generate(5000, 2);
        for name in ["scene.npy", "scene.parquet"] {
            let file = here.join(name);
            write_scene(&file, &boxes).expect("it can be written");
            for tile_boxes in [10_000, 700, 40] {
                agree(here, &file, &boxes, None, &config(), tile_boxes);
            }
        }
    }
}

#[test]
fn thousands_of_tiles_and_boxes_over_all_of_them() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let mut boxes = Scene::Giants.generate(4000, 2);
    boxes.insert(1234, Obb::axis_aligned(Vec3::ZERO, Vec3::splat(1e4)));
    boxes.push(Obb::axis_aligned(Vec3::ZERO, Vec3::new(1e5, 0.0, 0.1)));
    let file = here.join("scene.npy");
    write_scene(&file, &boxes).expect("it can be written");
    agree(here, &file, &boxes, None, &config(), 2);
}

#[test]
fn ids_groups_and_margins() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let boxes: Vec<Obb> = Scene::Dense
        .generate(3000, 4)
        .into_iter()
        .enumerate()
        .map(|(k, obb)| obb.with_groups(1 << (k % 3), if k % 5 == 0 { 1 } else { 7 }))
        .collect();
    // In random order, and up to the largest number.
    let names: Vec<u32> = (0..3000u32).map(|k| u32::MAX - k.wrapping_mul(7919) % 3000).collect();
    let scene = SceneFile {
        boxes: boxes.clone(),
        ids: Some(Ids::Numbers(names.clone())),
        ..SceneFile::default()
    };
    let file = here.join("scene.parquet");
    write_scene_file(&file, &scene).expect("it can be written");
    let near = Config {
        margin: 0.2,
        ..config()
    };
    for config in [config(), near] {
        agree(here, &file, &boxes, Some(&names), &config, 300);
    }
    let gpu = Config {
        backend: Backend::Gpu,
        ..config()
    };
    agree(here, &file, &boxes, Some(&names), &gpu, 900);
}

#[test]
fn empty_scenes_have_no_pairs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    for name in ["scene.npy", "scene.parquet"] {
        let file = here.join(name);
        write_scene(&file, &[] as &[Obb]).expect("it can be written");
        agree(here, &file, &[], None, &config(), 10);
    }
}

/// A callback that collects the steps of the work in order.
fn steps(seen: &mut Vec<Step>) -> impl FnMut(Step) {
    |step| seen.push(step)
}

#[test]
fn interrupted_work_is_resumed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let boxes = Scene::Clusters.generate(40_000, 3);
    let file = here.join("scene.npy");
    write_scene(&file, &boxes).expect("it can be written");
    let options = options(here, 3000);
    let whole = check(&file, &config(), &options, &mut |_| {}).expect("sound");
    let (expected, tiles, totals) = (pairs_of(&whole), whole.tiles, whole.totals);
    drop(whole);
    let parts = files_of(&options, "part-");
    assert_eq!(parts.len(), 3, "40,000 rows, 16,384 in a part");

    // All the work is there: nothing is repeated.
    let again = check(&file, &config(), &options, &mut |_| {}).expect("sound");
    assert_eq!((again.tiles_before, again.totals), (tiles, totals));
    assert!(again.engine.is_none() && pairs_of(&again) == expected);
    drop(again);

    // As after a kill: a part, its entry, and those of two tiles are missing, and a last entry is
    // incomplete.
    let part = fs::read(&parts[1]).expect("it is there");
    fs::remove_file(&parts[1]).expect("it is there");
    let begins = |text: &str, entry: &str| text.get(9..).is_some_and(|json| json.starts_with(entry));
    cut_list(&options, |_, text| {
        let lost = [
            "{\"part\":{\"number\":1,",
            "{\"tile\":{\"number\":2,",
            "{\"tile\":{\"number\":4,",
        ];
        !lost.iter().any(|entry| begins(text, entry))
    });
    let mut list = fs::read(own(&options).join("list")).expect("a list");
    list.extend_from_slice(b"01234567 {\"tile\":{\"number\":2,\"at\"");
    fs::write(own(&options).join("list"), list).expect("it can be written");
    let mut seen = Vec::new();
    let resumed = check(&file, &config(), &options, &mut steps(&mut seen)).expect("sound");
    assert_eq!(resumed.tiles_before, tiles - 2);
    assert_eq!(seen[1], Step::Scattered(40_000, 40_000));
    assert_eq!(seen.last(), Some(&Step::Checked(tiles, tiles)));
    assert_eq!(fs::read(&parts[1]).expect("it is there"), part);
    assert_eq!(resumed.totals, totals);
    assert!(pairs_of(&resumed) == expected);
    drop(resumed);

    // Work for another file or other settings is not reused.
    let other = Config {
        margin: 0.1,
        ..config()
    };
    let redone = check(&file, &other, &options, &mut |_| {}).expect("sound");
    assert_eq!(redone.tiles_before, 0);
    assert!(redone.totals.colliding_pairs > totals.colliding_pairs);
    drop(redone);
    write_scene(&file, &boxes[1..]).expect("it can be written");
    let redone = check(&file, &other, &options, &mut |_| {}).expect("sound");
    assert_eq!((redone.tiles_before, redone.totals.boxes), (0, 39_999));
    fs::write(options.folder.join("somebody's"), b"else").expect("it can be written");
    redone.remove().expect("it was there");
    assert!(!own(&options).exists());
    let left = fs::read_dir(&options.folder).expect("it is not empty").count();
    assert_eq!(left, 1, "what is not of the work stays");
}

#[test]
fn errors_are_reported_and_leave_no_answer() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let file = here.join("scene.parquet");
    let words = |file: &Path, options: &OutOfCore| match check(file, &config(), options, &mut |_| {}) {
        Ok(_) => panic!("{} is not a scene", file.display()),
        Err(error) => error.to_string(),
    };
    let options = options(here, 100);
    let mut boxes = Scene::Uniform.generate(1000, 1);
    boxes[700].half_extents.y = -1.0;
    boxes[800].center.x = f32::NAN;
    write_scene(&file, &boxes).expect("it can be written");
    let said = words(&file, &options);
    assert!(
        said.contains("row 700 has a negative") && said.contains("2 bad rows"),
        "{said}"
    );

    let scene = SceneFile {
        boxes: Scene::Uniform.generate(100, 1),
        ids: Some(Ids::Numbers((0..100).map(|k| if k == 60 { 7 } else { k }).collect())),
        ..SceneFile::default()
    };
    write_scene_file(&file, &scene).expect("it can be written");
    let said = words(&file, &options);
    assert!(said.contains("row 60 (id 7) repeats"), "{said}");

    let owned = SceneFile {
        boxes: Scene::Uniform.generate(10, 1),
        owners: Some(vec![0; 10]),
        ..SceneFile::default()
    };
    write_scene_file(&file, &owned).expect("it can be written");
    assert!(words(&file, &options).contains("has a column owner"));

    let text = here.join("scene.csv");
    write_scene(&text, &boxes[..10]).expect("it can be written");
    assert!(words(&text, &options).contains("give the scene as .npy or .parquet"));

    let cut = here.join("cut.npy");
    write_scene(&cut, &boxes[..500]).expect("it can be written");
    let bytes = fs::read(&cut).expect("it is there");
    fs::write(&cut, &bytes[..bytes.len() - 7]).expect("it can be written");
    assert!(words(&cut, &options).contains("its shape (500, 10) does not make"));

    let little = OutOfCore {
        memory: OutOfCore::LEAST_MEMORY - 1,
        ..options.clone()
    };
    write_scene(&cut, &boxes[..500]).expect("it can be written");
    let outcome = check(&cut, &config(), &little, &mut |_| {}).map(|checked| checked.totals);
    assert!(
        matches!(outcome, Err(obbligato_files::Error::Engine(Error::OutOfMemory { .. }))),
        "{outcome:?}"
    );
    assert!(!options.folder.exists(), "nothing is left of what is refused");
}

#[test]
fn two_processes_do_not_share_a_folder() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let file = here.join("scene.npy");
    write_scene(&file, &Scene::Uniform.generate(100, 1)).expect("it can be written");
    let first = check(&file, &config(), &options(here, 50), &mut |_| {}).expect("sound");
    let second = check(&file, &config(), &options(here, 50), &mut |_| {}).map(|checked| checked.totals);
    assert!(second.is_err_and(|error| error.to_string().contains("another process that is at work")));
    drop(first);
}
