//! The files that a check from disk removes: those that it has written, and nothing else.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use obbligato::Config;
use obbligato_files::Error;
use obbligato_files::out_of_core::{OutOfCore, check};
use obbligato_files::{Ids, SceneFile, write_scene, write_scene_file};
use obbligato_verify::scenes::Scene;

use super::{config, cut_list, options, own, pairs_of};

/// All files below a folder, with their content.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => _ = found.insert(path.clone(), fs::read(&path).expect("it is there")),
        }
    }
    found
}

/// Names that files of the work could have in any version.
const NAMES: [&str; 16] = [
    "part-000000",
    "part-000001-0123456789abcdef",
    "part-7.npy",
    "tile-000000.json",
    "pairs-000000",
    "pairs-0123456789abcdef",
    "pairs-1.csv",
    "pairs-merged-0-000000",
    "merged-0-0123456789abcdef",
    "plan.json",
    "lock",
    "list.jsonl",
    "list.old",
    "thesis.unfinished",
    "part-000000.unfinished",
    ".hidden",
];

#[test]
fn foreign_files_stay_unchanged() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let options = options(here, 300);
    for place in [
        options.folder.clone(),
        own(&options),
        options.folder.join("part-000000-folder"),
    ] {
        fs::create_dir_all(&place).expect("a folder");
        for name in NAMES {
            fs::write(place.join(name), format!("somebody's {name}")).expect("it can be written");
        }
    }
    fs::write(options.folder.join("list"), "of things to do").expect("it can be written");
    // The scene is in that folder, too, with a name like those of the work.
    let scene = options.folder.join("part-7.npy");
    let boxes = Scene::Dense.generate(3000, 1);
    write_scene(&scene, &boxes).expect("it can be written");
    let before = files(here);
    let ours = |options: &OutOfCore| files(&options.folder).len() - before.len();

    let near = Config {
        margin: 0.1,
        ..config()
    };
    for (config, keep) in [(config(), false), (config(), true), (near, true), (config(), false)] {
        let checked = check(&scene, &config, &options, &mut |_| {}).expect("sound");
        assert!(pairs_of(&checked).len() > 1000);
        assert!(ours(&options) > 2);
        match keep {
            true => drop(checked),
            false => {
                checked.remove().expect("it was there");
                assert_eq!(files(here), before);
            }
        }
    }
    // Work that was killed early, and work that is refused.
    drop(check(&scene, &config(), &options, &mut |_| {}).expect("sound"));
    cut_list(&options, |line, _| line < 1);
    drop(check(&scene, &config(), &options, &mut |_| {}).expect("sound"));
    let mut bad = boxes;
    bad[2900].half_extents.x = -1.0;
    let bad_scene = here.join("bad.npy");
    write_scene(&bad_scene, &bad).expect("it can be written");
    assert!(check(&bad_scene, &config(), &options, &mut |_| {}).is_err());
    for name in NAMES {
        for place in [&options.folder, &own(&options)] {
            let path = place.join(name);
            assert_eq!(
                fs::read(&path).expect("it is there"),
                before[&path],
                "{}",
                path.display()
            );
        }
    }
}

#[test]
fn an_existing_folder_is_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let scene = here.join("scene.npy");
    write_scene(&scene, &Scene::Uniform.generate(300, 1)).expect("it can be written");
    for made in [false, true] {
        let options = options(&here.join(made.to_string()), 100);
        if !made {
            fs::create_dir_all(&options.folder).expect("a folder");
        }
        // After an interruption it still knows that.
        drop(check(&scene, &config(), &options, &mut |_| {}).expect("sound"));
        let checked = check(&scene, &config(), &options, &mut |_| {}).expect("sound");
        checked.remove().expect("it was there");
        assert_eq!(options.folder.exists(), !made);
    }
}

#[test]
fn a_foreign_list_is_an_error() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let options = options(here, 100);
    let scene = here.join("scene.npy");
    write_scene(&scene, &Scene::Uniform.generate(300, 1)).expect("it can be written");
    fs::create_dir_all(own(&options)).expect("a folder");
    let list = own(&options).join("list");
    for content in ["eggs, milk\n", "obbligato check from disk 1\n", "x"] {
        fs::write(&list, content).expect("it can be written");
        let outcome = check(&scene, &config(), &options, &mut |_| {}).map(|checked| checked.totals);
        let said = outcome.expect_err("it is not a list of ours").to_string();
        assert!(said.contains("name another folder"), "{said}");
        assert_eq!(fs::read_to_string(&list).expect("it is there"), content);
    }
}

#[test]
fn refused_calls_leave_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let options = options(here, 4000);
    let sound = Scene::Uniform.generate(40_000, 1);
    let with = |change: &dyn Fn(&mut SceneFile)| {
        let mut scene = SceneFile {
            boxes: sound.clone(),
            ids: Some(Ids::Numbers((0..40_000).collect())),
            ..SceneFile::default()
        };
        change(&mut scene);
        let path = here.join("scene.parquet");
        write_scene_file(&path, &scene).expect("it can be written");
        path
    };
    let fails = |what: &str, scene: &Path, config: &Config, options: &OutOfCore| {
        let outcome = check(scene, config, options, &mut |_| {}).map(|checked| checked.totals);
        assert!(outcome.is_err(), "{what}");
        assert!(!options.folder.exists(), "{what}");
        outcome.expect_err("it is")
    };
    // In the first part and in the last one: others may be complete by then.
    for row in [0, 17, 20_000, 39_999] {
        let bad = with(&|scene| scene.boxes[row].center.y = f32::NAN);
        fails(&format!("row {row}"), &bad, &config(), &options);
        let twice = with(&|scene| {
            scene.ids = Some(Ids::Numbers(
                (0..40_000).map(|k| if k == row as u32 { 7 } else { k }).collect(),
            ));
        });
        fails(&format!("id of row {row}"), &twice, &config(), &options);
    }
    let scene = with(&|_| {});
    for margin in [-1.0, f32::NAN, f32::INFINITY] {
        let config = Config {
            margin: margin.into(),
            ..config()
        };
        fails("a margin", &scene, &config, &options);
    }
    let little = OutOfCore {
        memory: OutOfCore::LEAST_MEMORY - 1,
        ..options.clone()
    };
    let error = fails("little memory", &scene, &config(), &little);
    assert!(
        matches!(error, Error::Engine(obbligato::Error::OutOfMemory { needed, .. }) if needed == OutOfCore::LEAST_MEMORY)
    );
    fails("no scene", &here.join("none.parquet"), &config(), &options);
}
