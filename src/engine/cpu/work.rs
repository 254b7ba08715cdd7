//! Distribution of ranges to threads with a worker each, and collection of their findings.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crate::base::clock::Instant;
use crate::base::config::{Config, Precision};
use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::base::memory::extend;
use crate::base::parallel;
use crate::broad_phase::operations::Operations;
use crate::engine::cpu::batch::Batch;
use crate::engine::cpu::worker::{MOST_KEPT, Shared, Totals, Worker};
use crate::engine::findings::Findings;
use crate::geometry::pair::Pair;
use crate::outputs::report::Report;
use crate::outputs::sort_as_found::sort_found;
use crate::outputs::sort_pairs_cpu::PairSorter;

/// Movers per task: few, because each may meet many boxes.
pub(super) const MOVERS: usize = 256;

/// Has workers test the candidate pairs of ranges of `grain` items. `walk` adds those of a range to
/// the batch.
pub(super) fn work(
    workers: &mut Vec<Worker>,
    shared: &Shared,
    grain: usize,
    len: usize,
    walk: impl Fn(Range<usize>, &mut Batch) -> Operations + Sync + Send,
) -> Result<()> {
    let ranges = len.div_ceil(grain);
    let at_a_time = ranges.min(parallel::threads()).max(workers.len());
    workers.resize_with(at_a_time, Worker::default);
    // The division of work is not known in advance, so each worker reserves memory for all pairs
    // found by the last call, if they are few. Repeated calls of the same size then allocate no
    // memory.
    let sum = |count: fn(&Worker) -> usize| workers.iter().map(count).sum::<usize>();
    let last = [
        sum(|worker| worker.pairs.len()),
        sum(|worker| worker.touching_pairs.len()),
    ];
    let bytes = at_a_time * (last[0] + last[1]) * size_of::<Pair>();
    let room = if bytes as u64 <= MOST_KEPT { last } else { [0; 2] };
    for worker in &mut *workers {
        worker.begin(room, shared.buckets)?;
    }
    more_work(workers, shared, grain, len, walk);
    Ok(())
}

/// Continues the [`work`] with further ranges.
pub(super) fn more_work(
    workers: &mut Vec<Worker>,
    shared: &Shared,
    grain: usize,
    len: usize,
    walk: impl Fn(Range<usize>, &mut Batch) -> Operations + Sync + Send,
) {
    parallel::ranges_with(workers, grain, len, |range, worker| {
        if shared.is_over() {
            return;
        }
        // Reading the clock takes a good part of the time of a small scene. The time of a single
        // task is that of the whole work.
        let start = (len > grain).then(Instant::now);
        let mut batch = Batch { shared, worker };
        let operations = walk(range, &mut batch);
        batch.test_gathered();
        worker.totals.operations += operations;
        worker.totals.total += start.map_or(Duration::ZERO, |start| start.elapsed());
    });
}

/// The shares of these stages in the total time of all workers.
pub(super) struct Shares {
    pub narrow: f64,
    pub exact: f64,
}

/// Gathers the findings of all workers. `whole` is the time of the work.
pub(super) fn gather(
    shared: &Shared,
    workers: &mut [Worker],
    sorter: &mut PairSorter,
    config: &Config,
    old: Report,
    whole: Duration,
) -> Result<(Findings<'static>, Shares)> {
    if shared.stopped.load(Relaxed) {
        return Err(Error::Stopped);
    }
    if shared.out_of_memory.load(Relaxed) {
        let found = workers.iter().map(|worker| worker.pairs.len() as u64).sum::<u64>();
        return Err(Error::OutOfMemory {
            what: "the pairs found so far",
            needed: found * size_of::<Pair>() as u64,
        });
    }
    let sum = |count: fn(&Totals) -> u64| workers.iter().map(|worker| count(&worker.totals)).sum::<u64>();
    let time = |time: fn(&Totals) -> Duration| workers.iter().map(|worker| time(&worker.totals)).sum::<Duration>();
    let total = match time(|totals| totals.total) {
        Duration::ZERO => whole,
        total => total,
    };
    let time = |share| time(share).as_secs_f64() / total.as_secs_f64().max(1e-9);
    let shares = Shares {
        narrow: time(|totals| totals.narrow),
        exact: time(|totals| totals.exact),
    };
    let decides = shared.precision == Precision::Exact && shared.tested.is_exact();
    let mut operations = Operations::default();
    workers.iter().for_each(|worker| operations += worker.totals.operations);
    let mut findings = Findings::new(config, old);
    findings.candidate_pairs = sum(|totals| totals.candidates);
    findings.colliding_pairs = sum(|totals| totals.colliding);
    findings.undecided_pairs = sum(|totals| totals.undecided);
    findings.undecided_after_f64 = sum(|totals| totals.tally.undecided_after_f64());
    findings.touching_pairs = decides.then_some(sum(|totals| totals.touching));
    findings.near_pairs = decides.then_some(sum(|totals| totals.near));
    findings.operations = shared.count_operations.then_some(operations);
    for worker in &*workers {
        extend(&mut findings.touching, &worker.touching_pairs, "the touching pairs")?;
    }
    sorter.sort(&mut findings.touching)?;
    sort_found(workers, shared.buckets, &mut findings.pairs)?;
    memory::reserve(&mut findings.degrees, shared.degrees.len(), "the degrees")?;
    let degrees = shared.degrees.iter().map(|degree| degree.load(Relaxed));
    findings.degrees.extend(degrees);
    Ok((findings, shares))
}
