//! What a check returns.

use crate::base::config::Output;
use crate::base::engine::Engine;
use crate::base::error::{Error, Result};
use crate::base::split_mix::SplitMix;
use crate::base::stage::Stage;
use crate::base::timings::Timings;
use crate::base::{memory, parallel};
use crate::broad_phase::choice::BroadPhaseChoice;
use crate::broad_phase::grid::layout::GridLevel;
use crate::broad_phase::operations::Operations;
use crate::geometry::pair::Pair;
#[cfg(feature = "serde")]
use crate::geometry::pair::validate_pairs_of;
use crate::outputs::adjacency_cpu::{Adjacency, Direction};

/// The result of one check, with statistics about how it was computed.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(remote = "Self"))]
#[non_exhaustive]
pub struct Report {
    /// Boxes checked.
    pub boxes: usize,
    /// Pairs whose bounds overlap, which the narrow phase tests. If a GPU checks the scene in parts, a pair on the
    /// border counts once in each of its parts. On the CPU more than 128 balls alone are not compared by their bounds: there it is the
    /// pairs of which `f32` cannot tell at once that they are apart.
    pub candidate_pairs: u64,
    /// All colliding pairs, whether or not they were requested or fit. With a
    /// [`Config::margin`](crate::Config::margin), pairs no further apart than that.
    pub colliding_pairs: u64,
    /// The colliding pairs that share only boundary points. `None` unless the precision is
    /// [`Precision::Exact`](crate::Precision::Exact), which alone can tell.
    pub touching_pairs: Option<u64>,
    /// The colliding pairs that share no point and are only within the [`Config::margin`](crate::Config::margin); 0
    /// without one. `None` unless the precision is [`Precision::Exact`](crate::Precision::Exact).
    pub near_pairs: Option<u64>,
    /// Pairs that `f32` could not decide and that `f64` or exact arithmetic did. 0 unless the precision is
    /// [`Precision::Exact`](crate::Precision::Exact). If a GPU checks the scene in parts, a pair on the border counts
    /// once in each of its parts.
    pub undecided_pairs: u64,
    /// The undecided pairs that were decided without any rounding: as intervals if both boxes are aligned with the
    /// world's axes, else in integers. Rounding in `f32` and `f64` differs between machines, so these two counts do
    /// too.
    pub undecided_after_f64: u64,
    /// Whether the report has everything requested. False only in fixed-capacity mode, if more pairs collide than fit.
    pub complete: bool,
    /// Where the check ran.
    pub engine: Engine,
    /// What found the candidate pairs, and why that. `None` if they were given.
    pub broad_phase: Option<BroadPhaseChoice>,
    /// The levels of the broad phase's grid. Empty if there was none: for given pairs, and for few boxes on the CPU, which
    /// compares all their bounds.
    pub grid: Vec<GridLevel>,
    /// The broad phase's work. `None` unless [`Config::count_operations`](crate::Config::count_operations) is set.
    pub operations: Option<Operations>,
    /// Bytes of GPU memory the checker holds after the call; 0 on the CPU.
    pub device_bytes: u64,
    /// Bytes that each stage's kernels must move to and from the device's memory, in order, with the stages of
    /// [`Timings::gpu`]. Data read by several invocations counts once, as if caches were perfect. Empty on the CPU.
    pub traffic: Vec<(Stage, u64)>,
    /// How long the call took.
    pub timings: Timings,
    pub(crate) pairs: Vec<Pair>,
    pub(crate) touching: Vec<Pair>,
    pub(crate) degrees: Vec<u32>,
    pub(crate) named: Named,
    /// Which of the lists the caller asked for.
    pub(crate) output: Output,
    pub(crate) lists_touching: bool,
}

#[cfg(feature = "serde")]
impl serde::Serialize for Report {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

/// A report is read only if its pairs name boxes that it has.
#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Report {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let report = Self::deserialize(deserializer)?;
        let counts = report.named.counts(report.boxes);
        for pairs in [&report.pairs, &report.touching] {
            validate_pairs_of(counts, pairs).map_err(serde::de::Error::custom)?;
        }
        Ok(report)
    }
}

/// What the positions in a report's pairs refer to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub(crate) enum Named {
    /// Two of the boxes.
    #[default]
    Boxes,
    /// A box of a scene with `at_rest` boxes, and one of the movers.
    Movers { at_rest: usize },
    /// One box of each of two sets with these sizes.
    TwoSets([usize; 2]),
}

impl Named {
    /// How many boxes `a` and `b` can each name, out of `boxes` checked.
    fn counts(self, boxes: usize) -> [usize; 2] {
        match self {
            Self::Boxes => [boxes; 2],
            Self::Movers { at_rest } => [at_rest, boxes],
            Self::TwoSets(counts) => counts,
        }
    }
}

impl Report {
    /// A report of nothing with the memory of this one.
    pub(crate) fn cleared(self) -> Self {
        fn cleared<T>(mut list: Vec<T>) -> Vec<T> {
            list.clear();
            list
        }
        Self {
            grid: cleared(self.grid),
            traffic: cleared(self.traffic),
            timings: Timings {
                total: 0.0,
                wall: cleared(self.timings.wall),
                gpu: cleared(self.timings.gpu),
            },
            pairs: cleared(self.pairs),
            touching: cleared(self.touching),
            degrees: cleared(self.degrees),
            ..Self::default()
        }
    }

    /// The colliding pairs, sorted by (a, b), each once. If the report is not [`complete`](Report::complete), those of
    /// them that fit.
    ///
    /// # Errors
    /// [`Error::Unavailable`] unless [`Output::Pairs`] was requested.
    pub fn pairs(&self) -> Result<&[Pair]> {
        self.expect_pairs("the pairs")?;
        Ok(&self.pairs)
    }

    /// The colliding pairs, by value.
    ///
    /// # Errors
    /// As [`Report::pairs`].
    pub fn into_pairs(self) -> Result<Vec<Pair>> {
        self.expect_pairs("the pairs")?;
        Ok(self.pairs)
    }

    /// The pairs that touch without overlapping, sorted.
    ///
    /// # Errors
    /// [`Error::Unavailable`] unless [`Config::list_touching`](crate::Config::list_touching) is set and the check tells
    /// touching from overlapping: see [`Report::touching_pairs`].
    pub fn touching(&self) -> Result<&[Pair]> {
        match self.lists_touching {
            true => Ok(&self.touching),
            false => Err(Error::Unavailable {
                what: "the touching pairs",
                hint: "the check does not list them; set `Config::list_touching`, with `Precision::Exact`",
            }),
        }
    }

    /// The number of boxes that each box collides with; 0 = free. With movers, of each mover; with two sets, of the first
    /// set's boxes and then of the second's.
    ///
    /// # Errors
    /// [`Error::Unavailable`] unless [`Output::Degrees`] was requested; to count degrees from pairs, see [`degrees`].
    pub fn degrees(&self) -> Result<&[u32]> {
        match self.output {
            Output::Degrees => Ok(&self.degrees),
            Output::Pairs | Output::Count => Err(Error::Unavailable {
                what: "the degrees",
                hint: "the check returns none; set `Config::output` to `Output::Degrees`, or count them from pairs with `degrees`",
            }),
        }
    }

    /// Whether each box collides: both boxes of every pair are marked. With movers, this covers only the movers; with
    /// two sets, the first set's boxes and then the second's.
    ///
    /// # Errors
    /// [`Error::Unavailable`] unless the report has all pairs or degrees.
    pub fn marks(&self) -> Result<Vec<bool>> {
        if self.output == Output::Degrees {
            return Ok(memory::collect(self.degrees.iter().map(|&degree| degree > 0), "marks")?);
        }
        self.expect_all_pairs("marks")?;
        let mut marks = memory::zeroed(self.boxes, "marks")?;
        for place in self.pairs.iter().flat_map(|&pair| self.places(pair)).flatten() {
            marks[place] = true;
        }
        Ok(marks)
    }

    /// Returns the positions of a pair's bodies among those checked: of two sets, those of the second follow the first.
    /// A body at rest has none.
    pub fn places(&self, pair: Pair) -> [Option<usize>; 2] {
        let [a, b] = [pair.a as usize, pair.b as usize];
        match self.named {
            Named::Boxes => [Some(a), Some(b)],
            Named::Movers { .. } => [None, Some(b)],
            Named::TwoSets([first, _]) => [Some(a), Some(first + b)],
        }
    }

    /// The partners of every box, in O(boxes + pairs).
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
    /// [`Error::Unavailable`] unless the report has all pairs, that is [`Output::Pairs`](crate::Output::Pairs) and
    /// [`Report::complete`]; also for [`Direction::Both`] with pairs of two sets, as from
    /// [`Query::against`](crate::Query::against) and
    /// [`Query::between`](crate::Query::between). [`Error::OutOfMemory`].
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

    /// Returns an error unless the check returns pairs.
    fn expect_pairs(&self, what: &'static str) -> Result<()> {
        match self.output {
            Output::Pairs => Ok(()),
            Output::Degrees | Output::Count => Err(Error::Unavailable {
                what,
                hint: crate::outputs::WITHOUT_PAIRS,
            }),
        }
    }

    /// Returns an error if the report lacks a colliding pair.
    fn expect_all_pairs(&self, what: &'static str) -> Result<()> {
        self.expect_pairs(what)?;
        match self.complete {
            true => Ok(()),
            false => Err(Error::Unavailable {
                what,
                hint: "the report lacks some pairs; raise `Config::max_pairs`",
            }),
        }
    }

    /// The checksum of [`Report::pairs`].
    ///
    /// # Errors
    /// [`Error::Unavailable`] unless the report has all pairs.
    pub fn checksum(&self) -> Result<u64> {
        self.expect_all_pairs("the checksum")?;
        Ok(checksum(&self.pairs))
    }
}

/// The number of `pairs` that each box is in.
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

/// A checksum that does not depend on the order of the pairs, and almost surely differs for different sets.
///
/// The wrapping sum of the SplitMix64 finaliser (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators",
/// 2014) over [`Pair::key`].
pub fn checksum(pairs: &[Pair]) -> u64 {
    let of = |pairs: &[Pair]| {
        let keys = pairs.iter().map(|pair| pair.key());
        keys.fold(0, |sum: u64, key| sum.wrapping_add(SplitMix(key).next()))
    };
    parallel::fold_ranges(pairs.len(), || 0, |range| of(&pairs[range]), u64::wrapping_add)
}
