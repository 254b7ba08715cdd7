//! The maximum length of a source file: each has one subject.

use std::fs;
use std::path::{Path, PathBuf};

use crate::words::{SOURCES, add_files, project};

/// The maximum number of lines of a file.
const MAX_LINES: usize = 500;

/// Files that exceed the maximum until they are split.
const EXCEPTIONS: [&str; 0] = [];

#[test]
fn files_have_one_subject() {
    let mut files = Vec::new();
    for folder in SOURCES {
        add_files(Path::new(folder), &["rs"], &mut files);
    }
    files.sort();
    assert!(files.len() > 500, "{} files", files.len());
    let is_exception = |file: &PathBuf| EXCEPTIONS.iter().any(|exception| file == Path::new(exception));
    let faults: Vec<String> = files
        .iter()
        .filter_map(|file| {
            let text = fs::read_to_string(project().join(file)).expect("a text");
            let (lines, name) = (text.lines().count(), file.display());
            match (lines > MAX_LINES, is_exception(file)) {
                (true, false) => Some(format!("{name}: {lines} lines: split it by subject")),
                (false, true) => Some(format!("{name}: {lines} lines: remove it from EXCEPTIONS")),
                _ => None,
            }
        })
        .collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    let missing: Vec<&&str> = EXCEPTIONS
        .iter()
        .filter(|exception| !files.iter().any(|file| file == Path::new(exception)))
        .collect();
    assert!(missing.is_empty(), "no such files: {missing:?}");
}
