//! `--where`: a condition on the columns of a pair's two boxes.
//!
//! ```text
//! condition = comparison { ["and" | ","] comparison }
//! comparison = ("a." | "b.") column ("=" | "!=") value { "|" value }
//! value = word | quoted text | ("a." | "b.") column
//! ```
//!
//! Texts are compared as they are: blanks around a field of the file count if they are in quotes,
//! and likewise in the condition. A pair of one file is tried in both orders.

use std::{iter::Peekable, str::FromStr, vec::IntoIter};

use obbligato::Pair;
use obbligato_files::{SceneFile, Sides, Texts};
use obbligato_support::excerpt::excerpt;

/// Comparisons that must all hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition(Vec<Comparison>);

/// A test that a column is one of some values, or none of them.
#[derive(Clone, Debug, PartialEq)]
struct Comparison {
    column: Column,
    equal: bool,
    values: Vec<Value>,
}

/// A column of the first or second box.
#[derive(Clone, Debug, PartialEq)]
struct Column {
    /// 0 for a, 1 for b.
    side: usize,
    name: String,
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Text(String),
    Column(Column),
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A column, or a text.
    Word(Value),
    Equal,
    Unequal,
    Or,
    And,
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut tokens = tokens(text)?.into_iter().peekable();
        let mut comparisons = vec![Comparison::parse(&mut tokens)?];
        while tokens.peek().is_some() {
            tokens.next_if(is_and);
            comparisons.push(Comparison::parse(&mut tokens)?);
        }
        Ok(Self(comparisons))
    }
}

/// Returns `true` if a token joins two comparisons.
fn is_and(token: &Token) -> bool {
    *token == Token::And || *token == Token::Word(Value::Text("and".into()))
}

impl Comparison {
    fn parse(tokens: &mut Peekable<IntoIter<Token>>) -> Result<Self, String> {
        let column = match tokens.next() {
            Some(Token::Word(Value::Column(column))) => column,
            Some(Token::Word(Value::Text(word))) => {
                return Err(format!("{:?} is not a column: write a.NAME or b.NAME", excerpt(&word)));
            }
            _ => return Err("a comparison such as a.type=IfcWall is missing".into()),
        };
        let equal = match tokens.next() {
            Some(Token::Equal) => true,
            Some(Token::Unequal) => false,
            _ => return Err(format!("{column} needs = or != and a value")),
        };
        let mut values = Vec::new();
        loop {
            match tokens.next() {
                Some(Token::Word(value)) => values.push(value),
                _ => return Err(format!("a value for {column} is missing: '' is the empty text")),
            }
            if tokens.next_if_eq(&Token::Or).is_none() {
                return Ok(Self { column, equal, values });
            }
        }
    }
}

impl std::fmt::Display for Column {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", ["a", "b"][self.side], excerpt(&self.name))
    }
}

/// Returns the words and marks of a condition.
fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(&letter) = letters.peek() {
        let token = match letter {
            _ if letter.is_whitespace() => None,
            '=' => Some(Token::Equal),
            '|' => Some(Token::Or),
            ',' => Some(Token::And),
            '!' => {
                letters.next();
                match letters.peek() {
                    Some('=') => Some(Token::Unequal),
                    _ => return Err("! stands alone: write !=".into()),
                }
            }
            _ => {
                tokens.push(Token::Word(word(&mut letters)?));
                continue;
            }
        };
        letters.next();
        // Accept == for =.
        if token == Some(Token::Equal) {
            letters.next_if_eq(&'=');
        }
        tokens.extend(token);
    }
    Ok(tokens)
}

/// Parses a word, parts of which may be in quotes; a column if it begins with `a.` or `b.` outside
/// of them.
fn word(letters: &mut Peekable<std::str::Chars<'_>>) -> Result<Value, String> {
    let (mut word, mut plain) = (String::new(), 0);
    let mut quoted = false;
    while let Some(letter) = letters.next_if(|letter| !letter.is_whitespace() && !"=!|,".contains(*letter)) {
        if letter != '\'' && letter != '"' {
            word.push(letter);
            plain += usize::from(!quoted);
            continue;
        }
        quoted = true;
        loop {
            match letters.next() {
                Some(inside) if inside == letter => break,
                Some(inside) => word.push(inside),
                None => return Err(format!("a {letter} is never closed")),
            }
        }
    }
    let side = match word.get(..2) {
        Some("a.") if plain >= 2 => 0,
        Some("b.") if plain >= 2 => 1,
        _ => return Ok(Value::Text(word)),
    };
    match word.split_off(2) {
        name if name.is_empty() => Err(format!("{word} names no column: write {word}NAME")),
        name => Ok(Value::Column(Column { side, name })),
    }
}

impl Condition {
    /// Returns the sides, 0 for a and 1 for b, and the names of the columns that it needs.
    pub fn columns(&self) -> impl Iterator<Item = (usize, &str)> {
        let columns = self.0.iter().flat_map(|comparison| {
            let values = comparison.values.iter().filter_map(|value| match value {
                Value::Column(column) => Some(column),
                Value::Text(_) => None,
            });
            values.chain([&comparison.column])
        });
        columns.map(|column| (column.side, column.name.as_str()))
    }

    /// Binds the condition to the boxes of these scenes, which have its columns.
    pub fn on<'a>(&'a self, sides: Sides<'a>, either_way: bool) -> Bound<'a> {
        let field = |column: &'a Column| {
            let scene: &SceneFile = sides[column.side];
            let texts = scene.column(&column.name);
            Field::Column(column.side, texts.expect("the columns of the condition were read"))
        };
        let comparisons = self.0.iter().map(|comparison| BoundComparison {
            field: field(&comparison.column),
            equal: comparison.equal,
            values: comparison
                .values
                .iter()
                .map(|value| match value {
                    Value::Text(text) => Field::Text(text),
                    Value::Column(column) => field(column),
                })
                .collect(),
        });
        Bound {
            comparisons: comparisons.collect(),
            either_way,
        }
    }
}

/// A condition bound to the boxes of two scenes, or of one.
pub struct Bound<'a> {
    comparisons: Vec<BoundComparison<'a>>,
    either_way: bool,
}

struct BoundComparison<'a> {
    field: Field<'a>,
    equal: bool,
    values: Vec<Field<'a>>,
}

enum Field<'a> {
    Text(&'a str),
    Column(usize, &'a Texts),
}

impl Field<'_> {
    fn of(&self, boxes: [u32; 2]) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Column(side, texts) => texts.get(boxes[*side] as usize),
        }
    }
}

impl Bound<'_> {
    /// Returns `true` if a pair meets the condition.
    pub fn admits(&self, pair: Pair) -> bool {
        self.holds([pair.a, pair.b]) || self.either_way && self.holds([pair.b, pair.a])
    }

    fn holds(&self, boxes: [u32; 2]) -> bool {
        self.comparisons.iter().all(|comparison| {
            let field = comparison.field.of(boxes);
            let mut values = comparison.values.iter();
            values.any(|value| value.of(boxes) == field) == comparison.equal
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Condition, String> {
        text.parse()
    }

    #[test]
    fn equivalent_conditions_parse_alike() {
        let expected = parse("a.type=IfcWall and b.type!=IfcPipe|IfcDuct").expect("a condition");
        for text in [
            "a.type=IfcWall b.type!=IfcPipe|IfcDuct",
            "a.type=IfcWall,b.type!=IfcPipe|IfcDuct",
            " a.type == 'IfcWall' , b.type != IfcPipe | \"IfcDuct\" ",
            "a.'type'=Ifc'Wall' and b.type!=IfcPipe|IfcDuct",
        ] {
            assert_eq!(parse(text), Ok(expected.clone()), "{text}");
        }
        let quoted = parse("a.'b c, d'='it''s' and b.e=and and b.f=\"a.g\" a.h=b.h").expect("a condition");
        let names: Vec<(usize, &str)> = quoted.columns().collect();
        assert_eq!(names, [(0, "b c, d"), (1, "e"), (1, "f"), (1, "h"), (0, "h")]);
        assert_eq!(quoted.0[0].values, [Value::Text("its".into())]);
        assert_eq!(quoted.0[1].values, [Value::Text("and".into())]);
        assert_eq!(quoted.0[2].values, [Value::Text("a.g".into())]);
    }

    #[test]
    fn invalid_conditions_are_refused() {
        for (text, words) in [
            ("", "is missing"),
            ("type=IfcWall", "\"type\" is not a column: write a.NAME or b.NAME"),
            ("a.=IfcWall", "a. names no column"),
            ("a.type", "a.type needs = or !="),
            ("a.type=", "a value for a.type is missing"),
            ("a.type=x|", "a value for a.type is missing"),
            ("a.type=x and", "a comparison such as"),
            ("a.type=x or b.type=y", "\"or\" is not a column"),
            ("a.type!x", "! stands alone"),
            ("a.type='x", "a ' is never closed"),
            ("a.type>3", "a.type>3 needs ="),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    /// The inputs that the fuzz target of conditions has collected.
    #[test]
    fn collected_conditions_are_parsed_or_refused() {
        let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/condition");
        let inputs = std::fs::read_dir(corpus).expect("the corpus is there");
        let parsed = inputs.map(|input| {
            let bytes = std::fs::read(input.expect("it can be listed").path()).expect("it can be read");
            let error = parse(&String::from_utf8_lossy(&bytes)).err().unwrap_or_default();
            assert!(error.len() < 1000, "{error:?}");
        });
        assert!(parsed.count() > 0);
    }
}
