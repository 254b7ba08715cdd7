//! A pair in the table and in the pictures.

use std::cmp::Ordering;

use obbligato::Pair;
use obbligato_files::Clash;

use crate::{check::scenes::Scenes, html::table::Cell};

/// The number of digits of measured numbers.
const DIGITS: usize = 6;

/// A pair of the table.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The index of its frame.
    pub frame: usize,
    pub pair: Pair,
    /// The clash, if known.
    pub clash: Option<Clash>,
}

impl Listed {
    pub fn clash(frame: usize, clash: &Clash) -> Self {
        Self {
            frame,
            pair: clash.pair,
            clash: Some(*clash),
        }
    }

    pub const fn pair(frame: usize, pair: Pair) -> Self {
        Self {
            frame,
            pair,
            clash: None,
        }
    }

    /// Returns the ids of its bodies.
    pub fn ids(&self, scenes: &Scenes) -> [String; 2] {
        let [a, b] = scenes.sides();
        [(a, self.pair.a), (b, self.pair.b)].map(|(scene, body)| scene.id_of(body as usize).to_string())
    }

    pub fn depth(&self) -> Option<f64> {
        self.clash.map(|clash| clash.depth)
    }

    /// Compares by depth, the deepest first. Pairs without a depth come last.
    pub fn deepest_first(&self, other: &Self) -> Ordering {
        match (self.depth(), other.depth()) {
            (Some(one), Some(other)) => other.total_cmp(&one),
            (one, other) => other.is_some().cmp(&one.is_some()),
        }
    }
}

/// Returns a measured number, rounded for display.
pub fn measured(number: f64) -> Cell {
    let rounded: f64 = format!("{number:.*e}", DIGITS - 1).parse().unwrap_or(number);
    let is_plain = rounded == 0.0 || (1e-4..1e9).contains(&rounded.abs());
    let shown = if is_plain {
        rounded.to_string()
    } else {
        format!("{rounded:e}")
    };
    Cell::Number(number, shown)
}
