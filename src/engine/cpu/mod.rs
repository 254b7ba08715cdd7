//! The CPU backend: runs the twins of all kernels in sequence.

mod tasks;

use std::time::Instant;

use bytemuck::Zeroable;

use crate::base::config::Config;
use crate::base::engine::Engine;
use crate::base::error::Result;
use crate::base::stage::Stage;
use crate::base::timings::milliseconds;
use crate::base::{memory, parallel};
use crate::broad_phase::grid::grid_build_cpu::Grid;
use crate::broad_phase::grid::grid_pairs_cpu::{BATCH, grid_pairs};
use crate::broad_phase::grid::grid_plan_cpu::{choose_levels, group_sizes};
use crate::broad_phase::grid::grid_probe_cpu::Probe;
use crate::broad_phase::grid::grid_query_cpu::{GridAtRest, grid_query};
use crate::broad_phase::grid::layout::GridLevel;
use crate::broad_phase::grid::layout::{Plan, probe_size};
use crate::broad_phase::operations::Operations;
use crate::engine::cpu::tasks::{Shared, Shares, Task, Tested, gather};
use crate::engine::findings::Findings;
use crate::engine::prepared::{Memory, PreparedScene};
use crate::engine::query::{BoxSet, Holder, Query, Resolved, Subject, check_count};
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;
use crate::geometry::pair::validate_pairs;
use crate::geometry::scene_stats::SceneStats;
use crate::outputs::report::Report;
use crate::rules::filter::{PairRules, SetRules};
use crate::shapes::kind::Records;
use crate::shapes::obb::obb_bounds_cpu;
use crate::shapes::obb::record::Obb;

/// Movers per task: few, as each may meet many boxes.
const MOVERS: usize = 256;
/// Bytes of a task's list of the overlapping pairs of one batch, which grows by doubling.
const TASK_BYTES: usize = 2 * BATCH * size_of::<Pair>();

/// The CPU backend. It keeps its memory between calls.
#[derive(Default)]
pub(crate) struct CpuChecker {
    bounds: Vec<Bounds>,
    probe: Probe,
    grid: Grid,
    /// The boxes in the order of the grid's records, so those of a candidate pair are close together.
    boxes: Vec<Obb>,
}

impl CpuChecker {
    /// The most bytes used at the peak of a check.
    pub fn bytes_for(config: &Config, boxes: usize, pairs: u64) -> u64 {
        let n = boxes as u64;
        let records = n * (size_of::<Bounds>() + size_of::<Obb>()) as u64;
        let tasks = n.div_ceil(parallel::GRAIN as u64) * (size_of::<Task>() + TASK_BYTES) as u64;
        let findings = Findings::bytes_for(config, n, pairs);
        findings.saturating_add(records + Grid::bytes_for(n) + Probe::bytes_for(boxes) + tasks)
    }

    /// Bytes held between checks.
    fn bytes(&self) -> u64 {
        let records = self.bounds.capacity() * size_of::<Bounds>() + self.boxes.capacity() * size_of::<Obb>();
        records as u64 + self.grid.bytes() + self.probe.bytes()
    }

    /// Answers a query.
    pub fn check<'a>(&mut self, query: impl Into<Query<'a>>, config: &Config) -> Result<Report> {
        let holder = Holder::new(query, config.margin)?;
        let Resolved {
            subject,
            rules,
            candidates,
        } = holder.resolve()?;
        let report = match (subject, candidates) {
            (Subject::Set(Records::Obb(boxes)), Some(pairs)) => check_pairs(boxes, pairs, &rules, config),
            (Subject::Set(records), _) => self.check_set(records, &rules, config),
            (Subject::Movers { scene, movers }, _) => check_against(scene, movers, &rules, config),
        };
        Ok(holder.named(report?))
    }

    /// Finds the pairs of one set.
    fn check_set(&mut self, set: Records<'_>, rules: &PairRules, config: &Config) -> Result<Report> {
        let start = Instant::now();
        self.ensure_memory(config, set.len())?;
        let stats = set.bounds(|id| rules.sets[0].widening(id, config.margin), &mut self.bounds)?;
        let bounds_done = Instant::now();
        let plan = self.build(&stats, rules.sets[0])?;
        let records = &self.grid.records[..];
        let tested = match set {
            Records::Obb(boxes) => {
                memory::resize(&mut self.boxes, boxes.len(), Zeroable::zeroed(), "the grid")?;
                parallel::fill(&mut self.boxes, |k| boxes[records[k].id as usize]);
                Tested::Records {
                    records,
                    boxes: &self.boxes,
                }
            }
            _ => Tested::Others { records, set },
        };
        self.find_pairs(&plan, tested, rules, [start, bounds_done], config)
    }

    /// Returns an error if the machine lacks the memory for a grid of this many boxes.
    fn ensure_memory(&self, config: &Config, boxes: usize) -> Result<()> {
        let needed = Self::bytes_for(config, boxes, 0);
        memory::ensure(needed.saturating_sub(self.bytes()), "the grid")
    }

    /// Sorts the boxes of a scene for checks of movers against them.
    pub fn prepare(set: BoxSet) -> Result<PreparedScene> {
        let boxes = set.boxes;
        check_count(boxes.len())?;
        let rules = SetRules::new(&set.rules, boxes.len())?;
        // Memory needed only for sorting is not kept.
        let mut own = Self::default();
        let stats = obb_bounds_cpu::obb_bounds(boxes, |_| 0.0, &mut own.bounds)?;
        let plan = own.build(&stats, &rules)?;
        own.grid.release_scratch();
        Ok(PreparedScene {
            boxes: memory::collect(boxes.iter().copied(), "a scene to prepare")?,
            rules: rules.into_owned()?,
            grid: plan.levels().iter().map(GridLevel::from).collect(),
            engine: engine(),
            memory: Memory::Host(Box::new(GridAtRest { plan, grid: own.grid })),
        })
    }

    /// Sorts the bounds into the grid that suits them; the rules give their worlds.
    fn build(&mut self, stats: &SceneStats, rules: &SetRules) -> Result<Plan> {
        let mut groups = group_sizes(stats);
        let (samples, slots) = probe_size(self.bounds.len(), u64::MAX);
        self.probe.run(&mut groups, &self.bounds, rules, samples, slots)?;
        let plan = choose_levels(&groups, rules.worlds.is_some(), samples, slots);
        self.grid.build(&plan, &mut self.bounds, rules)?;
        Ok(plan)
    }

    /// Runs broad phase, narrow phase and exact stage on a built grid, interleaved so that candidate pairs need next to
    /// no memory. `begun` is when the check began and when its bounds were ready.
    fn find_pairs(
        &self,
        plan: &Plan,
        tested: Tested,
        rules: &PairRules,
        begun: [Instant; 2],
        config: &Config,
    ) -> Result<Report> {
        let [start, bounds_done] = begun;
        let grid_done = Instant::now();
        let (shared, worlds) = (Shared::new(tested, rules, config)?, rules.sets[0]);
        let tasks = parallel::map_ranges(self.grid.records.len(), |range| {
            Task::run(&shared, |batch| match shared.count_operations {
                true => grid_pairs::<true>(plan, &self.grid, worlds, range, |pairs| batch.test(pairs)),
                false => grid_pairs::<false>(plan, &self.grid, worlds, range, |pairs| batch.test(pairs)),
            })
        });
        let tasks_done = Instant::now();
        let (findings, shares) = gather(shared, tasks, config)?;
        let mut report = findings.finish(tested.count())?;
        report.grid = plan.levels().iter().map(GridLevel::from).collect();
        report.timings.wall = steps([start, bounds_done, grid_done, tasks_done], &shares);
        Ok(signed(report, start))
    }
}

/// Finds the colliding pairs among `pairs`.
fn check_pairs(boxes: &[Obb], pairs: &[Pair], rules: &PairRules, config: &Config) -> Result<Report> {
    let start = Instant::now();
    obb_bounds_cpu::validate(boxes)?;
    validate_pairs(boxes.len(), pairs)?;
    let validated = Instant::now();
    let shared = Shared::new(Tested::Boxes(boxes), rules, config)?;
    let tasks = parallel::map_ranges(pairs.len(), |range| {
        Task::run(&shared, |batch| {
            pairs[range].chunks(BATCH).for_each(|pairs| batch.test(pairs));
            Operations::default()
        })
    });
    let tasks_done = Instant::now();
    let (findings, shares) = gather(shared, tasks, config)?;
    let mut report = findings.finish(boxes.len())?;
    let steps = steps([start, validated, validated, tasks_done], &shares);
    report.timings.wall = steps
        .into_iter()
        .filter(|(step, _)| [Stage::Narrow, Stage::Exact].contains(step))
        .collect();
    Ok(signed(report, start))
}

/// Finds the colliding pairs of a box of the scene and a mover.
fn check_against(scene: &PreparedScene, movers: &[Obb], rules: &PairRules, config: &Config) -> Result<Report> {
    let start = Instant::now();
    let (grid, of_movers) = (scene.on_host()?, rules.sets[1]);
    let mut bounds = Vec::new();
    // The scene is prepared for any margin: the movers take all of it.
    let of_scene = scene.rules.largest_margin();
    let margin = 2.0 * (config.margin + of_scene);
    let () = obb_bounds_cpu::obb_bounds(movers, |id| of_movers.widening(id, margin), &mut bounds)?;
    let bounds_done = Instant::now();
    let bounds = grid.sort(bounds, of_movers)?;
    let tested = Tested::Movers {
        scene: &scene.boxes,
        movers,
    };
    let shared = Shared::new(tested, rules, config)?;
    let tasks = parallel::map_ranges_of(MOVERS, movers.len(), |range| {
        Task::run(&shared, |batch| match shared.count_operations {
            true => grid_query::<true>(grid, &bounds[range], of_movers, |pair| batch.push(pair)),
            false => grid_query::<false>(grid, &bounds[range], of_movers, |pair| batch.push(pair)),
        })
    });
    let tasks_done = Instant::now();
    let (findings, shares) = gather(shared, tasks, config)?;
    let mut report = findings.finish(tested.count())?;
    report.grid = scene.grid.clone();
    report.timings.wall = steps([start, bounds_done, bounds_done, tasks_done], &shares);
    Ok(signed(report, start))
}

/// The time of each step, given when they began: bounds, what precedes the tasks, the tasks, and what follows them,
/// which counts towards the exact stage.
fn steps([start, bounds_done, tasks, tasks_done]: [Instant; 4], shares: &Shares) -> Vec<(Stage, f64)> {
    let narrow = (tasks_done - tasks).mul_f64(shares.narrow);
    let exact = (tasks_done - tasks).mul_f64(shares.exact);
    vec![
        (Stage::Bounds, milliseconds(bounds_done - start)),
        (
            Stage::Broad,
            milliseconds(tasks_done.saturating_duration_since(bounds_done + narrow + exact)),
        ),
        (Stage::Narrow, milliseconds(narrow)),
        (Stage::Exact, milliseconds(tasks_done.elapsed() + exact)),
    ]
}

/// The engine this backend runs on.
fn engine() -> Engine {
    Engine::Cpu {
        threads: parallel::threads(),
    }
}

/// Adds to the report what every report states: the engine and the time.
fn signed(mut report: Report, start: Instant) -> Report {
    report.engine = engine();
    report.timings.total = milliseconds(start.elapsed());
    report
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn operations_are_counted_if_asked_for() {
        // All boxes are in the only cell: each looks it up, and meets those after itself.
        let stack = [Obb::axis_aligned(Vec3::ONE, Vec3::ONE); 100];
        let operations = |count_operations| {
            let config = Config {
                count_operations,
                ..Config::default()
            };
            let report = CpuChecker::default().check(&stack, &config).expect("valid boxes");
            assert_eq!(report.colliding_pairs, 100 * 99 / 2);
            report.operations
        };
        assert_eq!(operations(false), None);
        let expected = Operations {
            rows: 100,
            comparisons: 100 * 99 / 2,
        };
        assert_eq!(operations(true), Some(expected));
    }
}
