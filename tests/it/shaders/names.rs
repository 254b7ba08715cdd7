//! The names in a shader: those that it declares, and those that it takes from elsewhere.

use std::collections::BTreeSet;

/// The names in a shader.
#[derive(Debug, Default)]
pub(crate) struct Names<'a> {
    /// The names declared at module scope.
    pub declared: BTreeSet<&'a str>,
    /// Those of them that are bound by the host.
    pub bindings: BTreeSet<&'a str>,
    /// The names used and not declared, with those of the language.
    pub free: BTreeSet<&'a str>,
    /// Set if there is an entry point.
    pub is_kernel: bool,
}

impl<'a> Names<'a> {
    /// Reads a shader.
    pub fn of(source: &'a str) -> Self {
        let mut reader = Reader {
            tokens: tokens(source),
            at: 0,
            scopes: Vec::new(),
            local: None,
            is_binding: false,
            names: Self::default(),
        };
        while let Some(token) = reader.next() {
            reader.read(token);
        }
        let mut names = reader.names;
        names.free.retain(|name| !names.declared.contains(name));
        names
    }
}

/// A part of a shader inside which names may be declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// The fields of a record, which are no names of their own.
    Fields,
    /// The parameters and the body of a function.
    Function,
    /// A `for` with its body.
    Loop,
    /// From a brace to its closing one.
    Block,
}

/// The state of reading a shader.
struct Reader<'a> {
    tokens: Vec<&'a str>,
    /// The next token.
    at: usize,
    /// The current parts, outermost first, and the names declared in each.
    scopes: Vec<(Part, BTreeSet<&'a str>)>,
    /// The name that the current statement declares, which is valid from its end on.
    local: Option<&'a str>,
    /// Set if the next variable has a binding.
    is_binding: bool,
    names: Names<'a>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<&'a str> {
        self.at += 1;
        self.tokens.get(self.at - 1).copied()
    }

    fn is_next(&self, token: &str) -> bool {
        self.tokens.get(self.at) == Some(&token)
    }

    /// Skips all tokens up to this one.
    fn skip_to(&mut self, token: &str) {
        while self.next().is_some_and(|next| next != token) {}
    }

    fn read(&mut self, token: &'a str) {
        match token {
            "@" => self.attribute(),
            "enable" | "requires" | "diagnostic" => self.skip_to(";"),
            "struct" => {
                self.declare();
                self.skip_to("{");
                self.enter(Part::Fields);
            }
            "fn" => {
                self.declare();
                self.enter(Part::Function);
            }
            "for" => self.enter(Part::Loop),
            "{" => self.enter(Part::Block),
            "}" => self.leave(),
            "alias" | "const" | "let" | "override" | "var" => {
                // The address space.
                if self.is_next("<") {
                    self.skip_to(">");
                }
                self.declare();
            }
            ";" => {
                if let (Some((_, names)), Some(local)) = (self.scopes.last_mut(), self.local.take()) {
                    names.insert(local);
                }
            }
            // A member.
            "." => self.at += 1,
            _ if is_name(token) => self.name(token),
            _ => {}
        }
    }

    fn attribute(&mut self) {
        match self.next() {
            Some("compute" | "fragment" | "vertex") => self.names.is_kernel = true,
            Some("binding") => self.is_binding = true,
            // Their arguments are words of the language.
            Some("builtin" | "diagnostic" | "interpolate") => self.skip_to(")"),
            _ => {}
        }
    }

    fn declare(&mut self) {
        let Some(name) = self.next() else { return };
        if !self.scopes.is_empty() {
            self.local = Some(name);
            return;
        }
        self.names.declared.insert(name);
        if std::mem::take(&mut self.is_binding) {
            self.names.bindings.insert(name);
        }
    }

    fn enter(&mut self, part: Part) {
        self.scopes.push((part, BTreeSet::new()));
    }

    /// Leaves a block, and the function or loop whose body it is.
    fn leave(&mut self) {
        self.scopes.pop();
        while let Some((Part::Function | Part::Loop, _)) = self.scopes.last() {
            self.scopes.pop();
        }
    }

    fn name(&mut self, name: &'a str) {
        let is_local = self.scopes.iter().any(|(_, names)| names.contains(name));
        let is_typed = self.is_next(":");
        match self.scopes.last_mut() {
            Some((Part::Fields, _)) if is_typed => {}
            Some((Part::Function, parameters)) if is_typed => _ = parameters.insert(name),
            _ => _ = (!is_local).then(|| self.names.free.insert(name)),
        }
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|first: char| first == '_' || first.is_alphabetic())
}

/// Returns the names, numbers and signs of a shader, without comments.
fn tokens(source: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = source.trim_start();
    while !rest.is_empty() {
        let (token, after) = match rest {
            _ if rest.starts_with("//") => ("", &rest[rest.find('\n').unwrap_or(rest.len())..]),
            _ if rest.starts_with("/*") => ("", &rest[block_length(rest)..]),
            _ => rest.split_at(length(rest)),
        };
        tokens.extend((!token.is_empty()).then_some(token));
        rest = after.trim_start();
    }
    tokens
}

/// Returns the length of the block comment that a text begins with. Block comments nest.
fn block_length(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        match &text.as_bytes()[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// Returns the length of the token that a text begins with.
fn length(text: &str) -> usize {
    let is_in_name = |letter: char| letter == '_' || letter.is_alphanumeric();
    let bytes = text.as_bytes();
    if bytes[0].is_ascii_digit() {
        let is_exponent = |at: usize| {
            matches!(bytes[at - 1], b'e' | b'E' | b'p' | b'P') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
        };
        let ends = |&at: &usize| match bytes[at] {
            b'+' | b'-' => !is_exponent(at),
            byte => byte != b'.' && !byte.is_ascii_alphanumeric(),
        };
        return (1..bytes.len()).find(ends).unwrap_or(bytes.len());
    }
    if is_name(text) {
        return text.find(|letter| !is_in_name(letter)).unwrap_or(text.len());
    }
    text.chars().next().map_or(0, char::len_utf8)
}

#[test]
fn tokens_are_names_numbers_and_signs() {
    let source = "let a_1 = 0x1p-19-b; // not c\n/* nor /* d */ e */ f.x+=1.5e3*2u;\u{e4}|1e-g";
    let expected = [
        "let", "a_1", "=", "0x1p-19", "-", "b", ";", "f", ".", "x", "+", "=", "1.5e3", "*", "2u", ";", "\u{e4}", "|",
        "1e", "-", "g",
    ];
    assert_eq!(tokens(source), expected);
}

#[test]
fn names_of_a_shader_are_found() {
    let names = Names::of(
        "enable f16;
        struct Item { @size(SIZE) field: array<Other, COUNT>, }
        alias Items = array<Item>;
        override limit: u32 = LEAST;
        @group(0) @binding(1) var<storage, read> items: Items;
        var<workgroup> shared_one: atomic<u32>;
        @compute @workgroup_size(WIDTH)
        fn main(@builtin(position) at: vec3<u32>, parameter: Kind) -> Out {
            let local = local + at.member + parameter.count;
            for (var k = local; k < far; k++) { let inside = k; }
            if inside > k { let shared_one = 1; other(shared_one); }
            switch limit { case ONE: { helper(items[0].field); } default: {} }
        }
        fn helper() { at(); }
        ",
    );
    let set = |names: &[&'static str]| names.iter().copied().collect::<BTreeSet<_>>();
    assert_eq!(
        names.declared,
        set(&["Item", "Items", "helper", "items", "limit", "main", "shared_one"])
    );
    assert_eq!(names.bindings, set(&["items"]));
    assert!(names.is_kernel);
    let of_the_language = set(&[
        "array", "atomic", "case", "default", "group", "if", "size", "switch", "u32", "vec3",
    ]);
    let expected = set(&[
        "COUNT", "Kind", "LEAST", "ONE", "Other", "Out", "SIZE", "WIDTH", "at", "far", "inside", "k", "local", "other",
    ]);
    assert_eq!(
        names
            .free
            .difference(&of_the_language)
            .copied()
            .collect::<BTreeSet<_>>(),
        expected
    );
}
