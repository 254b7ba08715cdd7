//! Plain English in comments and documents: no odd phrases, no documentation that begins with a
//! question word, no long lines.

use std::fs;
use std::path::{Path, PathBuf};

/// Phrases that readers stumble over, in small letters, and what to write instead.
const PHRASES: [(&str, &str); 29] = [
    ("of no account", "\"ignored\""),
    ("held against", "\"compared with\""),
    ("so many", "\"the number of\", or the number itself"),
    ("anew", "\"again\""),
    ("to be had", "\"available\""),
    ("put right", "\"corrected\""),
    ("nothing else to do", "\"idle\""),
    ("no more go", "what holds in the end"),
    ("that there is none of", "what is missing"),
    ("was asked for", "\"was requested\""),
    ("is asked for", "\"is requested\""),
    ("are asked for", "\"are requested\""),
    ("beside that", "\"also\""),
    ("which nobody", "\"optional\", or who does it"),
    ("says so", "\"reports it\""),
    ("sees to it", "\"ensures\""),
    ("goes by", "\"uses\", or \"is named by\""),
    ("is a matter of", "\"depends on\", or \"is due to\""),
    ("made up for", "\"compensated\""),
    ("tells of", "\"reports\""),
    ("tells which", "\"finds\", \"shows\" or \"decides\""),
    ("tells whether", "\"decides whether\" or \"shows whether\""),
    ("tells if", "\"decides whether\" or \"shows whether\""),
    ("turned about", "\"rotated about\""),
    ("the frame before", "\"the previous frame\""),
    ("go by", "\"use\", or \"are named by\""),
    ("stand beside", "\"share\", or \"are next to\""),
    ("beside other", "\"with other\", or \"compared with other\""),
    ("capsules and balls", "\"capsules and spheres\""),
];

/// Words that begin no documentation: its first line names the thing or says what it does.
const OPENINGS: [&str; 7] = ["What", "Whether", "Where", "How", "The same", "So that", "So many"];

/// The maximum width of a comment line, except in tables and lines with an address.
const MAX_COLUMNS: usize = 100;

/// The folders of the checked sources, in Rust and WGSL.
pub const SOURCES: [&str; 7] = ["src", "shaders", "crates", "tests", "benches", "examples", "python/src"];

/// The folder of the checked pages.
const BOOK: &str = "docs/src";

/// The checked pages outside the book.
const PAGES: [&str; 12] = [
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "benches/peers/README.md",
    "benches/results/README.md",
    "crates/bevy_obbligato/README.md",
    "crates/robot/README.md",
    "crates/web/package/README.md",
    "python/README.md",
    "src/exactness.md",
    "tests/data/README.md",
];

/// Consecutive lines of one text: their numbers, from 1, and their words.
type Block<'a> = Vec<(usize, &'a str)>;

/// A line comment.
struct Comment<'a> {
    /// The number of its line, from 1.
    line: usize,
    /// `//`, `///` or `//!`.
    marker: &'a str,
    words: &'a str,
    /// Set if there is no code before it on its line.
    is_alone: bool,
}

/// Returns the line comments of a source.
fn comments(source: &str) -> Vec<Comment<'_>> {
    let mut comments = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < source.len() {
        let rest = &source.as_bytes()[at..];
        let length = if rest.starts_with(b"//") {
            let text = source[at..].lines().next().unwrap_or_default();
            let is_doc = text.starts_with("///") || text.starts_with("//!");
            let (marker, words) = text.split_at(if is_doc { 3 } else { 2 });
            let before = source[..at].rsplit('\n').next().unwrap_or_default();
            comments.push(Comment {
                line,
                marker,
                words: words.trim(),
                is_alone: before.trim().is_empty(),
            });
            text.len()
        } else {
            literal_length(rest).unwrap_or(1)
        };
        line += rest[..length].iter().filter(|&&byte| byte == b'\n').count();
        at += length;
    }
    comments
}

/// Returns the length of the literal or block comment that a text begins with, if any.
fn literal_length(text: &[u8]) -> Option<usize> {
    let through = |start: usize, end: &str| {
        let mut parts = text[start..].windows(end.len());
        let found = parts.position(|part| part == end.as_bytes());
        found.map_or(text.len(), |at| start + at + end.len())
    };
    match text {
        [b'/', b'*', ..] => Some(through(2, "*/")),
        [b'"', ..] => Some(string_length(text)),
        [b'\'', b'\\', _, ..] => Some(through(3, "'")),
        [b'\'', rest @ ..] => {
            let is_continued = |byte: &&u8| (0x80..0xC0).contains(*byte);
            let width = 1 + rest.iter().skip(1).take_while(is_continued).count();
            // Otherwise it is a lifetime.
            (rest.get(width) == Some(&b'\'')).then_some(width + 2)
        }
        [b'r', rest @ ..] => {
            let hashes = rest.iter().take_while(|&&byte| byte == b'#').count();
            let is_string = rest.get(hashes) == Some(&b'"');
            is_string.then(|| through(2 + hashes, &format!("\"{}", "#".repeat(hashes))))
        }
        _ => None,
    }
}

/// Returns the length of the string literal that a text begins with.
fn string_length(text: &[u8]) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != b'"' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    text.len().min(at + 1)
}

/// Returns `true` if a text begins with these whole words.
fn begins_with(text: &str, words: &str) -> bool {
    let rest = text.strip_prefix(words);
    rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// Returns the faults of a source's comments, outside the examples in documentation.
fn faults_of_source(name: &str, source: &str) -> Vec<String> {
    let lines: Vec<&str> = source.lines().collect();
    let mut faults = Vec::new();
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut last: Option<(usize, &str)> = None;
    let mut is_code = false;
    for comment in comments(source) {
        let Comment {
            line,
            marker,
            words,
            is_alone,
        } = comment;
        let continues = is_alone && last == Some((line - 1, marker));
        last = is_alone.then_some((line, marker));
        if !continues {
            blocks.push(Block::new());
            is_code = false;
        }
        let is_fence = words.starts_with("```");
        is_code ^= is_fence;
        if is_fence || is_code {
            continue;
        }
        if let Some(block) = blocks.last_mut() {
            block.push((line, words));
        }
        let opening = OPENINGS.iter().find(|opening| begins_with(words, opening));
        if let Some(opening) = opening
            && marker != "//"
            && !continues
        {
            faults.push(format!(
                "{name}:{line}: begins with \"{opening}\": name the thing, or say what it does"
            ));
        }
        let columns = lines[line - 1].chars().count();
        if is_alone
            && columns > MAX_COLUMNS
            && !words.contains('|')
            && !words.contains("://")
            && !words.contains(">>> ")
        {
            faults.push(format!("{name}:{line}: {columns} columns: wrap it at {MAX_COLUMNS}"));
        }
    }
    faults.extend(blocks.iter().flat_map(|block| faults_of_block(name, block)));
    faults
}

/// Returns the faults of a page in Markdown, outside its code blocks.
fn faults_of_page(name: &str, page: &str) -> Vec<String> {
    let mut blocks: Vec<Block<'_>> = vec![Block::new()];
    let mut is_code = false;
    for (index, line) in page.lines().enumerate() {
        let words = line.trim();
        let is_fence = words.starts_with("```");
        is_code ^= is_fence;
        if is_fence || words.is_empty() {
            blocks.push(Block::new());
        } else if let Some(block) = blocks.last_mut()
            && !is_code
        {
            block.push((index + 1, words));
        }
    }
    blocks.iter().flat_map(|block| faults_of_block(name, block)).collect()
}

/// Returns the phrases in a block, each with the line that it begins on.
fn faults_of_block(name: &str, block: &[(usize, &str)]) -> Vec<String> {
    let (mut text, mut starts) = (String::new(), Vec::new());
    for &(line, words) in block {
        starts.push((text.len(), line));
        text.push_str(&words.to_ascii_lowercase());
        text.push(' ');
    }
    let is_in_word = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    let mut faults = Vec::new();
    for (phrase, instead) in PHRASES {
        for (at, _) in text.match_indices(phrase) {
            let (before, after) = (&text[..at], &text[at + phrase.len()..]);
            if is_in_word(before.chars().next_back()) || is_in_word(after.chars().next()) {
                continue;
            }
            let start = starts.iter().rfind(|(start, _)| *start <= at);
            let line = start.map_or(0, |&(_, line)| line);
            faults.push(format!("{name}:{line}: \"{phrase}\": write {instead}"));
        }
    }
    faults
}

/// Adds the files with these endings in a folder and below, by their paths in the project.
pub fn add_files(folder: &Path, endings: &[&str], files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(project().join(folder)).expect("a folder") {
        let path = folder.join(entry.expect("an entry").file_name());
        let ending = path.extension().and_then(|ending| ending.to_str());
        if project().join(&path).is_dir() {
            if !path.ends_with("target") {
                add_files(&path, endings, files);
            }
        } else if ending.is_some_and(|ending| endings.contains(&ending)) {
            files.push(path);
        }
    }
}

/// The folder of the workspace.
pub fn project() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Returns the faults that `find` finds in files, given by their paths in the project.
fn faults_of_files(files: &[PathBuf], find: fn(&str, &str) -> Vec<String>) -> Vec<String> {
    let faults = files.iter().flat_map(|file| {
        let text = fs::read_to_string(project().join(file)).expect("a text");
        find(&file.display().to_string(), &text)
    });
    faults.collect()
}

#[test]
fn comments_are_plain_english() {
    let mut files = Vec::new();
    for folder in SOURCES {
        add_files(Path::new(folder), &["rs", "wgsl"], &mut files);
    }
    files.sort();
    assert!(files.len() > 500, "{} files", files.len());
    let faults = faults_of_files(&files, faults_of_source);
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn documents_are_plain_english() {
    let mut files: Vec<PathBuf> = PAGES.map(PathBuf::from).into();
    add_files(Path::new(BOOK), &["md"], &mut files);
    files.sort();
    assert!(files.len() > 10, "{} files", files.len());
    let faults = faults_of_files(&files, faults_of_page);
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn faults_of_comments_are_found() {
    let long = "word ".repeat(19);
    let [fits, wide, excepted] = [
        format!("\n// {long}\n"),
        format!("// {long}more\n"),
        format!("// {long} | {long}\n\n// {long} https://a.b\nlet x = \"{long}\"; // {long}\n"),
    ];
    let cases: [(&str, &[&str]); 18] = [
        ("/// How it works.\nfn f() {}\n", &["x.rs:1: begins with \"How\""]),
        ("\n    //! The same for two.\n", &["x.rs:2: begins with \"The same\""]),
        ("/// One.\n//! What.\n", &["x.rs:2: begins with \"What\""]),
        ("/// However far it is.\n", &[]),
        // Only the first line of documentation, and no other comment.
        ("/// The first line.\n/// How it goes on.\n", &[]),
        ("// How it works.\n", &[]),
        ("fn f() {}\n// It is made Anew here.\n", &["x.rs:2: \"anew\""]),
        (
            "/// One.\n/// Boxes are held\n/// against others.\n",
            &["x.rs:2: \"held against\""],
        ),
        ("let x = 1; // So many boxes, also many.\n", &["x.rs:1: \"so many\""]),
        // Apart from each other.
        ("let x = 1; // So\nlet y = 2; // many\n\n// so\n\n// many\n", &[]),
        // Strings, characters and lifetimes.
        ("let address = \"http://anew\"; let c = '\"'; // Fine.\n", &[]),
        ("let c = '\\''; // anew\n", &["x.rs:1: \"anew\""]),
        ("let c = 'ä'; let s: &'a str = \"\\\" // anew\";\n", &[]),
        ("let s = r#\"\n// \"anew\"\n\"#; // anew\n", &["x.rs:3: \"anew\""]),
        // Examples, and comments of other kinds.
        ("/// ```\n/// // anew\n/// ```\n/// Fine.\n/* anew */\n", &[]),
        (fits.as_str(), &[]),
        (wide.as_str(), &["x.rs:1: 102 columns"]),
        (excepted.as_str(), &[]),
    ];
    for (source, expected) in cases {
        let faults = faults_of_source("x.rs", source);
        let are_equal = faults.len() == expected.len();
        let begin_alike = faults
            .iter()
            .zip(expected)
            .all(|(fault, start)| fault.starts_with(start));
        assert!(are_equal && begin_alike, "{source:?}: {faults:?}");
    }
}

#[test]
fn faults_of_pages_are_found() {
    let page = "# Page\n\nSo\n\nmany.\n\n```\nanew\n```\nIt is held\nagainst others, \"anew\".\n";
    let faults = faults_of_page("page.md", page);
    let expected = ["page.md:10: \"held against\"", "page.md:11: \"anew\""];
    assert_eq!(faults.len(), expected.len(), "{faults:?}");
    assert!(
        faults
            .iter()
            .zip(expected)
            .all(|(fault, start)| fault.starts_with(start)),
        "{faults:?}"
    );
}
