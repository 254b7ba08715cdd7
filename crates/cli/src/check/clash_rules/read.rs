//! Reads files of rules.

use std::{collections::HashMap, fs::File, io::Read, ops::Range, path::Path};

use obbligato_support::excerpt::excerpt;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{ClashRules, Limit, Rule};
use crate::{failure::Failure, output::shown};

/// The maximum size of a file in bytes: far more than people write.
const MOST_BYTES: u64 = 1 << 20;

/// The keys of a file and of a rule.
const FILE_KEYS: [&str; 4] = ["min_depth", "clearance", "only", "rule"];
const RULE_KEYS: [&str; 5] = ["name", "where", "min_depth", "clearance", "ignore"];

type Table<'t> = Spanned<DeTable<'t>>;
type Value<'t> = Spanned<DeValue<'t>>;

impl ClashRules {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let fail = |words: String| Failure::Input(format!("{}: {words}", shown(path)));
        let unreadable = |error| fail(format!("cannot be read ({error}): check the path and its permissions"));
        let mut text = String::new();
        let file = File::open(path).map_err(unreadable)?;
        file.take(MOST_BYTES + 1)
            .read_to_string(&mut text)
            .map_err(unreadable)?;
        if text.len() as u64 > MOST_BYTES {
            return Err(fail(format!("has more than {MOST_BYTES} bytes: give a file of rules")));
        }
        let reader = Reader(&text);
        let (rules, default) = reader.file().map_err(fail)?;
        Ok(Self {
            path: path.to_owned(),
            rules,
            default,
        })
    }
}

/// The text of a file.
struct Reader<'t>(&'t str);

impl<'t> Reader<'t> {
    /// Returns the words of a problem with its line.
    fn at(&self, place: &Range<usize>, words: &str) -> String {
        let before = &self.0.as_bytes()[..place.start.min(self.0.len())];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        format!("line {line}: {words}")
    }

    fn file(&self) -> Result<(Vec<Rule>, Limit), String> {
        let table = DeTable::parse(self.0).map_err(|error| {
            let words = format!("{}: write TOML", error.message());
            self.at(&error.span().unwrap_or_default(), &words)
        })?;
        self.check_keys(&table, "the file", &FILE_KEYS)?;
        let fallback = self.limit(&table, "the file")?.unwrap_or(Limit::MinDepth(0.0));
        let only = self.flag(&table, "only", "the file")?;
        let rules = match table.get_ref().get("rule") {
            None => Vec::new(),
            Some(value) => self.rules(value, fallback)?,
        };
        Ok((rules, if only { Limit::Never } else { fallback }))
    }

    fn rules(&self, value: &Value<'t>, fallback: Limit) -> Result<Vec<Rule>, String> {
        let tables = value.get_ref().as_array().into_iter().flat_map(|array| array.iter());
        let is_array = value.get_ref().is_array() && tables.clone().all(|table| table.get_ref().is_table());
        if !is_array {
            return Err(self.at(&value.span(), "rule is not a list of tables: begin each with [[rule]]"));
        }
        let mut rules: Vec<Rule> = Vec::new();
        let mut names = HashMap::new();
        for (number, value) in (1..).zip(tables) {
            let DeValue::Table(table) = value.get_ref() else {
                continue;
            };
            let table = Spanned::new(value.span(), table.clone());
            let rule = self.rule(&table, number, fallback)?;
            let fail = |words: String| Err(self.at(&value.span(), &format!("rule {number} {words}")));
            if let Some(first) = names.insert(rule.name.clone(), number) {
                return fail(format!("has the name of rule {first}: give it another one"));
            }
            if let Some(first) = rules.iter().position(|other| other.condition == rule.condition) {
                return fail(format!(
                    "fits no pair: rule {} has the same condition and comes first: remove one of them",
                    first + 1
                ));
            }
            rules.push(rule);
        }
        Ok(rules)
    }

    fn rule(&self, table: &Table<'t>, number: usize, fallback: Limit) -> Result<Rule, String> {
        let whose = format!("rule {number}");
        self.check_keys(table, &whose, &RULE_KEYS)?;
        let text = |key: &str, example: &str| match table.get_ref().get(key) {
            None => Err(self.at(&table.span(), &format!("{whose} has no {key}: add {key} = {example}"))),
            Some(value) => match value.get_ref().as_str() {
                Some(text) if !text.trim().is_empty() => Ok((text.to_owned(), value.span())),
                _ => Err(self.at(
                    &value.span(),
                    &format!("{key} of {whose} is not a text: write {key} = {example}"),
                )),
            },
        };
        let (name, _) = text("name", "\"pipes in walls\"")?;
        let (condition, place) = text("where", "\"a.type=IfcPipe b.type=IfcWall\"")?;
        let condition = condition
            .parse()
            .map_err(|words| self.at(&place, &format!("where of {whose}: {words}")))?;
        let own = self.limit(table, &whose)?;
        let limit = match (self.flag(table, "ignore", &whose)?, own) {
            (true, Some(_)) => {
                let words = format!("{whose} ignores its pairs, and has a limit for them: remove one of both");
                return Err(self.at(&table.span(), &words));
            }
            (true, None) => Limit::Never,
            (false, own) => own.unwrap_or(fallback),
        };
        Ok(Rule { name, condition, limit })
    }

    fn check_keys(&self, table: &Table<'t>, whose: &str, known: &[&str]) -> Result<(), String> {
        let unknown = |key: &&Spanned<_>| !known.contains(&&**Spanned::<std::borrow::Cow<'_, str>>::get_ref(key));
        let first = table
            .get_ref()
            .keys()
            .filter(unknown)
            .min_by_key(|key| key.span().start);
        first.map_or(Ok(()), |key| {
            let words = format!(
                "{whose} has a key {}: its keys are {}",
                excerpt(key.get_ref()),
                known.join(", ")
            );
            Err(self.at(&key.span(), &words))
        })
    }

    /// Returns the minimum depth or the clearance of a table, if it has one.
    fn limit(&self, table: &Table<'t>, whose: &str) -> Result<Option<Limit>, String> {
        let depth = self.length(table, "min_depth", whose)?;
        let clearance = self.length(table, "clearance", whose)?;
        match (depth, clearance) {
            (Some(_), Some(_)) => {
                let words =
                    format!("{whose} has min_depth and clearance: pairs that are only near have no depth: remove one");
                Err(self.at(&table.span(), &words))
            }
            (depth, clearance) => Ok(depth.map(Limit::MinDepth).or(clearance.map(Limit::Clearance))),
        }
    }

    fn length(&self, table: &Table<'t>, key: &str, whose: &str) -> Result<Option<f64>, String> {
        let Some(value) = table.get_ref().get(key) else {
            return Ok(None);
        };
        let number = match value.get_ref() {
            DeValue::Float(number) => number.as_str().parse().ok(),
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().parse().ok(),
            _ => None,
        };
        match number.filter(|number| (0.0..f64::INFINITY).contains(number)) {
            Some(number) => Ok(Some(number)),
            None => Err(self.at(
                &value.span(),
                &format!("{key} of {whose} is not a length: write a finite number from 0"),
            )),
        }
    }

    fn flag(&self, table: &Table<'t>, key: &str, whose: &str) -> Result<bool, String> {
        let Some(value) = table.get_ref().get(key) else {
            return Ok(false);
        };
        let words = format!("{key} of {whose} is neither true nor false: write one of them");
        value.get_ref().as_bool().ok_or_else(|| self.at(&value.span(), &words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(Vec<Rule>, Limit), String> {
        Reader(text).file()
    }

    #[test]
    fn limits_are_read() {
        let (rules, default) = read(
            "min_depth = 0.25\n[[rule]]\nname = \"p\"\nwhere = \"a.t=p\"\nclearance = 1\n\
             [[rule]]\nname = \"q\"\nwhere = \"a.t=q\"\nignore = true\n[[rule]]\nname = \"r\"\nwhere = \"a.t=r\"\n",
        )
        .expect("rules");
        let limits: Vec<Limit> = rules.iter().map(|rule| rule.limit).collect();
        assert_eq!(limits, [Limit::Clearance(1.0), Limit::Never, Limit::MinDepth(0.25)]);
        assert_eq!(default, Limit::MinDepth(0.25));
        assert_eq!(read("only = true").expect("no rules").1, Limit::Never);
        assert_eq!(read("").expect("no rules").1, Limit::MinDepth(0.0));
    }

    #[test]
    fn faults_are_named_by_line_and_rule() {
        let rule = "[[rule]]\nname = \"n\"\nwhere = \"a.t=p\"\n";
        for (text, words) in [
            ("clearance = ", "line 1: "),
            ("depth = 1", "line 1: the file has a key depth: its keys are min_depth"),
            ("only = 1", "line 1: only of the file is neither"),
            ("rule = 1", "line 1: rule is not a list of tables"),
            ("rule = [1]", "line 1: rule is not a list of tables"),
            ("min_depth = -1", "line 1: min_depth of the file is not a length"),
            ("clearance = inf", "is not a length"),
            ("clearance = nan", "is not a length"),
            ("clearance = 0x10", "is not a length"),
            ("clearance = \"1\"", "is not a length"),
            ("clearance = 1\nmin_depth = 1", "the file has min_depth and clearance"),
            ("[[rule]]\nwhere = \"a.t=p\"", "line 1: rule 1 has no name: add name ="),
            ("[[rule]]\nname = \"n\"", "line 1: rule 1 has no where: add where ="),
            ("[[rule]]\nname = 7", "line 2: name of rule 1 is not a text"),
            ("[[rule]]\nname = \" \"", "line 2: name of rule 1 is not a text"),
            (
                "[[rule]]\nname = \"n\"\nwhere = \"t=p\"",
                "line 3: where of rule 1: \"t\" is not a column",
            ),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(words), "{text}: {error}");
        }
        for (more, words) in [
            ("depth = 1", "line 4: rule 1 has a key depth: its keys are name, where"),
            (
                "ignore = true\nclearance = 1",
                "rule 1 ignores its pairs, and has a limit",
            ),
            (rule, "line 4: rule 2 has the name of rule 1"),
            (
                &rule.replace("\"n\"", "\"m\""),
                "line 4: rule 2 fits no pair: rule 1 has the same condition",
            ),
        ] {
            let error = read(&format!("{rule}{more}")).expect_err(more);
            assert!(error.contains(words), "{more}: {error}");
        }
    }
}
