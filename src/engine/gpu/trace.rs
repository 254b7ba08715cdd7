//! The measurements of a check on the GPU: its grid, times and traffic.

use crate::base::clock::Instant;
use crate::base::stage::Stage;
use crate::base::timings::{Timings, milliseconds};
use crate::broad_phase::grid::layout::GridLevel;
use crate::engine::gpu::subject::FrameSubject;
use crate::frame::counters::Counters;
use crate::frame::params::Params;
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;

/// The measurements of a check: its grid, times and traffic.
#[derive(Default)]
pub(crate) struct Trace {
    pub grid: Vec<GridLevel>,
    pub timings: Timings,
    /// Number of bytes that each stage must move. See [`Report::traffic`](crate::Report::traffic).
    pub traffic: Vec<(Stage, u64)>,
}

/// Sizes in bytes of the records that the stages move.
const BOUNDS: u64 = size_of::<Bounds>() as u64;
const PAIR: u64 = size_of::<Pair>() as u64;
const PLACE_IN_QUEUE: u64 = 4;

impl Trace {
    /// Counts the bytes of the kernel that computes bounds. The section "One frame" of
    /// docs/src/design/gpu-frames.md has a table of all stages.
    pub fn count_bounds(&mut self, subject: &FrameSubject) {
        self.count(Stage::Bounds, subject.bytes() + subject.count() * BOUNDS);
    }

    /// Counts the bytes of a frame's stages up to the sorted records, given those of the broad
    /// phase.
    pub fn count_build(&mut self, subject: &FrameSubject, broad_phase: Vec<(Stage, u64)>) {
        self.count_bounds(subject);
        for (stage, bytes) in broad_phase {
            self.count(stage, bytes);
        }
    }

    /// Counts the bytes of the stages that find the pairs of a range of records.
    pub fn count_pairs(&mut self, subject: &FrameSubject, params: &Params, counters: &Counters) {
        let of = |count: u32| u64::from(count);
        let (n, c, u) = (of(params.box_count), of(counters.candidates), of(counters.undecided));
        // Each record is counted once, or only those of this many pairs.
        let records = |pairs: u64| subject.bytes() * n.min(2 * pairs) / n.max(1);
        self.count(Stage::Pairs, of(params.range_count) * BOUNDS + c * PAIR);
        if subject.is_queued() {
            // Sorting reads candidates twice, and writes and reads their places.
            self.count(Stage::Narrow, c * (2 * PAIR + 2 * PLACE_IN_QUEUE));
        }
        self.count(Stage::Narrow, c * PAIR + records(c) + (of(counters.pairs) + u) * PAIR);
        if params.has_f64 > 0 && params.exactness == Params::EXACT {
            self.count(Stage::F64, u * PAIR + records(u) + of(counters.left) * PAIR);
        }
    }

    fn count(&mut self, stage: Stage, bytes: u64) {
        match self.traffic.iter_mut().find(|(other, _)| *other == stage) {
            Some((_, sum)) => *sum += bytes,
            None => self.traffic.push((stage, bytes)),
        }
    }

    /// Adds the measurements of another part of the same check. The grid shown is that of the first
    /// part.
    pub fn merge(&mut self, other: Self) {
        if self.grid.is_empty() {
            self.grid = other.grid;
        }
        other
            .timings
            .wall
            .into_iter()
            .for_each(|(stage, time)| add(&mut self.timings.wall, stage, time));
        other
            .timings
            .gpu
            .into_iter()
            .for_each(|(stage, time)| add(&mut self.timings.gpu, stage, time));
        other
            .traffic
            .into_iter()
            .for_each(|(stage, bytes)| self.count(stage, bytes));
    }

    /// Adds the time since `start` to a stage.
    pub fn add_wall(&mut self, stage: Stage, start: Instant) {
        add(&mut self.timings.wall, stage, milliseconds(start.elapsed()));
    }
}

/// Adds a time to the entry of its stage, or appends a new entry.
pub(crate) fn add(times: &mut Vec<(Stage, f64)>, stage: Stage, time: f64) {
    match times.iter_mut().find(|(other, _)| *other == stage) {
        Some((_, sum)) => *sum += time,
        None => times.push((stage, time)),
    }
}
