//! The public names of the library and the methods of its checkers, as a snapshot to review in each
//! change. `INSTA_UPDATE=always cargo test public_api` accepts another.

use insta::{Settings, assert_snapshot};

/// The largest number of public methods of `Checker` and `GpuChecker` together.
const MOST_METHODS: usize = 30;

/// The largest number of names at the root, modules and re-exported crates among them.
const MOST_NAMES: usize = 40;

/// The public modules that are files of their own.
const FILES: [(&str, &str); 3] = [
    ("response", include_str!("../../src/response.rs")),
    ("tiles", include_str!("../../src/tiles.rs")),
    ("tracking", include_str!("../../src/tracking.rs")),
];

/// The names that a `use` tree ends in: `a::{b, c::d as e}` has `b` and `e`.
fn leaves(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    if let Some((_, list)) = tree.split_once('{') {
        let list = list.trim_end().strip_suffix('}').expect("a closed list");
        let (mut names, mut depth, mut start) = (Vec::new(), 0, 0);
        for (at, letter) in list.char_indices() {
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    names.extend(leaves(&list[start..at]));
                    start = at + 1;
                }
                _ => {}
            }
        }
        names.extend(leaves(&list[start..]));
        return names;
    }
    let name = tree.rsplit([':', ' ']).next().unwrap_or_default();
    if name.is_empty() {
        Vec::new()
    } else {
        vec![name.to_owned()]
    }
}

/// The public names of `lib.rs`, each after the name of its module.
fn names(source: &str) -> Vec<String> {
    let code: Vec<&str> = source
        .lines()
        .filter(|line| !line.trim_start().starts_with(['/', '#']))
        .collect();
    let (mut names, mut module, mut tree) = (Vec::new(), String::new(), String::new());
    for line in code {
        let text = line.trim();
        if !tree.is_empty() || text.starts_with("pub use ") {
            tree.push_str(text.trim_start_matches("pub use "));
            tree.push(' ');
            if text.ends_with(';') {
                let all = leaves(tree.trim_end().trim_end_matches(';'));
                names.extend(all.into_iter().map(|name| format!("{module}{name}")));
                tree.clear();
            }
        } else if let Some(rest) = line.strip_prefix("pub mod ") {
            let name = rest.trim_end_matches([' ', '{', '}', ';']);
            names.push(format!("{name}::"));
            if rest.ends_with('{') {
                module = format!("{name}::");
            }
        } else if line == "}" {
            module.clear();
        }
    }
    names.sort();
    names
}

/// The public methods that a source declares.
fn methods(source: &str) -> Vec<&str> {
    let lines = source.lines().filter_map(|line| line.strip_prefix("    pub "));
    let after = lines.filter_map(|line| line.split_once("fn ").filter(|(words, _)| !words.contains('(')));
    after
        .filter_map(|(_, declared)| declared.split(['(', '<']).next())
        .collect()
}

#[test]
fn the_public_names_are_those_reviewed() {
    let mut names = names(include_str!("../../src/lib.rs"));
    let is_at_root =
        |name: &&String| name.trim_end_matches("::") != "unstable" && !name.trim_end_matches("::").contains("::");
    let at_root: Vec<_> = names.iter().filter(is_at_root).cloned().collect();
    assert!(
        (20..=MOST_NAMES).contains(&at_root.len()),
        "{} names: {at_root:?}",
        at_root.len()
    );
    for (module, source) in FILES {
        names.extend(self::names(source).iter().map(|name| format!("{module}::{name}")));
    }
    names.sort();
    assert!(names.contains(&"Checker".to_owned()) && names.contains(&"query::Sweep".to_owned()));
    let checker = methods(include_str!("../../src/checker.rs"));
    let gpu_checker = methods(include_str!("../../src/gpu_checker.rs"));
    assert!(checker.contains(&"check") && gpu_checker.contains(&"record"));
    let count = checker.len() + gpu_checker.len();
    assert!(count <= MOST_METHODS, "{count} methods: {checker:?} {gpu_checker:?}");
    let list = format!(
        "{}\n\nChecker: {}\nGpuChecker: {}\n",
        names.join("\n"),
        checker.join(", "),
        gpu_checker.join(", ")
    );
    let mut settings = Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| assert_snapshot!("public_api", list));
}

#[test]
fn names_of_a_source() {
    let source = "pub use a::{B, c::{D, E as F}};\nuse private::G;\n/// pub use h::H;\npub mod i {\n    pub use j::K;\n}\npub use l;\n";
    assert_eq!(names(source), ["B", "D", "F", "i::", "i::K", "l"]);
    let source = "impl T {\n    pub fn new() {}\n    pub(crate) fn inner() {}\n    pub async fn check<Q>(q: Q) {}\n}\n";
    assert_eq!(methods(source), ["new", "check"]);
}
