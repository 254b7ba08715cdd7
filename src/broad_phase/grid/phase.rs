//! The grid as a broad phase over bounds.

use std::ops::Range;

use bytemuck::Zeroable;
use glam::Vec3;

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::broad_phase::bounded::Bounded;
use crate::broad_phase::bounds_lanes::Sorted;
use crate::broad_phase::grid::bodies_by_bucket::Sort;
use crate::broad_phase::grid::grid_bodies::SortedBodies;
use crate::broad_phase::grid::grid_build_cpu::Grid;
use crate::broad_phase::grid::grid_pairs_cpu::grid_pairs;
use crate::broad_phase::grid::grid_plan_cpu::{choose_levels, group_sizes};
use crate::broad_phase::grid::grid_probe_cpu::{Probe, Sample};
use crate::broad_phase::grid::grid_query_cpu::{grid_query, plan_of_movers, sort_movers};
use crate::broad_phase::grid::kept_plan::PlannedScene;
use crate::broad_phase::grid::layout::{GridLevel, MAX_SLOTS_PER_BOX, Plan, probe_size};
use crate::broad_phase::grid::record::Record;
use crate::broad_phase::hits::Found;
use crate::broad_phase::operations::Operations;
use crate::broad_phase::phase::{OverBounds, PairSearch};
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;
use crate::geometry::scene_stats::{Gathered, SceneStats};
use crate::rules::filter::SetRules;

/// Records in a grid that is planned for them.
pub(crate) struct GridPhase<R: Record = Bounds> {
    pub plan: Plan,
    pub grid: Grid<R>,
    probe: Probe,
    /// The scene of the plan, if it may be kept.
    planned: PlannedScene,
}

impl<R: Record> Default for GridPhase<R> {
    fn default() -> Self {
        Self {
            plan: Plan::zeroed(),
            grid: Grid::default(),
            probe: Probe::default(),
            planned: PlannedScene::default(),
        }
    }
}

impl<R: Record> GridPhase<R> {
    /// Sorts records, which are put into another order, into a grid planned for them. The rules
    /// give their worlds.
    pub fn sort(&mut self, records: &mut [R], stats: &Gathered, rules: &SetRules) -> Result<()> {
        self.sort_into(R::CELLS, records, stats, rules)
    }

    /// Does the same, with one of several sizes of cells ([`Record::CELLS`]).
    pub fn sort_into(
        &mut self,
        cells: &[(f32, f32)],
        records: &mut [R],
        stats: &Gathered,
        rules: &SetRules,
    ) -> Result<()> {
        self.forget_plan();
        let unsorted = &*records;
        let enlarged = self.choose(cells, unsorted.len(), stats, rules, |first, stride, samples| {
            for (sample, record) in samples.iter_mut().zip(unsorted[first..].iter().step_by(stride)) {
                let [x, y, z, _] = record.corners()[0].to_array();
                *sample = (Vec3::new(x, y, z), record.id());
            }
        })?;
        self.grid.build(&self.plan, enlarged, records, rules)
    }

    /// Plans a grid for this many records. Returns by how much its cells are enlarged. `read` is
    /// that of [`Probe::run`].
    fn choose(
        &mut self,
        cells: &[(f32, f32)],
        records: usize,
        stats: &Gathered,
        rules: &SetRules,
        read: impl Fn(usize, usize, &mut [Sample]) + Sync + Send,
    ) -> Result<f32> {
        let worlds = rules.worlds.is_some();
        let mut groups = group_sizes(&SceneStats::from(stats), self.planned.room(records, worlds));
        let (samples, slots) = probe_size(records, u64::MAX);
        self.probe.run(&mut groups, records, rules, (samples, slots), read)?;
        let plan_for = |edge: f32| {
            let mut groups = groups;
            groups.enlarge(edge, samples, slots);
            choose_levels(&groups, worlds, samples, slots)
        };
        let fits = |plan: &Plan, most: f32| plan.levels().iter().all(|level| level.crowding <= most);
        let larger = cells.iter().map(|&(edge, most)| (plan_for(edge), edge, most));
        let chosen = larger.into_iter().find(|(plan, _, most)| fits(plan, *most));
        let (plan, enlarged, _) = chosen.unwrap_or_else(|| (plan_for(1.0), 1.0, f32::INFINITY));
        self.plan = plan;
        Ok(enlarged)
    }

    /// Makes the next plan independent of earlier ones.
    pub fn forget_plan(&mut self) {
        self.planned = PlannedScene::default();
    }

    /// Returns the levels of the grid.
    pub fn levels(&self) -> impl Iterator<Item = GridLevel> {
        self.plan.levels().iter().map(GridLevel::from)
    }

    /// Returns the number of bytes held.
    pub fn held(&self) -> u64 {
        self.grid.bytes() + self.probe.bytes()
    }

    /// Returns the maximum number of bytes held while sorting this many bodies.
    pub fn most_bytes(bodies: u64) -> u64 {
        Grid::<R>::bytes_for(bodies) + Probe::bytes_for(bodies as usize)
    }
}

impl<R: Record> PairSearch for GridPhase<R> {
    fn len(&self) -> usize {
        self.grid.len
    }

    fn pairs<const COUNT: bool>(
        &self,
        rules: &SetRules,
        range: Range<usize>,
        found: &mut dyn FnMut(&[Pair], Found),
    ) -> Operations {
        grid_pairs::<COUNT, R>(&self.plan, &self.grid, rules, range, found)
    }
}

impl GridPhase {
    /// Sorts bodies, whose bounds are widened by `margin`, into a grid planned for them.
    pub fn sort_bodies<B: Bounded>(
        &mut self,
        sorted: &mut SortedBodies<B>,
        bodies: &[B],
        margin: impl Fn(u32) -> f32 + Sync + Send,
        stats: &Gathered,
        rules: &SetRules,
    ) -> Result<()> {
        let read = |first, stride, samples: &mut [Sample]| {
            SortedBodies::read(bodies, &margin, (first, stride), samples);
        };
        self.choose(Bounds::CELLS, bodies.len(), stats, rules, read)?;
        let sort = Sort::new(&self.plan, bodies, margin, rules);
        sorted.sort_by_bucket::<false>(&mut self.grid, &sort)?;
        sorted.sort_by_slot(&mut self.grid, &sort)?;
        self.planned.remember(&self.plan, bodies.len(), rules.worlds.is_some());
        Ok(())
    }

    /// Begins to sort bodies, which may be invalid, by the plan of the bodies before, if that may
    /// suit them. Returns the statistics of their bounds, and whether all are certainly valid.
    /// [`sort_by_kept_plan`](Self::sort_by_kept_plan) continues.
    pub fn try_kept_plan<B: Bounded>(
        &mut self,
        sorted: &mut SortedBodies<B>,
        bodies: &[B],
        margin: impl Fn(u32) -> f32 + Sync + Send,
        rules: &SetRules,
    ) -> Result<Option<(Gathered, bool)>> {
        if !self.planned.may_keep(bodies.len(), rules.worlds.is_some()) {
            return Ok(None);
        }
        let sort = Sort::new(&self.plan, bodies, margin, rules);
        sorted.sort_by_bucket::<true>(&mut self.grid, &sort)?;
        Ok(Some(sorted.gathered()))
    }

    /// Sorts the bodies of [`try_kept_plan`](Self::try_kept_plan), given its other arguments, which
    /// are the same, and the statistics. Returns `false`, and sorts nothing, if the plan does not
    /// suit them.
    pub fn sort_by_kept_plan<B: Bounded>(
        &mut self,
        sorted: &mut SortedBodies<B>,
        bodies: &[B],
        margin: impl Fn(u32) -> f32 + Sync + Send,
        stats: &Gathered,
        rules: &SetRules,
    ) -> Result<bool> {
        if !self.planned.keep(&mut self.plan, &SceneStats::from(stats)) {
            return Ok(false);
        }
        let sort = Sort::new(&self.plan, bodies, margin, rules);
        sorted.sort_by_slot(&mut self.grid, &sort)?;
        Ok(true)
    }

    /// Returns the maximum number of bytes held while sorting this many bodies, those of the bodies
    /// in their new order included.
    pub fn most_bytes_with<B: Bounded>(bodies: u64) -> u64 {
        SortedBodies::<B>::bytes_for(bodies) + Probe::bytes_for(bodies as usize)
    }
}

impl OverBounds for GridPhase {
    fn build(&mut self, bounds: &mut [Bounds], stats: &Gathered, rules: &SetRules) -> Result<()> {
        self.sort(bounds, stats, rules)
    }

    fn sorted(&self) -> Sorted<'_> {
        Sorted(&self.grid.lanes.records)
    }

    fn list_levels(&self, list: &mut Vec<GridLevel>) {
        list.extend(self.levels());
    }

    fn meet<const COUNT: bool>(&self, movers: &[Bounds], rules: &SetRules, found: impl FnMut(Pair)) -> Operations {
        grid_query::<COUNT>((&self.plan, &self.grid), movers, rules, found)
    }

    fn sort_movers(&self, movers: Vec<Bounds>, rules: &SetRules) -> Result<Vec<Bounds>> {
        sort_movers(&self.plan, movers, rules)
    }

    /// Sorts walkers as records are sorted, unless there are few of them for the slots.
    fn sort_walkers(&mut self, met: &Self, walkers: &mut [Bounds], rules: &SetRules) -> Result<()> {
        let Some(plan) = plan_of_movers(&met.plan, walkers.len()) else {
            return Ok(());
        };
        if plan.slots as usize > MAX_SLOTS_PER_BOX * walkers.len() {
            let movers = memory::collect(walkers.iter().copied(), "the grid")?;
            walkers.copy_from_slice(&met.sort_movers(movers, rules)?);
            return Ok(());
        }
        self.grid.build(&plan, 1.0, walkers, rules)?;
        let sorted = &self.grid.lanes.records;
        parallel::fill(walkers, |k| sorted[k]);
        Ok(())
    }

    fn release_scratch(&mut self) {
        self.grid.release_scratch();
        self.forget_plan();
        self.probe = Probe::default();
    }

    fn bytes(&self) -> u64 {
        self.held()
    }

    fn bytes_for(boxes: u64) -> u64 {
        Self::most_bytes(boxes)
    }
}
