//! Counts pairs that are too many to be listed at once, among boxes that no plane separates:
//! thousands in one place.
//!
//! The list of boxes is cut in two, which leaves the pairs within each half and those between the
//! halves. Any piece that is still too large is cut again, so the memory needed is that of one
//! piece, and every pair is in one of them.

use std::ops::Range;

use crate::error::Result;
use crate::out_of_core::check::Worker;
use crate::out_of_core::gather::TileBoxes;
use crate::out_of_core::totals::Totals;
use obbligato::{Error as EngineError, Pair, Report, Rules, Set, query::TileQuery, report::checksum, tiles::Tile};
use obbligato_support::memory;

/// Label for out-of-memory errors.
const WHAT: &str = "a piece of a tile";

/// Pairs of the boxes at these positions: within one range, or between two, of which the first
/// precedes the second.
enum Piece {
    Within(Range<usize>),
    Between([Range<usize>; 2]),
}

impl Piece {
    /// Returns smaller pieces that have the same pairs; `None` if there are none.
    fn cut(self) -> Option<Vec<Self>> {
        match self {
            Self::Within(range) => {
                let [first, second] = halves(&range)?;
                let within = [first.clone(), second.clone()].map(Self::Within);
                Some(within.into_iter().chain([Self::Between([first, second])]).collect())
            }
            Self::Between([first, second]) if first.len() >= second.len() => {
                let cut = halves(&first)?;
                Some(cut.map(|half| Self::Between([half, second.clone()])).into())
            }
            Self::Between([first, second]) => {
                let cut = halves(&second)?;
                Some(cut.map(|half| Self::Between([first.clone(), half])).into())
            }
        }
    }

    /// Returns the position of the box at an index in the piece.
    fn position(&self, place: u32) -> usize {
        let place = place as usize;
        match self {
            Self::Within(range) => range.start + place,
            Self::Between([first, _]) if place < first.len() => first.start + place,
            Self::Between([first, second]) => second.start + place - first.len(),
        }
    }
}

fn halves(range: &Range<usize>) -> Option<[Range<usize>; 2]> {
    let middle = range.start + range.len() / 2;
    (range.len() > 1).then_some([range.start..middle, middle..range.end])
}

impl Worker<'_> {
    /// Adds the totals of the pairs that a tile owns. `problem` is the error of listing them at
    /// once.
    pub(super) fn count_in_pieces(
        &mut self,
        tile: &Tile,
        boxes: &TileBoxes,
        totals: &mut Totals,
        problem: EngineError,
    ) -> Result<()> {
        let mut pending = Piece::Within(0..boxes.boxes.len()).cut().ok_or(problem)?;
        while let Some(piece) = pending.pop() {
            match self.check_piece(tile, boxes, &piece) {
                Ok(report) => {
                    totals.add(&self.noted(&report));
                    let key = |place: u32| boxes.keys[piece.position(place)];
                    let mut pairs = report.into_pairs()?;
                    for pair in &mut pairs {
                        *pair = Pair {
                            a: key(pair.a),
                            b: key(pair.b),
                        };
                    }
                    totals.checksum = totals.checksum.wrapping_add(checksum(&pairs));
                }
                Err(problem @ (EngineError::OutOfMemory { .. } | EngineError::OutOfDeviceMemory { .. })) => {
                    self.begin_anew()?;
                    pending.extend(piece.cut().ok_or(problem)?);
                }
                Err(other) => return Err(other.into()),
            }
        }
        Ok(())
    }

    fn check_piece(&mut self, tile: &Tile, boxes: &TileBoxes, piece: &Piece) -> obbligato::Result<Report> {
        match piece {
            Piece::Within(range) => self.checker().check(TileQuery::new(tile, &boxes.boxes[range.clone()])),
            Piece::Between(ranges) => {
                let (mut joined, mut owners) = (Vec::new(), Vec::new());
                for (owner, range) in (0..).zip(ranges) {
                    memory::extend(&mut joined, &boxes.boxes[range.clone()], WHAT)?;
                    memory::resize(&mut owners, joined.len(), owner, WHAT)?;
                }
                let rules = Rules {
                    owners: Some(&owners),
                    ..Rules::default()
                };
                self.checker()
                    .check(TileQuery::new(tile, Set::from(&joined).with(rules)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_have_every_pair_once() {
        for boxes in 2..12 {
            let mut pending = vec![Piece::Within(0..boxes)];
            let mut found = Vec::new();
            while let Some(piece) = pending.pop() {
                let pair = match &piece {
                    Piece::Within(_) => None,
                    Piece::Between([a, b]) => (a.len() == 1 && b.len() == 1).then_some((a.start, b.start)),
                };
                if let Some((a, b)) = pair {
                    assert_eq!([0, 1].map(|place| piece.position(place)), [a, b]);
                    found.push((a, b));
                }
                pending.extend(piece.cut().unwrap_or_default());
            }
            found.sort_unstable();
            let expected: Vec<_> = (0..boxes).flat_map(|a| (a + 1..boxes).map(move |b| (a, b))).collect();
            assert_eq!(found, expected);
        }
    }
}
