//! Compares the table of features in docs/src/status.md with the tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::words::{add_files, project};

const STATUS: &str = include_str!("../../../docs/src/status.md");
const OF_THE_PROGRAM: &str = include_str!("../../../crates/cli/tests/it/features.rs");

/// The number of rows in each chapter of the table.
const CHAPTERS: [(char, usize); 11] = [
    ('E', 14),
    ('U', 5),
    ('B', 8),
    ('R', 5),
    ('M', 10),
    ('P', 6),
    ('S', 6),
    ('X', 5),
    ('C', 7),
    ('A', 6),
    ('T', 2),
];

/// The status by code.
fn table() -> BTreeMap<&'static str, &'static str> {
    let mut table = BTreeMap::new();
    for line in STATUS.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, code, _, status, _, _] = cells[..] else {
            continue;
        };
        let is_code = code.starts_with(|c: char| c.is_ascii_uppercase())
            && code.len() > 1
            && code[1..].chars().all(|c| c.is_ascii_digit());
        if is_code {
            assert!(table.insert(code, status).is_none(), "{code} has two rows");
        }
    }
    table
}

/// Returns `true` for a letter of a chapter and a number.
fn is_code(part: &str) -> bool {
    let is_chapter = |letter| {
        CHAPTERS
            .iter()
            .any(|(chapter, _)| chapter.eq_ignore_ascii_case(&letter))
    };
    let is_number = |rest: &str| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit());
    part.strip_prefix(is_chapter).is_some_and(is_number)
}

/// The codes that the tests of a file are named after: `e1_gpu_finds_all_pairs` is for E1, and
/// `e1_e2_all_pairs` for both.
fn codes_of(text: &str) -> BTreeSet<String> {
    let mut after_attribute = false;
    let mut codes = BTreeSet::new();
    for line in text.lines().map(str::trim) {
        if let (true, Some(name)) = (after_attribute, line.strip_prefix("fn ")) {
            codes.extend(name.split('_').take_while(|part| is_code(part)).map(str::to_uppercase));
        }
        after_attribute = line == "#[test]";
    }
    codes
}

/// The codes of all tests: those of this program, of the command, and of both packages.
fn tested() -> BTreeSet<String> {
    let mut files = Vec::new();
    add_files(Path::new("tests/it"), &["rs"], &mut files);
    let text = |file: PathBuf| fs::read_to_string(project().join(file)).expect("a source");
    let mut codes: BTreeSet<String> = files.into_iter().flat_map(|file| codes_of(&text(file))).collect();
    codes.extend(codes_of(OF_THE_PROGRAM));
    codes.extend(tested_in_bevy());
    codes.extend(tested_in_python());
    codes.extend(tested_in_browsers());
    codes
}

/// The codes that tests of the plugin for Bevy are named after.
fn tested_in_bevy() -> BTreeSet<String> {
    let file = project().join("crates/bevy_obbligato/tests/it/messages.rs");
    codes_of(&fs::read_to_string(file).expect("a source"))
}

/// The codes that tests of the Python package are named after, as in `def test_x4_...`.
fn tested_in_python() -> BTreeSet<String> {
    let folder = project().join("python/tests");
    let files = fs::read_dir(folder).expect("a folder");
    let texts = files.flatten().filter_map(|file| fs::read_to_string(file.path()).ok());
    let code = |line: &str| {
        let code = line.strip_prefix("def test_")?.split('_').next()?;
        is_code(code).then(|| code.to_uppercase())
    };
    texts
        .flat_map(|text| text.lines().filter_map(code).collect::<Vec<_>>())
        .collect()
}

/// The codes that tests of the npm package are named after, as in `test("a3: ...`.
fn tested_in_browsers() -> BTreeSet<String> {
    let file = project().join("crates/web/tests/node.test.mjs");
    let text = fs::read_to_string(file).expect("a source");
    let code = |line: &str| {
        let code = line.strip_prefix("test(\"")?.split(':').next()?;
        is_code(code).then(|| code.to_uppercase())
    };
    text.lines().filter_map(code).collect()
}

#[test]
fn the_table_has_every_code() {
    let table = table();
    let expected: BTreeSet<String> = CHAPTERS
        .iter()
        .flat_map(|&(chapter, rows)| (1..=rows).map(move |row| format!("{chapter}{row}")))
        .collect();
    let found: BTreeSet<String> = table.keys().map(|&code| code.to_owned()).collect();
    assert_eq!(found, expected);
    for (code, status) in table {
        let known = ["works", "part", "not yet"].iter().any(|word| status.starts_with(word));
        assert!(known, "{code}: {status}");
    }
}

#[test]
fn every_working_feature_has_a_test() {
    let claimed: BTreeSet<String> = table()
        .into_iter()
        .filter(|(_, status)| !status.starts_with("not yet"))
        .map(|(code, _)| code.to_owned())
        .collect();
    assert_eq!(claimed, tested(), "left: what the table claims, right: what is tested");
}

/// Any test may have codes in its name; helpers, and words that are no codes, do not count.
#[test]
fn codes_are_those_of_tests() {
    let text = "#[test]\nfn e1_m10_two_rows() {}\n\nfn e2_helper() {}\n    #[test]\n    fn u3_within(a in b()) {}\n";
    let others = "#[test]\nfn f64_and_e4_bounds() {}\n#[test]\nfn parry_agrees() {}\n";
    assert!(codes_of(text).iter().eq(["E1", "M10", "U3"]) && codes_of(others).is_empty());
}
