//! The heads of shaders: after its describing comment, each file names the files that declare what
//! it uses, and the bindings that it leaves to the including shader.
//!
//! A file may be part of several kernels. Their files are in lists, `files![..]` in Rust, and a
//! kernel is a set of lists that declares all that it uses, and nothing twice. Of files that
//! declare the same name, only those in a kernel with the file that uses it count.

mod names;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::shaders::names::Names;
use crate::words::project;

/// The maximum width of a head.
const MAX_COLUMNS: usize = 100;

/// The starts of the two parts of a head, each of which may be missing.
const USES: &str = "Uses:";
const DECLARES: &str = "The including shader declares:";

/// Texts by their files, which are named by their paths from the folder of the shaders.
type Texts = BTreeMap<String, String>;

/// Files that are compiled together, with others or alone.
struct List<'a> {
    files: Vec<&'a str>,
    declared: BTreeSet<&'a str>,
    free: BTreeSet<&'a str>,
    is_kernel: bool,
}

impl<'a> List<'a> {
    fn new(files: &[&'a str], names: &BTreeMap<&str, Names<'a>>) -> Self {
        let parts = || files.iter().filter_map(|file| names.get(file));
        Self {
            files: files.to_vec(),
            declared: parts().flat_map(|part| &part.declared).copied().collect(),
            free: parts().flat_map(|part| &part.free).copied().collect(),
            is_kernel: parts().any(|part| part.is_kernel),
        }
    }
}

/// Adds to `kernels` the files of each kernel that contains the chosen lists.
fn add_kernels<'a>(chosen: &[&List<'a>], lists: &[List<'a>], kernels: &mut BTreeSet<BTreeSet<&'a str>>) {
    let declare = |name: &str| chosen.iter().any(|list| list.declared.contains(name));
    let fits = |list: &&List| chosen.iter().all(|other| list.declared.is_disjoint(&other.declared));
    let choices = |name: &'a str| lists.iter().filter(move |list| list.declared.contains(name));
    let free = chosen.iter().flat_map(|list| &list.free).copied();
    let open = free.filter(|name| !declare(name) && choices(name).next().is_some());
    // The name that leaves the fewest choices.
    match open.min_by_key(|name| choices(name).filter(fits).count()) {
        None => _ = kernels.insert(chosen.iter().flat_map(|list| &list.files).copied().collect()),
        Some(name) => {
            for list in choices(name).filter(fits) {
                add_kernels(&[chosen, &[list]].concat(), lists, kernels);
            }
        }
    }
}

/// Returns the head of a file: its lines, without one if it uses nothing of others.
fn head_of(file: &str, names: &BTreeMap<&str, Names<'_>>, kernels: &BTreeSet<BTreeSet<&str>>) -> Vec<String> {
    let (mut files, mut bindings) = (BTreeSet::new(), BTreeSet::new());
    for &name in &names[file].free {
        let with_it = kernels.iter().filter(|kernel| kernel.contains(file)).flatten();
        let declaring: BTreeSet<&str> = with_it
            .copied()
            .filter(|file| names[file].declared.contains(name))
            .collect();
        if declaring.len() > 1 && declaring.iter().all(|file| names[file].bindings.contains(name)) {
            bindings.insert(name.to_owned());
        } else if !declaring.is_empty() {
            files.insert(declaring.into_iter().collect::<Vec<_>>().join(" or "));
        }
    }
    let mut head = paragraph(USES, files);
    head.extend(paragraph(DECLARES, bindings));
    head
}

/// Returns a list with its start as the lines of a comment, none if it is empty.
fn paragraph(start: &str, parts: BTreeSet<String>) -> Vec<String> {
    if parts.is_empty() {
        return Vec::new();
    }
    let text = format!("{start} {}.", parts.into_iter().collect::<Vec<_>>().join(", "));
    let mut lines = vec!["//".to_owned()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= MAX_COLUMNS => *line += &format!(" {word}"),
            _ => lines.push(format!("// {word}")),
        }
    }
    lines
}

/// Returns the head that a file has: the end of its first comment, from the start of a head on.
fn found_head(text: &str) -> Vec<String> {
    let comment = text.lines().take_while(|line| line.starts_with("//"));
    let begins = |line: &str| {
        [USES, DECLARES]
            .iter()
            .any(|start| line[2..].trim_start().starts_with(start))
    };
    comment.skip_while(|line| !begins(line)).map(str::to_owned).collect()
}

/// Returns the files and bindings that a head names.
fn named(head: &[String]) -> BTreeSet<&str> {
    let others: Vec<&str> = ["//", "or", USES].into_iter().chain(DECLARES.split(' ')).collect();
    let words = head.iter().flat_map(|line| line.split_whitespace());
    let names = words.filter(|word| !others.contains(word));
    names.map(|word| word.trim_end_matches([',', '.'])).collect()
}

/// Returns the fault of a head, if any, with the right one.
fn fault(file: &str, found: &[String], right: &[String], is_file: impl Fn(&str) -> bool) -> Option<String> {
    if found == right {
        return None;
    }
    let (have, need) = (named(found), named(right));
    let mut faults: Vec<String> = need
        .difference(&have)
        .map(|name| format!("{name} is missing"))
        .collect();
    faults.extend(
        have.difference(&need)
            .map(|name| match name.ends_with(".wgsl") && !is_file(name) {
                true => format!("there is no {name}"),
                false => format!("{name} is superfluous"),
            }),
    );
    if faults.is_empty() {
        faults.push("the form is another".to_owned());
    }
    let right = match right {
        [] => "It has no head, because it uses nothing of others.".to_owned(),
        _ => format!("Its head is:\n{}", right.join("\n")),
    };
    Some(format!("{file}: {}. {right}", faults.join(", ")))
}

/// Returns the faults of the heads of these files, which are compiled by these lists.
fn faults(texts: &Texts, lists: &[Vec<&str>]) -> Vec<String> {
    let names: BTreeMap<&str, Names> = texts.iter().map(|(file, text)| (&**file, Names::of(text))).collect();
    let lists: Vec<List> = lists.iter().map(|files| List::new(files, &names)).collect();
    let mut kernels = BTreeSet::new();
    for list in lists.iter().filter(|list| list.is_kernel) {
        add_kernels(&[list], &lists, &mut kernels);
    }
    let fault_of = |(file, text): (&String, &String)| {
        if !kernels.iter().flatten().any(|other| other == file) {
            return Some(format!("{file}: is in no kernel that declares all that it uses"));
        }
        let right = head_of(file, &names, &kernels);
        fault(file, &found_head(text), &right, |name| texts.contains_key(name))
    };
    texts.iter().filter_map(fault_of).collect()
}

/// Returns the lists of files in a Rust source.
fn lists_in(source: &str) -> impl Iterator<Item = Vec<&str>> {
    let lists = source
        .split("files![")
        .skip(1)
        .filter_map(|rest| rest.split(']').next());
    lists.map(|list| list.split('"').skip(1).step_by(2).collect())
}

/// Returns the texts in a folder of the project and below that have this ending.
fn texts_in(folder: &str, ending: &str) -> Texts {
    let root = project().join(folder);
    let (mut folders, mut texts) = (vec![root.clone()], Texts::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|own| own == ending) {
                let name = path
                    .strip_prefix(&root)
                    .expect("a file below it")
                    .to_string_lossy()
                    .replace('\\', "/");
                texts.insert(name, fs::read_to_string(path).expect("a text"));
            }
        }
    }
    texts
}

#[test]
fn shaders_name_the_files_they_use() {
    let (texts, sources) = (texts_in("shaders", "wgsl"), texts_in("src", "rs"));
    let lists: Vec<Vec<&str>> = sources.values().flat_map(|source| lists_in(source)).collect();
    assert!(
        texts.len() > 100 && lists.len() > 50,
        "{} files, {} lists",
        texts.len(),
        lists.len()
    );
    let mut faults_found = faults(&texts, &lists);

    // One shader.
    let texts = texts_in("crates/render/shaders", "wgsl");
    assert!(!texts.is_empty());
    faults_found.extend(faults(&texts, &[texts.keys().map(|file| &**file).collect()]));
    assert!(faults_found.is_empty(), "{}", faults_found.join("\n\n"));
}

/// Two kernels that share a part, in lists, and files with the right heads.
fn invented() -> (Texts, Vec<Vec<&'static str>>) {
    let texts = [
        (
            "a/part.wgsl",
            "// A part.\n// Uses: a/forth.wgsl or b/back.wgsl.\n// The including shader declares: params.\n\n\
             fn part() { go(params.x); }\n",
        ),
        ("a/forth.wgsl", "// Forth.\n\nfn go(x: f32) {}\n"),
        ("b/back.wgsl", "// Back.\n\nfn go(part: f32) {}\n"),
        (
            "first.wgsl",
            "// The first.\n// Uses: a/part.wgsl.\n\n\
             @binding(0) var<uniform> params: u32;\n@compute\nfn first() { part(); }\n",
        ),
        (
            "second.wgsl",
            "// The second.\n// Uses: a/part.wgsl, b/back.wgsl.\n\n\
             @binding(1) var<uniform> params: u32;\n@compute\nfn second() { part(); go(); }\n",
        ),
        // In no kernel with the part, so its `go` and its `part` are no alternatives.
        (
            "third.wgsl",
            "// The third.\n\nfn go() {}\nfn part() {}\n@compute\nfn third() { go(); part(); }\n",
        ),
    ];
    let lists = vec![
        vec!["a/part.wgsl"],
        vec!["a/forth.wgsl", "first.wgsl"],
        vec!["b/back.wgsl", "second.wgsl"],
        vec!["third.wgsl"],
    ];
    (
        texts.map(|(file, text)| (file.to_owned(), text.to_owned())).into(),
        lists,
    )
}

/// Changes of the invented files: the file, a text in it and its replacement, and the start of the
/// fault, empty if there is none.
const FAULTS: [(&str, &str, &str, &str); 8] = [
    (
        "a/part.wgsl",
        "a/forth.wgsl or ",
        "",
        "a/part.wgsl: a/forth.wgsl is missing. Its head is:\n// Uses: a/forth.wgsl or",
    ),
    ("a/part.wgsl", " or ", ", ", "a/part.wgsl: the form is another."),
    (
        "a/part.wgsl",
        ": params.",
        ": others, params.",
        "a/part.wgsl: others is superfluous.",
    ),
    (
        "a/part.wgsl",
        "// The including shader declares: params.\n",
        "",
        "a/part.wgsl: params is missing.",
    ),
    (
        "a/forth.wgsl",
        "Forth.\n",
        "Forth.\n// Uses: b/back.wgsl.\n",
        "a/forth.wgsl: b/back.wgsl is superfluous. It has no head",
    ),
    (
        "first.wgsl",
        "a/part",
        "a/parts",
        "first.wgsl: a/part.wgsl is missing, there is no a/parts.wgsl.",
    ),
    (
        "second.wgsl",
        "// Uses: a/part.wgsl, b/back.wgsl.\n",
        "",
        "second.wgsl: a/part.wgsl is missing, b/back.wgsl is missing.",
    ),
    ("third.wgsl", "third()", "third(x: Part)", ""),
];

#[test]
fn faults_of_heads_are_found() {
    let (texts, lists) = invented();
    assert_eq!(faults(&texts, &lists), [""; 0]);

    for (file, from, to, expected) in FAULTS {
        let mut changed = texts.clone();
        let text = changed[file].replace(from, to);
        assert_ne!(text, texts[file], "{file}: {from}");
        changed.insert(file.to_owned(), text);
        let found = faults(&changed, &lists);
        match expected {
            "" => assert_eq!(found, [""; 0]),
            _ => assert!(
                found.len() == 1 && found[0].starts_with(expected),
                "{expected}: {found:#?}"
            ),
        }
    }
    let mut without = lists.clone();
    without.remove(0);
    let expected = "a/part.wgsl: is in no kernel that declares all that it uses";
    assert!(faults(&texts, &without).iter().any(|fault| fault == expected));
}

#[test]
fn heads_are_wrapped() {
    let parts: BTreeSet<String> = (0..9).map(|k| format!("folder/file_{k}.wgsl")).collect();
    let lines = paragraph(USES, parts);
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().all(|line| line.len() <= MAX_COLUMNS), "{lines:#?}");
    assert!(lines[0].starts_with("// Uses: folder/file_0.wgsl, "), "{lines:#?}");
    assert!(
        lines[1].starts_with("// folder/") && lines[2].ends_with("file_8.wgsl."),
        "{lines:#?}"
    );
}
