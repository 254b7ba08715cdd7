//! `--clash-rules`: which pairs are clashes, by the columns of their boxes.
//!
//! ```toml
//! min_depth = 0.001           # of pairs that no rule fits, and of rules without a number
//!
//! [[rule]]
//! name = "pipes in walls"
//! where = "a.type=IfcPipe b.type=IfcWall"
//! clearance = 0.05
//! ```

mod read;

use std::path::PathBuf;

use obbligato::{Checker, Config, Pair};
use obbligato_files as files;
use obbligato_support::memory;

use super::{
    condition::Condition,
    scenes::{Orders, Scenes},
};
use crate::{failure::Failure, output::shown};

/// Label for out-of-memory errors.
const RULES: &str = "the rules of pairs";

/// The rules of a file.
#[derive(Debug)]
pub struct ClashRules {
    path: PathBuf,
    rules: Vec<Rule>,
    /// The limit of pairs that no rule fits.
    default: Limit,
}

/// A rule for the pairs that meet a condition.
#[derive(Debug)]
struct Rule {
    name: String,
    condition: Condition,
    limit: Limit,
}

/// The limit from which a pair is a clash.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Limit {
    /// It collides, and is at least this deep.
    MinDepth(f64),
    /// It is no further apart than this.
    Clearance(f64),
    /// It never is one.
    Never,
}

impl Limit {
    fn clearance(self) -> f64 {
        match self {
            Self::Clearance(clearance) => clearance,
            Self::MinDepth(_) | Self::Never => 0.0,
        }
    }

    /// Returns its words for people.
    fn in_words(self) -> String {
        match self {
            Self::MinDepth(0.0) | Self::Clearance(0.0) => "collide".into(),
            Self::MinDepth(depth) => format!("collide, at least {depth} deep"),
            Self::Clearance(clearance) => format!("are within {clearance}"),
            Self::Never => "never clash".into(),
        }
    }
}

/// The pairs that a rule fits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fitting {
    /// Those that are clashes.
    pub clashes: u64,
    /// The others within the greatest clearance.
    pub left_out: u64,
}

/// The rules of pairs.
pub struct Decided {
    /// The number of each pair's rule; that of the last one plus 1 if none fits.
    numbers: Vec<u32>,
    /// The pairs that each rule fits, and those that none does.
    pub fitting: Vec<Fitting>,
}

impl ClashRules {
    /// Returns the greatest clearance.
    pub fn margin(&self) -> f64 {
        let limits = self.rules.iter().map(|rule| rule.limit).chain([self.default]);
        limits.map(Limit::clearance).fold(0.0, f64::max)
    }

    /// Returns the sides, 0 for a and 1 for b, and the names of the columns that they compare.
    pub fn columns(&self) -> impl Iterator<Item = (usize, &str)> {
        self.rules.iter().flat_map(|rule| rule.condition.columns())
    }

    /// Returns the names of the rules.
    pub fn names(&self) -> Vec<String> {
        self.rules.iter().map(|rule| rule.name.clone()).collect()
    }

    /// Returns the name of a clash's rule, if one fits.
    pub fn name(&self, rule: Option<u32>) -> Option<&str> {
        self.rules.get(rule? as usize).map(|rule| rule.name.as_str())
    }

    /// Returns each rule's name and limit in words, then those of pairs that none fits.
    pub fn in_words(&self) -> impl Iterator<Item = (Option<&str>, String)> {
        let named = self.rules.iter().map(|rule| (Some(rule.name.as_str()), rule.limit));
        named
            .chain([(None, self.default)])
            .map(|(name, limit)| (name, limit.in_words()))
    }

    /// Returns an error about a missing column with the rule that compares it, if one does.
    pub fn named(&self, error: files::Error) -> Failure {
        let files::Error::NoColumn { name, .. } = &error else {
            return error.into();
        };
        let compares = |rule: &Rule| rule.condition.columns().any(|(_, column)| column == name);
        let Some(number) = self.rules.iter().position(compares) else {
            return error.into();
        };
        Failure::Input(format!(
            "{}: rule {}, {:?}, fits no pair: {error}: correct its condition",
            shown(&self.path),
            number + 1,
            self.rules[number].name
        ))
    }

    /// Leaves out the pairs, which are in the order of results, that are not clashes whatever their
    /// depth, and returns the rules of the others.
    pub fn decide(
        &self,
        scenes: &Scenes,
        orders: &Orders<'_>,
        config: &Config,
        pairs: &mut Vec<Pair>,
    ) -> Result<Decided, Failure> {
        let conditions = self.rules.iter().map(|rule| &rule.condition);
        let conditions: Vec<_> = conditions
            .map(|condition| condition.on(scenes.sides(), scenes.against.is_none()))
            .collect();
        let number = |pair: &Pair| {
            let first = conditions.iter().position(|condition| condition.admits(*pair));
            first.unwrap_or(conditions.len()) as u32
        };
        let mut numbers = memory::collect(pairs.iter().map(number), RULES)?;
        let within = self.within(scenes, orders, config, &numbers)?;
        let mut fitting = vec![Fitting::default(); self.rules.len() + 1];
        let mut kept = 0;
        for index in 0..pairs.len() {
            let (pair, number) = (pairs[index], numbers[index]);
            let limit = self.limit(number);
            let is_within = match within.iter().find(|(clearance, _)| *clearance == limit.clearance()) {
                Some((_, within)) => {
                    let found = within.binary_search_by_key(&orders.ranks(pair), |other| orders.ranks(*other));
                    found.is_ok()
                }
                None => true,
            };
            if limit == Limit::Never || !is_within {
                fitting[number as usize].left_out += 1;
                continue;
            }
            fitting[number as usize].clashes += 1;
            (pairs[kept], numbers[kept]) = (pair, number);
            kept += 1;
        }
        pairs.truncate(kept);
        numbers.truncate(kept);
        Ok(Decided { numbers, fitting })
    }

    /// Returns the pairs within each clearance below the greatest one that the rules of some pairs
    /// have: a check for each, so that they are as exact as the check itself.
    fn within(
        &self,
        scenes: &Scenes,
        orders: &Orders<'_>,
        config: &Config,
        numbers: &[u32],
    ) -> Result<Vec<(f64, Vec<Pair>)>, Failure> {
        let all = self.margin();
        let mut within: Vec<(f64, Vec<Pair>)> = Vec::new();
        for rule in 0..=self.rules.len() as u32 {
            let limit = self.limit(rule);
            let clearance = limit.clearance();
            let is_known = limit == Limit::Never
                || clearance == all
                || within.iter().any(|(known, _)| *known == clearance)
                || !numbers.contains(&rule);
            if is_known {
                continue;
            }
            let mut checker = Checker::new(Config {
                margin: clearance,
                list_touching: false,
                ..config.clone()
            })?;
            let mut pairs = scenes.check(&mut checker, &scenes.query())?.into_pairs()?;
            orders.sort(&mut pairs)?;
            within.push((clearance, pairs));
        }
        Ok(within)
    }

    fn limit(&self, number: u32) -> Limit {
        self.rules.get(number as usize).map_or(self.default, |rule| rule.limit)
    }
}

impl Decided {
    /// Sets the rules of clashes, which are those of the decided pairs in the same order, and
    /// leaves out those that are not deep enough.
    pub fn apply(&mut self, rules: &ClashRules, clashes: &mut Vec<files::Clash>) {
        let mut numbers = self.numbers.iter();
        let fitting = &mut self.fitting;
        clashes.retain_mut(|clash| {
            let number = numbers.next().copied().unwrap_or(rules.rules.len() as u32);
            clash.rule = Some(number).filter(|&number| (number as usize) < rules.rules.len());
            let is_deep = match rules.limit(number) {
                Limit::MinDepth(least) => clash.depth >= least,
                _ => true,
            };
            if !is_deep {
                fitting[number as usize].clashes -= 1;
                fitting[number as usize].left_out += 1;
            }
            is_deep
        });
    }
}
