//! `--ignore`: pairs that people have accepted.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use obbligato::Pair;
use obbligato_files as files;
use obbligato_files::NamedPairs;
use obbligato_support::{excerpt::excerpt, memory, plural::plural};

use super::scenes::Orders;
use crate::{
    failure::{Failure, note},
    output::shown,
    table::grouped,
};

/// Label for out-of-memory errors.
const IGNORED: &str = "the ignored pairs";

/// The pairs of a file.
pub struct Ignored {
    path: PathBuf,
    pairs: NamedPairs,
}

/// An ignored pair that would be a result.
#[derive(Clone, Copy, Debug)]
pub struct Accepted {
    pub pair: Pair,
    /// Its first row in the file.
    row: u32,
}

impl Ignored {
    /// Reads a file, and reports on stderr the columns that are not read.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let pairs = files::read_pairs(path)?;
        if pairs.a.len() > u32::MAX as usize {
            return Err(Failure::Input(format!(
                "{}: has too many rows: at most {}",
                shown(path),
                u32::MAX
            )));
        }
        let frame = pairs.frames.iter().map(|_| "frame");
        let others: Vec<&str> = frame.chain(pairs.others.iter().map(String::as_str)).collect();
        if !others.is_empty() {
            note(&format!(
                "{}: {} not read: {}",
                shown(path),
                plural(others.len() as u64, "this column is", "these columns are"),
                excerpt(&others.join(", "))
            ));
        }
        Ok(Self {
            path: path.to_owned(),
            pairs,
        })
    }

    fn names(&self, row: u32) -> [&str; 2] {
        [&self.pairs.a, &self.pairs.b].map(|texts| texts.get(row as usize))
    }

    /// Returns `true` if the file has reasons.
    pub fn has_reasons(&self) -> bool {
        self.pairs.reasons.is_some()
    }

    /// Returns the reason for ignoring a pair; empty if the file has none.
    pub fn reason(&self, accepted: &Accepted) -> &str {
        let reasons = self.pairs.reasons.as_ref();
        reasons.map_or("", |reasons| reasons.get(accepted.row as usize))
    }

    /// Returns those of some pairs that are ignored; both are in the order of results, and adds the
    /// rows that name them to `live`.
    pub fn find(&self, orders: &Orders<'_>, pairs: &[Pair], live: &mut HashSet<u32>) -> Result<Vec<Accepted>, Failure> {
        let mut found: Vec<(Pair, u32)> = Vec::new();
        for row in 0..self.pairs.a.len() as u32 {
            let [a, b] = self.names(row);
            let Some(ranks) = orders.find(a, b) else { continue };
            if let Ok(place) = pairs.binary_search_by_key(&ranks, |pair| orders.ranks(*pair)) {
                memory::push(&mut found, (pairs[place], row), IGNORED)?;
                live.insert(row);
            }
        }
        found.sort_unstable_by_key(|(pair, row)| (orders.ranks(*pair), *row));
        found.dedup_by_key(|(pair, _)| *pair);
        let accepted = found.into_iter().map(|(pair, row)| Accepted { pair, row });
        Ok(memory::collect(accepted, IGNORED)?)
    }

    /// Reports on stderr the rows whose pairs do not collide any more: all but the live ones.
    pub fn tell_stale(&self, live: &HashSet<u32>) {
        let mut stale = (0..self.pairs.a.len() as u32).filter(|row| !live.contains(row));
        let Some(first) = stale.next() else { return };
        let count = 1 + stale.count() as u64;
        let [a, b] = self.names(first);
        note(&format!(
            "{}: {} {} any more, the first of them {},{}: remove {}",
            shown(&self.path),
            grouped(count),
            plural(count, "pair does not clash", "pairs do not clash"),
            excerpt(a),
            excerpt(b),
            plural(count, "its row", "their rows")
        ));
    }
}
