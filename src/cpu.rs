//! The CPU backend: the twins of all kernels, one after the other.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use bytemuck::Zeroable;

use crate::bounds::{Bounds, SceneStats, aabb_bounds_cpu, obb_bounds_cpu};
use crate::boxes::validate_pairs;
use crate::broad_phase::grid::{Plan, probe_size};
use crate::broad_phase::grid_build_cpu::Grid;
use crate::broad_phase::grid_pairs_cpu::grid_pairs;
use crate::broad_phase::grid_plan_cpu::{choose_levels, group_sizes};
use crate::broad_phase::grid_probe_cpu::Probe;
use crate::broad_phase::grid_query_cpu::{GridAtRest, grid_query};
use crate::narrow_phase::obb_sat_cpu::{Verdict, obb_sat};
use crate::prepared::{Memory, PreparedScene};
use crate::results::{Results, Subject, extend};
use crate::{
    Aabb, Config, Engine, Error, GridLevel, Obb, Operations, Output, Pair, Precision, Report, Result, parallel,
};

/// Candidate pairs that are gathered before the narrow phase runs over them.
const BATCH: usize = 1024;
/// Movers of a task: few, as each may meet many boxes.
const MOVERS: usize = 256;

/// The CPU backend. It keeps its memory between calls.
#[derive(Default)]
pub(crate) struct CpuChecker {
    bounds: Vec<Bounds>,
    probe: Probe,
    grid: Grid,
}

impl CpuChecker {
    /// Finds the colliding pairs of `boxes`.
    pub fn check(&mut self, boxes: &[Obb], config: &Config) -> Result<Report> {
        let start = Instant::now();
        obb_bounds_cpu::validate(boxes)?;
        let stats = obb_bounds_cpu::obb_bounds(boxes, &mut self.bounds);
        self.check_all(Subject::Boxes(boxes), &stats, start, config)
    }

    /// Finds the pairs of `bounds` that share a point.
    pub fn check_bounds(&mut self, bounds: &[Aabb], config: &Config) -> Result<Report> {
        let start = Instant::now();
        aabb_bounds_cpu::validate(bounds)?;
        let stats = aabb_bounds_cpu::aabb_bounds(bounds, &mut self.bounds);
        self.check_all(Subject::Bounds(bounds), &stats, start, config)
    }

    /// What both do once they have bounds.
    fn check_all(&mut self, subject: Subject, stats: &SceneStats, start: Instant, config: &Config) -> Result<Report> {
        let bounds_done = Instant::now();
        let plan = self.plan(stats);
        self.grid.build(&plan, &mut self.bounds);
        let grid_done = Instant::now();
        let (results, narrow_share) = self.find_pairs(&plan, subject, config)?;
        let pairs_done = Instant::now();
        let mut report = results.finish(subject)?;

        let narrow = (pairs_done - grid_done).mul_f64(narrow_share);
        report.grid = plan.levels().iter().map(GridLevel::from).collect();
        report.timings.wall = vec![
            ("bounds", milliseconds(bounds_done - start)),
            ("broad", milliseconds(pairs_done - bounds_done - narrow)),
            ("narrow", milliseconds(narrow)),
            ("exact", milliseconds(pairs_done.elapsed())),
        ];
        Ok(signed(report, start))
    }

    /// Sorts the boxes of a scene that movers are checked against.
    pub fn prepare(boxes: &[Obb]) -> Result<PreparedScene> {
        obb_bounds_cpu::validate(boxes)?;
        // What sorting needs is not kept.
        let mut own = Self::default();
        let stats = obb_bounds_cpu::obb_bounds(boxes, &mut own.bounds);
        let plan = own.plan(&stats);
        own.grid.build(&plan, &mut own.bounds);
        own.grid.release_scratch();
        Ok(PreparedScene {
            boxes: boxes.to_vec(),
            grid: plan.levels().iter().map(GridLevel::from).collect(),
            engine: engine(),
            memory: Memory::Host(GridAtRest { plan, grid: own.grid }),
        })
    }

    /// Finds the pairs of a box of the scene and a mover that collide.
    pub fn check_against(scene: &PreparedScene, movers: &[Obb], config: &Config) -> Result<Report> {
        let start = Instant::now();
        let grid = scene.on_host()?;
        obb_bounds_cpu::validate(movers)?;
        let mut bounds = vec![Bounds::zeroed(); movers.len()];
        parallel::fill(&mut bounds, |i| obb_bounds_cpu::bounds_of(&movers[i], i as u32));
        let bounds_done = Instant::now();
        let bounds = grid.sort(bounds);
        let subject = Subject::Movers { scene, movers };
        let shared = Shared::new(subject, config);
        let tasks = parallel::map_ranges_of(MOVERS, movers.len(), |range| {
            Task::run(&shared, |batch| match shared.count_operations {
                true => grid_query::<true>(grid, &bounds[range], |pair| batch.push(pair)),
                false => grid_query::<false>(grid, &bounds[range], |pair| batch.push(pair)),
            })
        });
        let (results, narrow_share) = gather(shared, tasks, config)?;
        let pairs_done = Instant::now();
        let mut report = results.finish(subject)?;

        let narrow = (pairs_done - bounds_done).mul_f64(narrow_share);
        report.grid = scene.grid.clone();
        report.timings.wall = vec![
            ("bounds", milliseconds(bounds_done - start)),
            ("broad", milliseconds(pairs_done - bounds_done - narrow)),
            ("narrow", milliseconds(narrow)),
            ("exact", milliseconds(pairs_done.elapsed())),
        ];
        Ok(signed(report, start))
    }

    /// The grid for the bounds.
    fn plan(&mut self, stats: &SceneStats) -> Plan {
        let mut groups = group_sizes(stats);
        let (samples, slots) = probe_size(self.bounds.len(), u64::MAX);
        self.probe.run(&mut groups, &self.bounds, samples, slots);
        choose_levels(&groups, samples, slots)
    }

    /// Finds the pairs among `pairs` that collide.
    pub fn check_pairs(boxes: &[Obb], pairs: &[Pair], config: &Config) -> Result<Report> {
        let start = Instant::now();
        obb_bounds_cpu::validate(boxes)?;
        validate_pairs(boxes.len(), pairs)?;
        let validated = Instant::now();
        let subject = Subject::Boxes(boxes);
        let shared = Shared::new(subject, config);
        let tasks = parallel::map_ranges(pairs.len(), |range| {
            Task::run(&shared, |batch| {
                pairs[range].iter().for_each(|&pair| batch.push(pair));
                Operations::default()
            })
        });
        let (results, _) = gather(shared, tasks, config)?;
        let narrow_done = Instant::now();
        let mut report = results.finish(subject)?;
        report.timings.wall = vec![
            ("narrow", milliseconds(narrow_done - validated)),
            ("exact", milliseconds(narrow_done.elapsed())),
        ];
        Ok(signed(report, start))
    }

    /// Broad and narrow phase, interleaved so that candidate pairs need no memory to speak of. Also returns the narrow
    /// phase's share of the time.
    fn find_pairs(&self, plan: &Plan, subject: Subject, config: &Config) -> Result<(Results, f64)> {
        let shared = Shared::new(subject, config);
        let tasks = parallel::map_ranges(self.grid.records.len(), |range| {
            Task::run(&shared, |batch| match shared.count_operations {
                true => grid_pairs::<true>(plan, &self.grid, range, |pair| batch.push(pair)),
                false => grid_pairs::<false>(plan, &self.grid, range, |pair| batch.push(pair)),
            })
        });
        gather(shared, tasks, config)
    }
}

/// Where this backend runs.
pub(crate) fn engine() -> Engine {
    Engine::Cpu {
        threads: parallel::threads(),
    }
}

/// The report with what every one says: where it ran and how long.
fn signed(mut report: Report, start: Instant) -> Report {
    report.engine = engine();
    report.timings.total = milliseconds(start.elapsed());
    report
}

/// The findings of all tasks, and the narrow phase's share of their time.
fn gather(shared: Shared, tasks: Vec<Task>, config: &Config) -> Result<(Results, f64)> {
    let mut results = Results::new(config);
    let mut narrow = Duration::ZERO;
    let mut total = Duration::ZERO;
    let mut operations = Operations::default();
    for task in tasks {
        if task.out_of_memory {
            let needed = (size_of::<Pair>() * task.pairs.len()) as u64 * 2;
            return Err(Error::OutOfMemory {
                what: "the colliding pairs",
                needed,
            });
        }
        results.candidate_pairs += task.candidates;
        results.colliding_pairs += task.colliding;
        results.extend_pairs(&task.pairs)?;
        results.undecided_pairs += task.undecided.len() as u64;
        results.extend_undecided(&task.undecided)?;
        narrow += task.narrow;
        total += task.total;
        operations += task.operations;
    }
    results.operations = shared.count_operations.then_some(operations);
    results.degrees = shared.degrees.into_iter().map(AtomicU32::into_inner).collect();
    Ok((results, narrow.as_secs_f64() / total.as_secs_f64().max(1e-9)))
}

/// What all tasks of one check see.
struct Shared<'a> {
    subject: Subject<'a>,
    output: Output,
    precision: Precision,
    count_operations: bool,
    degrees: Vec<AtomicU32>,
    /// Pairs that may still be stored.
    room: AtomicU64,
}

impl<'a> Shared<'a> {
    fn new(subject: Subject<'a>, config: &Config) -> Self {
        Self {
            subject,
            output: config.output,
            precision: config.precision,
            count_operations: config.count_operations,
            degrees: match config.output {
                Output::Degrees => std::iter::repeat_with(AtomicU32::default)
                    .take(subject.count())
                    .collect(),
                _ => Vec::new(),
            },
            room: AtomicU64::new(config.max_pairs.map_or(u64::MAX, |most| most as u64)),
        }
    }
}

/// The findings of one part of the work.
#[derive(Default)]
struct Task {
    candidates: u64,
    colliding: u64,
    pairs: Vec<Pair>,
    undecided: Vec<Pair>,
    out_of_memory: bool,
    operations: Operations,
    narrow: Duration,
    total: Duration,
}

impl Task {
    /// Tests the candidate pairs that `walk` puts into the batch.
    fn run(shared: &Shared, walk: impl FnOnce(&mut Batch) -> Operations) -> Self {
        let start = Instant::now();
        let mut batch = Batch {
            shared,
            task: Self::default(),
            candidates: Vec::with_capacity(BATCH),
            overlapping: Vec::new(),
        };
        let operations = walk(&mut batch);
        batch.test();
        Self {
            operations,
            total: start.elapsed(),
            ..batch.task
        }
    }
}

/// Candidate pairs on their way through the narrow phase.
struct Batch<'a> {
    shared: &'a Shared<'a>,
    task: Task,
    candidates: Vec<Pair>,
    overlapping: Vec<Pair>,
}

impl Batch<'_> {
    #[inline]
    fn push(&mut self, pair: Pair) {
        self.candidates.push(pair);
        if self.candidates.len() == BATCH {
            self.test();
        }
    }

    /// The narrow phase over the candidate pairs, none of which are left then.
    fn test(&mut self) {
        let (shared, task) = (self.shared, &mut self.task);
        task.candidates += self.candidates.len() as u64;
        match shared.subject.sets() {
            Some(sets) => {
                let start = Instant::now();
                let (overlapping, undecided) = (&mut self.overlapping, &mut task.undecided);
                obb_sat(
                    sets,
                    &self.candidates,
                    shared.precision,
                    |pair, verdict| match verdict {
                        Verdict::Overlapping => overlapping.push(pair),
                        Verdict::Undecided => undecided.push(pair),
                    },
                );
                task.narrow += start.elapsed();
            }
            None => self.overlapping.append(&mut self.candidates),
        }
        self.candidates.clear();
        self.keep();
    }

    /// Takes over what was found to overlap.
    fn keep(&mut self) {
        let (shared, task) = (self.shared, &mut self.task);
        task.colliding += self.overlapping.len() as u64;
        match shared.output {
            Output::Pairs => {
                let taken = take(&shared.room, self.overlapping.len() as u64) as usize;
                task.out_of_memory |=
                    extend(&mut task.pairs, &self.overlapping[..taken], "the colliding pairs").is_err();
            }
            Output::Degrees => self
                .overlapping
                .iter()
                .flat_map(|&pair| shared.subject.counted(pair))
                .for_each(|id| {
                    shared.degrees[id].fetch_add(1, Relaxed);
                }),
            Output::Count => {}
        }
        self.overlapping.clear();
    }
}

/// Takes up to `wanted` from what is left.
fn take(room: &AtomicU64, wanted: u64) -> u64 {
    if room.load(Relaxed) == u64::MAX {
        return wanted;
    }
    let before = room
        .fetch_update(Relaxed, Relaxed, |left| Some(left.saturating_sub(wanted)))
        .unwrap_or(0);
    before.min(wanted)
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn operations_are_counted_if_asked_for() {
        // All boxes in the one cell there is: each looks it up, and meets those after itself.
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
