//! The paths of a source file that begin in its own crate.

/// A source file.
pub(super) struct Module<'a> {
    /// Its path in `src`.
    pub file: &'a str,
    /// Its name as a module, such as `geometry::pair`.
    pub path: String,
    /// Its words and marks, but those of test modules.
    tokens: Vec<&'a str>,
    /// The test modules that are files of their own.
    tests: Vec<&'a str>,
}

impl<'a> Module<'a> {
    pub fn read(file: &'a str, text: &'a str) -> Self {
        let (tokens, tests) = without_tests(&tokens(text));
        Self {
            file,
            path: module_path(file),
            tokens,
            tests,
        }
    }

    /// The modules for tests that this one declares as files.
    pub fn test_files(&self) -> impl Iterator<Item = String> {
        self.tests.iter().map(|name| joined(&[&self.path, name]))
    }

    /// The full paths, without `crate::`, that begin with `crate`, `self`, `super` or a module declared here.
    pub fn imports(&self) -> Vec<String> {
        let declared = |name| self.tokens.windows(3).any(|three| three == ["mod", name, ";"]);
        let mut paths = Vec::new();
        for (at, pair) in self.tokens.windows(2).enumerate() {
            let inside = at > 0 && ["::", "."].contains(&self.tokens[at - 1]);
            if inside || pair[1] != "::" {
                continue;
            }
            let own: Vec<&str> = self.path.split("::").filter(|name| !name.is_empty()).collect();
            let (base, rest) = match pair[0] {
                "crate" => (vec![], at + 2),
                "self" => (own, at + 2),
                "super" => {
                    let supers = self.tokens[at..]
                        .chunks(2)
                        .take_while(|&pair| pair == ["super", "::"])
                        .count();
                    (own[..own.len().saturating_sub(supers)].to_vec(), at + 2 * supers)
                }
                name if declared(name) => (own, at),
                _ => continue,
            };
            expand(&self.tokens, rest, base, &mut paths);
        }
        paths
    }
}

/// The name of a file's module; empty for a crate's root.
pub(super) fn module_path(file: &str) -> String {
    let name = file.trim_end_matches(".rs");
    let name = name.strip_suffix("/mod").unwrap_or(name);
    match name {
        "lib" | "main" => String::new(),
        _ => name.replace('/', "::"),
    }
}

fn joined(names: &[&str]) -> String {
    let names: Vec<&str> = names.iter().copied().filter(|name| !name.is_empty()).collect();
    names.join("::")
}

/// Adds the paths that continue `path` at a token, several if it opens a group; returns where they end.
fn expand<'a>(tokens: &[&'a str], mut at: usize, mut path: Vec<&'a str>, paths: &mut Vec<String>) -> usize {
    loop {
        match tokens.get(at).copied() {
            Some("{") => {
                at += 1;
                while tokens.get(at).is_some_and(|&token| token != "}") {
                    // Commas, and the new names behind `as`, are no paths.
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

/// The tokens that are not in a module for tests, and the names of such modules that are files.
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

/// The number of tokens up to the one that closes the group which the first one opens.
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

/// The words and marks of a source, without comments, strings and characters.
fn tokens(mut text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    while let Some(first) = text.chars().next() {
        let skipped = skipped_len(text);
        let len = match first {
            _ if skipped > 0 => skipped,
            _ if is_word(text) => text
                .find(|next: char| !next.is_alphanumeric() && next != '_')
                .unwrap_or(text.len()),
            ':' if text.starts_with("::") => 2,
            _ => first.len_utf8(),
        };
        if skipped == 0 {
            tokens.push(&text[..len]);
        }
        text = &text[len..];
    }
    tokens
}

/// Bytes of the white space, comment, string or character with which a text begins.
fn skipped_len(text: &str) -> usize {
    let until = |from: usize, end: &str| {
        text[from..]
            .find(end)
            .map_or(text.len(), |found| from + found + end.len())
    };
    let mut characters = text.chars();
    match (characters.next(), characters.next(), characters.next()) {
        (Some(first), ..) if first.is_whitespace() => first.len_utf8(),
        (Some('/'), Some('/'), _) => until(0, "\n"),
        (Some('/'), Some('*'), _) => until(2, "*/"),
        (Some('\''), Some('\\'), Some(escaped)) => until(2 + escaped.len_utf8(), "'"),
        (Some('\''), Some(quoted), Some('\'')) => 2 + quoted.len_utf8(),
        // The mark of a lifetime.
        (Some('\''), ..) => 1,
        (Some('"'), ..) => {
            let mut escaped = false;
            let end = text[1..].find(|next| {
                let closes = next == '"' && !escaped;
                escaped = next == '\\' && !escaped;
                closes
            });
            end.map_or(text.len(), |end| end + 2)
        }
        (Some('r'), Some('"' | '#'), _) => {
            let hashes = text[1..].chars().take_while(|&next| next == '#').count();
            match text[1 + hashes..].starts_with('"') {
                true => until(2 + hashes, &format!("\"{}", "#".repeat(hashes))),
                false => 0,
            }
        }
        _ => 0,
    }
}
