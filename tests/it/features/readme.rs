//! Compares the table of features in docs/src/status.md with the tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const STATUS: &str = include_str!("../../../docs/src/status.md");
const TESTS: [&str; 11] = [
    include_str!("../../../crates/cli/tests/it/features.rs"),
    include_str!("boxes.rs"),
    include_str!("broad_phases.rs"),
    include_str!("engine.rs"),
    include_str!("meshes.rs"),
    include_str!("pictures.rs"),
    include_str!("rows.rs"),
    include_str!("rows/motion.rs"),
    include_str!("shapes.rs"),
    include_str!("tracking.rs"),
    include_str!("upright.rs"),
];

/// The number of rows in each chapter of the table.
const CHAPTERS: [(char, usize); 8] = [
    ('E', 12),
    ('U', 5),
    ('B', 8),
    ('R', 5),
    ('M', 10),
    ('P', 6),
    ('S', 6),
    ('X', 5),
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

/// The codes that tests are named after: `e1_gpu_finds_all_pairs` is for E1.
fn tested() -> BTreeSet<String> {
    let lines = TESTS.into_iter().flat_map(str::lines);
    let mut after_attribute = false;
    let mut codes = BTreeSet::new();
    for line in lines {
        if let (true, Some(name)) = (after_attribute, line.strip_prefix("fn ")) {
            let code = name.split('_').next().unwrap_or_default();
            codes.insert(code.to_uppercase());
        }
        after_attribute = line == "#[test]";
    }
    codes.extend(tested_in_python());
    codes
}

/// The codes that tests of the Python package are named after, as in `def test_x4_...`. If the
/// package is not there, as in a crate from a registry, its rows count as tested.
fn tested_in_python() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/tests");
    let Ok(files) = fs::read_dir(folder) else {
        return BTreeSet::from(["X4".to_owned()]);
    };
    let texts = files.flatten().filter_map(|file| fs::read_to_string(file.path()).ok());
    let code = |line: &str| {
        let code = line.strip_prefix("def test_")?.split('_').next()?.to_uppercase();
        let is_code = code.starts_with('X') && code.len() == 2 && code.ends_with(|c: char| c.is_ascii_digit());
        is_code.then_some(code)
    };
    texts
        .flat_map(|text| text.lines().filter_map(code).collect::<Vec<_>>())
        .collect()
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
