//! The maximum length of a source file: each has one subject.

use std::fs;
use std::path::Path;

use crate::words::{SOURCES, add_files, project};

/// The maximum number of lines of a file.
const MAX_LINES: usize = 500;

#[test]
fn files_have_one_subject() {
    let mut files = Vec::new();
    for folder in SOURCES {
        add_files(Path::new(folder), &["rs"], &mut files);
    }
    files.sort();
    assert!(files.len() > 500, "{} files", files.len());
    let faults: Vec<String> = files
        .iter()
        .filter_map(|file| {
            let text = fs::read_to_string(project().join(file)).expect("a text");
            let lines = text.lines().count();
            (lines > MAX_LINES).then(|| format!("{}: {lines} lines: split it by subject", file.display()))
        })
        .collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
