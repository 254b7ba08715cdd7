//! The pieces of a check, one for each submission.

use std::ops::Range;

/// The pairs that one submission examines: those of some records with some others.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    /// Records, or movers, whose partners are searched for.
    pub records: Range<u32>,
    /// Records that are searched.
    pub partners: Range<u32>,
}

impl Piece {
    /// Divides the records into this many pieces, or into as many as there are records.
    pub fn by_records(&self, pieces: usize) -> Vec<Self> {
        let piece = |records| Self {
            records,
            ..self.clone()
        };
        divide(&self.records, pieces).into_iter().map(piece).collect()
    }

    /// Splits off the first `count` records. Returns these, and the rest if there are any.
    pub fn cut(self, count: u32) -> (Self, Option<Self>) {
        let end = self.records.start.saturating_add(count).min(self.records.end);
        let others = Self {
            records: end..self.records.end,
            ..self.clone()
        };
        let records = self.records.start..end;
        let others = (!others.records.is_empty()).then_some(others);
        (Self { records, ..self }, others)
    }

    /// Splits off the records of one submission, at most `most`, and returns the rest. The sizes of
    /// all remaining submissions are equal.
    pub fn cut_evenly(self, most: u32) -> (Self, Option<Self>) {
        let count = self.records.len() as u32;
        self.cut(count.div_ceil(count.div_ceil(most).max(1)))
    }

    /// Returns two parts of a piece whose walk was too long for a driver, or one if it cannot be
    /// shortened.
    ///
    /// The invocations of a workgroup share the work of a large mover, so with movers, the first
    /// reason for a long walk is their number. The walk of a record is long because of its
    /// partners. Partners and records are cut in turn, because most records have few partners.
    pub fn shorter(&self, movers: bool) -> Vec<Self> {
        if self.records.len() > 1 && (movers || self.records.len() > self.partners.len()) {
            return self.by_records(2);
        }
        let piece = |partners| Self {
            partners,
            ..self.clone()
        };
        divide(&self.partners, 2).into_iter().map(piece).collect()
    }
}

/// Divides a range into this many equal pieces, or into as many as it has records.
fn divide(range: &Range<u32>, pieces: usize) -> Vec<Range<u32>> {
    let pieces = pieces.clamp(1, range.len().max(1)) as u64;
    let length = u64::from(range.end - range.start);
    let cut = |k: u64| range.start + (length * k / pieces) as u32;
    (0..pieces).map(|k| cut(k)..cut(k + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_cut_without_loss() {
        for (records, most) in [
            (1, 1),
            (3000, 100),
            (3000, 2999),
            (10_000_000, 1 << 20),
            (5, 4),
            (5, u32::MAX),
        ] {
            let mut pending = vec![Piece {
                records: 7..7 + records,
                partners: 0..records,
            }];
            let mut cut = Vec::new();
            while let Some(piece) = pending.pop() {
                let (piece, others) = piece.cut_evenly(most);
                pending.extend(others);
                cut.push(piece.records);
            }
            assert_eq!((cut[0].start, cut[cut.len() - 1].end), (7, 7 + records));
            assert!(cut.windows(2).all(|pair| pair[0].end == pair[1].start), "{cut:?}");
            let least = cut.iter().map(|range| range.len()).min().unwrap_or(0);
            assert!(
                cut.iter()
                    .all(|range| range.len() <= most as usize && range.len() <= least + 1),
                "{cut:?}"
            );
        }
    }
}
