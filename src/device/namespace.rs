//! Names of a shader, kept apart from those of the caller's part of it.

use std::collections::BTreeSet;
use std::ops::Range;

/// The beginning of this crate's names in a shader that contains the caller's WGSL.
pub(crate) const PREFIX: &str = "obbligato_";

/// Returns a shader with [`PREFIX`] before each name that it declares at module scope, except
/// `kept`. The host must know entry points and pipeline constants by their new names.
pub(crate) fn prefixed(text: &str, kept: &str) -> String {
    let tokens = tokens(text);
    let token = |k: usize| tokens.get(k).map_or("", |range| &text[range.clone()]);
    let mut names = declared(&tokens, text);
    names.remove(kept);
    let (mut all, mut copied) = (String::with_capacity(text.len() * 5 / 4), 0);
    // The depth of braces in a record, whose fields have names of their own.
    let mut record = None;
    for (k, range) in tokens.iter().enumerate() {
        match (token(k), record) {
            ("struct", None) => record = Some(0),
            ("{", Some(depth)) => record = Some(depth + 1),
            ("}", Some(depth)) => record = (depth > 1).then(|| depth - 1),
            _ => {}
        }
        let is_field =
            token(k.wrapping_sub(1)) == "." || (record.is_some_and(|depth| depth > 0) && token(k + 1) == ":");
        if names.contains(token(k)) && !is_field {
            all += &text[copied..range.start];
            all += PREFIX;
            copied = range.start;
        }
    }
    all + &text[copied..]
}

/// Returns the names that a shader declares at module scope.
fn declared<'a>(tokens: &[Range<usize>], text: &'a str) -> BTreeSet<&'a str> {
    let mut names = BTreeSet::new();
    let mut depth = 0;
    for (k, range) in tokens.iter().enumerate() {
        match &text[range.clone()] {
            "{" | "(" => depth += 1,
            "}" | ")" => depth -= 1,
            "fn" | "struct" | "const" | "override" | "alias" if depth == 0 => {
                names.extend(tokens.get(k + 1).map(|name| &text[name.clone()]));
            }
            "var" if depth == 0 => {
                // The address space, in angle brackets, may come first.
                let mut after = tokens[k + 1..].iter().map(|token| &text[token.clone()]);
                let name = match after.next() {
                    Some("<") => after.find(|token| *token == ">").and_then(|_| after.next()),
                    name => name,
                };
                names.extend(name);
            }
            _ => {}
        }
    }
    names
}

/// Returns the places of the tokens of a shader: words, numbers up to their sign, and single
/// characters. Comments are skipped.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut tokens, mut start) = (Vec::new(), 0);
    while let Some(first) = text[start..].chars().next() {
        let rest = &text[start..];
        let end = |is_part: &dyn Fn(char) -> bool| rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let length = match first {
            '/' if rest.starts_with("//") => {
                start += end(&|c| c != '\n');
                continue;
            }
            c if c.is_ascii_digit() => end(&|c| is_word(c) || c == '.'),
            c if is_word(c) => end(&is_word),
            c => c.len_utf8(),
        };
        if !first.is_whitespace() {
            tokens.push(start..start + length);
        }
        start += length;
    }
    tokens
}

#[test]
fn names_of_module_scope_are_prefixed_and_no_others() {
    let text = "// sum of sums\nconst ONE: f32 = 1.0;\noverride most: u32 = 2u;\nstruct Pair { a: u32 }\nstruct Sum { sum: f32, other: Pair }\n\
                @group(0) @binding(0) var<storage, read_write> kept: array<Sum>;\nvar<private> place: u32;\n\
                fn sum(v: f32) -> f32 { let most_of = kept[place].sum; return v.sum + sum(ONE) + f32(most); }\n\
                @compute @workgroup_size(1) fn entry() { place = 0x1p2; }\n";
    let expected = "// sum of sums\nconst obbligato_ONE: f32 = 1.0;\noverride obbligato_most: u32 = 2u;\nstruct Pair { a: u32 }\n\
                    struct obbligato_Sum { sum: f32, other: Pair }\n\
                    @group(0) @binding(0) var<storage, read_write> obbligato_kept: array<obbligato_Sum>;\n\
                    var<private> obbligato_place: u32;\n\
                    fn obbligato_sum(v: f32) -> f32 { let most_of = obbligato_kept[obbligato_place].sum; \
                    return v.sum + obbligato_sum(obbligato_ONE) + f32(obbligato_most); }\n\
                    @compute @workgroup_size(1) fn obbligato_entry() { obbligato_place = 0x1p2; }\n";
    assert_eq!(prefixed(text, "Pair"), expected);
}
