//! The grid as a broad phase over bounds.

use std::ops::Range;

use bytemuck::Zeroable;
use glam::Vec3;

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::broad_phase::bounded::Compared;
use crate::broad_phase::bounds_lanes::Sorted;
use crate::broad_phase::grid::bodies_by_bucket::Sort;
use crate::broad_phase::grid::columns::{ColumnsView, OF_BOUNDS};
use crate::broad_phase::grid::grid_bodies::SortedBodies;
use crate::broad_phase::grid::grid_build_cpu::Grid;
use crate::broad_phase::grid::grid_pairs_cpu::grid_pairs;
use crate::broad_phase::grid::grid_plan_cpu::{choose_levels, group_sizes};
use crate::broad_phase::grid::grid_probe_cpu::{Probe, Sample};
use crate::broad_phase::grid::grid_query_cpu::{grid_query, plan_of_movers, sort_movers};
use crate::broad_phase::grid::kept_plan::PlannedScene;
use crate::broad_phase::grid::layout::{GridLevel, MAX_SLOTS_PER_BOX, Plan, probe_size};
use crate::broad_phase::grid::vector::corner;
use crate::broad_phase::grid::view::View;
use crate::broad_phase::hits::Found;
use crate::broad_phase::operations::Operations;
use crate::broad_phase::phase::{OverBounds, PairSearch};
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;
use crate::geometry::scene_stats::{Gathered, SceneStats};
use crate::rules::filter::SetRules;

/// Records in a grid that is planned for them: those with `N` numbers that are compared. By default
/// these are bounds.
pub(crate) struct GridPhase<const N: usize = OF_BOUNDS> {
    pub plan: Plan,
    pub grid: Grid<N>,
    probe: Probe,
    /// The scene of the plan, if it may be kept.
    planned: PlannedScene,
    /// The corners of the smallest bounds that hold all records.
    world: [Vec3; 2],
}

impl<const N: usize> Default for GridPhase<N> {
    fn default() -> Self {
        Self {
            plan: Plan::zeroed(),
            grid: Grid::default(),
            probe: Probe::default(),
            planned: PlannedScene::default(),
            world: [Vec3::ZERO; 2],
        }
    }
}

impl<const N: usize> GridPhase<N> {
    /// Plans a grid for this many records. `read` is that of [`Probe::run`].
    fn choose(
        &mut self,
        records: usize,
        stats: &Gathered,
        rules: &SetRules,
        read: impl Fn(usize, usize, &mut [Sample]) + Sync + Send,
    ) -> Result<()> {
        self.world = world_of(stats);
        let worlds = rules.worlds.is_some();
        let mut groups = group_sizes(&SceneStats::from(stats), self.planned.room(records, worlds));
        let (samples, slots) = probe_size(records, u64::MAX);
        self.probe.run(&mut groups, records, rules, (samples, slots), read)?;
        self.plan = choose_levels(&groups, worlds, samples, slots);
        Ok(())
    }

    /// Makes the next plan independent of earlier ones.
    pub fn forget_plan(&mut self) {
        self.planned = PlannedScene::default();
    }

    /// Sorts bodies, whose bounds are widened by `margin`, into a grid planned for them.
    pub fn sort_bodies<B: Compared<N>>(
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
        self.choose(bodies.len(), stats, rules, read)?;
        let sort = Sort::new(&self.plan, bodies, margin, rules);
        sorted.sort_by_bucket::<false, N>(&mut self.grid, &sort)?;
        sorted.sort_by_slot(&mut self.grid, &sort)?;
        self.planned.remember(&self.plan, bodies.len(), rules.worlds.is_some());
        Ok(())
    }

    /// Begins to sort bodies, which may be invalid, by the plan of the bodies before, if that may
    /// suit them. Returns the statistics of their bounds, and whether all are certainly valid.
    /// [`sort_by_kept_plan`](Self::sort_by_kept_plan) continues.
    pub fn try_kept_plan<B: Compared<N>>(
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
        sorted.sort_by_bucket::<true, N>(&mut self.grid, &sort)?;
        Ok(Some(sorted.gathered()))
    }

    /// Sorts the bodies of [`try_kept_plan`](Self::try_kept_plan), given its other arguments, which
    /// are the same, and the statistics. Returns `false`, and sorts nothing, if the plan does not
    /// suit them.
    pub fn sort_by_kept_plan<B: Compared<N>>(
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
        self.world = world_of(stats);
        let sort = Sort::new(&self.plan, bodies, margin, rules);
        sorted.sort_by_slot(&mut self.grid, &sort)?;
        Ok(true)
    }

    /// Returns the levels of the grid.
    pub fn levels(&self) -> impl Iterator<Item = GridLevel> {
        self.plan.levels().iter().map(GridLevel::from)
    }

    /// Returns the number of bytes held.
    pub fn held(&self) -> u64 {
        self.grid.bytes() + self.probe.bytes()
    }

    /// Returns the maximum number of bytes held while sorting this many bodies, those of the bodies
    /// in their new order included.
    pub fn most_bytes_with<B: Compared<N>>(bodies: u64) -> u64 {
        SortedBodies::<B>::bytes_for(bodies) + Probe::bytes_for(bodies as usize)
    }
}

impl<const N: usize> PairSearch for GridPhase<N>
where
    for<'a> ColumnsView<'a, N>: View,
{
    fn len(&self) -> usize {
        self.grid.len
    }

    fn pairs<const COUNT: bool>(
        &self,
        rules: &SetRules,
        range: Range<usize>,
        found: &mut dyn FnMut(&[Pair], Found),
    ) -> Operations {
        grid_pairs::<COUNT, N>(&self.plan, &self.grid, rules, range, found)
    }

    #[inline]
    fn record(&self, position: usize) -> Bounds {
        let [low, high] = self.grid.columns.view().corners_of(position);
        Bounds {
            low: corner(low),
            tag: 0,
            high: corner(high),
            id: self.grid.columns.ids[position],
        }
    }

    fn meet<const COUNT: bool>(&self, movers: &[Bounds], rules: &SetRules, found: impl FnMut(Pair)) -> Operations {
        grid_query::<COUNT, N>((&self.plan, &self.grid), self.world, movers, rules, found)
    }
}

impl GridPhase {
    /// Sorts bounds, which are put into another order, into a grid planned for them. The rules give
    /// their worlds.
    pub fn sort(&mut self, bounds: &mut [Bounds], stats: &Gathered, rules: &SetRules) -> Result<()> {
        self.forget_plan();
        let unsorted = &*bounds;
        self.choose(unsorted.len(), stats, rules, |first, stride, samples| {
            for (sample, record) in samples.iter_mut().zip(unsorted[first..].iter().step_by(stride)) {
                *sample = (record.low, record.id);
            }
        })?;
        self.grid.build(&self.plan, bounds, rules)
    }
}

impl OverBounds for GridPhase {
    fn build(&mut self, bounds: &mut [Bounds], stats: &Gathered, rules: &SetRules) -> Result<()> {
        self.sort(bounds, stats, rules)
    }

    fn sorted(&self) -> Sorted<'_> {
        Sorted(&self.grid.records)
    }

    fn list_levels(&self, list: &mut Vec<GridLevel>) {
        list.extend(self.levels());
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
        self.grid.build(&plan, walkers, rules)?;
        let sorted = &self.grid.records;
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
        Grid::bytes_for(boxes) + Probe::bytes_for(boxes as usize)
    }
}

/// Returns the corners of the world.
fn world_of(stats: &Gathered) -> [Vec3; 2] {
    let stats = SceneStats::from(stats);
    [stats.world_low(), stats.world_high()]
}
