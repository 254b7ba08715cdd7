//! The ids of a file's boxes, and the order that they give to boxes and pairs.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use crate::error::Result;
use crate::texts::Texts;
use obbligato::{Pair, report::sort_pairs};
use obbligato_support::memory;

/// Label for out-of-memory errors.
const WHAT: &str = "the order of ids";

/// The ids of a file's boxes, without duplicates.
///
/// They are numbers, and sort as numbers, if every id of the file is a whole number from 0 to
/// 4294967295 in its usual form, without a sign or leading zeros. Otherwise all are texts and sort
/// by their bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ids {
    /// Whole numbers.
    Numbers(Vec<u32>),
    /// Texts, such as the GUIDs of a building model.
    Texts(Texts),
}

/// One box's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Id<'a> {
    /// A whole number.
    Number(u32),
    /// A text.
    Text(&'a str),
}

impl fmt::Display for Id<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

impl From<Vec<u32>> for Ids {
    fn from(numbers: Vec<u32>) -> Self {
        Self::Numbers(numbers)
    }
}

impl Ids {
    /// Returns the number of ids.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Texts(texts) => texts.len(),
        }
    }

    /// Returns `true` if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the id of the box at a position.
    ///
    /// # Panics
    /// If there is none at `index`.
    pub fn get(&self, index: usize) -> Id<'_> {
        match self {
            Self::Numbers(numbers) => Id::Number(numbers[index]),
            Self::Texts(texts) => Id::Text(texts.get(index)),
        }
    }

    /// Returns the ids if they are numbers.
    pub fn numbers(&self) -> Option<&[u32]> {
        match self {
            Self::Numbers(numbers) => Some(numbers),
            Self::Texts(_) => None,
        }
    }
}

/// Returns the number that an id stands for, if it is one in its usual form.
pub(super) fn plain_number(id: &str) -> Option<u32> {
    match id.as_bytes() {
        [b'+', ..] | [b'0', _, ..] => None,
        _ => id.parse().ok(),
    }
}

/// The boxes of a scene in the order of their ids. Comes from
/// [`SceneFile::order`](crate::SceneFile::order).
#[derive(Debug)]
pub struct IdOrder<'a> {
    ids: Option<&'a Ids>,
    boxes: usize,
    /// `None` if the boxes are already sorted by their ids.
    sorted: Option<Sorted>,
}

#[derive(Debug)]
struct Sorted {
    /// The boxes in the order of their ids.
    positions: Vec<u32>,
    /// The position of each box in that order.
    ranks: Vec<u32>,
}

impl<'a> IdOrder<'a> {
    pub(super) fn new(ids: Option<&'a Ids>, boxes: usize) -> Result<Self> {
        let sorted = match ids {
            Some(Ids::Numbers(numbers)) if !numbers.is_sorted() => {
                Some(Sorted::new(boxes, |position| numbers[position as usize])?)
            }
            Some(Ids::Texts(texts)) if !texts.iter().is_sorted() => {
                Some(Sorted::new(boxes, |position| texts.get(position as usize))?)
            }
            _ => None,
        };
        Ok(Self { ids, boxes, sorted })
    }

    /// Returns the rank of the id of the box at a position among the sorted ids, from 0.
    ///
    /// # Panics
    /// If the scene has no box there and is not sorted.
    pub fn rank(&self, position: u32) -> u32 {
        match &self.sorted {
            Some(sorted) => sorted.ranks[position as usize],
            None => position,
        }
    }

    /// Returns the ranks of all boxes; `None` if they are their positions.
    pub fn ranks(&self) -> Option<&[u32]> {
        self.sorted.as_ref().map(|sorted| sorted.ranks.as_slice())
    }

    /// Returns the position of the box whose id has a rank.
    pub(super) fn position(&self, rank: u32) -> u32 {
        match &self.sorted {
            Some(sorted) => sorted.positions[rank as usize],
            None => rank,
        }
    }

    /// Returns the position of the box with an id, given as text.
    pub fn find(&self, id: &str) -> Option<u32> {
        let wanted = match self.ids {
            Some(Ids::Texts(_)) => Id::Text(id),
            _ => Id::Number(plain_number(id)?),
        };
        let (mut low, mut high) = (0, self.boxes as u32);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.id(self.position(middle)).cmp(&wanted) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Some(self.position(middle)),
            }
        }
        None
    }

    fn id(&self, position: u32) -> Id<'a> {
        id_of(self.ids, position)
    }

    /// Sorts pairs of positions by the ids of their boxes, the smaller id first.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory).
    ///
    /// # Panics
    /// If a pair names a box that does not exist.
    pub fn sort(&self, pairs: &mut [Pair]) -> Result<()> {
        if self.sorted.is_some() {
            for pair in &mut *pairs {
                *pair = Pair::new(self.rank(pair.a), self.rank(pair.b));
            }
            sort_pairs(pairs)?;
            self.restore(self, pairs);
        }
        Ok(())
    }

    /// Sorts pairs of a position in this scene and one in another by the ids of their boxes.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory).
    ///
    /// # Panics
    /// If a pair names a box that does not exist.
    pub fn sort_with(&self, other: &IdOrder<'_>, pairs: &mut [Pair]) -> Result<()> {
        if self.sorted.is_some() || other.sorted.is_some() {
            for pair in &mut *pairs {
                *pair = Pair {
                    a: self.rank(pair.a),
                    b: other.rank(pair.b),
                };
            }
            sort_pairs(pairs)?;
            self.restore(other, pairs);
        }
        Ok(())
    }

    /// Turns ranks back into positions.
    fn restore(&self, second: &IdOrder<'_>, pairs: &mut [Pair]) {
        for pair in pairs {
            *pair = Pair {
                a: self.position(pair.a),
                b: second.position(pair.b),
            };
        }
    }

    /// Converts to [`SceneFile::keys`](crate::SceneFile::keys).
    pub(super) fn into_keys(self) -> Option<Cow<'a, [u32]>> {
        match self.ids {
            Some(Ids::Numbers(numbers)) => Some(Cow::Borrowed(numbers)),
            _ => self.sorted.map(|sorted| Cow::Owned(sorted.ranks)),
        }
    }
}

impl Sorted {
    fn new<K: Ord>(boxes: usize, key: impl Fn(u32) -> K) -> Result<Self> {
        let mut positions = memory::collect((0..boxes).map(|position| position as u32), WHAT)?;
        positions.sort_unstable_by_key(|&position| key(position));
        let mut ranks = memory::zeroed(boxes, WHAT)?;
        for (rank, &position) in (0..).zip(&positions) {
            ranks[position as usize] = rank;
        }
        Ok(Self { positions, ranks })
    }
}

/// Returns the id of the box at a position, which is its position if the boxes have no ids.
pub(super) fn id_of(ids: Option<&Ids>, position: u32) -> Id<'_> {
    match ids {
        Some(ids) => ids.get(position as usize),
        None => Id::Number(position),
    }
}
