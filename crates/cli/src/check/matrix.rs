//! The clashes of each pair of types: of bodies with the same texts in the columns of `--group`.

use std::collections::BTreeMap;

use obbligato_files::Clash;
use serde_json::{Value, json};

use super::{groups::Grouping, scenes::Scenes};

/// The clashes of bodies with two texts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Between {
    pub clashes: u64,
    /// The largest depth.
    pub deepest: f64,
}

/// The clashes of each pair of texts; within one file, the smaller text comes first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix(BTreeMap<[String; 2], Between>);

impl Matrix {
    /// Counts clashes by their texts in the columns of groups; none if there are no such columns.
    pub fn of(grouping: &Grouping, scenes: &Scenes, clashes: &[Clash]) -> Self {
        let mut matrix = Self::default();
        if let Grouping::Columns(names) = grouping {
            for clash in clashes {
                let texts = names_of(names, scenes, clash);
                matrix.add(
                    texts,
                    Between {
                        clashes: 1,
                        deepest: clash.depth,
                    },
                );
            }
        }
        matrix
    }

    fn add(&mut self, texts: [String; 2], more: Between) {
        let cell = self.0.entry(texts).or_default();
        cell.clashes += more.clashes;
        cell.deepest = cell.deepest.max(more.deepest);
    }

    /// Adds the clashes of another frame.
    pub fn merge(&mut self, other: Self) {
        other.0.into_iter().for_each(|(texts, more)| self.add(texts, more));
    }

    /// Returns the texts with their clashes, those with the most first.
    pub fn cells(&self) -> Vec<(&[String; 2], Between)> {
        let mut cells: Vec<_> = self.0.iter().map(|(texts, cell)| (texts, *cell)).collect();
        cells.sort_by_key(|(_, cell)| std::cmp::Reverse(cell.clashes));
        cells
    }

    /// Returns the clashes of two texts.
    pub fn get(&self, a: &str, b: &str) -> Option<Between> {
        self.0.get(&[a.to_owned(), b.to_owned()]).copied()
    }

    /// Returns the texts of a side, 0 for a and 1 for b, or of both, those with the most clashes
    /// first.
    pub fn texts(&self, sides: &[usize]) -> Vec<&str> {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for (texts, cell) in &self.0 {
            for &side in sides {
                *counts.entry(&texts[side]).or_default() += cell.clashes;
            }
        }
        let mut texts: Vec<(&str, u64)> = counts.into_iter().collect();
        texts.sort_by_key(|(_, clashes)| std::cmp::Reverse(*clashes));
        texts.into_iter().map(|(text, _)| text).collect()
    }

    pub fn json(&self) -> Value {
        let cell = |(texts, cell): (&[String; 2], Between)| json!({ "a": texts[0], "b": texts[1], "clashes": cell.clashes, "deepest": cell.deepest });
        self.cells().into_iter().map(cell).collect()
    }
}

fn names_of(names: &[String], scenes: &Scenes, clash: &Clash) -> [String; 2] {
    super::groups::texts(names, scenes, clash.pair).map(|texts| texts.join(", "))
}
