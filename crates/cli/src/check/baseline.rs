//! `--baseline`: the changes since the pairs of an earlier check.

use std::path::Path;

use obbligato::Pair;
use obbligato_files as files;
use obbligato_files::NamedPairs;
use obbligato_support::memory;

use super::scenes::{Orders, Scenes};
use crate::{args::choices::FrameChoice, failure::Failure, output::shown};

/// Label for out-of-memory errors.
const BASELINE: &str = "the pairs of the baseline";

/// The pairs of an earlier check.
pub struct Baseline {
    pairs: NamedPairs,
    /// The pairs' rows, by frames and then in the order of the file.
    rows: Vec<u32>,
    /// `true` if frames matter.
    by_frame: bool,
}

/// The differences of pairs from those of the baseline.
pub struct Changes {
    /// `true` for each new pair.
    pub is_new: Vec<bool>,
    /// The rows of the baseline whose pairs are gone.
    pub gone: Vec<u32>,
}

impl Changes {
    /// Returns the numbers of pairs that are new, gone and kept.
    pub fn numbers(&self) -> [u64; 3] {
        let new = self.is_new.iter().filter(|is_new| **is_new).count();
        [new, self.gone.len(), self.is_new.len() - new].map(|number| number as u64)
    }
}

impl Baseline {
    pub fn read(path: &Path, frame: Option<FrameChoice>) -> Result<Self, Failure> {
        let pairs = files::read_pairs(path)?;
        if frame == Some(FrameChoice::All) && pairs.frames.is_none() {
            return Err(Failure::Input(format!(
                "{}: has no column frame: give the pairs that a check with --frame all has written",
                shown(path)
            )));
        }
        if pairs.a.len() > u32::MAX as usize {
            return Err(Failure::Input(format!(
                "{}: has too many rows: at most {}",
                shown(path),
                u32::MAX
            )));
        }
        let mut rows = memory::collect((0..pairs.a.len()).map(|row| row as u32), BASELINE)?;
        let by_frame = frame.is_some() && pairs.frames.is_some();
        if let (true, Some(frames)) = (by_frame, &pairs.frames) {
            rows.sort_unstable_by_key(|&row| (frames[row as usize], row));
        }
        let mut baseline = Self { pairs, rows, by_frame };
        if let Some(FrameChoice::One(frame)) = frame {
            baseline.rows = memory::collect(baseline.rows_of(Some(frame)).iter().copied(), BASELINE)?;
            baseline.by_frame = false;
        }
        Ok(baseline)
    }

    /// Returns the rows of a frame, or all of them.
    fn rows_of(&self, frame: Option<i64>) -> &[u32] {
        match (frame, &self.pairs.frames) {
            (Some(frame), Some(frames)) if self.by_frame => {
                let start = self.rows.partition_point(|&row| frames[row as usize] < frame);
                let end = self.rows.partition_point(|&row| frames[row as usize] <= frame);
                &self.rows[start..end]
            }
            _ => &self.rows,
        }
    }

    fn names(&self, row: u32) -> (&str, &str) {
        (self.pairs.a.get(row as usize), self.pairs.b.get(row as usize))
    }

    /// Compares sorted pairs with those of the baseline, which may name a pair more than once.
    pub fn compare(&self, scenes: &Scenes, orders: &Orders<'_>, pairs: &[Pair]) -> Result<Changes, Failure> {
        let rows = self.rows_of(scenes.frame);
        let (mut known, mut gone) = (Vec::new(), Vec::new());
        memory::reserve(&mut known, rows.len(), BASELINE)?;
        memory::reserve(&mut gone, rows.len(), BASELINE)?;
        for &row in rows {
            let (a, b) = self.names(row);
            match orders.find(a, b) {
                Some(ranks) => known.push((ranks, row)),
                // A box is gone, and its pairs with it.
                None => gone.push(row),
            }
        }
        self.keep_first(&mut gone, scenes.against.is_none());
        known.sort_unstable();
        known.dedup_by_key(|(ranks, _)| *ranks);
        let is_known = |pair: &Pair| {
            known
                .binary_search_by_key(&orders.ranks(*pair), |(ranks, _)| *ranks)
                .is_ok()
        };
        let is_new = memory::collect(pairs.iter().map(|pair| !is_known(pair)), BASELINE)?;
        let is_gone = |ranks: &Pair| pairs.binary_search_by_key(ranks, |pair| orders.ranks(*pair)).is_err();
        gone.extend(known.iter().filter(|(ranks, _)| is_gone(ranks)).map(|(_, row)| *row));
        gone.sort_unstable();
        Ok(Changes { is_new, gone })
    }

    /// Keeps the first of the rows that name the same pair.
    fn keep_first(&self, rows: &mut Vec<u32>, either_way: bool) {
        let pair = |row: u32| match self.names(row) {
            (a, b) if either_way && b < a => (b, a),
            names => names,
        };
        rows.sort_unstable_by_key(|&row| (pair(row), row));
        rows.dedup_by_key(|row| pair(*row));
    }

    /// The rows of the baseline whose frames no longer exist, one for each pair.
    pub fn of_other_frames(&self, scenes: &[Scenes], one_file: bool) -> Result<Vec<u32>, Failure> {
        let mut gone = Vec::new();
        let Some(frames) = self.pairs.frames.as_ref().filter(|_| self.by_frame) else {
            return Ok(gone);
        };
        let is_there = |frame: i64| scenes.binary_search_by_key(&Some(frame), |scenes| scenes.frame).is_ok();
        let rows_of_frames = self
            .rows
            .chunk_by(|&one, &other| frames[one as usize] == frames[other as usize]);
        for rows in rows_of_frames.filter(|rows| !is_there(frames[rows[0] as usize])) {
            let mut rows = memory::collect(rows.iter().copied(), BASELINE)?;
            self.keep_first(&mut rows, one_file);
            rows.sort_unstable();
            memory::reserve(&mut gone, rows.len(), BASELINE)?;
            gone.extend(rows);
        }
        Ok(gone)
    }

    /// Describes a pair that is gone.
    pub fn gone_in_words(&self, row: u32) -> String {
        let (a, b) = self.names(row);
        match &self.pairs.frames {
            Some(frames) if self.by_frame => format!("gone in frame {}: {a},{b}", frames[row as usize]),
            _ => format!("gone: {a},{b}"),
        }
    }
}
