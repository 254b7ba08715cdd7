//! Work that is damaged after a kill is repeated, or causes an error. It never leads to another
//! answer.

use std::fs;
use std::path::{Path, PathBuf};

use obbligato::Pair;
use obbligato_files::out_of_core::{OutOfCore, Step, Totals, check};
use obbligato_files::write_scene;
use obbligato_verify::scenes::Scene;

use super::{config, cut_list, files_of, options, own, pairs_of};

/// A way to damage a file.
type Fault = (&'static str, fn(&mut Vec<u8>));

const FAULTS: [Fault; 9] = [
    ("emptied", |bytes| bytes.clear()),
    ("a byte shorter", |bytes| bytes.truncate(bytes.len().saturating_sub(1))),
    ("eight bytes shorter", |bytes| {
        bytes.truncate(bytes.len().saturating_sub(8))
    }),
    ("cut in half", |bytes| bytes.truncate(bytes.len() / 2)),
    ("longer", |bytes| bytes.extend([0; 8])),
    ("another first byte", |bytes| flip(bytes, 0, 2)),
    ("another byte in the middle", |bytes| flip(bytes, 1, 2)),
    ("another last byte", |bytes| flip(bytes, 2, 2)),
    ("zeros", |bytes| bytes.fill(0)),
];

/// Flips a bit of the byte at a fraction of the length.
fn flip(bytes: &mut [u8], part: usize, of: usize) {
    let place = (bytes.len().saturating_sub(1)) * part / of;
    if let Some(byte) = bytes.get_mut(place) {
        *byte ^= 4;
    }
}

/// A scene on disk, work on it as left by a kill, and the expected result of a check.
struct Killed {
    folder: tempfile::TempDir,
    scene: PathBuf,
    pairs: Vec<Pair>,
    totals: Totals,
}

impl Killed {
    /// Killed after this many of ten tiles were noted.
    fn after(tiles: usize) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let scene = folder.path().join("scene.npy");
        write_scene(&scene, &Scene::Dense.generate(20_000, 5)).expect("it can be written");
        let options = options(folder.path(), 2000);
        let whole = check(&scene, &config(), &options, &mut |_| {}).expect("sound");
        assert_eq!(whole.tiles, 10);
        let (pairs, totals) = (pairs_of(&whole), whole.totals);
        drop(whole);
        // The format, the start, two parts, tiles.
        cut_list(&options, |line, _| line < 4 + tiles);
        Self {
            folder,
            scene,
            pairs,
            totals,
        }
    }

    /// A copy of the work in another folder.
    fn copy(&self, number: usize) -> OutOfCore {
        let from = options(self.folder.path(), 2000);
        let to = options(&self.folder.path().join(number.to_string()), 2000);
        fs::create_dir_all(own(&to)).expect("a folder");
        for file in files_of(&from, "") {
            let name = file.file_name().expect("a name");
            fs::copy(&file, own(&to).join(name)).expect("it can be copied");
        }
        to
    }

    /// Resumes the work, and asserts that an answer, if any, is correct. Returns the number of
    /// tiles done before.
    fn resume(&self, options: &OutOfCore, what: &str) -> Result<usize, String> {
        let checked = check(&self.scene, &config(), options, &mut |_| {}).map_err(|error| error.to_string())?;
        assert_eq!(checked.totals, self.totals, "{what}");
        assert!(pairs_of(&checked) == self.pairs, "{what}");
        Ok(checked.tiles_before)
    }
}

fn damage(path: &Path, fault: fn(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).expect("it is there");
    fault(&mut bytes);
    fs::write(path, bytes).expect("it can be written");
}

#[test]
fn damaged_work_never_gives_another_answer() {
    let mut number = 0;
    for tiles in [0, 6, 10] {
        let killed = Killed::after(tiles);
        assert_eq!(killed.resume(&killed.copy(number), "untouched"), Ok(tiles));
        let names = files_of(&killed.copy(number), "");
        let names: Vec<_> = names
            .iter()
            .map(|path| path.file_name().expect("a name").to_owned())
            .collect();
        assert_eq!(names.len(), 4, "a list, two parts, the pairs");
        for name in &names {
            for (words, fault) in FAULTS {
                number += 1;
                let what = format!("{} {words}, after {tiles} tiles", name.display());
                let options = killed.copy(number);
                damage(&own(&options).join(name), fault);
                match killed.resume(&options, &what) {
                    Ok(before) => assert!(before <= tiles, "{what}"),
                    Err(error) => {
                        assert_eq!(name, "list", "{what}: {error}");
                        assert!(error.contains("obbligato-work/list: is"), "{what}: {error}");
                        // It remains an error until the folder is removed.
                        assert!(killed.resume(&options, &what).is_err(), "{what}");
                    }
                }
            }
            number += 1;
            let options = killed.copy(number);
            fs::remove_file(own(&options).join(name)).expect("it is there");
            let what = format!("{} removed, after {tiles} tiles", name.display());
            killed.resume(&options, &what).expect("it is done again");
        }
    }
}

#[test]
fn pairs_that_change_before_they_are_merged_are_an_error() {
    let killed = Killed::after(10);
    for (number, (words, fault)) in FAULTS.into_iter().enumerate() {
        let options = killed.copy(number);
        let checked = check(&killed.scene, &config(), &options, &mut |_| {}).expect("sound");
        let [pairs] = &files_of(&options, "pairs-")[..] else {
            panic!("the pairs of all tiles are in one file");
        };
        let before = fs::metadata(pairs).expect("it is there").len();
        damage(pairs, fault);
        let mut count = 0;
        let outcome = checked.pairs(|some| {
            count += some.len();
            Ok(())
        });
        match outcome {
            // Bytes after all runs do no harm.
            Ok(()) => assert!(fs::metadata(pairs).expect("it is there").len() > before, "{words}"),
            Err(error) => {
                let said = error.to_string();
                assert!(said.contains("is damaged: run the check again"), "{words}: {said}");
            }
        }
        drop(checked);
        killed.resume(&options, words).expect("it is done again");
    }
}

#[test]
fn parts_that_change_before_they_are_gathered_are_an_error() {
    let killed = Killed::after(0);
    let options = killed.copy(0);
    // When the first tile has been checked, all parts have been read only as far as the next one
    // needs.
    let mut part = files_of(&options, "part-").pop();
    let outcome = check(&killed.scene, &config(), &options, &mut |step| {
        if let Step::Checked(1, _) = step {
            damage(&part.take().expect("once"), |bytes| flip(bytes, 1, 2));
        }
    });
    let said = outcome
        .map(|checked| checked.totals)
        .expect_err("it is damaged")
        .to_string();
    assert!(said.contains("part-000001-") && said.contains("is damaged"), "{said}");
    killed.resume(&options, "the part is done again").expect("sound");
}
