//! Random rules.

use obbligato::{Pair, Rules, query::NO_OWNER};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference;

/// The lists of the rules that a scene has.
#[derive(Clone, Default)]
pub struct OwnedRules {
    owners: Option<Vec<u32>>,
    worlds: Option<Vec<u32>>,
    statics: Option<Vec<bool>>,
    active: Option<Vec<bool>>,
    groups: Option<Vec<[u32; 2]>>,
}

impl OwnedRules {
    /// Returns random rules for `count` bodies; about one scene in four has a given rule.
    pub fn random(random: &mut SplitMix, count: usize) -> Self {
        Self {
            owners: list(random, count, |number| match number % 8 {
                0 => NO_OWNER,
                owner => owner as u32,
            }),
            worlds: list(random, count, |number| (number % 3) as u32),
            statics: list(random, count, |number| number % 2 == 0),
            active: list(random, count, |number| number % 3 == 0),
            groups: list(random, count, |number| [number as u32 & 7 | 1, (number >> 32) as u32]),
        }
    }

    /// Returns the rules.
    pub fn get(&self) -> Rules<'_> {
        Rules {
            owners: self.owners.as_deref(),
            worlds: self.worlds.as_deref(),
            statics: self.statics.as_deref(),
            active: self.active.as_deref(),
            groups: self.groups.as_deref(),
            ..Rules::default()
        }
    }

    /// Returns the pairs that the rules allow.
    pub fn allow(&self, mut pairs: Vec<Pair>) -> Vec<Pair> {
        pairs.retain(|pair| reference::allowed(&self.get(), *pair));
        pairs
    }
}

/// Returns one list in four.
fn list<T>(random: &mut SplitMix, count: usize, value: impl Fn(u64) -> T) -> Option<Vec<T>> {
    let is_there = random.next().is_multiple_of(4);
    is_there.then(|| (0..count).map(|_| value(random.next())).collect())
}
