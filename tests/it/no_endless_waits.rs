//! No test waits for a process without a limit.

use std::fs;
use std::path::Path;

use crate::words::project;

/// Functions of the standard library that wait for a process.
const ENDLESS: [&str; 4] = [".wait()", ".wait_with_output()", ".output()", ".status()"];

/// The file that waits with a limit.
const LIMITED: &str = "support/processes.rs";

fn endless(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            endless(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with(LIMITED) {
            let text = fs::read_to_string(&path).expect("a file");
            let lines = text.lines().enumerate();
            let waits = lines.filter(|(_, line)| ENDLESS.iter().any(|wait| line.contains(wait)) && !line.contains('"'));
            found.extend(waits.map(|(line, text)| format!("{}:{}: {}", path.display(), line + 1, text.trim())));
        }
    }
}

#[test]
fn no_test_waits_for_a_process_without_a_limit() {
    let mut found = Vec::new();
    for tests in ["tests", "crates/cli/tests"] {
        endless(&project().join(tests), &mut found);
    }
    assert!(
        found.is_empty(),
        "take `output_of`, `ended` or `status_of` of {LIMITED}:\n{}",
        found.join("\n")
    );
}
