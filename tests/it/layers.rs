//! The layers of the library, and the test that enforces them.
//!
//! A file imports from its own layer and lower ones, names the file that has the item instead of
//! the crate's root, and is in no cycle of imports. Code that is compiled only for tests may import
//! anything.

mod imports;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::layers::imports::{Module, module_path};
use crate::words::project;

/// The folders and files of `src`, lowest first.
const LAYERS: [&str; 19] = [
    "base",
    "geometry",
    "device",
    "frame",
    "rules",
    // Below the shapes, so that it sees only bounds and nothing else of the shapes.
    "broad_phase",
    "shapes",
    "narrow_phase",
    "regions",
    "fitting",
    "outputs",
    "tiles",
    "engine",
    "questions",
    "checker",
    "gpu_checker",
    "tracking",
    "response",
    "unstable",
];

/// The root of the library, which is in no layer and may import anything.
const ROOT: &str = "lib.rs";

/// The files that each file imports, by their paths in `src`.
type Imports<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// The violations of the rules in these files, given as paths in `src` and texts.
fn faults(sources: &[(String, String)]) -> Vec<String> {
    let modules: Vec<Module> = sources.iter().map(|(path, text)| Module::read(path, text)).collect();
    let tests: Vec<String> = modules.iter().flat_map(Module::test_files).collect();
    let checked = |module: &&Module| {
        let is_below = |test: &String| format!("{}::", module.path).starts_with(&format!("{test}::"));
        module.file != ROOT && !tests.iter().any(is_below)
    };
    let modules: Vec<&Module> = modules.iter().filter(checked).collect();
    let files: BTreeMap<String, &str> = modules
        .iter()
        .map(|module| (module.path.clone(), module.file))
        .collect();

    let mut faults = Vec::new();
    let mut imports = Imports::new();
    for module in modules {
        let own = imports.entry(module.file).or_default();
        for path in module.imports() {
            match file_of(&path, &files) {
                Some(file) if file == module.file => {}
                Some(file) => _ = own.insert(file),
                None => faults.push(format!(
                    "src/{} imports {path} from the crate's root: name the file it is in",
                    module.file
                )),
            }
        }
        if layer(module.file).is_none() {
            faults.push(format!("src/{} is in no layer: add it to LAYERS", module.file));
        }
    }
    faults.extend(upward(&imports));
    faults.extend(circles(imports));
    faults
}

/// The file that the longest prefix of a path names, if any.
fn file_of<'a>(path: &str, files: &BTreeMap<String, &'a str>) -> Option<&'a str> {
    let ends = path.match_indices("::").map(|(end, _)| end).chain([path.len()]);
    ends.filter_map(|end| files.get(&path[..end])).last().copied()
}

/// The position of a file's layer in [`LAYERS`].
fn layer(file: &str) -> Option<usize> {
    let top = file.split('/').next().unwrap_or(file).trim_end_matches(".rs");
    LAYERS.iter().position(|&layer| layer == top)
}

/// The imports from higher layers.
fn upward(imports: &Imports) -> Vec<String> {
    let all = imports
        .iter()
        .flat_map(|(file, own)| own.iter().map(move |imported| (file, imported)));
    let upward = all.filter_map(|(file, imported)| {
        let (low, high) = (layer(file)?, layer(imported)?);
        let [below, above] = [LAYERS[low], LAYERS[high]];
        (low < high).then(|| format!("src/{file} imports src/{imported}: {above} is above {below}"))
    });
    upward.collect()
}

/// Cycles of imports, no two of which share a file.
fn circles(mut imports: Imports) -> Vec<String> {
    let mut circles = Vec::new();
    loop {
        // Files that import nothing more are in no cycle.
        loop {
            let left: BTreeSet<&str> = imports.keys().copied().collect();
            imports
                .values_mut()
                .for_each(|own| own.retain(|file| left.contains(file)));
            imports.retain(|_, own| !own.is_empty());
            if imports.len() == left.len() {
                break;
            }
        }
        // All files that are left import one another, so any walk along the imports returns to a
        // file.
        let Some(mut file) = imports.keys().next().copied() else {
            return circles;
        };
        let mut walk = Vec::new();
        while !walk.contains(&file) {
            walk.push(file);
            file = imports[file].first().expect("files without imports are removed");
        }
        let begin = walk
            .iter()
            .position(|&seen| seen == file)
            .expect("the walk has returned");
        let circle = &walk[begin..];
        circles.push(format!("circle: src/{} -> src/{file}", circle.join(" -> src/")));
        imports.retain(|file, _| !circle.contains(file));
    }
}

/// All files below a folder, with their paths from `root`.
fn read(folder: &Path, root: &Path, sources: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder is readable").path();
        if path.is_dir() {
            read(&path, root, sources);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let name = path.strip_prefix(root).expect("it is below the root");
            let name = name.to_string_lossy().replace('\\', "/");
            sources.push((name, fs::read_to_string(&path).expect("it is text")));
        }
    }
}

#[test]
fn no_module_imports_from_a_higher_layer() {
    let root = project().join("src");
    let mut sources = Vec::new();
    read(&root, &root, &mut sources);
    assert!(sources.len() > 50, "{} files", sources.len());
    let faults = faults(&sources);
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// [`faults`] of invented files.
fn faults_of<const N: usize>(sources: [(&str, &str); N]) -> Vec<String> {
    faults(&sources.map(|(file, text)| (file.into(), text.into())))
}

#[test]
fn layers_name_an_upward_import() {
    let faults = faults_of([
        ("geometry/x.rs", "use crate::engine::y::Y;"),
        ("engine/y.rs", "use std::fmt; use crate::base::Z; pub struct Y;"),
        ("base.rs", "pub struct Z;"),
    ]);
    assert_eq!(
        faults,
        ["src/geometry/x.rs imports src/engine/y.rs: engine is above geometry"]
    );
}

#[test]
fn layers_name_the_files_of_a_cycle() {
    let faults = faults_of([
        ("base/a.rs", "use super::b::B; use crate::base::d::D;"),
        ("base/b.rs", "fn f() -> crate::base::c::C { todo!() }"),
        ("base/c.rs", "use crate::base::{a::A as One, d::*};"),
        ("base/d.rs", ""),
        ("base/e.rs", "mod child; fn f() { child::g(); }"),
        ("base/e/child.rs", "use super::*;"),
    ]);
    let expected = [
        "circle: src/base/a.rs -> src/base/b.rs -> src/base/c.rs -> src/base/a.rs",
        "circle: src/base/e.rs -> src/base/e/child.rs -> src/base/e.rs",
    ];
    assert_eq!(faults, expected);
}

#[test]
fn layers_look_into_import_groups() {
    let faults = faults_of([
        (
            "base/x.rs",
            "use crate::{base, engine::{self, cpu::{Task, y::Y}}, Obb};",
        ),
        ("base.rs", ""),
        ("engine.rs", ""),
        ("engine/cpu.rs", ""),
        ("engine/cpu/y.rs", ""),
    ]);
    let expected = [
        "src/base/x.rs imports Obb from the crate's root: name the file it is in",
        "src/base/x.rs imports src/engine.rs: engine is above base",
        "src/base/x.rs imports src/engine/cpu.rs: engine is above base",
        "src/base/x.rs imports src/engine/cpu/y.rs: engine is above base",
    ];
    assert_eq!(faults, expected);
}

#[test]
fn layers_name_files_that_are_in_no_layer() {
    let faults = faults_of([("lib.rs", "mod stray;"), ("stray.rs", ""), ("base/x.rs", "")]);
    assert_eq!(faults, ["src/stray.rs is in no layer: add it to LAYERS"]);
}

#[test]
fn layers_ignore_tests_comments_and_text() {
    let own = r##"
        // use crate::engine::y; /* crate::engine */
        /// [`Y`](crate::engine::y)
        /* use crate::engine::y; */
        const TEXTS: [&str; 3] = ["crate::engine::y \" {", r#"" crate::engine::y"#, "\\"];
        const MARKS: [char; 3] = ['{', '\'', '"'];
        fn f<'a>(crate_::engine: &'a str) {}
        #[cfg(test)]
        pub(crate) mod tests { mod inner { use crate::engine::y; } }
        #[cfg(test)]
        #[path = "x/shared.rs"]
        mod shared;
    "##;
    let sources = [
        ("base/x.rs", own),
        ("base/x/shared.rs", "use crate::engine::y;"),
        ("engine/y.rs", ""),
    ];
    assert_eq!(faults_of(sources), [""; 0]);
    let after = [
        ("base/x.rs", &*format!("{own} use crate::engine::y;")),
        ("engine/y.rs", ""),
    ];
    assert_eq!(
        faults_of(after),
        ["src/base/x.rs imports src/engine/y.rs: engine is above base"]
    );
}

#[test]
fn layers_know_the_modules_of_files() {
    let files = ["lib.rs", "checker.rs", "base.rs", "base/memory/linux.rs"];
    assert_eq!(files.map(module_path), ["", "checker", "base", "base::memory::linux"]);
}
