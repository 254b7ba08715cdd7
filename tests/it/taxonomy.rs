//! One taxonomy of shapes: what differs from shape to shape is in tables, so that another shape is
//! an entry in each of them and touches few other files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::words::project;

/// The enums of shapes, and of what is made of them.
const ENUMS: [&str; 7] = ["BodyRef", "Kind", "Records", "Sets", "Shape", "ShapeList", "Tested"];

/// The files that say for each shape what differs.
const TABLES: [&str; 10] = [
    "engine/cpu/tested.rs",
    "engine/gpu/kernels.rs",
    "engine/query/lists.rs",
    "narrow_phase/round/bodies.rs",
    "narrow_phase/table.rs",
    "shapes/any.rs",
    "shapes/bodies/core.rs",
    "shapes/bodies/set.rs",
    "shapes/bodies/slot.rs",
    "shapes/kind.rs",
];

/// The maximum number of other files that name a shape as a variant of these enums.
const MOST_FILES: usize = 5;

/// The shapes, each with the names of its variants.
const SHAPES: [(&str, &[&str]); 8] = [
    ("boxes", &["Box", "Boxes", "Obb"]),
    ("capsules", &["Capsule"]),
    ("spheres", &["Ball", "Balls", "Sphere"]),
    ("bounds", &["Aabb"]),
    ("triangles", &["Triangle", "Triangles"]),
    ("boxes with centers in f64", &["Boxes64", "Obb64"]),
    ("upright cuboids", &["Upright"]),
    ("moving boxes", &["Moving"]),
];

/// The code of a source, without comments and its last module of tests.
fn code(source: &str) -> String {
    let end = source.find("#[cfg(test)]\nmod tests {").unwrap_or(source.len());
    let lines = source[..end].lines().map(str::trim_start);
    lines
        .filter(|line| !line.starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The variants that code names: `Shape::Obb` is `Obb`. Names of other enums that merely end alike
/// do not count.
fn variants(code: &str) -> Vec<&str> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut found = Vec::new();
    for (at, _) in code.match_indices("::") {
        let before = &code[..at];
        let name = &before[before.rfind(|letter| !is_word(letter)).map_or(0, |end| end + 1)..];
        let after = &code[at + 2..];
        if ENUMS.contains(&name) {
            found.push(&after[..after.find(|letter| !is_word(letter)).unwrap_or(after.len())]);
        }
    }
    found
}

/// The sources of a folder, by their paths in `src`.
fn sources(folder: &Path, root: &Path, all: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path: PathBuf = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, root, all);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path
                .strip_prefix(root)
                .expect("below the root")
                .to_string_lossy()
                .replace('\\', "/");
            all.insert(name, fs::read_to_string(&path).expect("a source"));
        }
    }
}

/// The files that are compiled only for tests, each without its extension.
fn test_files(all: &BTreeMap<String, String>) -> Vec<String> {
    let mut files = Vec::new();
    for (file, source) in all {
        let folder = file.trim_end_matches(".rs").trim_end_matches("lib");
        for (at, found) in source.match_indices("#[cfg(test)]\nmod ") {
            let name = source[at + found.len()..].split([';', ' ']).next().unwrap_or_default();
            files.push(format!("{folder}/{name}").trim_start_matches('/').to_owned());
        }
    }
    files
}

#[test]
fn another_shape_touches_few_files_beside_the_tables() {
    let root = project().join("src");
    let mut all = BTreeMap::new();
    sources(&root, &root, &mut all);
    let tests = test_files(&all);
    let naming = |names: &[&str]| -> Vec<&str> {
        let is_test = |file: &str| {
            tests
                .iter()
                .any(|test| file == format!("{test}.rs") || file.starts_with(&format!("{test}/")))
        };
        let files = all.iter().filter(|(file, _)| !is_test(file));
        let files = files.filter(|(_, source)| variants(&code(source)).iter().any(|name| names.contains(name)));
        files.map(|(file, _)| &**file).collect()
    };
    let mut faults = String::new();
    for (shape, names) in SHAPES {
        let (tables, others): (Vec<_>, Vec<_>) = naming(names).into_iter().partition(|file| TABLES.contains(file));
        assert!(!tables.is_empty(), "{shape}: no table has {names:?}");
        if others.len() > MOST_FILES {
            faults += &format!("{shape}: {} files: {others:#?}\n", others.len());
        }
    }
    assert!(
        faults.is_empty(),
        "more than {MOST_FILES} files beside the tables name a shape\n{faults}"
    );
    for table in TABLES {
        assert!(
            !variants(&code(&all[table])).is_empty() || code(&all[table]).contains("shapes! {"),
            "{table}"
        );
    }
}

#[test]
fn variants_of_a_source() {
    let source = "// Shape::Aabb\nlet a = Shape::Obb; match b { Records::Bodies(_) | MyShape::Other => {} }\n#[cfg(test)]\nmod tests {\n Kind::Box }";
    assert_eq!(variants(&code(source)), ["Obb", "Bodies"]);
}
