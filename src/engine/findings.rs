//! The findings of the narrow phase, decided to the last pair and converted to the requested
//! output.

use crate::base::config::{Config, Output, Precision};
use crate::base::error::Result;
use crate::base::memory::extend;
use crate::base::{memory, parallel};
use crate::broad_phase::hits::BATCH;
use crate::broad_phase::operations::Operations;
use crate::engine::exact_stage::{Relation, Sets, decide_in_parallel};
use crate::engine::query::resolved::Visit;
use crate::geometry::pair::Pair;
use crate::outputs::report::Report;
use crate::shapes::bodies::set::Bodies;
#[cfg(feature = "gpu")]
use crate::{
    engine::exact_stage::decide64, geometry::aabb::Aabb, narrow_phase::aabb_aabb::aabb_within_cpu::aabb_within,
    outputs::sort_pairs_cpu::PairSorter, shapes::obb64::record::Obb64,
};

/// The findings of all parts of a check.
#[derive(Default)]
pub(crate) struct Findings<'a> {
    pub output: Output,
    pub precision: Precision,
    pub list_touching: bool,
    /// The visitor that receives overlapping pairs, in place of a list.
    pub visit: Option<Visit<'a>>,
    /// The maximum number of pairs to keep; `None` keeps all of them.
    pub max_pairs: Option<usize>,
    /// Pairs tested by the narrow phase.
    pub candidate_pairs: u64,
    /// Pairs found to overlap, stored or not.
    pub colliding_pairs: u64,
    /// Overlapping pairs, if requested.
    pub pairs: Vec<Pair>,
    /// Pairs that `f32` could not decide.
    pub undecided_pairs: u64,
    /// Undecided pairs still to be decided.
    pub undecided: Vec<Pair>,
    /// Undecided pairs that `f64` could not decide either.
    pub undecided_after_f64: u64,
    /// Colliding pairs that only touch, if determined.
    pub touching_pairs: Option<u64>,
    /// Pairs only within the margin, among those the GPU decided.
    pub near: u64,
    /// All pairs only within the margin, if determined.
    pub near_pairs: Option<u64>,
    /// Touching pairs, if requested.
    pub touching: Vec<Pair>,
    /// Number of overlapping pairs of each box, if requested.
    pub degrees: Vec<u32>,
    /// Set if degrees are those of movers, the second boxes of pairs.
    pub of_movers: bool,
    /// The broad phase's work, if counted.
    pub operations: Option<Operations>,
    /// The number of pairs in the device's list, if these are the first ones of `pairs`; 0 if the
    /// list has only some of them.
    #[cfg(all(feature = "gpu", feature = "unstable"))]
    pub listed: Option<u32>,
    /// The future report. Its lists are in the fields above until then.
    report: Report,
}

impl<'a> Findings<'a> {
    /// Returns the number of bytes of the findings for this many boxes and colliding pairs, few of
    /// which need the exact stage. A growing list has capacity for up to twice its contents, and
    /// the list that gathers all of them is as long; so is the memory that sorting takes once those
    /// are freed.
    pub fn bytes_for(config: &Config, boxes: u64, pairs: u64) -> u64 {
        match config.output {
            Output::Pairs => {
                let kept = config.max_pairs.map_or(pairs, |most| pairs.min(most as u64));
                kept.saturating_mul(3 * size_of::<Pair>() as u64)
            }
            Output::Degrees => boxes * size_of::<u32>() as u64,
            Output::Count => 0,
        }
    }

    /// Creates empty findings that reuse the memory of an old report.
    pub fn new(config: &Config, old: Report) -> Self {
        let mut report = old.cleared();
        Self {
            output: config.output,
            precision: config.precision,
            list_touching: config.list_touching,
            max_pairs: config.max_pairs,
            pairs: std::mem::take(&mut report.pairs),
            touching: std::mem::take(&mut report.touching),
            degrees: std::mem::take(&mut report.degrees),
            report,
            ..Self::default()
        }
    }

    /// Adds overlapping pairs to the list, or passes them to the visitor.
    pub fn extend_pairs(&mut self, pairs: &[Pair]) -> Result<()> {
        if let Some(visit) = &self.visit {
            let mut batch = Vec::with_capacity(pairs.len().min(BATCH));
            for pairs in pairs.chunks(BATCH) {
                batch.clear();
                batch.extend_from_slice(pairs);
                visit.pairs(&mut batch);
            }
            return Ok(());
        }
        let room = self
            .max_pairs
            .map_or(usize::MAX, |most| most - self.pairs.len().min(most));
        Ok(extend(
            &mut self.pairs,
            &pairs[..pairs.len().min(room)],
            "the colliding pairs",
        )?)
    }

    /// Adds undecided pairs to the list.
    pub fn extend_undecided(&mut self, pairs: &[Pair]) -> Result<()> {
        Ok(extend(&mut self.undecided, pairs, "the undecided pairs")?)
    }

    /// Counts overlapping pairs, and keeps what was requested.
    pub fn add_colliding(&mut self, pairs: &[Pair]) -> Result<()> {
        self.colliding_pairs += pairs.len() as u64;
        if self.visit.is_some() {
            return self.extend_pairs(pairs);
        }
        match self.output {
            Output::Pairs => self.extend_pairs(pairs)?,
            Output::Degrees => {
                let of_pair = |pair: &Pair| [pair.a, pair.b].into_iter().skip(usize::from(self.of_movers));
                pairs
                    .iter()
                    .flat_map(of_pair)
                    .for_each(|id| self.degrees[id as usize] += 1);
            }
            Output::Count => {}
        }
        Ok(())
    }

    /// Runs the exact stage: decides the undecided pairs of these sets, each with its margin.
    /// `counted` boxes have degrees.
    pub fn decide(&mut self, sets: Sets<'_>, counted: usize, margin: impl Fn(Pair) -> f64 + Sync + Send) -> Result<()> {
        if self.precision != Precision::Exact {
            return Ok(());
        }
        let undecided = std::mem::take(&mut self.undecided);
        let (relations, tally) = decide_in_parallel(sets, &undecided, margin)?;
        let count = |wanted: Relation| relations.iter().filter(|&&relation| relation == wanted).count() as u64;
        self.undecided_after_f64 = tally.undecided_after_f64();
        if let Sets::Bodies(_) = sets {
            self.touching_pairs = Some(count(Relation::Touching));
            self.near_pairs = Some(self.near + count(Relation::Near));
        }
        if self.output == Output::Degrees {
            memory::resize(&mut self.degrees, counted, 0, "the degrees")?;
        }
        self.keep(&undecided, &relations)
    }

    /// Keeps the pairs that are not apart.
    fn keep(&mut self, pairs: &[Pair], relations: &[Relation]) -> Result<()> {
        let mut colliding = Vec::with_capacity(BATCH);
        for (pairs, relations) in pairs.chunks(BATCH).zip(relations.chunks(BATCH)) {
            colliding.clear();
            for (pair, relation) in pairs.iter().zip(relations) {
                if self.list_touching && *relation == Relation::Touching {
                    memory::push(&mut self.touching, *pair, "the touching pairs")?;
                }
                if *relation != Relation::Apart {
                    colliding.push(*pair);
                }
            }
            self.add_colliding(&colliding)?;
        }
        Ok(())
    }

    /// Tests pairs of the boxes around those with centers in `f64`, and keeps the findings
    /// requested by the caller, of which `boxes.len()` have degrees.
    #[cfg(feature = "gpu")]
    pub fn test64(
        &mut self,
        boxes: &[Obb64],
        asked: &Config,
        margin: Option<&(dyn Fn(Pair) -> f64 + Sync)>,
    ) -> Result<()> {
        let pairs = std::mem::take(&mut self.pairs);
        let (relations, counts) = decide64(boxes, &pairs, asked.precision, margin)?;
        self.output = asked.output;
        self.precision = asked.precision;
        self.max_pairs = asked.max_pairs;
        self.colliding_pairs = 0;
        self.undecided_pairs = counts.undecided;
        self.undecided_after_f64 = counts.tally.undecided_after_f64();
        if self.precision == Precision::Exact {
            let count = |wanted: Relation| relations.iter().filter(|&&relation| relation == wanted).count() as u64;
            self.touching_pairs = Some(count(Relation::Touching));
            self.near_pairs = Some(count(Relation::Near));
        }
        if self.output == Output::Degrees {
            memory::resize(&mut self.degrees, boxes.len(), 0, "the degrees")?;
        }
        self.keep(&pairs, &relations)
    }

    /// Tests the pairs of bounds that a device has found within a larger margin, and keeps the
    /// findings requested by the caller.
    #[cfg(feature = "gpu")]
    pub fn test_bounds(&mut self, bounds: &[Aabb], asked: &Config, margin: impl Fn(Pair) -> f64) -> Result<()> {
        let pairs = std::mem::take(&mut self.pairs);
        self.output = asked.output;
        self.max_pairs = asked.max_pairs;
        self.colliding_pairs = 0;
        if self.output == Output::Degrees {
            memory::resize(&mut self.degrees, bounds.len(), 0, "the degrees")?;
        }
        for pair in &pairs {
            let [a, b] = [pair.a, pair.b].map(|id| &bounds[id as usize]);
            if aabb_within(a, b, margin(*pair)) {
                self.add_colliding(std::slice::from_ref(pair))?;
            }
        }
        Ok(())
    }

    /// Sorts the pairs.
    #[cfg(feature = "gpu")]
    pub fn sort(&mut self) -> Result<()> {
        let mut sorter = PairSorter::default();
        sorter.sort(&mut self.pairs)?;
        sorter.sort(&mut self.touching)
    }

    /// Returns the report on this many boxes, from sorted pairs.
    pub fn finish(mut self, boxes: usize) -> Result<Report> {
        if self.output == Output::Degrees {
            memory::resize(&mut self.degrees, boxes, 0, "the degrees")?;
        }
        Ok(Report {
            boxes,
            candidate_pairs: self.candidate_pairs,
            colliding_pairs: self.colliding_pairs,
            touching_pairs: self.touching_pairs,
            near_pairs: self.near_pairs,
            undecided_pairs: self.undecided_pairs,
            undecided_after_f64: self.undecided_after_f64,
            complete: self.output != Output::Pairs
                || self.visit.is_some()
                || self.pairs.len() as u64 == self.colliding_pairs,
            operations: self.operations,
            pairs: self.pairs,
            touching: self.touching,
            degrees: self.degrees,
            output: match self.visit {
                Some(_) => Output::Count,
                None => self.output,
            },
            lists_touching: self.list_touching && self.touching_pairs.is_some(),
            ..self.report
        })
    }
}

/// Returns the number of these pairs that do not collide.
pub(crate) fn count_apart([a, b]: [Bodies<'_>; 2], pairs: &[Pair]) -> u64 {
    let counts = parallel::map_ranges(pairs.len(), |range| {
        let apart = |pair: &&Pair| !a.at(pair.a).contact(b.at(pair.b)).collides();
        pairs[range].iter().filter(apart).count() as u64
    });
    counts.iter().sum()
}
