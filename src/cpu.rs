//! The CPU backend: the twins of all kernels, one after the other.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::bounds::{Bounds, SceneStats, obb_bounds_cpu};
use crate::boxes::validate_pairs;
use crate::broad_phase::grid::{Plan, probe_size};
use crate::broad_phase::grid_build_cpu::Grid;
use crate::broad_phase::grid_pairs_cpu::grid_pairs;
use crate::broad_phase::grid_plan_cpu::{choose_levels, group_sizes};
use crate::broad_phase::grid_probe_cpu::Probe;
use crate::narrow_phase::obb_sat_cpu::{Verdict, obb_sat};
use crate::results::{Results, extend};
use crate::{
    Config, Engine, Error, GridLevel, Obb, Operations, Output, Pair, Precision, Report, Result, memory, parallel,
};

/// Candidate pairs that are gathered before the narrow phase runs over them.
const BATCH: usize = 1024;

/// Bytes of a task's list of the overlapping pairs of one batch, which doubles from a few on.
const TASK_BYTES: usize = 2 * BATCH * size_of::<Pair>();

/// The CPU backend. It keeps its memory between calls.
#[derive(Default)]
pub(crate) struct CpuChecker {
    bounds: Vec<Bounds>,
    probe: Probe,
    grid: Grid,
}

impl CpuChecker {
    /// Bytes at the height of a check, at most, if few pairs need the exact stage.
    pub fn bytes_for(config: &Config, boxes: usize, pairs: u64) -> u64 {
        let n = boxes as u64;
        let bounds = n * size_of::<Bounds>() as u64;
        let tasks = n.div_ceil(parallel::GRAIN as u64) * (size_of::<Task>() + TASK_BYTES) as u64;
        let results = Results::bytes_for(config, n, pairs);
        bounds + Grid::bytes_for(n) + Probe::bytes_for(boxes) + tasks + results
    }

    /// Bytes held between checks.
    fn bytes(&self) -> u64 {
        let bounds = (self.bounds.capacity() * size_of::<Bounds>()) as u64;
        bounds + self.grid.bytes() + self.probe.bytes()
    }

    /// Finds the colliding pairs of `boxes`.
    pub fn check(&mut self, boxes: &[Obb], config: &Config) -> Result<Report> {
        let start = Instant::now();
        let needed = Self::bytes_for(config, boxes.len(), 0);
        memory::ensure(needed.saturating_sub(self.bytes()), "the grid of so many boxes")?;
        obb_bounds_cpu::validate(boxes)?;
        let stats = obb_bounds_cpu::obb_bounds(boxes, &mut self.bounds);
        let bounds_done = Instant::now();
        let plan = self.plan(&stats);
        self.grid.build(&plan, &mut self.bounds);
        let grid_done = Instant::now();
        let (results, narrow_share) = self.find_pairs(&plan, boxes, config)?;
        let pairs_done = Instant::now();
        let mut report = results.finish(boxes)?;

        let narrow = (pairs_done - grid_done).mul_f64(narrow_share);
        report.engine = Engine::Cpu {
            threads: parallel::threads(),
        };
        report.grid = plan.levels().iter().map(GridLevel::from).collect();
        report.timings.wall = vec![
            ("bounds", milliseconds(bounds_done - start)),
            ("broad", milliseconds(pairs_done - bounds_done - narrow)),
            ("narrow", milliseconds(narrow)),
            ("exact", milliseconds(pairs_done.elapsed())),
        ];
        report.timings.total = milliseconds(start.elapsed());
        Ok(report)
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
        let shared = Shared::new(boxes, config);
        let tasks = parallel::map_ranges(pairs.len(), |range| Task::run_given(&shared, &pairs[range]));
        let (results, _) = gather(shared, tasks, config)?;
        let narrow_done = Instant::now();
        let mut report = results.finish(boxes)?;
        report.engine = Engine::Cpu {
            threads: parallel::threads(),
        };
        report.timings.wall = vec![
            ("narrow", milliseconds(narrow_done - validated)),
            ("exact", milliseconds(narrow_done.elapsed())),
        ];
        report.timings.total = milliseconds(start.elapsed());
        Ok(report)
    }

    /// Broad and narrow phase, interleaved so that candidate pairs need no memory to speak of. Also returns the narrow
    /// phase's share of the time.
    fn find_pairs(&self, plan: &Plan, boxes: &[Obb], config: &Config) -> Result<(Results, f64)> {
        let shared = Shared::new(boxes, config);
        let tasks = parallel::map_ranges(self.grid.records.len(), |range| {
            Task::run(&shared, plan, &self.grid, range)
        });
        gather(shared, tasks, config)
    }
}

/// The findings of all tasks, and the narrow phase's share of their time.
fn gather(shared: Shared, tasks: Vec<Task>, config: &Config) -> Result<(Results, f64)> {
    let mut results = Results::new(config);
    let mut narrow = Duration::ZERO;
    let mut total = Duration::ZERO;
    if shared.out_of_memory.into_inner() {
        let found = tasks
            .iter()
            .map(|task| (task.pairs.len() + task.undecided.len()) as u64);
        return Err(Error::OutOfMemory {
            what: "the pairs found so far",
            needed: found.sum::<u64>() * size_of::<Pair>() as u64,
        });
    }
    let mut operations = Operations::default();
    for task in tasks {
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
    boxes: &'a [Obb],
    output: Output,
    precision: Precision,
    count_operations: bool,
    degrees: Vec<AtomicU32>,
    /// Pairs that may still be stored.
    room: AtomicU64,
    /// A task has found no memory for its pairs: there is no use in going on.
    out_of_memory: AtomicBool,
}

impl<'a> Shared<'a> {
    fn new(boxes: &'a [Obb], config: &Config) -> Self {
        Self {
            boxes,
            output: config.output,
            precision: config.precision,
            count_operations: config.count_operations,
            degrees: match config.output {
                Output::Degrees => std::iter::repeat_with(AtomicU32::default).take(boxes.len()).collect(),
                _ => Vec::new(),
            },
            room: AtomicU64::new(config.max_pairs.map_or(u64::MAX, |most| most as u64)),
            out_of_memory: AtomicBool::new(false),
        }
    }

    /// Ends all tasks if one of them has no memory.
    fn note(&self, outcome: Result<()>) {
        if outcome.is_err() {
            self.out_of_memory.store(true, Relaxed);
        }
    }
}

/// The pairs of one range of records, or of pairs given.
#[derive(Default)]
struct Task {
    candidates: u64,
    colliding: u64,
    pairs: Vec<Pair>,
    undecided: Vec<Pair>,
    /// Overlapping pairs of one batch.
    overlapping: Vec<Pair>,
    operations: Operations,
    narrow: Duration,
    total: Duration,
}

impl Task {
    fn run(shared: &Shared, plan: &Plan, grid: &Grid, range: Range<usize>) -> Self {
        let start = Instant::now();
        let mut task = Self::default();
        let mut batch = Vec::with_capacity(BATCH);
        let found = |pair| {
            batch.push(pair);
            if batch.len() == BATCH {
                task.test(shared, &mut batch);
            }
        };
        let operations = if shared.count_operations {
            grid_pairs::<true>(plan, grid, range, found)
        } else {
            grid_pairs::<false>(plan, grid, range, found)
        };
        task.operations = operations;
        task.test(shared, &mut batch);
        task.total = start.elapsed();
        task
    }

    /// As [`Task::run`], over candidate pairs that are known.
    fn run_given(shared: &Shared, pairs: &[Pair]) -> Self {
        let start = Instant::now();
        let mut task = Self::default();
        for batch in pairs.chunks(BATCH) {
            task.test(shared, &mut batch.to_vec());
        }
        task.total = start.elapsed();
        task
    }

    /// The narrow phase over a batch of candidate pairs, which it empties.
    fn test(&mut self, shared: &Shared, batch: &mut Vec<Pair>) {
        if shared.out_of_memory.load(Relaxed) {
            batch.clear();
            return;
        }
        let start = Instant::now();
        self.candidates += batch.len() as u64;
        // Most tasks have no undecided pairs, or a few.
        if !self.undecided.is_empty() {
            shared.note(memory::reserve(&mut self.undecided, batch.len(), "undecided pairs"));
        }
        let (overlapping, undecided) = (&mut self.overlapping, &mut self.undecided);
        overlapping.clear();
        obb_sat(shared.boxes, batch, shared.precision, |pair, verdict| match verdict {
            Verdict::Overlapping => overlapping.push(pair),
            Verdict::Undecided => undecided.push(pair),
        });
        self.colliding += self.overlapping.len() as u64;
        match shared.output {
            Output::Pairs => {
                let taken = take(&shared.room, self.overlapping.len() as u64) as usize;
                shared.note(extend(&mut self.pairs, &self.overlapping[..taken], "colliding pairs"));
            }
            Output::Degrees => self
                .overlapping
                .iter()
                .flat_map(|pair| [pair.a, pair.b])
                .for_each(|id| {
                    shared.degrees[id as usize].fetch_add(1, Relaxed);
                }),
            Output::Count => {}
        }
        batch.clear();
        self.narrow += start.elapsed();
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
