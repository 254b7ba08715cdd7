//! A histogram of the depths of pairs.

use std::collections::BTreeMap;

use maud::Markup;
use obbligato_files::{Clash, Kind};

use super::listed::measured;
use crate::{
    html::bars::{Bar, bars},
    table::{counted, grouped},
};

/// The maximum number of separate ranges: the lowest bar holds everything that is less deep.
const RANGES: i32 = 15;

/// The beginnings of ranges in each power of ten.
const STARTS: [u32; 3] = [1, 2, 5];

/// Pairs by their depth.
#[derive(Clone, Debug, Default)]
pub struct Depths {
    /// The number of pairs that only touch.
    touching: u64,
    /// The number of pairs in each range.
    ranges: BTreeMap<i32, u64>,
    /// The largest depth.
    deepest: f64,
}

impl Depths {
    /// Adds a clash, unless it is only near.
    pub fn add(&mut self, clash: &Clash) {
        if clash.kind == Kind::Near {
            return;
        }
        self.deepest = self.deepest.max(clash.depth);
        match range(clash.depth).filter(|_| clash.touching != Some(true)) {
            Some(range) => *self.ranges.entry(range).or_default() += 1,
            None => self.touching += 1,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.touching == 0 && self.ranges.is_empty()
    }

    fn count(&self) -> u64 {
        self.touching + self.ranges.values().sum::<u64>()
    }

    pub fn markup(&self) -> Markup {
        let words = format!(
            "{} by depth, in the unit of the file; the deepest {}",
            counted(self.count(), "pair", "pairs"),
            measured(self.deepest).text()
        );
        bars(&words, &[], &self.bars())
    }

    /// Returns the bars, from touching to the deepest.
    fn bars(&self) -> Vec<Bar> {
        let bar = |name: String, pairs: u64| Bar::whole(name, pairs as f64, grouped(pairs));
        let mut bars = Vec::new();
        if self.touching > 0 {
            bars.push(bar("touching".into(), self.touching));
        }
        let (Some((first, _)), Some((last, _))) = (self.ranges.first_key_value(), self.ranges.last_key_value()) else {
            return bars;
        };
        let from = (*first).max(last - RANGES + 1);
        let below: u64 = self.ranges.range(..from).map(|(_, pairs)| pairs).sum();
        if below > 0 {
            bars.push(bar(format!("below {}", start(from)), below));
        }
        for range in from..=*last {
            let pairs = self.ranges.get(&range).copied().unwrap_or(0);
            bars.push(bar(format!("{} to {}", start(range), start(range + 1)), pairs));
        }
        bars
    }
}

/// Returns the range of a depth, numbered from that from 1 to 2; `None` for 0.
fn range(depth: f64) -> Option<i32> {
    // The decimal digits give it without rounding.
    let digits = format!("{depth:e}");
    let (mantissa, exponent) = digits.split_once('e')?;
    let (first, exponent) = (mantissa.chars().next()?.to_digit(10)?, exponent.parse::<i32>().ok()?);
    let part = STARTS.iter().rposition(|start| first >= *start)?;
    Some(3 * exponent + part as i32)
}

/// Returns the beginning of a range.
fn start(range: i32) -> f64 {
    let text = format!("{}e{}", STARTS[range.rem_euclid(3) as usize], range.div_euclid(3));
    text.parse().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_contain_their_depths() {
        assert_eq!(range(0.0), None);
        for depth in [
            1e-9, 0.0999, 0.1, 0.2, 0.499, 0.5, 1.0, 1.999, 2.0, 4.9, 5.0, 9.9, 10.0, 2.5e20,
        ] {
            let range = range(depth).expect("it is above 0");
            assert!(start(range) <= depth && depth < start(range + 1), "{depth}");
        }
        assert_eq!([-3, -1, 0, 2, 4].map(start), [0.1, 0.5, 1.0, 5.0, 20.0]);
    }
}
