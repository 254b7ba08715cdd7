//! What a check returns.

use crate::base::engine::Engine;
use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::base::timings::Timings;
use crate::broad_phase::grid::layout::GridLevel;
use crate::broad_phase::operations::Operations;
use crate::geometry::pair::Pair;
use crate::outputs::adjacency_cpu::{Adjacency, Direction};

/// The answer of one check, and how it came about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Boxes checked.
    pub boxes: usize,
    /// Pairs whose bounds overlap: what the narrow phase tested. In a scene that a GPU checks in parts, a pair on the border
    /// of parts is tested in each of them and counts as often.
    pub candidate_pairs: u64,
    /// Pairs that collide, all of them, whether or not they were asked for or fitted. With a
    /// [`Config::margin`](crate::Config::margin), pairs that are no further apart.
    pub colliding_pairs: u64,
    /// Of these, the pairs that share boundary points only. `None` unless the precision is
    /// [`Precision::Exact`](crate::Precision::Exact), which alone can tell.
    pub touching_pairs: Option<u64>,
    /// Of the colliding pairs, those that share no point and are only within the [`Config::margin`](crate::Config::margin): 0
    /// without one. `None` unless the precision is [`Precision::Exact`](crate::Precision::Exact).
    pub near_pairs: Option<u64>,
    /// Pairs that `f32` could not decide; `f64` or exact arithmetic did. 0 unless the precision is
    /// [`Precision::Exact`](crate::Precision::Exact). In a scene that a GPU checks in parts, a pair on the border of
    /// parts counts once in each. No other count does.
    pub undecided_pairs: u64,
    /// Of these, the pairs that were decided without any rounding: as intervals if both boxes lie along the world's axes,
    /// else in whole numbers. Roundings in `f32` and `f64` are not the same everywhere, so neither are these two counts.
    pub undecided_after_f64: u64,
    /// Whether everything asked for is there. False only in the fixed-capacity mode, when more pairs collide than fit.
    pub complete: bool,
    /// Where it ran.
    pub engine: Engine,
    /// How the broad phase laid out its grid.
    pub grid: Vec<GridLevel>,
    /// How much work the broad phase was. `None` unless [`Config::count_operations`](crate::Config::count_operations) is
    /// set.
    pub operations: Option<Operations>,
    /// Bytes of GPU memory the checker holds after the call; 0 on the CPU.
    pub device_bytes: u64,
    /// Bytes that the kernels of each stage have to move to and from the device's memory, in order; the names are those in
    /// [`Timings::gpu`]. What several invocations read counts once, as if caches were perfect. Empty on the CPU.
    pub traffic: Vec<(&'static str, u64)>,
    /// How long the call took.
    pub timings: Timings,
    pub(crate) pairs: Vec<Pair>,
    pub(crate) touching: Vec<Pair>,
    pub(crate) degrees: Vec<u32>,
    pub(crate) named: Named,
}

/// What the pairs of a report name.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Named {
    /// Two of the boxes.
    #[default]
    Boxes,
    /// A box of a scene of so many, and one of the boxes, which move.
    Movers { at_rest: usize },
    /// The boxes are those of two sets, of which each pair has one of each.
    TwoSets([usize; 2]),
}

impl Named {
    /// Boxes that `a` and `b` can name, of so many boxes.
    fn counts(self, boxes: usize) -> [usize; 2] {
        match self {
            Self::Boxes => [boxes; 2],
            Self::Movers { at_rest } => [at_rest, boxes],
            Self::TwoSets(counts) => counts,
        }
    }
}

impl Report {
    /// The colliding pairs, sorted by (a, b), each once. Empty unless [`Output::Pairs`](crate::Output::Pairs) was asked for.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The colliding pairs, by value.
    pub fn into_pairs(self) -> Vec<Pair> {
        self.pairs
    }

    /// The pairs that touch without overlapping, sorted. Empty unless
    /// [`Config::list_touching`](crate::Config::list_touching) is set.
    pub fn touching(&self) -> &[Pair] {
        &self.touching
    }

    /// For every box the number of boxes it collides with; 0 = free. Empty unless
    /// [`Output::Degrees`](crate::Output::Degrees) was asked for; see [`degrees`] to count them from pairs.
    pub fn degrees(&self) -> &[u32] {
        &self.degrees
    }

    /// For every box whether it collides: both boxes of every pair are marked. Of movers, the movers; of two sets, the boxes
    /// of the first and then those of the second.
    ///
    /// # Errors
    /// [`Error::Unavailable`] unless the report has all pairs, or degrees.
    pub fn marks(&self) -> Result<Vec<bool>> {
        if self.degrees.len() == self.boxes && self.pairs.is_empty() {
            return Ok(self.degrees.iter().map(|&degree| degree > 0).collect());
        }
        self.expect_all_pairs("marks")?;
        let mut marks = memory::zeroed(self.boxes, "marks")?;
        let (of_a, before_b) = match self.named {
            Named::Boxes => (true, 0),
            Named::Movers { .. } => (false, 0),
            Named::TwoSets([first, _]) => (true, first),
        };
        for pair in &self.pairs {
            marks[before_b + pair.b as usize] = true;
            if of_a {
                marks[pair.a as usize] = true;
            }
        }
        Ok(marks)
    }

    /// The partners of every box; in O(boxes + pairs).
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config, Direction, Obb, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let row = [0.0, 1.5, 3.0, 9.0].map(|x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let adjacency = checker.check(&row)?.adjacency(Direction::Both)?;
    /// // Who touches box 1?
    /// assert_eq!(adjacency.row(1), [0, 2]);
    /// // Or every pair once:
    /// let once = checker.check(&row)?.adjacency(Direction::AToB)?;
    /// assert!(once.rows().eq([&[1][..], &[2], &[], &[]]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Unavailable`] unless the report has all pairs: with [`Output::Pairs`](crate::Output::Pairs), and
    /// [`Report::complete`]; and for [`Direction::Both`] if they are pairs of two sets, as those of
    /// [`Checker::check_against`](crate::Checker::check_against) and
    /// [`Checker::check_between`](crate::Checker::check_between) are. [`Error::OutOfMemory`].
    pub fn adjacency(&self, direction: Direction) -> Result<Adjacency> {
        self.expect_all_pairs("the adjacency")?;
        let [a, b] = self.named.counts(self.boxes);
        let rows = match direction {
            Direction::Both if self.named != Named::Boxes => return Err(crate::outputs::BOTH_OF_TWO_SETS),
            Direction::Both | Direction::AToB => a,
            Direction::BToA => b,
        };
        Adjacency::new(rows, &self.pairs, direction)
    }

    /// An error if some colliding pair is not here.
    fn expect_all_pairs(&self, what: &'static str) -> Result<()> {
        if self.pairs.len() as u64 == self.colliding_pairs {
            return Ok(());
        }
        let hint = match self.complete {
            true => crate::outputs::WITHOUT_PAIRS,
            false => "the report has not all pairs: raise `Config::max_pairs`",
        };
        Err(Error::Unavailable { what, hint })
    }

    /// The checksum of [`Report::pairs`].
    pub fn checksum(&self) -> u64 {
        checksum(&self.pairs)
    }
}

/// For every box the number of `pairs` it is in.
///
/// # Panics
/// If a pair names a box `>= boxes`.
pub fn degrees(boxes: usize, pairs: &[Pair]) -> Vec<u32> {
    let mut degrees = vec![0; boxes];
    for pair in pairs {
        degrees[pair.a as usize] += 1;
        degrees[pair.b as usize] += 1;
    }
    degrees
}

/// A number that is equal for equal sets of pairs, whatever their order, and almost surely differs for different ones.
///
/// The wrapping sum of the SplitMix64 finaliser (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators",
/// 2014) over [`Pair::key`].
pub fn checksum(pairs: &[Pair]) -> u64 {
    let mix = |key: u64| {
        let z = key.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    };
    pairs.iter().fold(0, |sum, pair| sum.wrapping_add(mix(pair.key())))
}
