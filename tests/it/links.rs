//! Links and pictures of the documents: each link has a valid target, and each picture is shown.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::words::project;

/// Documents outside the book.
const OTHERS: [&str; 8] = [
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "crates/bevy_obbligato/README.md",
    "crates/robot/README.md",
    "crates/web/package/README.md",
    "python/README.md",
];
const BOOK: &str = "docs/src";

/// All files in a folder of the project and below, by their paths in the project.
fn files(folder: &str) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(project().join(&folder)).expect("a folder") {
            let path = folder.join(entry.expect("an entry").file_name());
            if project().join(&path).is_dir() {
                folders.push(path);
            } else {
                all.push(path);
            }
        }
    }
    all
}

/// The text of a page, without its code blocks.
fn prose(page: &Path) -> String {
    let content = fs::read_to_string(project().join(page)).expect("a page");
    let mut prose = String::new();
    let mut is_code = false;
    for line in content.lines() {
        let is_fence = line.trim_start().starts_with("```");
        if !is_fence && !is_code {
            prose.push_str(line);
            prose.push('\n');
        }
        is_code ^= is_fence;
    }
    prose
}

/// The targets of the links in a text.
fn targets(prose: &str) -> Vec<&str> {
    let ends = prose.split("](").skip(1);
    ends.filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target)
        .collect()
}

/// The anchors of a page: its headings, in the form used by books and repositories.
fn anchors(page: &Path) -> BTreeSet<String> {
    let anchor = |line: &str| {
        let heading = line.strip_prefix('#')?.trim_start_matches('#').trim().to_lowercase();
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        Some(kept.map(|c| if c == ' ' { '-' } else { c }).collect())
    };
    prose(page).lines().filter_map(anchor).collect()
}

/// A path from a page, without its `..`.
fn resolved(page: &Path, target: &str) -> PathBuf {
    let mut path = page.parent().expect("a folder").to_owned();
    for part in Path::new(target).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            part => path.push(part),
        }
    }
    path
}

/// The reason why a link of a page is broken.
fn problem(page: &Path, target: &str) -> Option<&'static str> {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = if file.is_empty() {
        page.to_owned()
    } else {
        resolved(page, file)
    };
    match () {
        () if !project().join(&path).is_file() => Some("there is no such file"),
        () if page.starts_with(BOOK) && !path.starts_with(BOOK) => Some("it leads out of the book"),
        () if !anchor.is_empty() && !anchors(&path).contains(anchor) => Some("there is no such heading"),
        () => None,
    }
}

fn pages() -> Vec<PathBuf> {
    let is_page = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "md");
    let others = OTHERS
        .iter()
        .map(PathBuf::from)
        .filter(|path| project().join(path).exists());
    files(BOOK).into_iter().filter(is_page).chain(others).collect()
}

#[test]
fn links_have_existing_targets() {
    let mut problems = String::new();
    let mut count = 0;
    for page in pages() {
        for target in targets(&prose(&page)) {
            if target.contains("://") {
                continue;
            }
            count += 1;
            if let Some(problem) = problem(&page, target) {
                problems += &format!("{}: {target}: {problem}\n", page.display());
            }
        }
    }
    assert!(problems.is_empty(), "{problems}");
    assert!(count > 60, "{count}");
}

#[test]
fn broken_links_are_found() {
    let page = Path::new("docs/src/guide/program.md");
    assert_eq!(problem(page, "../uses.md"), None);
    assert_eq!(problem(page, "#pictures"), None);
    assert_eq!(problem(page, "../images/none.png"), Some("there is no such file"));
    assert_eq!(problem(page, "library.md#none"), Some("there is no such heading"));
    assert_eq!(problem(page, "../../../README.md"), Some("it leads out of the book"));
    assert_eq!(targets("![a\nb](c.png) and [d](e#f)"), ["c.png", "e#f"]);
}

#[test]
fn every_page_and_picture_is_linked() {
    let book = files(BOOK);
    let mut shown: BTreeSet<PathBuf> = BTreeSet::from(["docs/src/SUMMARY.md".into()]);
    for page in pages() {
        shown.extend(targets(&prose(&page)).into_iter().map(|target| resolved(&page, target)));
    }
    // The summary lists all pages: a link from elsewhere does not add a page to the book.
    let summary = Path::new("docs/src/SUMMARY.md");
    let listed: BTreeSet<PathBuf> = targets(&prose(summary))
        .into_iter()
        .map(|target| resolved(summary, target))
        .collect();
    let is_hidden = |path: &&PathBuf| match path.extension().is_some_and(|ending| ending == "md") {
        true => *path != summary && !listed.contains(*path),
        false => !shown.contains(*path),
    };
    let sources: Vec<String> = files("src")
        .iter()
        .map(|path| fs::read_to_string(project().join(path)).unwrap_or_default())
        .collect();
    let is_in_sources = |path: &Path| {
        let path = path.to_string_lossy();
        sources.iter().any(|source| source.contains(&*path))
    };
    let hidden: Vec<&PathBuf> = book
        .iter()
        .filter(is_hidden)
        .filter(|path| !is_in_sources(path))
        .collect();
    assert!(hidden.is_empty(), "{hidden:?}");
}
