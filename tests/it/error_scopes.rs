//! Every call into wgpu that a device may refuse is made in an error scope: without one, the
//! caller's device ends the program.

use std::fs;
use std::path::Path;

use crate::words::project;

/// Calls that a device may refuse, as the end of a line's path.
const REFUSABLE: [&str; 3] = [".create_", "queue.write_buffer(", "queue.submit("];

/// Functions whose callers open the scope, and the one that opens it itself.
const WITHIN: [&str; 4] = [
    "fn create(device: &wgpu::Device",
    "fn module(context: &Context",
    ") -> wgpu::RenderPipeline {",
    "pub fn check_presence(&self)",
];

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns `true` if a line, or one of those around it, opens a scope.
fn is_scoped(lines: &[&str], place: usize) -> bool {
    let mut inner = indent(lines[place]) + 1;
    lines[..=place].iter().rev().any(|line| {
        if line.trim().is_empty() || indent(line) >= inner {
            return false;
        }
        inner = indent(line);
        line.contains("scoped(") || WITHIN.iter().any(|head| line.contains(head))
    })
}

/// Returns the calls of a file outside of error scopes.
fn faults(name: &str, text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
    let lines: Vec<&str> = code.lines().collect();
    let is_call = |line: &str| {
        let code = line.trim_start();
        let is_wgpu = line.contains("device") || line.contains("queue") || code.starts_with(".create_");
        is_wgpu && !code.starts_with("//") && REFUSABLE.iter().any(|call| line.contains(call))
    };
    let calls = lines.iter().enumerate().filter(|(_, line)| is_call(line));
    let outside = calls.filter(|(place, _)| !is_scoped(&lines, *place));
    outside
        .map(|(place, line)| format!("{name}:{}: {}", place + 1, line.trim()))
        .collect()
}

fn search(folder: &Path, found: &mut Vec<String>, files: &mut usize) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let is_test = path.ends_with("tests") || path.ends_with("tests.rs") || path.ends_with("statistics.rs");
        if is_test {
            continue;
        } else if path.is_dir() {
            search(&path, found, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).expect("a file");
            found.extend(faults(&path.display().to_string(), &text));
            *files += 1;
        }
    }
}

#[test]
fn every_refusable_call_is_in_an_error_scope() {
    let (mut found, mut files) = (Vec::new(), 0);
    for sources in ["src", "crates/render/src"] {
        search(&project().join(sources), &mut found, &mut files);
    }
    assert!(files > 300, "{files} files");
    assert!(
        found.is_empty(),
        "make it with a function of `Context`, or in `Context::scoped`:\n{}",
        found.join("\n")
    );
}

#[test]
fn calls_outside_of_scopes_are_found() {
    let scoped = "fn a() {\n    context.scoped(\"x\", 0, || {\n        context.queue.submit([b]);\n    })\n}\n";
    assert!(faults("a", scoped).is_empty());
    let beside = "fn a() {\n    context.scoped(\"x\", 0, || ())?;\n    context.queue.submit([b]);\n}\n";
    assert_eq!(faults("a", beside), ["a:3: context.queue.submit([b]);"]);
}
