//! Rules that keep pairs out of a result regardless of geometry: owners, worlds, static and active
//! boxes, excluded pairs.

use std::sync::Arc;

use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::base::plural::plural;
use crate::geometry::pair::Pair;

/// The owner of boxes without one. See [`Rules::owners`].
pub const NO_OWNER: u32 = u32::MAX;

/// Rules that keep certain pairs from being reported, or report them before they collide.
///
/// A pair is reported if its boxes collide, or are within their margins, and no rule forbids it.
///
/// Each list has one entry per box. Absent rules cost nothing. The groups of boxes
/// ([`Obb::memberships`](crate::Obb::memberships) and [`Obb::filter`](crate::Obb::filter)) are
/// rules too, but are stored in the boxes.
///
/// In checks of two sets, each set has its own rules; owners and worlds are shared between them. If
/// only one set has a list, the boxes of the other count as having no owner, as not static, as
/// active, as in world 0 and without margins.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules<'a> {
    /// The owner of each box. Boxes with the same owner never make a pair: the limbs of a figure,
    /// the parts of an assembly. [`NO_OWNER`] means none; such boxes can collide with each other.
    pub owners: Option<&'a [u32]>,
    /// The world of each box. Boxes of different worlds never make a pair. One call can check
    /// thousands of scenes, each a world, even if they occupy the same place: the broad phase keeps
    /// them apart.
    pub worlds: Option<&'a [u32]>,
    /// `true` for static boxes. Two static boxes never make a pair: walls that intersect each
    /// other.
    pub statics: Option<&'a [bool]>,
    /// `true` for active boxes. Two inactive boxes never make a pair: only active boxes are
    /// checked, against everything.
    pub active: Option<&'a [bool]>,
    /// A margin for each box, in the caller's unit, at least 0: a pair is reported if the distance
    /// of its boxes is at most [`Config::margin`](crate::Config::margin) plus both margins. These
    /// two are added in `f32`, and their sum to the other in `f64`, each rounded to the nearest
    /// number; the pair is then decided for that sum without rounding. Margins whose sums are
    /// exact, such as multiples of a power of two, are therefore decided as written. Everything
    /// stated there about the margin applies to that sum.
    pub margins: Option<&'a [f32]>,
    /// The groups that each body is in, and those that it can collide with, as in
    /// [`Obb::memberships`](crate::Obb::memberships) and [`Obb::filter`](crate::Obb::filter). For
    /// spheres, whose records have no space for groups, and wherever this is more convenient.
    /// Groups in the records apply as well.
    pub groups: Option<&'a [[u32; 2]]>,
    /// Pairs that are never reported.
    ///
    /// Like all pairs of the library, they name positions in the slices, not ids. Within one set,
    /// the two positions may come in either order. In checks of two sets, the position in the first
    /// set precedes that in the second. Either set may carry them.
    pub excluded: Option<&'a ExcludedPairs>,
}

impl Rules<'_> {
    /// Returns `true` if there is no rule.
    pub(crate) fn are_none(&self) -> bool {
        matches!(
            self,
            Self {
                owners: None,
                worlds: None,
                statics: None,
                active: None,
                margins: None,
                groups: None,
                excluded: None,
            }
        )
    }
}

/// Pairs that are never reported, prepared for lookup. Clones share their memory: 16 to 32 bytes
/// per pair.
///
/// ```
/// use obbligato::glam::Vec3;
/// use obbligato::query::ExcludedPairs;
/// use obbligato::{Backend, Checker, Config, Obb, Pair, Rules, Set};
/// # fn main() -> obbligato::Result<()> {
/// let boxes = [Obb::axis_aligned(Vec3::ZERO, Vec3::ONE); 3];
/// let hinges = ExcludedPairs::new(&[Pair::new(0, 1), Pair::new(1, 2)])?;
/// let rules = Rules { excluded: Some(&hinges), ..Rules::default() };
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// assert_eq!(checker.check(Set::from(&boxes).with(rules))?.pairs()?, [Pair::new(0, 2)]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ExcludedPairs(Arc<Table>);

/// A hash table with linear probing (D. Knuth, "The Art of Computer Programming", volume 3, 6.4,
/// algorithm L). The number of slots is a power of two and at least twice the number of pairs.
struct Table {
    slots: Vec<Pair>,
    pairs: usize,
    /// The largest position named as a pair's `a` and as its `b`.
    largest: Pair,
    /// Set if some pair has its larger position first.
    unordered: bool,
}

/// The value of an empty slot: no box has this position.
const EMPTY: Pair = Pair {
    a: u32::MAX,
    b: u32::MAX,
};

/// Maximum number of pairs in slots that are numbered in 32 bits.
const MOST_PAIRS: usize = 1 << 30;

impl ExcludedPairs {
    /// Creates a table of these pairs, in any order; duplicates count once. Takes time O(pairs).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], and [`Error::LimitExceeded`] beyond 2^30 pairs.
    pub fn new(pairs: &[Pair]) -> Result<Self> {
        if pairs.len() > MOST_PAIRS {
            return Err(Error::LimitExceeded {
                what: "a table of excluded pairs".to_owned(),
                needed: pairs.len() as u64,
                available: MOST_PAIRS as u64,
                hint: "exclude fewer pairs, or give their boxes a common owner",
            });
        }
        let mut slots = Vec::new();
        let count = (2 * pairs.len()).next_power_of_two();
        memory::reserve(&mut slots, count, "the excluded pairs")?;
        slots.resize(count, EMPTY);
        let mut table = Table {
            slots,
            pairs: 0,
            largest: Pair { a: 0, b: 0 },
            unordered: false,
        };
        pairs.iter().for_each(|pair| table.insert(*pair));
        Ok(Self(Arc::new(table)))
    }

    /// Returns the number of distinct pairs.
    pub fn len(&self) -> usize {
        self.0.pairs
    }

    /// Returns `true` if there are no pairs.
    pub fn is_empty(&self) -> bool {
        self.0.pairs == 0
    }

    /// Returns `true` if the table contains a pair, named in this order.
    #[inline]
    pub fn contains(&self, pair: Pair) -> bool {
        let slot = self.0.find(pair);
        self.0.slots[slot] == pair
    }

    /// Returns `true` only if the pairs are the same. May return `false` for tables of the same
    /// pairs given in different orders.
    pub(crate) fn equals(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.slots == other.0.slots
    }

    /// Returns the slots of the table, as uploaded to the GPU.
    pub(crate) fn slots(&self) -> &[Pair] {
        &self.0.slots
    }

    /// Returns `true` if some pair has its larger position first.
    pub(crate) fn unordered(&self) -> bool {
        self.0.unordered
    }

    /// Returns the largest position named as a pair's `a` and as its `b`.
    pub(crate) fn largest(&self) -> Pair {
        self.0.largest
    }

    /// Returns the pairs of both tables.
    pub(crate) fn union(&self, other: &Self) -> Result<Self> {
        let mut all = Vec::new();
        memory::reserve(&mut all, self.len() + other.len(), "the excluded pairs")?;
        let pairs = self.slots().iter().chain(other.slots());
        all.extend(pairs.filter(|pair| **pair != EMPTY));
        Self::new(&all)
    }
}

impl Table {
    fn insert(&mut self, pair: Pair) {
        // No box has this position, so there is nothing to exclude.
        if pair == EMPTY {
            return;
        }
        let slot = self.find(pair);
        if self.slots[slot] == EMPTY {
            self.slots[slot] = pair;
            self.pairs += 1;
            self.largest = Pair {
                a: self.largest.a.max(pair.a),
                b: self.largest.b.max(pair.b),
            };
            self.unordered |= pair.a > pair.b;
        }
    }

    /// Returns the slot of a pair, or the slot it would get.
    #[inline]
    fn find(&self, pair: Pair) -> usize {
        let last = self.slots.len() - 1;
        let mut slot = hash(pair) as usize & last;
        while self.slots[slot] != pair && self.slots[slot] != EMPTY {
            slot = (slot + 1) & last;
        }
        slot
    }
}

/// Computes a multiplicative hash, finished as in C. Wellons, "Prospecting for Hash Functions"
/// (2018). Twin: `pair_hash` in `shaders/rules/may_meet.wgsl`.
#[inline]
fn hash(pair: Pair) -> u32 {
    let hash = (pair.a.wrapping_mul(0x9E37_79B1)).wrapping_add(pair.b.wrapping_mul(0x85EB_CA77));
    let hash = (hash ^ hash >> 16).wrapping_mul(0x7FEB_352D);
    let hash = (hash ^ hash >> 15).wrapping_mul(0x846C_A68B);
    hash ^ hash >> 16
}

impl std::fmt::Debug for ExcludedPairs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "ExcludedPairs({} {})",
            self.len(),
            plural(self.len() as u64, "pair", "pairs")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_knows_its_order_and_largest_ids() {
        let table = |pairs: &[Pair]| ExcludedPairs::new(pairs).expect("memory");
        assert!(!table(&[Pair { a: 2, b: 2 }, Pair { a: 1, b: 9 }]).unordered());
        let mixed = table(&[Pair { a: 4, b: 3 }, Pair { a: 1, b: 9 }]);
        assert!(mixed.unordered());
        assert_eq!(mixed.largest(), Pair { a: 4, b: 9 });
        let both = mixed
            .union(&table(&[Pair { a: 1, b: 9 }, Pair { a: 0, b: 5 }]))
            .expect("memory");
        assert_eq!(both.len(), 3);
        assert!(both.contains(Pair { a: 0, b: 5 }) && both.contains(Pair { a: 4, b: 3 }));
    }
}
