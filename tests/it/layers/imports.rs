//! The paths of a source file that begin in its own crate.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// A source file.
pub(super) struct Module<'a> {
    /// Its path in `src`.
    pub file: &'a str,
    /// Its name as a module, such as `geometry::pair`.
    pub path: String,
    /// Its words and punctuation, except those of test modules.
    tokens: Vec<String>,
    /// The test modules that are files of their own.
    tests: Vec<String>,
}

impl<'a> Module<'a> {
    pub fn read(file: &'a str, text: &str) -> Self {
        let tokens = tokens(text);
        let (tokens, tests) = without_tests(&borrowed(&tokens));
        let owned = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect();
        Self {
            file,
            path: module_path(file),
            tokens: owned(tokens),
            tests: owned(tests),
        }
    }

    /// The test modules that this one declares as files.
    pub fn test_files(&self) -> impl Iterator<Item = String> {
        self.tests.iter().map(|name| joined(&[&self.path, name]))
    }

    /// The full paths, without `crate::`, that begin with `crate`, `self`, `super` or a module
    /// declared here.
    pub fn imports(&self) -> Vec<String> {
        let tokens = borrowed(&self.tokens);
        let declared = |name| tokens.windows(3).any(|three| three == ["mod", name, ";"]);
        let mut paths = Vec::new();
        for (at, pair) in tokens.windows(2).enumerate() {
            let inside = at > 0 && ["::", "."].contains(&tokens[at - 1]);
            if inside || pair[1] != "::" {
                continue;
            }
            let own: Vec<&str> = self.path.split("::").filter(|name| !name.is_empty()).collect();
            let (base, rest) = match pair[0] {
                "crate" => (vec![], at + 2),
                "self" => (own, at + 2),
                "super" => {
                    let supers = tokens[at..]
                        .chunks(2)
                        .take_while(|&pair| pair == ["super", "::"])
                        .count();
                    (own[..own.len().saturating_sub(supers)].to_vec(), at + 2 * supers)
                }
                name if declared(name) => (own, at),
                _ => continue,
            };
            expand(&tokens, rest, base, &mut paths);
        }
        paths
    }
}

/// The name of a file's module; empty for a crate's root.
pub(super) fn module_path(file: &str) -> String {
    let name = file.trim_end_matches(".rs");
    match name {
        "lib" | "main" => String::new(),
        _ => name.replace('/', "::"),
    }
}

fn borrowed(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

fn joined(names: &[&str]) -> String {
    let names: Vec<&str> = names.iter().copied().filter(|name| !name.is_empty()).collect();
    names.join("::")
}

/// Adds the paths that continue `path` at a token, several if it opens a group. Returns the
/// position after them.
fn expand<'a>(tokens: &[&'a str], mut at: usize, mut path: Vec<&'a str>, paths: &mut Vec<String>) -> usize {
    loop {
        match tokens.get(at).copied() {
            Some("{") => {
                at += 1;
                while tokens.get(at).is_some_and(|&token| token != "}") {
                    // Commas, and the new names after `as`, are not paths.
                    at = match tokens[at] {
                        "," => at + 1,
                        "as" => at + 2,
                        _ => expand(tokens, at, path.clone(), paths),
                    };
                }
                return at + 1;
            }
            Some(name) if is_word(name) => {
                path.push(name);
                at += 1;
                if tokens.get(at) == Some(&"::") {
                    at += 1;
                    continue;
                }
            }
            // A star, or type arguments.
            _ => at += 1,
        }
        paths.push(joined(&path));
        return at;
    }
}

/// The tokens outside of test modules, and the names of those test modules that are files.
fn without_tests<'a>(tokens: &[&'a str]) -> (Vec<&'a str>, Vec<&'a str>) {
    const ATTRIBUTE: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let (mut kept, mut files) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        let rest = &tokens[at..];
        if rest.starts_with(&ATTRIBUTE) {
            let mut item = ATTRIBUTE.len();
            while rest.get(item) == Some(&"#") {
                item += group_len(&rest[item + 1..]) + 1;
            }
            item += usize::from(rest.get(item) == Some(&"pub"));
            if rest.get(item) == Some(&"(") {
                item += group_len(&rest[item..]);
            }
            match rest.get(item..item + 3) {
                Some(["mod", name, ";"]) => {
                    files.push(*name);
                    at += item + 3;
                    continue;
                }
                Some(["mod", _, "{"]) => {
                    at += item + 2 + group_len(&rest[item + 2..]);
                    continue;
                }
                _ => {}
            }
        }
        kept.push(tokens[at]);
        at += 1;
    }
    (kept, files)
}

/// The number of tokens of the group that the first one opens, including its end.
fn group_len(tokens: &[&str]) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        depth += match *token {
            "(" | "[" | "{" => 1,
            ")" | "]" | "}" => -1,
            _ => 0,
        };
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

fn is_word(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphanumeric() || first == '_')
}

/// The words and punctuation of a source, without comments and literals.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    flatten(text.parse().expect("Rust"), &mut tokens);
    tokens
}

fn flatten(stream: TokenStream, tokens: &mut Vec<String>) {
    let mut is_joint = false;
    for tree in stream {
        match tree {
            TokenTree::Group(group) => {
                let [open, close] = match group.delimiter() {
                    Delimiter::Brace => ["{", "}"],
                    Delimiter::Bracket => ["[", "]"],
                    Delimiter::Parenthesis | Delimiter::None => ["(", ")"],
                };
                tokens.push(open.to_owned());
                flatten(group.stream(), tokens);
                tokens.push(close.to_owned());
            }
            TokenTree::Ident(word) => tokens.push(word.to_string()),
            TokenTree::Punct(mark) => {
                match tokens.last_mut() {
                    Some(last) if is_joint && last == ":" && mark.as_char() == ':' => last.push(':'),
                    _ => tokens.push(mark.to_string()),
                }
                is_joint = mark.spacing() == Spacing::Joint;
            }
            TokenTree::Literal(_) => {}
        }
    }
}
