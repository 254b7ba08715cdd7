//! The numbering of two sets that are joined in one list.

use crate::geometry::kinds::{KINDS, of_first_kind};
use crate::geometry::pair::Pair;

/// Number of runs in a list of two sets: one of each set and kind.
pub(crate) const RUNS: usize = 2 * KINDS;

/// Two sets in one list, kind by kind. In each kind, the bodies of the first set precede those of
/// the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Joint {
    /// The end of each run: the bodies of the first kind in the first set, then those in the second
    /// set, then the next kind.
    pub ends: [u32; RUNS],
}

impl Joint {
    /// Creates the numbering of two sets, given their numbers of bodies of each kind.
    pub fn new([first, second]: [[usize; KINDS]; 2]) -> Self {
        let mut end = 0;
        Self {
            ends: std::array::from_fn(|run| {
                end += [first, second][run % 2][run / 2] as u32;
                end
            }),
        }
    }

    /// Creates the numbering of two sets of boxes.
    pub fn of_boxes([first, second]: [usize; 2]) -> Self {
        Self::new([first, second].map(of_first_kind))
    }

    /// Returns the total number of bodies.
    pub fn len(&self) -> u32 {
        self.ends[RUNS - 1]
    }

    /// Returns the run of a body.
    #[inline]
    fn run(&self, id: u32) -> usize {
        self.ends[..RUNS - 1].iter().map(|&end| usize::from(id >= end)).sum()
    }

    /// Returns `true` if a body is in the second set.
    #[inline]
    pub fn is_second(&self, id: u32) -> bool {
        self.run(id) % 2 == 1
    }

    /// Returns the start of a run.
    fn start(&self, run: usize) -> u32 {
        run.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    /// Returns the position of a body in its own set.
    #[inline]
    pub fn own(&self, id: u32) -> u32 {
        let run = self.run(id);
        let before = (run % 2..run)
            .step_by(2)
            .map(|earlier| self.ends[earlier] - self.start(earlier));
        id - self.start(run) + before.sum::<u32>()
    }

    /// Returns the number of bodies in each set.
    pub fn counts(&self) -> [u32; 2] {
        let mut counts = [0; 2];
        for run in 0..RUNS {
            counts[run % 2] += self.ends[run] - self.start(run);
        }
        counts
    }

    /// Returns the set of each run, and its range in the list.
    pub fn places(&self) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> {
        (0..RUNS).map(|run| (run % 2, self.start(run) as usize..self.ends[run] as usize))
    }

    /// Returns the set of each run, and its range in that set.
    pub(super) fn runs(&self) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> {
        let mut taken = [0; 2];
        (0..RUNS).map(move |run| {
            let (set, length) = (run % 2, (self.ends[run] - self.start(run)) as usize);
            let first = taken[set];
            taken[set] += length;
            (set, first..first + length)
        })
    }

    /// Converts a pair to the positions of its bodies in their own sets, with the first set's body
    /// first. Each must be from a different set.
    #[inline]
    pub fn named(&self, pair: Pair) -> Pair {
        let Pair { a, b } = pair;
        let [a, b] = if self.is_second(a) { [b, a] } else { [a, b] };
        Pair {
            a: self.own(a),
            b: self.own(b),
        }
    }

    /// Returns `true` if all bodies are of the first kind. Sorted pairs then stay sorted when they
    /// are renamed.
    pub fn is_of_one_kind(&self) -> bool {
        self.ends[1] == self.len()
    }

    /// Returns the numbering of a part with these bodies, whose ids must ascend.
    pub fn of_part(&self, ids: &[u32]) -> Self {
        Self {
            ends: self.ends.map(|end| ids.partition_point(|&id| id < end) as u32),
        }
    }
}
