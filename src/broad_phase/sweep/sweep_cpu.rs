//! Sort and sweep as a broad phase.

use std::ops::Range;

use fearless_simd::Simd;

use crate::base::error::Result;
use crate::base::lanes::{self, dispatch};
use crate::broad_phase::bounds_lanes::Sorted;
use crate::broad_phase::hits::{Found, WalkHits, room};
use crate::broad_phase::operations::Operations;
use crate::broad_phase::phase::{OverBounds, PairSearch};
use crate::broad_phase::sweep::blocks::{Blocks, Known, LANES, Walker};
use crate::broad_phase::sweep::plan::{Plan, plan};
use crate::broad_phase::sweep::strips::{Run, Scratch};
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;
use crate::geometry::scene_stats::Gathered;
use crate::rules::filter::SetRules;

/// Bounds, sorted.
#[derive(Default)]
pub(crate) struct Sweep {
    plan: Plan,
    /// The bounds in order, with their worlds as tags.
    records: Vec<Bounds>,
    blocks: Blocks,
    runs: Vec<Run>,
    scratch: Scratch,
}

impl Sweep {
    /// Sorts bounds along suitable axes. The rules give their worlds.
    pub fn sort(&mut self, bounds: &[Bounds], rules: &SetRules) -> Result<()> {
        self.build_by(plan(bounds, rules), bounds, rules)
    }

    fn build_by(&mut self, plan: Plan, bounds: &[Bounds], rules: &SetRules) -> Result<()> {
        self.plan = plan;
        self.runs = self.scratch.sort(&self.plan, bounds, rules, &mut self.records)?;
        self.blocks.fill(&self.records, self.plan.axes)
    }

    /// Returns the runs of a world.
    fn of_world(&self, world: u32) -> &[Run] {
        let first = self.runs.partition_point(|run| run.world < world);
        let runs = &self.runs[first..];
        &runs[..runs.partition_point(|run| run.world == world)]
    }

    #[inline(always)]
    fn walk<S: Simd, const COUNT: bool>(
        &self,
        simd: S,
        range: Range<usize>,
        found: &mut dyn FnMut(&[Pair], Found),
    ) -> Operations {
        let (axes, mut operations) = (self.plan.axes, Operations::default());
        let mut rooms = [room(); 2];
        let mut hits = WalkHits::new(&mut rooms, found);
        let first = self.runs.partition_point(|run| (run.end as usize) <= range.start);
        for (k, run) in self.runs.iter().enumerate().skip(first) {
            if run.start as usize >= range.end {
                break;
            }
            let later = &self.runs[k + 1..];
            for i in range.start.max(run.start as usize)..range.end.min(run.end as usize) {
                let record = &self.records[i];
                let walker = Walker::new(simd, record, axes);
                let mut add = |first: u32, mask: u32| hits.few(i as u32, first, mask, Found::Candidates);
                let mut compared = self
                    .blocks
                    .meet(simd, &walker, Known::First, i + 1..run.end as usize, &mut add);
                let end = record.high[axes[1]];
                for other in later
                    .iter()
                    .take_while(|other| other.world == run.world && other.low <= end)
                {
                    let positions = other.start as usize..other.end as usize;
                    compared += self.blocks.meet(simd, &walker, Known::Second, positions, &mut add);
                    if COUNT {
                        operations.rows += 1;
                    }
                }
                if COUNT {
                    operations.rows += 1;
                    operations.comparisons += compared as u64;
                }
            }
        }
        hits.flush();
        operations
    }

    #[inline(always)]
    fn meet_all<S: Simd, const COUNT: bool>(
        &self,
        simd: S,
        movers: &[Bounds],
        rules: &SetRules,
        mut found: impl FnMut(Pair),
    ) -> Operations {
        let (axes, mut operations) = (self.plan.axes, Operations::default());
        for (b, mover) in (0..).zip(movers) {
            let walker = Walker::new(simd, mover, axes);
            let [begin, end] = [mover.low, mover.high].map(|corner| corner[axes[1]]);
            let runs = self.of_world(rules.world(mover.id)).iter();
            for run in runs.take_while(|run| run.low <= end).filter(|run| run.high >= begin) {
                let positions = run.start as usize..run.end as usize;
                let compared = self
                    .blocks
                    .meet(simd, &walker, Known::Nothing, positions, |first, mut mask| {
                        while mask != 0 {
                            let a = first + mask.trailing_zeros();
                            found(Pair { a, b });
                            mask &= mask - 1;
                        }
                    });
                if COUNT {
                    operations.rows += 1;
                    operations.comparisons += compared as u64;
                }
            }
        }
        operations
    }
}

impl PairSearch for Sweep {
    fn len(&self) -> usize {
        self.records.len()
    }

    fn pairs<const COUNT: bool>(
        &self,
        _: &SetRules,
        range: Range<usize>,
        found: &mut dyn FnMut(&[Pair], Found),
    ) -> Operations {
        dispatch!(lanes::level(), simd => self.walk::<_, COUNT>(simd, range, found))
    }

    fn record(&self, position: usize) -> Bounds {
        self.records[position]
    }

    fn meet<const COUNT: bool>(&self, movers: &[Bounds], rules: &SetRules, found: impl FnMut(Pair)) -> Operations {
        dispatch!(lanes::level(), simd => self.meet_all::<_, COUNT>(simd, movers, rules, found))
    }
}

impl OverBounds for Sweep {
    fn build(&mut self, bounds: &mut [Bounds], _: &Gathered, rules: &SetRules) -> Result<()> {
        self.sort(bounds, rules)
    }

    fn sorted(&self) -> Sorted<'_> {
        Sorted(&self.records)
    }

    fn release_scratch(&mut self) {
        self.scratch = Scratch::default();
    }

    fn bytes(&self) -> u64 {
        let records = self.records.capacity() * size_of::<Bounds>() + self.runs.capacity() * size_of::<Run>();
        (records + self.blocks.bytes() + self.scratch.bytes()) as u64
    }

    fn bytes_for(boxes: u64) -> u64 {
        // Each box may be a separate run.
        let record = size_of::<Bounds>() + Blocks::BYTES + 2 * size_of::<Run>();
        boxes * record as u64 + LANES as u64 * Blocks::BYTES as u64 + Scratch::bytes_for(boxes)
    }
}

#[cfg(test)]
mod tests;
