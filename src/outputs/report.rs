//! The result of a check.

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
use crate::outputs::sort_pairs_cpu::PairSorter;

/// The result of one check, with statistics about its computation.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(remote = "Self"))]
#[non_exhaustive]
pub struct Report {
    /// The number of boxes checked.
    pub boxes: usize,
    /// The number of pairs whose bounds overlap, which the narrow phase tests. If a GPU checks the
    /// scene in parts, a pair on the border counts once in each of its parts. On the CPU, spheres
    /// alone, if there are more than 128, are not compared by their bounds: the number is then that
    /// of the pairs that `f32` cannot immediately rule out.
    pub candidate_pairs: u64,
    /// The number of all colliding pairs, including those that were not requested or did not fit.
    /// With a [`Config::margin`](crate::Config::margin), pairs no further apart than that.
    pub colliding_pairs: u64,
    /// The number of colliding pairs that share only boundary points. `None` unless the precision
    /// is [`Precision::Exact`](crate::Precision::Exact), because only that can distinguish them.
    pub touching_pairs: Option<u64>,
    /// The number of colliding pairs that share no point and are only within the
    /// [`Config::margin`](crate::Config::margin); 0 without one. `None` unless the precision is
    /// [`Precision::Exact`](crate::Precision::Exact).
    pub near_pairs: Option<u64>,
    /// The number of pairs that `f32` could not decide and that `f64` or exact arithmetic did. 0
    /// unless the precision is [`Precision::Exact`](crate::Precision::Exact). If a GPU checks the
    /// scene in parts, a pair on the border counts once in each of its parts.
    pub undecided_pairs: u64,
    /// The number of undecided pairs that were decided without any rounding: as intervals if both
    /// boxes are aligned with the world's axes, else in integers. Rounding in `f32` and `f64`
    /// differs between machines, and so do this count and [`Report::undecided_pairs`].
    pub undecided_after_f64: u64,
    /// `true` if the report has everything requested. `false` only in fixed-capacity mode, if more
    /// pairs collide than fit.
    pub complete: bool,
    /// The engine that ran the check.
    pub engine: Engine,
    /// The broad phase that found the candidate pairs, and the reason for its choice. `None` if
    /// they were given.
    pub broad_phase: Option<BroadPhaseChoice>,
    /// The levels of the broad phase's grid. The CPU may keep those of the check before if as many
    /// boxes or spheres alone are checked again. Empty if there was none: for given pairs, and for
    /// few boxes on the CPU, which compares all their bounds.
    pub grid: Vec<GridLevel>,
    /// The number of operations of the broad phase. `None` unless
    /// [`Config::count_operations`](crate::Config::count_operations) is set.
    pub operations: Option<Operations>,
    /// The number of bytes of GPU memory that the checker holds after the call; 0 on the CPU.
    pub device_bytes: u64,
    /// The number of bytes that each stage's kernels must move to and from the device's memory, in
    /// order, with the stages of [`Timings::gpu`]. Data read by several invocations counts once, as
    /// if caches were perfect. Empty on the CPU.
    pub traffic: Vec<(Stage, u64)>,
    /// The duration of the call.
    pub timings: Timings,
    pub(crate) pairs: Vec<Pair>,
    pub(crate) touching: Vec<Pair>,
    pub(crate) degrees: Vec<u32>,
    pub(crate) named: Named,
    /// The lists requested by the caller.
    pub(crate) output: Output,
    pub(crate) lists_touching: bool,
}

#[cfg(feature = "serde")]
impl serde::Serialize for Report {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

/// Deserializes a report, and fails if its pairs name boxes that it does not have.
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

/// The sets that positions in a report's pairs refer to.
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
    /// Returns the number of boxes that `a` can name, and that `b` can name, out of `boxes`
    /// checked.
    fn counts(self, boxes: usize) -> [usize; 2] {
        match self {
            Self::Boxes => [boxes; 2],
            Self::Movers { at_rest } => [at_rest, boxes],
            Self::TwoSets(counts) => counts,
        }
    }
}

impl Report {
    /// Returns an empty report that reuses the memory of this one.
    pub(crate) fn cleared(mut self) -> Self {
        self.clear();
        self
    }

    /// Empties the report, and keeps its memory.
    pub(crate) fn clear(&mut self) {
        let Self {
            boxes,
            candidate_pairs,
            colliding_pairs,
            touching_pairs,
            near_pairs,
            undecided_pairs,
            undecided_after_f64,
            complete,
            engine,
            broad_phase,
            grid,
            operations,
            device_bytes,
            traffic,
            timings,
            pairs,
            touching,
            degrees,
            named,
            output,
            lists_touching,
        } = self;
        (*boxes, *complete, *lists_touching) = (0, false, false);
        (*candidate_pairs, *colliding_pairs, *device_bytes) = (0, 0, 0);
        (*undecided_pairs, *undecided_after_f64) = (0, 0);
        (*touching_pairs, *near_pairs, *operations, *broad_phase) = (None, None, None, None);
        (*engine, *named, *output) = (Engine::default(), Named::default(), Output::default());
        grid.clear();
        traffic.clear();
        timings.total = 0.0;
        timings.wall.clear();
        timings.gpu.clear();
        pairs.clear();
        touching.clear();
        degrees.clear();
    }

    /// Returns the report of this search with the findings of another in place of its own.
    pub(crate) fn replaced(self, other: Self) -> Self {
        let mut timings = self.timings;
        for (stage, time) in other.timings.wall {
            match timings.wall.iter_mut().find(|own| own.0 == stage) {
                Some(own) => own.1 += time,
                None => timings.wall.push((stage, time)),
            }
        }
        Self {
            engine: self.engine,
            broad_phase: self.broad_phase,
            grid: self.grid,
            operations: self.operations,
            device_bytes: self.device_bytes,
            traffic: self.traffic,
            timings,
            ..other
        }
    }

    /// Returns the report of this search with the findings of both. No pair may be in both. Lists
    /// have at most this many pairs.
    pub(crate) fn joined(mut self, mut other: Self, max_pairs: Option<usize>) -> Result<Self> {
        let both = |one: Option<u64>, more: Option<u64>| Some(one? + more?);
        let join = |list: &mut Vec<Pair>, more: &[Pair]| -> Result<Vec<Pair>> {
            memory::extend(list, more, "the colliding pairs")?;
            PairSorter::default().sort(list)?;
            Ok(std::mem::take(list))
        };
        other.candidate_pairs += self.candidate_pairs;
        other.colliding_pairs += self.colliding_pairs;
        other.touching_pairs = both(self.touching_pairs, other.touching_pairs);
        other.near_pairs = both(self.near_pairs, other.near_pairs);
        other.undecided_pairs += self.undecided_pairs;
        other.undecided_after_f64 += self.undecided_after_f64;
        other.pairs = join(&mut self.pairs, &other.pairs)?;
        other.pairs.truncate(max_pairs.unwrap_or(usize::MAX));
        other.touching = join(&mut self.touching, &other.touching)?;
        for (degree, more) in other.degrees.iter_mut().zip(&self.degrees) {
            *degree += more;
        }
        other.complete = other.output != Output::Pairs || other.pairs.len() as u64 == other.colliding_pairs;
        Ok(self.replaced(other))
    }

    /// Returns the colliding pairs, sorted by (a, b), each once. If the report is not
    /// [`complete`](Report::complete), only those that fit.
    ///
    /// # Errors
    /// [`Error::Unavailable`] unless [`Output::Pairs`] was requested.
    pub fn pairs(&self) -> Result<&[Pair]> {
        self.expect_pairs("the pairs")?;
        Ok(&self.pairs)
    }

    /// Returns the colliding pairs, by value.
    ///
    /// # Errors
    /// As [`Report::pairs`].
    pub fn into_pairs(self) -> Result<Vec<Pair>> {
        self.expect_pairs("the pairs")?;
        Ok(self.pairs)
    }

    /// Returns the pairs that touch without overlapping, sorted.
    ///
    /// # Errors
    /// [`Error::Unavailable`] unless [`Config::list_touching`](crate::Config::list_touching) is set
    /// and the check distinguishes touching from overlapping: see [`Report::touching_pairs`].
    pub fn touching(&self) -> Result<&[Pair]> {
        match self.lists_touching {
            true => Ok(&self.touching),
            false => Err(Error::Unavailable {
                what: "the touching pairs",
                hint: "the check does not list them; set `Config::list_touching`, with `Precision::Exact`",
            }),
        }
    }

    /// Returns the number of boxes that each box collides with; 0 = free. With movers, the list
    /// covers only the movers; with two sets, the first set's boxes and then the second's.
    ///
    /// # Errors
    /// [`Error::Unavailable`] unless [`Output::Degrees`] was requested; to count degrees from
    /// pairs, see [`degrees`].
    pub fn degrees(&self) -> Result<&[u32]> {
        match self.output {
            Output::Degrees => Ok(&self.degrees),
            Output::Pairs | Output::Count => Err(Error::Unavailable {
                what: "the degrees",
                hint: "the check returns none; set `Config::output` to `Output::Degrees`, or count them from pairs with `degrees`",
            }),
        }
    }

    /// Returns a flag for each box, `true` if it collides: both boxes of every pair are marked.
    /// With movers, the list covers only the movers; with two sets, the first set's boxes and then
    /// the second's.
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

    /// Returns the positions of a pair's bodies among those checked. If there are two sets, the
    /// bodies of the second follow those of the first. A body at rest has none.
    pub fn places(&self, pair: Pair) -> [Option<usize>; 2] {
        let [a, b] = [pair.a as usize, pair.b as usize];
        match self.named {
            Named::Boxes => [Some(a), Some(b)],
            Named::Movers { .. } => [None, Some(b)],
            Named::TwoSets([first, _]) => [Some(a), Some(first + b)],
        }
    }

    /// Computes the partners of every box, in O(boxes + pairs).
    ///
    /// ```
    /// use obbligato::{glam::Vec3, report::Direction, Backend, Checker, Config, Obb};
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
    /// [`Error::Unavailable`] unless the report has all pairs, that is
    /// [`Output::Pairs`](crate::Output::Pairs) and [`Report::complete`]; also for
    /// [`Direction::Both`] with pairs of two sets, as from
    /// [`Query::against`](crate::Query::against) and [`Query::between`](crate::Query::between).
    /// [`Error::OutOfMemory`].
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

    /// Computes the checksum of [`Report::pairs`].
    ///
    /// # Errors
    /// [`Error::Unavailable`] unless the report has all pairs.
    pub fn checksum(&self) -> Result<u64> {
        self.expect_all_pairs("the checksum")?;
        Ok(checksum(&self.pairs))
    }
}

/// Counts the `pairs` of each box.
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

/// Computes a checksum that does not depend on the order of the pairs, and almost surely differs
/// for different sets.
///
/// It is the wrapping sum of the SplitMix64 finaliser (Steele, Lea and Flood, "Fast Splittable
/// Pseudorandom Number Generators", 2014) over [`Pair::key`].
pub fn checksum(pairs: &[Pair]) -> u64 {
    let of = |pairs: &[Pair]| {
        let keys = pairs.iter().map(|pair| pair.key());
        keys.fold(0, |sum: u64, key| sum.wrapping_add(SplitMix(key).next()))
    };
    parallel::fold_ranges(pairs.len(), || 0, |range| of(&pairs[range]), u64::wrapping_add)
}
