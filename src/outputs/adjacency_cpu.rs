//! Every box's partners, computed from sorted pairs by a counting sort by rows. Twin of
//! `shaders/outputs/adjacency.wgsl`.
//!
//! In pairs sorted by (a, b), the partners of each `a` are already together. Those of each `b` are
//! gathered by the same two steps that sort pairs: chunks by bucket, a bucket being a run of rows,
//! then each bucket by row. Both steps are stable, so partners stay ascending without any
//! comparisons.

use std::borrow::Cow;

use crate::base::error::{Error, Result};
use crate::base::{memory, parallel};
use crate::geometry::pair::Pair;
use crate::outputs::sort_pairs_cpu::{Buckets, Chunks, PairSorter, sort_pairs};

/// The rows of an [`Adjacency`] in which a pair appears.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Both rows: `b` in the row of `a`, and `a` in the row of `b`. For pairs within one set of
    /// boxes.
    #[default]
    Both,
    /// Only `b` in the row of `a`. Within one set of boxes each pair appears once, in the row of
    /// the smaller position.
    AToB,
    /// Only `a` in the row of `b`: for each mover, the boxes at rest that it meets.
    BToA,
}

impl Direction {
    /// Returns two flags: `true` if pairs are in the rows of their `a`, and in the rows of their
    /// `b`.
    pub(crate) fn rows_of(self) -> [bool; 2] {
        [self != Self::BToA, self != Self::AToB]
    }
}

/// The partners of every box in one array, suitable for iterating over neighbours.
///
/// Built by [`Report::adjacency`](crate::Report::adjacency), or from any pairs. Takes 4 bytes per
/// partner and 8 per box.
///
/// ```
/// use obbligato::{report::{Adjacency, Direction}, Pair};
/// # fn main() -> obbligato::Result<()> {
/// let pairs = [Pair::new(1, 7), Pair::new(2, 3), Pair::new(7, 8)];
/// let adjacency = Adjacency::new(10, &pairs, Direction::Both)?;
/// // Who touches box 7?
/// assert_eq!(adjacency.row(7), [1, 8]);
/// assert!(adjacency.row(0).is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written"))]
pub struct Adjacency {
    offsets: Vec<u64>,
    neighbours: Vec<u32>,
}

/// An adjacency as deserialized, before validation.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Written {
    offsets: Vec<u64>,
    neighbours: Vec<u32>,
}

#[cfg(feature = "serde")]
impl TryFrom<Written> for Adjacency {
    type Error = &'static str;

    fn try_from(Written { offsets, neighbours }: Written) -> Result<Self, Self::Error> {
        let ends = [offsets.first().copied(), offsets.last().copied()];
        match ends == [Some(0), Some(neighbours.len() as u64)] && offsets.is_sorted() {
            true => Ok(Self { offsets, neighbours }),
            false => Err("the offsets do not ascend from 0 to the number of neighbours"),
        }
    }
}

impl Adjacency {
    /// Creates the adjacency of boxes `0..rows` from `pairs`.
    ///
    /// The pairs may come in any order and, within one set of boxes, either way round. A pair given
    /// twice appears twice in its rows. Takes time O(rows + pairs) if they are as in a report,
    /// sorted by (a, b) and, within one set, with a < b; otherwise O(p log p). Takes another 8
    /// bytes per pair while it works.
    ///
    /// # Errors
    /// [`Error::InvalidPair`] if a pair belongs to a missing row; [`Error::OutOfMemory`].
    pub fn new(rows: usize, pairs: &[Pair], direction: Direction) -> Result<Self> {
        validate(rows, pairs, direction)?;
        let all = |holds: fn(&[Pair]) -> bool| {
            let ends = |range: &std::ops::Range<usize>| range.start..(range.end + 1).min(pairs.len());
            parallel::map_ranges(pairs.len(), |range| holds(&pairs[ends(&range)]))
                .into_iter()
                .all(|held| held)
        };
        let sorted = match all(|pairs| pairs.is_sorted()) {
            true => Cow::Borrowed(pairs),
            false => {
                let mut own = Vec::new();
                memory::extend(&mut own, pairs, "sorted pairs")?;
                sort_pairs(&mut own)?;
                Cow::Owned(own)
            }
        };
        let mut adjacency = Self::of_sorted(rows, &sorted, direction)?;
        // Each row would otherwise list the smaller partners, ascending, followed by the larger
        // ones, ascending.
        if direction == Direction::Both && !all(|pairs| pairs.iter().all(|pair| pair.a < pair.b)) {
            adjacency.sort_rows();
        }
        Ok(adjacency)
    }

    fn of_sorted(rows: usize, pairs: &[Pair], direction: Direction) -> Result<Self> {
        const WHAT: &str = "the adjacency";
        let [of_a, of_b] = direction.rows_of();
        let turned = if of_b { pairs } else { &[] };
        let straight = if of_a { pairs } else { &[] };
        let mut offsets = memory::zeroed(rows.saturating_add(1), WHAT)?;
        let mut neighbours = memory::zeroed(turned.len() + straight.len(), WHAT)?;
        let mut sorter = PairSorter::default();
        let buckets = Buckets::new(rows);
        let turned = Chunks::partition(turned, &mut sorter, buckets, |pair| pair.b)?;
        let mut tasks = Vec::with_capacity(buckets.count);
        let (mut rest, mut others, mut base) = (&mut neighbours[..], straight, 0);
        for (bucket, ends) in offsets[1..].chunks_mut(buckets.keys()).enumerate() {
            let first = bucket * buckets.keys();
            let (straight, after) =
                others.split_at(others.partition_point(|pair| (pair.a as usize) < first + ends.len()));
            let turned = turned.of_bucket(bucket);
            let count = straight.len() + turned.clone().map(<[Pair]>::len).sum::<usize>();
            let (neighbours, behind) = rest.split_at_mut(count);
            tasks.push(Rows {
                first,
                base,
                ends,
                neighbours,
                turned,
                straight,
            });
            (rest, others) = (behind, after);
            base += count as u64;
        }
        parallel::for_each(tasks, Rows::fill);
        Ok(Self { offsets, neighbours })
    }

    fn sort_rows(&mut self) {
        for row in self.offsets.windows(2) {
            self.neighbours[row[0] as usize..row[1] as usize].sort_unstable();
        }
    }

    /// Returns the partners of a box, ascending.
    ///
    /// # Panics
    /// If `id` is not below [`Adjacency::len`].
    pub fn row(&self, id: u32) -> &[u32] {
        let id = id as usize;
        &self.neighbours[self.offsets[id] as usize..self.offsets[id + 1] as usize]
    }

    /// Returns all rows, in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[u32]> + Clone {
        self.offsets
            .windows(2)
            .map(|row| &self.neighbours[row[0] as usize..row[1] as usize])
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns `true` if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the start of each row in [`Adjacency::neighbours`], and the end of the last: one
    /// entry more than there are rows.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// Returns all rows, concatenated.
    pub fn neighbours(&self) -> &[u32] {
        &self.neighbours
    }
}

/// Returns an error that names the first pair that belongs to a missing row, if there is one.
fn validate(rows: usize, pairs: &[Pair], direction: Direction) -> Result<()> {
    let named = |pair: &Pair| match direction {
        Direction::Both => pair.a.max(pair.b),
        Direction::AToB => pair.a,
        Direction::BToA => pair.b,
    };
    let bad = parallel::map_ranges(pairs.len(), |range| {
        let bad = pairs[range.clone()]
            .iter()
            .position(|pair| named(pair) as usize >= rows);
        bad.map(|within| range.start + within)
    });
    match bad.into_iter().flatten().next() {
        Some(index) => Err(Error::InvalidPair {
            index,
            named: named(&pairs[index]),
            boxes: rows,
        }),
        None => Ok(()),
    }
}

/// The rows of a bucket, and the pairs that belong in them.
struct Rows<'a, T> {
    /// The first row.
    first: usize,
    /// The number of neighbours in all earlier rows.
    base: u64,
    /// The end of each row.
    ends: &'a mut [u64],
    neighbours: &'a mut [u32],
    /// Pairs that belong in the row of their `b`, sorted by `a`.
    turned: T,
    /// Pairs that belong in the row of their `a`, sorted by (a, b).
    straight: &'a [Pair],
}

impl<'a, T: Iterator<Item = &'a [Pair]> + Clone> Rows<'a, T> {
    fn fill(self) {
        let Self { first, ends, .. } = self;
        // The smaller partners first.
        let turned = self.turned.flatten().map(|pair| (pair.b as usize - first, pair.a));
        let straight = self.straight.iter().map(|pair| (pair.a as usize - first, pair.b));
        turned.clone().for_each(|(row, _)| ends[row] += 1);
        straight.clone().for_each(|(row, _)| ends[row] += 1);
        // The counts become the starts of the rows. Placing partners turns the starts into ends.
        let mut sum = 0;
        for end in &mut *ends {
            sum += std::mem::replace(end, sum);
        }
        for (row, partner) in turned.chain(straight) {
            self.neighbours[ends[row] as usize] = partner;
            ends[row] += 1;
        }
        ends.iter_mut().for_each(|end| *end += self.base);
    }
}
