//! Consistency of the documentation comments: documented parameters exist, and only rustdoc needs
//! the pages of `docs`.

use std::fs;
use std::path::PathBuf;

use crate::words::project;

/// The Rust sources of the libraries.
fn sources() -> Vec<(PathBuf, String)> {
    let root = project();
    let crates = ["bevy_obbligato", "files", "render", "robot", "support", "verify"]
        .map(|name| root.join("crates").join(name).join("src"));
    let mut folders = vec![root.join("src")];
    folders.extend(crates);
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(ending) if ending == "rs" => {
                    let text = fs::read_to_string(&path).expect("a source");
                    sources.push((path, text));
                }
                _ => {}
            }
        }
    }
    sources
}

/// The public functions of a source file: the lines of their documentation outside of examples, and
/// their declaration.
fn functions(source: &str) -> Vec<(Vec<&str>, String)> {
    let (mut functions, mut doc, mut is_code) = (Vec::new(), Vec::new(), false);
    let mut lines = source.lines().map(str::trim);
    while let Some(line) = lines.next() {
        if let Some(words) = line.strip_prefix("///") {
            let words = words.trim();
            is_code ^= words.starts_with("```");
            if !is_code {
                doc.push(words);
            }
        } else if !line.starts_with("#[") {
            let doc = std::mem::take(&mut doc);
            if line.starts_with("pub ") && line.contains("fn ") {
                let mut declaration = line.to_owned();
                while !declaration.ends_with(['{', ';', '}']) {
                    declaration += lines.next().unwrap_or("}");
                }
                functions.push((doc, declaration));
            }
        }
    }
    functions
}

/// The name in `` `name` is `` at the start of a line.
fn described(line: &str) -> Option<&str> {
    let (name, rest) = line.strip_prefix('`')?.split_once('`')?;
    let is_name = name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
    (is_name
        && [" is ", " are ", " has ", " says "]
            .iter()
            .any(|verb| rest.starts_with(verb)))
    .then_some(name)
}

#[test]
fn documented_parameters_exist() {
    let mut seen = 0;
    for (path, source) in sources() {
        for (doc, declaration) in functions(&source) {
            let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
            let words: Vec<&str> = declaration.split(|letter| !is_word(letter)).collect();
            for name in doc.iter().filter_map(|line| described(line)) {
                assert!(
                    words.contains(&name),
                    "{}: {name} is no part of {declaration}",
                    path.display()
                );
                seen += 1;
            }
        }
    }
    assert!(seen >= 3, "{seen} parameters are described");
    assert_eq!(described("`boxes` is a slice"), Some("boxes"));
}

/// A package without `docs` compiles: pictures and pages are read only when documentation is built,
/// and by tests of examples.
#[test]
fn only_documentation_reads_documents() {
    let mut seen = 0;
    for (path, source) in sources() {
        let before_doctests = source.split("#[cfg(doctest)]").next().unwrap_or_default();
        for line in before_doctests.lines().map(str::trim) {
            if line.contains("include_str!(") && line.contains("../docs/")
                || line.contains("include_bytes!(") && line.contains("../docs/")
            {
                assert!(line.starts_with("#[cfg_attr(doc, doc = "), "{}: {line}", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen >= 4, "{seen} pictures");
}
